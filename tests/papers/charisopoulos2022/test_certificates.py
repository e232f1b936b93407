"""The certificate of line 7 can fail: another threshold, too small an attack, a shorter first batch."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from dpbandits.papers.charisopoulos2022.certificates import line_seven
from dpbandits.papers.exact_inequalities import NotProvedError
from dpbandits.settings.linear.theory import printed_width_m1


def test_it_is_proved() -> None:
    rows = line_seven.prove()
    assert len(rows) == 2 + 4 * len(line_seven.HORIZONS)


def test_the_trace_is_that_of_the_points() -> None:
    """Against points M^(-1/2) a r in floating point."""
    actions, rewards = line_seven.ACTIONS["(1, 0), (1, 1), (0, 1), (2, -1), (1, 0)"], (1, Fraction(1, 2), -3, 2, 0)
    trace, threshold = line_seven.trace_and_threshold(actions, [Fraction(r) for r in rewards])
    a, r = np.array(actions, dtype=float), np.array(rewards, dtype=float)
    x = np.linalg.solve(np.linalg.cholesky(a.T @ a), a.T).T
    assert float(trace) == pytest.approx(np.trace(np.cov((x * r[:, None]).T, bias=True)))
    assert float(threshold) == pytest.approx((x**2).sum(axis=1).max() * (r**2).mean())


def test_a_smaller_threshold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the repaired threshold, which does not know what was received, the trace exceeds it."""
    right = line_seven.trace_and_threshold
    monkeypatch.setattr(line_seven, "trace_and_threshold", lambda a, r: (right(a, r)[0], Fraction(1, len(a))))
    with pytest.raises(NotProvedError, match="trace/lambda"):
        line_seven.prove()


def test_a_wider_interval_or_less_corruption_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """gamma_1 is the house's printed width; if it is wider than the attack allows for, nothing is proved."""
    width = float(line_seven.first_width(arb(10) ** 6, arb(3)))
    assert width == pytest.approx(printed_width_m1(2, 3.0, 0.2, 1.0, 1e-6))
    with monkeypatch.context() as patch:
        patch.setattr(line_seven, "ceiling", lambda value: round(float(value)) // 2 + 1)
        with pytest.raises(NotProvedError):
            line_seven.linear_regret(6)
    monkeypatch.setattr(line_seven, "ALPHA", Fraction(1, 10))
    with pytest.raises(NotProvedError, match="regret"):
        line_seven.linear_regret(6)
