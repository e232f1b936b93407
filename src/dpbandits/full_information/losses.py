"""Independent discrete losses in [0, 1], and a block of runs on them: what kernels of this wing read and fill.

All losses of an epoch enter through their sums alone, and a sum of n draws of a discrete law is a multinomial
count: an epoch of any length costs one binomial draw for each action and each value but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.compiled import inner
from dpbandits.curves import record
from dpbandits.streams import State, binomial


class Losses(NamedTuple):
    """A discrete law of losses for each action.

    Attributes
    ----------
    values : ndarray of float64, shape (actions, values)
        The values that the losses take.
    conditional : ndarray of float64, shape (actions, values)
        Probability of each value, given that it is none of those before it; 1 for the last.
    means, gaps : ndarray of float64, shape (actions,)
        Mean losses, and how far they are above the smallest.
    """

    values: NDArray[np.float64]
    conditional: NDArray[np.float64]
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]


def make_losses(values: NDArray[np.float64], probabilities: NDArray[np.float64]) -> Losses:
    """Return the laws with these values and their probabilities, both of shape (actions, values)."""
    means = np.sum(values * probabilities, axis=1)
    rest = np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1]
    conditional = np.divide(probabilities, rest, out=np.ones_like(rest), where=rest > 0.0)
    conditional[:, -1] = 1.0
    return Losses(values, np.minimum(conditional, 1.0), means, means - means.min())


def deterministic(means: Sequence[float] | NDArray[np.float64]) -> Losses:
    """Return losses that always equal their means."""
    values = np.asarray(means, dtype=np.float64)[:, None]
    return make_losses(values, np.ones_like(values))


def bernoulli(means: Sequence[float] | NDArray[np.float64]) -> Losses:
    """Return losses 0 or 1 with these means."""
    ones = np.asarray(means, dtype=np.float64)
    values = np.tile([1.0, 0.0], (ones.size, 1))
    return make_losses(values, np.stack([ones, 1.0 - ones], axis=1))._replace(means=ones, gaps=ones - ones.min())


class Block(NamedTuple):
    """Runs of one algorithm on one set of losses.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    losses : Losses
        The actions' losses.
    horizon : int
        T, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        Where regret is recorded; the last one is the horizon.
    regret : ndarray of float64, shape (runs, checkpoints)
        Pseudo-regret (wu2025, eq. 1), filled in.
    pulls : ndarray of int64, shape (runs, actions)
        How often each action was played up to the horizon, filled in; zero at first.
    """

    streams: NDArray[np.uint64]
    losses: Losses
    horizon: int
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]


def make_block(losses: Losses, streams: NDArray[np.uint64], horizon: int, rounds: NDArray[np.int64]) -> Block:
    """Return an unfilled block, one run for each row of ``streams``."""
    runs = streams.shape[0]
    return Block(
        streams=streams,
        losses=losses,
        horizon=horizon,
        rounds=rounds,
        regret=np.zeros((runs, rounds.size)),
        pulls=np.zeros((runs, losses.means.size), dtype=np.int64),
    )


class Now(NamedTuple):
    """Where a run is.

    Attributes
    ----------
    length : int
        Rounds of the next epoch, unless T comes first.
    t, at : int
        Rounds played, and the first checkpoint not yet passed.
    regret : float
        Pseudo-regret so far.
    """

    length: int
    t: int
    at: int
    regret: float


@inner
def start() -> Now:
    """Return where a run begins."""
    return Now(1, 0, 0, 0.0)


@inner
def play(block: Block, run: int, now: Now, action: int) -> Now:
    """Play an epoch, or what is left of it before T, and record it; the next one is twice as long."""
    gap = block.losses.gaps[action]
    number = min(now.length, block.horizon - now.t)
    at = record(block.regret[run], block.rounds, now.at, now.t, now.regret, gap, number)
    block.pulls[run, action] += number
    return Now(2 * now.length, now.t + number, at, now.regret + gap * number)


@inner
def accumulate(state: State, losses: Losses, number: int, resampled: int, total: NDArray[np.float64]) -> None:
    """Draw each action's losses summed over ``number`` rounds.

    Parameters
    ----------
    state, losses, number
        Random stream, laws, and rounds, at most 2**52.
    resampled
        wu2025's B: with 1, every loss is replaced by a Bernoulli variable of that mean, and a sum is binomial.
    total : ndarray of float64, shape (actions,)
        The sums, filled in.
    """
    last = losses.values.shape[1] - 1
    for j in range(total.size):
        if resampled == 1:
            total[j] = binomial(state, number, losses.means[j])
            continue
        left = number
        total[j] = 0.0
        for s in range(last):
            count = binomial(state, left, losses.conditional[j, s])
            total[j] += count * losses.values[j, s]
            left -= count
        total[j] += left * losses.values[j, last]
