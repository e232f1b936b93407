"""Measure what Snakemake costs on grids of any size: python benchmarks/grid.py [COPIES] [OVERLAY].

Every experiment is there ``COPIES`` times. Nothing is simulated: outputs are empty files that Snakemake is told to
take for finished, which is all that planning looks at.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from dpbandits import config

ROOT = Path(__file__).parents[1]


def grid(copies: int, overlay: Sequence[Path]) -> config.Config:
    """Return the configuration with every experiment copied, the first under its own name."""
    merged = config.load([ROOT / "config" / "config.yaml", *overlay], ROOT / "workflow/schemas/config.schema.yaml")
    for paper in merged["papers"].values():
        for name, experiment in list(paper["experiments"].items()):
            paper["experiments"] |= {f"{name}.{i}": experiment for i in range(2, copies + 1)}
    return merged


def measured(what: str, folder: Path, *arguments: str) -> str:
    """Run Snakemake in ``folder``, print what it cost, and return its output."""
    command = [sys.executable, "-m", "snakemake", *arguments, "--configfile", "grid.yaml"]
    before = os.times()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    after = os.times()
    if status:
        raise RuntimeError(output[-3000:])
    cpu = usage.ru_utime + usage.ru_stime
    print(
        f"{what}: {after.elapsed - before.elapsed:.1f} s, {cpu:.1f} s of CPU, {usage.ru_maxrss / 1024:.0f} MB",
        flush=True,
    )
    return output


def main(arguments: Sequence[str]) -> None:
    """Plan a grid, take it for finished, and plan again."""
    copies = int(arguments[0]) if arguments else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("Snakefile", "workflow", "config", "profiles", "docs", "CITATION.cff", "environment.yml"):
            (folder / part).symlink_to(ROOT / part)
        content = yaml.safe_dump(grid(copies, [Path(overlay) for overlay in arguments[1:]]))
        (folder / "grid.yaml").write_text(content, encoding="utf-8")
        planned = measured("plan, nothing there", folder, "--dry-run", "--quiet", "rules")
        jobs = re.findall(r"^(\w+) +(\d+)$", planned, re.MULTILINE)
        print(", ".join(f"{number} {rule}" for rule, number in dict(jobs).items()), flush=True)
        listed = measured("list the outputs", folder, "--summary")
        for line in listed.splitlines():
            file = line.split("\t")[0]
            if "\t" in line and file != "output_file":
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).touch()
        measured("take them for finished", folder, "--touch", "--cores", "1", "--quiet", "all")
        again = measured("plan, all finished", folder, "--cores", "1", "--quiet", "rules")
        if "Nothing to be done" not in again:
            raise RuntimeError(again[-3000:])


if __name__ == "__main__":
    main(sys.argv[1:])
