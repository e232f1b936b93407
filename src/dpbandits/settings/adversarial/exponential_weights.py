"""Exponential weights on importance-weighted losses, with mixing: the decisions of EXP3 (asi2025, Algorithm 3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel, lanewise
from dpbandits.core.lanes import LANES, categorical, uniforms
from dpbandits.core.mathematics import exp
from dpbandits.core.recording import START, Runs
from dpbandits.settings.adversarial.batch_laws import batch_laws
from dpbandits.settings.adversarial.lanes import play_lanes
from dpbandits.settings.adversarial.problem import Bandit

# The sum of the weights is updated in place. When it has changed by this factor, weights are computed again from
# their logarithms, relative to the smallest estimate. So the sum neither drifts nor leaves double precision.
FACTOR = 2.0


@inner
def _weigh(
    i: int,
    estimate: NDArray[np.float64],
    eta: float,
    weight: NDArray[np.float64],
    origin: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Fill in a lane's weights relative to its smallest estimate, that estimate, and the weights' sum."""
    low = math.inf
    for k in range(estimate.shape[0]):
        low = min(low, estimate[k, i])
    origin[i], total[i] = low, 0.0
    for k in range(estimate.shape[0]):
        weight[k, i] = exp(-eta * (estimate[k, i] - low))
        total[i] += weight[k, i]


@lanewise
def _explore(
    arms: int, gamma: float, chance: NDArray[np.float64], u: NDArray[np.float64], arm: NDArray[np.int64]
) -> None:
    """Choose an arm uniformly, by `integer_below`, where the chance says so."""
    for i in range(arm.size):
        word = np.uint64(np.int64(u[i] * 2.0**53) - 1) >> np.uint64(21)
        uniformly = np.int64((word * np.uint64(arms)) >> np.uint64(32))
        arm[i] = uniformly if chance[i] <= gamma else arm[i]


@kernel
def simulate(
    runs: Runs, bandit: Bandit, eta: float, gamma: float, most: float = math.inf, shift: float = 0.0
) -> None:
    """Simulate EXP3 on losses of any sign and size, and record it in ``runs``.

    Parameters
    ----------
    runs, bandit
        The runs that are filled, and the bandit with its losses, batches and noise.
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1].
    most, shift
        For DP-EXP3-Lap: losses outside [1 - most, most] are ignored, and ``shift`` is subtracted from the others.
        By default all losses are used as they are.
    """
    arms = runs.pulls.shape[1]
    laws = batch_laws(runs, bandit)
    for first in range(0, runs.streams.shape[0], LANES):
        n = min(LANES, runs.streams.shape[0] - first)
        streams = runs.streams[first : first + n].reshape(-1)
        estimate, weight = np.zeros((arms, n)), np.empty((arms, n))
        origin, total, summed = np.zeros(n), np.zeros(n), np.ones(n)
        chance, u, loss, excess, room = np.empty(n), np.empty(n), np.empty(n), np.zeros(n), np.empty((2, n))
        arm = np.empty(n, np.int64)
        clock = START
        while clock.t < runs.horizon:
            for i in range(n):
                if not summed[i] / FACTOR < total[i] < summed[i] * FACTOR:
                    _weigh(i, estimate, eta, weight, origin, total)
                    summed[i] = total[i]
            if gamma > 0.0:
                uniforms(streams, chance)
            categorical(streams, weight, total, u, room, arm)
            if gamma > 0.0:
                _explore(arms, gamma, chance, u, arm)
            clock = play_lanes(runs, bandit, first, streams, arm, clock, excess, loss, laws)
            for i in range(n):
                if loss[i] != shift and 1.0 - most <= loss[i] <= most:
                    before = weight[arm[i], i]
                    p = (1.0 - gamma) * before / total[i] + gamma / arms
                    estimate[arm[i], i] += (loss[i] - shift) / p
                    weight[arm[i], i] = exp(-eta * (estimate[arm[i], i] - origin[i]))
                    total[i] += weight[arm[i], i] - before
