"""charisopoulos2022, Section 1: regret under an attack with the filter, without it, and with clipped reports.

Every random instance is drawn for itself, and each algorithm has its runs on it. So intervals are over instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dpbandits.core import arrays
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option, Parameters
from dpbandits.core.streams import number_of
from dpbandits.core.tables import Row
from dpbandits.papers.simulated import final_regrets, over_draws
from dpbandits.settings.linear.algorithms import (
    clipped_elimination_m1_low,
    private_elimination_m1,
    private_elimination_m2,
    robust_elimination_m1,
    robust_elimination_m2,
)
from dpbandits.settings.linear.environments.sphere import ENVIRONMENT
from dpbandits.settings.linear.problem import Bandit

ARMS = 1000
ALGORITHMS: Mapping[str, Algorithm] = {
    "robust-elimination-m1": robust_elimination_m1.ALGORITHM,
    "robust-elimination-m2": robust_elimination_m2.ALGORITHM,
    "private-elimination-m1": private_elimination_m1.ALGORITHM,
    "private-elimination-m2": private_elimination_m2.ALGORITHM,
    "clipped-elimination-m1-low": clipped_elimination_m1_low.ALGORITHM,
}
# The regret of the first is divided by that of the second.
PAIRS = (
    ("robust-elimination-m1", "private-elimination-m1"),
    ("robust-elimination-m2", "private-elimination-m2"),
    ("clipped-elimination-m1-low", "robust-elimination-m1"),
    ("clipped-elimination-m1-low", "private-elimination-m1"),
)


def mean_regret(name: str, environment: Parameters, epsilon: float, horizon: int, runs: int, seed: int) -> float:
    """Return an algorithm's mean regret at the horizon over some runs on one instance.

    Parameters
    ----------
    name
        A key of `ALGORITHMS`, such as ``robust-elimination-m1``.
    environment
        Checked parameters of the environment ``sphere``: one random instance under one attack.
    epsilon, horizon
        Privacy budget, and number T of rounds.
    runs, seed
        Number of runs, and root of their random streams.
    """
    tuning = ENVIRONMENT.tuning(environment, horizon, epsilon)
    problem: Bandit = ENVIRONMENT.problem(environment, tuning)
    identity = f"attacked instance {name} {sorted(environment.items())} {epsilon} {horizon}"
    algorithm = ALGORITHMS[name]
    given = {"epsilon": epsilon, **algorithm.resolve({}, tuning)[0]}
    return float(final_regrets(algorithm, given, problem, horizon, runs, seed, identity).mean())


def compute(
    attack: str,
    size: float,
    of: str,
    probabilities: Sequence[float],
    dimensions: Sequence[int],
    epsilon: float,
    horizon: int,
    instances: int,
    runs: int,
    seed: int,
) -> pd.DataFrame:
    """Compute ratios of two algorithms' mean regrets under one attack, over random instances.

    Parameters
    ----------
    attack, size, of
        The attack: its name, such as ``constant`` (replaced values become ``size``) or ``flip`` (-``size`` times
        their own), its size, and whether it replaces ``reports`` or ``rewards``.
    probabilities, dimensions
        Probabilities of being replaced, and dimensions of the 1,000 random actions.
    epsilon, horizon
        Privacy budget, and number T of rounds.
    instances, runs
        Number of random instances, and of runs of each algorithm on each of them.
    seed
        Root seed of instances and runs.

    Returns
    -------
    DataFrame
        One row for each dimension, probability and pair of algorithms, such as with the filter and without:
        ``attack, size, of, dimension, corruption, epsilon, horizon, runs``, the ``algorithm`` and the one that it
        is ``against``. Then the logarithm of the ratio of their regrets: its mean ``value`` over ``instances``,
        with its standard ``error``.
    """
    rows: list[Row] = []
    for dimension in dimensions:
        draws = [number_of(seed, f"attacked instance {dimension} {number}") for number in range(instances)]
        for probability in probabilities:
            corruption = {"probability": probability, "attack": attack, "size": size, "of": of}
            given = {"arms": ARMS, "dimension": dimension, "corruption": corruption}
            drawn = [ENVIRONMENT.check({**given, "draw": draw}) for draw in draws]
            logs = {
                name: arrays.log([mean_regret(name, each, epsilon, horizon, runs, seed) for each in drawn])
                for name in ALGORITHMS
            }
            labels = {"attack": attack, "size": size, "of": of, "dimension": dimension, "corruption": probability}
            labels |= {"epsilon": epsilon, "horizon": horizon, "runs": runs}
            rows += [
                {**labels, "algorithm": one, "against": other, **over_draws(logs[one] - logs[other])}
                for one, other in PAIRS
            ]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Regret under an attack with the filter, without it, and with clipped reports, over random instances",
    source="charisopoulos2022, Section 1; docs/charisopoulos2022-clipping.md",
    compute=compute,
    parameters={
        "attack": Option("constant", "what replaced reports become, as the sphere takes it"),
        "size": Option(30.0, "size of the attack"),
        "of": Option("reports", "what is replaced: reports or rewards"),
        "probabilities": Option([0.0025, 0.01, 0.04, 0.05, 0.12, 0.24], "probabilities of being replaced"),
        "dimensions": Option([10], "dimensions"),
        "epsilon": Option(4.0, "budget"),
        "horizon": Option(30_000, "T"),
        "instances": Option(60, "random instances"),
        "runs": Option(1, "runs of each algorithm on each instance"),
        "seed": SEED,
    },
)
