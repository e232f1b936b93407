"""The conversion of a bandit algorithm into a private one (asi2025, Algorithm 1): how it is tuned and run.

The private algorithm decides for batches of tau rounds. Its base, such as HTINF, sees each batch's mean loss plus
Laplace noise. A function whose docstring is a formula returns the default of a parameter.
"""

from __future__ import annotations

import math
from typing import Any

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm, Probe, Wrapping
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.recording import Runs
from dpbandits.settings.adversarial.problem import Bandit


def bases() -> dict[str, Algorithm]:
    """Return the algorithms that can be converted, by name, such as ``htinf``.

    They are those of the adversarial setting that take losses of any sign and size.
    """
    names = [name for name in registry.modules("algorithm") if registry.setting("algorithm", name) == "adversarial"]
    return {name: found for name in names if (found := registry.algorithm(name)).any_loss}


def batch_size(tuning: Tuning, _: Values) -> float:
    """1/epsilon, rounded up

    This is the default of ``tau``, the number of rounds in a batch.
    """
    inverse = 1 / budget(tuning)
    whole = round(inverse)
    # The double nearest to 1/n stands for 1/n, whose inverse may come out a little above n.
    return float(whole if 1 / whole == tuning.epsilon else math.ceil(inverse))


def budget(tuning: Tuning) -> float:
    """Return the privacy budget epsilon in ``tuning``, which a private algorithm always has."""
    assert tuning.epsilon is not None
    return tuning.epsilon


def tuned_for(tuning: Tuning, values: Values) -> Tuning:
    """Return the facts for which the base is tuned: n decisions, and losses with Laplace noise of scale lambda.

    They are ``tuning`` with n as its ``horizon`` and lambda as its ``noise``. ``values`` has the conversion's
    parameter ``tau``, the batch size. With the printed batch size, Corollaries 2, 22 and 24 put n = epsilon T and
    lambda = 1. With any other, Theorem 1 has n = T/tau and lambda = 1/(tau epsilon). n is at least 1.
    """
    tau, epsilon = values["tau"], budget(tuning)
    decisions, noise = tuning.horizon / tau, 1 / (tau * epsilon)
    if tau == batch_size(tuning, values):
        decisions, noise = epsilon * tuning.horizon, 1.0
    return tuning._replace(horizon=max(1.0, decisions), noise=noise)


WRAPPING = Wrapping(candidates=bases, default="htinf", tuning=tuned_for)
TAU = Parameter("tau", int, batch_size, "rounds in a batch", at_least=1, at_most_horizon=True)
# EXP3 and FTPL at a steep learning rate tell all that is released: see `release`.
STEEP = {"tau": 1, "eta": 1e3, "gamma": 0.0, "resampling": 50}
PROBES = (Probe(2, 2, STEEP), Probe(3, 2, STEEP), Probe(4, 3, {"tau": 2}), Probe(8, 2, {"tau": 1}))
MECHANISM = "batch means of sensitivity 1/tau, each with Lap(1/(tau epsilon)); parallel composition"


def simulate(runs: Runs, bandit: Bandit, base: str, epsilon: float, tau: int, **parameters: Any) -> None:
    """Simulate the conversion, a base on batches with noisy mean losses (Algorithm 1), and record it in ``runs``.

    Parameters
    ----------
    runs, bandit
        The runs that are filled, and the bandit, whose batch size and noise are replaced.
    base
        Name of the algorithm that is converted, such as ``htinf``: one of `bases`.
    epsilon
        Privacy budget, > 0.
    tau
        Number of rounds in a batch, >= 1.
    **parameters
        The base's own parameters, such as ``sigma`` of HTINF.
    """
    bases()[base].simulate(runs, bandit._replace(batch=tau, noise=1 / (tau * epsilon)), **parameters)
