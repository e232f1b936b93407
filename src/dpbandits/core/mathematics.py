"""Elementary functions of our own: the same bits on every processor.

A library's ``log`` or ``exp`` has several variants, and the processor decides which one runs. All that arrays
depend on is computed here instead, with IEEE 754's + - * / and comparisons, and with integers. Compiled code fuses
none of them (numba's default; `tests/core/test_mathematics.py` looks at the instructions).

Kernels compile these functions; Python calls them as they are written and gets the same bits. Errors are in units
of the last place of the result: none was larger at 10^7 random points (`benchmarks/mathematics.py`, by mpmath).
Special cases are those of C99, Annex F, but that sin and cos are NaN beyond 2**19. Nothing raises an exception.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import jitable, kernel
from dpbandits.core.double_double import UPPER_21, bits, double, scaled, two_product, two_sum, upper
from dpbandits.core.mathematics_tables import (
    COS_SERIES,
    EXP,
    EXP_SERIES,
    EXPM1_SERIES,
    LOG,
    LOG2_HIGH,
    LOG2_LOW,
    LOG_SERIES,
    PER_LOG2,
    PER_LOG2_LOW,
    PER_LOG10,
    PER_LOG10_LOW,
    PER_QUARTER,
    QUARTER_1,
    QUARTER_2,
    QUARTER_3,
    QUARTER_4,
    SIN_SERIES,
    STEP_HIGH,
    STEP_LOW,
    STEPS,
    STIRLING_ERRORS,
    THIRD,
    THIRD_LOW,
)

INF, NAN = math.inf, math.nan
# Adding it to a number below 2**51 rounds that number to an integer, and leaves it in the lowest bits.
ROUND = 1.5 * 2.0**52
ROUND_BITS = 0x4338000000000000
# Bits of the double 45/64, where the table of logarithms begins, and of 1.
LEAST_BITS = 0x3FE6800000000000
ONE_BITS = 0x3FF0000000000000
# The exponent of a double.
EXPONENT = -0x0010000000000000
LEAST_NORMAL = 2.0**-1022
# Between, exp(x) needs no care for its exponent.
SAFE = 707.0
# Beyond, sin and cos give up: no angle here is larger.
LARGEST_ANGLE = 2.0**19
# Up to here no compiled code is loaded for a sequence.
FEW = 400


@jitable
def _log(x: float, rest: float) -> float:
    """Return log(x) + rest, ``x`` normal and positive, ``rest`` below 2**-52.

    x = 2^k z, with z in [45/64, 45/32). The table has 1/c near 1/z with which r = z/c - 1 is a double, exactly.
    """
    pattern = bits(x)
    steps = pattern - LEAST_BITS
    k = steps >> 52
    row = 3 * ((steps >> 45) & 127)
    exponent = float(k)
    z = double(pattern - (steps & EXPONENT))
    inverse = float(LOG[row])
    z1 = upper(z, UPPER_21)
    r = (z1 * inverse - 1.0) + (z - z1) * inverse
    table = exponent * LOG2_HIGH + float(LOG[row + 1])
    high = table + r
    low = (table - high) + r + (exponent * LOG2_LOW + float(LOG[row + 2])) + rest
    square = r * r
    c = LOG_SERIES
    series = (c[0] + r * c[1]) + square * ((c[2] + r * c[3]) + square * ((c[4] + r * c[5]) + square * c[6]))
    return high + (low + square * (r * series - 0.5))


@jitable
def _log_double(x: float) -> tuple[float, float]:
    """Return log(x) in two doubles, to 2**-66 of it, ``x`` normal and positive."""
    pattern = bits(x)
    steps = pattern - LEAST_BITS
    k = steps >> 52
    row = 3 * ((steps >> 45) & 127)
    exponent = float(k)
    z = double(pattern - (steps & EXPONENT))
    inverse = float(LOG[row])
    z1 = upper(z, UPPER_21)
    r = (z1 * inverse - 1.0) + (z - z1) * inverse
    table = exponent * LOG2_HIGH + float(LOG[row + 1])
    square, error = two_product(r, r)
    c = LOG_SERIES
    series = (c[0] + r * c[1]) + square * ((c[2] + r * c[3]) + square * ((c[4] + r * c[5]) + square * c[6]))
    first = table + r
    second = first - 0.5 * square
    low = ((table - first) + r) + ((first - second) - 0.5 * square) - 0.5 * error
    low += exponent * LOG2_LOW + float(LOG[row + 2]) + square * (r * series)
    high = second + low
    return high, (second - high) + low


@jitable
def _log_positive(x: float) -> tuple[float, float]:
    """Return log(x) in two doubles for every positive, finite ``x``."""
    if x >= LEAST_NORMAL:
        return _log_double(x)
    high, low = _log_double(x * 2.0**54)
    whole = high - 54.0 * LOG2_HIGH
    low += ((high - whole) - 54.0 * LOG2_HIGH) - 54.0 * LOG2_LOW
    high = whole + low
    return high, (whole - high) + low


@jitable
def log(x: float) -> float:
    """Return the natural logarithm; error below 0.52 units of the last place."""
    x = float(x)
    if LEAST_NORMAL <= x < INF:
        return _log(x, 0.0)
    if x == 0.0:
        return -INF
    if 0.0 < x < INF:
        high, low = _log_positive(x)
        return high + low
    return x if x == INF else NAN


@jitable
def log_unchecked(x: float) -> float:
    """Return `log` of a positive, finite, not subnormal number; as nothing is checked, loops are vectorised."""
    return _log(x, 0.0)


@jitable
def log1p(x: float) -> float:
    """Return log(1 + x); error below 0.53 units of the last place."""
    x = float(x)
    if -0.0078125 <= x <= 0.0078125:
        c = LOG_SERIES
        square = x * x
        series = (c[0] + x * c[1]) + square * ((c[2] + x * c[3]) + square * ((c[4] + x * c[5]) + square * c[6]))
        # Below, the square could vanish, and with it the sign of zero.
        return x if abs(x) < 2.0**-54 else x + square * (x * series - 0.5)
    if -1.0 < x < INF:
        total, rest = two_sum(1.0, x)
        return _log(total, rest / total)
    if x == -1.0:
        return -INF
    return x if x == INF else NAN


@jitable
def log2(x: float) -> float:
    """Return the logarithm to base 2, exact at powers of 2; error below 0.51 units of the last place."""
    x = float(x)
    if not 0.0 < x < INF:
        return log(x)
    high, low = _log_positive(x)
    high, low = scaled(high, low, PER_LOG2, PER_LOG2_LOW)
    return high + low


@jitable
def log10(x: float) -> float:
    """Return the logarithm to base 10, exact at powers of 10; error below 0.51 units of the last place."""
    x = float(x)
    if not 0.0 < x < INF:
        return log(x)
    high, low = _log_positive(x)
    high, low = scaled(high, low, PER_LOG10, PER_LOG10_LOW)
    return high + low


@jitable
def _exp_parts(x: float, rest: float) -> tuple[int, float, float]:
    """Return n, s and d with exp(x + rest) = 2^n (s + d), and s = 2^(i/128) one of the table, for abs(x) < 2000.

    x = (128 n + i) log(2)/128 + r, with abs(r) <= log(2)/256.
    """
    shifted = x * STEPS + ROUND
    steps = bits(shifted) - ROUND_BITS
    whole = shifted - ROUND
    r = (x - whole * STEP_HIGH) - whole * STEP_LOW + rest
    row = 2 * (steps & 127)
    base = float(EXP[row])
    square = r * r
    c = EXP_SERIES
    return (
        steps >> 7,
        base,
        base * (r + square * ((c[0] + r * c[1]) + square * (c[2] + r * c[3]))) + float(EXP[row + 1]),
    )


@jitable
def _power_of_two(n: int) -> float:
    """Return 2**n, abs(n) <= 1022."""
    return double((n << 52) + ONE_BITS)


@jitable
def _exp_far(x: float, rest: float) -> float:
    """Return exp(x + rest) where it may leave the normal doubles."""
    if x > 710.0:
        return INF
    if x < -746.0:
        return 0.0
    n, base, more = _exp_parts(x, rest)
    half = n >> 1
    return (base + more) * _power_of_two(half) * _power_of_two(n - half)


@jitable
def _exp(x: float, rest: float) -> float:
    """Return exp(x + rest), ``rest`` small beside ``x``; ``x`` is no NaN."""
    if abs(x) < SAFE:
        n, base, more = _exp_parts(x, rest)
        return (base + more) * _power_of_two(n)
    return _exp_far(x, rest)


@jitable
def exp(x: float) -> float:
    """Return e**x; error below 0.52 units of the last place, below 0.76 for subnormal results."""
    x = float(x)
    return x if x != x else _exp(x, 0.0)


@jitable
def expm1(x: float) -> float:
    """Return e**x - 1; error below 0.75 units of the last place."""
    x = float(x)
    if abs(x) < 0.25:
        c = EXPM1_SERIES
        square = x * x
        fourth = square * square
        series = ((c[0] + x * c[1]) + square * (c[2] + x * c[3])) + fourth * (
            ((c[4] + x * c[5]) + square * (c[6] + x * c[7])) + fourth * ((c[8] + x * c[9]) + square * c[10])
        )
        # Below, the square could vanish, and with it the sign of zero.
        return x if abs(x) < 2.0**-54 else x + square * (0.5 + x * series)
    if -40.0 < x < SAFE:
        n, base, more = _exp_parts(x, 0.0)
        scale = _power_of_two(n)
        base *= scale
        high = base - 1.0
        # The larger of the two comes first: what is lost in the difference is then exact.
        lost = (base - high) - 1.0 if base >= 1.0 else base - (high + 1.0)
        return high + (lost + more * scale)
    return x if x != x else -1.0 if x <= -40.0 else _exp_far(x, 0.0)


@jitable
def power(x: float, y: float) -> float:
    """Return x**y; error below 0.53 units of the last place, below 0.78 for subnormal results."""
    x, y = float(x), float(y)
    if x == 1.0 or y == 0.0:
        return 1.0
    if x != x or y != y:
        return NAN
    size = abs(x)
    whole, odd = True, False
    # Doubles from 2**53 upwards are even.
    if abs(y) < 2.0**53:
        n = int(y)
        whole = float(n) == y
        odd = whole and n & 1 == 1
    if size == 0.0 or size == INF:
        result = INF if (size == INF) == (y > 0.0) else 0.0
    elif x < 0.0 and not whole:
        return NAN
    elif size == 1.0:
        result = 1.0
    elif abs(y) == INF:
        result = INF if (size > 1.0) == (y > 0.0) else 0.0
    else:
        high, low = _log_positive(size)
        # abs(log(size)) is above 2**-54, so for exponents beyond 2**66 the result is 0 or infinite anyway.
        high, low = scaled(high, low, min(max(y, -(2.0**66)), 2.0**66), 0.0)
        result = _exp(high, low)
    return -result if odd and bits(x) < 0 else result


@jitable
def cbrt(x: float) -> float:
    """Return the real cube root, exact at cubes; error below 0.52 units of the last place."""
    x = float(x)
    size = abs(x)
    if size == 0.0 or not size < INF:
        return x
    high, low = _log_positive(size)
    high, low = scaled(high, low, THIRD, THIRD_LOW)
    root = _exp(high, low)
    return root if x > 0.0 else -root


@jitable
def _angle(x: float) -> tuple[int, float, float]:
    """Return the quarter of a turn that is nearest to ``x``, modulo 4, and what is left in two doubles."""
    shifted = x * PER_QUARTER + ROUND
    turns = shifted - ROUND
    left = x - turns * QUARTER_1
    high, low = two_sum(left, -(turns * QUARTER_2))
    high, lower = two_sum(high, -(turns * QUARTER_3))
    high, low = two_sum(high, low + (lower - turns * QUARTER_4))
    return (bits(shifted) - ROUND_BITS) & 3, high, low


@jitable
def _sine(x: float, rest: float) -> float:
    """Return sin(x + rest), abs(x) <= pi/4."""
    c = SIN_SERIES
    square = x * x
    fourth = square * square
    series = (c[1] + square * c[2]) + fourth * ((c[3] + square * c[4]) + fourth * c[5])
    return x + (square * x * (c[0] + square * series) + rest * (1.0 - 0.5 * square))


@jitable
def _cosine(x: float, rest: float) -> float:
    """Return cos(x + rest), abs(x) <= pi/4."""
    c = COS_SERIES
    square = x * x
    fourth = square * square
    series = (c[0] + square * c[1]) + fourth * ((c[2] + square * c[3]) + fourth * (c[4] + square * c[5]))
    half = 0.5 * square
    high = 1.0 - half
    return high + (((1.0 - high) - half) + (fourth * series - x * rest))


@jitable
def sin(x: float) -> float:
    """Return the sine of x radians, NaN if abs(x) > 2**19; error below 0.9 units of the last place."""
    x = float(x)
    if not abs(x) <= LARGEST_ANGLE:
        return NAN
    if abs(x) < 2.0**-27:
        return x
    quarter, angle, rest = _angle(x)
    value = _cosine(angle, rest) if quarter & 1 else _sine(angle, rest)
    return -value if quarter & 2 else value


@jitable
def cos(x: float) -> float:
    """Return the cosine of x radians, NaN if abs(x) > 2**19; error below 0.9 units of the last place."""
    x = float(x)
    if not abs(x) <= LARGEST_ANGLE:
        return NAN
    quarter, angle, rest = _angle(x)
    value = _sine(angle, rest) if quarter & 1 else _cosine(angle, rest)
    return -value if (quarter + 1) & 2 else value


@jitable
def stirling_error(n: float) -> float:
    """Return log(n!) - log(sqrt(2 pi n) (n/e)^n), to 2e-16, for a whole number n >= 1 (Loader 2000)."""
    n = float(n)
    if n < 16.0:
        return float(STIRLING_ERRORS[int(n)])
    r = 1.0 / (n * n)
    return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / n


@kernel
def _geometric_sequence(first: float, last: float, number: int) -> NDArray[np.float64]:
    found = np.empty(number)
    for i in range(number):
        found[i] = first * power(last / first, i / max(1, number - 1))
    return found


def geometric_sequence(first: float, last: float, number: int) -> NDArray[np.float64]:
    """Return ``number`` numbers in geometric progression, shape (number,), from ``first`` to ``last`` exactly.

    Parameters
    ----------
    first, last
        The ends, finite and > 0.
    number
        Number of numbers, >= 0; a single one is ``first``.
    """
    # For so few numbers plain Python takes no longer than loading the compiled code.
    sequence = _geometric_sequence.__wrapped__ if number <= FEW else _geometric_sequence  # type: ignore[attr-defined]
    found: NDArray[np.float64] = sequence(float(first), float(last), number)
    found[number - 1 :] = last
    found[:1] = first
    return found
