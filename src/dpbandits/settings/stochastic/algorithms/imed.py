"""IMED: indexed minimum empirical divergence, without privacy.

Source: Honda & Takemura 2015; index N_i kl(mu_i, mu*) + log N_i with mu* the largest empirical mean.

Privacy: none.

Deviations: none in law. IMED decides every round, but while the leader's rewards cannot change the next w
decisions whatever they are, those w rounds are drawn as one binomial; w is found by trial (see `_simulate`).
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    START,
    Algorithm,
    Bandit,
    Runs,
    argmin,
    collect,
    kernel,
    log,
    log1p,
    permute,
    play,
)

# Indices that differ by less tie: after s successes and a failure of the leader, an arm whose only pull failed
# has the same index log(s + 1), computed differently.
TIE = 1e-10


@kernel
def _simulate(runs: Runs, bandit: Bandit) -> None:
    arms = bandit.means.size
    successes = np.empty(arms)
    n = np.empty(arms)
    mean = np.empty(arms)
    # The part of an index that does not depend on mu*: N (mu log mu + (1 - mu) log(1 - mu)) + log N.
    fixed = np.empty(arms)
    index = np.empty(arms)
    order = np.arange(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        successes[:] = 0.0
        n[:] = 0.0
        clock = START
        permute(state, order)
        window = 1
        while clock.t < runs.horizon:
            if clock.t < arms:
                arm, window = order[clock.t], 1
            else:
                arm, window = _decide(state, successes, n, mean, fixed, index, window)
            window = min(window, runs.horizon - clock.t)
            clock = play(runs, bandit, run, arm, window, clock)
            successes[arm] += collect(state, runs, bandit, run, arm, window, clock)
            n[arm] += window
            mean[arm] = successes[arm] / n[arm]
            fixed[arm] = (
                _x_log_x(successes[arm]) + _x_log_x(n[arm] - successes[arm]) - _x_log_x(n[arm]) + log(n[arm])
            )


@kernel
def _x_log_x(x: float) -> float:
    return x * log(x) if x > 0.0 else 0.0


@kernel
def _index(fixed: float, successes: float, failures: float, log_p: float, log_q: float) -> float:
    """Return N kl(mu, p) + log N of an arm with mu < p, from log p and log(1 - p)."""
    success_part = successes * log_p if successes > 0.0 else 0.0
    return fixed - success_part - failures * log_q


@kernel
def _decide(
    state: np.ndarray,
    successes: np.ndarray,
    n: np.ndarray,
    mean: np.ndarray,
    fixed: np.ndarray,
    index: np.ndarray,
    window: int,
) -> tuple[int, int]:
    """Return the arm of smallest index, and for how many rounds it is certain to stay that.

    ``window`` is the last answer; twice as many rounds are tried first.
    """
    highest = mean.max()
    log_p, log_q = log(highest), log1p(-highest)
    for k in range(n.size):
        if mean[k] == highest:
            index[k] = log(n[k])
        else:
            index[k] = _index(fixed[k], successes[k], n[k] - successes[k], log_p, log_q)
    smallest = index.min()
    for k in range(n.size):
        if index[k] <= smallest + TIE:
            index[k] = smallest
    arm = argmin(state, index)
    if mean[arm] < highest:
        return arm, 1
    # At worst all rewards of the window are 0: then mu* and with it the others' indices are lowest, and the
    # leader's own index, log N, is largest just before the window's last round.
    window *= 2
    while window > 1:
        trials = n[arm] + window - 1.0
        lowest = successes[arm] / trials
        if lowest > 0.0:
            log_n, log_p, log_q = log(trials), log(lowest), log1p(-lowest)
            certain = True
            for k in range(n.size):
                if k != arm:
                    other = _index(fixed[k], successes[k], n[k] - successes[k], log_p, log_q)
                    certain = certain and mean[k] < lowest and other > log_n + TIE
            if certain:
                break
        window //= 2
    return arm, max(1, window)


def simulate(runs: Runs, bandit: Bandit) -> None:
    """Simulate IMED, and record pulls and regret in ``runs``."""
    _simulate(runs, bandit)


ALGORITHM = Algorithm(
    title="IMED",
    source="Honda & Takemura 2015, Algorithm 1",
    decides="rounds",
    privacy=None,
    simulate=simulate,
)
