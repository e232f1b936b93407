"""Proposition 2.1 of charisopoulos2022: the filter's error against alpha, n and the attack's size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Look
from dpbandits.papers.style import panels, thousands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {
    "least squares": Look(BLACK, "-"),
    "filter, printed": Look(ORANGE, (0, (2, 2))),
    "filter, eq. 13": Look(PURPLE, (0, (5, 1))),
    "filter, repaired": Look(VERMILION, "-"),
    "median of means": Look(GREEN, (0, (3, 1, 1, 1))),
    "Huber regression": Look(BLUE, (0, (5, 1))),
}
MARKERS = dict(zip(LOOKS, "osvD^<", strict=True))
X = {"alpha": "corruption probability α", "n": "rewards n", "size": "size of the attack"}
BOUND: dict[str, Any] = {"linewidth": 1.0, "linestyle": ":"}
# Errors above are drawn at the top: what estimates nothing need not be seen to the digit.
HIGHEST = 30.0


def _panel(axes: Axes, table: pd.DataFrame, over: str) -> None:
    for name, look in LOOKS.items():
        curve = table[table["estimator"] == name].sort_values(over)
        heights = curve["mean"].clip(upper=HIGHEST)
        axes.plot(curve[over], heights, **look.line, marker=MARKERS[name], markersize=3, linewidth=1.0)
        axes.vlines(
            curve[over], curve["low"].clip(1e-3, HIGHEST), curve["high"].clip(upper=HIGHEST), color=look.colour
        )
    bounds = table[table["estimator"] == "filter, repaired"].sort_values(over)
    axes.plot(bounds[over], bounds["printed_bound"].clip(upper=HIGHEST), color=GREY, **BOUND)
    axes.plot(bounds[over], bounds["repaired_bound"].clip(upper=HIGHEST), color=VERMILION, **BOUND)
    axes.set(yscale="log", ylim=(table["mean"].min() / 1.5, HIGHEST * 1.1), xlabel=X[over])
    if over != "alpha":
        axes.set_xscale("log")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a panel for each quantity and attack."""

    from matplotlib.lines import Line2D

    table = pd.concat(computed.values(), ignore_index=True)
    cases = [(over, attack) for over in X for attack in table.loc[table["over"] == over, "attack"].unique()]
    figure, axes = panels(len(cases), 3, height=2.1)
    for axis, (over, attack) in zip(axes, cases, strict=True):
        part = table[(table["over"] == over) & (table["attack"] == attack)]
        _panel(axis, part, over)
        first = part.iloc[0]
        at = {
            "alpha": f"n = {thousands(int(first['n']))}",
            "n": f"α = {first['alpha']:g}",
            "size": f"α = {first['alpha']:g}, n = {thousands(int(first['n']))}",
        }[over]
        size = "" if over == "size" else f" {first['size']:g}"
        axis.set_title(f"{attack}{size}\n{at}", fontsize="small")
    for axis in axes[::3]:
        axis.set_ylabel("largest error")
    legend = [
        Line2D([], [], **look.line, marker=MARKERS[name], markersize=3, linewidth=1.0, label=name)
        for name, look in LOOKS.items()
    ]
    legend += [
        Line2D([], [], color=GREY, **BOUND, label="Proposition 2.1, constant 1"),
        Line2D([], [], color=VERMILION, **BOUND, label="bound of the repair, constant 1"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=4, fontsize="small")
    figure.suptitle(
        f"Largest error over all actions, mean of {table['repetitions'].min()} batches "
        f"(errors above {HIGHEST:g} are drawn at {HIGHEST:g})",
        fontsize="medium",
    )
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return a panel for each quantity and attack."""
    measures = {
        "mean": Measure("mean", "low", "high"),
        "median": Measure("median"),
        "worst batch": Measure("maximum"),
    }
    found = []
    for (over, attack), part in numbers.groupby(["over", "attack"], sort=False):
        own = {name: part[part["estimator"] == name].sort_values(str(over)) for name in LOOKS}
        found.append(
            Panel(
                title=f"{attack}, over {over}",
                x=str(over),
                curves=[
                    Curve(name, rows, LOOKS[name].colour, LOOKS[name].dashes, measures=measures)
                    for name, rows in own.items()
                ],
                labels=(X[str(over)], "largest error"),
                log=(over != "alpha", True),
                bounds={
                    "Proposition 2.1, constant 1": "printed_bound",
                    "bound of the repair, constant 1": "repaired_bound",
                },
            )
        )
    return found


FIGURE = InteractiveFigure(
    title="Error of the spectral filter beside other estimators", draw=draw, panels=panels_of
)
