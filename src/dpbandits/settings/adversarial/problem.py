"""Oblivious loss sequences, and a block of runs on one: what every kernel of this wing reads and fills.

A sequence is given by the arms' mean losses, constant over segments of rounds, the whole repeated with a period.
The losses are the means themselves, or Bernoulli draws with these means. So a batch of any length costs one prefix
sum, or one binomial for each segment that it touches.

Regret is against the best fixed arm up to the same round, with mean losses in place of losses: the expected regret
for deterministic sequences; for Bernoulli ones the pseudo-regret, at most the expected regret averaged over
sequences. It is added up as what the first arm would not have cost, so that equal losses are exactly no regret.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.recording import keep
from dpbandits.core.streams import State, binomial, laplace, uniform


class Losses(NamedTuple):
    """An oblivious sequence of losses in [0, 1].

    Attributes
    ----------
    starts : ndarray of int64, shape (segments + 1,)
        Rounds before each segment, counted from the start of a period; the last one is the period.
    means : ndarray of float64, shape (segments, arms)
        The arms' mean losses in each segment.
    before : ndarray of float64, shape (segments + 1, arms)
        Mean losses summed from the start of a period to each of ``starts``.
    bernoulli : bool
        Whether losses are drawn, independently, 1 with the mean's probability and else 0.
    advice : ndarray of float64, shape (segments, actions, arms)
        Where an arm is an expert to follow: the probability of each action in its advice. No segments where an arm
        is an action.
    costs : ndarray of float64, shape (segments, actions)
        The mean losses of these actions.
    """

    starts: NDArray[np.int64]
    means: NDArray[np.float64]
    before: NDArray[np.float64]
    bernoulli: bool
    advice: NDArray[np.float64]
    costs: NDArray[np.float64]


def make_losses(lengths: Sequence[int], means: NDArray[np.float64], bernoulli: bool) -> Losses:
    """Return the sequence whose segments have these lengths, each >= 1, and means, shape (segments, arms)."""
    starts = np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))])
    summed = np.cumsum(np.asarray(lengths, dtype=np.float64)[:, None] * means, axis=0)
    before = np.concatenate([np.zeros((1, means.shape[1])), summed])
    return Losses(starts, means, before, bernoulli, np.empty((0, 0, 0)), np.empty((0, 0)))


class Block(NamedTuple):
    """Runs of one algorithm on one loss sequence.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    losses : Losses
        The sequence.
    horizon : int
        T, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        Where regret is recorded; the last one is the horizon.
    best : ndarray of float64, shape (checkpoints,)
        The best arm's mean losses beyond the first arm's, summed up to each checkpoint.
    regret : ndarray of float64, shape (runs, checkpoints)
        Regret, filled in.
    pulls : ndarray of int64, shape (runs, arms)
        Pulls of each arm at the horizon, filled in; zero at first.
    played : ndarray of int16, shape (runs, kept)
        Actions of the first rounds, filled in; kept is 0 but in audits of privacy.
    batch : int
        Rounds for which each decision is played: asi2025's tau.
    noise : float
        Scale of the Laplace noise on what a decision's mean loss is observed as; 0 for none.
    local : bool
        Whether ``played`` tells also the reports, as `reported` has them: what is observed of losses, which local
        privacy protects.
    """

    streams: NDArray[np.uint64]
    losses: Losses
    horizon: int
    rounds: NDArray[np.int64]
    best: NDArray[np.float64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    batch: int
    noise: float
    played: NDArray[np.int16]
    local: bool


def make_block(
    losses: Losses,
    streams: NDArray[np.uint64],
    horizon: int,
    rounds: NDArray[np.int64],
) -> Block:
    """Return an unfilled block of decisions of one round without noise, one run for each row of ``streams``."""
    runs, arms = streams.shape[0], losses.means.shape[1]
    return Block(
        streams=streams,
        losses=losses,
        horizon=horizon,
        rounds=rounds,
        best=_best(losses, rounds),
        regret=np.zeros((runs, rounds.size)),
        pulls=np.zeros((runs, arms), dtype=np.int64),
        played=np.zeros((runs, 0), dtype=np.int16),
        batch=1,
        noise=0.0,
        local=False,
    )


class Now(NamedTuple):
    """Where a run is.

    Attributes
    ----------
    t : int
        Rounds played.
    at : int
        The first checkpoint not yet passed.
    beyond : float
        Mean losses suffered beyond the first arm's.
    """

    t: int
    at: int
    beyond: float


@inner
def start() -> Now:
    """Return where a run begins."""
    return Now(0, 0, 0.0)


@inner
def _segment(losses: Losses, phase: np.int64) -> int:
    """Return the segment of the round after ``phase`` rounds of a period."""
    low, high = 0, losses.means.shape[0] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if losses.starts[middle] <= phase:
            low = middle
        else:
            high = middle - 1
    return low


@inner
def cumulative(losses: Losses, arm: int, t: int) -> float:
    """Return the mean losses of ``arm`` summed over rounds 1 to t."""
    segments = losses.means.shape[0]
    phase = np.int64(t % losses.starts[segments])
    s = _segment(losses, phase)
    whole = (t // losses.starts[segments]) * losses.before[segments, arm]
    return whole + losses.before[s, arm] + losses.means[s, arm] * (phase - losses.starts[s])


@inner
def _beyond(losses: Losses, arm: int, t: int) -> float:
    """Return the mean losses of ``arm`` beyond those of the first arm, summed over rounds 1 to t."""
    segments = losses.means.shape[0]
    phase = np.int64(t % losses.starts[segments])
    s = _segment(losses, phase)
    whole = (t // losses.starts[segments]) * (losses.before[segments, arm] - losses.before[segments, 0])
    since = (losses.means[s, arm] - losses.means[s, 0]) * (phase - losses.starts[s])
    return whole + (losses.before[s, arm] - losses.before[s, 0]) + since


@kernel
def _best(losses: Losses, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the best arm's mean losses beyond the first arm's, summed up to each of ``rounds``."""
    best = np.zeros(rounds.size)
    for at in range(rounds.size):
        for arm in range(1, losses.means.shape[1]):
            best[at] = min(best[at], _beyond(losses, arm, rounds[at]))
    return best


@inner
def _drawn(state: State, losses: Losses, arm: int, t: int, n: int) -> int:
    """Return the sum of the Bernoulli losses of ``arm`` in rounds t + 1 to t + n: a binomial for each segment."""
    segments = losses.means.shape[0]
    period = losses.starts[segments]
    total = 0
    if n >= period:
        for s in range(segments):
            total += binomial(
                state, (n // period) * (losses.starts[s + 1] - losses.starts[s]), losses.means[s, arm]
            )
    left = n % period
    phase = np.int64(t % period)
    s = _segment(losses, phase)
    while left > 0:
        number = min(left, losses.starts[s + 1] - phase)
        total += binomial(state, number, losses.means[s, arm])
        left -= number
        s = s + 1 if s + 1 < segments else 0
        phase = losses.starts[s]
    return total


@inner
def advised(state: State, advice: NDArray[np.float64], context: int, expert: int) -> int:
    """Return an action drawn from an expert's advice; never one of probability 0."""
    left = uniform(state)
    last = 0
    for action in range(advice.shape[1]):
        p = advice[context, action, expert]
        if p > 0.0:
            if left <= p:
                return action
            left -= p
            last = action
    # By rounding the advice can sum to less than 1.
    return last


@inner
def _followed(state: State, losses: Losses, expert: int, t: int, n: int, played: NDArray[np.int16]) -> int:
    """Follow an expert in rounds t + 1 to t + n, round by round; keep its actions and return their losses' sum."""
    period = losses.starts[losses.means.shape[0]]
    total = 0
    for s in range(t, t + n):
        context = _segment(losses, np.int64(s % period))
        action = advised(state, losses.advice, context, expert)
        keep(played, s, action, 1)
        total += binomial(state, 1, losses.costs[context, action])
    return total


@inner
def reported(action: int, loss: float, actions: int) -> int:
    """Return ``action``, plus the number of actions for a report above 0, and twice that for one from 1 on."""
    return action + actions * ((1 if loss > 0.0 else 0) + (1 if loss >= 1.0 else 0))


@inner
def play(block: Block, state: State, run: int, arm: int, now: Now) -> tuple[Now, float]:
    """Play a decision: pull ``arm`` for a batch of rounds, or until the horizon, and record it.

    Parameters
    ----------
    block, state, run, arm
        Where pulls and regret are recorded, the run's stream, and what is pulled.
    now
        Where the run is before.

    Returns
    -------
    now, loss
        Where it is after, and the batch's mean loss as it is observed, with the block's noise.
    """
    losses = block.losses
    n = min(block.batch, block.horizon - now.t)
    t = now.t + n
    s, constant = 0, True
    if losses.means.shape[0] > 1:
        phase = np.int64(now.t % losses.starts[losses.means.shape[0]])
        s = _segment(losses, phase)
        constant = phase + n <= losses.starts[s + 1]
    if constant:
        mean = losses.means[s, arm]
        beyond = now.beyond + n * (mean - losses.means[s, 0])
        observed = np.float64(binomial(state, n, mean)) if losses.bernoulli else n * mean
    else:
        beyond = now.beyond + (_beyond(losses, arm, t) - _beyond(losses, arm, now.t))
        if losses.bernoulli:
            observed = np.float64(_drawn(state, losses, arm, now.t, n))
        else:
            observed = cumulative(losses, arm, t) - cumulative(losses, arm, now.t)
    if losses.advice.shape[0] > 0 and now.t < block.played.shape[1]:
        # A batch's losses follow from its actions only where these are drawn.
        observed = np.float64(_followed(state, losses, arm, now.t, n, block.played[run]))
    at = now.at
    while at < block.rounds.size and block.rounds[at] <= t:
        since = _beyond(losses, arm, block.rounds[at]) - _beyond(losses, arm, now.t)
        block.regret[run, at] = now.beyond + since - block.best[at]
        at += 1
    block.pulls[run, arm] += n
    observed /= n
    if block.noise > 0.0:
        observed += laplace(state, block.noise)
    if losses.advice.shape[0] == 0:
        keep(block.played[run], now.t, reported(arm, observed, losses.means.shape[1]) if block.local else arm, n)
    return Now(t, at, beyond), observed
