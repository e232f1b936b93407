"""Numbers for readers: one way of writing them in pages, pictures, captions, the ledger and the article.

``publish/html/templates/numbers.js`` writes them alike in a browser; a test compares both on one table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

DIGITS = 3
# A number is written with a power of ten from 10⁷ on, and below 10⁻⁴.
LARGEST_POWER, SMALLEST_POWER = 7, -4
# Numbers in a bracket share their decimals, if none is this many times as large as another.
COMPARABLE = 1000.0
SUPERSCRIPTS = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")


def power(base: int, exponent: int) -> str:
    """Return ``base`` to the power ``exponent`` as text, such as 10⁻⁵.

    Examples
    --------
    >>> power(10, -5), power(2, 40)
    ('10⁻⁵', '2⁴⁰')
    """
    return f"{base}{str(exponent).translate(SUPERSCRIPTS)}"


def number(value: float, digits: int = DIGITS) -> str:
    """Return a number as text for readers, with three significant digits by default.

    Parameters
    ----------
    value
        Any number; NaN is a dash.
    digits
        Significant digits, at most; but below 10⁷ all digits before the decimal point stay. From 10⁷ on, and below
        10⁻⁴, a power of ten is split off. A number from 10⁷ on that is a power of ten or of two is written as such.

    Returns
    -------
    str
        The number with separators of thousands, a true minus sign, and powers in superscripts.

    Examples
    --------
    >>> [number(value) for value in (0.27599, 1153.7, 250000, 2.0**40, 17900000, 3e-5, -2, math.inf)]
    ['0.276', '1,154', '250,000', '2⁴⁰', '1.79 · 10⁷', '3 · 10⁻⁵', '−2', '∞']
    """
    value = float(value)
    if math.isnan(value):
        return "–"
    sign, size = "−" if value < 0 else "", abs(value)
    if math.isinf(size):
        return f"{sign}∞"
    mantissa, exponent = _scientific(size, digits)
    if size and _has_power(size, exponent):
        known = _exact_power(size) if exponent > 0 else ""
        return sign + (known or _product(mantissa, exponent))
    if size == int(size):
        return f"{sign}{int(size):,}"
    return sign + _plain(_fixed(size, max(0, digits - 1 - exponent)))


def chance(p: float) -> str:
    """Return the p-value ``p`` as text for readers; smaller ones than 10⁻¹⁶ are not told apart.

    Examples
    --------
    >>> chance(0.0123), chance(9.93e-297), chance(0.0)
    ('0.0123', 'below 10⁻¹⁶', 'below 10⁻¹⁶')
    """
    return f"below {power(10, -16)}" if p < 1e-16 else number(p)


def bracket(estimate: float, low: float, high: float) -> str:
    """Return an estimate with its interval, all with the decimals at which the estimate has three digits.

    In some cases each of the three is written by `number`, with three digits of its own:

    - the estimate is 0, or one of them is infinite;
    - one needs a power of ten, as 10⁷ does;
    - the largest is 1,000 times the smallest that is not 0, or more, in absolute value.

    The interval is left out if an end is NaN, or if both ends are the estimate.

    Examples
    --------
    >>> bracket(3.03, 2.971, 3.1), bracket(1153.7, 201, 6617), bracket(2.5, 2.5, 2.5)
    ('3.03 [2.97, 3.10]', '1,154 [201, 6,617]', '2.5')
    """
    if math.isnan(low) or math.isnan(high) or low == estimate == high:
        return number(estimate)
    texts = _alike((estimate, low, high))
    return f"{texts[0]} [{texts[1]}, {texts[2]}]"


def _alike(values: Sequence[float]) -> list[str]:
    """Return numbers with the decimals of the first, if they are of comparable size; else each in its own way."""
    sizes = [abs(value) for value in values if value]
    exponents = [_scientific(size, DIGITS)[1] for size in sizes if math.isfinite(size)]
    powers = any(map(_has_power, sizes, exponents))
    if len(exponents) < len(sizes) or powers or not values[0] or max(sizes) >= COMPARABLE * min(sizes):
        return [number(value) for value in values]
    decimals = max(0, DIGITS - 1 - exponents[0])
    texts = [_fixed(abs(value), decimals) for value in values]
    return [
        ("−" if value < 0 and text.strip("0.") else "") + text for value, text in zip(values, texts, strict=True)
    ]


def _scientific(size: float, digits: int) -> tuple[str, int]:
    """Return mantissa and power of ten of a number ≥ 0, half a digit rounded up, as a browser does."""
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(size))
    mantissa, _, exponent = f"{rounded:.{digits - 1}e}".partition("e")
    return _plain(mantissa), int(exponent)


def _has_power(size: float, exponent: int) -> bool:
    """Tell whether a number > 0 is written with a power of ten; ``exponent`` is that of its rounded mantissa."""
    # Three digits of 9,995,000 make 10⁷, but below 10⁷ all digits before the point stay: it is rounded to a unit.
    return exponent < SMALLEST_POWER or (exponent >= LARGEST_POWER and size >= 10.0**LARGEST_POWER - 0.5)


def _fixed(size: float, decimals: int) -> str:
    return f"{Decimal(size).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):,f}"


def _plain(text: str) -> str:
    """Return a decimal number without zeros at its end."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _product(mantissa: str, exponent: int) -> str:
    return power(10, exponent) if mantissa == "1" else f"{mantissa} · {power(10, exponent)}"


def _exact_power(size: float) -> str:
    """Return a power of ten or of two as such; nothing for other numbers."""
    for base in (10, 2):
        exponent = round(math.log(size, base))
        if base**exponent == size:
            return power(base, exponent)
    return ""
