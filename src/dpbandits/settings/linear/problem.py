"""The linear bandit with corrupted rewards: what every kernel of this setting reads.

Audits of privacy give the rewards of every round in a table instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.mathematics import cos, log
from dpbandits.core.recorder import Recorder, read, read_between, release
from dpbandits.core.recording import Clock, Runs, make_runs, pull
from dpbandits.core.streams import binomial, integer_below, shuffle, uniform
from dpbandits.core.uniform_play import of_gaps
from dpbandits.settings.linear.algebra import product

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Kinds of noise: see `Noise`.
BERNOULLI, GAUSSIAN, UNIFORM = 0, 1, 2
# With a recorder rewards are this or its negative: as eq. 1 of charisopoulos2022 has them, they are not bounded.
EXTREME = 3.0


class Noise(NamedTuple):
    """The law of an action's reward, whose mean is m = <a, theta>.

    Attributes
    ----------
    kind
        ``BERNOULLI``: 1 or -1; ``GAUSSIAN``: m plus normal noise; ``UNIFORM``: m plus uniform noise.
    scale
        Standard deviation of normal noise, or the largest size of uniform noise; unused by ``BERNOULLI``.
    """

    kind: int
    scale: float


class Corruption(NamedTuple):
    """An adversary, which replaces an observation x of action a by ``fixed[a] * unit + factor * x``.

    Attributes
    ----------
    probability
        Probability alpha with which each observation is replaced, independently.
    fixed : ndarray of float64, shape (arms,)
        Part of the replacement that depends on the action alone, before it is multiplied by ``unit``.
    factor
        Factor with which the replacement depends on the observation x.
    single
        Whether at most one observation of a batch is replaced: a random one of those that ``probability`` picks.
    adaptive
        Whether ``unit`` is the largest size of reports that the learner's filter tolerates, instead of 1.
    of_reports
        Whether the client's report is replaced, as in the paper's proofs. Otherwise the reward is, as in eq. 3, and
        the client treats it like any other.
    """

    probability: float
    fixed: Floats
    factor: float
    single: bool
    adaptive: bool
    of_reports: bool


class Bandit(NamedTuple):
    """A linear bandit with noisy and corrupted rewards, or with a table of rewards.

    Attributes
    ----------
    actions : ndarray of float64, shape (arms, d)
        The actions.
    means, gaps : ndarray of float64, shape (arms,)
        The actions' mean rewards <a, theta>, and the differences between the largest of them and each.
    noise, corruption
        Law of rewards, and the adversary that replaces some of them.
    table : ndarray of float64, shape (rounds, arms), or (0, arms) if rewards are random
        Rewards of all actions in every round. If there are any, they take the place of those that ``noise`` draws,
        and ``means`` are the means of the columns.
    """

    actions: Floats
    means: Floats
    gaps: Floats
    noise: Noise
    corruption: Corruption
    table: Floats

    def runs(self, streams: NDArray[np.uint64], rounds: Counts, kept: int = 0) -> Runs:
        """Return runs for a simulation to fill, one for each row of ``streams``; their regret is pseudo-regret.

        ``streams`` has shape (runs, 4), and ``rounds``, the checkpoints, shape (checkpoints,). The actions of the
        first ``kept`` rounds are recorded too.
        """
        return make_runs(streams, rounds, self.means.size, kept)

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected regret of uniform play at each of ``rounds``, shape (n,).

        Each arm is equally likely in each round, so a round adds the mean of the gaps.
        """
        return of_gaps(self.gaps, rounds)


def make_bandit(actions: Floats, theta: Floats, noise: Noise, corruption: Corruption) -> Bandit:
    """Return the bandit with random rewards on these actions.

    Parameters
    ----------
    actions : ndarray of float64, shape (arms, d)
        The actions.
    theta : ndarray of float64, shape (d,)
        The unknown parameter.
    noise, corruption
        Law of rewards, and the adversary that replaces some of them.
    """
    means = product(actions, theta)
    return Bandit(actions, means, means.max() - means, noise, corruption, np.empty((0, actions.shape[0])))


def fixed_bandit(actions: Floats, table: Floats) -> Bandit:
    """Return the bandit on ``actions``, shape (arms, d), that pays by a table of rewards, shape (rounds, arms)."""
    nothing = np.zeros(table.shape[1])
    corruption = Corruption(0.0, nothing, 0.0, single=False, adaptive=False, of_reports=True)
    means = table.mean(axis=0)
    return Bandit(actions, means, means.max() - means, Noise(BERNOULLI, 0.0), corruption, table)


class Clocks(NamedTuple):
    """Rounds played ``t``, next checkpoints ``at`` and regret so far ``excess`` of runs, each of shape (runs,)."""

    t: Counts
    at: Counts
    excess: Floats


def start(runs: int) -> Clocks:
    """Return the state of ``runs`` runs before their first round: zeros."""
    return Clocks(np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64), np.zeros(runs))


@kernel
def play(runs: Runs, bandit: Bandit, run: int, arms: Counts, pulls: Counts, clocks: Clocks) -> Counts:
    """Play a batch: all pulls of one arm, then all of the next, in random order; stop early at the horizon.

    Parameters
    ----------
    runs, bandit, run
        The runs, in which pulls and regret are recorded; the bandit; and the run's number.
    arms, pulls : ndarray of int64, shape (k,)
        The batch: arms, and the number of pulls of each.
    clocks
        State of all runs; that of the run ``run`` is updated.

    Returns
    -------
    ndarray of int64, shape (k,)
        Number of rounds that were played before the first pull of each arm.
    """
    clock = Clock(clocks.t[run], clocks.at[run], clocks.excess[run])
    before = np.empty_like(arms)
    order = np.arange(arms.size)
    shuffle(runs.streams[run], order)
    for j in order:
        before[j] = clock.t
        clock = pull(runs, run, arms[j], bandit.gaps[arms[j]], pulls[j], clock)
    clocks.t[run], clocks.at[run], clocks.excess[run] = clock
    return before


@kernel
def normal(state: NDArray[np.uint64]) -> float:
    """Return a draw of the standard normal law (Box & Muller 1958) from the stream ``state``, which moves on."""
    return math.sqrt(-2.0 * log(uniform(state))) * cos(6.283185307179586 * uniform(state))


@kernel
def reward(state: NDArray[np.uint64], noise: Noise, mean: float) -> float:
    """Return a random reward with this mean, of the law ``noise``, from the stream ``state``, which moves on.

    The stream is four numbers. A Bernoulli reward is -1 or 1, and its mean lies in [-1, 1].
    """
    if noise.kind == BERNOULLI:
        return 1.0 if uniform(state) <= (1.0 + mean) / 2.0 else -1.0
    if noise.kind == GAUSSIAN:
        return mean + noise.scale * normal(state)
    return mean + noise.scale * (2.0 * uniform(state) - 1.0)


@kernel
def _reward_at(
    state: NDArray[np.uint64], recorder: Recorder | None, bandit: Bandit, arm: int, t: int, pulls: int, n: int
) -> float:
    """Return the reward of ``arm`` in round t + 1, the one after ``n`` of its last ``pulls``."""
    if recorder is not None:
        first = recorder.pulled[arm, 0] - pulls + n
        return EXTREME * (2.0 * read_between(recorder, arm, first, first + 1) - 1.0)
    if bandit.table.shape[0] > 0:
        return bandit.table[t, arm]
    return reward(state, bandit.noise, bandit.means[arm])


@kernel
def _clipped(x: float, clip: float) -> float:
    return min(clip, max(-clip, x))


@kernel
def _sum(
    state: NDArray[np.uint64], noise: Noise, mean: float, n: int, fixed: float, factor: float, clip: float
) -> float:
    """Return the sum of ``n`` terms ``fixed + factor * reward``, each clipped to [-clip, clip].

    Without a loop for Bernoulli rewards, where it is a binomial number, and for normal rewards that nothing clips,
    where it is normal; else reward by reward.
    """
    if factor == 0.0:
        return n * _clipped(fixed, clip)
    if noise.kind == BERNOULLI:
        ones = binomial(state, n, (1.0 + mean) / 2.0)
        return ones * _clipped(fixed + factor, clip) + (n - ones) * _clipped(fixed - factor, clip)
    if noise.kind == GAUSSIAN and clip == math.inf:
        return n * (fixed + factor * mean) + factor * noise.scale * math.sqrt(n) * normal(state)
    total = 0.0
    for _ in range(n):
        total += _clipped(fixed + factor * reward(state, noise, mean), clip)
    return total


@kernel
def _corrupted(state: NDArray[np.uint64], corruption: Corruption, counts: Counts) -> Counts:
    """Return how many of each action's observations are replaced, shape (k,)."""
    hit = np.empty(counts.size, dtype=np.int64)
    for j in range(counts.size):
        hit[j] = binomial(state, counts[j], corruption.probability)
    if corruption.single and hit.sum() > 0:
        one = integer_below(state, hit.sum())
        for j in range(counts.size):
            chosen = 0 <= one < hit[j]
            one -= hit[j]
            hit[j] = 1 if chosen else 0
    return hit


@kernel
def _with_noise(state: NDArray[np.uint64], recorder: Recorder | None, x: float, scale: float) -> float:
    return release(state, recorder, x, scale) if scale > 0.0 else x


@kernel
def single_reports(
    state: NDArray[np.uint64],
    bandit: Bandit,
    arms: Counts,
    pulls: Counts,
    before: Counts,
    clip: float,
    scale: float,
    unit: float,
    recorder: Recorder | None = None,
) -> Floats:
    """Return a batch's reports in model (M1): every reward is clipped, noised and reported by itself.

    An adversary replaces some rewards before they are clipped, or some reports.

    Parameters
    ----------
    state
        The run's stream.
    bandit
        The bandit.
    arms, pulls : ndarray of int64, shape (k,)
        Actions of the batch, and the number of pulls of each.
    before : ndarray of int64, shape (k,)
        Number of rounds before the first pull of each arm. If the bandit has a table of rewards, the arm's first
        reward is in this row, from 0.
    clip
        Bound to which clients clip rewards, to [-clip, clip]; infinite for none.
    scale
        Scale of the Laplace noise on a report, 0 for none.
    unit
        Largest size of reports that the learner's filter tolerates. If the adversary is adaptive,
        ``bandit.corruption.fixed`` is multiplied by ``unit``.
    recorder
        The run's recorder, or ``None`` outside audits.

    Returns
    -------
    ndarray of float64, shape (sum of ``pulls``,)
        Reports of one action after another; among those of an action, the corrupted ones stand first.
    """
    corruption = bandit.corruption
    hit = _corrupted(state, corruption, pulls)
    reports = np.empty(pulls.sum())
    i = 0
    for j in range(arms.size):
        fixed = corruption.fixed[arms[j]] * (unit if corruption.adaptive else 1.0)
        for n in range(pulls[j]):
            x = _reward_at(state, recorder, bandit, arms[j], before[j] + n, pulls[j], n)
            if n < hit[j] and not corruption.of_reports:
                x = fixed + corruption.factor * x
            x = _with_noise(state, recorder, _clipped(x, clip), scale)
            if n < hit[j] and corruption.of_reports:
                x = fixed + corruption.factor * x
            reports[i] = x
            i += 1
    return reports


@kernel
def _total(
    state: NDArray[np.uint64],
    recorder: Recorder | None,
    bandit: Bandit,
    arm: int,
    mean: float,
    before: int,
    n: int,
    clip: float,
) -> float:
    """Return the sum of an action's last ``n`` rewards, clipped; they follow ``before`` rounds."""
    if recorder is not None:
        ones = read(recorder, arm, n)
        return ones * _clipped(EXTREME, clip) + (n - ones) * _clipped(-EXTREME, clip)
    if bandit.table.shape[0] > 0:
        total = 0.0
        for s in range(before, before + n):
            total += _clipped(bandit.table[s, arm], clip)
        return total
    return _sum(state, bandit.noise, mean, n, 0.0, 1.0, clip)


@kernel
def mean_reports(
    state: NDArray[np.uint64],
    bandit: Bandit,
    arms: Counts,
    pulls: Counts,
    before: Counts,
    clip: float,
    scale: float,
    unit: float,
    recorder: Recorder | None = None,
) -> Floats:
    """Return a batch's reports in model (M2): every action's mean of clipped rewards is noised and reported.

    An adversary replaces some rewards before they are clipped, or some reports.

    Parameters
    ----------
    state, bandit, recorder
        The run's stream, the bandit, and the run's recorder or ``None``.
    arms, pulls : ndarray of int64, shape (k,)
        Actions of the batch, and the number of pulls of each.
    before : ndarray of int64, shape (k,)
        Number of rounds before the first pull of each arm. If the bandit has a table of rewards, the arm's first
        reward is in this row, from 0.
    clip
        Bound of rewards: clients clip them to [-clip, clip].
    unit
        Largest size of reports that the learner's filter tolerates. If the adversary is adaptive,
        ``bandit.corruption.fixed`` is multiplied by ``unit``.
    scale
        Scale of the Laplace noise on a sum of rewards: that on a mean of n rewards is ``scale / n``.

    Returns
    -------
    ndarray of float64, shape (k,)
        One report for each action.
    """
    corruption = bandit.corruption
    hit = _corrupted(state, corruption, np.ones_like(pulls) if corruption.of_reports else pulls)
    reports = np.empty(arms.size)
    for j in range(arms.size):
        fixed = corruption.fixed[arms[j]] * (unit if corruption.adaptive else 1.0)
        mean, n = bandit.means[arms[j]], pulls[j]
        of_rewards = 0 if corruption.of_reports else hit[j]
        total = _total(state, recorder, bandit, arms[j], mean, before[j], n - of_rewards, clip)
        if of_rewards > 0:
            total += _sum(state, bandit.noise, mean, of_rewards, fixed, corruption.factor, clip)
        reports[j] = _with_noise(state, recorder, total / n, scale / n)
        if corruption.of_reports and hit[j] > 0:
            reports[j] = fixed + corruption.factor * reports[j]
    return reports
