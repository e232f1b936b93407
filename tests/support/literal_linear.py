"""Elimination on linear bandits round by round, with an adversary: what the tests compare simulations with.

The policies are those of `dpbandits.policies.linear`, written line by line from charisopoulos2022; they share with
simulations the action set's design, which the paper leaves open, and the default constants.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.policies import policy_class
from dpbandits.policies.linear.elimination import Elimination
from dpbandits.policies.linear.filter import leading_direction, spectral_filter

__all__ = ["bernoulli", "elimination", "exact_law", "gaussian", "leading_direction", "spectral_filter", "uniform"]
Floats = NDArray[np.float64]


def exact_law(points: Floats, threshold: float) -> dict[tuple[int, ...], float]:
    """Return the probability of every set of points that Algorithm 2 may leave, by following every removal."""

    @cache
    def law(left: tuple[int, ...]) -> dict[tuple[int, ...], float]:
        mean, value, axis = leading_direction(points[list(left)])
        scores = ((points[list(left)] - mean) @ axis) ** 2
        if value < 4.0 * threshold or not scores.sum() > 0.0:
            return {left: 1.0}
        found: dict[tuple[int, ...], float] = {}
        for i, score in enumerate(scores / scores.sum()):
            if score > 0.0:
                for rest, chance in law(left[:i] + left[i + 1 :]).items():
                    found[rest] = found.get(rest, 0.0) + score * chance
        return found

    return law(tuple(range(len(points))))


Draw = Callable[[np.random.Generator, float], float]


def bernoulli(random: np.random.Generator, mean: float) -> float:
    """Return 1 or -1."""
    return 1.0 if random.random() < (1.0 + mean) / 2.0 else -1.0


def gaussian(sigma: float) -> Draw:
    """Return the law of normal noise."""
    return lambda random, mean: random.normal(mean, sigma)


def uniform(width: float) -> Draw:
    """Return the law of uniform noise."""
    return lambda random, mean: random.uniform(mean - width, mean + width)


def attacked(kind: type[Elimination], attack: Callable[[int, float], float], alpha: float) -> type[Elimination]:
    """Return a policy whose clients' reports are replaced, each with probability ``alpha``."""

    class Attacked(kind):
        def report(self, arm: int, total: float, number: int) -> float:
            x = super().report(arm, total, number)
            return attack(arm, x) if self.rng.random() < alpha else x

    return Attacked


def elimination(
    name: str,
    random: np.random.Generator,
    actions: Floats,
    theta: Floats,
    draw: Draw,
    T: int,
    attack: Callable[[int, float], float],
    probability: float,
    of_reports: bool,
    **parameters: Any,
) -> NDArray[np.int64]:
    """Return the action of each round, shape (T,).

    ``attack(a, x)`` is put in place of an observation x of action a with ``probability``: of a report, or of a
    reward before its client clips it.
    """
    kind = policy_class(name)
    kind = attacked(kind, attack, probability) if of_reports else kind
    policy = kind(len(actions), random, actions=actions, horizon=T, **parameters)
    # The environment's rewards may leave the range for which a printed claim holds.
    policy.low, policy.high = -np.inf, np.inf
    played = np.empty(T, np.int64)
    for t in range(T):
        a = played[t] = policy.choose()
        x = draw(random, float(actions[a] @ theta))
        if not of_reports and random.random() < probability:
            x = attack(a, x)
        policy.update(a, x)
    return played
