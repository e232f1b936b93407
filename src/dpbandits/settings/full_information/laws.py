"""Laws, on a lattice, of losses accumulated over 1, 2, 4, ... rounds, which are the epochs of RNM-FTNL."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpbandits.core.compiled import kernel
from dpbandits.core.streams import log_binomial_pmf
from dpbandits.settings.full_information.selection import Floats

# Smaller masses are dropped. Transforms err by some 1e-17 a point.
FAINTEST = 1e-40
FAINTEST_TRANSFORMED = 1e-16


@kernel
def _binomial(n: int, mean: float) -> Floats:
    law = np.zeros(n + 1)
    for k in range(n + 1):
        law[k] = math.exp(log_binomial_pmf(float(k), float(n), mean))
    return law


def binomial(n: int, mean: float) -> Floats:
    """Return the probabilities of 0, ..., n under Bin(n, mean), shape (n + 1,): the law of n Bernoulli losses' sum.

    Those below 1e-40 are set to 0, and the rest normalised.
    """
    if mean in (0.0, 1.0):
        law = np.zeros(n + 1)
        law[int(mean) * n] = 1.0
        return law
    return _kept(_binomial(n, mean), FAINTEST)


def _kept(laws: Floats, faintest: float) -> Floats:
    """Return laws without masses below ``faintest``, normalised."""
    kept = np.where(laws < faintest, 0.0, laws)
    normalised: Floats = kept / kept.sum(axis=-1, keepdims=True)
    return normalised


def bernoulli(means: Floats) -> Iterator[Floats]:
    """Yield the laws of sums of n = 1, 2, 4, ... Bernoulli losses with these means, shape (means, n + 1).

    Column k has the probabilities of the sum k.
    """
    n = 1
    while True:
        yield np.array([binomial(n, mean) for mean in means])
        n *= 2


def summed(laws: Floats) -> Iterator[Floats]:
    """Yield the laws of sums of 1, 2, 4, ... independent losses, exact to some 1e-15.

    Each row of ``laws``, shape (groups, points), is the law of one loss on a lattice. Yielded arrays are of that
    form, with about twice as many points each time. Probabilities below 1e-16 become 0.
    """
    while True:
        yield laws
        points = 2 * laws.shape[1] - 1
        size = 1 << (points - 1).bit_length()
        squares = np.fft.irfft(np.fft.rfft(laws, size) ** 2, size)[:, :points]
        laws = _kept(squares, FAINTEST_TRANSFORMED)
