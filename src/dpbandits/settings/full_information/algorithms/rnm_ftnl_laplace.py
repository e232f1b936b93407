"""RNM-FTNL with Laplace noise: follow the noisy leader of the last epoch, epochs doubling.

Source: wu2025, Algorithm 1 with Q_epsilon = Lap(2/epsilon), which has density exp(-abs(x) epsilon/2) epsilon/4
(the paper prints beta/2 for the 1/(2 beta) of Lap(beta)). Without resampling, B = 0, it is the algorithm of Hu et
al. (2021) and Theorem 1; with resampling, B = 1, it is that of Theorem 2.

Privacy: epsilon-DP. Neighbours differ in the loss vector of one round, in all its entries. It enters the
accumulated losses of one epoch, each by at most 1; report-noisy-max with Lap(2/epsilon) releases an action;
epochs are disjoint.

Deviations: epochs end at T, while Algorithm 1's loops run past it. The paper has ceil(log2(T-1)) + 1 epochs. This
is undefined at T = 1, one too few at T = 2, and otherwise one too many, except at T = 2^m and 2^m + 1.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import kernel
from dpbandits.core.recorder import LAPLACE
from dpbandits.core.recording import START, Runs
from dpbandits.core.selections import offer, select
from dpbandits.core.streams import argmin, integer_below, laplace
from dpbandits.settings.full_information import rnm_ftnl, selection
from dpbandits.settings.full_information.problem import Losses, accumulate, play


@kernel
def _simulate(runs: Runs, losses: Losses, resampling: int, scale: float) -> None:
    noisy = np.empty(losses.means.size)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = START
        action = integer_below(state, noisy.size)
        while clock.t < runs.horizon:
            accumulate(state, runs.recorder, losses, clock, resampling, noisy)
            clock = play(runs, losses, run, action, clock)
            offer(state, runs.recorder, noisy, LAPLACE, scale)
            for j in range(noisy.size):
                noisy[j] -= laplace(state, scale)
            action = select(runs.recorder, noisy, argmin(state, noisy))


def simulate(runs: Runs, losses: Losses, *, epsilon: float, resampling: int, scale: float) -> None:  # noqa: ARG001
    """Simulate RNM-FTNL with Laplace noise, and record it in ``runs``.

    Parameters
    ----------
    losses
        The environment's losses.
    epsilon
        Privacy budget, > 0, which acts through ``scale`` alone.
    resampling, scale
        Whether losses are resampled as Bernoulli variables, 1 or 0; and scale of the noise, > 0.
    """
    _simulate(runs, losses, resampling, scale)


ALGORITHM = Algorithm(
    title="RNM-FTNL (Laplace)",
    source=rnm_ftnl.SOURCE,
    decides="batches",
    privacy=rnm_ftnl.privacy("Lap(2/epsilon)", selection.laplace),
    parameters=rnm_ftnl.parameters(2),
    simulate=simulate,
)
