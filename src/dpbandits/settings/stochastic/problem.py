"""The stochastic bandit: what every kernel of this setting reads.

Rewards are Bernoulli, or, for audits of privacy, those of a table: a row for each round, a column for each arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.recorder import Recorder, read
from dpbandits.core.recording import Clock, Runs, make_runs, pull
from dpbandits.core.streams import State, binomial
from dpbandits.core.uniform_play import of_gaps


class Bandit(NamedTuple):
    """A stochastic bandit.

    Attributes
    ----------
    means, gaps : ndarray of float64, shape (arms,)
        The arms' means, in [0, 1], and their distance to the largest mean.
    table : ndarray of float64, shape (rounds, arms), or (0, arms) if rewards are Bernoulli
        Rewards in [0, 1] of at least as many rounds as a run has.
    """

    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    table: NDArray[np.float64]

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return runs for a simulation to fill: a row of regret, and one of pulls, for each row of ``streams``.

        On a table runs keep all actions, whatever ``kept`` is, because rewards are looked up by them.

        Parameters
        ----------
        streams : ndarray of uint64, shape (runs, 4)
            Random stream of each run.
        rounds : ndarray of int64, shape (checkpoints,)
            Checkpoints, increasing; the last one is the horizon.
        kept
            Number of first rounds whose actions are kept.
        """
        return make_runs(streams, rounds, self.means.size, max(kept, self.table.shape[0]))

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected regret of uniform play at each of ``rounds``, shape (n,).

        Each arm is equally likely in each round, so a round adds the mean of the gaps.
        """
        return of_gaps(self.gaps, rounds)


def make_bandit(means: NDArray[np.float64]) -> Bandit:
    """Return the bandit with Bernoulli rewards of these means, in [0, 1], of shape (arms,)."""
    return Bandit(means, means.max() - means, np.empty((0, means.size)))


def fixed_bandit(table: NDArray[np.float64]) -> Bandit:
    """Return the bandit that pays by ``table``, shape (rounds, arms); its means are the columns' means."""
    return make_bandit(table.mean(axis=0))._replace(table=table)


@inner
def play(runs: Runs, bandit: Bandit, run: int, arm: int, number: int, clock: Clock) -> Clock:
    """Pull ``arm`` ``number`` times, or until the horizon, and record it; return the run's clock after that.

    Parameters
    ----------
    runs, bandit, run
        The runs, whose regret and pulls are filled in; the bandit with the arms' gaps; and the run's index.
    arm, number
        Index of the arm, from 0, and number of pulls, >= 0.
    clock
        Rounds played, next checkpoint and regret of the run so far.
    """
    return pull(runs, run, arm, bandit.gaps[arm], number, clock)


@inner
def collect(state: State, runs: Runs, bandit: Bandit, run: int, arm: int, number: int, clock: Clock) -> float:
    """Return the sum of the last ``number`` rewards of ``arm``: one binomial draw, or the table's rewards added up.

    An algorithm collects every pull's reward once, or never. The sum may decide nothing before it is released by
    `dpbandits.core.recorder.release`.

    Parameters
    ----------
    state, runs, bandit, run
        Random stream, runs with the actions that they keep, bandit that gives the rewards, and the run's index.
    arm, number
        Index of the arm, from 0, and number of its last pulls whose rewards are added up.
    clock
        The run's clock after these pulls; a table is read back from its round ``clock.t``.
    """
    return _collect(runs.recorder, state, runs, bandit, run, arm, number, clock)


@inner
def _collect(
    recorder: Recorder | None,
    state: State,
    runs: Runs,
    bandit: Bandit,
    run: int,
    arm: int,
    number: int,
    clock: Clock,
) -> float:
    if recorder is not None:
        return read(recorder, arm, number)
    if bandit.table.shape[0] == 0:
        return float(binomial(state, number, bandit.means[arm]))
    total, t = 0.0, clock.t
    while number > 0:
        t -= 1
        if runs.played[run, t] == arm:
            total += bandit.table[t, arm]
            number -= 1
    return total
