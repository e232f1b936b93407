"""Preflight check: record one run and refuse what no run may do, whether private or not.

`dpbandits simulate --preflight` runs it before it simulates. The audit measures the privacy loss.
"""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.transcript import Replayer, Rewards, TooManyEvents, Transcript
from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.compiled import interpreted
from dpbandits.core.errors import BadInput
from dpbandits.core.provenance import ROOT
from dpbandits.runs.job import Job, make_job

# The longest recorded run, in rounds: of algorithms that decide in batches, and in every round.
MOST_ROUNDS = {"batches": 10**6, "rounds": 10**4}
# A run with more events is not checked.
MOST_EVENTS = 10**6
# Rounds that are run in Python, and how many events a round may have.
FEW_ROUNDS, LIMIT = 60, 50
# Files of the recorder: a slip shows where it is called.
CORE = ROOT / "core"
# The k-th arm pays 1 in a share BEST_RATE / k of its pulls.
BEST_RATE, PHASE = 0.7, 0.5


class PreflightFailed(BadInput):
    """An algorithm that does what no run may do.

    Parameters
    ----------
    algorithm
        Its name.
    fault
        The fault in words, and what to do about it.
    """

    def __init__(self, algorithm: str, fault: str) -> None:
        super().__init__("algorithm", algorithm, fault)

    def __str__(self) -> str:
        return f"{self.value}: {self.allowed}"


def check_one_run(job: Job, number: int) -> None:
    """Record one run of a job twice, and refuse an algorithm that bypasses the recorder.

    The run has the job's number of arms and its own stream. It has the job's parameters, or the defaults where
    these are out of range at the shorter horizon. The recorder pays the rewards. Both recordings must be the same.

    Parameters
    ----------
    job
        The job that is about to be simulated.
    number
        Number of the run.

    Raises
    ------
    PreflightFailed
        If a reward is read twice, or before its pull. If pulls do not sum to T, or one is not recorded. If a random
        draw is not from the run's stream, or noise is used twice.
    """
    declared = registry.algorithm(job.algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", job.algorithm))
    fixed = environment.fixed
    if fixed is None or fixed.behind is None:
        return
    arms = registry.environment(job.environment["kind"]).arms(job.environment)
    horizon = min(job.horizon, MOST_ROUNDS["rounds" if declared.wraps is not None else declared.decides])
    inputs = fixed.behind(np.zeros((1, arms)), horizon)
    kept = {name: job.parameters[name] for name in ("base", "delta") if name in job.parameters}
    checked = make_job(job.algorithm, kept, inputs, job.epsilon, horizon, 1, job.root_seed)
    with contextlib.suppress(BadInput):
        checked = make_job(job.algorithm, job.parameters, inputs, job.epsilon, horizon, 1, job.root_seed)
    _check_in_python(job.algorithm, checked, fixed.counts)
    replayer = Replayer(checked, number, counts=fixed.counts, most_events=MOST_EVENTS)
    rewards = Rewards.at_rates(np.column_stack([BEST_RATE / np.arange(1, arms + 1), np.full(arms, PHASE)]))
    with contextlib.suppress(TooManyEvents):
        _refuse(job.algorithm, replayer.run(rewards), replayer.run(rewards))


class _Counted(np.ndarray[Any, Any]):
    """Events of a recorder that stop a run of more rounds than there are."""

    horizon = 0

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        # Decisions that go on with the same arm add to one event.
        if key[1] == 2 and self[key[0], 0] == at.PLAYED and value > _Counted.horizon:
            raise IndexError("more rounds are played than there are; a state that `play` returns may be dropped")
        if key[1] == 0 and key[0] >= LIMIT * (_Counted.horizon + 1):
            raise IndexError("there is no end; a state that `play` returns may be dropped: `clock = play(...)`")


def _check_in_python(algorithm: str, job: Job, counts: bool) -> None:
    """Run a few rounds in Python, which checks bounds: a wrong index would else be a segmentation fault."""
    with contextlib.suppress(BadInput):
        job = make_job(algorithm, job.parameters, job.environment, job.epsilon, FEW_ROUNDS, 1, job.root_seed)
    if job.horizon > FEW_ROUNDS:
        return
    replayer = Replayer(job, 0, counts=counts)
    _Counted.horizon = job.horizon
    replayer.watch(np.zeros((LIMIT * (job.horizon + 1) + 1, 7), dtype=np.int64).view(_Counted))
    arms = registry.environment(job.environment["kind"]).arms(job.environment)
    try:
        with interpreted():
            replayer.run(Rewards.at_rates(np.column_stack([np.full(arms, BEST_RATE), np.full(arms, PHASE)])))
    except (IndexError, ZeroDivisionError, OverflowError) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if CORE not in Path(f.filename).parents]
        own = [f for f in frames if Path(f.filename).parent.name == "algorithms"]
        last = (own or frames)[-1]
        raise PreflightFailed(algorithm, f"{last.filename}:{last.lineno}: {error}; `{last.line}`") from error


def _refuse(algorithm: str, run: Transcript, again: Transcript) -> None:
    for fault in run.faults:
        when = f" after round {fault.round:,}" if fault.round else ""
        raise PreflightFailed(algorithm, f"{fault.words}{when}")
    reused = run.reused_noise()
    if reused is not None:
        raise PreflightFailed(algorithm, f"noise is used again after round {run.played[reused[1]]:,}")
    if run.first_divergence(again) is not None or not np.array_equal(run.tape, again.tape):
        raise PreflightFailed(
            algorithm,
            "two runs with the same random stream differ; draw all randomness from `runs.streams[run]`",
        )
