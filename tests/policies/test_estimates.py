"""Estimates and eliminations of a batch of linear actions, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.policies.linear.elimination import Batch, Elimination


def batch_of(actions: list[list[float]], reporters: list[int], reports: list[float], **about: Any) -> Any:
    """Return a policy at the end of a batch; it saw what its width and threshold are of."""
    made: Any = object.__new__(Elimination)
    made.actions, made.active = np.array(actions), list(range(len(actions)))
    made.reporters, made.reports, made.chosen_arms = reporters, reports, sorted(set(reporters))
    made.number, made.pulls, made.estimates = 3, [6, 4], {}
    made.rng = SimpleNamespace()
    given = {"pooled": False, "scale": 3.0, "clip": 2.0, "level": math.inf, "support_only": False} | about
    for name, value in given.items():
        setattr(made, name, value)
    made.seen = []
    made.width = lambda batch: made.seen.append(batch) or 0.25
    made.threshold = lambda *_: math.inf
    made._eliminate()
    return made


def test_least_squares() -> None:
    """Of two reports on (2, 0) and one on (0, 1), theta is (1, 3); within 1/2 of the best, actions stay."""
    made = batch_of([[2.0, 0.0], [0.0, 1.0], [1.0, 0.5], [0.0, 0.8]], [0, 0, 1], [1.5, 2.5, 3.0])
    assert [made.estimates[a] for a in range(4)] == pytest.approx([2.0, 3.0, 2.5, 2.4])
    assert made.active == [1, 2] and made.order == []
    # M is diag(8, 1): a^T M^-1 a is 1/2, 1, 1/8 + 1/4 and 0.64.
    (batch,) = made.seen
    assert batch == Batch(3, 2, 3, 1, pytest.approx(1.0), 3.0, 2.0 + 18.0)


def test_means_of_several_rewards() -> None:
    """Noise is that of the smallest number of rewards; small clips bound the second moment."""
    made = batch_of([[1.0], [0.5]], [0, 1], [1.0, 9.0], pooled=True, clip=1.0, level=2.0, support_only=True)
    (batch,) = made.seen
    assert batch == Batch(3, 2, 2, 4, pytest.approx(0.8), 0.75, 1.0 + 2.0 * 0.75**2)
    # Reports are cut at 2: (1 + 0.5 * 2)/1.25.
    assert made.estimates[0] == pytest.approx(1.6) and made.active == [0]
    wide = batch_of([[1.0], [0.5]], [0, 1], [1.0, 9.0], pooled=True)
    assert wide.seen[0].second_moment == 1.25 + 2.0 * 0.75**2 and wide.estimates[0] == pytest.approx(5.5 / 1.25)
    negative = batch_of([[1.0], [0.5]], [0, 1], [1.0, -9.0], level=2.0)
    assert negative.estimates[0] == pytest.approx(0.0)


def test_actions_that_span_less() -> None:
    """Directions without reports are left out."""
    made = batch_of([[1.0, 0.0], [0.5, 0.0]], [0, 0], [1.0, 3.0])
    assert [made.estimates[a] for a in range(2)] == pytest.approx([2.0, 1.0])
    assert made.seen[0].reach == pytest.approx(0.5)
