"""What the register of discrepancies says of azize2025 since its second reading, beside test_theory.py."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.papers.azize2025.computations.private_mean_tail import log_private_tail
from dpbandits.settings.stochastic.divergences import budget, d_eps
from dpbandits.settings.stochastic.theory import azize2022_slope, lower_bound_slope


def test_theorem_3_1_has_a_finite_slope_at_mu_star_1() -> None:
    """d_eps(mu_a, 1) = epsilon (1 - mu_a): eq. 5 claims 1/epsilon for each suboptimal arm, eq. 7 a sixth of it."""
    for epsilon in (0.1, 1.0):
        assert lower_bound_slope([1.0, 0.3], epsilon) == pytest.approx(1 / epsilon)
        assert azize2022_slope([1.0, 0.3], epsilon) == pytest.approx(1 / (6 * epsilon))
        # Without privacy nothing is claimed there: kl(mu_a, 1) is infinite.
        assert d_eps(0.3, 1.0, budget(epsilon)) == pytest.approx(0.7 * epsilon)


def test_the_gap_in_proof_f8() -> None:
    """Eq. 34 splits by one optimal arm; I_j has d_eps to the largest estimate, which a third arm may push up."""
    privacy = budget(0.5)
    best, delta, estimate, pulls = 0.5, 0.05, 0.3, 400
    # All that the proof uses of I_j: it is at most n d_eps(estimate, mu* - delta) + log n ...
    used = pulls * d_eps(estimate, best - delta, privacy) + math.log(pulls)
    # ... which holds if mu* - delta is at least the largest estimate, and not if a third arm is overestimated.
    for largest, within in ((0.4, True), (0.44, True), (0.7, False), (0.9, False)):
        index = pulls * d_eps(estimate, largest, privacy) + math.log(pulls)
        assert (index <= used) == within
    # The overestimated arm itself is then played as long as log n is below I_j, far longer than the proof allows.
    index = pulls * d_eps(estimate, 0.9, privacy) + math.log(pulls)
    assert index > 2 * used


def test_lemma_f5_is_used_in_the_wrong_direction() -> None:
    """After eq. 38 d_eps(x, mu* - delta) <= d_eps(x, mu*) - delta' is used. Lemma F.5 says >=, and it is strict."""
    privacy = budget(1.0)
    assert d_eps(0.39, 0.4, privacy) == pytest.approx(0.0002, abs=1e-5)
    assert d_eps(0.39, 0.5, privacy) - 0.1 / (1 - 0.5) == pytest.approx(-0.176, abs=5e-4)
    for epsilon, best, delta in itertools.product((0.05, 1.0, 5.0), (0.3, 0.5, 0.9), (0.01, 0.1)):
        privacy = budget(epsilon)
        differences = [
            d_eps(float(x), best, privacy) - d_eps(float(x), best - delta, privacy)
            for x in np.linspace(0.0, best - delta, 200)
        ]
        # Lemma F.5, below delta'; what is needed is delta' or more, and so fails at every x.
        assert max(differences) < delta / (1 - best)
        # The repair: any positive number below all differences does, and there is one.
        assert min(differences) > 0


def test_chernoffs_bound_gives_corollary_d5_for_mean_0_too() -> None:
    """d_eps(x, mu) is the supremum over tilts up to epsilon; stopping a/2 before epsilon loses at most a/2."""
    a = 0.02
    for epsilon, mean in itertools.product((0.1, 1.0, 4.0), (0.0, 0.2, 0.9)):
        for x in np.linspace(mean, 1.0, 20):
            whole, stopped = (
                float((tilts * x - np.log1p(mean * np.expm1(tilts))).max())
                for tilts in (np.linspace(0.0, epsilon, 20_001), np.linspace(0.0, epsilon - a / 2, 20_001))
            )
            assert whole == pytest.approx(d_eps(float(x), mean, budget(epsilon)), abs=1e-6)
            assert stopped >= whole - a / 2 - 1e-6


def test_eqs_45_to_47_have_mu_star_for_mu_i() -> None:
    """Corollary D.5 gives the exponent d_eps(x, mu_i); with mu* in its place the bound is below the exact tail."""
    epsilon, n, m, mean, x, best = 0.5, 4000, 12, 0.3, 0.4, 0.9
    privacy = budget(epsilon)
    tail = log_private_tail(n, m, mean, x, epsilon)
    right, printed = d_eps(x, mean, privacy), d_eps(x, best, privacy)
    assert -tail / n == pytest.approx(right, rel=0.2)
    assert tail > -n * printed / 2
    # Harmless: the sum over batches is O(1) with any positive exponent.
    assert right > 0


def test_advanced_composition_has_epsilon_before_the_root() -> None:
    """After Proposition H.3: epsilon sqrt(2 k log(1/delta')), not sqrt(2 k log(1/delta') epsilon)."""
    k, delta = 1000, 1e-6
    for epsilon in (0.01, 4.0):
        right, printed = (
            epsilon * math.sqrt(2 * k * math.log(1 / delta)),
            math.sqrt(2 * k * math.log(1 / delta) * epsilon),
        )
        # k randomised responses: the exact delta at the sum with the right term is below delta'.
        total = right + k * epsilon * math.expm1(epsilon)
        p, ones = 1 / (1 + math.exp(-epsilon)), np.arange(k + 1)
        loss = (2 * ones - k) * epsilon
        law = stats.binom.pmf(ones, k, p)
        exact = float((law * np.maximum(0.0, -np.expm1(np.minimum(0.0, total - loss)))).sum())
        assert exact <= delta
        assert (printed > right) == (epsilon < 1)


def test_misprints_in_proofs() -> None:
    """C.2, B.6, D.6 and Algorithm 1's index in F.8, where they make a difference."""
    # D.6 uses the factor of m + 1 noises for m: larger, and as harmless.
    few, many = (log_private_tail(100, m, 0.5, 0.75, 0.5) for m in (7, 8))
    assert many > few
    # F.8 prints I* as a maximum; DP-IMED plays the arm of smallest index.
    privacy = budget(1.0)
    indices = [n * d_eps(mean, 0.8, privacy) + math.log(n) for n, mean in ((1000, 0.8), (10, 0.1))]
    assert int(np.argmin(indices)) == 0
    # C.2 prints O(T^alpha), with the proof's alpha of (1 + alpha) n_2, for O(T^a): only the latter is o(T^b).
    alpha, a, b = 0.5, 0.01, 0.1
    assert 1e12**alpha > 1e12**b > 1e12**a
