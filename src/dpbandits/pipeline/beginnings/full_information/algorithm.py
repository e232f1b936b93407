"""Newcomer: TODO what it decides by, in a sentence.

Source: TODO paper, algorithm, equations. As `dpbandits new` writes it: the noisy leader of the last epoch is
followed, epochs doubling.

Privacy: epsilon-DP. Neighbours differ in the loss vector of one round, in all its entries. It enters the
accumulated losses of one epoch, each by at most 1; report-noisy-max with Lap(2/epsilon) releases an action; epochs
are disjoint.

Deviations: none.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core.algorithm import Algorithm, Privacy, Values, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.door import LAPLACE, offer, select
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import argmin, integer_below, laplace
from dpbandits.settings.full_information import privacy, selection
from dpbandits.settings.full_information.problem import Losses, accumulate, play


@kernel
def _simulate(runs: Runs, losses: Losses, scale: float) -> None:
    noisy = np.empty(losses.means.size)
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        clock = START
        action = integer_below(state, noisy.size)
        while clock.t < runs.horizon:
            accumulate(state, runs.door, losses, clock, 0, noisy)
            clock = play(runs, losses, run, action, clock)
            # The door is told the true scores, and which action was selected by the noisy ones.
            offer(state, runs.door, noisy, LAPLACE, scale)
            for j in range(noisy.size):
                noisy[j] -= laplace(state, scale)
            action = select(runs.door, noisy, argmin(state, noisy))


def _exact(epsilon: float, tied: Values) -> Worst:
    """Return the worst loss of a selection with Lap(2/epsilon)."""
    return privacy.exact(selection.laplace, epsilon, {**tied, "scale": 2.0 / epsilon})


def simulate(runs: Runs, losses: Losses, *, epsilon: float) -> None:
    """Fill ``runs`` with those of Newcomer."""
    _simulate(runs, losses, 2.0 / epsilon)


ALGORITHM = Algorithm(
    title="Newcomer",
    source="TODO paper, algorithm, equations",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the loss vector of one round replaced",
        mechanism="report-noisy-max on losses accumulated over disjoint epochs, sensitivity 1; Lap(2/epsilon)",
        exact=_exact,
    ),
    simulate=simulate,
)
