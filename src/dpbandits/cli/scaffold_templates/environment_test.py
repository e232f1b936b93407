"""Tests of the environment Newcomer."""

from __future__ import annotations

import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.runs.job import Job, make_job, run
from dpbandits.runs.uniform_play import uniform_play

PLACE: dict[str, object] = {"kind": "newcomer-place"}


def job(**changes: object) -> Job:
    """Return a job of a published algorithm in this environment, with ``changes`` to its parameters."""
    return make_job("newcomer-player", {}, {**PLACE, **changes}, 1.0, 3000, 10, 1)


def test_it_is_played() -> None:
    """All rounds are played, regret is finite, and the regret of uniform play is known and positive."""
    runs = run(job(), range(5))
    assert np.isfinite(runs.regret).all()
    assert (runs.pulls.sum(axis=1) == 3000).all()
    assert uniform_play(job(), runs.rounds)[-1] > 0.0


def test_bad_parameters_are_refused() -> None:
    """An unknown parameter and a value of ``None`` raise `BadInput` before anything is computed."""
    for name in ("no_such", *(name for name in PLACE if name != "kind")):
        with pytest.raises(BadInput):
            job(**{name: None})
