"""Estimates with what tests need: an interval, and how probable it is that the quantity lies beyond a threshold.

An estimate is told by its confidence distribution: the p-values of "at most c" and of "at least c" for every c.
Any interval and any one-sided test follow from it, whether it comes from Student's t, from the bootstrap, or from
an exact computation that leaves nothing open.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri, stdtr, stdtrit

from dpbandits.core.compiled import kernel
from dpbandits.core.streams import State, beta, integer_below, streams

Floats = NDArray[np.float64]
# Of the intervals that are shown; tests have their own level.
CONFIDENCE = 0.95
# Resamples of a bootstrap.
RESAMPLES = 2000


@dataclass(frozen=True)
class Estimate:
    """A quantity as it is known.

    Attributes
    ----------
    value
        The estimate.
    low, high
        Its 95 % interval.
    tails
        ``tails(c)`` returns the p-values of the hypotheses "at most c" and "at least c".
    logarithmic
        Whether distances are ratios: of a quantity that is positive by nature.
    exact
        Whether it was computed without sampling.
    """

    value: float
    low: float
    high: float
    tails: Callable[[float], tuple[float, float]]
    logarithmic: bool = False
    exact: bool = False

    def moved(self, c: float, half_widths: float) -> float:
        """Return a threshold moved by so many half-widths of the interval: the estimate then looks as moved."""
        if self.logarithmic and c > 0.0 and self.low > 0.0:
            return c * math.exp(half_widths * math.log(self.high / self.low) / 2.0)
        return c + half_widths * (self.high - self.low) / 2.0


def exact(value: float) -> Estimate:
    """Return a quantity that is computed and not sampled."""
    return Estimate(value, value, value, lambda c: (float(value <= c), float(value >= c)), exact=True)


def student(value: float, error: float, degrees: float, logarithmic: bool = False) -> Estimate:
    """Return an estimate with Student's t law around it.

    Parameters
    ----------
    value, error
        The estimate and its standard error.
    degrees
        Degrees of freedom of the error, positive; may be infinite.
    logarithmic
        Whether the law is that of the logarithm: ``value`` is positive and ``error`` is carried over to it.
    """
    logarithmic = logarithmic and value > 0.0
    centre, spread = (math.log(value), error / value) if logarithmic else (value, error)

    def tails(c: float) -> tuple[float, float]:
        if logarithmic:
            c = math.log(c) if c > 0.0 else -math.inf
        if spread == 0.0:
            return float(centre <= c), float(centre >= c)
        t = (centre - c) / spread
        return _student(-t, degrees), _student(t, degrees)

    half = float(ndtri(0.5 + CONFIDENCE / 2) if math.isinf(degrees) else stdtrit(degrees, 0.5 + CONFIDENCE / 2))
    ends = centre - half * spread, centre + half * spread
    low, high = map(math.exp, ends) if logarithmic else ends
    return Estimate(value, low, high, tails, logarithmic)


def _student(t: float, degrees: float) -> float:
    return float(ndtr(t) if math.isinf(degrees) else stdtr(degrees, t))


def bootstrapped(value: float, draws: Floats) -> Estimate:
    """Return an estimate from bootstrap draws, judged on a logarithmic scale if all are positive.

    The interval is that of the percentiles. A p-value is the share of draws beyond the threshold, and at least that
    of a normal law with the draws' spread: a share cannot say how far away a threshold is that no draw reaches, and
    a normal law does not know a skewed tail.

    Parameters
    ----------
    value
        The estimate from the runs themselves.
    draws
        Its values on resampled runs, shape (resamples,).
    """
    logarithmic = value > 0.0 and bool(draws.min() > 0.0)
    scaled = np.log(draws) if logarithmic else draws
    centre, spread = math.log(value) if logarithmic else value, float(scaled.std())

    def tails(c: float) -> tuple[float, float]:
        at = c if not logarithmic else math.log(c) if c > 0.0 else -math.inf
        if spread == 0.0:
            return float(centre <= at), float(centre >= at)
        z = (centre - at) / spread
        below, above = float((scaled <= at).mean()), float((scaled >= at).mean())
        return max(below, math.exp(log_ndtr(-z))), max(above, math.exp(log_ndtr(z)))

    low, high = np.quantile(draws, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return Estimate(value, float(low), float(high), tails, logarithmic)


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
    """Return which of ``size`` ordered values is the statistic ``median`` or ``q05`` to ``q99``; 0 for ``mean``."""
    if statistic == "mean":
        return 0
    share = 0.5 if statistic == "median" else int(statistic[1:]) / 100
    return max(1, math.ceil(share * size - 1e-9))


STATISTICS = ("mean", "median", "q75", "q90", "q95")


def statistic_of(statistic: str, values: Floats) -> float:
    """Return a statistic of runs (one of `STATISTICS`), shape (runs,); a quantile is one of the values."""
    rank = rank_of(statistic, values.size)
    return float(np.sort(values)[rank - 1]) if rank else float(values.mean())


def resampled(statistic: str, values: Floats, size: int, number: int, name: str) -> Floats:
    """Return a statistic of ``number`` resamples of ``size`` runs, drawn with replacement.

    Parameters
    ----------
    statistic
        One of `STATISTICS`.
    values
        Shape (runs,).
    size, number
        Runs in a resample, and resamples.
    name
        Names the random stream: equal names draw equal resamples.
    """
    (state,) = streams(0, f"bootstrap {name}", np.zeros(1, dtype=np.int64))
    draws = np.empty(number)
    rank = rank_of(statistic, size)
    if rank:
        _quantile_of_resampled(state, np.sort(values), size, rank, draws)
    else:
        _mean_of_resampled(state, np.ascontiguousarray(values), size, draws)
    return draws


def holm(p: Floats) -> Floats:
    """Return p-values corrected for their number (Holm 1979): at a level, the chance of any false one is below it.

    Parameters
    ----------
    p
        Shape (tests,), in [0, 1].
    """
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return corrected
