"""Regret per round at the horizon against one quantity a panel: T, d, K, epsilon, alpha or a factor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, Look, looks
from dpbandits.core.options import Option
from dpbandits.papers.style import PointOptions, panels, runs
from dpbandits.papers.style import curves as lines
from dpbandits.settings.linear.theory import theorem_3_4, theorem_3_9

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

AXES = {
    "horizon": "horizon T",
    "epsilon": "privacy budget ε",
    "dimension": "dimension d",
    "arms": "actions K",
    "corruption": "corruption probability α",
    "factor": "width γ as a fraction of the theorem's",
}
POINTS: PointOptions = {"markersize": 3.5, "linewidth": 1.0}
# Text on a line is read on white.
LABEL = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.9}
BOUNDS = ("theorem 3.4", "theorem 3.9")
# With the filter, and without it.
FILTERED = {f"Robust elimination ({model})": f"Private elimination ({model})" for model in ("M1", "M2")}
COLUMNS = ["panel", "over", "x", "title", "environment", "horizon", "epsilon", "arms", "dimension", "corruption"]
COLUMNS += ["factor", "runs", "regret", "regret_low", "regret_high", "mean", "low", "high", "bound"]


def read(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return regret per round at the horizon."""
    table = aggregates[aggregates["round"] == aggregates["horizon"]].reset_index(drop=True)
    table = table.reindex(columns=[*table, *({"alpha", "delta", "nu", "factor"} - set(table))])
    names = {"mean": "regret", "mean_low": "regret_low", "mean_high": "regret_high"}
    per_round = {"mean": "regret", "low": "regret_low", "high": "regret_high"}
    table = table.drop(columns=["low", "high"], errors="ignore").rename(columns=names)
    return table.assign(**{name: table[column] / table["horizon"] for name, column in per_round.items()})


def bound_of(row: Any, bound: str) -> float:
    """Return the bound per round at the tuning of a row, with 1 for its constant."""
    T, d, alpha = float(row.horizon), int(row.dimension), float(row.corruption)
    if bound == "theorem 3.4":
        return theorem_3_4(T, d, alpha, float(row.epsilon), float(row.delta)) / T
    return theorem_3_9(T, d, alpha, float(row.epsilon), float(row.delta), float(row.nu)) / T


def crossing(x: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return where two curves first cross, by linear interpolation of logarithms; NaN if nowhere."""
    gap, log_x = np.log(first) - np.log(second), np.log(x)
    turns = np.flatnonzero(gap[:-1] * gap[1:] < 0.0)
    if turns.size == 0:
        return math.nan
    i = turns[0]
    return math.exp(log_x[i] - gap[i] * (log_x[i + 1] - log_x[i]) / (gap[i + 1] - gap[i]))


def _mark_crossings(axes: Axes, table: pd.DataFrame, pair: list[str]) -> None:
    """Mark the budgets where two measured curves cross, and where Theorems 3.4 and 3.9 do."""
    one, two = (table[table["title"] == title] for title in pair)
    x = one["x"].to_numpy(dtype=float)
    printed = [
        [bound_of(row, bound) for row in part.itertuples()] for part, bound in zip((one, two), BOUNDS, strict=True)
    ]
    measured = crossing(x, one["mean"].to_numpy(), two["mean"].to_numpy())
    of_bounds = crossing(x, *map(np.array, printed))
    for at, words in ((measured, "measured"), (of_bounds, "bounds")):
        if not math.isnan(at):
            # Beside the line, on the side that has more room.
            left, right = axes.get_xlim()
            side: Literal["left", "right"] = "left" if at**2 < left * right else "right"
            axes.axvline(at, color=GREY, linewidth=0.8)
            height = 0.9 if words == "measured" else 0.04
            place = axes.get_xaxis_transform()
            axes.text(at, height, f"{words} cross at {at:.2g}", fontsize=7, ha=side, transform=place, bbox=LABEL)


def filter_costs(table: pd.DataFrame) -> bool:
    """Say whether the filter costs regret at every corruption, in each model that a panel shows both ways."""
    means = table[table["corruption"] > 0.0].pivot_table(index="corruption", columns="title", values="mean")
    pairs = [(one, other) for one, other in FILTERED.items() if {one, other} <= set(means)]
    return bool(pairs) and all(bool((means[one] > means[other]).all()) for one, other in pairs)


def _curve(axes: Axes, curve: pd.DataFrame, look: Look, marker: str, span: tuple[float, float]) -> None:
    if curve["x"].isna().all():
        # Without a budget there is nothing to move along the axis.
        axes.plot(span, [curve["mean"].iloc[0]] * 2, **look.line, linewidth=1.0)
        return
    axes.plot(curve["x"], curve["mean"], **look.line, marker=marker, markersize=3.5, linewidth=1.0)
    axes.vlines(curve["x"], curve["low"].clip(lower=1e-9), curve["high"], color=look.colour, linewidth=1.0)


def _panel(
    axes: Axes, table: pd.DataFrame, over: str, markers: Mapping[str, str], bound: str, pair: list[str]
) -> pd.DataFrame:
    """Draw one panel and return its numbers."""

    from matplotlib.ticker import FixedLocator, LogLocator, NullLocator, StrMethodFormatter

    table = table.assign(over=over, x=table[over], bound=np.nan).sort_values("x", kind="stable")
    span = (float(table["x"].min()), float(table["x"].max()))
    for title, look, curve in lines(table):
        _curve(axes, curve, look, markers[title], span)
    main = table[table["title"] == next(iter(markers))]
    if bound and len(main):
        values = [bound_of(row, bound) for row in main.itertuples()]
        table.loc[main.index, "bound"] = values
        scaled = np.array(values) * main["mean"].iloc[-1] / values[-1]
        axes.plot(main["x"], scaled, color=BLACK, linestyle=":", linewidth=1.0)
    axes.set(yscale="log", xlabel=AXES[over])
    axes.set_ylim(table["mean"].min() / 1.5, table["mean"].max() * 1.5)
    narrow = table["mean"].max() < 30 * table["mean"].min()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    if over != "corruption":
        axes.set_xscale("log")
        if over in ("dimension", "factor"):
            axes.xaxis.set_major_locator(FixedLocator(sorted(table["x"].dropna().unique())))
        axes.xaxis.set_minor_locator(NullLocator())
        if span[1] < 1e4:
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    if over == "corruption" and filter_costs(table):
        axes.text(0.97, 0.04, "the filter costs regret", fontsize=7, ha="right", transform=axes.transAxes)
    if over == "epsilon" and pair:
        _mark_crossings(axes, table, pair)
    return table


def draw(
    aggregates: pd.DataFrame,
    _: Mapping[str, pd.DataFrame],
    over: list[Any],
    algorithms: list[str],
    bound: str,
    crossing: list[str],
) -> Drawing:
    """Draw a panel for each experiment of ``over``."""

    from matplotlib.lines import Line2D

    if bound and bound not in BOUNDS:
        raise BadInput("options.bound", bound, suggest(bound, BOUNDS))
    table = read(aggregates)
    for title in algorithms:
        if title not in set(table["title"]):
            raise BadInput("options.algorithms", title, suggest(title, table["title"].unique()))
    order = {title: i for i, title in enumerate(algorithms)}
    table = table[table["title"].isin(order)].sort_values("title", key=lambda s: s.map(order), kind="stable")
    styles = looks(algorithms)
    markers = {title: look.mark for title, look in styles.items()}
    figure, axes = panels(len(over), min(3, len(over)), height=2.3)
    parts = []
    for axis, (experiment, x, heading) in zip(axes, over, strict=True):
        if x not in AXES:
            raise BadInput("options.over", x, suggest(x, AXES))
        part = _panel(axis, table[table["experiment"] == experiment], x, markers, bound, crossing)
        axis.set_title(heading, fontsize="small")
        parts.append(part.assign(panel=heading))
    numbers = pd.concat(parts)
    for axis in axes[::3]:
        axis.set_ylabel("regret per round")
    headings = {title: numbers.loc[numbers["title"] == title, "panel"].unique() for title in algorithms}

    def where(title: str) -> str:
        """Return the panel of an algorithm that one panel alone shows."""
        return f" ({headings[title][0]})" if len(headings[title]) == 1 < len(over) else ""

    legend: list[Artist] = [
        Line2D(
            [],
            [],
            **styles[title].line,
            marker=markers[title],
            markersize=3.5,
            linewidth=1.0,
            label=f"{title}{where(title)}",
        )
        for title in algorithms
    ]
    if bound:
        legend.append(
            Line2D(
                [],
                [],
                color=BLACK,
                linestyle=":",
                linewidth=1.0,
                label=f"{bound.capitalize()}, scaled to the last point",
            )
        )
    figure.legend(handles=legend, loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle(
        f"Mean regret per round at the horizon, {runs(table)}; each panel has its own scale", fontsize="medium"
    )
    return figure, numbers[COLUMNS]


def panels_of(numbers: pd.DataFrame, bound: str, **_: object) -> list[Panel]:
    """Return a panel for each experiment: regret per round, and the bound at the first algorithm's tuning."""
    numbers = numbers.assign(each=1.0 / numbers["horizon"])
    return [
        Panel(
            title=f"{heading}, over {AXES[str(over)]}",
            x="x",
            curves=[
                Curve(title, own, look.colour, look.dashes, measures={"mean": Measure("mean", "low", "high")})
                for title, look, own in lines(part)
            ],
            labels=(AXES[str(over)], "regret per round"),
            log=(over != "corruption", True),
            bounds={f"{bound.capitalize()}, constant 1": "bound"} if bound else {},
            scale="each",
        )
        for (heading, over), part in numbers.groupby(["panel", "over"], sort=False)
    ]


FIGURE = InteractiveFigure(
    title="Regret per round of linear bandits against T, d, K, epsilon, alpha or the factor of gamma",
    draw=draw,
    panels=panels_of,
    options={
        "over": Option([], f"panels: [experiment, axis, heading], axis one of {', '.join(AXES)}"),
        "algorithms": Option([], "titles shown, in the legend's order"),
        "bound": Option("", f"a bound drawn through the right end of the first curve: one of {', '.join(BOUNDS)}"),
        "crossing": Option([], "two titles whose crossing over epsilon is marked"),
    },
)
