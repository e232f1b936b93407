"""EXP3 with mixing: exponential weights on importance-weighted losses, without privacy.

Source: asi2025, Algorithm 3, for losses of either sign. P_t = (1 - gamma) w_t/sum w_t + gamma/K; the pulled arm's
loss is divided by its probability; w <- w exp(-eta estimate). The tuned constants are those of Corollary 22, and of
its proof for losses with Laplace noise of another scale lambda over n decisions; without noise they need no mixing.

Privacy: none by itself; `conversion` makes it private.

Deviations: none.
"""

from __future__ import annotations

import math

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.lanes import LANES
from dpbandits.core.mathematics import log
from dpbandits.core.recording import Runs
from dpbandits.settings.adversarial import exponential_weights
from dpbandits.settings.adversarial.problem import Bandit


# Defaults of parameters, as functions of the facts of a problem: each docstring is the formula, as users see it.
def learning_rate(tuning: Tuning, _: Values) -> float:
    """sqrt(log K/(2 nK (1 + 10 max(lambda, lambda^2) log^2(nK)))); for lambda = 1 sqrt(log K/(22 nK log^2(nK)))

    This is the default of ``eta``, for n decisions among K arms on losses with Laplace noise of scale lambda.
    """
    if tuning.arms == 1:
        return 0.0
    size = tuning.horizon * tuning.arms
    square = log(size) * log(size)
    # Corollary 22 has 22 log^2 for the 2 (1 + 10 log^2) of its proof.
    scale = (
        22 * square if tuning.noise == 1 else 2 * (1 + 10 * max(tuning.noise, tuning.noise * tuning.noise) * square)
    )
    return math.sqrt(log(tuning.arms) / (size * scale))


def mixing(tuning: Tuning, values: Values) -> float:
    """4 eta lambda K log(nK)

    This is the default of ``gamma``, for n decisions among K arms on losses with Laplace noise of scale lambda.
    """
    return float(4 * values["eta"] * tuning.noise * tuning.arms * log(tuning.horizon * tuning.arms))


def simulate(runs: Runs, bandit: Bandit, *, eta: float, gamma: float) -> None:
    """Simulate EXP3 with mixing, and record it in ``runs``.

    Parameters
    ----------
    eta, gamma
        Learning rate, >= 0, and mixing weight of the uniform distribution, in [0, 1].
    """
    exponential_weights.simulate(runs, bandit, eta, gamma)


ALGORITHM = Algorithm(
    title="EXP3",
    source="asi2025, Algorithm 3, Corollary 22",
    decides="rounds",
    privacy=None,
    parameters=(
        Parameter("eta", float, learning_rate, "learning rate", at_least=0),
        Parameter("gamma", float, mixing, "mixing weight of the uniform distribution", at_least=0, at_most=1),
    ),
    simulate=simulate,
    any_loss=True,
    lanes=LANES,
)
