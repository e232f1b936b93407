"""Elementary functions of arrays, and fits, with the same bits on every processor.

NumPy's logarithms and exponentials, and LAPACK, which fits call, run other code on other instruction sets. NumPy's
sums do not: they add in one order, in blocks of eight sums. A sum has no product that could be fused with it.
What is returned for each element has the shape of the values given.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.core import mathematics
from dpbandits.core.compiled import kernel

Floats = NDArray[np.float64]


def _compiled(function: Callable[[float], float]) -> Callable[[Floats, Floats], None]:
    """Return a kernel that fills an array with a function of each element of another."""

    def loop(values: Floats, found: Floats) -> None:
        for i in range(values.size):
            found[i] = function(values[i])

    # Kernels are known, and cached, by their names.
    loop.__name__ = loop.__qualname__ = f"_{function.__name__}s"
    return kernel(loop)


_log, _log2, _exp, _expm1, _cos = map(
    _compiled,
    (
        mathematics.log,
        mathematics.log2,
        mathematics.exp,
        mathematics.expm1,
        mathematics.cos,
    ),
)


@kernel
def _power(bases: Floats, exponents: Floats, found: Floats) -> None:
    for i in range(bases.size):
        found[i] = mathematics.power(bases[i], exponents[i])


def _each(function: Callable[..., None], *given: ArrayLike) -> Floats:
    arrays = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in given))
    found = np.empty(arrays[0].shape)
    function(*(np.ascontiguousarray(values).reshape(-1) for values in arrays), found.reshape(-1))
    return found


def log(values: ArrayLike) -> Floats:
    """Return the natural logarithm of each element: minus infinity at 0, NaN below."""
    return _each(_log, values)


def log2(values: ArrayLike) -> Floats:
    """Return the logarithm to the base 2 of each element, exact at powers of 2."""
    return _each(_log2, values)


def exp(values: ArrayLike) -> Floats:
    """Return e^x of each element x."""
    return _each(_exp, values)


def expm1(values: ArrayLike) -> Floats:
    """Return e^x - 1 of each element x, exact to the last digits near 0 too."""
    return _each(_expm1, values)


def cos(values: ArrayLike) -> Floats:
    """Return the cosine of each element, an angle in radians."""
    return _each(_cos, values)


def power(bases: ArrayLike, exponents: ArrayLike) -> Floats:
    """Return each base to its exponent; shapes are broadcast."""
    return _each(_power, bases, exponents)


def slope(x: Floats, y: Floats) -> float:
    """Return the slope of the least-squares line through the points (x, y), each of shape (points,).

    ``x`` has at least two different values.
    """
    centred = x - x.mean()
    return float((centred * (y - y.mean())).sum() / (centred * centred).sum())


def distance(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return sqrt(x^2 + y^2) for elements x of ``first`` and y of ``second``, whose shapes are broadcast.

    It is infinite if x or y is, as with ``numpy.hypot``.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    found = np.sqrt(x * x + y * y)
    return np.where(np.isinf(x) | np.isinf(y), np.inf, found)
