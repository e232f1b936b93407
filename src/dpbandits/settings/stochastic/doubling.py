"""Doubling episodes that forget: what AdaP-UCB and AdaP-KLUCB share (Azize & Basu 2022, Algorithm 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.streams import State, laplace, permute
from dpbandits.settings.stochastic.problem import Block, collect, play


class Arms(NamedTuple):
    """What is known of the arms, each of shape (arms,).

    Attributes
    ----------
    mean
        The private mean of the last episode's rewards; older rewards are forgotten.
    n
        How many rewards are in it.
    order
        The arms in the order of their first pull.
    """

    mean: NDArray[np.float64]
    n: NDArray[np.int64]
    order: NDArray[np.int64]


@kernel
def start(arms: int) -> Arms:
    """Return room for what is known of ``arms`` arms."""
    return Arms(np.empty(arms), np.empty(arms, dtype=np.int64), np.arange(arms))


@kernel
def episode(
    state: State,
    block: Block,
    run: int,
    arms: Arms,
    arm: int,
    epsilon: float,
    t: int,
    at: int,
    regret: float,
) -> tuple[int, int, float]:
    """Pull ``arm`` until its count doubles, replace its private mean; return ``t, at, regret`` as `play`."""
    pulled = block.pulls[run, arm]
    wanted = max(1, pulled)
    t, at, regret = play(block, run, arm, wanted, t, at, regret)
    if block.pulls[run, arm] - pulled == wanted:
        rewards = collect(state, block, run, arm, wanted) + laplace(state, 1.0 / epsilon)
        arms.mean[arm] = rewards / wanted
        arms.n[arm] = wanted
    return t, at, regret


@kernel
def first_episodes(state: State, block: Block, run: int, arms: Arms, epsilon: float) -> tuple[int, int, float]:
    """Pull each arm once, in random order; return ``t, at, regret``."""
    permute(state, arms.order)
    t, at, regret = 0, 0, 0.0
    for arm in arms.order:
        t, at, regret = episode(state, block, run, arms, arm, epsilon, t, at, regret)
    return t, at, regret
