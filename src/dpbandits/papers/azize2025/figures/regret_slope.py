"""Regret divided by log T and by the slope of the lower bound, against what azize2025, Theorem 4.3, lets expect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, Look, symbol
from dpbandits.core.options import Option
from dpbandits.core.tables import means_of
from dpbandits.papers.style import Placed, bandits, from_round, interval, label_ends, panels, runs
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

REGRETS = ["mean", "mean_low", "mean_high", "q50"]


def _theory() -> list[Line2D]:
    """Return the legend's entries of what theory says."""

    from matplotlib.lines import Line2D

    return [
        Line2D([], [], color=BLACK, linestyle="--", linewidth=1.0, label="lower bound (Theorem 3.1)"),
        Line2D([], [], color=GREY, linewidth=3.0, label="up to α times it (Theorem 4.3)"),
        Line2D(
            [],
            [],
            color=GREY,
            marker="D",
            markersize=4.0,
            markeredgecolor="white",
            linewidth=0.0,
            label="(α − 1) / log α times it",
        ),
    ]


def ranges(axes: Axes, styles: Mapping[float, Look]) -> None:
    """Draw right of the axes, for each alpha, between which multiples theory has the ratio, and the middle.

    With few errors an arm has had the first number of pulls n_m of eq. 14 that reaches log T / d_eps: between
    once and alpha times as many, and (alpha - 1) / log(alpha) times on average over log log T.
    """
    place: Placed = {"clip_on": False, "transform": axes.get_yaxis_transform()}
    for x, (alpha, look) in zip(np.arange(1.03, 2.0, 0.035), styles.items(), strict=False):
        middle = (alpha - 1.0) / math.log(alpha)
        axes.plot([x, x], [1.0, alpha], color=look.colour, linewidth=3.0, solid_capstyle="butt", **place)
        axes.plot([x], [middle], color=look.colour, marker="D", markersize=4.0, markeredgecolor="white", **place)
        axes.text(1.05 + 0.035 * len(styles), alpha, f"α = {alpha:g}", va="center", fontsize="small", **place)


def looks_of(alphas: pd.Series[float]) -> dict[float, Look]:
    """Return the look of each ratio of batch sizes."""

    import matplotlib.pyplot as plt
    from matplotlib.colors import to_hex

    known = sorted(alphas.unique())
    # Plasma's last colours are too light on white.
    palette = plt.get_cmap("plasma")(np.linspace(0.0, 0.83, len(known)))
    return {float(alpha): Look(to_hex(colour), "-") for alpha, colour in zip(known, palette, strict=True)}


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], first_round: int, epsilon: float) -> Drawing:
    """Draw a row for each algorithm at a budget, or at each if it is 0: means on the left, medians on the right."""
    shown = aggregates[aggregates["epsilon"] == epsilon] if epsilon else aggregates
    if shown.empty:
        raise BadInput("options.epsilon", epsilon, f"0 or one of {sorted(aggregates['epsilon'].unique())}")
    table = from_round(shown, first_round)
    means = {row["environment"]: means_of(row) for _, row in table.drop_duplicates("environment").iterrows()}
    cases = list(zip(table["environment"], table["epsilon"], strict=True))
    slopes = {case: lower_bound_slope(means[case[0]], case[1]) for case in set(cases)}
    table = table.assign(bound_slope=[slopes[case] for case in cases])
    table[REGRETS] = table[REGRETS].div(table["bound_slope"] * np.log(table["round"]), axis=0)
    styles = looks_of(table["alpha"])
    alphas = list(styles)
    rows = [part for _, part in table.groupby(["environment", "epsilon", "title"])]
    figure, axes = panels(2 * len(rows), 2, height=2.3)
    for left, right, part in zip(axes[::2], axes[1::2], rows, strict=True):
        first = part.iloc[0]
        for axis in (left, right):
            axis.set(xscale="log", xlim=(first_round, table["horizon"].max()), xlabel="round T")
            axis.axhline(1.0, color=BLACK, linestyle="--", linewidth=1.0)
        left.set(yscale="log", ylim=(table["q50"].min() / 1.5, table["mean_high"].max() * 1.5))
        right.set(ylim=(0.0, 1.08 * max(table["q50"].max(), alphas[-1])))
        left.set_ylabel("multiple of the bound")
        left.set_title(
            f"{first['title']}, {symbol(first['environment'])}, ε = {first['epsilon']:g}: mean", loc="left"
        )
        right.set_title(f"median (dotted: mean); bound = {first['bound_slope']:.3g} log T", loc="left")
        ends = {}
        for alpha, look in styles.items():
            curve = part[part["alpha"] == alpha]
            if curve.empty:
                continue
            left.plot(curve["round"], curve["mean"], color=look.colour)
            interval(left, curve, "round", "mean_low", "mean_high", look.colour)
            right.plot(curve["round"], curve["q50"], color=look.colour)
            right.plot(curve["round"], curve["mean"], color=look.colour, linewidth=1.0, linestyle=":")
            ends[f"α = {alpha:g}"] = (curve["mean"].iloc[-1], look)
        label_ends(left, ends)
        ranges(right, styles)
        for axis in (left, right):
            axis.minorticks_off()
    theory = _theory()
    figure.legend(handles=theory, loc="outside lower center", ncols=len(theory), fontsize="small")
    figure.suptitle(
        f"Pseudo-regret / log T in multiples of its lower bound (Theorem 3.1), {runs(table)}\n{bandits(table)}",
        fontsize="medium",
    )
    columns = ["environment", "epsilon", "title", "alpha", "runs", "round", "bound_slope", *REGRETS]
    return figure, table[columns]


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return a panel for each budget and algorithm: regret in multiples of the lower bound's slope times log T."""
    logs = np.log(numbers["round"])
    numbers = numbers.assign(bound=1.0, multiple=1.0 / (numbers["bound_slope"] * logs.where(logs > 0.0)))
    styles = looks_of(numbers["alpha"])
    measures = {"mean": Measure("mean", "mean_low", "mean_high"), "median": Measure("q50")}
    found = []
    for (environment, epsilon, title), part in numbers.groupby(["environment", "epsilon", "title"]):
        of_alpha = [
            Curve(f"α = {alpha:g}", own, look.colour, look.dashes, measures=measures)
            for alpha, look in styles.items()
            if len(own := part[part["alpha"] == alpha])
        ]
        found.append(
            Panel(
                title=f"{title}, {symbol(str(environment))}, ε = {epsilon:g}",
                x="round",
                curves=of_alpha,
                labels=("round T", "multiple of the bound"),
                bounds={"asymptotic lower bound (Theorem 3.1)": "bound"},
                scale="multiple",
            )
        )
    return found


FIGURE = InteractiveFigure(
    title="Regret / log T in multiples of the lower bound, for several ratios of batch sizes",
    draw=draw,
    panels=panels_of,
    options={
        "first_round": Option(10, "where the time axis begins; log T means little before"),
        "epsilon": Option(0.0, "the budget that is shown; 0 for all"),
    },
)
