"""Runs made again, in a process of its own: it gets definitions on standard input, and prints digests.

``python -m dpbandits.runs.again``; `dpbandits.notebook.bundle` starts it. It never sees the arrays that its digests
are compared with.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.environment import Problem
from dpbandits.core.errors import plainly
from dpbandits.core.files import Json
from dpbandits.core.streams import streams
from dpbandits.runs.job import fill, make_job


class Asked(TypedDict):
    """Runs that are to be made again.

    Attributes
    ----------
    job
        Definition of the runs as JSON data: ``algorithm``, ``parameters``, ``environment``, ``epsilon``,
        ``horizon``.
    root_seed
        Root seed of the random streams.
    rounds
        Rounds at which regret is recorded, increasing; the last is the horizon.
    run_numbers
        Numbers of the runs, counted from 0. Root seed, job and number decide a run's random stream.
    """

    job: Json
    root_seed: int
    rounds: list[int]
    run_numbers: list[int]


def digests(regret: NDArray[np.float64], pulls: NDArray[np.int64]) -> list[str]:
    """Return a digest of each run's results, 32 hexadecimal digits: of its rows in ``regret`` and in ``pulls``.

    ``regret`` has shape (runs, recorded rounds), ``pulls`` shape (runs, arms).
    """
    return [
        hashlib.blake2b(one.tobytes() + other.tobytes(), digest_size=16).hexdigest()
        for one, other in zip(np.ascontiguousarray(regret), np.ascontiguousarray(pulls), strict=True)
    ]


def again(asked: Asked) -> list[str]:
    """Simulate the runs that are asked for, and return a digest of each, in the order of ``run_numbers``."""
    given = asked["job"]
    job = make_job(
        given["algorithm"],
        given["parameters"],
        given["environment"],
        given["epsilon"],
        given["horizon"],
        1,
        asked["root_seed"],
    )
    environment = registry.environment(job.environment["kind"])
    tuning = environment.tuning(job.environment, job.horizon, job.epsilon)
    problem: Problem = environment.problem(job.environment, tuning)
    numbers = np.array(asked["run_numbers"], dtype=np.int64)
    runs = problem.runs(streams(job.root_seed, job.identity, numbers), np.array(asked["rounds"], dtype=np.int64), 0)
    fill(job, runs, problem)
    return digests(runs.regret, runs.pulls)


def main(asked: Sequence[Asked]) -> None:
    """Simulate the runs of each entry of ``asked``, and print their digests: a list of lists in JSON."""
    json.dump([again(each) for each in asked], sys.stdout)


if __name__ == "__main__":
    with plainly():
        main(json.load(sys.stdin))
