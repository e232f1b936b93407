"""Exponential weights on importance-weighted losses, with mixing: the decisions of EXP3 (asi2025, Algorithm 3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import categorical, integer_below, uniform
from dpbandits.settings.adversarial.problem import Bandit, play

# The sum of the weights is kept up to date; it is summed anew, with weights from their logarithms relative to the
# smallest estimate, when it has changed by this factor: so it neither drifts nor leaves double precision.
FACTOR = 2.0


@kernel
def simulate(
    runs: Runs, bandit: Bandit, eta: float, gamma: float, most: float = math.inf, shift: float = 0.0
) -> None:
    """Fill ``runs`` with those of EXP3; losses may have any sign and size.

    Parameters
    ----------
    runs, bandit
        What is filled, and the losses, batches and noise.
    eta, gamma
        Learning rate and mixing weight.
    most, shift
        For DP-EXP3-Lap: losses outside [1 - most, most] are ignored, and ``shift`` is subtracted from the others.
    """
    arms = runs.pulls.shape[1]
    estimate = np.empty(arms)
    weight = np.empty(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        estimate[:] = 0.0
        origin, total, summed = 0.0, 0.0, 1.0
        clock = START
        while clock.t < runs.horizon:
            if not summed / FACTOR < total < summed * FACTOR:
                origin, total = _weigh(estimate, eta, weight)
                summed = total
            if gamma > 0.0 and uniform(state) <= gamma:
                arm = integer_below(state, arms)
            else:
                arm = categorical(state, weight, total)
            p = (1.0 - gamma) * weight[arm] / total + gamma / arms
            clock, loss = play(state, runs, bandit, run, arm, clock)
            if loss != shift and 1.0 - most <= loss <= most:
                estimate[arm] += (loss - shift) / p
                before = weight[arm]
                weight[arm] = exp(-eta * (estimate[arm] - origin))
                total += weight[arm] - before


@inner
def _weigh(estimate: NDArray[np.float64], eta: float, weight: NDArray[np.float64]) -> tuple[float, float]:
    """Fill in the weights relative to the smallest estimate; return that estimate and the weights' sum."""
    origin = math.inf
    for k in range(estimate.size):
        origin = min(origin, estimate[k])
    total = 0.0
    for k in range(estimate.size):
        weight[k] = exp(-eta * (estimate[k] - origin))
        total += weight[k]
    return origin, total
