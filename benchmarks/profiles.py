"""Where the dearest kernels spend their time: python benchmarks/profiles.py --output docs/results/profiles.json.

Needs Linux's `perf`. Runs of a cell of the full scale are made once, so that nothing is compiled, and then again
under the profiler: how much of the time is in which function of the C library, how much in compiled code itself,
into which all of a kernel is inlined.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from test_speed_linear import filtering

from dpbandits.runs import config, plan
from dpbandits.runs.job import run
from dpbandits.runs.plan import Cell

ROOT = Path(__file__).parents[1]
# Experiment, algorithm, environment and budget of a cell.
CELLS = {
    "batched EXP4": ("experts-batched-far", "batched-exp4", "n2-sure", "1"),
    "Lazy-DP-TS": ("fig4", "lazy-dp-ts", "mu1", "0.1"),
    "conversion of HTINF": ("two-arms-far", "conversion-htinf", "k2-widest", "1"),
    "conversion of FTPL": ("two-arms-far", "conversion-ftpl", "k2-widest", "1"),
}
# Seconds that are sampled, at least.
LEAST = 5.0
LINE = re.compile(r"^\s*([\d.]+)%\s+(\S+(?: tid \d+)?)\s+\[[.k]\]\s+(\S+)")


def cell(wanted: Sequence[str]) -> Cell:
    """Return a cell of the full scale."""
    experiment, *rest = wanted
    complete = config.load(config.shipped(ROOT / "config"))
    papers = [name for name, paper in complete.papers.items() if experiment in paper.experiments]
    cells = (cell for paper in papers for cell in plan.cells(complete, paper, experiment))
    return next(cell for cell in cells if [cell.algorithm, cell.environment, cell.epsilon] == rest)


def function(place: str, symbol: str) -> str:
    """Return where a sample is: a function of the C library by its usual name, or compiled code, or Python."""
    if "JIT" in place or place.startswith("["):
        return "compiled code"
    if place.startswith("libm"):
        plain = symbol.split("@")[0]
        return plain.removeprefix("__ieee754_").removeprefix("__").removesuffix("_fma").removesuffix("_r_finite")
    return "all else"


def profiled(work: Callable[[], object]) -> dict[str, float]:
    """Return shares of the time that some work takes, which is done again and again."""
    work()
    with tempfile.TemporaryDirectory() as place:
        data = str(Path(place) / "perf.data")
        command = ["perf", "record", "--quiet", "-F", "499", "-p", str(os.getpid()), "-o", data]
        profiler = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(1.0)
        began = time.monotonic()
        while time.monotonic() - began < LEAST:
            work()
        profiler.send_signal(signal.SIGINT)
        profiler.wait()
        report = ["perf", "report", "-i", data, "--stdio", "--no-children", "-F", "overhead,dso,sym"]
        said = subprocess.run(report, capture_output=True, text=True, check=True).stdout
    shares: dict[str, float] = collections.defaultdict(float)
    for line in said.splitlines():
        if match := LINE.match(line):
            shares[function(match[2], match[3])] += float(match[1]) / 100.0
    most = sorted(shares.items(), key=lambda item: -item[1])
    # Rounded shares can add up to more than all.
    return {name: round(min(share, 1.0), 3) for name, share in most if share >= 0.01}


def main() -> None:
    """Profile each cell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, type=Path, help="a JSON file")
    output = parser.parse_args().output
    works: dict[str, Callable[[], object]] = {
        name: functools.partial(run, cell(wanted).job, range(2)) for name, wanted in CELLS.items()
    }
    works["spectral filter, d = 50"] = filtering(10**5, 50, 30.0)[1]
    found = {name: profiled(work) for name, work in works.items()}
    output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
