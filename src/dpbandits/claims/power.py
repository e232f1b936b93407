"""Power of a test: the smallest effect that would have taken its *holds* away, found by planting it."""

from __future__ import annotations

import math

from dpbandits.claims.declarations import Finding, decide

# Effects are planted up to this factor, or this much of an exponent or a difference.
LARGEST_FACTOR, LARGEST_SHIFT = 1e9, 1e3
HALVINGS = 50
# A claim that survives so much may not be called shown, by what it is about.
SURVIVED = {"constant": 2.0, "exponent": 0.1}


def _holds(found: Finding, effect: float, level: float, upwards: bool) -> bool:
    """Return whether a part would be shown to hold, had its quantity been off by an effect.

    A threshold that is nearer looks as an estimate that is further off.
    """
    low, high = found.at_least, found.at_most
    if found.unit == "factor":
        low, high = (low, high / effect) if upwards else (low * effect, high)
    else:
        shift = math.log(effect) if found.unit == "logarithm" else effect
        low, high = (low, high - shift) if upwards else (low + shift, high)
    decision = decide(found.estimate, low, high)
    return decision.side == "holds" and (math.isnan(decision.p) or decision.p <= level)


def smallest_caught(found: Finding, level: float) -> float:
    """Return the smallest effect at which a part would no longer be shown to hold.

    Parameters
    ----------
    found
        The part, of which the one end that is harder to leave counts if there are two.
    level
        For its own p-value, after the correction for the number of tests.

    Returns
    -------
    float
        A factor, at least 1, of the units ``factor`` and ``logarithm``; else what is added, at least 0. It is
        infinite if nothing that was planted is caught, and missing of a part without limits, such as an argument.
    """
    ways = [math.isfinite(found.at_most), math.isfinite(found.at_least)]
    if math.isnan(found.estimate.value) or not any(ways):
        return math.nan
    return max(_caught(found, level, upwards) for upwards, there in zip((True, False), ways, strict=True) if there)


def _caught(found: Finding, level: float, upwards: bool) -> float:
    """Return the smallest effect in one direction that is caught, by halving on a logarithmic scale."""
    factors = found.unit in ("factor", "logarithm")
    none, largest = (1.0, LARGEST_FACTOR) if factors else (0.0, LARGEST_SHIFT)
    if not _holds(found, none, level, upwards):
        return none
    if _holds(found, largest, level, upwards):
        return math.inf
    low, high = (0.0, math.log(largest)) if factors else (none, largest)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if _holds(found, math.exp(middle) if factors else middle, level, upwards):
            low = middle
        else:
            high = middle
    return math.exp(high) if factors else high
