"""RNM-FTNL round by round, on loss vectors that are drawn: what the tests compare simulations with.

The policies are those of `dpbandits.policies.full_information`, written from wu2025, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.policies import algorithms

Rng = np.random.Generator
# A law of losses: values and their probabilities.
Law = tuple[Sequence[float], Sequence[float]]


def draw(values: Sequence[float], probabilities: Sequence[float], rng: Rng) -> float:
    """Return one of some values, each with its probability."""
    left = rng.random()
    for value, p in zip(values, probabilities, strict=True):
        left -= p
        if left < 0:
            return value
    return values[-1]


def rnm_ftnl(laws: Sequence[Law], horizon: int, rng: Rng, noise: str, epsilon: float, B: int) -> list[int]:
    """Return the actions played in rounds 1 to ``horizon``."""
    name = f"rnm-ftnl-{noise.replace('_', '-')}"
    values = registry.algorithm(name).resolve({"resampling": B}, Tuning(horizon, len(laws), epsilon)).values
    policy = algorithms()[name](len(laws), rng, epsilon=epsilon, **values)
    played = []
    for _ in range(horizon):
        played.append(policy.choose())
        policy.update(played[-1], [draw(values, probabilities, rng) for values, probabilities in laws])
    return played
