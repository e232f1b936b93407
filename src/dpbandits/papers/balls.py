"""Balls of python-flint around exact numbers."""

from __future__ import annotations

from fractions import Fraction

from flint import arb


def ball(value: int | Fraction) -> arb:
    """Return a ball (an interval with a midpoint) that contains a number, as narrow as flint's precision allows."""
    return arb(value.numerator) / value.denominator
