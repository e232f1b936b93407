"""The Agarwal–Singh bandit: exponential weights on losses that are noised one by one; locally private.

Source: Agarwal & Singh 2017, as far as other papers report it. With C = 1 + 2 log(KT)/epsilon^2: learning rate
eta = sqrt(log K/(2KTC)), mixing gamma = eta K sqrt(C); every loss gets Lap(1/epsilon), then importance weighting.

Privacy: local epsilon-DP. Neighbours differ in the losses of one round; every loss, of sensitivity 1, is noised
with Lap(1/epsilon) before use.

Deviations: the constants are from secondary sources, hence parameters.
"""

from __future__ import annotations

import math

from dpbandits.core.algorithm import Algorithm, Privacy
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.lanes import LANES
from dpbandits.core.mathematics import log
from dpbandits.core.recording import Runs
from dpbandits.settings.adversarial import exponential_weights, privacy
from dpbandits.settings.adversarial.problem import Bandit


def _second_moment(tuning: Tuning) -> float:
    """Return C, which bounds the second moment of a noised loss up to a logarithm."""
    assert tuning.epsilon is not None
    return 1 + 2 * log(tuning.arms * tuning.horizon) / (tuning.epsilon * tuning.epsilon)


# Defaults of parameters, as functions of the facts of a problem: each docstring is the formula, as users see it.
def learning_rate(tuning: Tuning, _: Values) -> float:
    """sqrt(log K/(2KTC)), C = 1 + 2 log(KT)/epsilon^2

    This is the default of ``eta``, for K arms and T rounds.
    """
    return math.sqrt(log(tuning.arms) / (2 * tuning.arms * tuning.horizon * _second_moment(tuning)))


def mixing(tuning: Tuning, values: Values) -> float:
    """eta K sqrt(C)

    This is the default of ``gamma``, for K arms; C is 1 + 2 log(KT)/epsilon^2.
    """
    return float(values["eta"] * tuning.arms * math.sqrt(_second_moment(tuning)))


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, eta: float, gamma: float) -> None:
    """Simulate the Agarwal–Singh bandit, and record it in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1].
    """
    exponential_weights.simulate(runs, bandit._replace(noise=1 / epsilon, local=True), eta, gamma)


ALGORITHM = Algorithm(
    title="Agarwal–Singh",
    source="Agarwal & Singh 2017, from secondary sources",
    decides="rounds",
    privacy=Privacy(
        definition="local",
        neighbours="the losses of one round replaced",
        mechanism="every loss, of sensitivity 1, with Lap(1/epsilon)",
        exact=privacy.worst,
    ),
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, mixing, "mixing weight of the uniform distribution", at_least=0, at_most=1),
    ),
    simulate=simulate,
    deviations="constants from secondary sources",
    lanes=LANES,
)
