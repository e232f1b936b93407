"""Losses in [0, 1]: what every kernel of this setting reads.

Losses of an epoch enter through their sums alone. A sum of n draws of a discrete law is a multinomial count. So an
epoch of any length costs one binomial draw for each action and each value but one. Audits of privacy give the
losses of every round in a table instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.recorder import Recorder, read_between
from dpbandits.core.recording import Clock, Runs, make_runs, pull
from dpbandits.core.streams import State, binomial
from dpbandits.core.uniform_play import of_gaps


class Losses(NamedTuple):
    """A discrete law of losses for each action, independent over actions and rounds, or a table of losses.

    Attributes
    ----------
    values : ndarray of float64, shape (actions, values)
        The values that the losses take.
    conditional : ndarray of float64, shape (actions, values)
        Probability of each value, given that it is none of those before it; 1 for the last.
    means, gaps : ndarray of float64, shape (actions,)
        The actions' mean losses, and their differences from the smallest of them.
    table : ndarray of float64, shape (rounds, actions), or (0, actions) if losses are random
        Losses of all actions in every round. If there are any, they are played, and the other attributes are those
        of losses that always equal the means of the table's columns.
    """

    values: NDArray[np.float64]
    conditional: NDArray[np.float64]
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    table: NDArray[np.float64]

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return runs for a simulation to fill; their regret is pseudo-regret (wu2025, eq. 1).

        There is one run for each row of ``streams``, shape (runs, 4). ``rounds``, shape (checkpoints,), are the
        checkpoints. The actions of the first ``kept`` rounds are recorded.
        """
        return make_runs(streams, rounds, self.means.size, kept)

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected regret of uniform play at each of ``rounds``, shape (n,).

        Uniform play plays each action with the same probability in each round. So a round adds the mean of the gaps
        to the regret.
        """
        return of_gaps(self.gaps, rounds)


def make_losses(values: NDArray[np.float64], probabilities: NDArray[np.float64]) -> Losses:
    """Return random losses that take these values with these probabilities, both of shape (actions, values)."""
    means = np.sum(values * probabilities, axis=1)
    rest = np.cumsum(probabilities[:, ::-1], axis=1)[:, ::-1]
    conditional = np.divide(probabilities, rest, out=np.ones_like(rest), where=rest > 0.0)
    conditional[:, -1] = 1.0
    table = np.empty((0, means.size))
    return Losses(values, np.minimum(conditional, 1.0), means, means - means.min(), table)


def deterministic(means: Sequence[float] | NDArray[np.float64]) -> Losses:
    """Return losses that always equal these means, shape (actions,)."""
    values = np.asarray(means, dtype=np.float64)[:, None]
    return make_losses(values, np.ones_like(values))


def bernoulli(means: Sequence[float] | NDArray[np.float64]) -> Losses:
    """Return losses 0 or 1 with these means, in [0, 1], of shape (actions,)."""
    ones = np.asarray(means, dtype=np.float64)
    values = np.tile([1.0, 0.0], (ones.size, 1))
    return make_losses(values, np.stack([ones, 1.0 - ones], axis=1))._replace(means=ones, gaps=ones - ones.min())


def fixed(table: NDArray[np.float64]) -> Losses:
    """Return losses that are read from a table, shape (rounds, actions), row by row."""
    return deterministic(table.mean(axis=0))._replace(table=table)


@inner
def epoch(clock: Clock) -> int:
    """Return the number of rounds of the next epoch, 1, 2, 4, ...: one more than were played before it."""
    return clock.t + 1


@inner
def play(runs: Runs, losses: Losses, run: int, action: int, clock: Clock) -> Clock:
    """Play the next epoch, of 1, 2, 4, ... rounds, or the part of it before T; return the run's state after that.

    Parameters
    ----------
    runs, losses, run
        The runs, in which regret and pulls are recorded; the environment's losses; and the run's number.
    action
        Number, from 0, of the action that is played in all rounds of the epoch.
    clock
        The run's state before the epoch.
    """
    return pull(runs, run, action, losses.gaps[action], epoch(clock), clock)


@inner
def _add_up(state: State, table: NDArray[np.float64], resampled: int, total: NDArray[np.float64]) -> None:
    """Sum each column of the epoch's rows, every loss resampled by itself."""
    for j in range(total.size):
        total[j] = 0.0
        for t in range(table.shape[0]):
            total[j] += binomial(state, 1, table[t, j]) if resampled == 1 else table[t, j]


@inner
def accumulate_over(
    state: State,
    recorder: Recorder | None,
    losses: Losses,
    clock: Clock,
    length: int,
    resampled: int,
    total: NDArray[np.float64],
) -> None:
    """Fill in each action's loss summed over the next ``length`` rounds: a selection's scores before noise.

    The sums are drawn by the losses' law, read from their table, or given by the recorder.

    Parameters
    ----------
    state, recorder, losses, clock
        Random stream, the run's recorder, the losses, and the run's state before these rounds.
    length
        Number of rounds, at most 2**52.
    resampled
        wu2025's B: with 1, every loss is replaced by a Bernoulli variable of that mean; with 0, none is. Losses
        that a recorder gives are never replaced.
    total : ndarray of float64, shape (actions,)
        The sums, filled in.
    """
    if recorder is not None:
        for j in range(total.size):
            total[j] = read_between(recorder, j, clock.t, clock.t + length)
        return
    if losses.table.shape[0] > 0:
        _add_up(state, losses.table[clock.t : clock.t + length], resampled, total)
        return
    last = losses.values.shape[1] - 1
    for j in range(total.size):
        if resampled == 1:
            total[j] = binomial(state, length, losses.means[j])
            continue
        left = length
        total[j] = 0.0
        for s in range(last):
            count = binomial(state, left, losses.conditional[j, s])
            total[j] += count * losses.values[j, s]
            left -= count
        total[j] += left * losses.values[j, last]


@inner
def accumulate(
    state: State,
    recorder: Recorder | None,
    losses: Losses,
    clock: Clock,
    resampled: int,
    total: NDArray[np.float64],
) -> None:
    """Fill in each action's loss summed over the next epoch: a selection's scores before noise.

    The sums are drawn by the losses' law, read from their table, or given by the recorder.

    Parameters
    ----------
    state, recorder, losses, clock
        Random stream, the run's recorder, the losses, and the run's state before the epoch. The epoch has
        ``clock.t`` + 1 rounds, one more than were played.
    resampled
        wu2025's B: with 1, every loss is replaced by a Bernoulli variable of that mean; with 0, none is. Losses
        that a recorder gives are never replaced.
    total : ndarray of float64, shape (actions,)
        The sums, filled in.
    """
    accumulate_over(state, recorder, losses, clock, epoch(clock), resampled, total)
