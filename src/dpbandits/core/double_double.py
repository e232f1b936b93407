"""Arithmetic with numbers in two doubles, and with a double's bits: what `dpbandits.core.mathematics` is made of.

A number in two doubles is their exact sum: ``high`` is the number rounded to a double, ``low`` the rest. Each
operation is one of IEEE 754, so results have the same bits on every processor.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core.compiled import jitable

# Masks that keep the upper 21, or 26, bits of a double's significand, its implicit first bit included.
UPPER_21, UPPER_26 = -0x100000000, -0x8000000


@jitable
def bits(x: float) -> int:
    """Return the bits of a double as an integer."""
    return int(np.float64(x).view(np.int64))


@jitable
def double(integer: int) -> float:
    """Return the double that has the bits of an integer."""
    return float(np.int64(integer).view(np.float64))


@jitable
def upper(x: float, mask: int) -> float:
    """Return ``x`` with all but the first 21 or 26 bits of its significand set to 0.

    ``mask`` is `UPPER_21` or `UPPER_26`. The product of two such numbers is exact: it has at most 52 bits.
    """
    return double(bits(x) & mask)


@jitable
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return (high, low) with a + b = high + low exactly (Knuth 1969), if it does not overflow."""
    high = a + b
    other = high - a
    return high, (a - (high - other)) + (b - other)


@jitable
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return (high, low), a b rounded and the rest, to about 2^-77 of a b (after Dekker 1971).

    Nothing may overflow or underflow.
    """
    a1, b1 = upper(a, UPPER_26), upper(b, UPPER_26)
    a2, b2 = a - a1, b - b1
    high = a * b
    return high, ((a1 * b1 - high) + (a1 * b2 + a2 * b1)) + a2 * b2


@jitable
def scaled(high: float, low: float, factor: float, factor_low: float) -> tuple[float, float]:
    """Return (high, low), the product of two numbers that are each in two doubles.

    Parameters
    ----------
    high, low
        One number: the sum of both, ``low`` a rounding error of ``high``.
    factor, factor_low
        The other number, also the sum of both.
    """
    product, error = two_product(high, factor)
    return product, error + (high * factor_low + low * factor)
