"""Decisions of several runs at once, each run in its lane: what `problem.play` does for one run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, lanewise
from dpbandits.core.lanes import add_laplace, uniforms
from dpbandits.core.recording import Clock, Runs, keep
from dpbandits.core.streams import binomial
from dpbandits.settings.adversarial.batch_laws import BatchLaws, lookup
from dpbandits.settings.adversarial.problem import Bandit, Losses, beyond, play, reported, segment_of


@lanewise
def _suffer(mean: NDArray[np.float64], n: int, arms: NDArray[np.int64], excess: NDArray[np.float64]) -> None:
    """Add what a batch of ``n`` rounds costs on average, beyond the first arm."""
    for i in range(arms.size):
        excess[i] += n * (mean[arms[i]] - mean[0])


@lanewise
def _observe(mean: NDArray[np.float64], arms: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
    """Turn uniform numbers into the Bernoulli losses of a round."""
    for i in range(arms.size):
        losses[i] = 1.0 if losses[i] <= mean[arms[i]] else 0.0


@inner
def _record_regret(
    runs: Runs,
    sequence: Losses,
    first: int,
    arms: NDArray[np.int64],
    clock: Clock,
    n: int,
    excess: NDArray[np.float64],
) -> int:
    """Record regret at the checkpoints of the next ``n`` rounds, and return the first checkpoint after them."""
    at = clock.at
    while at < runs.rounds.size and runs.rounds[at] <= clock.t + n:
        for i in range(arms.size):
            since = beyond(sequence, arms[i], runs.rounds[at]) - beyond(sequence, arms[i], clock.t)
            runs.regret[first + i, at] = excess[i] + since - runs.best[at]
        at += 1
    return at


@inner
def play_lanes(
    runs: Runs,
    bandit: Bandit,
    first: int,
    streams: NDArray[np.uint64],
    arms: NDArray[np.int64],
    clock: Clock,
    excess: NDArray[np.float64],
    losses: NDArray[np.float64],
    laws: BatchLaws,
) -> Clock:
    """Play one decision in each of several runs, as `play` does in one: pull an arm for a batch of rounds.

    Parameters
    ----------
    runs, bandit
        The runs, in which pulls and regret are recorded, and the bandit.
    first
        Number of the first of these runs; each next run is the next lane.
    streams : ndarray of uint64, shape (4 lanes,)
        The runs' random streams, one after another, advanced in place.
    arms : ndarray of int64, shape (lanes,)
        Arm that each run pulls.
    clock
        State of the runs before the batch, all at the same round; its excess is not used.
    excess, losses : ndarray of float64, shape (lanes,)
        Each run's mean losses so far less those of the first arm, updated; and its batch's observed mean loss,
        filled in.
    laws
        Alias tables of the losses of whole batches; empty ones if there are none.

    Returns
    -------
    Clock
        State of the runs after the batch.
    """
    sequence = bandit.losses
    n = min(bandit.batch, runs.horizon - clock.t)
    phase = np.int64(clock.t % sequence.starts[sequence.means.shape[0]])
    s = segment_of(sequence, phase)
    kept = runs.played.shape[1] > clock.t
    if (
        runs.recorder is None
        and phase + n <= sequence.starts[s + 1]
        and sequence.bernoulli
        and not (kept and sequence.advice.shape[0] > 0)
    ):
        # All losses of an arm have one law.
        mean = sequence.means[s]
        at = _record_regret(runs, sequence, first, arms, clock, n, excess)
        _suffer(mean, n, arms, excess)
        if n == 1:
            uniforms(streams, losses)
            _observe(mean, arms, losses)
        elif n == bandit.batch and laws.least.size > 0:
            uniforms(streams, losses)
            lookup(laws, arms, losses)
            losses /= n
        else:
            for i in range(arms.size):
                losses[i] = binomial(runs.streams[first + i], n, mean[arms[i]]) / n
        for i in range(arms.size):
            runs.pulls[first + i, arms[i]] += n
        if bandit.noise > 0.0:
            add_laplace(streams, bandit.noise, losses)
        if kept:
            for i in range(arms.size):
                told = reported(arms[i], losses[i], mean.size) if bandit.local else arms[i]
                keep(runs, first + i, told, clock.t, n)
        return Clock(clock.t + n, at, 0.0)
    after = clock
    for i in range(arms.size):
        now = Clock(clock.t, clock.at, excess[i])
        after, losses[i] = play(runs.streams[first + i], runs, bandit, first + i, arms[i], now)
        excess[i] = after.excess
    return after
