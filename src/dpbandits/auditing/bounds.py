"""Bounds of a privacy loss, log((P[event | one] - delta) / P[event | other]), from counts of the event."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import arrays, mathematics
from dpbandits.core.distributions import beta_quantile

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def interval(count: int, runs: int, level: float) -> tuple[float, float]:
    """Return the Clopper–Pearson interval (low, high) of a probability.

    Parameters
    ----------
    count, runs
        Number of runs with the event, and number of all runs.
    level
        Largest probability with which an end is wrong; both ends hold with 1 - 2 ``level``.
    """
    low = beta_quantile(float(count), runs - count + 1.0, level) if count > 0 else 0.0
    high = beta_quantile(count + 1.0, float(runs - count), 1.0 - level) if count < runs else 1.0
    return float(low), float(high)


def loss_bound(one: int, other: int, runs: int, delta: float, level: float) -> float:
    """Return a lower bound of the privacy loss from counts of an event.

    Parameters
    ----------
    one, other
        Number of runs with the event, on each of two neighbouring inputs.
    runs
        Number of runs on each input, >= 1. They must be independent of the choice of the event.
    delta
        The delta of (epsilon, delta)-differential privacy, in [0, 1).
    level
        Largest probability with which the bound is false. The intervals of the two frequencies get half of it each.

    Returns
    -------
    float
        The bound; minus infinity if the counts show no loss.
    """
    low, _ = interval(one, runs, level / 2.0)
    _, high = interval(other, runs, level / 2.0)
    return mathematics.log((low - delta) / high) if low > delta else -math.inf


def approximate_bounds(one: Counts, other: Counts, runs: int, delta: float, z: float) -> Floats:
    """Return approximate lower bounds of the loss of many events, from Wilson intervals, shape (events,).

    They rank events and candidates, and no verdict depends on them. The bound is minus infinity if the counts show
    no loss.

    Parameters
    ----------
    one, other : ndarray of int64, shape (events,)
        Number of runs with each event, on the first input and on the second.
    runs
        Number of runs on each input.
    delta
        The delta of the claim, which is subtracted from the first probability.
    z
        Half the width of an interval, in standard deviations.
    """

    def end(count: Counts, sign: float) -> Floats:
        """Return the lower ends (``sign`` -1) or upper ends (1) of Wilson's intervals."""
        p: Floats = count / runs
        spread = z * np.sqrt(p * (1.0 - p) / runs + (0.5 * z / runs) ** 2)
        bound: Floats = (p + 0.5 * z * z / runs + sign * spread) / (1.0 + z * z / runs)
        return bound

    # Rounding could leave an event that was never seen with a tiny lower end.
    low = np.where(one > 0, end(one, -1.0) - delta, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss: Floats = arrays.log(np.maximum(low, 0.0)) - arrays.log(end(other, 1.0))
    return loss
