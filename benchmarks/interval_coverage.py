"""How often 95 % intervals of heavy-tailed means hold the mean, on six cells of Bernoulli bandits.

python benchmarks/interval_coverage.py docs/results/coverage.json

The mean of 10^6 runs stands for the truth; samples are drawn from these runs. Misses are counted on both sides: a
truth above the interval flatters the algorithm. Beside the ledger's intervals (empirical likelihood with the
largest possible regret) those of Student's t. Some minutes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from dpbandits.claims.estimate import mean_limits, student
from dpbandits.core.files import write_json
from dpbandits.runs.job import make_job, run

TRUTH, SAMPLES, SIZES = 10**6, 1000, (400, 10_000)
MEANS = {
    "mu1": [0.75, 0.70, 0.70, 0.70, 0.70],
    "mu2": [0.75, 0.625, 0.5, 0.375, 0.25],
    "mu3": [0.75, 0.53125, 0.375, 0.28125, 0.25],
}
CELLS = [
    *(("dp-imed", "mu1", 0.1), ("dp-imed", "mu1", 1.0), ("dp-imed", "mu2", 0.1), ("dp-imed", "mu2", 1.0)),
    *(("dp-klucb", "mu2", 0.25), ("dp-klucb", "mu3", 0.5)),
]
HORIZON = 10**6


def measured(algorithm: str, environment: str, epsilon: float) -> list[dict[str, object]]:
    """Return a row for each size of a sample: the shares of intervals that hold the mean, or miss it on a side."""
    means = MEANS[environment]
    job = make_job(
        algorithm, {"n0": 1, "alpha": 2}, {"kind": "bernoulli", "means": means}, epsilon, HORIZON, 1, 777
    )
    regret = run(job, range(TRUTH)).regret[:, -1]
    truth, largest = float(regret.mean()), (max(means) - min(means)) * HORIZON
    rng = np.random.default_rng(1)
    rows = []
    for size in SIZES:
        below = {"likelihood": 0, "student": 0}
        above = dict(below)
        for _ in range(SAMPLES):
            sample = rng.choice(regret, size)
            error = float(sample.std(ddof=1)) / size**0.5
            for name, estimate in (
                ("likelihood", mean_limits(sample, 0.0, largest).estimate()),
                ("student", student(float(sample.mean()), error, size - 1)),
            ):
                below[name] += truth < estimate.low
                above[name] += truth > estimate.high
        rows.append(
            {
                "algorithm": algorithm,
                "environment": environment,
                "epsilon": epsilon,
                "runs": size,
                "mean": round(truth, 1),
                **{
                    name: {
                        "covers": round(1 - (below[name] + above[name]) / SAMPLES, 3),
                        "truth_below": round(below[name] / SAMPLES, 3),
                        "truth_above": round(above[name] / SAMPLES, 3),
                    }
                    for name in below
                },
            }
        )
    return rows


def main(arguments: list[str]) -> int:
    """Measure, print, and write."""
    rows = [row for cell in CELLS for row in measured(*cell)]
    found = {"truth_runs": TRUTH, "samples": SAMPLES, "horizon": HORIZON, "cells": rows}
    if arguments:
        write_json(Path(arguments[0]), found)
    print(json.dumps(found, indent=1))
    return int(any(row["likelihood"]["covers"] < 0.93 for row in rows if row["runs"] == SIZES[-1]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
