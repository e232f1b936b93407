"""Write config/README.md from the schema: python workflow/scripts/config_readme.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
README = ROOT / "config" / "README.md"

HEAD = """\
# Configuration

<!-- Made from workflow/schemas/config.schema.yaml by workflow/scripts/config_readme.py; a test holds it fresh. -->

What is run is data. `config.yaml` is the full scale; two files are laid over it and change scale alone:

| file | scale | use |
|---|---|---|
| `config.yaml` | the papers' horizons, thousands of runs | `snakemake --cores 2` |
| `published.yaml` | the papers' own number of runs | `... --configfile config/published.yaml` |
| `small.yaml` | short horizons, few runs, for tests and a first look | `... --configfile config/small.yaml` |

`claims.yaml` has the papers' claims with the tests that decide them, whatever the scale; its keys are documented in
`workflow/schemas/claims.schema.yaml`.

A file given by `--configfile` is laid over `config.yaml`: mappings are merged key by key, anything else is
replaced. Your own experiment is best such a file too. Use a file and not `--config`: a list given there stays
text, and `--config n=10` fails, since YAML reads `n` as a boolean.

A bad value stops the workflow before any job; the message names the file, the key path, the value and what is
allowed. After a change, `snakemake` reruns what the change touches and nothing else: a cell is rerun if its
command line or a source that can influence it has changed. What it will do is shown by `snakemake -n`.

## Keys

`<name>` stands for a name of your choice.

| key | type | allowed | default | meaning |
|---|---|---|---|---|
"""


def _allowed(part: Mapping[str, Any]) -> str:
    signs = {"minimum": "≥ ", "exclusiveMinimum": "> ", "maximum": "≤ ", "exclusiveMaximum": "< "}
    ranges = [f"{sign}{part[key]}" for key, sign in signs.items() if key in part]
    return ", ".join(ranges) or ", ".join(f"`{value}`" for value in part.get("enum", []))


def _rows(path: str, part: Mapping[str, Any], root: Mapping[str, Any], needed: bool) -> Iterator[str]:
    """Yield the table's rows for a key and all below it."""
    if "$ref" in part:
        part = root["$defs"][part["$ref"].rsplit("/", 1)[-1]]
    if path:
        kind = part.get("type", "choice" if "enum" in part else "list or grid" if "oneOf" in part else "")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        default = (
            f"`{part['default']}`" if part.get("default", {}) not in ({}, []) else "required" if needed else ""
        )
        yield f"| `{path}` | {kind} | {_allowed(part)} | {default} | {part.get('description', '')} |"
    start = f"{path}." if path else ""
    for key, below in part.get("properties", {}).items():
        yield from _rows(f"{start}{key}", below, root, key in part.get("required", []))
    for choice in part.get("oneOf", []):
        for key, below in choice.get("properties", {}).items():
            yield from _rows(f"{start}{key}", below, root, key in choice.get("required", []))
    if isinstance(part.get("additionalProperties"), dict):
        yield from _rows(f"{start}<name>", part["additionalProperties"], root, False)


def text() -> str:
    """Return what config/README.md should say."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    return HEAD + "\n".join(_rows("", schema, schema, False)) + "\n"


if __name__ == "__main__":
    README.write_text(text(), encoding="utf-8")
