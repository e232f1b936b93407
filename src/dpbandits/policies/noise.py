"""Noise of policies: Laplace noise by NumPy, and discrete Laplace noise for deployment.

A Laplace draw in doubles has gaps that depend on what it is added to, and low digits can tell the true sum (Mironov
2012). Discrete Laplace noise on a grid has no gaps: an exact sampler in integers (Canonne, Kamath & Steinke 2020,
Algorithm 2), on values that are first rounded to the grid.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

from numpy.random import Generator

# Least number of the grid's steps in the scale of the noise: rounding costs 1/2^20 of the scale, at most.
LEAST_STEPS_PER_SCALE = 2**20


class Noise(Protocol):
    """A law of noise.

    Attributes
    ----------
    law : str
        Name of the law in the ledger.
    """

    law: str

    def add(self, rng: Generator, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        """Return ``value`` with noise, and the epsilon that this costs.

        Parameters
        ----------
        rng
            The policy's generator.
        value
            Number to release, without noise.
        scale
            Scale of the noise, > 0.
        sensitivity
            The most by which one reward moves ``value``, > 0.
        """
        ...


class Laplace:
    """Laplace noise in doubles, by NumPy: fast, and what audits record.

    The low digits of a noisy double can reveal the number without noise (Mironov 2012).
    """

    law = "laplace"

    def add(self, rng: Generator, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        """Return ``value`` with noise, and the epsilon that this costs.

        Parameters
        ----------
        rng, value, scale, sensitivity
            Generator, number to release, scale of the noise > 0, and the most by which one reward moves ``value``.
        """
        return value + rng.laplace(0.0, scale), sensitivity / scale


class Exponential:
    """Exponential noise, for noisy maxima alone: the largest noisy score is then the choice of permute-and-flip."""

    law = "exponential"

    def add(self, rng: Generator, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        """Return a score with noise, and the epsilon of choosing the largest of such scores.

        One reward may raise a score and lower another one, so epsilon is twice sensitivity/scale.

        Parameters
        ----------
        rng, value, scale, sensitivity
            Generator, number to release, scale of the noise > 0, and the most by which one reward moves ``value``.
        """
        return value + rng.exponential(scale), 2.0 * sensitivity / scale


class Gumbel:
    """Gumbel noise, for noisy maxima alone: the largest noisy score is then that of the exponential mechanism."""

    law = "gumbel"

    def add(self, rng: Generator, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        """Return a score with noise, and the epsilon of choosing the largest of such scores.

        One reward may raise a score and lower another one, so epsilon is twice sensitivity/scale.

        Parameters
        ----------
        rng, value, scale, sensitivity
            Generator, number to release, scale of the noise > 0, and the most by which one reward moves ``value``.
        """
        return value + rng.gumbel(0.0, scale), 2.0 * sensitivity / scale


class DiscreteLaplace:
    """Discrete Laplace noise on a grid whose step g is a power of 2, with exact arithmetic.

    After rounding to the grid, one reward can move a value by sensitivity + g. The scale of the noise is therefore
    multiplied by (sensitivity + g)/sensitivity, so that the privacy loss stays at most sensitivity/scale.
    """

    law = "discrete laplace"

    def add(self, rng: Generator, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        """Return ``value``, rounded to the grid and with noise, and the epsilon that this costs: sensitivity/scale.

        The grid's step is the largest power of 2 that is at most 2^-20 of both ``scale`` and ``sensitivity``.

        Parameters
        ----------
        rng, value, scale, sensitivity
            Generator, number to release, scale of the noise > 0, and the most by which one reward moves ``value``.
        """
        step = Fraction(2) ** (math.frexp(min(scale, sensitivity) / LEAST_STEPS_PER_SCALE)[1] - 1)
        reach = Fraction(sensitivity) + step
        # In steps of the grid: the multiplied scale, and the rounded value.
        width = Fraction(scale) * reach / Fraction(sensitivity) / step
        at = round(Fraction(value) / step)
        return float((at + discrete_laplace(rng, width)) * step), sensitivity / scale


def discrete_laplace(rng: Generator, scale: Fraction) -> int:
    """Return a draw of the discrete Laplace law: probability proportional to exp(-abs(z)/scale), exactly.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of coins; only integers are drawn.
    scale : Fraction
        Scale > 0.
    """
    # Canonne, Kamath & Steinke 2020, Algorithm 2, with its names: u, v and x.
    t, s = scale.numerator, scale.denominator
    while True:
        u = _below(rng, t)
        if not _exponential_coin(rng, u, t):
            continue
        v = 0
        while _exponential_coin(rng, 1, 1):
            v += 1
        x = (u + t * v) // s
        negative = _below(rng, 2) == 1
        if not (negative and x == 0):
            return -x if negative else x


def _below(rng: Generator, n: int) -> int:
    """Return a uniform integer in [0, n), n of any size, by rejection."""
    bits = (n - 1).bit_length()
    while True:
        found = 0
        for _ in range(0, bits, 32):
            found = found << 32 | int(rng.integers(0, 2**32))
        found >>= -bits % 32
        if found < n:
            return found


def _exponential_coin(rng: Generator, p: int, q: int) -> bool:
    """Return true with probability exp(-p/q), 0 <= p <= q."""
    k = 1
    while _below(rng, q * k) < p:
        k += 1
    return k % 2 == 1


NOISES: dict[str, type[Noise]] = {"laplace": Laplace, "discrete": DiscreteLaplace}
