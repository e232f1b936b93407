"""Local-DP EXP4: EXP4 on losses that are noised one by one; locally private.

Source: asi2025, Algorithm 6 and Theorem 9. Every observed loss gets Lap(1/epsilon), then EXP4 as in `exp4`, with
the constants of Theorem 9.

Privacy: local epsilon-DP. Neighbours differ in the losses of one round; every loss, of sensitivity 1, is noised
with Lap(1/epsilon) before use. Advice is public. Stated for epsilon <= 1.

Deviations: none.
"""

from __future__ import annotations

import functools
import math

from dpbandits.core.algorithm import Algorithm, Privacy
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.mathematics import log
from dpbandits.core.recording import Runs
from dpbandits.settings.adversarial import privacy
from dpbandits.settings.adversarial.conversion import budget
from dpbandits.settings.experts import exponential_weights
from dpbandits.settings.experts.problem import Bandit


# Defaults of parameters, as functions of the facts of a problem: each docstring is the formula, as users see it.
def learning_rate(tuning: Tuning, _: Values) -> float:
    """sqrt(log N/(3TK (1 + 10 log^2(KT)/epsilon^2)))

    This is the default of ``eta``, for N experts, K actions and T rounds.
    """
    size = tuning.horizon * tuning.arms
    spread = log(size) / budget(tuning)
    heavy = 1 + 10 * (spread * spread)
    return math.sqrt(log(tuning.experts) / (3 * size * heavy))


def mixing(tuning: Tuning, values: Values) -> float:
    """4 eta K log(KT)/epsilon

    This is the default of ``gamma``, for K actions and T rounds.
    """
    return float(4 * values["eta"] * tuning.arms * log(tuning.horizon * tuning.arms) / budget(tuning))


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, eta: float, gamma: float) -> None:
    """Simulate Local-DP EXP4, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1].
    """
    exponential_weights.simulate(runs, bandit, eta, gamma, 1 / epsilon)


ALGORITHM = Algorithm(
    title="Local-DP EXP4",
    source="asi2025, Algorithm 6, Theorem 9",
    decides="rounds",
    privacy=Privacy(
        definition="local",
        neighbours="the losses of one round replaced",
        mechanism="every loss, of sensitivity 1, with Lap(1/epsilon)",
        at_most=1,
        exact=functools.partial(privacy.worst, of_table=privacy.of_losses_and_advice),
    ),
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, mixing, "mixing weight of the uniform distribution", at_least=0, at_most=1),
    ),
    simulate=simulate,
)
