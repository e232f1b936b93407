"""Balls of python-flint around exact numbers."""

from __future__ import annotations

from fractions import Fraction

from flint import arb


def ball(value: int | Fraction) -> arb:
    """Return a ball around an exact number, as narrow as flint's working precision allows."""
    return arb(value.numerator) / value.denominator
