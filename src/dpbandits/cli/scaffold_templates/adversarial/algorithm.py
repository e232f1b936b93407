"""Newcomer: TODO what it decides by, in a sentence.

Source: TODO paper, algorithm, equations. As `dpbandits new` writes it: exponential weights on losses that are
noised one by one, with mixing. (A policy for losses of any sign, with ``any_loss=True`` and without privacy, gets
its private conversion for nothing: ``dpbandits simulate conversion --param base=newcomer``.)

Privacy: local epsilon-DP. Neighbours differ in the losses of one round; every loss, of sensitivity 1, is noised
with Lap(1/epsilon) before use.

Deviations: none.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.settings.adversarial.authoring import (
    START,
    Algorithm,
    Bandit,
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
    play,
    uniform,
    worst,
)


@kernel
def _simulate(runs: Runs, bandit: Bandit, eta: float, gamma: float) -> None:
    arms = runs.pulls.shape[1]
    estimate, weight = np.empty(arms), np.empty(arms)
    for run in range(runs.streams.shape[0]):
        # All that is random comes from the run's own stream, and nothing is left from the run before.
        state = runs.streams[run]
        estimate[:] = 0.0
        clock = START
        while clock.t < runs.horizon:
            lowest, total = estimate.min(), 0.0
            for k in range(arms):
                weight[k] = exp(-eta * (estimate[k] - lowest))
                total += weight[k]
            arm = integer_below(state, arms) if uniform(state) <= gamma else categorical(state, weight, total)
            p = (1.0 - gamma) * weight[arm] / total + gamma / arms
            # Plays a round; the recorder releases the loss, with the bandit's noise.
            clock, loss = play(state, runs, bandit, run, arm, clock)
            estimate[arm] += loss / p


def learning_rate(tuning: Tuning, _: Values) -> float:
    """epsilon sqrt(log K/(K T))"""
    return (tuning.epsilon or 1.0) * math.sqrt(log(tuning.arms) / (tuning.arms * tuning.horizon))


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, eta: float, gamma: float) -> None:
    """Fill ``runs`` with those of Newcomer."""
    _simulate(runs, bandit._replace(noise=1.0 / epsilon, local=True), eta, gamma)


ALGORITHM = Algorithm(
    title="Newcomer",
    source="TODO paper, algorithm, equations",
    decides="rounds",
    privacy=Privacy(
        definition="local",
        neighbours="the losses of one round replaced",
        mechanism="every loss, of sensitivity 1, with Lap(1/epsilon)",
        exact=worst,
    ),
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, 0.05, "mixing weight of the uniform distribution", above=0, at_most=1),
    ),
    simulate=simulate,
)
