"""Guards: one run behind a door says by name what an algorithm does that no run may do, private or not.

`dpbandits simulate --check` asks, before it simulates. What decides, and how much is lost, is the audit's business.
"""

from __future__ import annotations

import contextlib

import numpy as np

from dpbandits.audit.candidates import fixed_environment
from dpbandits.audit.transcript import Crowded, Stage, Transcript, reused, world
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, within
from dpbandits.runs.job import Job, make_job

# Rounds that are looked at: of algorithms that decide in batches, and in rounds. Where a job's parameters are out
# of their range there, it is with defaults.
ROUNDS = {"batches": 10**6, "rounds": 10**4}
MOST_EVENTS = 10**6
# What arms pay: some more than others, none always or never.
LEVEL, PHASE = 0.7, 0.5


def guard(job: Job, number: int) -> None:
    """Refuse an algorithm that goes round its door in one run of a job.

    The run has the job's parameters and number of arms, and its own stream; its inputs answer what is played. A
    second one on the same stream must be the same.

    Parameters
    ----------
    job, number
        What is about to be simulated, and the number of a run.

    Raises
    ------
    BadInput
        If a reward is read twice, or before it is played; if pulls do not sum to T, or an arm is played that is not
        recorded; if noise or coins come from elsewhere than the run's stream, or noise is used again.
    """
    declared = registry.algorithm(job.algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", job.algorithm))
    fixed = environment.fixed
    if fixed is None or fixed.behind is None:
        return
    arms = registry.environment(job.environment["kind"]).arms(job.environment)
    horizon = min(job.horizon, ROUNDS["rounds" if declared.wraps is not None else declared.decides])
    place = fixed.behind(np.zeros((1, arms)), horizon)
    kept = {name: job.parameters[name] for name in ("base", "delta") if name in job.parameters}
    looked = make_job(job.algorithm, kept, place, job.epsilon, horizon, 1, job.root_seed)
    with contextlib.suppress(BadInput):
        looked = make_job(job.algorithm, job.parameters, place, job.epsilon, horizon, 1, job.root_seed)
    stage = Stage(looked, number, counts=fixed.counts, most=MOST_EVENTS)
    levels = np.column_stack([LEVEL / np.arange(1, arms + 1), np.full(arms, PHASE)])
    with contextlib.suppress(Crowded), within("algorithm"):
        _refuse(job.algorithm, stage.run(world(levels)), stage.run(world(levels)))


def _refuse(algorithm: str, run: Transcript, again: Transcript) -> None:
    for fault in run.faults:
        when = f" after round {fault.round:,}" if fault.round else ""
        raise BadInput((), algorithm, f"an algorithm that keeps to its door; in this one {fault.words}{when}")
    same = reused(run)
    if same is not None:
        allowed = f"one whose noise is drawn once; here it is used again after round {run.played[same[1]]:,}"
        raise BadInput((), algorithm, allowed)
    if run.parting(again) is not None or not np.array_equal(run.tape, again.tape):
        raise BadInput((), algorithm, "one whose stream is all its chance; two runs on the same one differ")
