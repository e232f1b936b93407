"""azize2025, Section 5: what the law of regret at the horizon looks like, of algorithms that rare runs can ruin.

A mean of 10^5 runs can depend mostly on the ten worst, so its interval must account for runs that were not seen.
Regret is at most T times the largest gap. The interval of a mean is that of random weights on the runs (the
Bayesian bootstrap), with one run added for each end. For the lower end its regret is 0, for the upper end the
largest possible regret. For 0-1 data this is Clopper and Pearson's interval (Gaffke 2005, conjectured to cover for
every bounded law).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from dpbandits.runs.aggregate import Measured

Floats = NDArray[np.float64]
CONFIDENCE = 0.95
# Standard deviations to either side of a mean in such an interval, if the law is normal.
NORMAL = 1.959964
# Random weights of an interval of a mean, and runs that have weights of their own; the others' are taken together.
DRAWS, HEAVIEST = 2000, 500
QUANTILES = {"median": 0.5, "q95": 0.95, "q99": 0.99}
# Quantile at which regrets are cut for a mean that no tail can move.
CAP = 0.95


def mean_interval(values: Floats, largest: float, seed: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return a confidence interval for the mean of the law that ``values`` are drawn from.

    The mean of the values is taken with random weights (Bayesian bootstrap), 2,000 times. One unseen value is
    added: 0 for the lower end, ``largest`` for the upper. The weights of all but the 500 largest values enter by
    their sum alone, for which a normal law stands.

    Parameters
    ----------
    values : ndarray of float64, shape (runs,)
        Independent draws, from 0 to ``largest``.
    largest
        The largest value that there can be.
    seed
        Seed of the random weights.
    confidence
        Level of the interval.
    """
    rng = np.random.default_rng(seed)
    ordered = np.sort(values)
    few, many = ordered[-HEAVIEST:], ordered[:-HEAVIEST]
    weights = rng.standard_exponential((DRAWS, few.size + 1))
    normal = rng.standard_normal((2, DRAWS))
    total, sums = weights.sum(axis=1), weights[:, :-1] @ few
    if many.size:
        # Sum of weights, and what it leaves open of the weighted sum of values.
        number = many.size + math.sqrt(many.size) * normal[0]
        total += number
        sums += many.mean() * number + math.sqrt(many.size) * many.std() * normal[1]
    tail = (1.0 - confidence) / 2.0
    low = float(np.quantile(sums / total, tail))
    return low, float(np.quantile((sums + largest * weights[:, -1]) / total, 1.0 - tail))


def quantile_interval(ordered: Floats, share: float, deviations: float = NORMAL) -> tuple[float, float]:
    """Return a confidence interval for the quantile at ``share``: the values at two places of ``ordered``.

    ``ordered`` are values in ascending order. The places are ``deviations`` standard deviations of a binomial
    number below and above the quantile's own.
    """
    spread = deviations * math.sqrt(ordered.size * share * (1.0 - share))
    low, high = math.floor(ordered.size * share - spread), math.ceil(ordered.size * share + spread)
    return float(ordered[max(0, low - 1)]), float(ordered[min(ordered.size - 1, high)])


def share_interval(count: int, number: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for a probability, from ``count`` successes in ``number`` trials."""

    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    low = 0.0 if count == 0 else float(betaincinv(count, number - count + 1, tail))
    return low, 1.0 if count == number else float(betaincinv(count + 1, number - count, 1.0 - tail))


def statistics(regret: Floats, largest: float, far: float, seed: int) -> Iterator[Row]:
    """Yield a row ``statistic, value, low, high`` for each statistic of regret, with its 95 % interval.

    They are ``mean``, ``median``, ``q95``, ``q99``, the share ``far`` of runs that are far off, and ``capped``, the
    mean of regrets cut at their 95 % quantile. Last comes ``half``, without an interval: the smallest share of runs
    that make up half of the mean.

    Parameters
    ----------
    regret : ndarray of float64, shape (runs,)
        Regrets at the horizon.
    largest
        The largest regret that is possible.
    far
        Multiple of the median above which a run's regret is far off.
    seed
        Seed of the random weights of the mean's interval.
    """

    def row(statistic: str, value: float, ends: tuple[float, float]) -> Row:
        return {"statistic": statistic, "value": value, "low": ends[0], "high": ends[1]}

    ordered = np.sort(regret)
    yield row("mean", float(regret.mean()), mean_interval(regret, largest, seed))
    for name, share in QUANTILES.items():
        value = float(ordered[math.ceil(share * ordered.size) - 1])
        yield row(name, value, quantile_interval(ordered, share))
    count = int((regret > far * np.median(regret)).sum())
    yield row("far", count / regret.size, share_interval(count, regret.size))
    # At most the mean, whatever is in the tail.
    capped = np.minimum(regret, ordered[math.ceil(CAP * ordered.size) - 1])
    half = NORMAL * float(capped.std(ddof=1)) / math.sqrt(regret.size)
    yield row("capped", float(capped.mean()), (float(capped.mean()) - half, float(capped.mean()) + half))
    reached = int(np.searchsorted(np.cumsum(ordered[::-1]), 0.5 * regret.sum())) + 1
    yield row("half", reached / regret.size, (math.nan, math.nan))


def compute(runs: Sequence[Measured], far: float, seed: int) -> pd.DataFrame:
    """Compute statistics of regret at the horizon.

    Parameters
    ----------
    runs
        Regret of each cell's runs, shape (runs, rounds). A cell is a private algorithm on one Bernoulli bandit, at
        one budget and horizon.
    far
        Multiple of the median above which a run's regret is far off.
    seed
        Seed of the random weights of intervals.

    Returns
    -------
    DataFrame
        One row for each cell and statistic. The cell: ``experiment, environment, epsilon, algorithm, title,
        horizon, runs, lower_bound`` (Theorem 3.1's slope times log T), ``cell`` (its name). Then ``statistic``, its
        ``value`` and its 95 % interval ``low, high``. Statistics are:

        - ``mean``, ``median``, ``q95``, ``q99``;
        - ``far``: the share of runs that are far off;
        - ``capped``: the mean of regrets cut at their 95 % quantile;
        - ``half``: the smallest share of runs, the worst ones, that make up half of the mean.
    """
    rows = []
    for cell, regret, _ in runs:
        assert cell.job.epsilon is not None
        means = cell.job.environment["means"]
        labels = {
            "experiment": cell.experiment,
            "environment": cell.environment,
            "epsilon": cell.job.epsilon,
            "algorithm": cell.algorithm,
            "title": registry.algorithm(cell.job.algorithm).titled(cell.job.parameters),
            "horizon": cell.job.horizon,
            "runs": regret.shape[0],
            "lower_bound": lower_bound_slope(means, cell.job.epsilon) * math.log(cell.job.horizon),
            "cell": cell.name,
        }
        largest = cell.job.horizon * (max(means) - min(means))
        rows += [labels | row for row in statistics(regret[:, -1], largest, far, seed)]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Means, quantiles and rare runs of regret at the horizon, with intervals that know of unseen runs",
    source="azize2025, Section 5",
    compute=compute,
    parameters={"far": Option(20.0, "medians above which a run is far off"), "seed": SEED},
    reads_runs=True,
)
