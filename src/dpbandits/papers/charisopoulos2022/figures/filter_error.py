"""Proposition 2.1 of charisopoulos2022: the filter's error against alpha, n and the attack's size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION, Look
from dpbandits.core.options import Option
from dpbandits.papers import style
from dpbandits.papers.style import LineOptions, count

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
PRINTED: LineOptions = {"color": GREY, "linewidth": 1.0, "linestyle": ":"}
REPAIRED: LineOptions = {"color": VERMILION, "linewidth": 1.0, "linestyle": ":"}
ATTACKS = {
    "constant": "every report becomes {size:g}",
    "flip": "reports flipped, {size:g}",
    "second-best": "pushed to the second best",
    "threshold": "just below the filter's threshold",
    "outlier": "an outlier of a million",
}


def _panel(axes: Axes, table: pd.DataFrame, over: str) -> None:
    for name, look in LOOKS.items():
        curve = table[table["estimator"] == name].sort_values(over)
        # The printed filter is least squares: the line below is broad.
        below = name == "least squares"
        width, alpha = (4.0, 0.3) if below else (1.1, None)
        axes.plot(curve[over], curve["mean"], **look.line, linewidth=width, alpha=alpha)
        if not below:
            axes.plot(
                curve[over], curve["mean"], color=look.colour, linestyle="", marker=MARKERS[name], markersize=3
            )
            axes.vlines(curve[over], curve["low"].clip(lower=1e-3), curve["high"], color=look.colour, linewidth=0.8)
    bounds = table[table["estimator"] == "filter, repaired"].sort_values(over)
    axes.plot(bounds[over], bounds["printed_bound"], **PRINTED)
    axes.plot(bounds[over], bounds["repaired_bound"], **REPAIRED)
    axes.set(yscale="log", xlabel=X[over])
    if over != "alpha":
        axes.set_xscale("log")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame], panels: Sequence[Sequence[str]] = ()) -> Drawing:
    """Draw a panel for each quantity and attack of ``panels``, or for all if there is none."""

    from matplotlib.lines import Line2D

    table = pd.concat(computed.values(), ignore_index=True)
    known = list(dict.fromkeys(zip(table["over"], table["attack"], strict=True)))
    shown = [(over, attack) for over, attack in panels] or known
    figure, axes = style.panels(len(shown), 3, height=3.2)
    heights: list[float] = []
    for i, (axis, (over, attack)) in enumerate(zip(axes, shown, strict=True)):
        if (over, attack) not in known:
            raise BadInput(("options", "panels", i), [over, attack], f"a case of the computation: {known}")
        part = table[(table["over"] == over) & (table["attack"] == attack)]
        _panel(axis, part, over)
        first = part.iloc[0]
        words = "a constant of growing size" if over == "size" else ATTACKS[attack].format(size=first["size"])
        at = {"alpha": f"n = {count(int(first['n']))}", "n": f"α = {first['alpha']:g}"}
        axis.set_title(f"{words}\n{at.get(over, ', '.join(at.values()))}", fontsize="small")
        heights += [part["mean"].min() / 1.5, part["mean"].max() * 2.0]
    for axis in axes:
        axis.set_ylim(min(heights), max(heights))
    for axis in axes[::3]:
        axis.set_ylabel("largest error over all actions")
    legend = [
        Line2D([], [], **look.line, marker=MARKERS[name], markersize=3, linewidth=1.0, label=name)
        for name, look in LOOKS.items()
        if name != "least squares"
    ]
    legend.insert(0, Line2D([], [], color=BLACK, alpha=0.3, linewidth=4.0, label="least squares, no filter"))
    legend += [
        Line2D([], [], **PRINTED, label="Proposition 2.1, constant 1"),
        Line2D([], [], **REPAIRED, label="bound of the repair, constant 1"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=3, fontsize="small")
    repetitions = table["repetitions"].min()
    figure.suptitle(f"The filter as printed is least squares; means of {repetitions} batches", fontsize="medium")
    return figure, table


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return a panel for each quantity and attack, those too that the picture leaves out."""
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
    title="Error of the spectral filter beside other estimators",
    draw=draw,
    panels=panels_of,
    options={"panels": Option([], f"panels: [quantity, attack], all if empty; quantities {', '.join(X)}")},
)
