"""Functions on [-1, 1] by Chebyshev series, from their values at 2^j + 1 nested points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner

# Degree of the longest series.
DEGREE = 16


def _cosines(n: int) -> NDArray[np.float64]:
    """Return cos(pi i/n) for i = 0 to 2 n, n a power of 2, by halving angles: square roots alone."""
    c = np.array([1.0, 0.0, -1.0])
    while c.size <= n:
        half = np.sqrt((1.0 + c) / 2.0)
        c = np.concatenate([half, -half[-2::-1]])
    return np.concatenate([c, c[-2::-1]])


COSINES = _cosines(DEGREE)


@inner
def point(i: int) -> float:
    """Return the point number ``i``, cos(pi i/DEGREE): from 1 for i = 0 to -1 for i = DEGREE.

    The points of a series of lower degree are among them.
    """
    return float(COSINES[i])


@inner
def fit(values: NDArray[np.float64], degree: int, coefficients: NDArray[np.float64]) -> None:
    """Compute the coefficients of each function's Chebyshev series through its values at degree + 1 points.

    Parameters
    ----------
    values : ndarray of float64, shape (functions, DEGREE + 1)
        Values at the points 0 to DEGREE of `point`; every (DEGREE/degree)-th is used.
    degree
        Degree of the series, a power of 2 up to DEGREE.
    coefficients : ndarray of float64, shape (functions, DEGREE + 1)
        Coefficients of the series; the first degree + 1 of each row are filled in.
    """
    step = DEGREE // degree
    for k in range(values.shape[0]):
        for n in range(degree + 1):
            # At both ends a half, of the points and of the coefficients.
            total = 0.5 * (values[k, 0] + (values[k, DEGREE] if n % 2 == 0 else -values[k, DEGREE]))
            for i in range(1, degree):
                total += values[k, i * step] * COSINES[(n * i * step) % (2 * DEGREE)]
            coefficients[k, n] = total * (1.0 if n in (0, degree) else 2.0) / degree


@inner
def evaluate(coefficients: NDArray[np.float64], degree: int, x: float, out: NDArray[np.float64]) -> None:
    """Fill ``out`` with all functions' values at -1 <= x <= 1 (Clenshaw).

    Parameters
    ----------
    coefficients : ndarray of float64, shape (functions, DEGREE + 1)
        Coefficients of each function's series, up to ``degree``.
    degree
        Degree of the series.
    out : ndarray of float64, shape (functions,)
        The values, filled in.
    """
    for k in range(out.size):
        later, latest = 0.0, 0.0
        for n in range(degree, 0, -1):
            later, latest = 2.0 * x * later - latest + coefficients[k, n], later
        out[k] = x * later - latest + coefficients[k, 0]


@inner
def bend(coefficients: NDArray[np.float64], degree: int, k: int) -> float:
    """Return an upper bound on [-1, 1] of the absolute second derivative of the series of function ``k``.

    ``coefficients``, shape (functions, DEGREE + 1), has in each row a function's coefficients, up to ``degree``.
    """
    # That of the Chebyshev polynomial T_n is at most n^2 (n^2 - 1)/3.
    total = 0.0
    for n in range(2, degree + 1):
        total += abs(coefficients[k, n]) * (n * n * (n * n - 1)) / 3.0
    return total


@inner
def last_terms(coefficients: NDArray[np.float64], degree: int) -> float:
    """Return the sum of the absolute last coefficients of all functions, taken as a bound of the series' error.

    ``coefficients``, shape (functions, DEGREE + 1), has in each row a function's coefficients, up to ``degree``, a
    power of 2. From degree 4 on, the last two of each function count: if it is even or odd, one of them is 0.
    """
    total = 0.0
    for k in range(coefficients.shape[0]):
        total += abs(coefficients[k, degree])
        if degree > 2:
            total += abs(coefficients[k, degree - 1])
    return total
