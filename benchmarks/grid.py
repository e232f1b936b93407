"""Measure what Snakemake costs on grids of any size: python benchmarks/grid.py 1 29 --output grid.json.

Every experiment is there so many times. Nothing is simulated: outputs are empty files that Snakemake is told to
take for finished, which is all that planning looks at.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from measuring import Cost, measured

from dpbandits.runs import config

ROOT = Path(__file__).parents[1]
PARTS = ("Snakefile", "workflow", "config", "profiles", "docs", "CITATION.cff", "environment.yml")


def link(folder: Path) -> None:
    """Link what the workflow consists of into ``folder``, where it then can be run."""
    for part in PARTS:
        (folder / part).symlink_to(ROOT / part)


def grid(copies: int, overlay: Sequence[Path]) -> dict[str, Any]:
    """Return the configuration with every experiment copied, the first under its own name."""
    merged: dict[str, Any] = json.loads(config.text(config.load([*config.shipped(ROOT / "config"), *overlay])))
    for paper in merged["papers"].values():
        for name, experiment in list(paper["experiments"].items()):
            paper["experiments"] |= {f"{name}.{i}": experiment for i in range(2, copies + 1)}
    return merged


def run(folder: Path, *arguments: str) -> tuple[str, Cost]:
    """Run Snakemake in ``folder``, and return its output and what it cost."""
    command = [sys.executable, "-m", "snakemake", *arguments, "--configfile", "grid.yaml"]
    return measured(command, folder, os.environ)


def planned(copies: int, overlay: Sequence[Path], finish: bool) -> dict[str, Any]:
    """Plan a grid, maybe take it for finished and plan again; return how many jobs it has and what that cost."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        link(folder)
        content = yaml.safe_dump(grid(copies, overlay))
        (folder / "grid.yaml").write_text(content, encoding="utf-8")
        table, nothing = run(folder, "--dry-run", "--quiet", "rules")
        jobs = {rule: int(number) for rule, number in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
        if not finish:
            return {"copies": copies, "jobs": jobs, "nothing": nothing}
        listed, _ = run(folder, "--summary")
        for line in listed.splitlines():
            file = line.split("\t")[0]
            if "\t" in line and file != "output_file":
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).touch()
        # What was recorded of a job is compared as well: without -F nothing is recorded.
        run(folder, "--touch", "-F", "--cores", "1", "--quiet", "all")
        again, finished = run(folder, "--cores", "1", "--quiet", "rules")
        if "Nothing to be done" not in again:
            raise RuntimeError(again[-3000:])
    return {"copies": copies, "jobs": jobs, "nothing": nothing, "finished": finished}


def main() -> None:
    """Measure grids, and write what they cost after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "copies",
        nargs="+",
        type=int,
        help="of every experiment, a grid for each; the first is also planned when finished",
    )
    parser.add_argument("--overlay", action="append", type=Path, default=[], help="a configuration file")
    parser.add_argument("--output", required=True, type=Path, help="a JSON file")
    given = parser.parse_args()
    grids: list[dict[str, Any]] = []
    for copies in given.copies:
        # Of large grids the empty files alone take a quarter of an hour.
        grids.append(planned(copies, given.overlay, finish=not grids))
        print(grids[-1], flush=True)
        given.output.write_text(json.dumps(grids, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
