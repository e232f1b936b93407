"""Rows of a certificate: inequalities between exact numbers, or between balls, that hold for certain."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from dpbandits.core.declarations import Row

# A fraction of more than LONGEST binary digits is shown with DIGITS decimal ones, rounded so that the row
# understates.
LONGEST, DIGITS = 180, 12


class NotProvedError(Exception):
    """A certificate's inequality does not hold, or its balls (intervals) are too wide to tell."""


def shown(value: Any, down: bool) -> str:
    """Return a number as text: a short fraction exactly, a long one as ``0.25 (rounded down)``, a ball as it is.

    A fraction is long if its numerator and denominator together have 180 binary digits or more. Of long fractions
    and balls 12 decimal digits are shown.

    Parameters
    ----------
    value
        An integer, a `Fraction`, or a ball of python-flint.
    down
        Whether a long fraction is rounded down; else it is rounded up.
    """
    if not isinstance(value, int | Fraction):
        return str(value.str(DIGITS))
    above, below = value.as_integer_ratio()
    if above.bit_length() + below.bit_length() < LONGEST:
        return str(value)
    rounded = Context(prec=DIGITS, rounding=ROUND_FLOOR if down else ROUND_CEILING)
    return f"{rounded.divide(Decimal(above), Decimal(below))} ({'rounded down' if down else 'rounded up'})"


def greater(instance: str, bound: str, left: Any, right: Any) -> Row:
    """Prove that ``left > right``, and return the row that says so.

    The row is text: ``instance``, ``bound``, and the sides ``left`` and ``right`` with their sign ``is``.

    Parameters
    ----------
    instance, bound
        The instance that the inequality is about, and its claim, in words.
    left, right
        Integers, `Fraction`, or balls of python-flint, whose ``>`` is true only of balls that are apart.

    Raises
    ------
    NotProvedError
        If the inequality does not hold, or balls are too wide to tell.
    """
    sides = {"left": shown(left, True), "is": ">", "right": shown(right, False)}
    if not left > right:
        raise NotProvedError(f"{instance}: {bound}: {' '.join(sides.values())} is not proved")
    return {"instance": instance, "bound": bound, **sides}


def equal(instance: str, bound: str, left: int | Fraction, right: int | Fraction) -> Row:
    """Prove that two exact numbers are equal, and return the row that says so.

    The row is text: ``instance``, ``bound``, and the sides ``left`` and ``right`` with their sign ``is``.

    Parameters
    ----------
    instance, bound
        The instance that the equation is about, and its claim, in words.
    left, right
        Integers or `Fraction`, no balls.

    Raises
    ------
    NotProvedError
        If they differ.
    """
    if left != right:
        raise NotProvedError(f"{instance}: {bound}: {shown(left, True)} = {shown(right, True)} is not so")
    return {"instance": instance, "bound": bound, "left": str(left), "is": "=", "right": str(right)}
