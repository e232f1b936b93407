"""Exact pseudo-regret of RNM-FTNL: epoch r is played with J_(r-1), so regret is linear between powers of two.

Pseudo-regret (wu2025, eq. 1) is the sum over epochs of their rounds times the expected gap of J_(r-1), and J_r is
selected on the losses of 2^(r-1) rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import BadInput
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import Noise
from dpbandits.settings.full_information.selection import Floats

# Regret that is not computed is smaller.
REST = 1e-12
# Longest epoch whose laws are computed.
LONGEST_EPOCH = 2**18


def epochs(horizon: int) -> int:
    """Return the number of epochs up to T: floor(log2 T) + 1."""
    return horizon.bit_length()


def regret(expected: Floats, rounds: NDArray[np.int64]) -> Floats:
    """Return the pseudo-regret up to each of ``rounds``.

    Parameters
    ----------
    expected : ndarray of float64, shape (..., epochs)
        Expected gap of J_0, J_1, ...
    rounds : ndarray of int64, shape (rounds,)
        Each in 1, ..., 2^epochs - 1.

    Returns
    -------
    ndarray of float64, shape (..., rounds)
    """
    before = 2 ** np.arange(expected.shape[-1])
    played = np.clip(rounds[:, None] - before + 1, 0, before)
    return expected @ played.T.astype(np.float64)


def deterministic(noise: Noise, scale: float, gaps: Gaps, number: int) -> Floats:
    """Return the expected gaps of J_0, ..., J_(number-1) with deterministic losses and B = 0.

    Parameters
    ----------
    noise, scale
        The noise, and its scale.
    gaps
        Up to 10^5 groups and more.
    number
        How many epochs.

    Returns
    -------
    ndarray of float64, shape (number,)
        Exact to some 1e-16 for each group.
    """
    weights = gaps.gaps * gaps.multiplicities
    expected = np.empty(number)
    expected[0] = weights.sum() / gaps.arms
    for r in range(1, number):
        probabilities = np.exp(noise.select(2.0 ** (r - 1) / scale * gaps.gaps, gaps.multiplicities))
        expected[r] = weights @ probabilities
    return expected


def random(
    noise: Noise,
    scale: float,
    laws: Iterator[Floats],
    step: float,
    gaps: Floats,
    multiplicities: Floats,
    number: int,
) -> Floats:
    """Return the expected gaps of J_0, ..., J_(number-1) with random losses.

    Parameters
    ----------
    noise, scale
        The noise, and its scale.
    laws, step
        Laws of the losses accumulated over 1, 2, 4, ... rounds, on a lattice of that step: an iterator of
        `dpbandits.settings.full_information.laws`.
    gaps : ndarray of float64, shape (groups,)
        Increasing from 0.
    multiplicities : ndarray of float64, shape (cases, groups)
        Number of actions in each group, in several cases.
    number
        How many epochs.

    Returns
    -------
    ndarray of float64, shape (cases, number)
        Epochs after which all regret is below 1e-12, by Hoeffding's inequality and the tails of the noise, are 0.

    Raises
    ------
    BadInput
        If longer epochs matter than laws are computed for: gaps this small have to be sampled.
    """
    weights = gaps * multiplicities
    expected = np.zeros((multiplicities.shape[0], number))
    expected[:, 0] = weights.sum(axis=1) / multiplicities.sum(axis=1)
    for r in range(1, number):
        if _rest(weights, gaps, scale, r).max() < REST:
            break
        if 2 ** (r - 1) > LONGEST_EPOCH:
            raise BadInput("gaps", gaps[1], f"gaps whose regret ends within {LONGEST_EPOCH} rounds")
        expected[:, r] = np.sum(weights * noise.select_random(next(laws), multiplicities, step / scale), axis=1)
    return expected


def _rest(weights: Floats, gaps: Floats, scale: float, first: int) -> Floats:
    """Return a bound on the regret due to J_first, J_(first+1), ..., shape (cases,).

    wu2025, proof of Lemma 5: P[J_r = j] <= exp(-n Delta^2/4) + P[difference of two noises >= n Delta/2] with
    n = 2^(r-1), and the second term is at most exp(-n Delta/(4 scale)) for each of the noises.
    """
    n = 2.0 ** np.arange(first - 1, first + 200)[:, None]
    probabilities = np.exp(-n * gaps**2 / 4.0) + np.exp(-n * gaps / (4.0 * scale))
    bound: Floats = weights @ np.sum(2.0 * n * probabilities, axis=0)
    return bound
