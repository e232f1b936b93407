"""Duration of a long job, estimated from a short one before it starts."""

from __future__ import annotations

import dataclasses
import time

from dpbandits.core import registry
from dpbandits.runs.job import Job, run

# Rounds of the short job; below how many rounds of all runs nobody waits for long.
PROBED, SHORT = 200_000, 10**12
# A patient person's, in seconds: a month.
PATIENCE = 30 * 86400.0
UNITS = (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0))


def seconds(job: Job, runs: int, threads: int = 1) -> float:
    """Estimate how many seconds ``runs`` runs of ``job`` take on ``threads`` threads; return 0 if that is not long.

    It counts as long from 10^12 rounds of all runs on. Then a run of 200,000 rounds is simulated and timed. An
    algorithm that decides by batches skips rounds, so it never takes long.
    """
    if registry.algorithm(job.algorithm).decides == "batches" or job.horizon * runs < SHORT:
        return 0.0
    short = dataclasses.replace(job, horizon=PROBED)
    # The first run may include compiling, so the second is timed.
    run(short, range(1))
    began = time.process_time()
    run(short, range(1))
    return (time.process_time() - began) * (job.horizon / PROBED) * runs / threads


def words(duration: float) -> str:
    """Return a duration in seconds as ``"about 12 years"``; below two years in days, below two days in hours."""
    unit, size = next((unit for unit in UNITS if duration >= 2 * unit[1]), UNITS[-1])
    return f"about {duration / size:,.0f} {unit}"
