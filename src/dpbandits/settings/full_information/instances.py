"""Families of gaps on which the statements of wu2025 are examined.

An instance is given by groups of actions with equal gaps: exact computations cost time for each group, not action.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.mathematics import geometric_sequence


class Gaps(NamedTuple):
    """Gaps of actions, in groups.

    Attributes
    ----------
    gaps : ndarray of float64, shape (groups,)
        Gap Delta_j of each group: strictly increasing, the first one 0.
    multiplicities : ndarray of float64, shape (groups,)
        Number of actions of each gap.
    """

    gaps: NDArray[np.float64]
    multiplicities: NDArray[np.float64]

    @property
    def arms(self) -> float:
        """The number of actions, K."""
        return float(self.multiplicities.sum())

    @property
    def smallest(self) -> float:
        """The smallest positive gap, Delta_min."""
        return float(self.gaps[1])

    def each(self) -> NDArray[np.float64]:
        """Return the gap of every action, shape (K,), increasing: a group's actions stand together."""
        return np.repeat(self.gaps, self.multiplicities.astype(np.int64))


def grouped(gaps: NDArray[np.float64]) -> Gaps:
    """Return the gaps of single actions, shape (K,), in any order, as groups of equal gaps."""
    values, counts = np.unique(gaps, return_counts=True)
    return Gaps(values, counts.astype(np.float64))


def equal(arms: float, gap: float) -> Gaps:
    """Return the gaps (0, gap, ..., gap) of K >= 2 actions: hardest without privacy (wu2025, Remark 3)."""
    return Gaps(np.array([0.0, gap]), np.array([1.0, arms - 1.0]))


def hidden(arms: float, gap: float) -> Gaps:
    """Return the gaps (0, gap, gap, 1, ..., 1), K >= 4, gap < 1: the lower bound's instance (wu2025, Theorem 3)."""
    return Gaps(np.array([0.0, gap, 1.0]), np.array([1.0, 2.0, arms - 3.0]))


def geometric(arms: int, gap: float) -> Gaps:
    """Return the gap 0 and K - 1 gaps spaced geometrically from ``gap`` to 1, K >= 3: actions at every scale."""
    return grouped(np.append(0.0, geometric_sequence(gap, 1.0, arms - 1)))


FAMILIES = {"equal": equal, "hidden": hidden, "geometric": geometric}
