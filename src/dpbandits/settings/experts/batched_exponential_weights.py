"""Exponential weights over experts on noisy sums of batches: the decisions of asi2025, Algorithm 2.

The experts' weights stay as they are for a batch, so in each context actions are drawn alike, independently: how
often each is played is multinomial, its losses' sum binomial. A batch of any length costs as much as the contexts
that it touches.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Formula, Parameter, Privacy, Probe, Tuning, Values, one_over_horizon
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.door import Door, decide, read, release
from dpbandits.core.recording import START, Clock, Runs, keep
from dpbandits.core.streams import State, binomial, categorical
from dpbandits.settings.adversarial.conversion import budget
from dpbandits.settings.experts import privacy
from dpbandits.settings.experts.problem import Bandit
from dpbandits.settings.experts.weights import make_weights, mixture, weigh_anew

# The privacy proof's advanced composition, 3 eps^2/(18 log(1/delta)) + sqrt(2/3) eps <= eps, needs log(1/delta) >=
# 0.91 epsilon.
LARGEST_DELTA = 0.4


def _spread(tuning: Tuning, values: Values) -> float:
    """Return N log(1/delta)."""
    return tuning.experts * math.log(1 / values["delta"])


def _log_size(tuning: Tuning) -> float:
    """Return log(NT)."""
    return math.log(tuning.experts * tuning.horizon)


def batch_size(tuning: Tuning, values: Values) -> float:
    """(N log(1/delta))^(1/3) log(NT)^(2/3) T^(1/3)/(epsilon^(2/3) log(N)^(1/3)), rounded up"""
    if tuning.experts == 1:
        return math.inf
    product = _spread(tuning, values) * _log_size(tuning) ** 2 * tuning.horizon
    return float(math.ceil(math.cbrt(product / (budget(tuning) ** 2 * math.log(tuning.experts)))))


def learning_rate(tuning: Tuning, values: Values) -> float:
    """(N log(1/delta))^(1/6) log(NT)^(1/3) log(N)^(1/3)/(T^(1/3) K^(1/2) epsilon^(1/3))"""
    logs = _log_size(tuning) * math.log(tuning.experts)
    power = math.cbrt(math.sqrt(_spread(tuning, values)) * logs / (tuning.horizon * budget(tuning)))
    return power / math.sqrt(tuning.arms)


def _mixing(tuning: Tuning, values: Values, spread: float) -> float:
    scale = tuning.arms * _log_size(tuning) / (budget(tuning) * values["tau"])
    balanced = math.cbrt(values["eta"] * spread * scale**2)
    return max(balanced, 12 * values["eta"] * math.sqrt(_spread(tuning, values)) * scale)


def mixing(tuning: Tuning, values: Values) -> float:
    """max((eta N log(1/delta))^(1/3) a^(2/3), 12 eta (N log(1/delta))^(1/2) a), a = K log(NT)/(epsilon tau)"""
    return _mixing(tuning, values, _spread(tuning, values))


def mixing_printed(tuning: Tuning, values: Values) -> float:
    """max((eta N)^(1/3) a^(2/3), 12 eta (N log(1/delta))^(1/2) a), a = K log(NT)/(epsilon tau)"""
    return _mixing(tuning, values, tuning.experts)


def parameters(gamma: Formula) -> tuple[Parameter, ...]:
    """Return the parameters, with a formula for the mixing weight."""
    return (
        Parameter("delta", float, one_over_horizon, "privacy's delta", above=0, at_most=LARGEST_DELTA),
        Parameter("tau", int, batch_size, "rounds in a batch", at_least=1, at_most_horizon=True),
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter(
            "gamma",
            float,
            gamma,
            "mixing weight of the uniform distribution; 0 calls for infinite noise: nothing is learned",
            at_least=0,
            at_most=1,
        ),
    )


PRIVACY = Privacy(
    definition="approximate",
    neighbours="the losses of one round replaced",
    mechanism=(
        "N estimates a batch, each of sensitivity K/(gamma tau), with Lap(3K sqrt(N log(1/delta))/(gamma tau "
        "epsilon)); advanced composition over experts, parallel over batches"
    ),
    at_most=1,
    exact=privacy.worst,
    # One batch tells which expert is followed, with few actions explored; what one of these lost makes the next
    # follow another.
    probes=(
        Probe(4, 3, {"tau": 1, "eta": 1e3, "gamma": 0.05}),
        Probe(9, 2, {"tau": 3, "eta": 1e3, "gamma": 0.04}),
    ),
    effort=6 * 10**6,
)


@inner
def _charge(
    bandit: Bandit, context: int, action: int, lost: int, scale: float, estimate: NDArray[np.float64]
) -> None:
    """Add an action's losses, ``lost`` in all, to the estimates of the experts that advise it, over ``scale``."""
    if lost > 0:
        weight = lost / scale
        for j in range(estimate.size):
            estimate[j] += weight * bandit.advice[context, action, j]


@inner
def _observe(
    state: State,
    door: Door | None,
    bandit: Bandit,
    context: int,
    rounds: int,
    q: NDArray[np.float64],
    tau: int,
    estimate: NDArray[np.float64],
) -> None:
    """Play ``rounds`` of a context with the actions' probabilities ``q``; add to the experts' estimates."""
    left, rest = rounds, 1.0
    for action in range(q.size):
        number = left
        if action < q.size - 1:
            number = binomial(state, left, min(1.0, q[action] / rest))
        left -= number
        rest = max(rest - q[action], q[q.size - 1])
        decide(door, action, number)
        lost = _lost(door, state, action, number, bandit.means[context, action])
        _charge(bandit, context, action, lost, q[action] * tau, estimate)


@inner
def _lost(door: Door | None, state: State, action: int, number: int, mean: float) -> int:
    """Return the sum of an action's last ``number`` losses, Bernoulli with this mean."""
    if door is not None:
        return int(read(door, action, number))
    return binomial(state, number, mean)


@inner
def _observe_rounds(
    state: State,
    runs: Runs,
    bandit: Bandit,
    run: int,
    context: int,
    first: int,
    end: int,
    q: NDArray[np.float64],
    tau: int,
    estimate: NDArray[np.float64],
) -> None:
    """Do what `_observe` does round by round, from round ``first`` + 1 up to ``end``, and keep the actions."""
    for t in range(first, end, bandit.means.shape[0]):
        action = categorical(state, q, 1.0)
        keep(runs, run, action, t, 1)
        lost = binomial(state, 1, bandit.means[context, action])
        _charge(bandit, context, action, lost, q[action] * tau, estimate)


@inner
def _record_cycles(runs: Runs, run: int, along: NDArray[np.float64], size: int, n: int, clock: Clock) -> Clock:
    """Record ``n`` rounds in cycles of ``size``, which add ``along`` to the excess, shape (more than ``size``,)."""
    at = clock.at
    while at < runs.rounds.size and runs.rounds[at] <= clock.t + n:
        since = runs.rounds[at] - clock.t
        added = (since // size) * along[size] + along[since % size]
        runs.regret[run, at] = clock.excess + added - runs.best[at]
        at += 1
    return Clock(clock.t + n, at, clock.excess + ((n // size) * along[size] + along[n % size]))


@kernel
def _simulate(runs: Runs, bandit: Bandit, tau: int, eta: float, gamma: float, noise: float) -> None:
    contexts, actions, experts = bandit.advice.shape
    expert_means = bandit.followed.losses.means
    weights = make_weights(experts)
    estimate = np.empty(experts)
    expected_pulls = np.empty(experts)
    q = np.empty(actions)
    along = np.zeros(min(tau, contexts) + 1)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        weights.log[:] = 0.0
        expected_pulls[:] = 0.0
        clock = START
        while clock.t < runs.horizon:
            n = min(tau, runs.horizon - clock.t)
            _, total = weigh_anew(weights)
            estimate[:] = 0.0
            touched = min(n, contexts)
            for s in range(touched):
                context = (clock.t + s) % contexts
                cost = 0.0
                for action in range(actions):
                    mixed = mixture(weights, bandit.advice, context, action) / total
                    q[action] = (1.0 - gamma) * mixed + gamma / actions
                    cost += q[action] * (bandit.means[context, action] - expert_means[context, 0])
                along[s + 1] = along[s] + cost
                # What is learned from an unfinished last batch is never used.
                if clock.t < runs.played.shape[1]:
                    first, end = clock.t + s, clock.t + n
                    _observe_rounds(state, runs, bandit, run, context, first, end, q, tau, estimate)
                elif noise < math.inf or runs.door is not None:
                    _observe(state, runs.door, bandit, context, (n - s - 1) // contexts + 1, q, tau, estimate)
            clock = _record_cycles(runs, run, along, touched, n, clock)
            for j in range(experts):
                expected_pulls[j] += (1.0 - gamma) * n * weights.value[j] / total
                if noise < math.inf:
                    weights.log[j] -= eta * release(state, runs.door, estimate[j], noise)
        for j in range(experts):
            runs.pulls[run, j] = round(expected_pulls[j])


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, delta: float, tau: int, eta: float, gamma: float
) -> None:
    """Fill ``runs`` with those of private batched EXP4."""
    _, actions, experts = bandit.advice.shape
    spread = math.sqrt(experts * math.log(1 / delta))
    noise = 3 * actions * spread / (gamma * tau * epsilon) if gamma > 0 else math.inf
    _simulate(runs, bandit, tau, eta, gamma, noise)
