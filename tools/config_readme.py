"""Write config/README.md and workflow/schemas from the models: python tools/config_readme.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from dpbandits.claims.claim import Statements
from dpbandits.claims.discrepancies import Discrepancy
from dpbandits.runs.keys import Model
from dpbandits.runs.models import Config
from dpbandits.runs.words import Words

ROOT = Path(__file__).parents[1]
README = ROOT / "config" / "README.md"
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"

HEAD = """\
# Configuration

<!-- Made from the models of the package by tools/config_readme.py; a test holds it fresh. -->

What is run is data. `config.yaml` has what concerns all papers; each paper has a folder:

| file | what is in it |
|---|---|
| `<paper>/experiments.yaml` | what is simulated, computed and shown at full scale: `papers.<paper>` below |
| `<paper>/claims.yaml` | what the paper states, with the tests that decide it, whatever the scale |
| `<paper>/discrepancies.yaml` | where a printed statement cannot stand, what was done, and the test that shows it |
| `<paper>/paper.yaml` | its words: what it says, names of figures and places, headlines; no number needs it |

A paper is there because its folder is. Two files are laid over all of it and change scale alone:

| file | scale | use |
|---|---|---|
| none | the papers' horizons, thousands of runs | `snakemake --cores 2` |
| `published.yaml` | the papers' own number of runs | `... --configfile config/published.yaml` |
| `small.yaml` | short horizons, few runs, for tests and a first look | `... --configfile config/small.yaml` |

A file given by `--configfile` is laid over these: mappings are merged key by key, anything else is replaced. Your
own experiment is best such a file too. Use a file and not `--config`: a list given there stays text, and
`--config n=10` fails, since YAML reads `n` as a boolean.

A bad value stops the workflow before any job; the message names the file, the key path, the value and what is
allowed. After a change, `snakemake` reruns what the change touches and nothing else: a cell is rerun if its
command line or a source that can influence it has changed. What it will do is shown by `snakemake -n`.

`<name>` stands for a name of your choice.

## Families

A label with braces stands for all combinations of lists, so that no grid is written out:

```yaml
environments:
  k{arms}-gap{scale}: {kind: hardest-gap, arms: [2, 4, 8], scale: [3, 10]}
algorithms:
  conversion-tau{tau}: {algorithm: conversion, parameters: {tau: [1, 10, 100]}}
experiments:
  rates:
    environments: ["k{arms}-gap{scale}"]
    algorithms: [conversion-tau1, conversion-tau100]
```

These environments are `k2-gap3`, `k2-gap10`, `k4-gap3` and so on. A name in braces is a key of the entry, at any
depth, whose value is a list of numbers or names. In an experiment the family's label stands for all its members in
order; each can be named by itself too, there and in a file laid over.
"""
TABLE = """
## {title}

| key | type | allowed | default | meaning |
|---|---|---|---|---|
"""
PARTS: Mapping[str, type[Model]] = {
    "Keys": Config,
    "Keys of `<paper>/claims.yaml`": Statements,
    "Keys of each entry of `<paper>/discrepancies.yaml`": Discrepancy,
    "Keys of `<paper>/paper.yaml`": Words,
}
SIGNS = {"minimum": "≥ ", "exclusiveMinimum": "> ", "maximum": "≤ ", "exclusiveMaximum": "< "}


def _allowed(part: Mapping[str, Any]) -> str:
    ranges = [f"{sign}{part[key]}" for key, sign in SIGNS.items() if key in part]
    return ", ".join(ranges) or ", ".join(f"`{value}`" for value in part.get("enum", []))


def _followed(part: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of the schema with what it refers to; of a key that may be left out, its only kind of value."""
    part = {**part, **next((kind for kind in part.get("anyOf", []) if kind != {"type": "null"}), {})}
    return {**root["$defs"][part["$ref"].rsplit("/", 1)[-1]], **part} if "$ref" in part else part


def _rows(path: str, part: Mapping[str, Any], root: Mapping[str, Any], needed: bool) -> Iterator[str]:
    """Yield the table's rows for a key and all below it."""
    part = _followed(part, root)
    below = part.get("properties", {})
    if path:
        kind = part["type"]
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        default = part.get("default")
        shown = "required" if needed else "" if below or default in (None, {}, [], "") else f"`{default}`"
        yield f"| `{path}` | {kind} | {_allowed(part)} | {shown} | {part.get('description', '')} |"
    start = f"{path}." if path else ""
    for key, inner in below.items():
        yield from _rows(f"{start}{key}", inner, root, key in part.get("required", []))
    for inner in part.get("patternProperties", {}).values():
        yield from _rows(f"{start}<name>", inner, root, False)
    items = part.get("items", {})
    if "$ref" in items:
        yield from _rows(f"{start}<number>", items, root, False)


def text() -> str:
    """Return what config/README.md should say."""
    pieces = [HEAD]
    for title, model in PARTS.items():
        schema = model.model_json_schema()
        pieces += [TABLE.format(title=title), "\n".join(_rows("", schema, schema, False)) + "\n"]
    return "".join(pieces)


def _json_schema(part: object) -> object:
    """Return a part of a schema with JSON's own types: to README a grid has a name."""
    if isinstance(part, dict):
        return {key: _json_schema(inner) for key, inner in part.items()}
    if isinstance(part, list):
        return ["object" if inner == "grid" else _json_schema(inner) for inner in part]
    return part


def schema() -> str:
    """Return what workflow/schemas/config.schema.yaml should say."""
    head = "# Made by tools/config_readme.py from the models, which are what checks a configuration.\n"
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    content = {**dialect, **Config.model_json_schema()}
    return head + yaml.safe_dump(_json_schema(content), sort_keys=False, width=116, allow_unicode=True)


if __name__ == "__main__":
    SCHEMA.parent.mkdir(exist_ok=True)
    SCHEMA.write_text(schema(), encoding="utf-8")
    README.write_text(text(), encoding="utf-8")
