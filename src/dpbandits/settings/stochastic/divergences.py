"""The Bernoulli divergence kl, azize2025's d_eps, and their inverses, in closed form where there is one.

Conventions: 0 log 0 = 0; a divergence is infinite where a limit is. Every function is exact at 0 and 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from dpbandits.core.compiled import kernel
from dpbandits.core.mathematics import exp, expm1, log, log1p


@kernel
def _deviance_nearby(x: float, y: float) -> float:
    """Return x log(x/y) + y - x for x within a thousandth of y, where the plain formula cancels."""
    difference = x - y
    v = difference / (x + y)
    square = v * v
    return difference * v + 2.0 * x * v * square * (1 / 3 + square * (1 / 5 + square / 7))


@kernel
def kl(p: float, q: float) -> float:
    """Return Bernoulli's divergence kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)), p, q in [0, 1], or inf."""
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return math.inf
    if abs(p - q) < 1e-3 * min(p + q, 2.0 - p - q):
        # n kl(p, q) decides between near-equal arms with n up to 1e15: relative accuracy matters.
        return _deviance_nearby(p, q) + _deviance_nearby(1.0 - p, 1.0 - q)
    success = p * log(p / q) if p > 0.0 else 0.0
    failure = (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else 0.0
    return max(0.0, success + failure)


@kernel
def kl_upper(p: float, level: float) -> float:
    """Return max{q in [0, 1] : kl(p, q) <= level}, p in [0, 1], level >= 0.

    Newton's method starts above the root: both start values are upper bounds, and kl(p, .) is convex there. So the
    iterates descend. The method ends when they no longer do, at the root to a few units in the last place.
    """
    if p >= 1.0:
        return 1.0
    if level <= 0.0:
        return p
    if p <= 0.0:
        return -expm1(-level)
    entropy = -p * log(p) - (1.0 - p) * log(1.0 - p)
    # 1 - q is the variable near q = 1, where q itself loses all its digits.
    q = min(p + math.sqrt(0.5 * level), -expm1(-(level + entropy) / (1.0 - p)))
    for _ in range(50):
        if q >= 1.0:
            return 1.0
        step = (kl(p, q) - level) * q * (1.0 - q) / (q - p)
        if not step > 1e-15 * q:
            break
        q -= step
    return max(q, p)


class Budget(NamedTuple):
    """A privacy budget with the two exponentials that every divergence needs.

    Attributes
    ----------
    epsilon
        Privacy budget, 0 < epsilon < inf.
    shrink
        e^-epsilon.
    spread
        1 - e^-epsilon.
    """

    epsilon: float
    shrink: float
    spread: float


@kernel
def budget(epsilon: float) -> Budget:
    """Return the privacy budget ``epsilon`` with the exponentials that `d_eps` needs."""
    return Budget(epsilon, exp(-epsilon), -expm1(-epsilon))


@kernel
def d_eps(x: float, y: float, budget: Budget) -> float:
    """Return d_eps(x, y), azize2025's divergence that takes the place of kl under privacy (eqs. 6, 30-32).

    For x <= y in [0, 1] it is the smallest kl(z, y) + epsilon (z - x) over z in [x, y], which is that of
    z = max(x, y/(y + (1-y) e^epsilon)). With that z the second branch of eq. 8 collapses to
    -log(1 - y (1 - e^-epsilon)) - epsilon x, which needs one logarithm and no special cases.
    The case x > y is the mirror image d_eps(1-x, 1-y).
    """
    if x == y:
        return 0.0
    if x > y:
        x, y = 1.0 - x, 1.0 - y
    if y >= 1.0:
        return budget.epsilon * (1.0 - x)
    weight = y * budget.shrink
    if x * (1.0 - y + weight) >= weight:
        return kl(x, y)
    # 1 - y (1 - e^-epsilon), with all its digits where it is small too.
    log_rest = log1p(-y * budget.spread) if y < 0.5 else log(1.0 - y + weight)
    return max(0.0, -log_rest - budget.epsilon * x)


@kernel
def d_eps_upper(x: float, level: float, budget: Budget) -> float:
    """Return max{y in [0, 1] : d_eps(x, y) <= level}, x in [0, 1], level >= 0 (azize2025, eq. 12).

    The linear branch of d_eps is inverted in closed form; where its result does not lie on that branch,
    d_eps is kl there.
    """
    gap = budget.epsilon * (1.0 - x) - level
    if gap <= 0.0:
        # d_eps(x, 1) = epsilon (1 - x).
        return 1.0
    y = min(1.0, -expm1(-(budget.epsilon * x + level)) / budget.spread)
    # On the linear branch x (1 - y + y e^-epsilon) <= y e^-epsilon; divided by e^-epsilon nothing underflows.
    if x * (expm1(min(gap, 700.0)) / budget.spread + y) <= y:
        return max(x, y)
    return kl_upper(x, level)


@kernel
def kl_upper_surprise(p: float, level: float) -> float:
    """Return -log(1 - q), q = kl_upper(p, level); infinite if p is 1. It tells apart arms whose q rounds to 1."""
    if p >= 1.0:
        return math.inf
    q = kl_upper(p, level)
    if q < 0.999:
        return -log1p(-q)
    # kl = p log p + (1-p) log(1-p) - p log(1 - e^-v) + (1-p) v is convex in v: Newton from above.
    entropy = (-p * log(p) if p > 0.0 else 0.0) - (1.0 - p) * log1p(-p)
    v = (level + entropy) / (1.0 - p)
    for _ in range(50):
        tail = exp(-v)
        step = ((1.0 - p) * v - p * log1p(-tail) - entropy - level) * (1.0 - tail) / (1.0 - tail - p)
        if not step > 1e-15 * v:
            break
        v -= step
    return v
