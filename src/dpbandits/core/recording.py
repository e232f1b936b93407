"""What kernels of every setting fill, where a run is, and how a batch of pulls is recorded at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.door import Door, decide


def checkpoints(horizon: int, number: int) -> NDArray[np.int64]:
    """Return the rounds at which regret is recorded: geometrically spaced, the horizon always last.

    Parameters
    ----------
    horizon
        T >= 1.
    number
        How many, at most; early rounds that round to the same integer are one checkpoint. 1 means T alone.

    Returns
    -------
    ndarray of int64, shape (checkpoints,)
        Strictly increasing, the last one equal to ``horizon``.
    """
    spaced = np.geomspace(1.0, float(horizon), number)[:-1] if number > 1 else np.empty(0)
    rounds = np.unique(np.rint(spaced).astype(np.int64))
    return np.append(rounds[rounds < horizon], np.int64(horizon))


class Runs(NamedTuple):
    """Runs of one algorithm on one problem: their random streams, and what they fill in.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    horizon : int
        T, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        The checkpoints: where regret is recorded. The last one is the horizon.
    best : ndarray of float64, shape (checkpoints,)
        The best arm's excess (see `Clock`) at each checkpoint: 0 where excess is counted from the best arm.
    regret : ndarray of float64, shape (runs, checkpoints)
        Regret, filled in: the run's excess less the best arm's.
    pulls : ndarray of int64, shape (runs, arms)
        Pulls of each arm at the horizon, filled in; zero at first. With expert advice an arm is an expert.
    played : ndarray of int16, shape (runs, kept)
        Actions of the first rounds, filled in; kept is 0 but in audits of privacy.
    door : Door or None
        Where what an algorithm knows of its inputs is recorded and replaced: ``None`` but in replays of one run.
    """

    streams: NDArray[np.uint64]
    horizon: int
    rounds: NDArray[np.int64]
    best: NDArray[np.float64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    played: NDArray[np.int16]
    door: Door | None = None


def make_runs(
    streams: NDArray[np.uint64],
    rounds: NDArray[np.int64],
    arms: int,
    kept: int = 0,
    best: NDArray[np.float64] | None = None,
) -> Runs:
    """Return unfilled runs to the last of ``rounds``, one for each row of ``streams``; see `Runs`."""
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
    """Return the runs ``first`` to ``last - 1`` as views: threads fill disjoint rows."""
    return runs._replace(
        streams=runs.streams[first:last],
        regret=runs.regret[first:last],
        pulls=runs.pulls[first:last],
        played=runs.played[first:last],
    )


class Clock(NamedTuple):
    """Where a run is.

    Attributes
    ----------
    t : int
        Rounds played.
    at : int
        The first checkpoint not yet passed: a place in `Runs.rounds`.
    excess : float
        Mean losses suffered beyond those of one fixed arm: the best one, so that this is the regret, or, where no
        arm is the best all along, the first one.
    """

    t: int
    at: int
    excess: float


# Where every run begins.
START = Clock(0, 0, 0.0)


@inner
def record(runs: Runs, run: int, gap: float, n: int, clock: Clock) -> Clock:
    """Record ``n`` rounds, each of which adds ``gap`` to the excess; return where the run is after them."""
    at = clock.at
    while at < runs.rounds.size and runs.rounds[at] <= clock.t + n:
        runs.regret[run, at] = clock.excess + gap * (runs.rounds[at] - clock.t) - runs.best[at]
        at += 1
    return Clock(clock.t + n, at, clock.excess + gap * n)


@inner
def keep(runs: Runs, run: int, action: int, t: int, n: int) -> None:
    """Write down that rounds t + 1 to t + n play ``action``, as far as actions are kept."""
    for s in range(t, min(t + n, runs.played.shape[1])):
        runs.played[run, s] = action


@inner
def pull(runs: Runs, run: int, arm: int, gap: float, number: int, clock: Clock) -> Clock:
    """Pull an arm that adds ``gap`` to the excess ``number`` times, or until the horizon, and record it.

    Parameters
    ----------
    runs, run
        Where it is recorded.
    arm, gap, number
        What is pulled, what a pull costs, and how often.
    clock
        Where the run is.

    Returns
    -------
    Clock
        Where the run is after that.
    """
    number = min(number, runs.horizon - clock.t)
    runs.pulls[run, arm] += number
    decide(runs.door, arm, number)
    keep(runs, run, arm, clock.t, number)
    return record(runs, run, gap, number, clock)
