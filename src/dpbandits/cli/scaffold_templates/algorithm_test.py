"""Promises of Newcomer alone; tests/contract tests what every algorithm promises."""

from __future__ import annotations

from dpbandits.runs.job import make_job, run
from dpbandits.runs.uniform_play import uniform_play

PLACE = {"kind": "newcomer-place"}


def test_it_learns() -> None:
    """With little noise its mean regret is less than half of what uniform play suffers."""
    job = make_job("newcomer", {}, PLACE, epsilon=10.0, horizon=20000, checkpoints=1, root_seed=1)
    runs = run(job, range(20))
    assert runs.regret[:, -1].mean() < uniform_play(job, runs.rounds)[-1] / 2
