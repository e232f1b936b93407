"""azize2025, Figure 8: means of DP-IMED that rare runs make, by splitting, in multiples of the lower bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core import arrays
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.stochastic.splitting import rare_mean
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change


def _slope(rows: Sequence[Row]) -> Row:
    """Return the exponent of epsilon of the multiples, by least squares, with its error."""
    x = arrays.log(np.array([row["epsilon"] for row in rows]))
    y = arrays.log(np.array([row["value"] for row in rows]))
    weights = (x - x.mean()) / np.square(x - x.mean()).sum()
    errors = np.array([row["error"] / row["value"] for row in rows])
    runs = min(row["runs"] for row in rows)
    return {"part": "exponent", "value": weights @ y, "error": math.hypot(*(weights * errors)), "runs": runs}


def _change(below: Row, above: Row) -> Row:
    """Return the multiple above a change of regime divided by that below, with its error."""
    ratio = above["value"] / below["value"]
    error = ratio * math.hypot(above["error"] / above["value"], below["error"] / below["value"])
    return {"part": "change", "value": ratio, "error": error, "runs": min(below["runs"], above["runs"])}


def compute(
    means: Sequence[float],
    n0: int,
    alpha: float,
    horizon: int,
    epsilons: Sequence[float],
    across: Sequence[float],
    runs: int,
    seed: int,
) -> pd.DataFrame:
    """Compute DP-IMED's mean regret as a multiple of the lower bound, by importance splitting of rare runs.

    The lower bound is Theorem 3.1's slope times log T.

    Parameters
    ----------
    means, n0, alpha, horizon
        Mean rewards of the arms, size of the first batch, ratio of successive batches, and number T of rounds.
    epsilons
        Privacy budgets over which the exponent is fitted.
    across
        Two budgets, one below and one above a change of regime, a budget from which on d_eps is kl for some arm. If
        no change lies between them, an `AssertionError` is raised.
    runs
        Number of runs that are split at each budget.
    seed
        Root seed of all runs.

    Returns
    -------
    DataFrame
        ``part``, ``value``, its standard ``error``, ``runs`` and ``horizon``. The part ``budget`` has mean regret
        at ``epsilon``, each of ``epsilons`` and ``across``, as a multiple of the lower bound, and the number of
        ``leaves`` (copies that reached the horizon). Last come two rows: ``exponent``, the multiple's power of
        epsilon over ``epsilons``, and ``change``, the second multiple of ``across`` divided by the first.
    """
    rows: list[Row] = []
    for epsilon in (*epsilons, *across):
        given = {"n0": n0, "alpha": alpha}
        found = rare_mean("dp-imed", given, list(means), epsilon, horizon, runs, seed)
        bound = lower_bound_slope(means, epsilon) * math.log(horizon)
        scaled = {"value": found.value / bound, "error": found.error / bound}
        rows.append({"part": "budget", "epsilon": epsilon, **scaled, "runs": runs, "leaves": found.leaves})
    below, above = rows[-2:]
    changes = {regime_change(mean, max(means)) for mean in means if mean < max(means)}
    assert any(below["epsilon"] < change < above["epsilon"] for change in changes)
    table = pd.DataFrame([*rows, _slope(rows[:-2]), _change(below, above)])
    return table.assign(horizon=horizon)


COMPUTATION = Computation(
    title="Means of DP-IMED in multiples of the lower bound, by importance splitting",
    source="azize2025, Figure 8",
    compute=compute,
    parameters={
        "means": Option([0.8, 0.1, 0.1, 0.1, 0.1], "of the arms"),
        "n0": Option(1, "size of the first batch"),
        "alpha": Option(1.1, "ratio of batches"),
        "horizon": Option(10_000_000, "T"),
        "epsilons": Option([0.01, 0.0158, 0.0251, 0.0398, 0.0631, 0.1, 0.158, 0.251, 0.398, 0.631, 1.0], "budgets"),
        "across": Option([3.48, 3.83], "two budgets, next to a change of regime"),
        "runs": Option(20_000, "runs that are split at each budget"),
        "seed": SEED,
    },
)
