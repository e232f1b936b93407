"""Runs side by side: what kernels do for all runs of a block at once.

A decision of one run waits for itself: for its draw, its division, its square root. Decisions of many runs do not
wait for each other, and a loop over runs goes into vector instructions. A run is a lane of such a loop. A lane
draws from its own stream and computes with IEEE 754's operations, as it would alone. So arrays have the bytes that
they have run by run.

Arrays of lanes have the lanes last: an arm's row is contiguous.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, lanewise
from dpbandits.core.mathematics import log_unchecked

# Runs side by side, at most: their arrays stay in a core's first cache.
LANES = 128


@inner
def _word(streams: NDArray[np.uint64], i: int) -> np.uint64:
    """Return what `dpbandits.core.streams.bits` returns of a lane's stream, and advance it."""
    s0, s1, s2, s3 = streams[4 * i], streams[4 * i + 1], streams[4 * i + 2], streams[4 * i + 3]
    total = s0 + s3
    word: np.uint64 = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    s2 ^= s0
    s3 ^= s1
    streams[4 * i] = s0 ^ s3
    streams[4 * i + 1] = s1 ^ s2
    streams[4 * i + 2] = s2 ^ (s1 << np.uint64(17))
    streams[4 * i + 3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return word


@lanewise
def uniforms(streams: NDArray[np.uint64], u: NDArray[np.float64]) -> None:
    """Fill ``u`` with a uniform number for each lane (one of several runs side by side).

    It is the number that `dpbandits.core.streams.uniform` draws from the lane's own stream.

    Parameters
    ----------
    streams : ndarray of uint64, shape (4 lanes,)
        The lanes' streams, one after another, advanced in place.
    u : ndarray of float64, shape (lanes,)
        Uniform numbers in (0, 1], filled in.
    """
    for i in range(u.size):
        u[i] = (np.float64(_word(streams, i) >> np.uint64(11)) + 1.0) * 2.0**-53


@lanewise
def add_laplace(streams: NDArray[np.uint64], scale: float, values: NDArray[np.float64]) -> None:
    """Add Laplace noise to the number of each lane (one of several runs side by side).

    It is the noise that `dpbandits.core.streams.laplace` draws from the lane's own stream.

    Parameters
    ----------
    streams : ndarray of uint64, shape (4 lanes,)
        The lanes' streams, one after another, advanced in place.
    scale
        Scale of the noise, >= 0.
    values : ndarray of float64, shape (lanes,)
        Numbers that are made noisy in place.
    """
    for i in range(values.size):
        word = _word(streams, i)
        magnitude = -scale * log_unchecked((np.float64(word >> np.uint64(11)) + 1.0) * 2.0**-53)
        values[i] += magnitude if word & np.uint64(1) else -magnitude


@lanewise
def _aim(
    u: NDArray[np.float64], total: NDArray[np.float64], left: NDArray[np.float64], found: NDArray[np.float64]
) -> None:
    """Let what is left of a lane's uniform number be that part of its weights' sum, and nothing be found."""
    for i in range(u.size):
        left[i] = u[i] * total[i]
        found[i] = -1.0


@lanewise
def _pass(k: float, weight: NDArray[np.float64], left: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    """Find index ``k`` in lanes where nothing is found yet and what is left is at most its weight.

    Until something is found, -1 minus the last index of positive weight is kept there, less 1: by rounding the
    weights can sum to less than the total.
    """
    for i in range(weight.size):
        some = weight[i] > 0.0
        before = found[i]
        now = (k if left[i] <= weight[i] else -2.0 - k) if some else before
        found[i] = now if before < 0.0 else before
        left[i] -= weight[i]


@lanewise
def _settle(found: NDArray[np.float64], index: NDArray[np.int64]) -> None:
    for i in range(index.size):
        index[i] = np.int64(found[i] if found[i] >= 0.0 else max(-2.0 - found[i], 0.0))


@inner
def categorical(
    streams: NDArray[np.uint64],
    weights: NDArray[np.float64],
    total: NDArray[np.float64],
    u: NDArray[np.float64],
    scratch: NDArray[np.float64],
    index: NDArray[np.int64],
) -> None:
    """Draw an index in each lane (one of several runs side by side), with probability proportional to its weight.

    It is the index that `dpbandits.core.streams.categorical` draws from the lane's own stream and weights.

    Parameters
    ----------
    streams : ndarray of uint64, shape (4 lanes,)
        The lanes' streams, one after another, advanced in place.
    weights : ndarray of float64, shape (indices, lanes)
        Weights >= 0.
    total : ndarray of float64, shape (lanes,)
        Sum of each lane's weights.
    u : ndarray of float64, shape (lanes,)
        The uniform number that each lane draws, filled in.
    scratch : ndarray of float64, shape (2, lanes)
        Scratch space.
    index : ndarray of int64, shape (lanes,)
        The drawn indices, filled in.
    """
    uniforms(streams, u)
    left, found = scratch[0], scratch[1]
    _aim(u, total, left, found)
    for k in range(weights.shape[0]):
        _pass(np.float64(k), weights[k], left, found)
    _settle(found, index)
