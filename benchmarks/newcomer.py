"""Measure what a stranger waits for: the first figure, and an algorithm of one's own with figure, audit and tests.

    python benchmarks/newcomer.py --output docs/results/newcomer.json

From a fresh clone, with nothing compiled: a figure of the small scale; then `dpbandits new` and all that it prints.
The environment is there already (README says how long that takes). Steps that are in the output are not measured
again; processor time is that of a step and all its descendants.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import Cost, from_source, measured

ROOT = Path(__file__).parents[1]
# README's first figure.
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = re.search(r"snakemake \S*figures/small/\S+ .*--configfile config/small.yaml", README)[0]
NEW = "dpbandits new algorithm my-policy --setting stochastic --title 'My policy'"
WRITTEN = "what runs at once:\n"


def cost(command: str, folder: Path) -> tuple[str, Cost]:
    """Run a command in a clone, with nothing compiled but there; return what it said, and its cost."""
    program, *rest = shlex.split(command)
    # As a module, so that it is the clone's, whatever is installed.
    module = [sys.executable, "-m", program, *rest]
    return measured(module, folder, from_source(folder, folder / "numba", Path(sys.executable)))


def cloned(folder: Path) -> Path:
    """Return a clone of this repository, as it is committed."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def newcomer(folder: Path) -> dict[str, Cost]:
    """Return what `dpbandits new` costs, and each command that it prints."""
    said, first = cost(NEW, folder)
    costs = {"dpbandits new": first}
    for command in said.partition(WRITTEN)[2].splitlines():
        program, *rest = shlex.split(command)
        what = next(word for word in rest if not word.startswith("-") and not word.isdigit())
        costs[f"{program} {what}"] = cost(command.strip(), folder)[1]
    return costs


def main() -> None:
    """Measure both, and write each when it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, type=Path, help="a JSON file; parts that are there stay")
    output = parser.parse_args().output
    found = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    parts = {"first figure": lambda folder: {FIRST: cost(FIRST, folder)[1]}, "own algorithm": newcomer}
    for name, measure in parts.items():
        if name not in found:
            with tempfile.TemporaryDirectory() as place:
                found[name] = measure(cloned(Path(place) / "clone"))
            output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(name, json.dumps(found[name]), flush=True)


if __name__ == "__main__":
    main()
