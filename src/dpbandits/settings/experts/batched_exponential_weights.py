"""Exponential weights over experts on noisy sums of batches: the decisions of asi2025, Algorithm 2.

The experts' weights stay as they are for a batch, so in each context actions are drawn alike, independently. What
is learned from a batch is how often each action lost. These counts are multinomial: action i loses in a round with
probability q_i times its mean loss. How often it was played is not drawn.

Actions of a context that all experts advise alike, with one mean loss, are a class: their losses are one count.
Contexts with the same classes are of one kind. A batch of any length costs as much as the kinds that it touches.

A function whose docstring is a formula returns a parameter's default: `batch_size` of tau, `learning_rate` of eta,
and `mixing` of gamma. `mixing_printed` is gamma as asi2025 prints it, without a factor log(1/delta)^(1/3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Privacy, Probe
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.fields import Formula, Parameter, Tuning, Values, one_over_horizon
from dpbandits.core.mathematics import cbrt, log
from dpbandits.core.recorder import Recorder, read, record_play, release
from dpbandits.core.recording import START, Clock, Runs, keep
from dpbandits.core.streams import State, binomial, categorical
from dpbandits.settings.adversarial.conversion import budget
from dpbandits.settings.experts import privacy
from dpbandits.settings.experts.problem import Bandit
from dpbandits.settings.experts.weights import Weights, make_weights, mixture, weigh_anew

# The privacy proof's advanced composition, 3 eps^2/(18 log(1/delta)) + sqrt(2/3) eps <= eps, needs log(1/delta) >=
# 0.91 epsilon.
LARGEST_DELTA = 0.4

# Stands for a probability that rounding leaves no positive number of.
SMALLEST = 1e-300


def _spread(tuning: Tuning, values: Values) -> float:
    """Return N log(1/delta)."""
    return tuning.experts * log(1 / values["delta"])


def _log_size(tuning: Tuning) -> float:
    """Return log(NT)."""
    return log(tuning.experts * tuning.horizon)


def batch_size(tuning: Tuning, values: Values) -> float:
    """(N log(1/delta))^(1/3) log(NT)^(2/3) T^(1/3)/(epsilon^(2/3) log(N)^(1/3)), rounded up

    This is the default of ``tau``, the number of rounds in a batch, for N experts and T rounds.
    """
    if tuning.experts == 1:
        return math.inf
    product = _spread(tuning, values) * _log_size(tuning) * _log_size(tuning) * tuning.horizon
    return float(math.ceil(cbrt(product / (budget(tuning) * budget(tuning) * log(tuning.experts)))))


def learning_rate(tuning: Tuning, values: Values) -> float:
    """(N log(1/delta))^(1/6) log(NT)^(1/3) log(N)^(1/3)/(T^(1/3) K^(1/2) epsilon^(1/3))

    This is the default of ``eta``, for N experts, K actions and T rounds.
    """
    logs = _log_size(tuning) * log(tuning.experts)
    power = cbrt(math.sqrt(_spread(tuning, values)) * logs / (tuning.horizon * budget(tuning)))
    return power / math.sqrt(tuning.arms)


def _mixing(tuning: Tuning, values: Values, spread: float) -> float:
    scale = tuning.arms * _log_size(tuning) / (budget(tuning) * values["tau"])
    balanced = cbrt(values["eta"] * spread * (scale * scale))
    return max(balanced, 12 * values["eta"] * math.sqrt(_spread(tuning, values)) * scale)


def mixing(tuning: Tuning, values: Values) -> float:
    """max((eta N log(1/delta))^(1/3) a^(2/3), 12 eta (N log(1/delta))^(1/2) a), a = K log(NT)/(epsilon tau)

    This is the default of ``gamma``, for N experts, K actions, T rounds and batches of tau rounds.
    """
    return _mixing(tuning, values, _spread(tuning, values))


def mixing_printed(tuning: Tuning, values: Values) -> float:
    """max((eta N)^(1/3) a^(2/3), 12 eta (N log(1/delta))^(1/2) a), a = K log(NT)/(epsilon tau)

    This is ``gamma`` as asi2025 prints it. Unlike `mixing` it lacks log(1/delta)^(1/3) in the first term.
    """
    return _mixing(tuning, values, tuning.experts)


def parameters(gamma: Formula) -> tuple[Parameter, ...]:
    """Return batched EXP4's parameters delta, tau, eta and gamma; ``gamma`` is the default of the last one."""
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


class Classes(NamedTuple):
    """Actions in classes and contexts in kinds, so that a batch is simulated by counts of losses for each class.

    Actions of a context are of one class if all experts advise them alike and their mean losses are equal. Contexts
    with the same classes are of one kind. Finer classes and kinds are allowed too.

    Attributes
    ----------
    actions : int
        Number K of actions.
    kind : ndarray of int64, shape (contexts,)
        The kind of each context.
    number : ndarray of int64, shape (kinds,)
        Number of classes of a kind. In the arrays below, columns beyond it are not used.
    size, mean : ndarray of float64, shape (kinds, classes)
        Number of actions in a class, and mean loss of each of these actions.
    advice : ndarray of float64, shape (kinds, classes, experts)
        Probability of each action of a class in an expert's advice.
    first : ndarray of float64, shape (kinds,)
        Mean loss of following the first expert in a context of the kind.
    """

    actions: int
    kind: NDArray[np.int64]
    number: NDArray[np.int64]
    size: NDArray[np.float64]
    mean: NDArray[np.float64]
    advice: NDArray[np.float64]
    first: NDArray[np.float64]


@inner
def _same(bandit: Bandit, context: int, action: int, other: int, its: int) -> bool:
    """Return whether all experts advise an action as one of another context, and the means are equal."""
    if bandit.means[context, action] != bandit.means[other, its]:
        return False
    for j in range(bandit.advice.shape[2]):
        if bandit.advice[context, action, j] != bandit.advice[other, its, j]:
            return False
    return True


@kernel
def single_actions(bandit: Bandit) -> Classes:
    """Return the partition of actions that merges nothing: each is a class alone, as each context is a kind.

    So no two contexts are treated alike. Runs need it if they record each action played, in ``played`` or by a
    recorder.
    """
    contexts, actions, _ = bandit.advice.shape
    first = bandit.followed.losses.means[:, 0].copy()
    number = np.full(contexts, actions)
    size = np.ones((contexts, actions))
    return Classes(actions, np.arange(contexts), number, size, bandit.means, bandit.advice, first)


@kernel
def fewest_classes(bandit: Bandit) -> Classes:
    """Return as few classes of actions and kinds of contexts as possible, in the order of their first members.

    Actions share a class if all experts advise them alike and their mean losses are equal. Contexts with the same
    classes share a kind.
    """
    contexts, actions, experts = bandit.advice.shape
    kind, where, number = np.empty(contexts, np.int64), np.empty(contexts, np.int64), np.zeros(contexts, np.int64)
    # An action of each class, and how many are like it.
    member, size = np.empty((contexts, actions), np.int64), np.zeros((contexts, actions))
    kinds = 0
    for context in range(contexts):
        where[kinds], number[kinds] = context, 0
        size[kinds] = 0.0
        for action in range(actions):
            i = 0
            while i < number[kinds] and not _same(bandit, context, action, context, member[kinds, i]):
                i += 1
            if i == number[kinds]:
                member[kinds, i] = action
                number[kinds] += 1
            size[kinds, i] += 1.0
        # The context's own row ends the search.
        found, differs = -1, True
        while differs:
            found += 1
            differs = number[found] != number[kinds]
            for i in range(number[kinds]):
                has = False
                for j in range(number[found]):
                    has = has or (
                        size[found, j] == size[kinds, i]
                        and _same(bandit, context, member[kinds, i], where[found], member[found, j])
                    )
                differs = differs or not has
        kind[context] = found
        kinds += found == kinds
    mean, advice = np.zeros((kinds, actions)), np.zeros((kinds, actions, experts))
    first = np.empty(kinds)
    for i in range(kinds):
        first[i] = bandit.followed.losses.means[where[i], 0]
        for j in range(number[i]):
            mean[i, j] = bandit.means[where[i], member[i, j]]
            advice[i, j] = bandit.advice[where[i], member[i, j]]
    return Classes(actions, kind, number[:kinds].copy(), size[:kinds].copy(), mean, advice, first)


@inner
def _mix(
    weights: Weights, total: float, classes: Classes, kind: int, gamma: float, q: NDArray[np.float64]
) -> float:
    """Fill in the probability of each action of a class; return a round's mean loss beyond the first expert's."""
    cost = 0.0
    for i in range(classes.number[kind]):
        mixed = mixture(weights, classes.advice, kind, i) / total
        q[i] = (1.0 - gamma) * mixed + gamma / classes.actions
        cost += classes.size[kind, i] * q[i] * (classes.mean[kind, i] - classes.first[kind])
    return cost


@inner
def _charge(classes: Classes, kind: int, i: int, lost: int, scale: float, estimate: NDArray[np.float64]) -> None:
    """Add a class's losses, ``lost`` in all, to the estimates of the experts that advise it, over ``scale``."""
    if lost > 0:
        weight = lost / scale
        for j in range(estimate.size):
            estimate[j] += weight * classes.advice[kind, i, j]


@inner
def _observe(
    state: State,
    recorder: Recorder | None,
    classes: Classes,
    kind: int,
    rounds: int,
    q: NDArray[np.float64],
    tau: int,
    estimate: NDArray[np.float64],
) -> None:
    """Play ``rounds`` of a kind with its actions' probabilities ``q``; add to the experts' estimates.

    Draw how often each class lost. With a recorder, draw how often each action is played, and read the losses.
    """
    left, rest = rounds, 1.0
    for i in range(classes.number[kind]):
        p = classes.size[kind, i] * q[i]
        if recorder is None:
            p *= classes.mean[kind, i]
        number = left
        if recorder is None or i < classes.number[kind] - 1:
            number = binomial(state, left, min(1.0, p / rest))
        left -= number
        rest = max(rest - p, SMALLEST)
        lost = number
        if recorder is not None:
            record_play(recorder, i, number)
            lost = int(read(recorder, i, number))
        _charge(classes, kind, i, lost, q[i] * tau, estimate)


@inner
def _observe_rounds(
    state: State,
    runs: Runs,
    classes: Classes,
    run: int,
    context: int,
    first: int,
    end: int,
    q: NDArray[np.float64],
    tau: int,
    estimate: NDArray[np.float64],
) -> None:
    """Do what `_observe` does round by round, from round ``first`` + 1 up to ``end``, and keep the actions."""
    for t in range(first, end, classes.kind.size):
        action = categorical(state, q, 1.0)
        keep(runs, run, action, t, 1)
        lost = binomial(state, 1, classes.mean[context, action])
        _charge(classes, context, action, lost, q[action] * tau, estimate)


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
    # Who looks at actions has to see each of them.
    seen = runs.recorder is not None or runs.played.shape[1] > 0
    classes = single_actions(bandit) if seen else fewest_classes(bandit)
    contexts, experts = classes.kind.size, classes.advice.shape[2]
    weights = make_weights(experts)
    estimate = np.empty(experts)
    expected_pulls = np.empty(experts)
    q = np.empty(classes.size.shape[1])
    rounds = np.zeros(classes.number.size, np.int64)
    cost = np.empty(classes.number.size)
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
                rounds[classes.kind[(clock.t + s) % contexts]] += (n - s - 1) // contexts + 1
            for s in range(touched):
                kind = classes.kind[(clock.t + s) % contexts]
                if rounds[kind] > 0:
                    cost[kind] = _mix(weights, total, classes, kind, gamma, q)
                    # What is learned from an unfinished last batch is never used.
                    if clock.t < runs.played.shape[1]:
                        first, end = clock.t + s, clock.t + n
                        _observe_rounds(state, runs, classes, run, kind, first, end, q, tau, estimate)
                    elif noise < math.inf or runs.recorder is not None:
                        _observe(state, runs.recorder, classes, kind, rounds[kind], q, tau, estimate)
                    rounds[kind] = 0
                along[s + 1] = along[s] + cost[kind]
            clock = _record_cycles(runs, run, along, touched, n, clock)
            for j in range(experts):
                expected_pulls[j] += (1.0 - gamma) * n * weights.value[j] / total
                if noise < math.inf:
                    weights.log[j] -= eta * release(state, runs.recorder, estimate[j], noise)
        for j in range(experts):
            runs.pulls[run, j] = round(expected_pulls[j])


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, delta: float, tau: int, eta: float, gamma: float
) -> None:
    """Simulate private batched EXP4, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    delta, tau
        Privacy's delta, in (0, 0.4], and number of rounds in a batch, from 1 to T.
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1]. With 0 nothing is learned,
        since noise is infinite.
    """
    _, actions, experts = bandit.advice.shape
    spread = math.sqrt(experts * log(1 / delta))
    noise = 3 * actions * spread / (gamma * tau * epsilon) if gamma > 0 else math.inf
    _simulate(runs, bandit, tau, eta, gamma, noise)
