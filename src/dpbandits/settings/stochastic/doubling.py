"""Doubling episodes, which AdaP-UCB and AdaP-KLUCB share (Azize & Basu 2022, Algorithm 1). Theirs forget."""

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
    """State of the arms, each of shape (arms,).

    Attributes
    ----------
    mean
        The private mean of the last episode's rewards, or of all episodes' rewards if the algorithm does not
        forget.
    n
        Number of rewards in it.
    order
        The arms in the order of their first pull.
    """

    mean: NDArray[np.float64]
    n: NDArray[np.int64]
    order: NDArray[np.int64]


@kernel
def start(arms: int) -> Arms:
    """Return the state of ``arms`` arms, with arrays that are unfilled but for ``order``."""
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
    """Pull ``arm`` until its count doubles, renew its private mean; return the run's state after that.

    Parameters
    ----------
    arms
        The state of the arms, which is updated.
    arm
        From 0 on.
    epsilon
        Privacy budget, > 0: the sum of an episode's rewards has noise Lap(1/epsilon).
    forgets
        Whether an arm's mean is that of its last episode alone, and not of all.
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
    """Begin a run: pull each arm once, in random order; return the run's state after that.

    Parameters
    ----------
    arms
        The state of the arms, which is filled.
    epsilon, forgets
        As `episode` takes them.
    """
    permute(state, arms.order)
    clock = START
    for arm in arms.order:
        clock = episode(state, runs, bandit, run, arms, arm, epsilon, forgets, clock)
    return clock
