"""Progress and summary of `dpbandits simulate`, in a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from dpbandits.core.recording import Runs
from dpbandits.runs.job import Job

# Of a simulation that is over sooner, in seconds, nobody wants to know how far it is.
SOON = 1.0
CONFIDENCE = 0.95


def progress(job: Job, number: int, terminal: TextIO = sys.stderr) -> Callable[[int], None]:
    """Return what is called with the number of finished runs, and keeps one line of a terminal up to date.

    Parameters
    ----------
    job, number
        What is simulated, and how many runs.
    terminal
        Where the line stands. When all runs are finished it is gone.
    """
    began = time.monotonic()

    def report(done: int) -> None:
        elapsed = time.monotonic() - began
        if elapsed < SOON:
            return
        left = elapsed * (number - done) / max(done, 1)
        line = f"{job.algorithm}: {done:,} of {number:,} runs, {elapsed:.0f} s, some {left:.0f} s left"
        # Back to the line's beginning, and what stood there is removed.
        terminal.write("\r\x1b[K" + (line if done < number else ""))
        terminal.flush()

    return report


def summary(job: Job, runs: Runs, seeds: range) -> str:
    """Return what the regret at the horizon was, in some lines."""
    # Pandas is behind it, which no simulation of the pipeline imports.
    from dpbandits.runs.aggregate import statistics

    budget = "" if job.epsilon is None else f", epsilon = {job.epsilon:g}"
    number = f"run {seeds[0]}" if len(seeds) == 1 else f"{len(seeds):,} runs"
    lines = [f"{job.algorithm}{budget}, T = {job.horizon:,}, {number}; regret at T:"]
    last = runs.regret[:, -1:]
    if len(seeds) == 1:
        return "\n".join([*lines, f"  {last[0, 0]:,.6g}"])
    found = {name: float(values[0]) for name, values in statistics(last, CONFIDENCE).items()}
    rows = {
        "mean": f"{found['mean']:,.6g}, from {found['mean_low']:,.6g} to {found['mean_high']:,.6g} at 95 %, "
        "normal approximation",
        "median": f"{found['q50']:,.6g}",
        "q95": f"{found['q95']:,.6g}",
        "largest": f"{found['maximum']:,.6g}",
    }
    return "\n".join([*lines, *(f"  {name:8}{text}" for name, text in rows.items())])
