"""RNM-FTNL with Gumbel noise and epochs of random phase: lengths grow by a factor of e from a random start.

Source: wu2025, Algorithm 1 with Q_epsilon = Gumbel(2/epsilon). The epochs are ours: ceil(ratio^(k + phase)) rounds
for k = 0, 1, ..., with a phase that is uniform on [0, 1].

Let s = log K, and let b be the scale of the noise. With ratio e and deterministic losses the expected regret is
e b s, up to logarithms of it, on every instance with one best action. If each epoch forgets the epochs before, no
schedule does better on all instances (docs/wu2025-regret.md, Theorems F and G).

Privacy: epsilon-DP. Neighbours differ in the loss vector of one round, in all its entries. The phase is drawn
before any loss is seen. Given it, a loss vector enters the accumulated losses of one epoch, each by at most 1; the
exponential mechanism selects an action; epochs are disjoint.

Deviations: the epochs, which the paper doubles.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.fields import Parameter
from dpbandits.core.mathematics import exp, log
from dpbandits.core.recorder import GUMBEL
from dpbandits.core.recording import START, Runs, pull
from dpbandits.core.selections import offer, select
from dpbandits.core.streams import State, argmin, integer_below, uniform
from dpbandits.settings.full_information import rnm_ftnl, selection
from dpbandits.settings.full_information.problem import Losses, accumulate_over

# Rounds of an epoch, at most: T itself is no larger.
LONGEST = 2.0**52


@inner
def gumbel(state: State, scale: float) -> float:
    """Return a draw of Gumbel(scale), density exp(-x/scale - exp(-x/scale))/scale."""
    # With probability 2**-53 uniform() is 1 and this is infinite: the action is selected, as it should be.
    return -scale * log(-log(uniform(state)))


@kernel
def _simulate(runs: Runs, losses: Losses, resampling: int, scale: float, ratio: float) -> None:
    noisy = np.empty(losses.means.size)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = START
        action = integer_below(state, noisy.size)
        size = exp(log(ratio) * uniform(state))
        while clock.t < runs.horizon:
            length = math.ceil(min(size, LONGEST))
            accumulate_over(state, runs.recorder, losses, clock, length, resampling, noisy)
            clock = pull(runs, run, action, losses.gaps[action], length, clock)
            offer(state, runs.recorder, noisy, GUMBEL, scale)
            for j in range(noisy.size):
                noisy[j] -= gumbel(state, scale)
            action = select(runs.recorder, noisy, argmin(state, noisy))
            size *= ratio


def simulate(
    runs: Runs,
    losses: Losses,
    *,
    epsilon: float,  # noqa: ARG001
    resampling: int,
    scale: float,
    ratio: float,
) -> None:
    """Simulate RNM-FTNL in epochs of random phase, and record it in ``runs``.

    Parameters
    ----------
    losses
        The environment's losses.
    epsilon
        Privacy budget, > 0, which acts through ``scale`` alone.
    resampling, scale
        Whether losses are resampled as Bernoulli variables, 1 or 0; and scale of the noise, > 0.
    ratio
        Ratio of successive epochs' lengths, > 1.
    """
    _simulate(runs, losses, resampling, scale, ratio)


ALGORITHM = Algorithm(
    title="RNM-FTNL, random phase",
    source="wu2025, Algorithm 1; the epochs are ours",
    decides="batches",
    privacy=rnm_ftnl.privacy("Gumbel(2/epsilon), the exponential mechanism", selection.gumbel),
    parameters=(
        *rnm_ftnl.parameters(2),
        Parameter("ratio", float, math.e, "ratio of successive epochs' lengths", at_least=1.001, at_most=1e6),
    ),
    simulate=simulate,
)
