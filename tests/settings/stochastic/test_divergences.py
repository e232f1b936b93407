"""kl, d_eps and their inverses against 60-digit arithmetic, against their definitions, and by properties."""

from __future__ import annotations

import itertools
import math

import literal
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy.optimize import minimize_scalar

from dpbandits.settings.stochastic.divergences import budget, d_eps, d_eps_upper, kl, kl_upper

EPSILONS = (1e-4, 1e-2, 0.1, 0.5, 1.0, 3.0, 10.0, 20.0)
LEVELS = (1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.03, 0.3, 1.0, 5.0, 18.0, 40.0)
CENTRES = (0.0, 1e-12, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.8, 0.999, 1 - 1e-6, 1 - 1e-12, 1.0)
# Every centre with neighbours at tiny distances.
GRID = sorted({x for c in CENTRES for d in (0.0, 1e-9, -1e-9, 1e-4, -1e-4) if 0.0 <= (x := c + d) <= 1.0})

unit = st.floats(0.0, 1.0, allow_subnormal=False)
budgets = st.floats(1e-4, 20.0)
levels = st.floats(1e-12, 40.0)
by_property = settings(derandomize=True, deadline=None, max_examples=300)


@pytest.fixture(autouse=True)
def digits():
    """Work with 60 digits."""
    with mpmath.workdps(60):
        yield


def exact_kl(p: float | mpf, q: float | mpf) -> mpf:
    """Return kl to 60 digits."""
    if p == q:
        return mpf(0)
    if q in (0, 1):
        return mpf("inf")
    p, q = mpf(p), mpf(q)
    success = p * mpmath.log(p / q) if p else mpf(0)
    return success + ((1 - p) * mpmath.log((1 - p) / (1 - q)) if p < 1 else mpf(0))


def minimiser(x: mpf, y: mpf, epsilon: float) -> mpf:
    """Return z of Lemma F.1."""
    factor = mpmath.exp(mpf(epsilon))
    if x <= y:
        return max(x, y / (y + (1 - y) * factor))
    return min(x, y * factor / (y * factor + 1 - y))


def exact_d_eps(x: float | mpf, y: float | mpf, epsilon: float) -> mpf:
    """Return d_eps to 60 digits (eqs. 31 and 32)."""
    x, y = mpf(x), mpf(y)
    z = minimiser(x, y, epsilon)
    return exact_kl(z, y) + mpf(epsilon) * abs(z - x)


def test_kl_to_60_digits():
    for p, q in itertools.product(GRID, GRID):
        value, exact = kl(p, q), exact_kl(p, q)
        if exact == mpf("inf"):
            assert value == math.inf
        else:
            assert abs(value - exact) <= 4e-16 + 1e-15 * exact, (p, q)


@pytest.mark.parametrize("p", [0.001, 0.02, 0.3, 0.5, 0.77, 0.98, 0.999])
@pytest.mark.parametrize("difference", [1e-2, 1e-3, 2e-4, 1e-5, 1e-7, 1e-9, -1e-9, -1e-7, -1e-4])
def test_kl_is_relatively_accurate_between_neighbours(p, difference):
    """Counts reach 1e15: n kl must be right where kl is 1e-15. The plain formula has no digit left there."""
    q = p + difference
    # 1 - p and 1 - q are rounded; further apart the plain formula is right to 1e-16.
    rel = 2.5e-16 / abs(difference) + 1e-10 / min(p, 1.0 - p)
    if 0.0 < q < 1.0:
        assert kl(p, q) == pytest.approx(float(exact_kl(p, q)), rel=rel, abs=0.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_d_eps_to_60_digits(epsilon):
    privacy = budget(epsilon)
    for x, y in itertools.product(GRID, GRID):
        value, exact = d_eps(x, y, privacy), exact_d_eps(x, y, epsilon)
        tolerance = 1e-15 * (1.0 + epsilon)
        if x > y > 0.0:
            # The mirror image rounds 1 - y: the error of half a unit in the last place of 1, propagated.
            tolerance += 1.2e-16 * (minimiser(mpf(x), mpf(y), epsilon) - y) / (mpf(y) * (1 - mpf(y)))
        assert abs(value - exact) <= tolerance, (x, y, epsilon, value, float(exact))


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 20.0, 36.0, 40.0, 100.0, 1000.0])
def test_d_eps_at_the_ends(epsilon):
    """d_eps(x, 1) = epsilon (1 - x): no kl is involved, and nothing is infinite at any budget."""
    privacy = budget(epsilon)
    for x in (0.0, 0.25, 0.5, 1.0):
        assert d_eps(x, 1.0, privacy) == pytest.approx(epsilon * (1.0 - x), rel=1e-13)
        assert d_eps(1.0 - x, 0.0, privacy) == pytest.approx(epsilon * (1.0 - x), rel=1e-13)


@pytest.mark.parametrize("epsilon", [30.0, 60.0, 100.0, 1000.0])
def test_large_budgets_are_no_privacy(epsilon):
    """Where kl(x, y) is the infimum and epsilon is large, the index is KL-UCB's."""
    privacy = budget(epsilon)
    for x, level in itertools.product((0.1, 0.5, 0.9), (1e-3, 0.1, 1.0)):
        assert d_eps_upper(x, level, privacy) == pytest.approx(kl_upper(x, level), abs=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_d_eps_is_the_infimum(epsilon):
    """Eq. 6: no z does better, and the best z does as well. The literal implementation likewise."""
    privacy = budget(epsilon)
    points = (0.0, 1e-6, 0.02, 0.3, 0.3 + 1e-9, 0.5, 0.9, 1 - 1e-6, 1.0)
    for x, y in itertools.product(points, points):
        low, high = min(x, y), max(x, y)

        def objective(z, x=x, y=y):
            return literal.kl(z, y) + epsilon * abs(z - x)

        candidates = [objective(low), objective(high)]
        candidates += [objective(low + (high - low) * i / 200) for i in range(1, 200)]
        if high - low > 1e-6 and 0.0 < y < 1.0:
            found = minimize_scalar(objective, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
            candidates.append(found.fun)
        infimum = min(candidates)
        for value in (d_eps(x, y, privacy), literal.d_eps(x, y, epsilon)):
            assert value <= infimum + 1e-14 * (1.0 + epsilon), (x, y)
            # Near 0 and 1 the minimiser is closer to the end than any finite search gets.
            assert value >= infimum - 2e-7 * (1.0 + epsilon), (x, y)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("y", [0.001, 0.2, 0.5, 0.9, 0.999])
def test_d_eps_is_smooth_where_the_regime_changes(epsilon, y):
    """The branches of eq. 8 meet with the same value and slope: a jump of 1e-12 would show."""
    privacy = budget(epsilon)
    boundary = y / (y + (1.0 - y) * math.exp(epsilon))
    at = d_eps(boundary, y, privacy)
    assert at == pytest.approx(float(exact_kl(boundary, y)), rel=1e-11, abs=2e-16)
    step = 1e-6 * boundary
    left = d_eps(boundary - step, y, privacy)
    right = d_eps(boundary + step, y, privacy)
    # Slope -epsilon on both sides; the curvature of kl adds step^2/(2 x (1-x)) at most.
    bend = step**2 / (boundary * (1.0 - boundary)) + 2e-15 * (1.0 + epsilon)
    assert abs(left - at - epsilon * step) <= bend
    assert abs(right - at + epsilon * step) <= bend


def resolution(x: float, y: float) -> mpf:
    """Return how well y is determined by kl(x, y) to 1e-15 (4e-16 rounding, seen through the slope)."""
    slope = max((y - x) / (y * (1.0 - y)), 1e-9) if 0.0 < y < 1.0 else 1.0
    return mpf(1e-15 + 4e-16 / slope if y - x > 1e-3 * min(x + y, 2.0 - x - y) else 1e-15)


def test_kl_upper_brackets_the_root():
    """The exact divergence passes the level next to the answer."""
    for p, level in itertools.product(GRID, LEVELS):
        q = kl_upper(p, level)
        assert p <= q <= 1.0
        tiny = resolution(p, q)
        assert exact_kl(p, max(mpf(p), q - tiny)) <= level, (p, level)
        if q + tiny < 1:
            assert exact_kl(p, q + tiny) > level, (p, level)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_d_eps_upper_brackets_the_root(epsilon):
    for x, level in itertools.product(GRID, LEVELS):
        y = d_eps_upper(x, level, budget(epsilon))
        assert x <= y <= 1.0
        tiny = resolution(x, y)
        assert exact_d_eps(x, max(mpf(x), y - tiny), epsilon) <= level, (x, level)
        if y + tiny < 1:
            assert exact_d_eps(x, y + tiny, epsilon) > level, (x, level)


def test_upper_ends():
    privacy = budget(0.5)
    for level in (0.0, 1e-12, 1.0, 1e6):
        assert kl_upper(1.0, level) == d_eps_upper(1.0, level, privacy) == 1.0
    for p in GRID:
        assert kl_upper(p, 0.0) == p
        assert d_eps_upper(p, 0.0, privacy) == pytest.approx(p, abs=1e-15)
    assert kl_upper(0.0, math.log(2.0)) == pytest.approx(0.5, rel=1e-15)
    # d_eps(x, 1) = epsilon (1 - x) is finite: a high enough level allows y = 1, a lower one does not.
    assert d_eps_upper(0.25, 0.5 * 0.75 * (1 + 1e-12), privacy) == 1.0
    assert d_eps_upper(0.25, 0.5 * 0.75 * (1 - 1e-9), privacy) < 1.0


def test_literal_indices_agree():
    """The tests' own root finding, on its own definition of d_eps, finds the same indices."""
    rng = np.random.default_rng(20250801)
    for _ in range(300):
        epsilon, x = 10.0 ** rng.uniform(-3, 0.5), rng.choice([0.0, 0.01, 0.5, 0.99, 1.0, rng.random()])
        level = 10.0 ** rng.uniform(-5, 1)
        assert d_eps_upper(x, level, budget(epsilon)) == pytest.approx(
            literal.d_eps_index(x, level, epsilon), abs=1e-11
        )
        assert kl_upper(x, level) == pytest.approx(-math.expm1(-literal.kl_index(x, level)), abs=1e-11)


@by_property
@given(unit, unit, budgets)
def test_bounds_and_symmetry(x, y, epsilon):
    privacy = budget(epsilon)
    value = d_eps(x, y, privacy)
    slack = 1e-15 * (1.0 + epsilon)
    # Above y both are mirrored: 1 - y is rounded by 2**-53 at most, which moves kl by that times its derivative.
    mirrored = 2.0**-53 * (x - y) / (y * (1.0 - y)) if x > y > 0.0 else 0.0
    assert 0.0 <= value <= min(kl(x, y), epsilon * abs(x - y)) + slack + mirrored
    assert kl(x, y) >= 2.0 * (x - y) ** 2 - 1e-15
    # 1 - x is exact only for multiples of 2**-53.
    x, y = round(x * 2**40) / 2**40, round(y * 2**40) / 2**40
    assert d_eps(1.0 - x, 1.0 - y, privacy) == pytest.approx(d_eps(x, y, privacy), abs=10 * slack)
    assert kl(1.0 - x, 1.0 - y) == pytest.approx(kl(x, y), rel=1e-12, abs=1e-15)


@by_property
@given(st.lists(unit, min_size=3, max_size=3).map(sorted), budgets, budgets)
def test_monotone(points, epsilon, other):
    low, middle, high = points
    privacy = budget(epsilon)
    slack = 2e-15 * (1.0 + epsilon)
    assert d_eps(low, middle, privacy) <= d_eps(low, high, privacy) + slack
    assert d_eps(middle, high, privacy) <= d_eps(low, high, privacy) + slack
    assert d_eps(low, high, budget(min(epsilon, other))) <= (
        d_eps(low, high, budget(max(epsilon, other))) + 1e-15 * (1.0 + max(epsilon, other))
    )


@by_property
@given(unit, levels, levels, budgets)
def test_upper_is_monotone_and_inverts(x, level, other, epsilon):
    privacy = budget(epsilon)
    y = d_eps_upper(x, level, privacy)
    assert d_eps_upper(x, min(level, other), privacy) <= d_eps_upper(x, max(level, other), privacy) + 1e-15
    assert kl_upper(x, level) <= y + 4e-16
    if y < 1.0:
        # Where d_eps is steep at y, a rounding of y itself moves it.
        slope = (y - x) / (y * (1.0 - y)) if y > 0.0 else 0.0
        assert d_eps(x, y, privacy) == pytest.approx(
            level, rel=1e-12, abs=1e-14 + 4e-16 * min(slope, math.exp(epsilon))
        )
    else:
        assert d_eps(x, 1.0, privacy) <= level + 1e-15 * (1.0 + epsilon) or x == 1.0
