"""Lazy-DP-TS: Thompson sampling under pure differential privacy, with lazily updated posteriors.

Source: Hu & Hegde 2022, as compared with in azize2025, Section 5. An arm's batches have sizes 1, 2, 4, ...;
the arm's posterior is built from its last finished batch alone, of size O and private mean mu~. In every round
each arm draws theta ~ Beta(m O + 1, (1 - m) O + 1) with m = clip(mu~ + offset log t/(epsilon O)), and the
largest theta is pulled.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one batch mean, of
sensitivity 1/O, released once with Lap(1/(epsilon O)); parallel composition.

Deviations: none in law. The offset's constant 3 is from a secondary source, hence a parameter. It decides
every round, but rounds that one arm wins for certain are skipped by thinning: see `_envelope`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Algorithm, Parameter, Privacy, Probe, Values, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.door import release
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import State, beta, permute, uniform
from dpbandits.settings.stochastic.problem import Bandit, collect, play

# Plain rounds played when no arm leads clearly, before thinning is tried again; a matter of speed alone.
PATIENCE = 32
# Thinning is used while a round is quiet with at least this log-probability; a matter of speed alone.
WORTHWHILE = -0.2
# By how much offset log t/epsilon may grow under one envelope; a matter of speed alone.
GROWTH = 1.0


class Arms(NamedTuple):
    """What is known of the arms, and an envelope of their posteriors; each of shape (arms,).

    Attributes
    ----------
    mean, size
        Private mean and size of the last finished batch.
    batch, done
        Size of the running batch, and pulls in it.
    log_height, rate, mass
        For each arm a bound exp(log_height - rate (x - c)) on the density of its posterior on the wrong side
        of the level c, at distance x - c, and the bound's mass.
    theta
        A round's posterior draws.
    order
        The arms in the order of their first pull.
    """

    mean: NDArray[np.float64]
    size: NDArray[np.float64]
    batch: NDArray[np.int64]
    done: NDArray[np.int64]
    log_height: NDArray[np.float64]
    rate: NDArray[np.float64]
    mass: NDArray[np.float64]
    theta: NDArray[np.float64]
    order: NDArray[np.int64]


@kernel
def _start(arms: int) -> Arms:
    """Return room for what is known of ``arms`` arms."""
    return Arms(
        np.empty(arms),
        np.empty(arms),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.arange(arms),
    )


@kernel
def _optimistic(arms: Arms, k: int, bonus: float) -> float:
    """Return m of arm ``k``; ``bonus`` is offset log t/epsilon."""
    return min(1.0, max(0.0, arms.mean[k] + bonus / arms.size[k]))


@kernel
def _log_density(x: float, m: float, size: float) -> float:
    """Return the logarithm of the density of Beta(m O + 1, (1 - m) O + 1) at 0 < x < 1."""
    a, b = m * size, (1.0 - m) * size
    return (
        math.lgamma(size + 2.0) - math.lgamma(a + 1.0) - math.lgamma(b + 1.0) + a * math.log(x) + b * math.log1p(-x)
    )


@kernel
def _bound(arms: Arms, k: int, c: float, least: float, most: float) -> None:
    """Bound arm ``k``'s posterior density above ``c``, for every m in [least, most].

    The log-density is concave with slope O (m - x)/(x (1 - x)): its tangent at c bounds it. At c it grows with m
    while logit(c) exceeds psi(m O + 1) - psi((1-m) O + 1), which log((m O + 0.57)/((1-m) O + 0.5)) exceeds; then
    the tangent for m = ``most`` bounds all. The mass is infinite where this cannot be used.
    """
    size = arms.size[k]
    arms.mass[k] = math.inf
    grows = c * ((1.0 - most) * size + 0.5) >= (1.0 - c) * (most * size + 0.57)
    if c < 1.0 and most < c and (least == most or grows):
        arms.rate[k] = size * (c - most) / (c * (1.0 - c))
        arms.log_height[k] = _log_density(c, most, size)
        arms.mass[k] = math.exp(min(0.0, arms.log_height[k] - math.log(arms.rate[k])))


@kernel
def _envelope(arms: Arms, bonus: float, later: float) -> tuple[int, float, float]:
    """Choose a leader and a level, and bound the posteriors beyond it while the bonus grows to ``later``.

    Returns
    -------
    leader, c, log_quiet
        In a round in which the leader's theta is above ``c`` and all others' are below, the leader is pulled;
        the logarithm of the probability of such a round is at least ``log_quiet``, -inf if no arm leads.
    """
    leader, second = -1, -1
    for k in range(arms.size.size):
        if leader < 0 or _optimistic(arms, k, bonus) > _optimistic(arms, leader, bonus):
            leader = k
    for k in range(arms.size.size):
        if k != leader and (second < 0 or _optimistic(arms, k, later) > _optimistic(arms, second, later)):
            second = k
    high, low = _optimistic(arms, leader, bonus), _optimistic(arms, second, later)
    if low >= high:
        return leader, 1.0, -math.inf
    # The level is as many standard deviations below the leader as above the second.
    spread_high = math.sqrt(high * (1.0 - high) / arms.size[leader]) + 1.0 / arms.size[leader]
    spread_low = math.sqrt(low * (1.0 - low) / arms.size[second]) + 1.0 / arms.size[second]
    c = (high * spread_low + low * spread_high) / (spread_low + spread_high)
    log_quiet = 0.0
    for k in range(arms.size.size):
        if k == leader:
            # Mirrored: 1 - theta is a posterior with 1 - m, and below c is above 1 - c.
            _bound(arms, k, 1.0 - c, 1.0 - _optimistic(arms, k, later), 1.0 - high)
        else:
            _bound(arms, k, c, _optimistic(arms, k, bonus), _optimistic(arms, k, later))
        log_quiet += math.log1p(-min(1.0, arms.mass[k]))
    return leader, c, log_quiet


@kernel
def _plan(arms: Arms, t: int, horizon: int, scale: float, thinned: bool) -> tuple[int, int, float, float]:
    """Return until which round to proceed in which way: ``until, leader, c, log_quiet``.

    A ``log_quiet`` of -inf stands for plain rounds, each with all its draws.
    """
    if thinned:
        # The bonus enters a log-density with a factor of order 1: its growth is kept to GROWTH.
        until = int(min((t + 1.0) * math.exp(GROWTH / scale), float(horizon)))
        later = scale * math.log(float(until))
        leader, c, log_quiet = _envelope(arms, scale * math.log(t + 1.0), later)
        if log_quiet > WORTHWHILE:
            return until, leader, c, min(log_quiet, -1e-300)
    return min(t + PATIENCE, horizon), 0, 1.0, -math.inf


@kernel
def _draw(state: State, m: float, size: float) -> float:
    return beta(state, m * size + 1.0, (1.0 - m) * size + 1.0)


@kernel
def _pull_in_full(state: State, arms: Arms, bonus: float) -> int:
    """Return the arm of largest theta."""
    for k in range(arms.size.size):
        arms.theta[k] = _draw(state, _optimistic(arms, k, bonus), arms.size[k])
    return int(np.argmax(arms.theta))


@kernel
def _pull_in_marked_round(state: State, arms: Arms, bonus: float, leader: int, c: float, log_quiet: float) -> int:
    """Return the arm of largest theta in a round with at least one mark.

    Independently, each arm is marked with the probability of its bound's mass. A marked arm proposes a theta
    beyond the level from the bound, accepted with the ratio of density to bound: so an arm lies beyond the level
    with exactly the posterior's probability and law.
    """
    beyond = False
    log_rest = log_quiet
    marked_before = False
    for k in range(arms.size.size):
        arms.theta[k] = -1.0
        # Unless an arm before is marked, one from k on is.
        probability = arms.mass[k] if marked_before else -arms.mass[k] / math.expm1(log_rest)
        if uniform(state) <= probability:
            marked_before = True
            excess = -math.log(uniform(state)) / arms.rate[k]
            m = _optimistic(arms, k, bonus)
            x = c + excess
            inside = x < 1.0
            if k == leader:
                x = c - excess
                inside = x > 0.0
            if inside:
                log_bound = arms.log_height[k] - arms.rate[k] * excess
                log_ratio = _log_density(x, m, arms.size[k]) - log_bound
                if math.log(uniform(state)) <= log_ratio:
                    arms.theta[k] = x
                    beyond = True
        elif not marked_before:
            log_rest = min(-1e-300, log_rest - math.log1p(-arms.mass[k]))
    if not beyond:
        return leader
    for k in range(arms.size.size):
        if arms.theta[k] < 0.0:
            m = _optimistic(arms, k, bonus)
            x = _draw(state, m, arms.size[k])
            while (x < c) == (k == leader):
                x = _draw(state, m, arms.size[k])
            arms.theta[k] = x
    return int(np.argmax(arms.theta))


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, offset: float, thinned: bool) -> None:
    arms = _start(bandit.means.size)
    scale = offset / epsilon
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = START
        permute(state, arms.order)
        arms.batch[:] = 1
        arms.done[:] = 0
        leader, c, log_quiet = 0, 1.0, -math.inf
        # The envelope holds for rounds up to `until`; then, or when a posterior changes, it is made anew.
        until = 0
        while clock.t < runs.horizon:
            pulled = 1
            if clock.t < arms.order.size:
                arm = arms.order[clock.t]
            else:
                if clock.t >= until:
                    until, leader, c, log_quiet = _plan(arms, clock.t, runs.horizon, scale, thinned)
                if log_quiet == -math.inf:
                    arm = _pull_in_full(state, arms, scale * math.log(clock.t + 1.0))
                else:
                    arm = leader
                    pulled = min(until - clock.t, arms.batch[arm] - arms.done[arm])
                    quiet = math.log(uniform(state)) / log_quiet
                    if quiet < pulled:
                        clock = play(runs, bandit, run, leader, int(quiet), clock)
                        arms.done[leader] += int(quiet)
                        bonus = scale * math.log(clock.t + 1.0)
                        arm = _pull_in_marked_round(state, arms, bonus, leader, c, log_quiet)
                        pulled = 1
            clock = play(runs, bandit, run, arm, pulled, clock)
            arms.done[arm] += pulled
            if arms.done[arm] == arms.batch[arm]:
                rewards = collect(state, runs, bandit, run, arm, arms.batch[arm], clock)
                arms.mean[arm] = release(state, runs.door, rewards, 1.0 / epsilon) / arms.batch[arm]
                arms.size[arm] = arms.batch[arm]
                arms.batch[arm] *= 2
                arms.done[arm] = 0
                until = clock.t


def worst(epsilon: float, _: Values) -> Worst:
    """Return the worst loss of a batch's private mean, of any size O: of a noisy sum that one reward moves by 1.

    Below both sums the Laplace density decays at the rate epsilon: the loss of half-lines there is exactly that.
    """
    return Worst(
        loss=epsilon,
        of="the private mean of a batch of any size, in closed form",
        one={"rewards": [0.0]},
        other={"rewards": [1.0]},
        event="the private mean is at most 0",
        probabilities=(0.5, 0.5 * math.exp(-epsilon)),
    )


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, offset: float) -> None:
    """Fill ``runs`` with those of Lazy-DP-TS."""
    _simulate(runs, bandit, epsilon, offset, True)


ALGORITHM = Algorithm(
    title="Lazy-DP-TS",
    source="Hu & Hegde 2022, Algorithm 1 (azize2025, Section 5)",
    decides="rounds",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="batch means of sensitivity 1/O, each with Lap(1/(epsilon O)); parallel composition",
        exact=worst,
        # Little optimism: posteriors are near the private means.
        probes=(Probe(12, 2, {"offset": 0.1}),),
    ),
    parameters=(Parameter("offset", float, 3.0, "optimism: offset log t/(epsilon O)", above=0),),
    simulate=simulate,
    deviations="the constant of the offset comes from a secondary source",
)
