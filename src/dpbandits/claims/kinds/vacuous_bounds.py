"""Whether three bounds for bandits with experts (asi2025, Theorem 10) exceed T where the text says so."""

from __future__ import annotations

import itertools
import math

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Outcome, finding
from dpbandits.claims.estimate import exact
from dpbandits.core.fields import Options, Tuning
from dpbandits.core.numbers import number
from dpbandits.settings.experts.theory import POWERS

HORIZONS = tuple(10**power for power in range(2, 15, 2))
ARMS = (2, 4, 16, 256)
# N in multiples of T, and the budget in multiples of 1/sqrt(T).
EXPERTS = (1, 2, 10, 1000)
BUDGETS = (1.0, 0.3, 0.01)
LIMITS = 1.0 - 1e-9, math.inf


def evaluate(_: Evidence) -> Outcome:
    """Take the point at which the smallest bound is smallest, in multiples of T, as the only part."""
    points = []
    for horizon, arms, more, part in itertools.product(HORIZONS, ARMS, EXPERTS, BUDGETS):
        epsilon, experts = part / horizon**0.5, more * horizon
        tuning = Tuning(horizon, arms, epsilon, experts)
        place = f"N = {number(experts)}, K = {arms}, T = {number(horizon)}, ε = {number(epsilon)}"
        points.append((min(bound(tuning) for bound in POWERS.values()) / horizon, place))
    smallest, place = min(points, key=lambda point: point[0])
    return Outcome([finding(place, exact(smallest), *LIMITS)])


def words(_: Options) -> str:
    """Return the test in words, with the marks of `dpbandits.claims.sentences.filled`."""
    return "{inside} over N from T to 1000 T, ε from 0.01/√T to 1/√T, K to 256 and T to 10^14, constants left out"


def fails_if(_: Options) -> str:
    """Return what would fail the test, in words."""
    return "one point of the regime where a bound is below T"


TEST = ClaimTest(
    title="All bounds of bandits with experts above T",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda _: [Asked(*LIMITS)],
    part="grid",
    reads="computed",
)
