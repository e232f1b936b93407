"""What the register of discrepancies says of asi2025 since its second reading, beside test_theory.py."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.settings.experts import theory
from dpbandits.settings.experts.theory import Tuning


def exp3(losses: tuple[float, float], eta: float, gamma: float, rounds: int, seed: int) -> float:
    """Return the sum of P_t(1) ell(1) + P_t(2) ell(2) over rounds of EXP3 with mixing gamma on constant losses."""
    rng, estimates, total = np.random.default_rng(seed), np.zeros(2), 0.0
    for draw in rng.random(rounds):
        weights = np.exp(-eta * (estimates - estimates.min()))
        p = (1 - gamma) * weights / weights.sum() + gamma / 2
        total += float(p @ losses)
        played = int(draw >= p[0])
        estimates[played] += losses[played] / p[played]
    return total


def test_lemma_23_needs_bounded_losses() -> None:
    """Losses in R, as printed: with 0 and 8 mixing alone costs gamma T 8/2, more than 2 gamma T and the rest."""
    eta, gamma, rounds = 0.001, 0.1, 20_000

    def right(losses: tuple[float, float]) -> float:
        return (
            rounds * min(losses)
            + 2 * gamma * rounds
            + math.log(2) / eta
            + eta * rounds * sum(x * x for x in losses)
        )

    # The condition, eta max -estimate <= 1, holds of losses that are not negative.
    assert right((0.0, 8.0)) == pytest.approx(5973.1, abs=0.1)
    assert gamma / 2 * 8 * rounds == 8000
    assert exp3((0.0, 8.0), eta, gamma, rounds, 1) > 8000 > right((0.0, 8.0))
    # With |ell| <= 1 it holds.
    assert exp3((0.0, 1.0), eta, gamma, rounds, 1) <= right((0.0, 1.0))


def test_noise_in_lemma_23_is_harmless_in_expectation() -> None:
    """Corollary 22 applies it to noisy losses: given the past, P_t costs the clean losses, which are at most 1."""
    rng, eta, gamma, rounds, scale = np.random.default_rng(2), 0.002, 0.2, 4000, 1.0
    clean = np.array([0.2, 0.8])
    sums = []
    for _ in range(20):
        estimates, total = np.zeros(2), 0.0
        noisy = clean + rng.laplace(scale=scale, size=(rounds, 2))
        for draw, loss in zip(rng.random(rounds), noisy, strict=True):
            weights = np.exp(-eta * (estimates - estimates.min()))
            p = (1 - gamma) * weights / weights.sum() + gamma / 2
            total += float(p @ clean)
            played = int(draw >= p[0])
            estimates[played] += loss[played] / p[played]
        sums.append(total)
    squares = float(((clean**2) + 2 * scale**2).sum())
    assert np.mean(sums) <= 0.2 * rounds + 2 * gamma * rounds + math.log(2) / eta + eta * rounds * squares


def test_a_step_of_lemma_25_fails_for_negative_losses() -> None:
    """l (P - P') <= l P (e^(eta |l|) - 1) is false of l < 0; with |l| on the right it holds."""
    eta, p = 0.1, 0.4
    for loss in (-2.0, 2.0):
        for after in p * np.exp(eta * abs(loss) * np.linspace(-1.0, 1.0, 21)):
            assert loss * (p - after) <= abs(loss) * p * math.expm1(eta * abs(loss)) + 1e-12
    after = p * math.exp(eta * 2.0)
    assert -2.0 * (p - after) > -2.0 * p * math.expm1(eta * 2.0)
    # And its first display has the played arm's estimate, whose mean is not P_t's: l_i P_i (M_i), M_i = 1/P_i.
    law, losses = np.array([0.3, 0.7]), np.array([0.5, 1.0])
    played = float((law * losses / law).sum())
    weighted = float((law * (law * losses / law)).sum())
    assert played == pytest.approx(1.5)
    assert weighted == pytest.approx(float(law @ losses))


def test_the_second_constant_of_theorem_10_is_12() -> None:
    """Its proof's gamma is 12 G' in the second case, and so is the bound; printed is 95^(1/3), 4.6."""
    assert math.cbrt(95) == pytest.approx(4.563, abs=1e-3)
    # Harmless: where the second term exceeds the first, the bound exceeds T whichever constant it has.
    for g, t in itertools.product(np.geomspace(1e-3, 1e9, 60), (1e3, 1e6)):
        first, second = math.sqrt(2) * math.cbrt(g * t**2), math.sqrt(2) * math.cbrt(g**2 * t)
        if 12 * second > 95 * first:
            assert 95 * first > t
        else:
            assert 12 * second <= 95 * first


@pytest.mark.parametrize("experts", [10**6, 10**8, 10**9])
def test_with_its_own_logarithms_theorem_10_is_the_smallest_for_many_experts(experts: int) -> None:
    """Table 2 is of asymptotic bounds: from some 10^7 experts on there are T and epsilon where Theorem 10 wins."""

    def own(tuning: Tuning) -> float:
        n, t, k, epsilon = tuning.experts, tuning.horizon, tuning.arms, tuning.epsilon
        logs = math.log(n * t) * math.log(n)
        return n ** (1 / 6) * k**0.5 * t ** (2 / 3) * (logs / epsilon) ** (1 / 3) + n**0.5 * logs / epsilon

    least = math.inf
    for t, e in itertools.product([10.0**e for e in range(6, 17)], range(130)):
        tuning = Tuning(t, 2, 10.0 ** (-e / 16), experts)  # type: ignore[arg-type]
        if own(tuning) < t:
            others = min(theory.BOUNDS[name].suppressed(tuning) for name in ("cor8", "thm9"))
            least = min(least, own(tuning) / min(others, t))
    assert least == pytest.approx({10**6: 1.6, 10**8: 0.706, 10**9: 0.496}[experts], abs=0.01)


def composed(count: int, epsilon_0: float, epsilon: float) -> float:
    """Return the delta of ``count`` epsilon_0-private releases at epsilon: randomised response, the worst ones."""
    k = np.arange(count + 1)
    p = 1 / (1 + math.exp(-epsilon_0))
    one, other = stats.binom.logpmf(k, count, p), stats.binom.logpmf(k, count, 1 - p)
    return float(np.maximum(0.0, np.exp(one) - np.exp(epsilon + other)).sum())


def test_theorem_10_is_private_for_larger_deltas_too() -> None:
    """Kairouz et al.'s optimal composition: N releases with epsilon/(3 sqrt(N log(1/delta))) at delta up to 0.9."""
    counts = (1, 2, 3, 5, 10, 100, 1000, 10_000)
    for delta, epsilon, count in itertools.product((1e-6, 0.4, 0.7, 0.9), (0.01, 0.3, 1.0), counts):
        each = epsilon / (3 * math.sqrt(count * math.log(1 / delta)))
        assert composed(count, each, epsilon) <= delta
    assert composed(2, 1 / (3 * math.sqrt(2 * math.log(1 / 0.99999))), 1.0) > 0.99999


def test_misprints() -> None:
    """Basic composition adds up the epsilon_t, Section 5.2's range of p is wider than Lemma 11's."""
    # Lemmas 13 and 14 have mechanisms that are epsilon_t-private, and print epsilon T.
    budgets = np.array([0.1, 1.0])
    ratio = float(np.prod([np.exp(e) / (1 + np.exp(e)) / (1 / (1 + np.exp(e))) for e in budgets]))
    assert math.log(ratio) == pytest.approx(budgets.sum())
    assert math.log(ratio) > budgets.size * budgets.min()
    # Section 5.2: gamma tau <= p, not 2 gamma tau; at its lower end p/gamma rounds are tau, and half are lost.
    gamma, tau = 0.1, 100
    printed, meant = gamma * tau, 2 * gamma * tau
    assert printed / (4 * gamma) - tau / 2 < 0 <= meant / (4 * gamma) - tau / 2
