"""RNM-FTNL with Gumbel noise: the exponential mechanism on the last epoch's losses, epochs doubling.

Source: wu2025, Algorithm 1 with Q_epsilon = Gumbel(2/epsilon): resampling B = 1 for Theorem 2, B = 0 for Theorem 4.
Selection given the accumulated losses G is the soft-max of -epsilon G/2 (the paper's proofs print it with epsilon
for epsilon/2).

Privacy: epsilon-DP. Neighbours differ in the loss vector of one round, in all its entries. It enters the
accumulated losses of one epoch, each by at most 1; the exponential mechanism selects an action; epochs are
disjoint.

Deviations: epochs end at T, as in RNM-FTNL with Laplace noise.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import log
from dpbandits.core.recorder import GUMBEL
from dpbandits.core.recording import START, Runs
from dpbandits.core.selections import offer, select
from dpbandits.core.streams import State, argmin, integer_below, uniform
from dpbandits.settings.full_information import rnm_ftnl, selection
from dpbandits.settings.full_information.problem import Losses, accumulate, play


@inner
def gumbel(state: State, scale: float) -> float:
    """Return a draw of Gumbel(scale), density exp(-x/scale - exp(-x/scale))/scale."""
    # With probability 2**-53 uniform() is 1 and this is infinite: the action is selected, as it should be.
    return -scale * log(-log(uniform(state)))


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
            offer(state, runs.recorder, noisy, GUMBEL, scale)
            for j in range(noisy.size):
                noisy[j] -= gumbel(state, scale)
            action = select(runs.recorder, noisy, argmin(state, noisy))


def simulate(runs: Runs, losses: Losses, *, epsilon: float, resampling: int, scale: float) -> None:  # noqa: ARG001
    """Simulate RNM-FTNL with Gumbel noise, and record it in ``runs``.

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
    title="RNM-FTNL (Gumbel)",
    source=rnm_ftnl.SOURCE,
    decides="batches",
    privacy=rnm_ftnl.privacy("Gumbel(2/epsilon), the exponential mechanism", selection.gumbel),
    parameters=rnm_ftnl.parameters(2),
    simulate=simulate,
)
