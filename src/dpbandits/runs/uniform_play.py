"""The regret of uniform play in a job's environment."""

from __future__ import annotations

from dpbandits.core import registry
from dpbandits.core.uniform_play import Floats, Rounds
from dpbandits.runs.job import Job


def uniform_play(job: Job, rounds: Rounds) -> Floats:
    """Return the exact expected regret of uniform play in a job's environment, up to each of ``rounds``.

    Uniform play draws each arm alike in every round. ``rounds`` and the result have shape (checkpoints,).
    """
    declared = registry.environment(job.environment["kind"])
    parameters = {key: value for key, value in job.environment.items() if key != "kind"}
    tuning = declared.tuning(parameters, job.horizon, job.epsilon)
    found: Floats = declared.problem(parameters, tuning).uniform_play(rounds)
    return found
