"""Episodes that double an arm's pulls, as AdaP-UCB and AdaP-KLUCB play them (Azize & Basu 2022, Algorithm 1).

In both algorithms episodes forget: an arm's mean is that of its last episode alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.recorder import release
from dpbandits.core.recording import START, Clock, Runs
from dpbandits.core.streams import State, permute
from dpbandits.settings.stochastic.problem import Bandit, collect, play


class Arms(NamedTuple):
    """State of the arms; each array has shape (arms,).

    Attributes
    ----------
    mean
        The private mean of the last episode's rewards, or of all episodes' rewards if the algorithm does not
        forget. It is not clipped onto [0, 1].
    n
        Number of rewards in ``mean``.
    order
        The arms in the order of their first pull.
    """

    mean: NDArray[np.float64]
    n: NDArray[np.int64]
    order: NDArray[np.int64]


@kernel
def start(arms: int) -> Arms:
    """Return the state of ``arms`` arms, for `first_episodes` to fill in; till then ``order`` is 0, 1, ..."""
    return Arms(np.empty(arms), np.empty(arms, dtype=np.int64), np.arange(arms))


@inner
def episode(
    state: State,
    runs: Runs,
    bandit: Bandit,
    run: int,
    arms: Arms,
    arm: int,
    epsilon: float,
    forgets: bool,
    clock: Clock,
) -> Clock:
    """Pull ``arm`` until its number of pulls has doubled, and renew its private mean.

    The first episode is one pull. An episode that the horizon cuts short releases nothing.

    Parameters
    ----------
    state, runs, bandit, run
        Random stream, runs to fill, bandit that gives the rewards, and index of the run in ``runs``.
    arms
        Private means and counts of the arms; those of ``arm`` are updated.
    arm
        Index of the arm to pull, from 0.
    epsilon
        Privacy budget, > 0: the sum of an episode's rewards has noise Lap(1/epsilon).
    forgets
        Whether an arm's mean is that of its last episode alone, and not of all.
    clock
        Clock of the run before the episode.

    Returns
    -------
    Clock
        Clock of the run after the episode.
    """
    before = clock.t
    wanted = max(1, runs.pulls[run, arm])
    clock = play(runs, bandit, run, arm, wanted, clock)
    if clock.t - before == wanted:
        rewards = collect(state, runs, bandit, run, arm, wanted, clock)
        noisy_sum = release(state, runs.recorder, rewards, 1.0 / epsilon)
        if forgets or before < arms.order.size:
            arms.n[arm] = wanted
        else:
            noisy_sum += arms.mean[arm] * arms.n[arm]
            arms.n[arm] += wanted
        arms.mean[arm] = noisy_sum / arms.n[arm]
    return clock


@inner
def first_episodes(
    state: State, runs: Runs, bandit: Bandit, run: int, arms: Arms, epsilon: float, forgets: bool
) -> Clock:
    """Begin a run: pull each arm once, with the arms in random order.

    Parameters
    ----------
    state, runs, bandit, run
        Random stream, runs to fill, bandit that gives the rewards, and index of the run in ``runs``.
    arms
        Private means and counts of the arms; they are set to those after one pull each.
    epsilon, forgets
        Privacy budget, > 0, and whether an arm's mean is that of its last episode alone.

    Returns
    -------
    Clock
        Clock of the run after these pulls.
    """
    permute(state, arms.order)
    clock = START
    for arm in arms.order:
        clock = episode(state, runs, bandit, run, arms, arm, epsilon, forgets, clock)
    return clock
