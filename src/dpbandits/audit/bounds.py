"""Bounds of a privacy loss, log((P[event | one] - delta) / P[event | other]), from counts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def interval(count: int, runs: int, level: float) -> tuple[float, float]:
    """Return the Clopper–Pearson interval of a probability, missed on either side with at most ``level``."""
    low = betaincinv(count, runs - count + 1, level) if count > 0 else 0.0
    high = betaincinv(count + 1, runs - count, 1.0 - level) if count < runs else 1.0
    return float(low), float(high)


def loss_bound(one: int, other: int, runs: int, delta: float, level: float) -> float:
    """Return a lower bound of the privacy loss that an event shows, false with probability at most ``level``.

    Parameters
    ----------
    one, other
        In how many of ``runs`` runs the event was seen, on each of two neighbouring inputs.
    runs
        Runs on each input, independent of the event's choice.
    delta
        The delta of (epsilon, delta)-differential privacy.
    level
        Shared equally by the two probabilities.
    """
    low, _ = interval(one, runs, level / 2.0)
    _, high = interval(other, runs, level / 2.0)
    return math.log((low - delta) / high) if low > delta else -math.inf


def promise(one: Counts, other: Counts, runs: int, delta: float, z: float) -> Floats:
    """Return what `loss_bound` comes to for many events, fast: Wilson's intervals of ``z`` standard deviations.

    It ranks events and candidates; no verdict rests on it.
    """

    def end(count: Counts, sign: float) -> Floats:
        p: Floats = count / runs
        spread = z * np.sqrt(p * (1.0 - p) / runs + (0.5 * z / runs) ** 2)
        bound: Floats = (p + 0.5 * z * z / runs + sign * spread) / (1.0 + z * z / runs)
        return bound

    # An event that was never seen promises nothing; rounding could leave it with a tiny lower end.
    low = np.where(one > 0, end(one, -1.0) - delta, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss: Floats = np.log(np.maximum(low, 0.0)) - np.log(end(other, 1.0))
    return loss
