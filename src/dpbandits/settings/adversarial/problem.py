"""Oblivious loss sequences: what every kernel of this setting reads.

A sequence is given by the arms' mean losses, constant over segments of rounds, the whole repeated with a period.
The losses are the means themselves, or Bernoulli draws with these means. So a batch of any length costs one prefix
sum, or one binomial for each segment that it touches.

Regret is against the best fixed arm up to the same round, with mean losses in place of losses. For deterministic
sequences it is the expected regret. For Bernoulli ones it is the pseudo-regret, at most the expected regret
averaged over sequences. It is a sum of differences from the first arm's losses, so that equal losses give exactly
0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.recorder import Recorder, read, record_play, release
from dpbandits.core.recording import Clock, Runs, keep, make_runs
from dpbandits.core.streams import State, binomial, uniform
from dpbandits.core.uniform_play import summed


class Losses(NamedTuple):
    """An oblivious sequence of losses in [0, 1]: a period of segments with constant means, repeated without end.

    Attributes
    ----------
    starts : ndarray of int64, shape (segments + 1,)
        Number of rounds before each segment, from the start of a period; the last one is the period's length.
    means : ndarray of float64, shape (segments, arms)
        The arms' mean losses in each segment.
    before : ndarray of float64, shape (segments + 1, arms)
        Mean losses summed from the start of a period to each of ``starts``.
    bernoulli : bool
        Whether losses are independent draws, 1 with the mean's probability and else 0; if not, they are the means.
    advice : ndarray of float64, shape (segments, actions, arms)
        Probability of each action in each arm's advice, if arms are experts; shape (0, 0, 0) if arms are actions.
    costs : ndarray of float64, shape (segments, actions)
        Mean loss of each action that experts advise; shape (0, 0) if arms are actions.
    """

    starts: NDArray[np.int64]
    means: NDArray[np.float64]
    before: NDArray[np.float64]
    bernoulli: bool
    advice: NDArray[np.float64]
    costs: NDArray[np.float64]


def make_losses(lengths: Sequence[int], means: NDArray[np.float64], bernoulli: bool) -> Losses:
    """Return a sequence of losses in segments.

    Parameters
    ----------
    lengths
        The number of rounds of each segment, >= 1.
    means : ndarray of float64, shape (segments, arms)
        Mean losses, in [0, 1].
    bernoulli
        Whether losses are 0 or 1 with these means, and not the means themselves.
    """
    starts = np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))])
    summed = np.cumsum(np.asarray(lengths, dtype=np.float64)[:, None] * means, axis=0)
    before = np.concatenate([np.zeros((1, means.shape[1])), summed])
    return Losses(starts, means, before, bernoulli, np.empty((0, 0, 0)), np.empty((0, 0)))


class Bandit(NamedTuple):
    """An adversarial bandit, with the batches and the noise in which an algorithm observes its losses.

    Attributes
    ----------
    losses : Losses
        Sequence of the arms' losses.
    batch : int
        Number of rounds for which each decision is played: asi2025's tau.
    noise : float
        Scale of the Laplace noise on a decision's mean loss as it is observed; 0 for none.
    local : bool
        Whether runs keep, in place of an action, the number that `reported` makes of it and its noisy loss: local
        privacy protects the noisy loss too.
    """

    losses: Losses
    batch: int = 1
    noise: float = 0.0
    local: bool = False

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return runs for a simulation to fill, whose regret is against the best fixed arm up to each checkpoint.

        There is one run for each row of ``streams``, shape (runs, 4). ``rounds``, shape (checkpoints,), are the
        checkpoints. The actions of the first ``kept`` rounds are recorded.
        """
        return make_runs(streams, rounds, self.losses.means.shape[1], kept, _best(self.losses, rounds))

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected regret of uniform play at each of ``rounds``, against the best arm up to that round.

        The result has the shape of ``rounds``, (checkpoints,).
        """
        arms = summed(self.losses.starts, self.losses.means, rounds)
        regret: NDArray[np.float64] = arms.mean(axis=1) - arms.min(axis=1)
        return regret


@inner
def segment_of(losses: Losses, phase: np.int64) -> int:
    """Return the number of the segment, from 0, that holds the round after ``phase`` rounds of a period."""
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
    s = segment_of(losses, phase)
    whole = (t // losses.starts[segments]) * losses.before[segments, arm]
    return whole + losses.before[s, arm] + losses.means[s, arm] * (phase - losses.starts[s])


@inner
def beyond(losses: Losses, arm: int, t: int) -> float:
    """Return the mean losses of ``arm`` less those of the first arm, summed over rounds 1 to t."""
    segments = losses.means.shape[0]
    phase = np.int64(t % losses.starts[segments])
    s = segment_of(losses, phase)
    whole = (t // losses.starts[segments]) * (losses.before[segments, arm] - losses.before[segments, 0])
    since = (losses.means[s, arm] - losses.means[s, 0]) * (phase - losses.starts[s])
    return whole + (losses.before[s, arm] - losses.before[s, 0]) + since


@kernel
def _best(losses: Losses, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the best arm's mean losses beyond the first arm's, summed up to each of ``rounds``."""
    best = np.zeros(rounds.size)
    for at in range(rounds.size):
        for arm in range(1, losses.means.shape[1]):
            best[at] = min(best[at], beyond(losses, arm, rounds[at]))
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
    s = segment_of(losses, phase)
    while left > 0:
        number = min(left, losses.starts[s + 1] - phase)
        total += binomial(state, number, losses.means[s, arm])
        left -= number
        s = s + 1 if s + 1 < segments else 0
        phase = losses.starts[s]
    return total


@inner
def advised(state: State, advice: NDArray[np.float64], context: int, expert: int) -> int:
    """Return an action, from 0, drawn from an expert's advice; never one of probability 0.

    Parameters
    ----------
    advice : ndarray of float64, shape (contexts, actions, experts)
        Probability of each action in each expert's advice.
    context, expert
        Numbers of the context and of the expert, from 0.
    """
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
def _followed(state: State, runs: Runs, losses: Losses, run: int, expert: int, t: int, n: int) -> int:
    """Follow an expert in rounds t + 1 to t + n, round by round; keep its actions and return their losses' sum."""
    period = losses.starts[losses.means.shape[0]]
    total = 0
    for s in range(t, t + n):
        context = segment_of(losses, np.int64(s % period))
        action = advised(state, losses.advice, context, expert)
        keep(runs, run, action, s, 1)
        total += binomial(state, 1, losses.costs[context, action])
    return total


@inner
def _suffered(
    recorder: Recorder | None,
    state: State,
    runs: Runs,
    losses: Losses,
    run: int,
    arm: int,
    t: int,
    n: int,
    segment: int,
) -> float:
    """Return the sum of the losses of ``arm`` in rounds t + 1 to t + n, of one ``segment`` unless that is -1."""
    if recorder is not None:
        return read(recorder, arm, n)
    if segment >= 0:
        mean = losses.means[segment, arm]
        observed = np.float64(binomial(state, n, mean)) if losses.bernoulli else n * mean
    elif losses.bernoulli:
        observed = np.float64(_drawn(state, losses, arm, t, n))
    else:
        observed = cumulative(losses, arm, t + n) - cumulative(losses, arm, t)
    if losses.advice.shape[0] > 0 and t < runs.played.shape[1]:
        # A batch's losses follow from its actions only where these are drawn.
        observed = np.float64(_followed(state, runs, losses, run, arm, t, n))
    return observed


@inner
def reported(action: int, loss: float, actions: int) -> int:
    """Return one number that tells both an action and how large its noisy loss is: ``action`` + f ``actions``.

    The factor f is 0 for a ``loss`` of at most 0, 1 for one in (0, 1), and 2 for one from 1 on. ``actions`` is the
    number of all actions.
    """
    return action + actions * ((1 if loss > 0.0 else 0) + (1 if loss >= 1.0 else 0))


@inner
def play(state: State, runs: Runs, bandit: Bandit, run: int, arm: int, clock: Clock) -> tuple[Clock, float]:
    """Play a decision: pull ``arm`` for a batch of rounds, or until the horizon, and record it.

    Parameters
    ----------
    state, runs, bandit, run, arm
        The run's stream; the runs, in which pulls and regret are recorded; the bandit; the run's number; the arm.
    clock
        State of the run before the batch. Its excess is the run's mean losses so far less those of the first arm.

    Returns
    -------
    clock, loss
        State of the run after the batch, and the batch's mean loss as it is observed, with noise
        Lap(``bandit.noise``).
    """
    losses = bandit.losses
    n = min(bandit.batch, runs.horizon - clock.t)
    t = clock.t + n
    # The segment s of the batch's first round; ``constant``: it has all rounds of the batch.
    s, constant = 0, True
    if losses.means.shape[0] > 1:
        phase = np.int64(clock.t % losses.starts[losses.means.shape[0]])
        s = segment_of(losses, phase)
        constant = phase + n <= losses.starts[s + 1]
    if constant:
        mean = losses.means[s, arm]
        excess = clock.excess + n * (mean - losses.means[s, 0])
    else:
        excess = clock.excess + (beyond(losses, arm, t) - beyond(losses, arm, clock.t))
    record_play(runs.recorder, arm, n)
    observed = _suffered(runs.recorder, state, runs, losses, run, arm, clock.t, n, s if constant else -1)
    at = clock.at
    while at < runs.rounds.size and runs.rounds[at] <= t:
        since = beyond(losses, arm, runs.rounds[at]) - beyond(losses, arm, clock.t)
        runs.regret[run, at] = clock.excess + since - runs.best[at]
        at += 1
    runs.pulls[run, arm] += n
    observed /= n
    if bandit.noise > 0.0:
        observed = release(state, runs.recorder, observed, bandit.noise)
    if losses.advice.shape[0] == 0:
        keep(runs, run, reported(arm, observed, losses.means.shape[1]) if bandit.local else arm, clock.t, n)
    return Clock(t, at, excess), observed
