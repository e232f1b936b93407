"""The Bernoulli bandit, and a block of runs on it: what every kernel of this wing reads and fills."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.compiled import inner
from dpbandits.curves import record


class Block(NamedTuple):
    """Runs of one algorithm on one Bernoulli bandit.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    means, gaps : ndarray of float64, shape (arms,)
        The arms' means and their distance to the largest mean.
    horizon : int
        T, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        Where regret is recorded; the last one is the horizon.
    regret : ndarray of float64, shape (runs, checkpoints)
        Pseudo-regret, filled in.
    pulls : ndarray of int64, shape (runs, arms)
        Pulls of each arm at the horizon, filled in; zero at first.
    """

    streams: NDArray[np.uint64]
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    horizon: int
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]


def make_block(
    means: NDArray[np.float64],
    streams: NDArray[np.uint64],
    horizon: int,
    rounds: NDArray[np.int64],
) -> Block:
    """Return an unfilled block, one run for each row of ``streams``."""
    runs = streams.shape[0]
    return Block(
        streams=streams,
        means=means,
        gaps=means.max() - means,
        horizon=horizon,
        rounds=rounds,
        regret=np.zeros((runs, rounds.size)),
        pulls=np.zeros((runs, means.size), dtype=np.int64),
    )


@inner
def play(block: Block, run: int, arm: int, number: int, t: int, at: int, regret: float) -> tuple[int, int, float]:
    """Pull ``arm`` ``number`` times, or until the horizon, and record it.

    Parameters
    ----------
    block, run
        Where pulls and regret are recorded.
    arm, number
        What is played.
    t, at, regret
        Rounds played, first checkpoint not yet passed, and regret, before.

    Returns
    -------
    t, at, regret
        The same, after.
    """
    number = min(number, block.horizon - t)
    gap = block.gaps[arm]
    at = record(block.regret[run], block.rounds, at, t, regret, gap, number)
    block.pulls[run, arm] += number
    return t + number, at, regret + gap * number
