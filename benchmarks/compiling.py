"""Measure what compiling costs: python benchmarks/compiling.py, in the repository, with an empty NUMBA_CACHE_DIR.

One run of one cell of the small scale, for each algorithm, its base and its environment; what algorithms share is
compiled for the first that needs it. `--tree` measures another checkout with this one's interpreter.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def cells() -> dict[str, float]:
    """Return processor time in seconds of each cell's first run."""
    import time

    from dpbandits.runs import config
    from dpbandits.runs.job import run

    checked, known = config.planned([*config.shipped(Path("config")), Path("config", "small.yaml")])
    seconds: dict[str, float] = {}
    for (paper, _), experiment in known.items():
        for cell in experiment.values():
            base = checked.papers[paper].algorithms[cell.algorithm].parameters.get("base")
            name = f"{cell.job.algorithm} {base or ''} {cell.job.environment['kind']}"
            if name not in seconds:
                before = time.process_time()
                run(cell.job, range(1))
                seconds[name] = time.process_time() - before
    return seconds


def main() -> None:
    """Print the longest, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=ROOT)
    given = parser.parse_args()
    if "DPBANDITS_COMPILING" in os.environ:
        seconds = cells()
        for name in sorted(seconds, key=seconds.__getitem__)[-10:]:
            print(f"{seconds[name]:6.1f} s  {name}")
        print(f"{sum(seconds.values()):6.1f} s  all {len(seconds)}")
        return
    with tempfile.TemporaryDirectory() as cache:
        # Compiled anew, and by the tree's own sources.
        own = {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(given.tree / "src"), "DPBANDITS_COMPILING": "yes"}
        command = [sys.executable, str(Path(__file__).resolve())]
        subprocess.run(command, cwd=given.tree, env={**os.environ, **own}, check=True)


if __name__ == "__main__":
    main()
