"""Upper bounds on regret: formula beside value beside the worst measured regret on the same instances."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpbandits.core.declarations import Made, Table
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.tables import Row, matching, worst
from dpbandits.settings.adversarial.theory import BOUNDS as ARMS
from dpbandits.settings.experts.theory import BOUNDS as EXPERTS

BOUNDS = ARMS | EXPERTS


def _losses(value: float, horizon: float) -> str:
    """Return a bound in losses as text, marked where it is no better than T."""
    return f"{value:,.0f}" + (" (> T)" if value > horizon else "")


def make(
    aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], rows: list[list[Any]], epsilons: list[float]
) -> Made:
    """Return a table of upper bounds beside measured regret in the worst environment.

    It has a row for each of ``rows`` and each of ``epsilons``. In ``numbers`` the bound is ``value``, without
    constants, and ``value_with_constants``, NaN if they are unknown. Regret is ``mean`` with its interval
    ``mean_low, mean_high``, of ``runs`` in ``environment``.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    rows
        Lists of a setting, an algorithm's label and its bound's name, such as ``["experts, N = 16", "batched-exp4",
        "thm10", {"experts": 16}]``. The fourth item, if there is one, fixes values of columns.
    epsilons
        Privacy budgets, each > 0.

    Raises
    ------
    BadInput
        If a bound is not known, or an algorithm was not run at a budget.
    """
    numbers: list[Row] = []
    text: list[dict[str, str]] = []
    for group, algorithm, name, *fixed in rows:
        if name not in BOUNDS:
            raise BadInput("options.rows", name, suggest(name, BOUNDS))
        part = aggregates[(aggregates["algorithm"] == algorithm) & aggregates["epsilon"].isin(epsilons)]
        found = worst(matching(part, fixed[0] if fixed else {}), ["epsilon"])
        if set(found["epsilon"]) != set(epsilons):
            raise BadInput("options.rows", algorithm, "an algorithm that the experiments have at every budget")
        bound = BOUNDS[name]
        for row in found.to_dict("records"):
            tuning = Tuning(row["horizon"], row["arms"], row["epsilon"], row["experts"])
            numbers.append(
                {
                    "setting": group,
                    "source": bound.source,
                    "formula": bound.formula,
                    **{key: row[key] for key in ("title", "horizon", "arms", "experts", "epsilon")},
                    "value": bound.suppressed(tuning),
                    "value_with_constants": bound.value(tuning) if bound.value else math.nan,
                    **{key: row[key] for key in ("mean", "mean_low", "mean_high", "runs", "environment", "notes")},
                }
            )
            half = (row["mean_high"] - row["mean_low"]) / 2
            text.append(
                {
                    "setting": group,
                    "algorithm": row["title"],
                    "bound": f"${bound.formula}$",
                    "ε": f"{row['epsilon']:g}",
                    "its value": _losses(bound.suppressed(tuning), row["horizon"]),
                    "with constants": _losses(bound.value(tuning), row["horizon"]) if bound.value else "not known",
                    "worst regret": f"{row['mean']:,.0f} ± {half:,.0f}",
                    "environment": row["environment"],
                }
            )
    return Made(pd.DataFrame(numbers), pd.DataFrame(text))


TABLE = Table(
    title="Regret bounds: formula, value and worst measured regret",
    make=make,
    options={
        "rows": Option([], "rows: [setting, label of the algorithm, name of its bound, {what is fixed: at what}]"),
        "epsilons": Option([], "budgets"),
    },
)
