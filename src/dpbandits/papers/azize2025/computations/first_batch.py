"""azize2025, Algorithm 1: which first batch n0 is best for DP-IMED, by the prediction of `best_arm_path`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.papers.azize2025.computations.best_arm_path import draw_rare_regret, prediction
from dpbandits.papers.azize2025.computations.noise_by_batch import ENVIRONMENTS
from dpbandits.settings.stochastic.batches import cumulative_pulls, long_start


def compute(
    environments: Sequence[Any],
    epsilons: Sequence[float],
    horizons: Sequence[int],
    firsts: Sequence[float],
    alpha: float,
    paths: int,
    seed: int,
) -> pd.DataFrame:
    """Compute DP-IMED's mean regret for several sizes n0 of the first batch, predicted without a run.

    Parameters
    ----------
    environments
        Pairs of a bandit's name and its arms' mean rewards.
    epsilons, horizons
        Privacy budgets, and numbers T of rounds.
    firsts
        First batches in units of 1/epsilon, beside n0 = 1.
    alpha
        Ratio of the sizes of successive batches, > 1.
    paths, seed
        Number of paths (the best arm's private sums) drawn for each first batch, and seed of their random numbers.

    Returns
    -------
    DataFrame
        ``environment, epsilon, horizon, n0``, and ``first``, which is n0 epsilon. ``typical`` is regret in a
        typical run, ``rare`` the mean that rare runs add, with its standard error ``rare_error``, and ``predicted``
        their sum. ``best`` tells whether it is the smallest prediction of its environment, budget and horizon.
    """
    rows: list[Row] = []
    for environment, means in environments:
        for epsilon in epsilons:
            for horizon in horizons:
                for n0 in sorted({1, *(long_start(first, epsilon, horizon) for first in firsts)}):
                    path, rivals, usual = prediction(means, epsilon, cumulative_pulls(n0, alpha, horizon), horizon)
                    rare = draw_rare_regret(path, seed, paths, rivals)
                    rows.append(
                        {
                            "environment": environment,
                            "epsilon": epsilon,
                            "horizon": horizon,
                            "first": n0 * epsilon,
                            "n0": n0,
                            "typical": usual,
                            "rare": float(rare.mean()),
                            "rare_error": float(rare.std(ddof=1)) / math.sqrt(paths),
                            "predicted": usual + float(rare.mean()),
                        }
                    )
    table = pd.DataFrame(rows)
    least = table.groupby(["environment", "epsilon", "horizon"])["predicted"].transform("min")
    return table.assign(best=table["predicted"] == least)


COMPUTATION = Computation(
    title="The best first batch of DP-IMED, predicted from the best arm's private path",
    source="azize2025, Algorithm 1; docs/azize2025-tails.md",
    compute=compute,
    parameters={
        "environments": Option(ENVIRONMENTS, "pairs of a name and means"),
        "epsilons": Option([0.01, 0.1, 0.25, 0.5, 1.0], "budgets"),
        "horizons": Option([1_000_000], "T"),
        "firsts": Option([1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 40.0], "first batches in units of 1/epsilon"),
        "alpha": Option(2.0, "ratio of batches"),
        "paths": Option(50_000, "paths drawn for each"),
        "seed": SEED,
    },
)
