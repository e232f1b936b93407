"""Newcomer: TODO what it decides by, in a sentence.

Source: TODO paper, algorithm, equations. As `dpbandits new` writes it: upper confidence bounds on private means.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one batch sum, of
sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    Algorithm,
    Bandit,
    Parameter,
    Privacy,
    Runs,
    Schedule,
    argmax,
    cumulative_pulls,
    first_batches,
    kernel,
    log,
    next_batch,
    schedule,
    start,
    worst,
)


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, batches: Schedule) -> None:
    arms = start(bandit.means.size)
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        clock = first_batches(state, runs, bandit, run, arms, batches)
        while clock.t < runs.horizon:
            # Decide by what was released: arms.clipped (private means), arms.n (rewards in them), arms.m (batches).
            deviation = np.sqrt(log(clock.t) / (2 * arms.n))
            noise = np.sqrt(8 * (arms.m + 1) * log(clock.t)) / (epsilon * arms.n)
            arm = argmax(state, arms.clipped + deviation + noise)
            # Pulls the arm for its next batch, and releases the batch's sum through the recorder.
            clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, alpha: float) -> None:
    """Fill ``runs`` with those of Newcomer."""
    _simulate(runs, bandit, epsilon, schedule(cumulative_pulls(1, alpha, runs.horizon), epsilon))


ALGORITHM = Algorithm(
    title="Newcomer",
    source="TODO paper, algorithm, equations",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="batch sums of sensitivity 1, each with Lap(1/epsilon); parallel composition",
        exact=worst,
    ),
    parameters=(Parameter("alpha", float, 2.0, "ratio of an arm's successive batches", above=1),),
    simulate=simulate,
)
