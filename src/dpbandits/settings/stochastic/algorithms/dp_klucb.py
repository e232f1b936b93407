"""DP-KLUCB: KL-UCB under pure differential privacy, by geometric batches without forgetting.

Source: azize2025, Algorithm 1 with the index of eq. 12 and the batches of eq. 14.

Privacy: epsilon-DP (azize2025, Proposition 4.2). Neighbours differ in the reward of one round. A reward
enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); the sums are disjoint
(parallel composition) and all else is post-processing.

Deviations: none. Ties of the index are broken uniformly at random, which the paper leaves open; they are
frequent, since small budgets put the index of many arms at exactly 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.stochastic.authoring import (
    Algorithm,
    Bandit,
    Parameter,
    Privacy,
    Probe,
    Runs,
    Schedule,
    State,
    cumulative_pulls,
    first_batches,
    integer_below,
    kernel,
    log,
    next_batch,
    schedule,
    start,
    worst,
)
from dpbandits.settings.stochastic.divergences import Budget, budget, d_eps, d_eps_upper


@kernel
def _largest_index(
    state: State,
    clipped: NDArray[np.float64],
    n: NDArray[np.int64],
    log_t: float,
    privacy: Budget,
    likely: int,
) -> int:
    """Return an arm of largest index (eq. 12), uniformly among ties.

    The index of arm k exceeds a level q exactly if clipped_k > q or n_k d_eps(clipped_k, q) < log t. So only one
    index is computed, and the others are compared with it. ``likely`` is a likely winner.
    """
    best = likely
    index = d_eps_upper(clipped[best], log_t / n[best], privacy)
    ties = 1
    for k in range(n.size):
        if k == likely:
            continue
        if n[k] == n[best] and clipped[k] == clipped[best]:
            tied = True
        elif index >= 1.0:
            tied = n[k] * d_eps(clipped[k], 1.0, privacy) <= log_t
        elif clipped[k] > index or n[k] * d_eps(clipped[k], index, privacy) < log_t:
            best = k
            index = d_eps_upper(clipped[k], log_t / n[k], privacy)
            ties = 1
            tied = False
        else:
            tied = False
        if tied:
            ties += 1
            if integer_below(state, ties) == 0:
                best = k
    return best


@kernel
def follow(runs: Runs, bandit: Bandit, epsilon: float, batches: Schedule) -> None:
    """Simulate batches by DP-KLUCB's index: the arm of largest index is pulled for its next batch.

    The index is max{q : n d_eps(m, q) <= log t}, with the divergence `d_eps` that takes the place of kl under
    privacy. Here m is the arm's private mean of n rewards, clipped onto [0, 1]. Pulls and regret are recorded in
    ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget of the index, > 0.
    batches
        Pulls of an arm after each of its batches, the noise on a batch's sum, and whether batches are forgotten.
    """
    arms = start(bandit.means.size)
    privacy = budget(epsilon)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = first_batches(state, runs, bandit, run, arms, batches)
        arm = 0
        while clock.t < runs.horizon:
            # Round t + 1 is the one this decision is made for.
            arm = _largest_index(state, arms.clipped, arms.n, log(clock.t + 1.0), privacy, arm)
            clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, alpha: float) -> None:
    """Simulate DP-KLUCB, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, alpha
        Size of an arm's first batch, >= 1, and ratio of its successive batches, > 1.
    """
    follow(runs, bandit, epsilon, schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon))


ALGORITHM = Algorithm(
    title="DP-KLUCB",
    source="azize2025, Algorithm 1, eqs. 12 and 14",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="batch sums of sensitivity 1, each with Lap(1/epsilon); parallel composition",
        exact=worst,
        # Batches of nearly equal size: many decisions; each of some rewards, which saturate no index.
        probes=(Probe(38, 2, {"n0": 6, "alpha": 1.01}),),
    ),
    parameters=(
        Parameter("n0", int, 1, "pulls of each arm in its first batch", above=0),
        Parameter("alpha", float, 2.0, "ratio of an arm's successive batches", above=1),
    ),
    simulate=simulate,
)
