"""Distribution functions, quantiles, arrays and fits: right, and the same on every processor."""

from __future__ import annotations

import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from dpbandits.core import arrays
from dpbandits.core.distributions import (
    beta_below,
    beta_quantile,
    binomial_quantile,
    binomial_quantile_above,
    normal_above,
    normal_quantile,
    student_above,
    student_quantile,
)


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.3, 1.0, 2.4999, 2.5, 5.0, 20.0, 37.0])
def test_normal(z: float) -> None:
    """To 13 digits, in the tails too."""
    exact = float(mpmath.erfc(mpmath.mpf(z) / mpmath.sqrt(2)) / 2)
    assert normal_above(z) == pytest.approx(exact, rel=2e-13)
    assert normal_above(-z) == pytest.approx(1.0 - exact, rel=1e-15)
    if 0.0 < z < 30.0:
        assert normal_quantile(normal_above(z)) == pytest.approx(z, rel=1e-9)


@pytest.mark.parametrize("degrees", [0.7, 1.0, 2.0, 9.0, 99.5, 1e4, 1e6])
@pytest.mark.parametrize("t", [-3.0, 0.0, 0.1, 1.0, 5.0, 40.0])
def test_student(t: float, degrees: float) -> None:
    with mpmath.workdps(40):
        share = mpmath.mpf(degrees) / (degrees + mpmath.mpf(t) ** 2)
        exact = mpmath.betainc(mpmath.mpf(degrees) / 2, mpmath.mpf(1) / 2, 0, share, regularized=True) / 2
        exact = float(exact if t >= 0 else 1 - exact)
    if exact > 1e-200:
        assert student_above(t, degrees) == pytest.approx(exact, rel=1e-10)


def test_quantiles_are_those_of_scipy() -> None:
    for degrees in (1.0, 3.0, 19.0, 9999.0):
        for above in (0.4, 0.025, 1e-6):
            assert student_quantile(above, degrees) == pytest.approx(-special.stdtrit(degrees, above), rel=1e-9)
    assert student_quantile(0.025, np.inf) == pytest.approx(normal_quantile(0.025), rel=1e-14)
    for a, b in ((1.0, 10.0), (5.0, 1e6), (3e5, 7e5), (0.5, 3.2)):
        for share in (1e-6, 0.01, 0.99):
            assert beta_quantile(a, b, share) == pytest.approx(special.betaincinv(a, b, share), rel=1e-9)
            assert beta_below(a, b, 0.3, 0.7) == pytest.approx(special.betainc(a, b, 0.3), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("n", [1, 30, 10_000])
@pytest.mark.parametrize("p", [0.5, 0.05, 1.0])
def test_binomial_quantiles_are_right(n: int, p: float) -> None:
    for tail in (0.47, 0.3, 0.025, 1e-9, 1e-300):
        assert binomial_quantile(tail, n, p) == stats.binom.ppf(tail, n, p)
        # SciPy's isf subtracts the tail from 1, and loses it.
        found = binomial_quantile_above(tail, n, p)
        assert stats.binom.sf(found, n, p) <= tail < stats.binom.sf(found - 1, n, p)


def test_arrays_are_those_of_numpy() -> None:
    """Shapes are kept, numbers too."""
    x = np.random.default_rng(1).uniform(0.1, 9.0, (3, 4))
    for name in ("log", "log2", "exp", "expm1", "cos"):
        assert getattr(arrays, name)(x.T) == pytest.approx(getattr(np, name)(x.T), rel=1e-14)
    assert arrays.power(x, 2.5) == pytest.approx(x**2.5, rel=1e-14)
    assert arrays.power(x, x[0]).shape == (3, 4)
    assert arrays.log([0.0, 1.0]).tolist() == [-np.inf, 0.0]
    assert arrays.slope(x[0], 3.0 * x[0] - 1.0) == pytest.approx(3.0)
    assert arrays.slope(x[0], x[1]) == pytest.approx(np.polyfit(x[0], x[1], 1)[0])
    assert arrays.distance(np.array([3.0, np.inf]), np.array([4.0, np.nan])).tolist() == [5.0, np.inf]


# What fits, limits and losses of the tables are computed by, every bit of it.
TABLES = """\
import hashlib
import numpy as np
import pandas as pd
from dpbandits.auditing.bounds import approximate_bounds, loss_bound
from dpbandits.auditing.composition import epsilon_at
from dpbandits.claims.estimate import limits_of, quotient, student
from dpbandits.claims.kinds.exponent import fitted, with_relative_errors
from dpbandits.runs.aggregate import statistics

random = np.random.default_rng(1)
regret = random.exponential(10.0, (300, 7)) * np.arange(1, 8)
made = hashlib.sha256()
for name, column in statistics(regret, 0.95).items():
    made.update(column.tobytes())
print(made.hexdigest(), "aggregate")
for which in ("mean", "median", "q95"):
    one, other = (limits_of(which, regret[:, k], 0.0, 1e4) for k in (0, 3))
    limits = quotient(one, other)
    found = limits.estimate()
    print(hashlib.sha256(limits.lower.tobytes() + limits.upper.tobytes()).hexdigest(), which)
    print(found.value, found.low, found.high, [found.tails(c) for c in (0.1, 0.24, 1.0)])
table = pd.DataFrame({"x": [1e2, 1e3, 1e4, 1e5, 1e6], "mean": random.uniform(1, 9, 5), "sd": 1.0, "runs": 50})
slope = fitted(with_relative_errors(table), "x")
print(slope.value, slope.low, slope.high, slope.tails(0.1))
print([student(0.3, 0.1, k, True).tails(0.2) for k in (1.5, 30.0, 1e5)])
print([loss_bound(one, other, 10**5, 1e-5, 0.01) for one, other in ((500, 200), (99999, 3), (40000, 39000))])
print(approximate_bounds(np.array([5, 500]), np.array([3, 200]), 1000, 0.0, 3.0).tolist())
print(epsilon_at(np.array([0.1, 0.3, 0.3]), 1e-3))
"""
OLD = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Prescott",
}


@pytest.mark.slow
def test_tables_have_the_same_bits_on_an_old_processor() -> None:
    """With other variants of libm, NumPy and BLAS, fits, limits and losses are the same to the last bit."""
    here, there = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", TABLES], env=os.environ | more, capture_output=True, check=True
        ).stdout
        for more in ({}, OLD)
    )
    assert here.count(b"\n") >= 10
    assert here == there
