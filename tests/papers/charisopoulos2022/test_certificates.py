"""The certificate of line 7 can fail: another threshold, too small an attack, a shorter first batch."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from dpbandits.papers.charisopoulos2022.certificates import clipping, line_seven
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


def side(text: str) -> float:
    """Return a side of a row as a float: a fraction, a ball, or a number."""
    text = text.strip("[").split(" ")[0]
    return float(Fraction(text)) if "/" in text else float(text)


def test_the_instances_numbers_by_hand() -> None:
    """At T = 10^4: ten batches of ratio T^(1/10), the attack, and what is lost at most and at least."""
    first, second, third, fourth = line_seven.linear_regret(4)
    q = math.exp(math.log(1e4) / 10)
    width = printed_width_m1(2, q, 0.2, 1.0, 1e-4)
    attack = 4 * math.ceil(width + 1) + 1
    assert f"T = 10^4, B = 10, e_1 and e_2, theta = (1/2, 0), alpha = 1/5, C = {attack}" == first["instance"]
    sides = [(side(row["left"]), side(row["right"])) for row in (first, second, third, fourth)]
    expected = [(q, 2.0), (4.0, q), (attack / 2 - 0.25, 2 * width), (0.09 * 9996, 1e4 / 12)]
    assert sides == [pytest.approx(pair) for pair in expected]


def test_the_largest_trace_is_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a family of actions the worst rewards come to a trace of lambda, and a ratio of less is told."""
    monkeypatch.setattr(line_seven, "HORIZONS", ())
    monkeypatch.setattr(line_seven, "REWARDS", (Fraction(0), Fraction(1)))
    rows = line_seven.prove()
    assert [row["left"] for row in rows] == [str(1 + Fraction(1, 10**12))] * 2
    for row, actions in zip(rows, line_seven.ACTIONS.values(), strict=True):
        worst = 0.0
        for number in range(1, 2 ** len(actions)):
            rewards = [Fraction(number >> k & 1) for k in range(len(actions))]
            trace, threshold = line_seven.trace_and_threshold(actions, rewards)
            worst = max(worst, float(trace / threshold))
        assert side(row["right"]) == pytest.approx(worst) and f"{2 ** len(actions)} vectors" in row["instance"]


def test_constants_of_clipping_by_hand() -> None:
    """Each number that a row compares a constant with."""
    root, batch = 1 / (math.sqrt(2) - 1), 1 / math.log(2)
    expected: dict[str, Any] = {
        ("J1", "78 > sum of roots"): 32 * root,
        ("J1", "78 > sum of squares"): 160 / 3 * batch,
        ("J2", "78 > sum of roots"): 32 * root,
        ("J2", "108 > sum of squares"): 16 * 14 / 3 * batch,
        ("J1, second bound", "170 > 16 (2 + 10/(3 sqrt 2)) ..."): 16 * (2 + 10 / (3 * math.sqrt(2))) * root,
        ("short batches", "12 > 2 (3 + e)"): 2 * (3 + math.e),
        ("J2, variance", "3 > 2 sqrt(2)"): 2 * math.sqrt(2),
    }
    rows = clipping.prove()
    right = {(row["instance"], row["bound"]): side(row["right"]) for row in rows}
    assert {key: right[key] for key in expected} == pytest.approx(expected)
    left = {(row["instance"], row["bound"]): side(row["left"]) for row in rows}
    u = math.sqrt(2 * math.log(2))
    assert left["J2, bias", "u > 1"] == pytest.approx(u) and left["J2, bias", "3 (1 + u) > 4"] == pytest.approx(
        3 + 3 * u
    )
    assert left["J2, bias", "3 * 2 log 2 > 4"] == pytest.approx(6 * math.log(2))
    assert left["J1, second bound", "Y has more than 4/epsilon"] == pytest.approx(2 * math.log(64))
    assert [row["left"] for row in rows if row["is"] == "=" and "16 *" in row["bound"]] == ["96", "144"]
    assert clipping.exponent(Fraction(1), Fraction(3), Fraction(2)) == 2
