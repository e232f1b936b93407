"""Estimates with what tests need: an interval, and p-values for any threshold.

An estimate is given by its confidence distribution: the p-values of "at most c" and of "at least c" for every c.
Any interval and any one-sided test follow from it. No p-value is found by drawing: all are analytic, so that they
can be as small as a correction for hundreds of tests asks for.

Means of runs have heavy tails: one run in 10^4 can carry a tenth of a mean, and a sample without it looks narrow.
Their limits are those of empirical likelihood, on the values of the runs and the largest possible regret. The
statistic is the smallest Kullback-Leibler distance to a law on these values with another mean. It is compared with
a chi-squared law of one degree. Sources: Owen 2001; Honda and Takemura 2010, where it is the index of IMED.
Including the largest possible regret accounts for outcomes that no run has shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbandits.claims.tails import PLACES, AlongCurve, AroundCentre, Z
from dpbandits.core import arrays, mathematics
from dpbandits.core.compiled import kernel
from dpbandits.core.distributions import (
    beta_quantile,
    binomial_quantile,
    binomial_quantile_above,
    normal_above,
    normal_quantile,
    student_quantile,
)
from dpbandits.core.streams import State, beta, integer_below, streams

Floats = NDArray[np.float64]
# Of the intervals that are shown; tests have their own level.
CONFIDENCE = 0.95
# Sets that are drawn of as many runs as the paper made.
RESAMPLES = 2000
# A law is tilted by weights with a pole beyond the largest value: by these multiples of its distance from the mean.
TILTS = mathematics.geometric_sequence(1e-9, 1e7, 400)
# Of sorted values, ENDS of the largest and ENDS of the smallest stay as they are. The others form GROUPS groups.
ENDS, GROUPS = 300, 500


@dataclass(frozen=True)
class Estimate:
    """An estimate of a quantity, with its interval and p-values.

    Attributes
    ----------
    value
        The estimate.
    low, high
        Ends of its 95 % interval.
    tails
        ``tails(c)`` returns the p-values of the hypotheses "at most c" and "at least c".
    logarithmic
        Whether distances are measured by ratios, as for a quantity that is positive by nature.
    exact
        Whether the value was computed without sampling.
    """

    value: float
    low: float
    high: float
    tails: AroundCentre | AlongCurve
    logarithmic: bool = False
    exact: bool = False

    def moved(self, c: float, half_widths: float) -> float:
        """Return the threshold ``c`` moved up by a number of half-widths of the interval; it may be negative.

        To move the threshold up has the effect of moving the estimate down by as much.
        """
        if self.logarithmic and c > 0.0 and self.low > 0.0:
            return c * mathematics.exp(half_widths * mathematics.log(self.high / self.low) / 2.0)
        return c + half_widths * (self.high - self.low) / 2.0


def exact(value: float) -> Estimate:
    """Return the estimate, without error, of a quantity that is computed and not sampled."""
    return Estimate(value, value, value, AroundCentre(value, 0.0), exact=True)


def student(value: float, error: float, degrees: float, logarithmic: bool = False) -> Estimate:
    """Return an estimate with Student's t law around it.

    Parameters
    ----------
    value, error
        The estimate and its standard error.
    degrees
        Degrees of freedom of the error, positive; may be infinite.
    logarithmic
        Whether the law is that of the logarithm of a positive ``value``, whose error is ``error / value``.
    """
    logarithmic = logarithmic and value > 0.0
    centre, spread = (mathematics.log(value), error / value) if logarithmic else (value, error)
    half = student_quantile(0.5 - CONFIDENCE / 2, float(degrees))
    ends = centre - half * spread, centre + half * spread
    low, high = map(mathematics.exp, ends) if logarithmic else ends
    tails = AroundCentre(centre, spread, float(degrees), logarithmic)
    return Estimate(value, low, high, tails, logarithmic)


@dataclass(frozen=True)
class Limits:
    """One-sided confidence limits of a quantity, one for each standard normal deviation z of `Z`, from 0 to 37.

    Each is wrong with the probability that a standard normal number is above z.

    Attributes
    ----------
    value
        The estimate.
    lower, upper : ndarray of float64, shape (Z.size,)
        Lower limits, non-increasing, and upper limits, non-decreasing; either may be infinite.
    """

    value: float
    lower: Floats
    upper: Floats

    def logarithm(self) -> Limits:
        """Return the limits of the logarithm of a quantity that is not negative."""
        lower, upper = arrays.log(np.maximum(self.lower, 0.0)), arrays.log(np.maximum(self.upper, 0.0))
        return Limits(mathematics.log(max(self.value, 0.0)), lower, upper)

    def estimate(self) -> Estimate:
        """Return the estimate with these limits, logarithmic if its interval lies above 0."""
        curve = np.concatenate([self.lower[:0:-1], [self.value], self.upper[1:]])
        curve = np.maximum.accumulate(np.nan_to_num(curve, posinf=1e300, neginf=-1e300))
        half = normal_quantile(0.5 - CONFIDENCE / 2)
        low, high = (float(np.interp(z, PLACES, curve)) for z in (-half, half))
        # What no limit is known for has none.
        low, high = (math.copysign(math.inf, end) if abs(end) > 1e290 else end for end in (low, high))
        logarithmic = self.value > 0.0 and low > 0.0
        return Estimate(self.value, low, high, AlongCurve(self.value, curve), logarithmic)


def _grouped(values: Floats) -> tuple[Floats, Floats]:
    """Return sorted values with their shares; between both ends neighbours are put together to their means."""
    ordered = np.sort(values)
    if ordered.size <= 2 * ENDS + 2 * GROUPS:
        return ordered, np.full(ordered.size, 1.0 / ordered.size)
    bulk = ordered[ENDS:-ENDS]
    starts = np.linspace(0, bulk.size, GROUPS + 1).astype(np.int64)
    sizes = np.diff(starts)
    means = np.add.reduceat(bulk, starts[:-1]) / sizes
    counts = np.concatenate([np.ones(ENDS), sizes, np.ones(ENDS)])
    return np.concatenate([ordered[:ENDS], means, ordered[-ENDS:]]), counts / ordered.size


@kernel
def _tilted(values: Floats, shares: Floats, centre: float, reach: Floats) -> tuple[Floats, Floats]:
    """Return distance and mean of each tilted law, of weights share / (1 - (value - mean) / reach)."""
    distance, means = np.empty(reach.size), np.empty(reach.size)
    for i in range(reach.size):
        total, summed, logs = 0.0, 0.0, 0.0
        for k in range(values.size):
            tilt = (values[k] - centre) / reach[i]
            weight = shares[k] / (1.0 - tilt)
            total += weight
            summed += weight * values[k]
            logs += shares[k] * mathematics.log1p(-tilt)
        distance[i], means[i] = logs + mathematics.log(total), summed / total
    return distance, means


def _upper(values: Floats, shares: Floats, number: int, largest: float) -> Floats:
    """Return the upper limits at `Z` of the mean of values that are at most ``largest``."""
    centre = float((shares * values).sum())
    room = largest - centre
    if room <= 0.0:
        return np.full(Z.size, centre)
    # From all of the tilt that there is to none.
    distance, means = _tilted(values, shares, centre, room * (1.0 + TILTS))
    z = np.sqrt(np.maximum(2.0 * number * distance, 0.0))
    order = np.argsort(z, kind="stable")
    limits: Floats = np.interp(Z, np.concatenate([[0.0], z[order]]), np.concatenate([[centre], means[order]]))
    # From here on mass that no run has shown lies at the largest value.
    unseen = -arrays.expm1(np.minimum(distance[0] - Z**2 / (2.0 * number), 0.0))
    limits = np.where(z[0] < Z, (1.0 - unseen) * means[0] + unseen * largest, limits)
    return np.maximum.accumulate(limits)


def mean_limits(values: Floats, smallest: float, largest: float) -> Limits:
    """Return one-sided confidence limits of a mean at many levels, from 50 % up, by empirical likelihood.

    Of more than 1,600 values those in the middle are grouped.

    Parameters
    ----------
    values : ndarray of float64, shape (runs,)
        The sample.
    smallest, largest
        Ends of the range of all possible values, seen or not. It is widened to values that are outside of it.
    """
    number = values.size
    groups, shares = _grouped(values)
    smallest, largest = min(smallest, float(groups[0])), max(largest, float(groups[-1]))
    upper = _upper(groups, shares, number, largest)
    lower = -_upper(-groups[::-1], shares[::-1], number, -smallest)
    return Limits(float(values.mean()), lower, upper)


def quantile_limits(values: Floats, rank: int, smallest: float, largest: float) -> Limits:
    """Return exact confidence limits, by the binomial law, of the quantile that an order statistic estimates.

    Parameters
    ----------
    values : ndarray of float64, shape (runs,)
        The sample.
    rank
        Rank of the order statistic, from 1 to the number of values.
    smallest, largest
        Ends of the range of all possible values: a limit lies there if the sample is too small.
    """
    ordered = np.concatenate([[smallest], np.sort(values), [largest]])
    share, number = rank / values.size, values.size
    # Fewer values than this lie below the quantile, up to the probability of each tail.
    tails = [normal_above(z) for z in Z]
    below = np.array([binomial_quantile(tail, number, share) for tail in tails])
    above = np.array([binomial_quantile_above(tail, number, share) for tail in tails]) + 1
    lower = ordered[np.clip(np.minimum(below, rank), 0, number + 1)]
    upper = ordered[np.clip(np.maximum(above, rank), 0, number + 1)]
    return Limits(float(ordered[rank]), np.minimum.accumulate(lower), np.maximum.accumulate(upper))


def counts_limits(one: int, runs: int, other: int, others: int) -> Limits:
    """Return the ratio (one/runs)/(other/others) with its one-sided confidence limits.

    If both counts are Poisson, the first is binomial given their sum. Clopper and Pearson's limits p of its success
    probability give limits of the ratio of the counts, the odds p/(1 - p). For binomial counts they are too wide.

    Parameters
    ----------
    one, runs, other, others
        First count, which may be 0, and the number of runs that it is out of; then the same of the second.

    Returns
    -------
    Limits
        The ratio, with both limits at each level of `Z`. Two counts of 0 count as equal: then it is others/runs.
    """
    scale = others / runs

    def odds(share: float) -> float:
        return share / (1.0 - share) if share < 1.0 else math.inf

    tails = [normal_above(z) for z in Z]
    lower = [odds(beta_quantile(one, other + 1.0, tail)) if one else 0.0 for tail in tails]
    upper = [1.0 / odds(beta_quantile(other, one + 1.0, tail)) if other else math.inf for tail in tails]
    value = one / other if other else math.inf if one else 1.0
    # Infinite limits stay infinite. Infinity times 0, if ``others`` is 0, is nan and becomes infinite too.
    found = np.nan_to_num(np.array([lower, upper]) * scale, nan=math.inf, posinf=math.inf)
    below, above = np.minimum(found[0], value * scale), np.maximum(found[1], value * scale)
    return Limits(value * scale, np.minimum.accumulate(below), np.maximum.accumulate(above))


def limits_of(statistic: str, values: Floats, smallest: float, largest: float) -> Limits:
    """Return one-sided confidence limits, at many levels from 50 % up, of the mean or a quantile of a law of runs.

    They are exact for quantiles, and by empirical likelihood for the mean.

    Parameters
    ----------
    statistic
        ``mean``, ``median``, or a quantile from ``q05`` to ``q99``.
    values : ndarray of float64, shape (runs,)
        The sample.
    smallest, largest
        Ends of the range of all possible values, seen or not.
    """
    rank = rank_of(statistic, values.size)
    if rank:
        return quantile_limits(values, rank, smallest, largest)
    return mean_limits(values, smallest, largest)


def quotient(one: Limits, other: Limits) -> Limits:
    """Return the confidence limits of ``one`` divided by ``other``, two independent positive quantities.

    Distances of limits from estimates, on a logarithmic scale, are put together as standard errors are. This is the
    method of variance estimates recovery (MOVER; Donner and Zou 2012).
    """
    found = combined([one.logarithm(), other.logarithm()], [1.0, -1.0])
    return Limits(mathematics.exp(found.value), arrays.exp(found.lower), arrays.exp(found.upper))


def average(several: Sequence[Limits]) -> Limits:
    """Return the confidence limits of the mean of independent quantities (MOVER; Donner and Zou 2012)."""
    return combined(several, [1.0 / len(several)] * len(several))


def combined(several: Sequence[Limits], weights: Sequence[float]) -> Limits:
    """Return the confidence limits of a weighted sum of independent quantities (MOVER; Donner and Zou 2012).

    Parameters
    ----------
    several
        Limits of each quantity.
    weights
        Weights of any sign. If one is negative, the quantity's upper limit counts below, and its lower one above.
    """
    value = float(sum(weight * each.value for each, weight in zip(several, weights, strict=True)))
    below, above = np.zeros(Z.size), np.zeros(Z.size)
    # A weight of nothing makes nothing of a limit that is not known.
    for each, weight in ((each, weight) for each, weight in zip(several, weights, strict=True) if weight):
        down, up = each.value - each.lower, each.upper - each.value
        below = below + np.square(weight * (down if weight > 0.0 else up))
        above = above + np.square(weight * (up if weight > 0.0 else down))
    return Limits(value, value - np.sqrt(below), value + np.sqrt(above))


def scaled(limits: Limits, factor: float) -> Limits:
    """Return the confidence limits of a quantity times a positive number."""
    return Limits(limits.value * factor, limits.lower * factor, limits.upper * factor)


@kernel
def _mean_of_resampled(state: State, values: Floats, size: int, draws: Floats) -> None:
    for i in range(draws.size):
        total = 0.0
        for _ in range(size):
            total += values[integer_below(state, values.size)]
        draws[i] = total / size


@kernel
def _quantile_of_resampled(state: State, ordered: Floats, size: int, rank: int, draws: Floats) -> None:
    for i in range(draws.size):
        # The rank-th smallest of ``size`` uniform numbers has this law: no sample need be drawn and sorted.
        u = beta(state, float(rank), size - rank + 1.0)
        draws[i] = ordered[min(int(u * ordered.size), ordered.size - 1)]


def rank_of(statistic: str, size: int) -> int:
    """Return the rank, from 1, of ``median``, or of ``q05`` to ``q99``, among ``size`` values; 0 for ``mean``."""
    if statistic == "mean":
        return 0
    share = 0.5 if statistic == "median" else int(statistic[1:]) / 100
    # Less a rounding error: 0.95 * 20 is 19, and no more.
    return max(1, math.ceil(share * size - 1e-9))


STATISTICS = ("mean", "median", "q75", "q90", "q95", "q99")


def statistic_of(statistic: str, values: Floats) -> float:
    """Return a statistic of ``values``, shape (runs,): ``mean``, ``median``, or a quantile from ``q05`` to ``q99``.

    A median or quantile is one of the values.
    """
    rank = rank_of(statistic, values.size)
    return float(np.sort(values)[rank - 1]) if rank else float(values.mean())


def resampled(statistic: str, values: Floats, size: int, number: int, seed: int, name: str) -> Floats:
    """Return a statistic of each of ``number`` resamples, drawn with replacement, shape (number,).

    Parameters
    ----------
    statistic
        ``mean``, ``median``, or a quantile from ``q05`` to ``q99``.
    values : ndarray of float64, shape (runs,)
        The values from which resamples are drawn.
    size, number
        Number of values in a resample, and number of resamples.
    seed, name
        Root seed and name of the random stream: equal ones draw equal resamples.
    """
    (state,) = streams(seed, f"bootstrap {name}", np.zeros(1, dtype=np.int64))
    draws = np.empty(number)
    rank = rank_of(statistic, size)
    if rank:
        _quantile_of_resampled(state, np.sort(values), size, rank, draws)
    else:
        _mean_of_resampled(state, np.ascontiguousarray(values), size, draws)
    return draws


def holm(p: Floats) -> Floats:
    """Return p-values corrected for their number (Holm 1979).

    If only tests with a corrected p-value of at most a level are decided, the chance of any false decision is at
    most that level.

    Parameters
    ----------
    p : ndarray of float64, shape (tests,)
        The p-values, from 0 to 1.
    """
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return corrected
