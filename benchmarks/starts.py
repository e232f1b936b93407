"""Measure what runs of the pipeline cost beside their computing, on a machine where nothing else is busy.

    python benchmarks/starts.py --output docs/results/starts.json small published before full cells=20000

Each part runs in a folder of its own, from nothing: a scale with all of its products, then once more with nothing
to do, then with the caption of one figure changed; or a grid of cells that simulate for a millisecond. `before` is
the full scale as it was at commit 525d366, to compare with what was measured there. `--tree` measures another
checkout, with its environment's interpreter. Processor time is that of Snakemake and all its descendants.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from measuring import Cost, from_source, measured

PARTS = ("Snakefile", "workflow", "profiles", "docs", "CITATION.cff", "environment.yml")
SCALES = {
    "small": "config/small.yaml",
    "published": "config/published.yaml",
    "before": "config/config.yaml",
    "full": "config/config.yaml",
}
BEFORE = "tests/system/before"
TRIVIAL = """\
root_seed: 1
papers:
  trivial:
    title: trivial cells
    published_runs: 2
    environments:
      one: {kind: bernoulli, means: [0.75, 0.7]}
    algorithms:
      dp-imed: {}
    experiments:
      trivial:
        environments: [one]
        algorithms: [dp-imed]
        epsilons: [1]
        horizon: 100
        checkpoints: 2
"""


class Tree:
    """A checkout, the interpreter that has its packages, and a folder to run its workflow in."""

    def __init__(self, root: Path, python: Path, folder: Path, config: str) -> None:
        self.python, self.folder = python, folder
        for part in PARTS:
            (folder / part).symlink_to(root / part)
        shutil.copytree(root / config, folder / "config")
        # Compiled anew: a cache of an earlier run would hide what a first run costs.
        self.environment = from_source(root, folder / "numba", python)

    def run(self, *arguments: str) -> tuple[str, Cost]:
        """Run Snakemake on two cores; return what it said, and its cost."""
        return measured([self.python, "-m", "snakemake", "--cores", "2", *arguments], self.folder, self.environment)


def scale(tree: Tree, configuration: str) -> dict[str, Any]:
    """Make everything of a scale, then nothing, then what shows the caption of a figure, which is changed."""
    arguments = ["--quiet", "rules", "--configfile", configuration]
    _, first = tree.run(*arguments)
    jobs = sum(1 for _ in tree.folder.glob("results/**/logs/**/*.tsv"))
    said, nothing = tree.run(*arguments)
    if "Nothing to be done" not in said:
        raise RuntimeError(said[-3000:])
    overlay = tree.folder / "caption.yaml"
    experiments = sorted(tree.folder.glob("config/*/experiments.yaml"))[0]
    figure = next(iter(yaml.safe_load(experiments.read_text(encoding="utf-8"))["figures"]))
    changed = {"papers": {experiments.parent.name: {"figures": {figure: {"caption": "Again."}}}}}
    overlay.write_text(yaml.safe_dump(changed), encoding="utf-8")
    stem = Path(configuration).stem
    results = "results" if stem == "config" else f"results/{stem}"
    said, redrawn = tree.run(f"{results}/site/index.html", *arguments, overlay.name)
    if "Nothing to be done" in said:
        raise RuntimeError("the changed caption reran nothing")
    return {"jobs": jobs, "first": first, "nothing": nothing, "caption": redrawn}


def cells(tree: Tree, number: int) -> dict[str, Any]:
    """Run so many trivial cells; return what one costs, and how many a second there were as it went on."""
    shutil.rmtree(tree.folder / "config")
    (tree.folder / "config").mkdir()
    configuration: dict[str, Any] = yaml.safe_load(TRIVIAL)
    configuration["seeds_per_job"] = 1
    configuration["papers"]["trivial"]["runs"] = {"batches": number, "rounds": number}
    (tree.folder / "config" / "config.yaml").write_text(yaml.safe_dump(configuration), encoding="utf-8")
    _, planned = tree.run("results/trivial/aggregates/trivial.csv", "--dry-run", "--quiet", "rules")
    _, cost = tree.run("results/trivial/aggregates/trivial.csv", "--quiet", "all")
    # A cell has ended when its file is there.
    ended = sorted(path.stat().st_mtime for path in tree.folder.glob("results/trivial/cells/**/*.npz"))
    tenth = number // 10
    return {
        "cells": number,
        "planned": planned,
        **cost,
        "cpu_seconds_a_cell": round(cost["cpu_seconds"] / number, 3),
        "cells_a_second": [
            round(tenth / (ended[(part + 1) * tenth - 1] - (ended[part * tenth - 1] if part else ended[0])), 1)
            for part in range(10)
        ],
    }


def main() -> None:
    """Measure the parts that are named, and write each when it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", help="small, published, before, full or cells=NUMBER")
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1], help="a checkout")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="its interpreter")
    parser.add_argument("--keep", type=Path, help="a folder for all that is made; else it is removed again")
    parser.add_argument("--output", required=True, type=Path, help="a JSON file; parts that are there stay")
    given = parser.parse_args()
    measured: dict[str, Any] = json.loads(given.output.read_text("utf-8")) if given.output.exists() else {}
    for part in given.parts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) if given.keep is None else given.keep / part
            folder.mkdir(parents=True, exist_ok=True)
            config = BEFORE if part == "before" else "config"
            tree = Tree(given.tree.resolve(), given.python.absolute(), folder, config)
            kind, _, number = part.partition("=")
            measured[part] = cells(tree, int(number)) if kind == "cells" else scale(tree, SCALES[part])
        print(part, json.dumps(measured[part]), flush=True)
        given.output.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
