"""Measure what jobs cost beside their computing: python benchmarks/pipeline.py --output docs/results/overhead.json.

The small scale is run in a copy of the repository, whose jobs note how long they took. A core is busy with a job
from its start to its end; what is left of the cores' time went into planning, scheduling and waiting.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grid import link


def seconds_of(log: Path) -> float:
    """Return the seconds on the clock that a job noted."""
    with log.open(encoding="utf-8", newline="") as opened:
        (row,) = csv.DictReader(opened, delimiter="\t")
    return float(row["s"])


def main() -> None:
    """Run the pipeline and write what it cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configfile", default="config/small.yaml", help="what is run")
    parser.add_argument("--cores", type=int, default=2, help="of them, nothing else should be busy")
    parser.add_argument("--output", required=True, type=Path, help="a JSON file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        link(folder)
        command = [sys.executable, "-m", "snakemake", "--cores", str(given.cores), "--quiet", "all"]
        began = time.monotonic()
        subprocess.run([*command, "--configfile", given.configfile], cwd=folder, check=True)
        clock = time.monotonic() - began
        jobs = {
            log.relative_to(folder).parts: seconds_of(log)
            for log in sorted(folder.glob("results/**/logs/**/*.tsv"))
        }
    cells = [seconds for parts, seconds in jobs.items() if "cells" in parts]
    cost = {
        "cores": given.cores,
        "jobs": len(jobs),
        "clock_seconds": round(clock, 1),
        "job_seconds": round(sum(jobs.values()), 1),
        "median_cell": round(statistics.median(cells), 2),
        # The shortest of all simulates for some milliseconds: it is what a start costs.
        "shortest_cell": round(min(cells), 2),
        "scheduling": round((given.cores * clock - sum(jobs.values())) / len(jobs), 3),
    }
    text = json.dumps(cost, indent=1) + "\n"
    print(text, end="")
    given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
