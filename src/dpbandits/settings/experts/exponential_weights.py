"""Exponential weights over experts, round by round: the decisions of EXP4 (asi2025, Algorithm 6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.recorder import Recorder, read, record_play, release
from dpbandits.core.recording import START, Runs, keep, record
from dpbandits.core.streams import State, integer_below, uniform
from dpbandits.settings.adversarial.problem import advised, reported
from dpbandits.settings.experts.problem import Bandit
from dpbandits.settings.experts.weights import HIGH, LOW, Weights, draw, make_weights, mixture, weigh, weigh_anew


@inner
def _loss(recorder: Recorder | None, state: State, action: int, mean: float) -> float:
    """Return the loss of an action in a round: Bernoulli with this mean."""
    if recorder is not None:
        return read(recorder, action, 1)
    return 1.0 if uniform(state) <= mean else 0.0


@inner
def _learn(
    weights: Weights, advice: NDArray[np.float64], context: int, action: int, step: float, origin: float
) -> tuple[float, float]:
    """Take ``step`` times the experts' probabilities of an action off their weights' logarithms; weigh."""
    for j in range(weights.log.size):
        weights.log[j] -= step * advice[context, action, j]
    total = weigh(weights, origin)
    if not LOW < total < HIGH:
        return weigh_anew(weights)
    return origin, total


@kernel
def simulate(runs: Runs, bandit: Bandit, eta: float, gamma: float, noise: float) -> None:
    """Simulate EXP4, and record pulls and regret in ``runs``.

    In each round an action is drawn uniformly with probability ``gamma``, and else from an expert's advice. The
    expert is drawn by the weights.

    Parameters
    ----------
    runs, bandit
        The runs that are filled; the losses and the advice.
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, from 0 to 1.
    noise
        Scale of the Laplace noise on every observed loss; 0 for none. With noise, runs keep the number that
        `reported` makes of an action and its noisy loss, in place of the action.
    """
    contexts, actions, experts = bandit.advice.shape
    expert_means = bandit.followed.losses.means
    weights = make_weights(experts)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        weights.log[:] = 0.0
        origin, total = weigh_anew(weights)
        context, clock = 0, START
        while clock.t < runs.horizon:
            if gamma > 0.0 and uniform(state) <= gamma:
                action = integer_below(state, actions)
                mean = bandit.means[context, action]
            else:
                expert = draw(state, weights, total)
                action = advised(state, bandit.advice, context, expert)
                mean = expert_means[context, expert]
                runs.pulls[run, expert] += 1
            record_play(runs.recorder, action, 1)
            loss = _loss(runs.recorder, state, action, bandit.means[context, action])
            if noise > 0.0:
                loss = release(state, runs.recorder, loss, noise)
            if loss != 0.0:
                mixed = mixture(weights, bandit.advice, context, action)
                q = (1.0 - gamma) * mixed / total + gamma / actions
                origin, total = _learn(weights, bandit.advice, context, action, eta * loss / q, origin)
            keep(runs, run, reported(action, loss, actions) if noise > 0.0 else action, clock.t, 1)
            clock = record(runs, run, mean - expert_means[context, 0], 1, clock)
            context = context + 1 if context + 1 < contexts else 0
