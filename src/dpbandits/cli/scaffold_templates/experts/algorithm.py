"""Newcomer: TODO what it decides by, in a sentence.

Source: TODO paper, algorithm, equations. As `dpbandits new` writes it: exponential weights over the experts as
arms, on losses that are noised one by one, with mixing.

Privacy: epsilon-DP. Neighbours differ in the losses of one round; the loss of who is followed, of sensitivity 1, is
released once with Lap(1/epsilon). Advice is public.

Deviations: none.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from dpbandits.settings.experts.authoring import (
    START,
    Algorithm,
    Bandit,
    Followed,
    Parameter,
    Privacy,
    Runs,
    Tuning,
    Values,
    categorical,
    exp,
    integer_below,
    kernel,
    log,
    of_losses_and_advice,
    play,
    uniform,
    worst,
)


@kernel
def _simulate(runs: Runs, followed: Followed, eta: float, gamma: float) -> None:
    experts = runs.pulls.shape[1]
    estimate, weight = np.empty(experts), np.empty(experts)
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        estimate[:] = 0.0
        clock = START
        while clock.t < runs.horizon:
            lowest, total = estimate.min(), 0.0
            for j in range(experts):
                weight[j] = exp(-eta * (estimate[j] - lowest))
                total += weight[j]
            expert = integer_below(state, experts) if uniform(state) <= gamma else categorical(state, weight, total)
            p = (1.0 - gamma) * weight[expert] / total + gamma / experts
            # Follows an expert for a round; the recorder releases the loss, with the bandit's noise.
            clock, loss = play(state, runs, followed, run, expert, clock)
            estimate[expert] += loss / p


def learning_rate(tuning: Tuning, _: Values) -> float:
    """epsilon sqrt(log N/(N T))"""
    return (tuning.epsilon or 1.0) * math.sqrt(log(tuning.experts) / (tuning.experts * tuning.horizon))


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, eta: float, gamma: float) -> None:
    """Fill ``runs`` with those of Newcomer."""
    _simulate(runs, bandit.followed._replace(noise=1.0 / epsilon), eta, gamma)


ALGORITHM = Algorithm(
    title="Newcomer",
    source="TODO paper, algorithm, equations",
    decides="rounds",
    privacy=Privacy(
        definition="pure",
        neighbours="the losses of one round replaced",
        mechanism="every loss, of sensitivity 1, released once with Lap(1/epsilon)",
        exact=functools.partial(worst, of_table=of_losses_and_advice),
    ),
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, 0.05, "mixing weight of the uniform distribution", above=0, at_most=1),
    ),
    simulate=simulate,
)
