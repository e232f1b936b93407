"""The regret of uniform play in a job's environment."""

from __future__ import annotations

import importlib

from dpbandits.core import registry
from dpbandits.core.imported import PACKAGE
from dpbandits.core.uniform_play import Floats, Rounds
from dpbandits.runs.job import Job


def module(job: Job) -> str:
    """Return the module that knows how uniform play does in the job's setting."""
    return f"{PACKAGE}.settings.{registry.setting('environment', job.environment['kind'])}.uniform_play"


def uniform_play(job: Job, rounds: Rounds) -> Floats:
    """Return the regret of uniform play in a job's environment at each of ``rounds``, in the setting's losses."""
    declared = registry.environment(job.environment["kind"])
    parameters = {key: value for key, value in job.environment.items() if key != "kind"}
    tuning = declared.tuning(parameters, job.horizon, job.epsilon)
    found: Floats = importlib.import_module(module(job)).regret(declared.problem(parameters, tuning), rounds)
    return found
