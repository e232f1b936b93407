"""Bernoulli losses with the gap that is hardest for the given K, T and epsilon.

A gap is hardest where it can just not be detected: sqrt(K/T) without privacy, sqrt(K/(epsilon T)) under central
privacy with asi2025's conversion, sqrt(K/T)/epsilon under local privacy, times ``scale`` and at most 1/2. Without a
budget epsilon is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dpbandits.core.environment import Environment
from dpbandits.core.fields import Parameters, Tuning, choice, complete, integer, number
from dpbandits.settings.adversarial.environments import bernoulli_gap
from dpbandits.settings.adversarial.problem import Bandit

# Divisor of the gap as a function of epsilon, by the model of privacy.
MODELS: dict[str, Callable[[float], float]] = {"central": math.sqrt, "local": float}


def check(given: Parameters) -> Parameters:
    """Return the parameters ``arms``, ``model`` and ``scale``, checked, or raise `BadInput`."""
    given = complete(given, "arms", model="central", scale=1.0)
    return {
        "arms": integer(given, "arms", 2, bernoulli_gap.LARGEST),
        "model": choice(given, "model", MODELS),
        "scale": number(given, "scale", 0, 1e6),
    }


def hardest_gap(parameters: Parameters, tuning: Tuning) -> float:
    """Return the gap that can just not be detected with T and epsilon of ``tuning``, times ``scale``, at most 1/2.

    For K arms it is sqrt(K/(epsilon T)) under the central model of privacy, and sqrt(K/T)/epsilon under the local
    one. Without a budget epsilon is 1.
    """
    epsilon = 1.0 if tuning.epsilon is None else tuning.epsilon
    scale: float = parameters["scale"] / MODELS[parameters["model"]](epsilon)
    return min(0.5, scale * math.sqrt(parameters["arms"] / tuning.horizon))


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit with the hardest gap and level 1/2, as arrays for compiled code."""
    gap = hardest_gap(parameters, tuning)
    return bernoulli_gap.problem({"arms": parameters["arms"], "gap": gap, "level": 0.5}, tuning)


ENVIRONMENT = Environment(
    title="Bernoulli losses with the hardest gap",
    parameters={
        "arms": "K >= 2",
        "model": "central: gap sqrt(K/(epsilon T)); local: sqrt(K/T)/epsilon (central)",
        "scale": "factor of the gap (1)",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["arms"],
)
