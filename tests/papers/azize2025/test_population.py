"""Drawn bandits: they are of the class, a seed decides them, and a statement's side is what intervals show."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.papers.azize2025.computations import population
from dpbandits.papers.azize2025.computations.population import Estimate
from dpbandits.settings.stochastic.theory import lower_bound_slope


def test_bandits_are_of_the_class() -> None:
    """Every end of the class is kept, and no two bandits are the same."""
    drawn = [population.draw(np.random.default_rng([1, number])) for number in range(200)]
    for bandit in drawn:
        best, *others = bandit.means
        uniform = bandit.horizon * (best - float(np.mean(bandit.means)))
        assert len(bandit.means) in population.ARMS
        assert 0.3 <= best <= 0.95
        assert min(others) >= 0.0
        assert 0.0195 <= best - max(others) <= 0.9 * best + 0.001
        assert 0.01 <= bandit.epsilon <= 1.0
        assert 1e4 <= bandit.horizon <= 1e8
        assert lower_bound_slope(bandit.means, bandit.epsilon) * math.log(bandit.horizon) <= 0.1 * uniform
    assert len({(*bandit.means, bandit.epsilon, bandit.horizon) for bandit in drawn}) == 200


class UpperEnds:
    """Draws the upper end of every range, for three arms with means of their own, once."""

    def __init__(self) -> None:
        self.bandits = 0

    def choice(self, _: tuple[int, ...]) -> int:
        """Return the number of arms of the only bandit."""
        self.bandits += 1
        assert self.bandits == 1, "what lies within the ranges is refused"
        return 3

    def uniform(self, _: float, high: float, size: int | None = None) -> float | NDArray[np.float64]:
        """Return the upper end."""
        return high if size is None else np.full(size, high)

    def random(self) -> float:
        """Return a number for means that differ."""
        return 0.5


def test_the_last_arm_may_pay_nothing() -> None:
    """Further means have the whole range from 0 to the second one, and no draw from the ranges' ends is lost."""
    found = population.draw(cast(np.random.Generator, UpperEnds()))
    assert found.means == [0.95, 0.095, 0.0]
    assert (found.epsilon, found.horizon) == (1.0, 10**8)


def test_other_seeds_draw_other_bandits() -> None:
    """So the digest of what is frozen draws those that confirm."""
    one, other = (population.draw(np.random.default_rng([seed, 0])) for seed in (1, 2))
    assert one != other
    assert one == population.draw(np.random.default_rng([1, 0]))


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (Estimate(0.9, 0.8, 1.0), 1),
        (Estimate(0.9, 0.8, 1.1), 0),
        (Estimate(1.2, 1.1, 1.3), -1),
        (Estimate(1.0, 1.0, 1.0), 1),
    ],
)
def test_sides(ratio: Estimate, expected: int) -> None:
    """Both ends within limits show it, one beyond refutes it, and what straddles decides nothing."""
    assert population.side(ratio, 0.0, 1.0) == expected


def test_a_ratio_has_the_interval_of_both() -> None:
    """Of equal errors it is the root of two times as wide, as logarithms are."""
    law = Estimate(2.0, 1.0, 4.0)
    half = math.log(2.0) * math.sqrt(2.0)
    assert population.quotient(law, law) == pytest.approx((1.0, math.exp(-half), math.exp(half)))
    assert population.quotient(law, Estimate(1.0, 0.0, 2.0)).high == math.inf


def test_each_statement_has_a_row_for_each_bandit() -> None:
    """Few runs of two bandits: numbers from `first` on, and the same ones whoever computes them."""
    both = population.compute(first=3, bandits=2, runs=50, paths=50, seed=1)
    assert both["bandit"].unique().tolist() == [3, 4]
    assert set(both["statement"]) == {*population.STATEMENTS, population.PREDICTED}
    assert both["side"].isin([-1, 0, 1]).all()
    alone = population.compute(first=4, bandits=1, runs=50, paths=50, seed=1)
    assert both[both["bandit"] == 4].reset_index(drop=True).equals(alone)


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [(0.5, 2.0, 1), (0.49, 2.0, 0), (0.5, 2.1, 0), (2.0, 3.0, 0), (2.1, 3.0, -1), (0.1, 0.49, -1)],
)
def test_an_interval_within_limits_shows_it(low: float, high: float, side: int) -> None:
    """Its ends may be the limits."""
    assert population.side(Estimate(1.0, low, high), 0.5, 2.0) == side
    assert population.side(Estimate(1.0, 0.1, 0.5), 0.5, 2.0) == 0


def test_predictions_are_judged_by_their_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of paths of 1 and 3 beside a typical regret of 98, the prediction is 100, as far as they let one know."""
    known = dict.fromkeys(("mean", *population.QUANTILES), Estimate(80.0, 75.0, 85.0))
    monkeypatch.setattr(population, "estimates", lambda *_: known)
    monkeypatch.setattr(population, "prediction", lambda *_: (None, 1, 98.0))
    monkeypatch.setattr(population, "draw_rare_regret", lambda *_: np.array([1.0, 3.0]))
    *rows, last = population.judged(population.Drawn([0.75, 0.5], 0.1, 1000), 10, 2, 1)
    assert [row["statement"] for row in rows] == list(population.STATEMENTS)
    half = population.DEVIATIONS
    expected = population.quotient(Estimate(100.0, 100.0 - half, 100.0 + half), known["mean"])
    assert (last["value"], last["low"], last["high"]) == pytest.approx(expected)
    assert last["statement"] == population.PREDICTED and last["side"] == population.side(expected, 1 / 1.35, 1.35)
    # The ratio that leans most against a statement: 1 of at most 1, not 1 of at most 1.25.
    sides = {row["statement"]: (row["value"], row["side"]) for row in rows}
    assert sides["cure-median"] == (1.0, 1) and sides["imed-klucb-mean"] == (1.0, 0)


def test_a_ratio_s_interval_adds_squares_of_logarithms() -> None:
    """Of both ends that are away from the estimates; unbounded where one reaches 0."""
    found = population.quotient(Estimate(8.0, 4.0, 32.0), Estimate(2.0, 1.0, 8.0))
    assert found == pytest.approx((4.0, 4.0 / 2.0 ** math.hypot(1, 2), 4.0 * 2.0 ** math.hypot(2, 1)))
    assert population.quotient(Estimate(8.0, 0.0, 9.0), Estimate(2.0, 0.0, 8.0))[1:] == (0.0, math.inf)
