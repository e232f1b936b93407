"""DP-IMED: IMED under pure differential privacy, by geometric batches without forgetting.

Source: azize2025, Algorithm 1 with the index of eq. 13 and the batches of eq. 14.

Privacy: epsilon-DP (azize2025, Proposition 4.2). Neighbours differ in the reward of one round. A reward
enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); the sums are disjoint
(parallel composition) and all else is post-processing.

Deviations: none. Ties of the index are broken uniformly at random, which the paper leaves open; they are
frequent, since clipping puts the private means of many arms at exactly 0 or 1 for small budgets.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    Algorithm,
    Bandit,
    Parameter,
    Privacy,
    Probe,
    Runs,
    Schedule,
    argmin,
    cumulative_pulls,
    first_batches,
    kernel,
    log,
    next_batch,
    schedule,
    start,
    worst,
)
from dpbandits.settings.stochastic.divergences import budget, d_eps


@kernel
def follow(runs: Runs, bandit: Bandit, epsilon: float, batches: Schedule, weight: float) -> None:
    """Simulate batches by DP-IMED's index: the arm of smallest index is pulled for its next batch.

    The index is n d_eps(m, m*) + ``weight`` log n, with the divergence `d_eps` that takes the place of kl under
    privacy. Here m is the arm's private mean of n rewards, clipped onto [0, 1], and m* is the largest such mean.
    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget of the index, > 0.
    batches
        Pulls of an arm after each of its batches, the noise on a batch's sum, and whether batches are forgotten.
    weight
        Weight of log n in the index, >= 0; DP-IMED's is 1.
    """
    arms = start(bandit.means.size)
    privacy = budget(epsilon)
    index = np.empty(bandit.means.size)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = first_batches(state, runs, bandit, run, arms, batches)
        # No private mean is -1: the first pass computes every index.
        highest, arm = -1.0, 0
        while clock.t < runs.horizon:
            # An index depends on its own arm and on the highest private mean, not on t.
            if arms.clipped.max() != highest:
                highest = arms.clipped.max()
                for k in range(index.size):
                    distance = d_eps(arms.clipped[k], highest, privacy)
                    index[k] = arms.n[k] * distance + weight * log(arms.n[k])
            else:
                distance = d_eps(arms.clipped[arm], highest, privacy)
                index[arm] = arms.n[arm] * distance + weight * log(arms.n[arm])
            arm = argmin(state, index)
            clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, alpha: float) -> None:
    """Simulate DP-IMED, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, alpha
        Size of an arm's first batch, >= 1, and ratio of its successive batches, > 1.
    """
    follow(runs, bandit, epsilon, schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon), 1.0)


ALGORITHM = Algorithm(
    title="DP-IMED",
    source="azize2025, Algorithm 1, eqs. 13 and 14",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="batch sums of sensitivity 1, each with Lap(1/epsilon); parallel composition",
        exact=worst,
        # Batches of equal size: many decisions soon.
        probes=(Probe(12, 2, {"n0": 3, "alpha": 1.0015}), Probe(12, 2), Probe(6, 2)),
    ),
    parameters=(
        Parameter("n0", int, 1, "pulls of each arm in its first batch", above=0),
        Parameter("alpha", float, 2.0, "ratio of an arm's successive batches", above=1),
    ),
    simulate=simulate,
)
