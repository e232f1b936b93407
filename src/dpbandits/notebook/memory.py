"""Memory that runs need, compared with this machine's before any of them begins."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.runs.job import Job

GIGABYTE = 1e9
BYTES_OF_A_NUMBER = 8
# Numbers of a run beside its regret and its pulls: its random stream.
NUMBERS_OF_A_STREAM = 4
# Arrays of as many numbers as checkpoints are asked for, which choose them.
ARRAYS_FOR_CHECKPOINTS = 5
CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory_bytes() -> int:
    """Return the memory of this machine in bytes, or the container's limit if that is less."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    text = CONTAINER.read_text(encoding="utf-8").strip() if CONTAINER.is_file() else ""
    return min(whole, int(text)) if text.isdecimal() else whole


def refuse_too_many(jobs: Iterable[Job], runs: int, key: str) -> None:
    """Raise `BadInput` if the runs of all jobs together do not fit into this machine's memory.

    One run of each job is never refused as too many runs, but it may have too many checkpoints.

    Parameters
    ----------
    jobs
        Jobs whose runs are kept at once.
    runs
        Number of runs of each job.
    key
        Name of the argument that gives this number, for the error.

    Raises
    ------
    BadInput
        If there are too many checkpoints, about ``checkpoints``; if there are too many runs, about ``key``. The
        error says how many fit.
    """
    jobs, memory = list(jobs), memory_bytes()
    here = f"for {memory / GIGABYTE:.0f} GB of memory"
    checkpoints = max(job.checkpoints for job in jobs)
    most = memory // (BYTES_OF_A_NUMBER * (ARRAYS_FOR_CHECKPOINTS + len(jobs)))
    if checkpoints > most:
        raise BadInput("checkpoints", checkpoints, f"at most {most:,}, {here}")
    most = max(1, memory // sum(map(_bytes_of_a_run, jobs)))
    if runs > most:
        raise BadInput(key, runs, f"at most {most:,}, {here}")


def _bytes_of_a_run(job: Job) -> int:
    """Return the bytes that a run of a job needs, at most."""
    environment = registry.environment(job.environment["kind"])
    arms = environment.tuning(job.environment, job.horizon, job.epsilon).arms
    return BYTES_OF_A_NUMBER * (min(job.checkpoints, job.horizon) + arms + NUMBERS_OF_A_STREAM)
