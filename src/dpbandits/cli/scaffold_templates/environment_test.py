"""Newcomer is what it says."""

from __future__ import annotations

import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.runs.job import Job, make_job, run
from dpbandits.runs.uniform_play import uniform_play

PLACE: dict[str, object] = {"kind": "newcomer-place"}


def job(**changes: object) -> Job:
    """Return runs of a published algorithm in it, with some of its parameters changed."""
    return make_job("newcomer-player", {}, {**PLACE, **changes}, 1.0, 3000, 10, 1)


def test_it_is_played() -> None:
    """All rounds are played; regret is finite, and of uniform play it is known and positive."""
    runs = run(job(), range(5))
    assert np.isfinite(runs.regret).all()
    assert (runs.pulls.sum(axis=1) == 3000).all()
    assert uniform_play(job(), runs.rounds)[-1] > 0.0


def test_bad_parameters_are_refused() -> None:
    """In one line that says where, before anything is computed."""
    for name in ("no_such", *(name for name in PLACE if name != "kind")):
        with pytest.raises(BadInput):
            job(**{name: None})
