"""Promises of Newcomer alone; tests/contract tests what every algorithm promises."""

from __future__ import annotations

from dpbandits.core import registry
from dpbandits.runs.job import make_job, run
from dpbandits.runs.uniform_play import uniform_play

PLACE = {"kind": "newcomer-place"}


def test_it_learns() -> None:
    """With as little noise as it allows, the algorithm's mean regret is clearly less than that of uniform play."""
    privacy = registry.algorithm("newcomer").privacy
    budget = None if privacy is None else min(10.0, privacy.at_most)
    job = make_job("newcomer", {}, PLACE, budget, horizon=20000, checkpoints=1, root_seed=1)
    runs = run(job, range(20))
    assert runs.regret[:, -1].mean() < 0.9 * uniform_play(job, runs.rounds)[-1]
