"""azize2025, Theorem 3.1 at mu* = 1: a consistent, epsilon-DP policy with bounded regret; by runs and exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpbandits.core import registry
from dpbandits.core.streams import streams
from dpbandits.settings.stochastic.problem import make_bandit
from dpbandits.settings.stochastic.theory import azize2022_slope, lower_bound_slope

ROUNDS = np.array([10**k for k in range(1, 16)])
TEST = 16


def mean_regret(means: tuple[float, ...], epsilon: float, runs: int = 4000) -> tuple[NDArray[np.float64], float]:
    """Return the mean regret at `ROUNDS`, and the standard error of the last one."""
    bandit = make_bandit(np.array(means))
    filled = bandit.runs(streams(1, "perfection", np.arange(runs)), ROUNDS)
    registry.algorithm("perfection-test").simulate(filled, bandit, epsilon=epsilon, test=TEST)
    return filled.regret.mean(axis=0), float(filled.regret[:, -1].std() / math.sqrt(runs))


def passes(level: int, mean: float, epsilon: float) -> float:
    """Return the probability that an arm passes the test of a level, exactly."""
    pulls, threshold = TEST * 2**level, 2 * level * math.log(2) / epsilon
    failures = np.arange(pulls + 1)
    below = stats.laplace.cdf(threshold - failures, scale=1 / epsilon)
    return float(stats.binom.pmf(failures, pulls, 1 - mean) @ below)


def elimination(level: int, gap: float, epsilon: float) -> float:
    """Return a bound on the regret of the successive elimination of a level, two arms, all rewards.

    Within the widths, which fails with probability 2^(-k^2), the worse arm leaves by the first epoch of n pulls
    with 4 widths below the gap; n doubles.
    """
    rounds, pulls, epoch, cost = 2.0 ** (level * level), 1, 0, 1.0
    while True:
        epoch, pulls = epoch + 1, 2 * pulls
        cost += gap * pulls
        log = math.log(8 * rounds * epoch**2)
        if 4 * (math.sqrt(log / (2 * pulls)) + log / (epsilon * pulls)) < gap or 2 * pulls > rounds:
            return min(cost, gap * rounds)


def bounds(mean: float, epsilon: float, levels: int) -> tuple[float, float]:
    """Return bounds of the expected regret of the first levels on (1, ``mean``), without and with eliminations."""
    gap, perfect, without, added = 1 - mean, 0.5, 0.0, 0.0
    for level in range(1, levels + 1):
        tested, trusted = TEST * 2**level * gap, 2.0 ** (level * level) * gap
        fails, false = 1 - passes(level, 1.0, epsilon), passes(level, mean, epsilon)
        # The champion is perfect and fails, so that the other is tested; or it is not, and is tested at once.
        without += perfect * fails * (tested + false * trusted)
        without += (1 - perfect) * (tested + false * trusted)
        added += (perfect * fails * (1 - false) + (1 - perfect) * (1 - false) * fails) * elimination(
            level, gap, epsilon
        )
        perfect = perfect * (1 - fails * false) + (1 - perfect) * (1 - false) * (1 - fails)
    return without, without + added


def proved(mean: float, epsilon: float) -> float:
    """Return the bound of docs/proofs.md of the regret on (1, ``mean``), for every T."""
    gap, level = 1 - mean, np.arange(1, 25)
    rate = TEST * gap * -math.expm1(-epsilon / 2)
    passing = np.minimum(0, level + 2 - math.log2(3) - rate * 2.0**level / math.log(2))
    trust = float(np.exp2(level**2 + passing).sum())
    leaves = max(32 / gap, 8 / epsilon)
    tests = TEST * gap * (13 / 4 + 2 * trust)
    return tests + trust + 1 / 6 + 2 * leaves * (math.log(8) / 3 + 0.79)


@pytest.mark.parametrize(("mean", "epsilon"), [(0.5, 1.0), (0.9, 1.0), (0.5, 0.1)])
def test_the_proved_bound_is_above_the_exact_one(mean: float, epsilon: float) -> None:
    """Chernoff's bound is above the exact probability of every level, and so is the whole."""
    rate = TEST * (1 - mean) * -math.expm1(-epsilon / 2)
    for level in range(1, 9):
        assert passes(level, mean, epsilon) <= 4 / 3 * 2.0**level * math.exp(-rate * 2.0**level)
    assert bounds(mean, epsilon, 11)[1] < proved(mean, epsilon)
    assert proved(0.5, 1.0) == pytest.approx(216.2, abs=0.1)


def test_a_perfect_arm_fails_with_probability_4_to_the_minus_k_over_2() -> None:
    for level in (1, 2, 5):
        assert 1 - passes(level, 1.0, 0.7) == pytest.approx(4.0**-level / 2)
    # An arm with failures passes with a probability that outweighs the rounds it would cost.
    assert passes(6, 0.5, 1.0) * 2.0**36 < 1e-30
    assert passes(11, 0.99, 1.0) * 2.0**121 < 1e-30


@pytest.mark.parametrize(("mean", "epsilon"), [(0.5, 1.0), (0.9, 1.0), (0.5, 0.1)])
def test_regret_is_bounded_if_an_arm_is_perfect(mean: float, epsilon: float) -> None:
    """Flat from 10^6 to 10^15, below the claimed log T/epsilon, and between exact bounds that do not know T."""
    found, error = mean_regret((1.0, mean), epsilon)
    claimed = lower_bound_slope([1.0, mean], epsilon)
    assert claimed == pytest.approx(1 / epsilon)
    slope = (found[-1] - found[5]) / math.log(1e9)
    # Below eq. 7 too, which claims a sixth: what is left is the rare restart of a failed champion.
    assert slope < azize2022_slope([1.0, mean], epsilon) / 3
    assert found[-1] - found[11] < 0.1
    assert found[-1] < claimed * math.log(1e15)
    low, high = bounds(mean, epsilon, 7)
    assert low - 4 * error <= found[-1] <= high + 4 * error
    # All levels together: tests of a failed champion, 4^-k 2^k, and eliminations, 4^-k k^2, add little and less.
    more = [bounds(mean, epsilon, levels)[1] for levels in (7, 9, 11)]
    assert more[2] - more[1] < (more[1] - more[0]) / 2 < 0.2 * more[0]


@pytest.mark.parametrize("means", [(0.75, 0.7), (0.5, 0.25), (0.0, 0.0), (0.9, 0.6, 0.3)])
def test_it_is_consistent_elsewhere(means: tuple[float, ...]) -> None:
    """Regret is 2^(O(sqrt(log T))): from 10^9 to 10^15 it grows as less than T^0.1, and it learns."""
    found, _ = mean_regret(means, 1.0, 400)
    assert found[-1] <= found[8] * 1e6**0.1
    assert found[-1] <= 1e-9 * ROUNDS[-1]


def test_two_perfect_arms_cost_nothing() -> None:
    found, _ = mean_regret((1.0, 1.0), 1.0, 10)
    assert (found == 0.0).all()
