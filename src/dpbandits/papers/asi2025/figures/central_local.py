"""Regret per round over the privacy budget: central against local privacy, the worst of several environments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, looks
from dpbandits.core.tables import worst
from dpbandits.papers.style import count, curves, label_ends, panels, runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VALUES = ["mean", "mean_low", "mean_high"]


def _draw(axes: Axes, table: pd.DataFrame, horizon: int) -> None:
    """Draw each algorithm's regret per round; one without a budget is a level."""
    for place, (_, look, part) in enumerate(curves(table)):
        if part["epsilon"].isna().all():
            axes.axhline(part["mean"].iloc[0], **look.line, linewidth=1.0)
        else:
            # A curve may lie under another: later ones are thinner.
            width = 2.6 - 0.35 * place
            axes.plot(part["epsilon"], part["mean"], **look.line, linewidth=width, marker=look.mark, markersize=3.5)
            axes.vlines(part["epsilon"], part["mean_low"], part["mean_high"], color=look.colour)
    axes.axvline(1 / math.sqrt(horizon), color=GREY, linewidth=1.0)
    axes.set(xscale="log", xlabel="privacy budget ε")


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret/T on logarithmic axes."""
    table = worst(aggregates, ["title", "epsilon"])
    horizon, arms = int(table["horizon"].iloc[0]), int(table["arms"].iloc[0])
    table[VALUES] /= horizon
    figure, (axes,) = panels(1, 1, height=4.0)
    _draw(axes, table, horizon)
    uniform = 0.5 * (1 - 1 / arms)
    axes.axhline(uniform, color=BLACK, linewidth=0.7, linestyle=":")
    budgets = table["epsilon"].dropna()
    axes.text(budgets.max(), uniform * 1.04, "uniform play, gap 1/2", fontsize="small", ha="right", va="bottom")
    border = 1 / math.sqrt(horizon)
    axes.text(
        border / 1.1,
        0.45,
        "below 1/√T: local\nprivacy cannot learn",
        transform=axes.get_xaxis_transform(),
        fontsize="small",
        ha="right",
    )
    axes.set(yscale="log", ylabel="largest mean regret / T")
    axes.minorticks_off()
    largest = table[(table["epsilon"] == budgets.max()) | table["epsilon"].isna()]
    styles = looks(list(table["title"].unique()))
    axes.set_xlim(budgets.min() / 1.3, budgets.max() * 1.3)
    label_ends(axes, {row.title: (row.mean, styles[row.title]) for row in largest.itertuples()}, gap=0.06)
    environments = aggregates["environment"].nunique()
    among = f"the worst of {environments} environments, " if environments > 1 else ""
    figure.suptitle(
        f"Central privacy learns where local privacy cannot\n{among}T = {count(horizon)}, K = {arms}, "
        f"{runs(aggregates)}",
        fontsize="medium",
    )
    return figure, table[["title", "epsilon", "environment", "runs", "horizon", "arms", *VALUES]].rename(
        columns={name: f"{name}_per_round" for name in VALUES}
    )


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return the panel of regret per round, beside uniform play's."""
    numbers = numbers.assign(uniform_per_round=0.5 * (1 - 1 / numbers["arms"]), each=1 / numbers["horizon"])
    measures = {"mean": Measure("mean_per_round", "mean_low_per_round", "mean_high_per_round")}
    return [
        Panel(
            title="worst regret per round",
            x="epsilon",
            curves=[
                Curve(title, part, look.colour, look.dashes, measures=measures)
                for title, look, part in curves(numbers)
            ],
            labels=("privacy budget ε", "regret / T"),
            log=(True, False),
            bounds={"uniform play, gap 1/2": "uniform_per_round"},
            scale="each",
        )
    ]


FIGURE = InteractiveFigure(
    title="Regret per round over the budget: central against local privacy", draw=draw, panels=panels_of
)
