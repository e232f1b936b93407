"""Elementary functions of arrays, and fits, with the same bits on every processor.

NumPy's logarithms and exponentials have other code for other instruction sets; LAPACK, that fits call, too. NumPy's
sums do not: they add in one order, in blocks of eight sums, and a sum has no product that could be fused with it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.core import mathematics
from dpbandits.core.compiled import kernel

Floats = NDArray[np.float64]


@kernel
def _logs(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = mathematics.log(values[i])


@kernel
def _log2s(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = mathematics.log2(values[i])


@kernel
def _log1ps(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = mathematics.log1p(values[i])


@kernel
def _exponentials(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = mathematics.exp(values[i])


@kernel
def _expm1s(values: Floats, found: Floats) -> None:
    for i in range(values.size):
        found[i] = mathematics.expm1(values[i])


@kernel
def _powers(bases: Floats, exponents: Floats, found: Floats) -> None:
    for i in range(bases.size):
        found[i] = mathematics.power(bases[i], exponents[i])


def _each(function: Callable[..., None], *given: ArrayLike) -> Floats:
    arrays = np.broadcast_arrays(*(np.asarray(values, dtype=np.float64) for values in given))
    found = np.empty(arrays[0].shape)
    function(*(np.ascontiguousarray(values).reshape(-1) for values in arrays), found.reshape(-1))
    return found


def log(values: ArrayLike) -> Floats:
    """Return natural logarithms; of 0 minus infinity, of what is below NaN."""
    return _each(_logs, values)


def log2(values: ArrayLike) -> Floats:
    """Return logarithms to the base 2, of powers of 2 exactly."""
    return _each(_log2s, values)


def log1p(values: ArrayLike) -> Floats:
    """Return log(1 + x)."""
    return _each(_log1ps, values)


def exp(values: ArrayLike) -> Floats:
    """Return exponentials."""
    return _each(_exponentials, values)


def expm1(values: ArrayLike) -> Floats:
    """Return exp(x) - 1."""
    return _each(_expm1s, values)


def power(bases: ArrayLike, exponents: ArrayLike) -> Floats:
    """Return powers, broadcast."""
    return _each(_powers, bases, exponents)


def slope(x: Floats, y: Floats) -> float:
    """Return the slope of the least-squares line through points; ``x`` has two values or more."""
    centred = x - x.mean()
    return float((centred * (y - y.mean())).sum() / (centred * centred).sum())


def distance(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the roots of sums of two squares, shapes broadcast; infinite where one is, as ``hypot`` has it."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    found = np.sqrt(x * x + y * y)
    return np.where(np.isinf(x) | np.isinf(y), np.inf, found)
