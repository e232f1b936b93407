"""Exact regret of uniform play, an algorithm that learns nothing.

It is the yardstick of every statement about learning: a bound above it says nothing, a regret near it shows no
rate. Every setting's problem has a method ``uniform_play(rounds)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rounds = NDArray[np.int64]


def of_gaps(gaps: Floats, rounds: Rounds) -> Floats:
    """Return the expected regret of uniform play, which draws each arm alike, up to each of ``rounds``.

    A round costs the mean of ``gaps``, shape (arms,): the arms' mean losses minus the best arm's, >= 0. ``rounds``
    and the result have shape (rounds,).
    """
    regret: Floats = rounds.astype(np.float64) * float(gaps.mean())
    return regret


def summed(starts: Rounds, means: Floats, rounds: Rounds) -> Floats:
    """Return each arm's mean losses summed up to each of ``rounds``, if losses repeat with a period.

    A period is made of segments, in each of which mean losses are constant.

    Parameters
    ----------
    starts
        Number of rounds before each segment, and the period as the last entry, shape (segments + 1,).
    means
        Mean losses in each segment, shape (segments, arms).
    rounds
        Rounds up to which losses are summed, shape (rounds,).

    Returns
    -------
    ndarray of float64, shape (rounds, arms)
        The sums.
    """
    before = np.concatenate([np.zeros((1, means.shape[1])), np.cumsum(np.diff(starts)[:, None] * means, axis=0)])
    periods, phase = np.divmod(rounds, starts[-1])
    at = np.stack([np.interp(phase, starts, column) for column in before.T], axis=1)
    total: Floats = periods[:, None] * before[-1] + at
    return total
