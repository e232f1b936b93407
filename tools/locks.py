"""Make the locks anew: exact versions with hashes of all that is installed, for each use of the repository.

    python tools/locks.py            # versions stay where they can
    python tools/locks.py --upgrade  # all as new as they can be, but a week old

Releases of the last week are refused: a poisoned one is mostly found by then. It needs uv. All locks of the package
have the same versions; the tools of .ci, which need others, are apart.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The extras of the package that each lock has, beside its own dependencies and what builds it.
LOCKS = {
    "requirements.lock": ("workflow", "site"),
    "tests/requirements.lock": (
        "workflow",
        "site",
        "test",
        "certify",
        "completion",
        "article",
        "crate",
        "notebook",
        "docs",
    ),
    "benchmarks/requirements.lock": ("workflow", "site", "test", "benchmark"),
    "profiles/generic/requirements.lock": ("workflow", "site", "cluster"),
    "profiles/slurm-arrays/requirements.lock": ("workflow", "site", "slurm-arrays"),
}
# What looks at a release: built and installed in an environment of its own.
TOOLS = {".ci/requirements.lock": ("build", "cyclonedx-bom", "roc-validator", "rocrate")}
# Without these an editable installation would fetch what builds it, unhashed.
BUILT_BY = ("hatchling==1.33.0", "editables")
YOUNGEST = datetime.timedelta(days=7)
NEWEST = (datetime.datetime.now(datetime.UTC) - YOUNGEST).date().isoformat()
OPTIONS = (
    "--universal",
    "--fork-strategy",
    "fewest",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--quiet",
    "--exclude-newer",
    NEWEST,
)
# Distributions of this repository are installed from the clone, with `packages/editable.txt`.
BESIDE = tuple(sorted(file.parent.name for file in ROOT.glob("packages/*/pyproject.toml")))
# Snakemake asks for it, and imports it nowhere. It has no wheel: to build it, pip would run unhashed tools.
UNUSED = ("connection-pool",)
PLAIN = (
    "--no-emit-index-url",
    "--no-header",
    "--no-annotate",
    *(f"--no-emit-package={name}" for name in (*BESIDE, *UNUSED)),
)
# What pip says first of a too old Python: no such file as `/needs/Python/3.11/or/later`.
HEAD = """\
# Exact versions with hashes{what}: pip install --no-deps --require-hashes -r {name}
# Made anew by: python tools/locks.py
--only-binary :all:
needs-python-3.11-or-later @ file:///needs/Python/3.11/or/later ; python_version < "3.11"
"""
PIN = re.compile(r"^([\w.-]+==[^\\\n]+?)(?: \\)?$", re.MULTILINE)


def pins(text: str) -> list[str]:
    """Return the pins of a lock, each with its marker, without hashes."""
    return [match.strip() for match in PIN.findall(text)]


def compiled(inputs: list[str], requirements: str, constraints: list[str]) -> str:
    """Return what uv resolves."""
    with tempfile.TemporaryDirectory() as folder:
        given, output = Path(folder, "constraints.txt"), Path(folder, "output.lock")
        given.write_text("\n".join(constraints), encoding="utf-8")
        command = ["uv", "pip", "compile", *inputs, "-", *OPTIONS, *PLAIN, "-c", str(given), "-o", str(output)]
        subprocess.run(command, input=requirements, text=True, check=True, cwd=ROOT)
        return output.read_text(encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Write all locks."""
    kept = (
        []
        if "--upgrade" in arguments
        else [
            pin
            for name in LOCKS
            if (ROOT / name).is_file()
            for pin in pins((ROOT / name).read_text(encoding="utf-8"))
        ]
    )
    builders = "\n".join(BUILT_BY)
    common = pins(compiled(["pyproject.toml", "--all-extras"], builders, sorted(set(kept))))
    for name, extras in LOCKS.items():
        asked = [part for extra in extras for part in ("--extra", extra)]
        what = f" of the package with {', '.join(extras)}"
        text = compiled(["pyproject.toml", *asked], builders, common)
        (ROOT / name).write_text(HEAD.format(what=what, name=name) + text, encoding="utf-8")
    for package in BESIDE:
        name = f"packages/{package}/tests/requirements.lock"
        text = compiled([f"packages/{package}/pyproject.toml", "--all-extras"], BUILT_BY[0], common)
        (ROOT / name).write_text(
            HEAD.format(what=f" of what {package} is tested with", name=name) + text, encoding="utf-8"
        )
    for name, tools in TOOLS.items():
        text = compiled([], "\n".join(tools), [])
        (ROOT / name).write_text(HEAD.format(what=" of tools", name=name) + text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
