"""What the register of discrepancies says of charisopoulos2022 since its second reading."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpbandits.settings.linear.design import support_bound
from dpbandits.settings.linear.theory import printed_width_m2, theorem_3_9, theorem_3_9_derived


def test_theorem_3_9_loses_a_root_of_nu() -> None:
    """Eq. 60 ends with sqrt(d) log(1/delta) (B - 1)/(nu epsilon); eqs. 24 and 63 have sqrt(nu) below the bar."""
    d, delta, nu, horizon = 10, 1e-9, 1 / 49, 1e6
    log = math.log(1 / delta)

    def private(bound: Callable[..., float]) -> float:
        """Return the part that falls as 1/epsilon, without corruption."""
        with_little, with_much = (bound(horizon, d, 0.0, epsilon, delta, nu) for epsilon in (0.01, 1e12))
        return 0.01 * (with_little - with_much)

    assert private(theorem_3_9_derived) / private(theorem_3_9) == pytest.approx(7.0)
    # Theorem 1.4, nu = 1/d: d^(3/2)/epsilon where d/epsilon is printed.
    for dimension in (4, 100, 10_000):
        ratio = (theorem_3_9_derived(1.0 + 1e3, dimension, 0.0, 1e-9, delta, 1 / dimension)) / (
            theorem_3_9(1.0 + 1e3, dimension, 0.0, 1e-9, delta, 1 / dimension)
        )
        assert ratio == pytest.approx(math.sqrt(dimension), rel=1e-3)
    # The sum of eq. 60, of widths as line 9 has them: each batch adds sqrt(d) log/(nu epsilon), whatever q^i.
    batches, epsilon = 14, 1e-6
    q = (horizon / (1 + nu * support_bound(d))) ** (1 / batches)
    sizes = q ** np.arange(batches)
    clean = [
        size
        * (
            printed_width_m2(d, 1, size, 0.0, epsilon, delta, nu)
            - printed_width_m2(d, 1, size, 0.0, 1e30, delta, nu)
        )
        for size in sizes
    ]
    assert sum(clean) == pytest.approx(batches * math.sqrt(d) * log / (nu * epsilon), rel=1e-6)
    # That does not follow from the printed form: it is exceeded by 1/sqrt(nu) log T/B.
    assert sum(clean) > 5 * math.sqrt(d) * log * batches / (math.sqrt(nu) * epsilon)


def test_a_laplace_variable_is_not_subgaussian() -> None:
    """B.1.1, with y = lambda c/epsilon: the moment is 1/(1 - 4 y^2) for Lap(2/epsilon), above e^(y^2/2)."""
    rng = np.random.default_rng(1)
    for y in (0.01, 0.1, 0.2):
        exact, printed = 1 / (1 - 4 * y * y), math.exp(y * y / 2)
        assert exact > printed
        assert np.exp(y * rng.laplace(scale=2.0, size=10**6)).mean() == pytest.approx(exact, abs=3e-3)
        # Bernstein's bound, with another constant, is what is needed: up to lambda c/epsilon of 1/4.
        assert exact <= math.exp(16 / 3 * y * y)


def test_a_corrupted_reward_spoils_a_report_under_one_reading_alone() -> None:
    """(M2): if rewards are replaced, eq. 3, nearly every report is off; under eq. 11 a share alpha is."""
    rng, alpha, pulls, reports = np.random.default_rng(2), 0.1, 200, 500
    rewards = rng.uniform(-1, 1, (reports, pulls))
    clean = rewards.mean(axis=1)
    replaced = np.where(rng.random((reports, pulls)) < alpha, 100.0, rewards).mean(axis=1)
    hit = np.where(rng.random(reports) < alpha, 100.0, clean)
    assert (np.abs(replaced - clean) > 1.0).mean() > 0.99
    assert (hit != clean).mean() == pytest.approx(alpha, abs=0.05)


def test_constants_of_the_proof_of_theorem_3_4() -> None:
    """Those of docs/proofs.md, each from the inequality that gives it."""
    # The filter: N <= R/4 and N/|G| <= 1/15; then mu R <= 32 alpha d + 18 d L/m.
    error = math.sqrt(32 / 11) * 2 + (1 + math.sqrt(1 / 15)) / 2
    assert error <= 4.05
    assert 4.05 * math.sqrt(32) <= 23
    assert 4.05 * math.sqrt(18) <= 18
    # Regret: 16 sum of q^i gamma_i, with 1/(sqrt(q) - 1) at q = 2.
    assert 16 * 23 <= 370
    assert 16 * 20 * 2.415 <= 773
    assert 16 * 46 <= 736
    assert 16 * 40 * 2.415 <= 1546
    assert 16 * 46 * 2.415 <= 1778
    assert 16 * 36 / math.log(2) <= 832
    assert (math.sqrt(2) - 1) * 2.415 >= 1
    # Short batches: 2 m0, and the next one, by gaps of at most 2.
    assert 2 * (2 + math.e + 1) <= 12
    for L in np.linspace(math.log(16), 200, 500):
        assert 8 * L + 1 <= 72 * L / 8
        for epsilon in (0.01, 1.0, 100.0):
            largest = 1 + math.sqrt(2 * L) + 2 * L / epsilon
            assert math.sqrt(1.72 * (2 + 8 / epsilon**2)) <= 2 * (1 + 2 / epsilon)
            assert 1 + 4 / epsilon <= largest <= 2.1 * math.sqrt(L) * (1 + math.sqrt(L) / epsilon)


def test_the_filter_keeps_what_is_proved_of_it() -> None:
    """Scores outside G outweigh those inside while the filter runs: the step on which its proof rests."""
    rng = np.random.default_rng(5)
    good = rng.standard_normal((480, 3))
    good -= good.mean(axis=0)
    bound = float(np.linalg.eigvalsh(good.T @ good / len(good))[-1])
    for size in (10.0, 30.0, 1000.0):
        points = np.vstack([good, size * rng.standard_normal(3) + np.zeros((20, 3))])
        inside, removed = np.arange(500) < 480, 0
        while True:
            deviations = points - points.mean(axis=0)
            values, vectors = np.linalg.eigh(deviations.T @ deviations / len(points))
            if values[-1] < 4 * bound:
                break
            scores = (deviations @ vectors[:, -1]) ** 2
            assert scores[inside].sum() <= 5 / 12 * scores.sum()
            gone = rng.choice(len(points), p=scores / scores.sum())
            points, inside, removed = np.delete(points, gone, axis=0), np.delete(inside, gone), removed + 1
        # N = 20 and R = 80 of n = 500, with L = 10.
        assert 0 < removed < 80
        distance = float(np.linalg.norm(points.mean(axis=0)))
        assert distance <= math.sqrt(16 * bound / (11 * 500)) * (2 * math.sqrt(20) + math.sqrt(80))
