"""Theorem J: the error of clipped least squares on private, corrupted reports, beside the filter's.

Monte Carlo: each case is a batch of about n reports under (M1) on the G-optimal design of a random action set. Some
reports are replaced. The error of an estimate is its largest over all actions, max |<a, theta~ - theta>|. All
estimators see the same reports.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core import mathematics
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.distributions import student_quantile
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.streams import streams
from dpbandits.core.tables import Row
from dpbandits.papers.charisopoulos2022.computations.filter_error import batch
from dpbandits.settings.linear.algebra import product, squared_lengths
from dpbandits.settings.linear.design import approximate_design
from dpbandits.settings.linear.environments.sphere import ENVIRONMENT
from dpbandits.settings.linear.problem import single_reports
from dpbandits.settings.linear.spectral_filter import filtered_mean
from dpbandits.settings.linear.theory import clipping_level

CONFIDENCE = 0.95


def measure(
    arms: int,
    dimension: int,
    alpha: float,
    attack: str,
    size: float,
    n: int,
    epsilon: float,
    repetitions: int,
    delta: float,
    seed: int,
) -> Iterator[Row]:
    """Yield a row for each of four estimators: its error on batches of about ``n`` private, corrupted reports.

    The error is the largest over all actions a, max |<a, theta~ - theta>|. Estimators are ``least squares``,
    ``filter``, and least squares of reports cut at the level of Theorem J's two parts, ``clipped, J1`` and
    ``clipped, J2``. A row has ``attack, alpha, dimension``, the number of ``reports``, ``estimator`` and its
    ``level`` (infinite without a cut). Of the errors over ``repetitions`` it has the ``mean``, its 95 % interval
    ``low, high``, and the ``maximum``.

    Parameters
    ----------
    arms, dimension
        Size of the random action set.
    alpha, attack, size
        Probability that a report is replaced, and the attack, such as ``flip``, with its size.
    n, epsilon, repetitions
        Number of reports of a batch, before rounding up, the budget, and the number of batches.
    delta, seed
        Failure probability, for the level of Theorem J1, and root of random numbers, which decides the set too.
    """
    corruption = {"probability": alpha, "attack": attack, "size": size, "of": "reports"}
    given = {"arms": arms, "dimension": dimension, "draw": seed, "corruption": corruption}
    bandit = ENVIRONMENT.problem(ENVIRONMENT.check(given), Tuning(1, arms))
    design = approximate_design(bandit.actions)
    repeats, vectors = batch(design, n)
    features, total = vectors[design.arms].copy(), int(repeats.sum())
    # Rewards lie in [-1, 1], so that their second moment is at most 1; noise adds 2 b^2.
    scale = 2.0 / epsilon
    second_moment = 1.0 + 2.0 * scale * scale
    # Attack "threshold" is of this size times its own: as large as the filter still lets pass.
    unit = math.sqrt(3.0 * second_moment / max(alpha, squared_lengths(vectors)[design.arms].max()))
    # By estimator: the level that reports are clipped at, and the filter's threshold.
    estimators = {
        "least squares": (math.inf, math.inf),
        "filter": (math.inf, second_moment / total),
        "clipped, J1": (clipping_level(mathematics.log(2.0 / delta), 1.0, scale), math.inf),
        "clipped, J2": (clipping_level(mathematics.log(1.0 / max(alpha, 1.0 / n)), 1.0, scale), math.inf),
    }
    errors = np.empty((repetitions, len(estimators)))
    identity = f"clipping error {arms} {dimension} {sorted(corruption.items())} {n} {epsilon}"
    for i, state in enumerate(streams(seed, identity, np.arange(repetitions))):
        reports = single_reports(state, bandit, design.arms, repeats, np.zeros_like(repeats), 1.0, scale, unit)
        for k, (level, threshold) in enumerate(estimators.values()):
            cut = np.minimum(level, np.maximum(-level, reports))
            mean, _ = filtered_mean(state, features, repeats, cut, threshold)
            errors[i, k] = np.abs(total * product(vectors, mean) - bandit.means).max()
    quantile = student_quantile(0.5 - CONFIDENCE / 2, repetitions - 1.0)
    for (name, (level, _)), error in zip(estimators.items(), errors.T, strict=True):
        half = quantile * error.std(ddof=1) / math.sqrt(repetitions)
        yield {
            "attack": attack,
            "alpha": alpha,
            "dimension": dimension,
            "reports": total,
            "estimator": name,
            "level": level,
            "mean": error.mean(),
            "low": error.mean() - half,
            "high": error.mean() + half,
            "maximum": error.max(),
            "repetitions": repetitions,
        }


def compute(
    arms: int,
    dimension: int,
    dimensions: Sequence[int],
    alpha: float,
    alphas: Sequence[float],
    attacks: Sequence[Sequence[Any]],
    n: int,
    epsilon: float,
    repetitions: int,
    delta: float,
    seed: int,
) -> pd.DataFrame:
    """Compute errors of least squares, the filter and clipped least squares on private, corrupted reports.

    The error of an estimate is the largest over all actions a, max |<a, theta~ - theta>|. One part varies alpha,
    the other the dimension.

    Parameters
    ----------
    arms
        Number of actions on the sphere.
    dimension, dimensions
        Dimension where it does not vary, and those along which it does.
    alpha, alphas
        Corruption probability where it does not vary, and those along which it does.
    attacks
        Pairs of an attack's name, such as ``flip``, and its size.
    n, epsilon, repetitions
        Reports in a batch, budget of a report, and number of batches for each case.
    delta, seed
        Failure probability, on which the clipping level of Theorem J's part J1 depends, and seed of random numbers.

    Returns
    -------
    DataFrame
        The case: ``over`` (``alpha`` or ``dimension``), ``attack, alpha, dimension``, the number of ``reports`` and
        ``estimator``, with the ``level`` where it cuts. Errors over ``repetitions``: their ``mean`` with its 95 %
        interval ``low, high``, and their ``maximum``.
    """
    cases = [("alpha", each, dimension) for each in alphas] + [("dimension", alpha, each) for each in dimensions]
    rows = []
    for over, share, d in cases:
        for attack, size in attacks:
            rows += [
                {"over": over, **row}
                for row in measure(arms, d, share, attack, size, n, epsilon, repetitions, delta, seed)
            ]
    return pd.DataFrame(rows)


ATTACKS: list[Any] = [["constant", 30], ["flip", 30], ["second-best", 30], ["threshold", 0.9]]

COMPUTATION = Computation(
    title="The error of clipped least squares on private reports, beside the filter's",
    source="docs/charisopoulos2022-clipping.md, Theorem J",
    compute=compute,
    parameters={
        "arms": Option(1000, "actions on the sphere"),
        "dimension": Option(10, "d where it does not vary"),
        "dimensions": Option([2, 5, 10, 20, 50], "d"),
        "alpha": Option(0.01, "corruption probability where it does not vary"),
        "alphas": Option([0.0, 0.0025, 0.01, 0.04], "corruption probabilities"),
        "attacks": Option(ATTACKS, "pairs of an attack and its size"),
        "n": Option(10000, "reports in a batch"),
        "epsilon": Option(1.0, "budget of a report"),
        "repetitions": Option(20, "batches for each case"),
        "delta": Option(0.001, "failure probability, for the level of J1"),
        "seed": SEED,
    },
)
