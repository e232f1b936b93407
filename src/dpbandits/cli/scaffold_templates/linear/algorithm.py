"""Newcomer: TODO what it decides by, in a sentence.

Source: TODO paper, algorithm, equations. As `dpbandits new` writes it: batches that double, in each of which every
action that is left is played equally often; actions whose private mean is far below the best one are dropped.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward, clipped to [-clip, clip], enters
exactly one action's mean of n rewards, released once with Lap(2 clip/(n epsilon)); parallel composition.

Deviations: none.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.settings.linear.authoring import (
    CLIP,
    CLIPPED,
    NEIGHBOURS,
    Algorithm,
    Bandit,
    Clocks,
    Parameter,
    Privacy,
    Runs,
    kernel,
    log,
    mean_reports,
    play,
    start,
)


@kernel
def _simulate(runs: Runs, bandit: Bandit, clocks: Clocks, scale: float, clip: float, factor: float) -> None:
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        active = np.arange(bandit.means.size)
        often = 1
        while clocks.t[run] < runs.horizon:
            pulls = np.full(active.size, runs.horizon if active.size == 1 else often)
            before = play(runs, bandit, run, active, pulls, clocks)
            # A batch that the horizon cuts tells nobody anything.
            if clocks.t[run] < runs.horizon:
                # Each action's mean reward of the batch, released through the recorder with Lap(scale/often).
                means = mean_reports(state, bandit, active, pulls, before, clip, scale, 1.0, runs.recorder)
                level = log(2.0 * bandit.means.size * runs.horizon)
                width = factor * (math.sqrt(2.0 * level / often) + scale * level / often)
                active = active[means >= means.max() - 2.0 * width]
            often *= 2


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, clip: float, factor: float) -> None:
    """Fill ``runs`` with those of Newcomer."""
    _simulate(runs, bandit, start(runs.pulls.shape[0]), 2.0 * clip / epsilon, clip, factor)


ALGORITHM = Algorithm(
    title="Newcomer",
    source="TODO paper, algorithm, equations",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours=NEIGHBOURS,
        mechanism="means of n rewards in [-clip, clip], each with Lap(2 clip/(n epsilon)); parallel composition",
        exact=CLIPPED,
    ),
    parameters=(
        CLIP,
        Parameter("factor", float, 0.25, "multiple of a confidence interval's width", above=0),
    ),
    simulate=simulate,
)
