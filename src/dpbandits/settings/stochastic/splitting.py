"""Means that rare runs dominate, by importance splitting: DP-IMED on Bernoulli bandits with one best arm.

In a rare run the best arm's private mean is so low after some batch that its index, against the second mean, is
high (docs/azize2025-tails.md, Theorem H). So a run is split whenever this index passes a level for
the first time. Its copies go on with streams of their own, each with an equal part of its share. Shares of a run's
copies sum to 1, so the sum of their regrets, weighted by shares, has the mean of a plain run's regret, whatever the
levels are. They are quantiles of the highest index in other runs, the pilot: one run in sixteen passes the first,
and half of these the next, and so on; beyond them they are extrapolated.

Source: fixed splitting, Kahn and Harris 1951; Garvels 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.distributions import student_quantile
from dpbandits.core.errors import BadInput
from dpbandits.core.mathematics import log
from dpbandits.core.recording import Clock, Runs, checkpoints
from dpbandits.core.streams import argmin, bits, streams
from dpbandits.settings.stochastic.batches import (
    Schedule,
    cumulative_pulls,
    first_batches,
    long_start,
    next_batch,
    schedule,
    start,
)
from dpbandits.settings.stochastic.divergences import budget, d_eps
from dpbandits.settings.stochastic.problem import Bandit, make_bandit

Floats = NDArray[np.float64]
CONFIDENCE = 0.95
# Copies at each level, the first of which one run in `COMMON` passes: what is more frequent needs none. Runs of the
# pilot, of which `LEAST` pass the last of its levels; and copies of a run that can wait.
COPIES, COMMON, PILOT, LEAST, WAITING = 2, 16, 4000, 30, 4096


# The first batch of each algorithm that can be split.
FIRST: Mapping[str, Callable[[Mapping[str, Any], float, int], int]] = {
    "dp-imed": lambda given, epsilon, horizon: int(given["n0"]),  # noqa: ARG005
    "dp-imed-long-start": lambda given, epsilon, horizon: long_start(float(given["first"]), epsilon, horizon),
}


class RareMean(NamedTuple):
    """Estimate of the mean regret at the horizon by importance splitting.

    In splitting, a run that comes near a rare event goes on in several copies, each with a part of its weight.

    Attributes
    ----------
    value, error
        The estimate and its standard error, over runs.
    low, high
        Ends of its 95 % interval, by Student's t.
    runs, leaves
        Number of runs that were split, and of their copies that reached the horizon.
    levels : ndarray of float64, shape (levels,)
        Levels of the best arm's index at which runs were split.
    """

    value: float
    error: float
    low: float
    high: float
    runs: int
    leaves: int
    levels: Floats


@kernel
def follow(
    runs: Runs, bandit: Bandit, epsilon: float, batches: Schedule, weight: float, levels: Floats, copies: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Simulate DP-IMED by importance splitting, and write each run's regret at the horizon into ``runs``.

    A run is split into copies whenever the best arm's index, against the second largest mean, passes a level for
    the first time. Its regret is the sum of the copies' regrets, weighted by their shares of the run. ``runs`` have
    one checkpoint, the horizon. Their pulls are those of the last copy alone, of no use.

    Parameters
    ----------
    epsilon, batches
        Privacy budget of the index, > 0; and sizes of an arm's batches, with their noise.
    weight
        Weight of log n in the index n d_eps(mean, largest mean) + weight log n of an arm; DP-IMED's is 1.
    levels : ndarray of float64, shape (levels,)
        Levels of the best arm's index, increasing. Without any level no run is split, and the runs are DP-IMED's.
    copies
        Number of copies that a run is split into at each level, unless 4,096 copies of it wait already.

    Returns
    -------
    ndarray of float64, ndarray of int64, shape (runs,)
        Highest index of each run's best arm while that arm's private mean was below the second largest mean; -1 if
        it never was. Number of each run's copies that reached the horizon.
    """
    number = bandit.means.size
    arms, privacy, index = start(number), budget(epsilon), np.empty(number)
    best = int(bandit.means.argmax())
    second = 0.0
    for k in range(number):
        if k != best:
            second = max(second, bandit.means[k])
    # Copies that wait: sums and private means, rewards, batches and pulls, round, excess, share, level and stream.
    floats, wholes = np.empty((WAITING, 2, number)), np.empty((WAITING, 3, number), dtype=np.int64)
    excess, share_of = np.empty(WAITING), np.empty(WAITING)
    rounds, level_of = np.empty(WAITING, dtype=np.int64), np.empty(WAITING, dtype=np.int64)
    states = np.empty((WAITING, 4), dtype=np.uint64)
    highest, leaves = np.full(runs.streams.shape[0], -1.0), np.zeros(runs.streams.shape[0], dtype=np.int64)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = first_batches(state, runs, bandit, run, arms, batches)
        share, level, waiting, total = 1.0, 0, 0, 0.0
        while True:
            if arms.clipped[best] < second:
                score = arms.n[best] * d_eps(arms.clipped[best], second, privacy) + weight * log(arms.n[best])
                highest[run] = max(highest[run], score)
                while (
                    clock.t < runs.horizon
                    and level < levels.size
                    and score >= levels[level]
                    and waiting + copies - 1 <= WAITING
                ):
                    level, share = level + 1, share / copies
                    for _ in range(copies - 1):
                        floats[waiting, 0], floats[waiting, 1] = arms.noisy_sum, arms.clipped
                        wholes[waiting, 0], wholes[waiting, 1] = arms.n, arms.m
                        wholes[waiting, 2] = runs.pulls[run]
                        rounds[waiting], excess[waiting] = clock.t, clock.excess
                        share_of[waiting], level_of[waiting] = share, level
                        for word in range(4):
                            states[waiting, word] = bits(state)
                        waiting += 1
            if clock.t >= runs.horizon:
                total += share * clock.excess
                leaves[run] += 1
                if waiting == 0:
                    break
                waiting -= 1
                arms.noisy_sum[:], arms.clipped[:] = floats[waiting, 0], floats[waiting, 1]
                arms.n[:], arms.m[:] = wholes[waiting, 0], wholes[waiting, 1]
                runs.pulls[run] = wholes[waiting, 2]
                clock = Clock(rounds[waiting], 0, excess[waiting])
                share, level = share_of[waiting], level_of[waiting]
                state[:] = states[waiting]
                continue
            leader = arms.clipped.max()
            for k in range(number):
                index[k] = arms.n[k] * d_eps(arms.clipped[k], leader, privacy) + weight * log(arms.n[k])
            arm = argmin(state, index)
            clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)
        runs.regret[run, 0] = total
    return highest, leaves


def _levels(highest: Floats, most: float) -> Floats:
    """Return levels below ``most``, each passed by a 1/`COPIES` of what passed the one before."""
    ordered, found = np.sort(highest), []
    passing = highest.size // COMMON
    while passing >= LEAST:
        found.append(float(ordered[-passing]))
        passing //= COPIES
    levels = np.unique([level for level in found if level > 0.0])
    if levels.size > 1:
        step = float(levels[-1] - levels[0]) / (levels.size - 1)
        further = int(max(0.0, (most - levels[-1]) / step))
        levels = np.concatenate([levels, levels[-1] + step * np.arange(1, further + 1)])
    return levels[levels < most]


def rare_mean(
    algorithm: str,
    given: Mapping[str, Any],
    means: list[float],
    epsilon: float,
    horizon: int,
    runs: int,
    seed: int,
) -> RareMean:
    """Estimate an algorithm's mean regret at the horizon by importance splitting, which samples rare runs often.

    The estimate comes with its standard error, a 95 % interval, and the levels at which runs are split. 4,000 pilot
    runs choose the levels.

    Parameters
    ----------
    algorithm, given
        ``"dp-imed"`` with ``{"n0": 1, "alpha": 2.0}``, or ``"dp-imed-long-start"`` with ``first`` and ``alpha``.
    means
        Means of the arms, in [0, 1]; one arm alone has the largest.
    epsilon, horizon
        Privacy budget, > 0, and number T of rounds.
    runs
        Number of runs that are split, at least 2; each costs one to three plain runs.
    seed
        Root seed of the pilot and of the runs.

    Raises
    ------
    BadInput
        If the algorithm cannot be split, or several arms have the largest mean: no run is rare then.
    """
    if algorithm not in FIRST:
        raise BadInput("algorithm", algorithm, f"with --rare one of {', '.join(FIRST)}")
    if sorted(means)[-2:-1] == [max(means)]:
        raise BadInput("means", means, "one largest mean, since splitting follows the best arm")
    bandit, first = make_bandit(np.array(means, dtype=np.float64)), FIRST[algorithm](given, epsilon, horizon)
    batches = schedule(cumulative_pulls(first, float(given["alpha"]), horizon), epsilon)
    identity = f"splitting {algorithm} {dict(given)} {means} {epsilon} {horizon}"

    def filled(kind: str, number: int, levels: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
        made = bandit.runs(streams(seed, f"{identity} {kind}", np.arange(number)), checkpoints(horizon, 1))
        highest, leaves = follow(made, bandit, epsilon, batches, 1.0, levels, COPIES)
        return made.regret[:, -1], highest, leaves

    _, highest, _ = filled("pilot", PILOT, np.empty(0))
    levels = _levels(highest, math.log(horizon))
    totals, _, leaves = filled("split", runs, levels)
    error = float(totals.std(ddof=1)) / math.sqrt(runs)
    half = student_quantile(0.5 - CONFIDENCE / 2, runs - 1.0) * error
    value = float(totals.mean())
    return RareMean(value, error, value - half, value + half, runs, int(leaves.sum()), levels)
