"""Regret over time: means with their intervals for each bandit and budget, and the runs behind the means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import symbol
from dpbandits.core.options import Option
from dpbandits.core.tables import means_of
from dpbandits.papers.style import (
    TAIL_RUNS,
    bandits,
    curves,
    from_round,
    interval,
    label_ends,
    named,
    panels,
    runs,
    thousands,
)
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

TAILS = ["q50", "q95", "q99", "maximum"]


def means(axes: Axes, table: pd.DataFrame) -> None:
    """Draw each algorithm's mean regret with its interval."""
    ends = {}
    for title, look, curve in curves(table):
        axes.plot(curve["round"], curve["mean"], **look.line)
        interval(axes, curve, "round", "mean_low", "mean_high", look.colour)
        ends[title] = (curve["mean"].iloc[-1], look)
    label_ends(axes, ends)


def spread(axes: Axes, table: pd.DataFrame) -> None:
    """Draw each algorithm's mean, median, upper quantiles and worst run."""
    ends = {}
    for title, look, curve in curves(table):
        colour = look.colour
        axes.plot(curve["round"], curve["mean"], color=colour)
        axes.plot(curve["round"], curve["q50"], color=colour, linestyle="--")
        axes.plot(curve["round"], curve["maximum"], color=colour, linestyle=":")
        # Shaded, two algorithms would mix to a third colour.
        axes.plot(curve["round"], curve["q99"], color=colour, linestyle="-.", linewidth=1.0)
        ends[title] = (curve["mean"].iloc[-1], look)
    label_ends(axes, ends)


def _spread_words() -> list[Artist]:
    """Return the legend's entries of `spread`."""

    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color="black", label="mean"),
        Line2D([], [], color="black", linestyle="--", label="median"),
        Line2D([], [], color="black", linestyle="-.", linewidth=1.0, label="99 % quantile"),
        Line2D([], [], color="black", linestyle=":", label="worst run"),
    ]


def draw(
    aggregates: pd.DataFrame,
    _: Mapping[str, pd.DataFrame],
    without: list[str],
    tails: list[str],
    first_round: int,
) -> Drawing:
    """Draw a panel of means for each bandit and budget, and, with enough runs, one of the runs beside it."""
    shown = from_round(aggregates[~aggregates["title"].isin(without)], first_round)
    heavy = shown["title"].isin(tails) & (shown["runs"] >= TAIL_RUNS)
    shown = named(shown)
    shown[TAILS] = shown[TAILS].where(heavy)
    tailed = bool(heavy.any())
    views = 1 + tailed
    cases = shown.loc[shown["epsilon"].notna(), ["environment", "epsilon"]].drop_duplicates()
    rows = -(-views * len(cases) // 2)
    # Half an inch for the title.
    figure, axes = panels(views * len(cases), 2, height=2.2 + 0.5 / rows)
    for axis in axes:
        axis.set(
            xscale="log",
            yscale="log",
            xlim=(first_round, shown["horizon"].max()),
            ylim=(shown["mean"].min() / 1.5, shown[["mean_high", "maximum"]].max().max() * 1.5),
            xlabel="round t",
            ylabel="pseudo-regret (rewards)",
        )
        axis.minorticks_off()
    columns = ["environment", "epsilon", "title", "runs", "round", "mean", "mean_low", "mean_high"]
    numbers = {}
    for (environment, epsilon), start in zip(
        cases.itertuples(index=False), range(0, len(axes), views), strict=True
    ):
        # Without privacy there is no budget: such a curve belongs into every panel.
        part = shown[(shown["environment"] == environment) & shown["epsilon"].isin([epsilon, np.nan])]
        name = f"{symbol(environment)}, ε = {epsilon:g}"
        numbers[name] = part[columns + TAILS * tailed]
        means(axes[start], part)
        axes[start].set_title(name, loc="left")
        if tailed:
            spread(axes[start + 1], part[part["maximum"].notna()])
            axes[start + 1].set_title(f"{name}: spread of the runs", loc="left")
            axes[start + 1].set_ylabel("")
    if tailed:
        words = _spread_words()
        figure.legend(handles=words, loc="outside lower right", ncols=len(words), fontsize="small")
    figure.suptitle(
        f"Mean pseudo-regret with its interval, T = {thousands(shown['horizon'].max())}, {runs(shown)}\n"
        f"{bandits(shown)}",
        fontsize="medium",
    )
    return figure, pd.concat(numbers, names=["panel"]).reset_index("panel").reset_index(drop=True)


MEASURES = {
    "mean": Measure("mean", "mean_low", "mean_high"),
    "median": Measure("q50"),
    "95 % quantile": Measure("q95"),
    "99 % quantile": Measure("q99"),
    "worst run": Measure("maximum"),
}
LOWER_BOUND = "asymptotic lower bound (Theorem 3.1)"


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return a panel for each bandit and budget, with the lower bound where the bandit is known."""
    numbers = numbers.assign(lower_bound=np.nan)
    found = []
    for name, part in numbers.groupby("panel", sort=False):
        means, epsilon = means_of(part.iloc[0]), part["epsilon"].max()
        if means:
            part = part.assign(lower_bound=lower_bound_slope(means, epsilon) * np.log(part["round"]))
        found.append(
            Panel(
                title=str(name),
                x="round",
                curves=[
                    Curve(title, own, look.colour, look.dashes, measures=MEASURES)
                    for title, look, own in curves(part)
                ],
                labels=("round t", "pseudo-regret (rewards)"),
                bounds={LOWER_BOUND: "lower_bound"},
            )
        )
    return found


FIGURE = InteractiveFigure(
    title="Regret over time, and the runs behind the means",
    draw=draw,
    panels=panels_of,
    options={
        "without": Option(["AdaP-UCB", "KL-UCB"], "titles of algorithms left out; the paper plots neither"),
        "tails": Option(["DP-KLUCB", "DP-IMED"], "titles whose median, upper quantiles and worst run are shown"),
        "first_round": Option(100, "where the time axis begins"),
    },
)
