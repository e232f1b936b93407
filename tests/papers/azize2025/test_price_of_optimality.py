"""Theorem K of docs/azize2025-tails.md, on an adaptive private policy, by exact recursion; its certificate."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

from dpbandits.papers.azize2025.certificates import price_of_optimality as certificate

INSTANCES = list(itertools.product([(0.9, 0.8), (0.6, 0.5), (0.7, 0.3), (0.95, 0.5)], [0.1, 0.5, 2.0]))
LENGTHS = [2**m for m in range(9)]


def kl(p: float, q: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


def d(c: float, v: float, epsilon: float) -> tuple[float, float]:
    """Return d_epsilon(c, v) and where it is attained, by golden-section search, as the function is convex."""
    low, high = c, v
    for _ in range(60):
        left, right = low + 0.382 * (high - low), low + 0.618 * (high - low)
        below = epsilon * (left - c) + kl(left, v) < epsilon * (right - c) + kl(right, v)
        low, high = (low, right) if below else (left, high)
    z = (low + high) / 2
    return epsilon * (z - c) + kl(z, v), z


def stays_small(mean: float, mu_2: float, epsilon: float, log_T: float, n: int) -> float:
    """Return P[N_1(T) <= n] of a one-armed DP-IMED that knows mu_2, by a recursion over noisy sums.

    After n_m rewards its noisy mean has m + 1 discrete Laplace noises. It is left for good if its index n_m d(mean,
    mu_2) + log n_m is above log T.
    """
    width = 400
    noise = np.exp(-epsilon * np.abs(np.arange(-width, width + 1)))
    noise /= noise.sum()
    law, offset, left, before = np.ones(1), 0, 0.0, 0
    for length in [each for each in LENGTHS if each <= n]:
        more = length - before
        rewards = np.array([math.comb(more, k) * mean**k * (1 - mean) ** (more - k) for k in range(more + 1)])
        law, offset, before = np.convolve(np.convolve(law, rewards), noise), offset - width, length
        means = np.clip((np.arange(law.size) + offset) / length, 0, 1)
        table = {each: d(each, mu_2, epsilon)[0] for each in np.unique(means[means < mu_2])}
        gone = np.array([x < mu_2 and length * table[x] + math.log(length) > log_T for x in means])
        left += law[gone].sum()
        law = np.where(gone, 0.0, law)
    return float(left)


@pytest.mark.slow
@pytest.mark.parametrize(("means", "epsilon"), INSTANCES)
def test_lemma_on_an_adaptive_policy(means: tuple[float, float], epsilon: float) -> None:
    """Twelve instances, three c each: the left side is at most the right side; so is the exponent."""
    check(means, epsilon)


def test_lemma_on_one_instance() -> None:
    check((0.7, 0.3), 0.5)


def check(means: tuple[float, float], epsilon: float) -> None:
    mu_1, mu_2 = means
    ell = lambda v: -math.log(1 - v * (1 - math.exp(-epsilon)))  # noqa: E731
    n = max(each for each in LENGTHS if each <= 128)
    log_T = n / 2 * ell(mu_2)
    rare = stays_small(mu_1, mu_2, epsilon, log_T, n)
    for c in (0.01, mu_2 / 4, mu_2 / 2):
        _, z = d(c, mu_1, epsilon)
        often = stays_small(c, mu_2, epsilon, log_T, n)
        up, down = math.log(z / mu_1), math.log((1 - z) / (1 - mu_1))
        successes = [math.comb(n, k) * z**k * (1 - z) ** (n - k) for k in range(n + 1)]
        moved = [math.comb(n, k) * (z - c) ** k * (1 - z + c) ** (n - k) for k in range(n + 1)]
        best = 0.0
        for x, fewest in itertools.product(range(0, n, 4), range(0, n, 4)):
            beyond = sum(moved[x + 1 :]) + sum(successes[:fewest])
            y = fewest * up + (n - fewest) * down
            best = max(best, (often - beyond) * math.exp(-epsilon * x - y))
        assert 0 < best <= rare
    # At half the stages that C of Theorem K allows, what is frequent is bounded already by S rho(0), S = 2.
    assert -math.log(rare) <= 2 * ell(mu_1) / ell(mu_2) * log_T + 5


def test_certificate_can_fail() -> None:
    """Were a changed reward to cost a quarter of epsilon, the Lemma would be false for an instance."""
    assert len(certificate.prove()) == 24
    with ctx.workprec(certificate.PRECISION):
        left, right = certificate.lemma(arb(9) / 10, arb(4) / 10, arb(1), arb(1) / 4)
        assert right > left


def noise_below(gap: int, epsilon: float) -> float:
    """Return P[noise < gap] of discrete Laplace noise, as a sum of its law."""
    r = math.exp(-epsilon)
    return sum((1 - r) / (1 + r) * r ** abs(i) for i in range(-2000, gap))


def test_both_sides_of_the_lemma_by_floats() -> None:
    """With threshold, x and fewest successes by hand: 95, 83 and 144 at mu_1 = 0.9, c = 0.4, epsilon = 1."""
    with ctx.workprec(certificate.PRECISION):
        left, right = (float(side) for side in certificate.lemma(arb(9) / 10, arb(4) / 10, arb(1), arb(1)))
        policy = [float(certificate.stays_away(arb(p) / 10, arb(1), 95)) for p in (9, 4)]
    below = [noise_below(95 - k, 1.0) for k in range(201)]
    away, often = (sum(binom.pmf(k, 200, p) * below[k] for k in range(201)) for p in (0.9, 0.4))
    assert policy == pytest.approx([away, often])
    z = 0.9 / (0.9 + 0.1 * math.e)
    y = 144 * math.log(z / 0.9) + 56 * math.log((1 - z) / 0.1)
    beyond = binom.sf(83, 200, z - 0.4) + binom.cdf(143, 200, z)
    assert (left, right) == (pytest.approx(away), pytest.approx((often - beyond) * math.exp(-83 - y)))


def test_rho_grows_with_c() -> None:
    """Both numbers of the certificate's rows, by the closed form at 0 and by a search at c."""
    rows = {row["instance"]: row for row in certificate.prove() if row["bound"] == "rho(c) > rho(0)"}
    for (one, two, low), epsilon in itertools.product(certificate.MEANS, certificate.BUDGETS):
        row = rows[f"means 0.{one} and 0.{two}, c = 0.{low}, epsilon = {epsilon}"]
        first, second, c = one / 10, two / 10, low / 10
        left, right = (float(row[side].strip("[").split(" ")[0]) for side in ("left", "right"))
        assert left == pytest.approx(d(c, first, epsilon)[0] / d(c, second, epsilon)[0], rel=1e-6)
        ell = [math.log(1 - v * (1 - math.exp(-epsilon))) for v in (first, second)]
        assert right == pytest.approx(ell[0] / ell[1])
