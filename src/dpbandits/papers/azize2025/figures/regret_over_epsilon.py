"""Regret at the horizon over the privacy budget, beside and divided by the lower bound of azize2025."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, looks
from dpbandits.core.numbers import number
from dpbandits.core.tables import means_of
from dpbandits.papers.style import TAIL_RUNS, bandits, runs
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

# Columns beside the mean: with few runs its standard deviation, which the paper shows; with many, those of `RUNS`.
PUBLISHED = ["sd_low", "sd_high"]
RUNS = ["mean_low", "mean_high", "q05", "q50", "q95"]
VALUES = ["lower_bound", "mean", *RUNS, *PUBLISHED]
LOWER_BOUND = "lower bound (Theorem 3.1)"
BOUNDS = {LOWER_BOUND: "lower_bound", "α times it (leading term of Theorem 4.3)": "alpha_bound"}


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return regret at the horizon, in rewards and in multiples of the lower bound.

    A column such as ``mean/bound`` is ``mean`` divided by ``lower_bound``. With fewer than 100 runs, ``sd_low`` and
    ``sd_high`` (mean less and plus a standard deviation) take the place of intervals and quantiles.

    Raises
    ------
    BadInput
        If there is not exactly one algorithm in one environment.
    """
    table = aggregates[aggregates["round"] == aggregates["horizon"]].sort_values("epsilon")
    if len(table.drop_duplicates(["algorithm", "environment"])) != 1:
        raise BadInput("experiments", list(table["algorithm"].unique()), "one algorithm in one environment")
    first = table.iloc[0]
    slopes = table["epsilon"].map(lambda epsilon: lower_bound_slope(means_of(first), epsilon))
    table = table.assign(
        lower_bound=slopes * math.log(first["horizon"]),
        sd_low=table["mean"] - table["sd"],
        sd_high=table["mean"] + table["sd"],
    )
    table = table.drop(columns=PUBLISHED if table["runs"].min() >= TAIL_RUNS else RUNS).reset_index(drop=True)
    return table.assign(**{f"{name}/bound": table[name] / table["lower_bound"] for name in VALUES if name in table})


def _finding(name: str, table: pd.DataFrame, few: bool) -> str:
    """Return between which multiples of the lower bound means lie, and of few runs how far apart neighbours are."""
    ratio = (table["mean"] / table["lower_bound"]).to_numpy()
    spread = f"{number(ratio.min(), 2)} to {number(ratio.max(), 2)} times the asymptotic lower bound"
    if not few or len(ratio) < 2:
        return f"{name}'s mean is {spread}"
    steps = ratio[1:] / ratio[:-1]
    jump = number(max(steps.max(), 1.0 / steps.min()), 2)
    return (
        f"In this set of {number(table['runs'].max())} runs {name}'s mean is {spread}: it jumps up to {jump}-fold "
        f"from one budget to the next"
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret over the budget on the left, and in multiples of the lower bound on the right.

    ``table`` is that of `numbers`, a row for each ``epsilon``: ``lower_bound``, ``mean``, and ``mean_low,
    mean_high, q05, q50, q95``, or ``sd_low, sd_high``; and ``title, alpha, horizon, runs``, and the arms' means.
    """
    first, name = table.iloc[0], str(table["title"].iloc[0])
    means, alpha, largest = means_of(first), first["alpha"], table["epsilon"].max()
    table = table.assign(alpha_bound=alpha * table["lower_bound"])
    look, few = looks([name])[name], "sd_low" in table
    spread = Measure("mean", *PUBLISHED) if few else Measure("mean", "mean_low", "mean_high")
    of_mean = f"{name}: mean {'± standard deviation' if few else 'with its interval'}"
    curves = [Curve(of_mean, table, look.colour, "-", {"mean": spread})]
    if not few:
        middle = {"median": Measure("q50", "q05", "q95")}
        curves.append(Curve("median, and 5 % to 95 % of the runs", table, look.colour, "--", middle))
    changes = sorted({regime_change(mean, max(means)) for mean in means if mean < max(means)})
    beyond = ", ".join(f"{change:.3g}" for change in changes if change > largest)
    regions = [
        Region(f"ε* = {change:.3g} on: privacy is free for an arm", (change, change), None, BLACK)
        for change in changes
        if change <= largest
    ]
    highest = [name for name in ("mean", "mean_high", "q95", "sd_high") if name in table]
    lowest = ["lower_bound", "mean", *(["sd_low"] if few else [])]
    of_bounds = table[[*lowest, *highest, "alpha_bound"]].div(table["lower_bound"], axis=0)
    # Only where the standard deviation exceeds the mean does the band reach the bottom.
    ends, of_bound = (
        (numbers[lowest].where(numbers[lowest] > 0.0).min().min() / 3, 1.5 * numbers.max().max())
        for numbers in (table[of_bounds.columns], of_bounds)
    )
    wide = int((table["sd_low"] <= 0.0).sum()) if few else 0
    regime = f"; low privacy: ε* = {beyond} on, beyond this axis" if beyond else ""
    return Plot(
        title=_finding(name, table, few),
        conditions=(
            f"α = {number(alpha)}, T = {number(first['horizon'])}, {runs(table)} at each budget{regime}\n"
            f"{bandits(table)}"
            + ("" if few else "\nNarrow shade: interval of the mean; broad shade: 5 % to 95 % of the runs")
            + (
                f"\nThe standard deviation is above the mean at {wide} of {len(table)} budgets: "
                f"there the band reaches the bottom"
                if wide
                else ""
            )
        ),
        panels=[
            Panel(
                title=title,
                x="epsilon",
                curves=curves,
                labels=("privacy budget ε", label),
                bounds=BOUNDS,
                shown=tuple(BOUNDS),
                divided=divided,
                limits=((table["epsilon"].min(), largest), heights),
                regions=regions,
            )
            for title, label, divided, heights in (
                ("pseudo-regret at the horizon", "pseudo-regret (rewards)", "", ends),
                ("the same, divided by the lower bound", "multiple of the lower bound", LOWER_BOUND, of_bound),
            )
        ],
        columns=2,
        height=3.6,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret at the horizon over the privacy budget",
    numbers=numbers,
    columns=["epsilon", "runs", *VALUES, *(f"{name}/bound" for name in VALUES)],
    plot=plot,
)
