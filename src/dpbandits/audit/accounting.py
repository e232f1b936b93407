"""The privacy loss of releases together, with Laplace or normal noise, as an epsilon for a given delta.

Where a release moves by s scales of its Laplace noise, its loss is s with probability 1/2, -s with probability
e^(-s)/2, and at most l in between with probability e^(-(s - l)/2)/2. Of normal noise it is N(mu^2/2, mu^2), also of
several releases together (`dpbandits.core.gaussian`). Losses of independent releases add up; their law is computed
on a grid to which every loss is rounded down, so that the epsilon is a lower bound of the true one: it may
contradict a claim. Without Laplace noise it is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpbandits.core import gaussian

Floats = NDArray[np.float64]
# Cells of the grid between 0 and the largest loss of one release.
CELLS = 500
# Shifts that are equal but for rounding are taken as one.
ALIKE = 12
# How far from its mean the loss of normal noise is followed, in standard deviations: what lies below is left out.
FAR = 9.0
# Halvings of the interval in which epsilon lies.
HALVINGS = 60


def _law(shift: float, step: float) -> tuple[Floats, int]:
    """Return the probabilities of a release's losses, multiples of ``step``, and the first of these multiples."""
    first, last = int(np.floor(-shift / step)), int(np.floor(shift / step))
    ends = np.minimum(np.arange(first + 1, last + 2) * step, shift)
    below = np.where(ends >= shift, 0.5, 0.5 * np.exp(-(shift - ends) / 2.0))
    masses = np.diff(np.concatenate([[0.0], below]))
    masses[-1] += 0.5
    return masses, first


def _normal_law(mu: float, step: float) -> tuple[Floats, int]:
    """Return, as `_law`, that of normal releases which together move by ``mu``."""
    middle = mu * mu / 2.0
    first, last = (int(np.floor((middle + end * mu) / step)) for end in (-FAR, FAR))
    below = ndtr((np.arange(first, last + 1) * step - middle) / mu)
    return np.diff(np.append(below, 1.0)), first


def epsilon_at(shifts: Floats, delta: float, normal: NDArray[np.bool_] | None = None) -> float:
    """Return the smallest epsilon, at most a little too small, for which releases moved by ``shifts`` are private.

    Parameters
    ----------
    shifts : ndarray, shape (releases,)
        By how many scales of its noise each moves; infinity is a release without noise.
    delta
        In [0, 1); for 0 it is the sum of the shifts, or infinite where noise is normal.
    normal : ndarray of bool, shape (releases,)
        Whose noise is normal, its scale a standard deviation; by default, nobody's.
    """
    normal = np.zeros(shifts.size, dtype=np.bool_) if normal is None else normal
    mu = float(np.sqrt(np.sum(shifts[normal] ** 2)))
    moved = np.abs(shifts[(shifts != 0.0) & ~normal])
    if mu > 0.0 and (delta == 0.0 or np.isinf(mu)):
        return float("inf")
    if delta > 0.0 and moved.size == 0:
        return gaussian.epsilon_at(mu, delta)
    if moved.size == 0 or delta == 0.0 or np.isinf(moved).any():
        return float(moved.sum())
    sizes, counts = np.unique(np.round(moved, ALIKE), return_counts=True)
    step = max(float(sizes.max()), mu) / CELLS
    laws = [_law(float(size), step) for size in sizes]
    if mu > 0.0:
        laws, counts = [*laws, _normal_law(mu, step)], np.append(counts, 1)
    length = 1 + sum(count * (masses.size - 1) for (masses, _), count in zip(laws, counts, strict=True))
    size = 1 << int(length).bit_length()
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for (masses, _), count in zip(laws, counts, strict=True):
        product *= np.fft.rfft(masses, size) ** count
    first = sum(count * start for (_, start), count in zip(laws, counts, strict=True))
    probabilities = np.maximum(np.fft.irfft(product, size)[:length], 0.0)
    losses = (first + np.arange(length)) * step

    def at(epsilon: float) -> float:
        beyond = losses > epsilon
        return float(probabilities[beyond] @ -np.expm1(epsilon - losses[beyond]))

    if at(0.0) <= delta:
        return 0.0
    low, high = 0.0, float(losses[-1])
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if at(middle) > delta else (low, middle)
    return low
