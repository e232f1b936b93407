"""AdaP-UCB: UCB under pure differential privacy, in doubling episodes that forget.

Source: Azize & Basu 2022, Algorithm 1 with the index of AdaP-UCB.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one episode mean,
of sensitivity 1/n, released once with Lap(1/(epsilon n)); parallel composition.

Deviations: none. Sources disagree on log t or log 2t in the index, hence a parameter. Ties of the index are
broken uniformly at random.
"""

from __future__ import annotations

import math

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
from dpbandits.settings.stochastic.doubling import episode, first_episodes, start


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, alpha: float, factor: float) -> None:
    arms = start(bandit.means.size)
    index = np.empty(bandit.means.size)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = first_episodes(state, runs, bandit, run, arms, epsilon, True)
        while clock.t < runs.horizon:
            for k in range(index.size):
                bonus = alpha * log(factor * (clock.t + 1.0)) / arms.n[k]
                index[k] = arms.mean[k] + math.sqrt(0.5 * bonus) + bonus / epsilon
            arm = argmax(state, index)
            clock = episode(state, runs, bandit, run, arms, arm, epsilon, True, clock)


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, alpha: float, clock: float) -> None:
    """Simulate AdaP-UCB, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    alpha
        Exploration, > 0: log t is multiplied by it in the index.
    clock
        Factor of t in the index, > 0.5: log(clock t) stands for log t. It is 1, or 2 as in some sources.
    """
    _simulate(runs, bandit, epsilon, alpha, clock)


ALGORITHM = Algorithm(
    title="AdaP-UCB",
    source="Azize & Basu 2022, Algorithm 1 (alpha = 3.1)",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="episode means of sensitivity 1/n, each with Lap(1/(epsilon n)); parallel composition",
        exact=worst,
        # Little exploration: the larger private mean decides.
        probes=(Probe(12, 2, {"alpha": 0.1}),),
    ),
    parameters=(
        Parameter("alpha", float, 3.1, "exploration: log t is multiplied by it", above=0),
        Parameter("clock", float, 1.0, "log(clock t) stands for log t; some sources have 2", above=0.5),
    ),
    simulate=simulate,
)
