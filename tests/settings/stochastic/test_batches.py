"""Eq. 14, exactly: batch sizes by rational arithmetic, which floating point gets wrong."""

from __future__ import annotations

import math
from fractions import Fraction

import literal
import numpy as np
import pytest

from dpbandits.settings.stochastic.batches import cumulative_pulls, polynomial_pulls

ALPHAS = (1.01, 1.1, 1.25, 1.3, 1.5, 1.9, 2, 2.0, 2.5, 3, 3.7, 10.0)
FIRST = (1, 2, 3, 7, 100)
HORIZON = 10**6


def sizes(n0: int, alpha: float, horizon: int) -> list[int]:
    """Return the batches that end at or before the horizon."""
    return np.diff(cumulative_pulls(n0, alpha, horizon)[:-1], prepend=0).tolist()


def by_floating_point(n0: int, alpha: float, m: int) -> int:
    """Eq. 14 as one would type it."""
    return math.ceil(n0 * (alpha ** (m + 1) - 1) / (alpha - 1)) - math.ceil(n0 * (alpha**m - 1) / (alpha - 1))


def test_one_tenth():
    """n_m = ceil(10 (1.1^(m+1) - 1)) = 1, 3, 4, 5, 7, 8, 10, 12, ... by hand."""
    assert sizes(1, 1.1, 1000)[:12] == [1, 2, 1, 1, 2, 1, 2, 2, 2, 2, 3, 3]


@pytest.mark.parametrize("alpha", [2, 2.0, 3, 3.0, 10.0])
@pytest.mark.parametrize("n0", FIRST)
def test_integer_ratios(n0, alpha):
    """azize2025, below eq. 14: B_m = n0 alpha^m for an integer alpha."""
    found = sizes(n0, alpha, 10**15)
    assert found == [n0 * int(alpha) ** m for m in range(len(found))]
    assert len(found) >= 12


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("n0", FIRST)
def test_rational_formula(n0, alpha):
    size = literal.batch_sizes(n0, str(alpha))
    found = sizes(n0, alpha, HORIZON)
    assert found == [size(m) for m in range(len(found))]
    # The next batch does not end before the horizon: none is missing.
    assert sum(found) <= HORIZON < sum(found) + size(len(found))
    a = Fraction(str(alpha))
    for m, total in enumerate(np.cumsum(found).tolist()):
        exact = n0 * (a ** (m + 1) - 1) / (a - 1)
        assert 0 <= total - exact < 1


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("horizon", [1, 2, 3, 100, 10**15, 2**52])
def test_table(alpha, horizon):
    """Strictly increasing, and it ends with the first n_m beyond the horizon, as T + 1."""
    for n0 in FIRST:
        table = cumulative_pulls(n0, alpha, horizon)
        assert table.dtype == np.int64
        assert table[0] == min(n0, horizon + 1)
        assert np.all(np.diff(table) > 0)
        assert table[-1] == horizon + 1
        assert np.all(table[:-1] <= horizon)


def test_numpy_numbers_are_read_like_python_numbers():
    for alpha in (1.1, 1.3, 2.0):
        expected = cumulative_pulls(1, alpha, 1000)
        assert np.array_equal(cumulative_pulls(1, np.float64(alpha), 1000), expected)


@pytest.mark.parametrize(
    ("n0", "alpha", "m", "right", "typed"),
    [(100, 1.1, 2, 121, 122), (7, 1.3, 0, 7, 8), (10, 1.2, 1, 12, 13), (10, 1.9, 0, 10, 11)],
)
def test_floating_point_gets_it_wrong(n0, alpha, m, right, typed):
    """Where n_m is a whole number, a rounding error upwards costs a pull: hence the fractions."""
    assert sizes(n0, alpha, HORIZON)[m] == right
    assert by_floating_point(n0, alpha, m) == typed


def test_alpha_is_the_decimal_it_is_written_as():
    """The double next to 1.1 is a little larger than 1.1: taken literally, 10 (1 + 1.1) = 21 becomes 22."""
    assert sizes(10, 1.1, HORIZON)[:3] == [10, 11, 13]
    double = Fraction(1.1)
    assert math.ceil(10 * (double**2 - 1) / (double - 1)) - 10 == 12


def test_polynomial_batches_are_squares():
    """Of degree 2 with a first batch of 1 the batches are 1, 4, 9 and so on: our choice, for a degree left open."""
    pulls = polynomial_pulls(1, 2, 10**4)
    assert list(np.diff(pulls, prepend=0)[:5]) == [1, 4, 9, 16, 25]
