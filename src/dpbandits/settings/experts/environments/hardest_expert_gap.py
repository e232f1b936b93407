"""One good expert, with the gap that is hardest for the given T, K, N and epsilon.

A gap is hardest where it can just not be detected. That is near an algorithm's regret bound divided by T, with no
logarithm but log N:

- without privacy: sqrt(K log N/T);
- the conversion (Corollary 8): sqrt(N/(epsilon T));
- local privacy (Theorem 9): sqrt(K log N/T)/epsilon;
- batches (Theorem 10): N^(1/6) K^(1/2)/(epsilon T)^(1/3).

The gap is this times ``scale``, and at most the level. Without a budget epsilon is 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dpbandits.core.environment import Environment
from dpbandits.core.fields import Parameters, Tuning, choice, complete, number
from dpbandits.core.mathematics import cbrt, log
from dpbandits.settings.experts.environments import one_good_expert
from dpbandits.settings.experts.problem import Bandit

# The gap as a function of T, K, N and epsilon.
MODELS: dict[str, Callable[[float, int, int, float], float]] = {
    "none": lambda t, k, n, _: math.sqrt(k * log(n) / t),
    "conversion": lambda t, _, n, epsilon: math.sqrt(n / (epsilon * t)),
    "local": lambda t, k, n, epsilon: math.sqrt(k * log(n) / t) / epsilon,
    "batched": lambda t, k, n, epsilon: math.sqrt(k) * cbrt(math.sqrt(n) / (epsilon * t)),
}


def check(given: Parameters) -> Parameters:
    """Return all parameters, checked and with defaults filled in, or raise `BadInput`.

    ``experts`` and ``actions`` are N and K, and ``advice`` is ``dense`` or ``near-deterministic`` for all but the
    good expert. ``nu`` is the probability that this one, or near-deterministic advice, leaves to other actions.
    ``level`` is the mean loss of all but the best action. Losses and advice are drawn from ``seed``, and repeat
    after ``period`` rounds. ``model`` is ``none``, ``conversion``, ``local`` or ``batched``; ``scale`` is a factor
    of the gap.
    """
    given = complete(given, *one_good_expert.NEEDED, **one_good_expert.DEFAULTS, model="conversion", scale=1.0)
    return {
        **one_good_expert.check_advice(given),
        "model": choice(given, "model", MODELS),
        "scale": number(given, "scale", 0, 1e6),
    }


def hardest_gap(parameters: Parameters, tuning: Tuning) -> float:
    """Return the gap that an algorithm can just not detect with T and epsilon of ``tuning``, at most ``level``.

    It is about the algorithm's regret bound divided by T, times ``scale``. ``model`` names the kind of algorithm.
    Without a budget epsilon is 1.
    """
    epsilon = 1.0 if tuning.epsilon is None else tuning.epsilon
    gap = MODELS[parameters["model"]](tuning.horizon, parameters["actions"], parameters["experts"], epsilon)
    return float(min(parameters["level"], parameters["scale"] * gap))


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit with the gap of `hardest_gap`, as arrays for compiled code."""
    gap = hardest_gap(parameters, tuning)
    return one_good_expert.problem({**parameters, "gap": gap}, tuning)


ENVIRONMENT = Environment(
    title="one good expert with the hardest gap",
    parameters={
        **one_good_expert.WORDS,
        "model": "for which kind of algorithm: " + ", ".join(MODELS) + " (conversion)",
        "scale": "factor of the gap (1)",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["actions"],
    experts=lambda parameters: parameters["experts"],
    instance="seed",
)
