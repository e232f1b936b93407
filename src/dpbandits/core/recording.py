"""Runs, as kernels of every setting fill them, and how a batch of pulls is recorded at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.mathematics import geometric_sequence
from dpbandits.core.recorder import Recorder, record_play


def checkpoints(horizon: int, number: int) -> NDArray[np.int64]:
    """Return the rounds at which regret is recorded: geometrically spaced, the horizon always last.

    Parameters
    ----------
    horizon
        Number T of rounds, >= 1.
    number
        Largest number of checkpoints; early rounds that round to the same integer are one. 1 means T alone.

    Returns
    -------
    ndarray of int64, shape (checkpoints,)
        Strictly increasing, the last one equal to ``horizon``.
    """
    spaced = geometric_sequence(1.0, float(horizon), number)[:-1] if number > 1 else np.empty(0)
    rounds = np.unique(np.rint(spaced).astype(np.int64))
    return np.append(rounds[rounds < horizon], np.int64(horizon))


class Runs(NamedTuple):
    """Runs of one algorithm on one problem: their random streams, and the arrays that a kernel fills.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    horizon : int
        Number T of rounds, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        The checkpoints: rounds at which regret is recorded. The last one is the horizon.
    best : ndarray of float64, shape (checkpoints,)
        Mean loss of the best arm minus the first arm's, summed up to each checkpoint. 0 where one arm is always
        the best.
    regret : ndarray of float64, shape (runs, checkpoints)
        Regret up to each checkpoint, filled by the kernel.
    pulls : ndarray of int64, shape (runs, arms)
        Pulls of each arm up to the horizon, 0 at first, filled by the kernel. With expert advice an arm is an
        expert.
    played : ndarray of int16, shape (runs, kept)
        Actions of the first rounds, filled by the kernel. Only audits keep any; of an algorithm with local privacy
        a number may stand for an action and the noisy reward or loss of its round.
    recorder : Recorder or None
        Recorder of one run (`dpbandits.core.recorder`), for replays; else ``None``.
    """

    streams: NDArray[np.uint64]
    horizon: int
    rounds: NDArray[np.int64]
    best: NDArray[np.float64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    played: NDArray[np.int16]
    recorder: Recorder | None = None


def make_runs(
    streams: NDArray[np.uint64],
    rounds: NDArray[np.int64],
    arms: int,
    kept: int = 0,
    best: NDArray[np.float64] | None = None,
) -> Runs:
    """Return runs with arrays of zeros that a kernel fills, one run for each row of ``streams``.

    Parameters
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream.
    rounds : ndarray of int64, shape (checkpoints,)
        The checkpoints, increasing; the last one is the horizon.
    arms
        Number of arms, or of experts where these are what a run follows.
    kept
        Number of first rounds whose actions are kept.
    best : ndarray of float64, shape (checkpoints,)
        Mean loss of the best arm minus the first arm's, summed up to each checkpoint; 0 by default.
    """
    runs = streams.shape[0]
    return Runs(
        streams=streams,
        horizon=int(rounds[-1]),
        rounds=rounds,
        best=np.zeros(rounds.size) if best is None else best,
        regret=np.zeros((runs, rounds.size)),
        pulls=np.zeros((runs, arms), dtype=np.int64),
        played=np.zeros((runs, kept), dtype=np.int16),
    )


def part(runs: Runs, first: int, last: int) -> Runs:
    """Return the runs ``first`` to ``last - 1`` as views of the same arrays: threads fill disjoint rows."""
    return runs._replace(
        streams=runs.streams[first:last],
        regret=runs.regret[first:last],
        pulls=runs.pulls[first:last],
        played=runs.played[first:last],
    )


class Clock(NamedTuple):
    """State of a run: its round, the next checkpoint, and its excess.

    Attributes
    ----------
    t : int
        Number of rounds played.
    at : int
        Index in `Runs.rounds` of the first checkpoint not yet passed.
    excess : float
        Sum over the rounds so far of the played arm's mean loss minus a fixed arm's. The fixed arm is the best one,
        so the excess is the regret. Where no arm is the best in every round, the fixed arm is the first one.
    """

    t: int
    at: int
    excess: float


# State of a run before its first round.
START = Clock(0, 0, 0.0)


@inner
def record(runs: Runs, run: int, gap: float, n: int, clock: Clock) -> Clock:
    """Record ``n`` rounds, each of which adds ``gap`` to the excess; return the state after them.

    Parameters
    ----------
    runs, run, clock
        The runs, the index of this one, and its state before these rounds.
    gap
        Mean loss of the arm that is played, minus that of the best arm (of the first one where no arm is always the
        best).
    n
        Number of rounds, >= 0.
    """
    at = clock.at
    while at < runs.rounds.size and runs.rounds[at] <= clock.t + n:
        runs.regret[run, at] = clock.excess + gap * (runs.rounds[at] - clock.t) - runs.best[at]
        at += 1
    return Clock(clock.t + n, at, clock.excess + gap * n)


@inner
def keep(runs: Runs, run: int, action: int, t: int, n: int) -> None:
    """Write ``action`` to ``runs.played`` for rounds t + 1 to t + n, as far as it has columns.

    Parameters
    ----------
    action
        The action, from 0 on.
    t, n
        Rounds played before, and number of rounds to keep.
    """
    for s in range(t, min(t + n, runs.played.shape[1])):
        runs.played[run, s] = action


@inner
def pull(runs: Runs, run: int, arm: int, gap: float, number: int, clock: Clock) -> Clock:
    """Pull an arm ``number`` times, or until the horizon, and record it.

    Parameters
    ----------
    runs, run
        The runs, and the index of the run.
    arm, number
        The arm, and the number of pulls, >= 0.
    gap
        Mean loss of the arm, minus that of the best arm (of the first one where no arm is always the best).
    clock
        State of the run before the pulls.

    Returns
    -------
    Clock
        State of the run after the pulls.
    """
    number = min(number, runs.horizon - clock.t)
    runs.pulls[run, arm] += number
    record_play(runs.recorder, arm, number)
    keep(runs, run, arm, clock.t, number)
    return record(runs, run, gap, number, clock)
