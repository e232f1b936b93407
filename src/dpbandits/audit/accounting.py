"""The privacy loss of Laplace releases together, as an epsilon for a given delta.

Where a release moves by s scales of its noise, its loss is s with probability 1/2, -s with probability e^(-s)/2,
and at most l in between with probability e^(-(s - l)/2)/2. Losses of independent releases add up; their law is
computed on a grid to which every loss is rounded down, so that the epsilon is a lower bound of the true one: it may
contradict a claim.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Cells of the grid between 0 and the largest loss of one release.
CELLS = 500
# Shifts that are equal but for rounding are taken as one.
ALIKE = 12
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


def epsilon_at(shifts: Floats, delta: float) -> float:
    """Return the smallest epsilon, at most a little too small, for which releases moved by ``shifts`` are private.

    Parameters
    ----------
    shifts : ndarray, shape (releases,)
        By how many scales of its noise each moves; infinity is a release without noise.
    delta
        In [0, 1); for 0 it is the sum of the shifts.
    """
    moved = np.abs(shifts[shifts != 0.0])
    if moved.size == 0 or delta == 0.0 or np.isinf(moved).any():
        return float(moved.sum())
    sizes, counts = np.unique(np.round(moved, ALIKE), return_counts=True)
    step = float(sizes.max()) / CELLS
    laws = [_law(float(size), step) for size in sizes]
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
