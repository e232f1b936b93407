"""Severity of a test: the effect that its design sees, from the standard error and not from the observed value.

A part holds if its interval excludes the threshold, and the half of the interval that is next to the threshold is
below the smallest effect of interest. So more runs, or data that are better for a claim, never weaken its verdict.
"""

from __future__ import annotations

import math

from dpbandits.claims.declarations import Finding
from dpbandits.claims.estimate import CONFIDENCE
from dpbandits.core import mathematics
from dpbandits.core.distributions import normal_quantile

# The smallest effect of interest, by what a claim is about: on a ratio's scale its logarithm, and of an exponent
# what is added. A claim about an order says no size.
INTEREST = {"constant": mathematics.log(2.0), "exponent": 0.1}
# With this probability the effect that the ledger prints is seen.
POWER = 0.9


def half_width(found: Finding) -> float:
    """Return the half of the 95 % interval that is next to the threshold; the larger one if there are two.

    For a ratio (``unit`` is ``factor``) it is divided by an upper limit. At a lower limit it is that limit times
    the half of the inverse ratio's interval. It is 0 if the estimate is exact, and NaN if the part has no limits.
    """
    value, low, high = found.estimate.value, found.estimate.low, found.estimate.high
    if math.isnan(value):
        return math.nan
    halves = []
    if math.isfinite(found.at_most):
        scale = found.at_most if found.unit == "factor" and found.at_most > 0.0 else 1.0
        halves.append((high - value) / scale)
    if math.isfinite(found.at_least):
        inverse = found.unit == "factor" and found.at_least > 0.0
        if inverse and low <= 0.0:
            halves.append(0.0 if low == value else math.inf)
        elif inverse:
            halves.append(found.at_least / low - found.at_least / value)
        else:
            halves.append(value - low)
    return max(halves, default=math.nan)


def spread(found: Finding) -> tuple[float, str]:
    """Return the half of the interval that tells which effects a test sees, and the unit of these effects.

    The unit is ``factor``, ``exponent``, ``logarithm`` or ``difference``. If a ratio's error is one of its
    logarithm, the half is logarithmic too, and the unit is ``logarithm``: on that scale alone the error at the
    threshold is the error at the estimate.
    """
    estimate = found.estimate
    if estimate.logarithmic and found.unit == "factor" and estimate.low > 0.0:
        return mathematics.log(estimate.high / estimate.low) / 2.0, "logarithm"
    return half_width(found), found.unit


def smallest_seen(half: float, unit: str, level: float) -> float:
    """Return the smallest effect beyond the threshold that a sampled part sees with a probability of 0.9.

    Parameters
    ----------
    half, unit
        Half of the part's interval in this unit: ``factor``, ``exponent``, ``logarithm`` or ``difference``.
    level
        Level for the part's own two-sided p-value, after the correction for the number of tests.

    Returns
    -------
    float
        A factor above 1 for the units ``factor`` and ``logarithm``; for others the number that is added.
    """
    # In standard errors: as far beyond the threshold as the test needs, and further for the probability of `POWER`.
    errors = normal_quantile(level / 2.0) + normal_quantile(1.0 - POWER)
    effect = half * errors / normal_quantile(0.5 - CONFIDENCE / 2.0)
    if unit == "logarithm":
        return mathematics.exp(effect)
    return 1.0 + effect if unit == "factor" else effect
