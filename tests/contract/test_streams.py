"""A run is a function of its job and of its number: of nothing that was simulated before, beside or after it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from contract import ROOT_SEED, Subject, published, same_bytes, simulated, streams_of


def test_same_streams_same_bytes(subject: Subject) -> None:
    """What is drawn is drawn from the run's stream, not from a generator that remembers."""
    job = subject.lively(subject.tried_in.ordinary.environment, 1500)
    one = simulated(job)
    assert same_bytes(one, simulated(job))
    assert not same_bytes(one, simulated(subject.lively(job.environment, 1500, root_seed=ROOT_SEED + 1)))


# All sizes, or all numbers, in one environment and one of them in others tell what all in all of them do.
OF_TIER = pytest.mark.parametrize("all_in_all", [False, pytest.param(True, marks=pytest.mark.slow)])


@OF_TIER
def test_a_block_is_its_runs(subject: Subject, all_in_all: bool) -> None:
    """Runs leave nothing behind: alone, in blocks of any size, in any order, in pieces and on threads."""
    ordinary = subject.tried_in.ordinary
    for trial in (ordinary, subject.tried_in.alike, subject.tried_in.others[0]):
        job = subject.lively(trial.environment, 700)
        whole = simulated(job, 18)
        for size in (1, 2, 3, 5, 17) if all_in_all else (1, 5, 17) if trial is ordinary else (5,):
            # The last ones first: a run's neighbours are others before it, too.
            firsts = range(0, 18, size)
            parts = {first: simulated(job, min(size, 18 - first), first) for first in reversed(firsts)}
            together = [parts[first] for first in firsts]
            assert same_bytes(whole, *together), f"runs of {subject} depend on their block, here of {size}"
        for threads in (1, 2):
            assert same_bytes(whole, published(job, 18, threads)), f"{threads} threads"


@OF_TIER
def test_checkpoints_only_look(subject: Subject, all_in_all: bool) -> None:
    """Where regret is recorded changes neither the run nor what is recorded elsewhere."""
    ordinary = subject.tried_in.ordinary
    for trial in (ordinary, *(subject.tried_in.others if all_in_all else subject.tried_in.others[:2])):
        job = subject.lively(trial.environment, 1000)
        every = simulated(dataclasses.replace(job, checkpoints=10**4), 4)
        assert every.rounds.tolist() == list(range(1, 1001))
        for number in (1, 2, 12, 300) if all_in_all or trial is ordinary else (12,):
            some = simulated(dataclasses.replace(job, checkpoints=number), 4)
            assert np.array_equal(some.pulls, every.pulls)
            assert np.array_equal(some.streams, every.streams)
            np.testing.assert_allclose(some.regret, every.regret[:, some.rounds - 1], rtol=1e-12, atol=1e-12)


def test_a_round_costs_what_its_arm_costs(unexploring: Subject) -> None:
    """Recorded in every round, regret grows by one of the gaps."""
    trial = unexploring.tried_in.ordinary
    runs = simulated(unexploring.job(trial.environment, 1000, checkpoints=10**4), 4)
    steps = np.diff(runs.regret, axis=1, prepend=0.0)
    assert np.abs(steps[..., None] - np.array(trial.gaps)).min(axis=-1).max() < 1e-9


def test_runs_differ(subject: Subject) -> None:
    runs = simulated(subject.lively(subject.tried_in.ordinary.environment, 3000, checkpoints=60), 12)
    # An algorithm that has decided nothing so far differs in the order of its arms: one of six, if these are three.
    assert (
        len({regret.tobytes() + pulls.tobytes() for regret, pulls in zip(runs.regret, runs.pulls, strict=True)}) > 2
    )


def test_the_budget_is_used(private: Subject) -> None:
    """With the same streams and all other parameters fixed, a budget of another size gives other runs."""
    privacy = private.declared.privacy
    environment = private.tried_in.ordinary.environment

    def differs(horizon: int) -> bool:
        one = private.lively(environment, horizon, epsilon=min(privacy.at_most, 1e6))
        kept = {name: value for name, value in one.parameters.items() if name not in privacy.tied}
        other = private.job(environment, horizon, epsilon=0.01, **kept)
        return not same_bytes(simulated(one, 20), simulated(other, 20, streams=streams_of(one, 20)))

    # Who decides late shows it late.
    assert any(differs(horizon) for horizon in (2000, 10**5, 10**7)), f"{private} does not use its budget"
