"""DP-EXP3-Lap: EXP3 on gains that are noised one by one; locally private.

Source: Tossou & Dimitrakakis 2017, as far as other papers report it. The gain is x = 1 - loss, and its noisy value
is x' = x + Lap(1/epsilon). A round is ignored unless x' lies in [-b, b + 1]. Otherwise x' is rescaled to
x'' = (x' + b)/(2b + 1) in [0, 1], and w_i <- w_i exp(gamma x''/(K p_i)), with mixing gamma.

Privacy: local epsilon-DP. Neighbours differ in the losses of one round; every gain, of sensitivity 1, is noised
with Lap(1/epsilon) before use.

Deviations: b = log(T)/epsilon is from memory of the source, hence a parameter.
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


# Defaults of parameters, as functions of the facts of a problem: each docstring is the formula, as users see it.
def mixing(tuning: Tuning, _: Values) -> float:
    """sqrt(K log K/((e - 1) T))

    This is the default of ``gamma``, for K arms and T rounds.
    """
    return math.sqrt(tuning.arms * log(tuning.arms) / ((math.e - 1) * tuning.horizon))


def width(tuning: Tuning, _: Values) -> float:
    """log(T)/epsilon

    This is the default of ``b``, the bound of noisy gains, for T rounds.
    """
    assert tuning.epsilon is not None
    return log(tuning.horizon) / tuning.epsilon


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, gamma: float, b: float) -> None:
    """Simulate DP-EXP3-Lap, and record it in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    gamma
        Mixing weight, in [0, 1], to which the learning rate is proportional.
    b
        Bound b >= 0 of noisy gains: rounds with one outside [-b, b + 1] are ignored.
    """
    # The last two arguments are ``most`` and ``shift``. Noisy losses l = 1 - x' in [1 - most, most] are used. This
    # is [-b, b + 1], and x' is in it too. ``shift`` is subtracted from them: l - (b + 1) = -(x' + b).
    arms = runs.pulls.shape[1]
    eta = gamma / ((2 * b + 1) * arms)
    exponential_weights.simulate(runs, bandit._replace(noise=1 / epsilon, local=True), eta, gamma, b + 1, b + 1)


ALGORITHM = Algorithm(
    title="DP-EXP3-Lap",
    source="Tossou & Dimitrakakis 2017, from secondary sources",
    decides="rounds",
    privacy=Privacy(
        definition="local",
        neighbours="the losses of one round replaced",
        mechanism="every gain, of sensitivity 1, with Lap(1/epsilon)",
        exact=privacy.worst,
    ),
    parameters=(
        Parameter("gamma", float, mixing, "mixing weight and learning rate", at_least=0, at_most=1),
        Parameter("b", float, width, "gains are used from -b to b + 1", at_least=0),
    ),
    simulate=simulate,
    deviations="b = log(T)/epsilon is from memory of the source",
    lanes=LANES,
)
