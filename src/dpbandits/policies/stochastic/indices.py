"""Divergences and indices of stochastic bandits, by their definitions; indices by bisection.

Plain functions of numbers: tests compile them as they are.
"""

from __future__ import annotations

import math

# An interval that was halved this many times has no double inside any more.
HALVINGS = 80


def kl(p: float, q: float) -> float:
    """Return the Kullback-Leibler divergence of Bernoulli laws with means p and q, by its definition (0 log 0 = 0).

    It is infinite if q is 0 or 1 and p is not q.
    """
    if p == q:
        return 0.0
    if q == 0.0 or q == 1.0:
        return math.inf
    value = 0.0
    if p > 0.0:
        value += p * math.log(p / q)
    if p < 1.0:
        value += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return value


def d_eps(x: float, y: float, epsilon: float) -> float:
    """Return d_eps(x, y), the divergence of means under epsilon-DP: the least of kl(z, y) + epsilon |x - z| over z.

    The minimum is written out, as in azize2025, eqs. 31 and 32; a test compares it with its definition, eq. 6.
    """
    # The best z is x, or its odds are those of y times e^-epsilon or e^epsilon. The first power alone never
    # overflows.
    shrunk = math.exp(-epsilon)
    if x <= y:
        z = max(x, y * shrunk / (y * shrunk + (1.0 - y))) if y < 1.0 else 1.0
        return kl(z, y) + epsilon * (z - x)
    z = min(y / (y + (1.0 - y) * shrunk), x) if y > 0.0 else 0.0
    return kl(z, y) + epsilon * (x - z)


def d_eps_index(x: float, bound: float, epsilon: float) -> float:
    """Return max{y in [0, 1] : d_eps(x, y) <= bound} (azize2025, eq. 12), by bisection of [x, 1]."""
    if d_eps(x, 1.0, epsilon) <= bound:
        return 1.0
    low, high = x, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if d_eps(x, middle, epsilon) <= bound:
            low = middle
        else:
            high = middle
    return low


def kl_index(p: float, bound: float) -> float:
    """Return v = -log(1 - q) of the index q = max{q in [0, 1] : kl(p, q) <= bound}.

    v grows with q, so it ranks arms as q does. Indices q next to 1 would all round to 1; v tells them apart. It is
    infinite if p is 1.
    """
    if p == 1.0:
        return math.inf
    # v is at least that of q = p. It is doubled until kl is above the bound, and then halved in between.
    least = -math.log1p(-p)
    low, high, beyond = least, 1.0 + least, False
    for _ in range(HALVINGS):
        v = (low + high) / 2.0 if beyond else high
        # kl(p, q) of q = 1 - e^-v, in two terms.
        success = p * (math.log(p) - math.log(-math.expm1(-v))) if p > 0.0 else 0.0
        if success + (1.0 - p) * (math.log1p(-p) + v) > bound:
            high, beyond = v, True
        elif beyond:
            low = v
        else:
            low, high = v, 2.0 * high
    return low
