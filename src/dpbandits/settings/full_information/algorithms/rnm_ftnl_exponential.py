"""RNM-FTNL with Exponential noise at the printed scale: follow the noisy leader of the last epoch, epochs doubling.

Source: wu2025, Algorithm 1 with Q_epsilon = Exp(1/epsilon): resampling B = 1 for Theorem 2, B = 0 for Theorem 4.

Privacy: claimed epsilon-DP, in fact 2 epsilon-DP and no better. Neighbours differ in the loss vector of one
round, in all its entries. One action's accumulated loss may rise by 1 and another's fall by 1. This shifts their
difference by 2, and multiplies a probability by up to exp(2 epsilon). Exp(1/epsilon) would suffice if all losses
could change in one direction only. The repair, Exp(2/epsilon), is `rnm_ftnl_permute_and_flip`.

Deviations: epochs end at T, as in RNM-FTNL with Laplace noise.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import log
from dpbandits.core.recorder import EXPONENTIAL
from dpbandits.core.recording import START, Runs
from dpbandits.core.selections import offer, select
from dpbandits.core.streams import State, argmin, integer_below, uniform
from dpbandits.settings.full_information import rnm_ftnl, selection
from dpbandits.settings.full_information.problem import Losses, accumulate, play


@inner
def exponential(state: State, scale: float) -> float:
    """Return a draw of Exp(scale), density exp(-x/scale)/scale on x >= 0."""
    return -scale * log(uniform(state))


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
            offer(state, runs.recorder, noisy, EXPONENTIAL, scale)
            for j in range(noisy.size):
                noisy[j] -= exponential(state, scale)
            action = select(runs.recorder, noisy, argmin(state, noisy))


def simulate(runs: Runs, losses: Losses, *, epsilon: float, resampling: int, scale: float) -> None:  # noqa: ARG001
    """Simulate RNM-FTNL with exponential noise, and record it in ``runs``.

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
    title="RNM-FTNL (Exponential)",
    source=rnm_ftnl.SOURCE,
    decides="batches",
    privacy=rnm_ftnl.privacy("Exp(1/epsilon), as printed: 2 epsilon in fact", selection.exponential),
    parameters=rnm_ftnl.parameters(1),
    simulate=simulate,
)
