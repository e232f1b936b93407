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

from dpbandits.settings.full_information.authoring import (
    LAPLACE,
    START,
    Algorithm,
    Losses,
    Privacy,
    Runs,
    Values,
    Worst,
    accumulate,
    argmin,
    exact,
    integer_below,
    kernel,
    laplace,
    offer,
    play,
    select,
    select_laplace,
)


@kernel
def _simulate(runs: Runs, losses: Losses, scale: float) -> None:
    noisy = np.empty(losses.means.size)
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        clock = START
        action = integer_below(state, noisy.size)
        while clock.t < runs.horizon:
            accumulate(state, runs.recorder, losses, clock, 0, noisy)
            clock = play(runs, losses, run, action, clock)
            # The recorder is told the true scores, and which action was selected by the noisy ones.
            offer(state, runs.recorder, noisy, LAPLACE, scale)
            for j in range(noisy.size):
                noisy[j] -= laplace(state, scale)
            action = select(runs.recorder, noisy, argmin(state, noisy))


def _exact(epsilon: float, tied: Values) -> Worst:
    """Return the worst loss of a selection with Lap(2/epsilon)."""
    return exact(select_laplace, epsilon, {**tied, "scale": 2.0 / epsilon})


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
