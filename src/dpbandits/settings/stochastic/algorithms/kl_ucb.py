"""KL-UCB, without privacy.

Source: Cappé, Garivier, Maillard, Munos & Stoltz 2013; index max{q : N kl(mu, q) <= log t}.

Privacy: none.

Deviations: none in law. KL-UCB decides every round, but while the leader's rewards cannot change the next
w decisions whatever they are, those w rounds are drawn as one binomial; w is found by trial.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    START,
    Algorithm,
    Bandit,
    Runs,
    State,
    collect,
    integer_below,
    kernel,
    log,
    permute,
    play,
)
from dpbandits.settings.stochastic.divergences import kl, kl_upper


@kernel
def _simulate(runs: Runs, bandit: Bandit) -> None:
    arms = bandit.means.size
    successes = np.empty(arms)
    n = np.empty(arms)
    mean = np.empty(arms)
    order = np.arange(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        successes[:] = 0.0
        n[:] = 0.0
        clock = START
        permute(state, order)
        arm, window = 0, 1
        while clock.t < runs.horizon:
            if clock.t < arms:
                arm, window = order[clock.t], 1
            else:
                arm = _largest_index(state, mean, n, log(clock.t + 1.0), arm)
                window = _certain(successes, mean, n, clock.t, arm, window)
            window = min(window, runs.horizon - clock.t)
            clock = play(runs, bandit, run, arm, window, clock)
            successes[arm] += collect(state, runs, bandit, run, arm, window, clock)
            n[arm] += window
            mean[arm] = successes[arm] / n[arm]


@kernel
def _largest_index(state: State, mean: np.ndarray, n: np.ndarray, log_t: float, likely: int) -> int:
    """Return an arm of largest index, uniformly among ties.

    Arm k's index exceeds a level q exactly if mean_k > q or n_k kl(mean_k, q) < log t. So only one index is
    computed, that of the ``likely`` winner, and the others are compared with it.
    """
    best = likely
    index = kl_upper(mean[best], log_t / n[best])
    ties = 1
    for k in range(n.size):
        if k == likely:
            continue
        # Distinct (n, mean) have distinct indices, unless both saturate at 1.
        if (n[k] == n[best] and mean[k] == mean[best]) or (index >= 1.0 and mean[k] >= 1.0):
            ties += 1
            if integer_below(state, ties) == 0:
                best = k
        elif index < 1.0 and (mean[k] > index or n[k] * kl(mean[k], index) < log_t):
            best, ties = k, 1
            index = kl_upper(mean[k], log_t / n[k])
    return best


@kernel
def _certain(
    successes: np.ndarray,
    mean: np.ndarray,
    n: np.ndarray,
    t: int,
    arm: int,
    window: int,
) -> int:
    """Return for how many rounds from t + 1 on ``arm`` is certain to be pulled, at least 1.

    At worst all rewards of the window are 0, the leader's bonus is that of the window's end with the first
    round's log t, and the others' log t is that of the last round. ``window`` is the last answer; twice as
    many rounds are tried first.
    """
    log_t = log(t + 1.0)
    window *= 2
    while window > 1:
        trials = n[arm] + window - 1.0
        lowest = kl_upper(successes[arm] / trials, log_t / trials)
        log_end = log(t + float(window))
        certain = True
        for k in range(n.size):
            if k != arm:
                certain = certain and mean[k] < lowest and n[k] * kl(mean[k], lowest) > log_end
        if certain:
            return window
        window //= 2
    return 1


def simulate(runs: Runs, bandit: Bandit) -> None:
    """Simulate KL-UCB, and record pulls and regret in ``runs``."""
    _simulate(runs, bandit)


ALGORITHM = Algorithm(
    title="KL-UCB",
    source="Cappé et al. 2013, Algorithm 1 with c = 0",
    decides="rounds",
    privacy=None,
    simulate=simulate,
)
