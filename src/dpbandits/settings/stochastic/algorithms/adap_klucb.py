"""AdaP-KLUCB: KL-UCB under pure differential privacy, in doubling episodes that forget.

Source: Azize & Basu 2022, Algorithm 1 with the index of AdaP-KLUCB, as compared with in azize2025.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one episode mean,
of sensitivity 1/n, released once with Lap(1/(epsilon n)); parallel composition.

Deviations: none. Ties of the index are broken uniformly at random.
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
    argmax,
    kernel,
    log,
    worst,
)
from dpbandits.settings.stochastic.divergences import kl_upper_surprise
from dpbandits.settings.stochastic.doubling import episode, first_episodes, start


@kernel
def follow(runs: Runs, bandit: Bandit, epsilon: float, alpha: float, forgets: bool) -> None:
    """Simulate episodes by AdaP-KLUCB's index: pull the arm of largest index, as often as it was pulled before.

    The index is max{q : kl(m, q) <= b}, b = ``alpha`` log t/n. Here m is the arm's private mean of n rewards plus
    b/epsilon, clipped onto [0, 1]. Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    alpha
        Exploration: log t is multiplied by it, > 0.
    forgets
        Whether an arm's mean is that of its last episode alone, and not of all.
    """
    arms = start(bandit.means.size)
    index = np.empty(bandit.means.size)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = first_episodes(state, runs, bandit, run, arms, epsilon, forgets)
        while clock.t < runs.horizon:
            for k in range(index.size):
                bonus = alpha * log(clock.t + 1.0) / arms.n[k]
                optimistic = min(1.0, max(0.0, arms.mean[k] + bonus / epsilon))
                index[k] = kl_upper_surprise(optimistic, bonus)
            arm = argmax(state, index)
            clock = episode(state, runs, bandit, run, arms, arm, epsilon, forgets, clock)


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, alpha: float) -> None:
    """Simulate AdaP-KLUCB, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    alpha
        Exploration, > 0: log t is multiplied by it in the index.
    """
    # True: an arm's mean is that of its last episode.
    follow(runs, bandit, epsilon, alpha, True)


ALGORITHM = Algorithm(
    title="AdaP-KLUCB",
    source="Azize & Basu 2022, Algorithm 1 (azize2025, Section 5: alpha = 3.1)",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="episode means of sensitivity 1/n, each with Lap(1/(epsilon n)); parallel composition",
        exact=worst,
        # Little exploration: the larger private mean decides.
        probes=(Probe(12, 2, {"alpha": 0.05}),),
    ),
    parameters=(Parameter("alpha", float, 3.1, "exploration: log t is multiplied by it", above=0),),
    simulate=simulate,
)
