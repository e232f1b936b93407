"""The stochastic bandit, and a block of runs on it: what every kernel of this wing reads and fills.

Rewards are Bernoulli, or, for audits of privacy, those of a table: a row for each round, a column for each arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.recording import keep, record
from dpbandits.core.streams import State, binomial


class Block(NamedTuple):
    """Runs of one algorithm on one bandit.

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
    played : ndarray of int16, shape (runs, kept)
        Actions of the first rounds, filled in; kept is 0 but in audits of privacy.
    table : ndarray of float64, shape (horizon, arms), or (0, arms) if rewards are Bernoulli
        Rewards in [0, 1].
    owed : ndarray of float64, shape (runs, arms), or (0, arms) if rewards are Bernoulli
        Rewards of the table that an arm has earned and no algorithm has collected.
    """

    streams: NDArray[np.uint64]
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    horizon: int
    rounds: NDArray[np.int64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    played: NDArray[np.int16]
    table: NDArray[np.float64]
    owed: NDArray[np.float64]


def make_block(
    means: NDArray[np.float64],
    streams: NDArray[np.uint64],
    horizon: int,
    rounds: NDArray[np.int64],
    table: NDArray[np.float64] | None = None,
) -> Block:
    """Return an unfilled block, one run for each row of ``streams``; rewards are Bernoulli without a ``table``."""
    runs = streams.shape[0]
    return Block(
        streams=streams,
        means=means,
        gaps=means.max() - means,
        horizon=horizon,
        rounds=rounds,
        regret=np.zeros((runs, rounds.size)),
        pulls=np.zeros((runs, means.size), dtype=np.int64),
        played=np.zeros((runs, 0), dtype=np.int16),
        table=np.empty((0, means.size)) if table is None else table,
        owed=np.zeros((0 if table is None else runs, means.size)),
    )


@inner
def note(block: Block, run: int, arm: int, t: int, number: int) -> None:
    """Write down that rounds t + 1 to t + ``number`` pull ``arm``, and owe it the table's rewards."""
    keep(block.played[run], t, arm, number)
    for s in range(t, min(t + number, block.table.shape[0])):
        block.owed[run, arm] += block.table[s, arm]


@inner
def collect(state: State, block: Block, run: int, arm: int, number: int) -> float:
    """Return the sum of the last ``number`` rewards of ``arm``, in O(1): a draw, or what the table owes.

    An algorithm collects every pull's reward once, or never.
    """
    if block.table.shape[0] == 0:
        return float(binomial(state, number, block.means[arm]))
    total = block.owed[run, arm]
    block.owed[run, arm] = 0.0
    return total


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
    note(block, run, arm, t, number)
    return t + number, at, regret + gap * number
