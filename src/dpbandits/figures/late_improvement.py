"""Lemma 11 of asi2025: regret on its sequences, and the lower bound that a quick drop of arm 2 implies."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.lines import Line2D

from dpbandits.figure import Drawing, Figure
from dpbandits.figures._style import BLACK, curves, interval, looks, panels, runs, thousands
from dpbandits.options import Option


def draw(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame], epsilon: float) -> Drawing:
    """Draw regret over time on both sequences at one budget, and over the budget the bound and the worst regret."""
    (bounds,) = computed.values()
    shown = aggregates[aggregates["epsilon"].isna() | (aggregates["epsilon"] == epsilon)]
    figure, (first, second, third) = panels(3, 3, height=3.3)
    horizon = int(aggregates["horizon"].iloc[0])
    for axes, environment in zip((first, second), ("never", "improves"), strict=True):
        for _, look, part in curves(shown[shown["environment"] == environment]):
            axes.plot(part["round"], part["mean"], **look.line)
            interval(axes, part, "round", "mean_low", "mean_high", look.colour)
        axes.set(xscale="log", xlabel="round t")
    first.set(yscale="log", title="arm 2 never improves", ylabel="regret (losses)")
    second.set(yscale="symlog", title="it improves after T/10")
    worst = bounds.loc[bounds.groupby(["title", "epsilon"])["regret"].idxmax()]
    styles = looks(list(aggregates["title"].unique()))
    for title, part in worst.groupby("title"):
        look = styles[str(title)]
        third.errorbar(part["epsilon"], part["regret"], 2 * part["error"], **look.line, marker="o", markersize=3)
        known = bounds[(bounds["title"] == title) & bounds["lower_bound"].notna()]
        third.plot(
            known["epsilon"], known["lower_bound"], color=look.colour, linestyle="", marker="_", markersize=14
        )
    budgets = sorted(worst["epsilon"].unique())
    third.plot(
        budgets, [(horizon / budget) ** 0.5 for budget in budgets], color=BLACK, linewidth=0.8, linestyle=":"
    )
    third.text(budgets[0], (horizon / budgets[0]) ** 0.5 * 1.1, "$\\sqrt{T/ε}$", fontsize="small")
    third.set(xscale="log", yscale="log", title="worst regret and bound (bars)", xlabel="privacy budget ε")
    handles = [Line2D([], [], **look.line, label=title) for title, look in styles.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(f"T = {thousands(horizon)}, ε = {epsilon:g} on the left, {runs(aggregates)}", fontsize="medium")
    return figure, bounds


FIGURE = Figure(
    title="Regret on Lemma 11's sequences and its lower bound",
    draw=draw,
    options={"epsilon": Option(0.1, "budget of the curves over time")},
)
