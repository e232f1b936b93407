"""Lazy-DP-TS plays many rounds at once: the probabilities with which it does, against finer quadrature.

That the rounds are drawn from them is compared with plain rounds in `test_laws`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from dpbandits.core.streams import streams
from dpbandits.settings.stochastic import chebyshev, posterior_windows
from dpbandits.settings.stochastic.largest_draw import _gauss, largest_draw, make_scratch
from dpbandits.settings.stochastic.ordering import first_of_order, hypergeometric

Floats = NDArray[np.float64]
ROOT = 20250801
# The error that `dpbandits.settings.stochastic.largest_draw` claims.
QUADRATURE = 5e-13
FINE, FINE_WEIGHT, FINE_INTEGRAL = _gauss(40)
QUANTILES = (1e-18, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.15, 0.3, 0.5)


def exact(m: Floats, size: Floats) -> Floats:
    """Return the probabilities by panels between quantiles, 40 nodes each, in extended precision."""
    a, b = m * size + 1.0, (1.0 - m) * size + 1.0
    ends = [10.0 ** np.arange(-18, -1, 0.5), 1.0 - 10.0 ** np.arange(-15, -1, 0.5), np.array([0.0, 1.0])]
    for q in QUANTILES:
        ends += [special.betaincinv(b, a, q), 1.0 - special.betaincinv(a, b, q)]
    edges = np.unique(np.clip(np.concatenate(ends), 0.0, 1.0)).astype(np.longdouble)
    half = np.diff(edges)[:, None] / 2
    v = edges[:-1, None] + half * (1 + FINE.astype(np.longdouble))
    mass, beyond = [], []
    for mean, n in zip(m, size, strict=True):
        with mpmath.workdps(40):
            of_theta, of_v = mpmath.mpf(mean) * n, (1 - mpmath.mpf(mean)) * n
            height = -mpmath.log(mpmath.beta(of_theta + 1, of_v + 1))
            numbers = [np.longdouble(float(x)) + float(x - float(x)) for x in (height, of_theta, of_v)]
        density = np.exp(numbers[0] + numbers[1] * np.log1p(-v) + numbers[2] * np.log(v)) * half
        mass.append(density * FINE_WEIGHT)
        before = np.concatenate([[0.0], np.cumsum(mass[-1].sum(axis=1))[:-1]])
        beyond.append(1 - before[:, None] - density @ FINE_INTEGRAL.astype(np.longdouble))
    others = [np.prod(beyond[:k] + beyond[k + 1 :], axis=0) for k in range(m.size)]
    found = np.array([float((f * rest).sum()) for f, rest in zip(mass, others, strict=True)])
    assert found.sum() == pytest.approx(1.0, abs=1e-13)
    return found


def posteriors(arms: int, number: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield m and O of arms near each other, near 0, near 1, clipped, and anywhere."""
    rng = np.random.default_rng([ROOT, arms])
    for i in range(number):
        near = 0.7 + rng.normal(size=arms) * rng.choice([0.3, 0.03, 0.01, 0.001])
        edge = 10.0 ** rng.uniform(-5.0, 0.0, arms)
        m = [rng.uniform(size=arms), near, edge, 1.0 - edge, np.where(rng.random(arms) < 0.5, 1.0, near)][i % 5]
        yield np.clip(m, 0.0, 1.0), 2.0 ** rng.integers(0, 17, arms)


def by_quadrature(m: Floats, size: Floats) -> Floats:
    p = np.empty(m.size)
    largest_draw(m, size, p, make_scratch(m.size))
    return p


@pytest.mark.parametrize("number", [40, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("arms", [2, 5, pytest.param(9, marks=pytest.mark.slow)])
def test_the_quadrature_is_as_exact_as_it_says(arms: int, number: int) -> None:
    """In total variation. With wider panels, or without the stretched one at 0, this fails."""
    for m, size in posteriors(arms, number):
        assert np.abs(by_quadrature(m, size) - exact(m, size)).sum() / 2 < QUADRATURE, (m, size)


@pytest.mark.parametrize("size", [1.0, 2.0**10, 2.0**30])
@pytest.mark.parametrize("m", [0.0, 1e-9, 0.3, 0.5, 1.0])
def test_equal_arms_win_alike_and_huge_batches_lose_no_digits(m: float, size: float) -> None:
    assert by_quadrature(np.full(4, m), np.full(4, size)) == pytest.approx(np.full(4, 0.25), abs=QUADRATURE)


def test_two_huge_batches_are_normal() -> None:
    """One standard deviation of the difference apart."""
    size, m = 2.0**40, 0.3
    spread = math.sqrt(2 * m * (1 - m) / size)
    p = by_quadrature(np.array([m, m + spread]), np.full(2, size))
    assert p[1] == pytest.approx(special.ndtr(1.0), abs=1e-6)


def test_nodes_integrate_polynomials() -> None:
    x, weight, integral = _gauss(12)
    expected = np.polynomial.legendre.leggauss(12)
    assert np.allclose(x, expected[0], atol=1e-15) and np.allclose(weight, expected[1], atol=1e-15)
    for degree in range(12):
        assert x**degree @ integral == pytest.approx((x ** (degree + 1) - (-1.0) ** (degree + 1)) / (degree + 1))


def test_series_agree_with_numpy() -> None:
    rng = np.random.default_rng(ROOT)
    x = np.array([chebyshev.point(i) for i in range(chebyshev.DEGREE + 1)])
    assert np.allclose(x, np.cos(np.pi * np.arange(x.size) / chebyshev.DEGREE), atol=1e-15)
    for degree in (2, 4, 8, 16):
        wanted = rng.normal(size=(3, degree + 1))
        values = np.polynomial.chebyshev.chebval(x, wanted.T)
        found, out = np.empty((3, chebyshev.DEGREE + 1)), np.empty(3)
        chebyshev.fit(values, degree, found)
        assert np.allclose(found[:, : degree + 1], wanted, atol=1e-14)
        chebyshev.evaluate(found, degree, 0.3, out)
        assert np.allclose(out, np.polynomial.chebyshev.chebval(0.3, wanted.T))
        for k in range(3):
            bends = np.polynomial.chebyshev.chebval(
                np.linspace(-1.0, 1.0, 101), np.polynomial.chebyshev.chebder(wanted[k], 2)
            )
            assert np.abs(bends).max() <= chebyshev.bend(found, degree, k) * (1 + 1e-12)


def windows(number: int) -> Iterator[tuple[posterior_windows.Arms, int, float, posterior_windows.Window]]:
    """Yield arms in the middle of batches, rounds played, offset/epsilon, and a window from there on.

    Batches have up to 2^20 pulls; offset/epsilon, and so the growth of the bonus, covers all published budgets.
    """
    rng = np.random.default_rng([ROOT, 1])
    for _ in range(number):
        arms = posterior_windows.start(4)
        arms.size[:] = 2.0 ** rng.integers(0, 21, 4)
        arms.batch[:] = 2 * arms.size
        arms.done[:] = rng.integers(arms.batch)
        arms.mean[:] = rng.uniform(-0.2, 1.2, 4) if rng.random() < 0.3 else rng.uniform(0.0, 1.0, 4)
        t, scale = int(10 ** rng.uniform(0.7, 6)), 10.0 ** rng.uniform(-1.5, 2.5)
        window = posterior_windows.look_ahead(arms, t, 10**9, scale, make_scratch(4))
        if window.until > t:
            yield arms, t, scale, window


def probabilities(arms: posterior_windows.Arms, t: int, scale: float) -> Floats:
    """Return those of round ``t``, without a window."""
    m = np.clip(arms.mean + scale * math.log(t) / arms.size, 0.0, 1.0)
    return by_quadrature(m, arms.size)


@pytest.mark.slow
@pytest.mark.parametrize("number", [90, 300])
def test_a_window_has_the_probabilities_of_its_rounds(number: int) -> None:
    """All of a window's rounds together are off by `ERROR` at most, in total variation, or each by `ROUNDING`."""
    rng = np.random.default_rng([ROOT, 2])
    moving = 0
    for arms, t, scale, window in windows(number):
        assert t < window.until <= 10**9
        p, before = np.empty(4), probabilities(arms, t + 1, scale)
        for s in rng.integers(t + 1, window.until, 8, endpoint=True):
            chebyshev.evaluate(arms.coefficients, window.degree, posterior_windows._at(window, float(s)), p)
            error = np.abs(p - probabilities(arms, int(s), scale)).sum() / 2
            rounds = window.until - t
            assert error <= max(5 * posterior_windows.ROUNDING, posterior_windows.ERROR / rounds), (
                arms,
                t,
                s,
                scale,
                error,
            )
            moving += np.abs(p - before).max() > 1e-3
    assert moving > 2 / 3 * number


def test_settled_rounds_are_certain() -> None:
    """In no round of a part is an arm less probable than is settled, nor can its batch end before the part does."""
    rng = np.random.default_rng([ROOT, 3])
    used = 0
    for arms, t, scale, window in windows(400):
        rounds, settled = posterior_windows._part(arms, window, t, window.until)
        assert 1 <= rounds <= window.until - t
        assert rounds <= posterior_windows.ALONE or (1.0 - settled) * rounds <= posterior_windows.ALONE
        assert settled == pytest.approx(arms.certain.sum())
        assert settled < 1.0 + 1e-12
        highest = np.zeros(4)
        for s in {t + 1, t + rounds, *rng.integers(t + 1, t + rounds, 8, endpoint=True).tolist()}:
            p = probabilities(arms, int(s), scale)
            assert np.all(p >= arms.certain - 1e-11), (arms, t, s, scale)
            highest = np.maximum(highest, p)
        need = arms.batch - arms.done
        late = special.bdtrc(np.minimum(need, rounds) - 1.0, rounds, np.minimum(highest, 1.0))
        ends = (arms.certain > 0.0) & (need < rounds)
        assert np.all(late[ends] < 1e-16)
        used += rounds > 100
    assert used > 100


@pytest.mark.parametrize(
    ("good", "bad", "drawn"), [(3, 5, 4), (40, 1000, 300), (10**6, 10**7, 10**5), (1, 10**12, 7)]
)
def test_hypergeometric_draws_have_their_law(good: int, bad: int, drawn: int) -> None:
    """Chi-square over twelve bins at most, at a level of 1e-6."""
    state = streams(ROOT, f"hypergeometric {good} {bad} {drawn}", np.arange(1))[0]
    found = np.array([hypergeometric(state, good, bad, drawn) for _ in range(20_000)])
    # By ratios of neighbouring terms: SciPy takes minutes for a population of 10^12.
    drawn_good = np.arange(max(0, drawn - bad), min(good, drawn) + 1)
    x = drawn_good[:-1].astype(float)
    terms = np.cumsum(np.log((good - x) * (drawn - x)) - np.log((x + 1) * (bad - drawn + x + 1)))
    law = np.exp(np.concatenate([[0.0], terms]) - max(0.0, terms.max()))
    at_most = np.cumsum(law) / law.sum()
    edges = np.unique(drawn_good[np.searchsorted(at_most, np.arange(1, 12) / 12)])
    share = np.diff(np.concatenate([[0.0], at_most[edges - drawn_good[0]], [1.0]]))
    count = np.bincount(np.searchsorted(edges, found), minlength=share.size)
    seen = share * found.size > 5.0
    assert np.all(count[~seen] <= 30)
    if seen.sum() > 1:
        assert stats.chisquare(count[seen], share[seen] * count[seen].sum() / share[seen].sum()).pvalue > 1e-6


def test_an_order_is_one_order_wherever_it_is_looked_at() -> None:
    """It grows by one round at a time, to all of them, and each arm is as likely to be first as it has rounds."""
    counts, room = np.array([5, 0, 11, 1]), (np.empty(4, np.int64), np.empty(4, np.uint64))
    first = np.zeros(4, np.int64)
    for state in streams(ROOT, "orders", np.arange(2000)):
        before, found = np.zeros(4, np.int64), np.empty(4, np.int64)
        for place in range(counts.sum() + 1):
            first_of_order(state, counts.copy(), place, found, *room)
            assert found.sum() == place and np.all(found >= before)
            first += found if place == 1 else 0
            before = found.copy()
        assert np.array_equal(found, counts)
    assert first[1] == 0
    assert stats.chisquare(first[[0, 2, 3]], 2000 * counts[[0, 2, 3]] / 17).pvalue > 1e-6
