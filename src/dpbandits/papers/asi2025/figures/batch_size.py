"""Worst regret over the batch size of a conversion, with Theorem 1's bound and the printed choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from dpbandits.core.fields import Tuning
from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, VERMILION
from dpbandits.core.numbers import number
from dpbandits.core.tables import worst
from dpbandits.papers.style import runs
from dpbandits.settings.adversarial import theory

COLUMNS = ["epsilon", "tau", "environment", "runs", "mean", "mean_low", "mean_high", "bound"]
# Up to this multiple of the least regret, a regret is called the least.
LEAST = 1.005
BOUND = "Theorem 1's bound"


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the worst environment's mean regret by ``epsilon`` and batch size ``tau``, with Theorem 1's ``bound``.

    ``aggregates`` are of a conversion of the algorithm HTINF, with a column ``tau``; the bound is that of HTINF.
    """
    table = worst(aggregates.assign(tau=aggregates["tau"].astype(int)), ["epsilon", "tau"])
    rows = table[["horizon", "arms", "epsilon", "tau"]].itertuples(index=False)
    return table.assign(
        bound=[
            theory.converted(theory.htinf, Tuning(int(t), int(k), float(e)), int(size)) for t, k, e, size in rows
        ]
    )


def _two_digits(value: float, rounded: Callable[[float], int]) -> str:
    """Return a number > 0 in two digits, rounded by `math.floor` or `math.ceil`."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return number(rounded(value / unit) * unit, 2)


def plot(table: pd.DataFrame) -> Plot:
    """Describe a panel for each budget: measured regret and Theorem 1's bound over the batch size.

    ``table`` is that of `numbers`: ``mean`` with its interval, and ``bound``, by ``epsilon`` and ``tau``.
    """
    heights = (table["mean"].min() / 3, table["bound"].max() * 2)
    panels, above, beyond = [], math.inf, 1.0
    for epsilon, part in table.groupby("epsilon"):
        # Less 1e-12, so that rounding makes no 11 of 1/0.1.
        chosen = math.ceil((1 - 1e-12) / float(str(epsilon)))
        above = min(above, float((part["bound"] / part["mean"]).min()))
        # Of the batch sizes tried that which is nearest to the corollaries'.
        nearest = (np.log(part["tau"] / chosen)).abs().idxmin()
        beyond = max(beyond, float(part.loc[nearest, "mean"] / part["mean"].min()))
        panels.append(
            Panel(
                title=f"ε = {epsilon:g}",
                x="tau",
                curves=[Curve("measured mean", part, VERMILION, mark="o", bars=True)],
                labels=("rounds in a batch τ", "regret (losses)"),
                bounds={BOUND: "bound"},
                shown=(BOUND,),
                limits=(None, heights),
                regions=(Region("the corollaries' τ = ⌈1/ε⌉", (chosen, chosen), None, BLACK),),
            )
        )
    best = "the least" if beyond < LEAST else f"at most {_two_digits(beyond, math.ceil)} times the least"
    return Plot(
        title=(
            f"The corollaries' τ has {best} regret of all τ tried; "
            f"the bound is at least {_two_digits(above, math.floor)} times the regret"
        ),
        conditions=(
            f"{table['title'].iloc[0]}, worst environment; K = {number(table['arms'].iloc[0])}, "
            f"T = {number(table['horizon'].iloc[0])}, {runs(table)}"
            + (
                f"\nAt τ = {', '.join(number(tau) for tau in nothing)} the bound is above T, and says nothing"
                if (nothing := sorted(table.loc[table["bound"] > table["horizon"], "tau"].unique()))
                else ""
            )
        ),
        panels=panels,
        columns=len(panels),
    )


FIGURE = PlottedFigure(
    title="Worst regret over the batch size of a conversion", numbers=numbers, columns=COLUMNS, plot=plot
)
