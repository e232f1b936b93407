"""Regret at the horizon of all algorithms over the privacy budget, and how many times less some of them have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, looks, symbol
from dpbandits.core.options import Option
from dpbandits.papers.style import PointOptions, bandits, curves, interval, named, panels, runs, thousands

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

CELL = ["environment", "epsilon"]
MEAN = ["mean", "mean_low", "mean_high"]
LINE: PointOptions = {"linewidth": 1.0, "markersize": 4.0}


def times_less(table: pd.DataFrame, ours: list[str]) -> pd.DataFrame:
    """Return the regret of the best and of the worst baseline divided by that of each of ``ours``.

    An interval goes from the lower end of one mean by the upper end of the other to the converse: it covers at
    least as often as both intervals together. It is unbounded where the divisor's interval reaches 0.
    """
    private = table[table["epsilon"].notna()]
    baselines = private[~private["title"].isin(ours)].sort_values("mean").groupby(CELL)[["title", *MEAN]]
    own = private[private["title"].isin(ours)]
    own = own.join(baselines.first().add_prefix("best_"), on=CELL)
    own = own.join(baselines.last().add_prefix("worst_"), on=CELL)
    return own.assign(
        ratio=own["best_mean"] / own["mean"],
        ratio_low=own["best_mean_low"] / own["mean_high"],
        ratio_high=(own["best_mean_high"] / own["mean_low"]).where(own["mean_low"] > 0.0, np.inf),
        worst_ratio=own["worst_mean"] / own["mean"],
    )


def regrets(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the mean regret of each algorithm with its interval: over the budget, or level if it has none."""
    for _, look, curve in curves(table):
        if curve["epsilon"].isna().all():
            axes.axhline(curve["mean"].iloc[0], **look.line, linewidth=1.0)
        else:
            axes.plot(curve["epsilon"], curve["mean"], **look.line, marker=look.mark, **LINE)
            axes.vlines(curve["epsilon"], curve["mean_low"], curve["mean_high"], color=look.colour)


def ratios(axes: Axes, table: pd.DataFrame) -> None:
    """Draw how many times less regret some algorithms have: than the best baseline, shaded up to the worst."""
    _, top = axes.get_ylim()
    for _, look, curve in curves(table):
        colour = look.colour
        axes.plot(curve["epsilon"], curve["ratio"], color=colour, marker=look.mark, **LINE)
        axes.vlines(curve["epsilon"], curve["ratio_low"], curve["ratio_high"].clip(upper=top), color=colour)
        interval(axes, curve, "epsilon", "ratio", "worst_ratio", colour, alpha=0.15)


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], ours: list[str], claimed: float) -> Drawing:
    """Draw a column for each environment: regrets above, ratios below."""

    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    # Experiments that share an environment share the runs of algorithms without a budget.
    table = named(aggregates[aggregates["round"] == aggregates["horizon"]]).drop_duplicates([*CELL, "title"])
    for title in ours:
        if title not in set(table["title"]):
            raise BadInput("options.ours", title, suggest(title, table["title"].unique()))
    styles = looks(list(table["title"].unique()))
    # Without a budget there is no point to mark.
    private = set(table.loc[table["epsilon"].notna(), "title"])
    table = table.sort_values("epsilon", kind="stable")
    quotients = times_less(table, ours)
    environments = sorted(table["environment"].unique())
    figure, axes = panels(2 * len(environments), len(environments), height=2.8)
    above, below = axes[: len(environments)], axes[len(environments) :]
    for environment, upper, lower in zip(environments, above, below, strict=True):
        for axis in (upper, lower):
            axis.set(xscale="log", yscale="log")
        upper.set(ylim=(table["mean"].min() / 1.6, table["mean_high"].max() * 1.6), title=symbol(environment))
        lower.set(ylim=(min(0.8, quotients["ratio_low"].min() / 1.2), quotients["worst_ratio"].max() * 1.6))
        lower.axhline(1.0, color=BLACK, linewidth=1.0)
        lower.axhline(claimed, color=BLACK, linewidth=1.0, linestyle="--")
        lower.set_xlabel("privacy budget ε")
        regrets(upper, table[table["environment"] == environment])
        ratios(lower, quotients[quotients["environment"] == environment])
        lower.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        for axis in (upper, lower):
            axis.minorticks_off()
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    for axis in [*above[1:], *below[1:]]:
        axis.tick_params(labelleft=False)
    above[0].set_ylabel("pseudo-regret (rewards)")
    below[0].set_ylabel("regret of the best baseline\ndivided by this one's")
    legend: list[Artist] = [
        Line2D([], [], **look.line, marker=look.mark if title in private else "", **LINE, label=title)
        for title, look in styles.items()
    ]
    legend += [
        Line2D([], [], color=BLACK, linewidth=1.0, linestyle="--", label=f"claim: up to {claimed:g} times"),
        Patch(color=BLACK, alpha=0.15, linewidth=0, label="up to the worst baseline"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=4, fontsize="small")
    figure.suptitle(
        f"Mean pseudo-regret with its interval at T = {thousands(table['horizon'].max())}, {runs(table)}\n"
        f"{bandits(table)}",
        fontsize="medium",
    )
    numbers = table[[*CELL, "title", "runs", *MEAN]].merge(
        quotients[[*CELL, "title", "best_title", "ratio", "ratio_low", "ratio_high", "worst_title", "worst_ratio"]],
        on=[*CELL, "title"],
        how="left",
    )
    return figure, numbers.sort_values(CELL, kind="stable")


def panels_of(numbers: pd.DataFrame, ours: list[str], **_: object) -> list[Panel]:
    """Return for each environment a panel of regrets and one of how many times less some of them are."""
    numbers = numbers.assign(one=1.0)
    found = []
    for environment, part in numbers.groupby("environment"):
        name, budget = symbol(str(environment)), "privacy budget ε"
        regret = [Curve(title, own, look.colour, look.dashes) for title, look, own in curves(part)]
        found.append(Panel(name, "epsilon", regret, (budget, "pseudo-regret (rewards)")))
        less = {
            "than the best": Measure("ratio", "ratio_low", "ratio_high"),
            "than the worst": Measure("worst_ratio"),
        }
        times = [
            Curve(title, own, look.colour, look.dashes, measures=less)
            for title, look, own in curves(part)
            if title in ours
        ]
        labels = (budget, "another's regret divided by this one's")
        found.append(Panel(f"{name}: times less", "epsilon", times, labels, bounds={"equal": "one"}))
    return found


FIGURE = InteractiveFigure(
    title="Regret at the horizon of all algorithms over the privacy budget",
    draw=draw,
    panels=panels_of,
    options={
        "ours": Option(
            ["DP-KLUCB", "DP-IMED"], "titles compared with the best and the worst other private algorithm"
        ),
        "claimed": Option(10.0, "how many times less regret is claimed, a line in the lower panels"),
    },
)
