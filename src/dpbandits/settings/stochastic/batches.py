"""Batches and private sums: the part of azize2025's Algorithm 1 that does not depend on the index."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.recorder import release
from dpbandits.core.recording import START, Clock, Runs
from dpbandits.core.streams import State, permute
from dpbandits.settings.stochastic.problem import Bandit, collect, play


# Runs come in pieces, and replays in hundreds; with ratios near 1 a table takes longer than a run.
@functools.lru_cache(maxsize=32)
def cumulative_pulls(n0: int, alpha: float, horizon: int) -> NDArray[np.int64]:
    """Return n_m, the pulls of an arm after its batches 0 to m (azize2025, eq. 14 summed).

    n_m = ceil(n0 (alpha^(m+1) - 1)/(alpha - 1)), so batch m has n_m - n_(m-1) pulls. The arithmetic is exact, with
    alpha as the decimal number that is written. For alpha = 1.1 and n0 = 1 batches have 1, 2, 1, 1, 2, ... pulls.
    In floating point (1.1 - 1)/0.1 is above 1, and the first batch would have 2.

    Parameters
    ----------
    n0
        Size of the first batch, >= 1.
    alpha
        Ratio of successive batches, > 1.
    horizon
        Number T of rounds. The table ends with the first n_m > T, entered as T + 1, since no arm can get there.

    Returns
    -------
    ndarray of int64, shape (batches,)
        n_m for m = 0, 1, ..., strictly increasing.
    """
    ratio = Fraction(str(alpha))
    p, q = ratio.numerator, ratio.denominator
    table: list[int] = []
    power_p, power_q = p, q
    while not table or table[-1] <= horizon:
        # n0 ((p/q)^k - 1)/(p/q - 1) = n0 (p^k - q^k) q / (q^k (p - q)), k = m + 1
        numerator = n0 * (power_p - power_q) * q
        table.append(min(-(-numerator // (power_q * (p - q))), horizon + 1))
        power_p, power_q = power_p * p, power_q * q
    return np.array(table, dtype=np.int64)


def long_start(first: float, epsilon: float, horizon: int) -> int:
    """Return the size n0 of a long first batch: ``first``/epsilon rewards, rounded up, at most ``horizon``."""
    return math.ceil(min(first / epsilon, float(horizon)))


def polynomial_pulls(n0: int, degree: int, horizon: int) -> NDArray[np.int64]:
    """Return an arm's pulls after its batches 0 to m, of sizes B_m = n0 (m + 1)^degree (azize2025, Appendix F).

    Parameters
    ----------
    n0
        Size of the first batch, >= 1.
    degree
        Degree of the batches' growth, >= 1.
    horizon
        Number T of rounds. The table ends with the first number of pulls above T, entered as T + 1.

    Returns
    -------
    ndarray of int64, shape (batches,)
        Pulls after the batches 0, 1, ..., strictly increasing.
    """
    table = [n0]
    while table[-1] <= horizon:
        table.append(table[-1] + n0 * (len(table) + 1) ** degree)
    table[-1] = horizon + 1
    return np.array(table, dtype=np.int64)


class Schedule(NamedTuple):
    """Schedule of an arm's batches: after each one its sum of rewards is released.

    Attributes
    ----------
    counts : ndarray of int64, shape (batches,)
        n_m, the pulls of an arm after its batches 0 to m, strictly increasing, the last above the horizon.
    noise : ndarray of float64, shape (batches,)
        Scale of the Laplace noise on the sum of batch m. For epsilon-DP it is 1/epsilon.
    forgets : bool
        Whether an arm's mean is that of its last batch alone, and not of all its batches.
    """

    counts: NDArray[np.int64]
    noise: NDArray[np.float64]
    forgets: bool


def schedule(counts: NDArray[np.int64], epsilon: float, forgets: bool = False) -> Schedule:
    """Return the private schedule with these counts: every batch's sum has noise Lap(1/epsilon).

    Parameters
    ----------
    counts : ndarray of int64, shape (batches,)
        An arm's number of pulls after each of its batches.
    epsilon
        Privacy budget, > 0.
    forgets
        Whether an arm's mean is of its last batch alone, and not of all its batches.
    """
    return Schedule(counts, np.full(counts.size, 1.0 / epsilon), forgets)


class Arms(NamedTuple):
    """State of the arms in Algorithm 1; each array has shape (arms,).

    Attributes
    ----------
    noisy_sum
        Private reward sum of each arm, with one Laplace draw for each batch in it.
    clipped
        Private mean of each arm, clipped onto [0, 1].
    n, m
        Number of rewards in the sum, and number of the arm's last finished batch; -1 before batch 0.
    order
        The arms in the order of their first batches.
    """

    noisy_sum: NDArray[np.float64]
    clipped: NDArray[np.float64]
    n: NDArray[np.int64]
    m: NDArray[np.int64]
    order: NDArray[np.int64]


@kernel
def start(arms: int) -> Arms:
    """Return the state of ``arms`` arms, for `first_batches` to fill in; till then ``order`` is 0, 1, ..."""
    return Arms(
        np.empty(arms),
        np.empty(arms),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.arange(arms),
    )


@inner
def next_batch(
    state: State,
    runs: Runs,
    bandit: Bandit,
    run: int,
    arms: Arms,
    arm: int,
    batches: Schedule,
    clock: Clock,
) -> Clock:
    """Pull ``arm`` for its next batch, and update its private mean.

    A batch that the horizon cuts short releases nothing: no decision follows it.

    Parameters
    ----------
    state, runs, bandit, run
        Random stream, runs to fill, bandit that gives the rewards, and index of the run in ``runs``.
    arms
        Private sums and counts of the arms; those of ``arm`` are updated.
    arm
        Index of the arm to pull, from 0.
    batches
        Sizes of the batches, and their noise.
    clock
        Clock of the run before the batch.

    Returns
    -------
    Clock
        Clock of the run after the batch.
    """
    batch = batches.counts[arms.m[arm] + 1] - runs.pulls[run, arm]
    before = clock.t
    clock = play(runs, bandit, run, arm, batch, clock)
    if clock.t - before == batch:
        rewards = collect(state, runs, bandit, run, arm, batch, clock)
        arms.m[arm] += 1
        if batches.forgets:
            arms.noisy_sum[arm] = 0.0
            arms.n[arm] = 0
        arms.noisy_sum[arm] += release(state, runs.recorder, rewards, batches.noise[arms.m[arm]])
        arms.n[arm] += batch
        arms.clipped[arm] = min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm]))
    return clock


@inner
def first_batches(
    state: State,
    runs: Runs,
    bandit: Bandit,
    run: int,
    arms: Arms,
    batches: Schedule,
) -> Clock:
    """Begin a run: pull each arm for its first batch, with the arms in random order.

    Parameters
    ----------
    state, runs, bandit, run
        Random stream, runs to fill, bandit that gives the rewards, and index of the run in ``runs``.
    arms
        Private sums and counts of the arms; they are set to those after the first batches.
    batches
        Sizes of the batches, and their noise.

    Returns
    -------
    Clock
        Clock of the run after the first batches.
    """
    arms.noisy_sum[:] = 0.0
    arms.n[:] = 0
    arms.m[:] = -1
    permute(state, arms.order)
    clock = START
    for arm in arms.order:
        clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)
    return clock
