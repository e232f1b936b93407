"""Regret at the horizon over the privacy budget, beside and divided by the lower bound of azize2025."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, VERMILION, looks
from dpbandits.core.tables import means_of
from dpbandits.papers.style import TAIL_RUNS, bandits, interval, panels, runs, thousands
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Shown beside the mean: of few runs what the paper shows.
PUBLISHED = ["sd_low", "sd_high"]
RUNS = ["mean_low", "mean_high", "q05", "q50", "q95"]


def regret(axes: Axes, table: pd.DataFrame, title: str, alpha: float) -> None:
    """Draw an algorithm's regret with the bounds; both in rewards, or both in multiples of the lower bound."""
    budget, bound = table["epsilon"], table["lower_bound"]
    colour = looks([title])[title].colour
    axes.plot(budget, bound, color=BLACK, linestyle="--", label="lower bound (Theorem 3.1)")
    axes.plot(budget, alpha * bound, color=BLACK, linestyle=":", label="α times it (leading term of Theorem 4.3)")
    axes.plot(budget, table["mean"], color=colour, label="mean")
    if "q50" in table:
        interval(axes, table, "epsilon", "mean_low", "mean_high", colour, alpha=0.4, label="interval of the mean")
        axes.plot(budget, table["q50"], color=colour, linestyle="--", label="median")
        interval(axes, table, "epsilon", "q05", "q95", colour, alpha=0.15, label="5 % to 95 % of the runs")
    else:
        interval(axes, table, "epsilon", "sd_low", "sd_high", colour, label="mean ± standard deviation")


def mark_regimes(axes: Axes, means: Sequence[float], largest: float) -> None:
    """Mark the budgets up to ``largest`` from which on privacy is free for an arm, and say which lie beyond."""
    changes = sorted({regime_change(mean, max(means)) for mean in means if mean < max(means)})
    top = axes.get_xaxis_transform()
    for change in changes:
        if change <= largest:
            axes.axvline(change, color=BLACK, linewidth=0.8)
            text = f"ε* = {change:.3g} "
            axes.text(change, 0.98, text, rotation=90, ha="right", va="top", transform=top, fontsize="small")
    beyond = ", ".join(f"{change:.3g}" for change in changes if change > largest)
    if beyond:
        text = f"low privacy regime: only from\nε* = {beyond} on, beyond this axis"
        axes.text(0.98, 0.98, text, ha="right", va="top", transform=axes.transAxes, fontsize="small")


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret over the budget on the left, and in multiples of the lower bound on the right."""

    from matplotlib.ticker import LogLocator, StrMethodFormatter

    table = aggregates[aggregates["round"] == aggregates["horizon"]].sort_values("epsilon")
    if len(table.drop_duplicates(["algorithm", "environment"])) != 1:
        raise BadInput("experiments", list(table["algorithm"].unique()), "one algorithm in one environment")
    first = table.iloc[0]
    means, alpha = means_of(first), first["alpha"]
    slopes = table["epsilon"].map(lambda epsilon: lower_bound_slope(means, epsilon))
    table = table.assign(
        lower_bound=slopes * math.log(first["horizon"]),
        sd_low=table["mean"] - table["sd"],
        sd_high=table["mean"] + table["sd"],
    )
    values = ["lower_bound", "mean", *(RUNS if table["runs"].min() >= TAIL_RUNS else PUBLISHED)]
    table = table[["epsilon", "runs", *values]].reset_index(drop=True)
    multiples = table.assign(**{value: table[value] / table["lower_bound"] for value in values})
    figure, (left, right) = panels(2, 2, height=3.7)
    for axes, content in ((left, table), (right, multiples)):
        regret(axes, content, first["title"], alpha)
        axes.set(xscale="log", yscale="log", xlim=(table["epsilon"].min(), table["epsilon"].max()))
        axes.set_xlabel("privacy budget ε")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        # Where the standard deviation exceeds the mean, the band reaches the bottom.
        axes.set_ylim(bottom=content[["lower_bound", "mean"]].min().min() / 3)
        axes.minorticks_off()
    mark_regimes(left, means, table["epsilon"].max())
    left.set(title="pseudo-regret at the horizon", ylabel="pseudo-regret (rewards)")
    right.set(title="the same, divided by the lower bound", ylabel="multiple of the lower bound")
    right.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    right.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(
        f"{first['title']} with α = {alpha:g}, T = {thousands(first['horizon'])}, {runs(aggregates)} at each budget"
        f"\n{bandits(aggregates)}",
        fontsize="medium",
    )
    return figure, table.join(multiples[values].add_suffix("/bound"))


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return the left panel; divided by the lower bound it is the right one."""
    name = str(numbers["title"].iloc[0]) if "title" in numbers else "regret"
    ends = ("sd_low", "sd_high") if "sd_low" in numbers else ("mean_low", "mean_high")
    measures = {"mean": Measure("mean", *ends), "median": Measure("q50")}
    return [
        Panel(
            title="pseudo-regret at the horizon",
            x="epsilon",
            curves=[Curve(name, numbers, VERMILION, measures=measures)],
            labels=("privacy budget ε", "pseudo-regret (rewards)"),
            bounds={"asymptotic lower bound (Theorem 3.1)": "lower_bound"},
        )
    ]


FIGURE = InteractiveFigure(title="Regret at the horizon over the privacy budget", draw=draw, panels=panels_of)
