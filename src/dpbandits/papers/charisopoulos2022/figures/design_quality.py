"""Definition 1.6 of charisopoulos2022: norm and support of approximate G-optimal designs, step after step."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from dpbandits.papers.style import Placed, panels

COLOURS = (VERMILION, BLUE, GREEN, PURPLE, ORANGE, GREY)


def _words(label: object) -> str:
    """Return a set's label in words: ``collinear-basis, K = 10`` is a collinear basis."""
    return str(label).replace("-", " ")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the norm on the left and the support on the right, over the steps; the design in use is marked."""
    table = pd.concat(computed.values(), ignore_index=True)
    table = table.assign(norm_over_d=table["norm"] / table["rank"], share=table["support"] / table["support_bound"])
    figure, (left, right) = panels(2, 2, height=3.3)
    for (name, path), colour in zip(table.groupby("set", sort=False), COLOURS, strict=False):
        used = path[path["used"]]
        for axes, column in ((left, "norm_over_d"), (right, "share")):
            axes.plot(path["step"] + 1, path[column], color=colour, linewidth=1.2, label=_words(name))
            axes.plot(used["step"] + 1, used[column], "o", color=colour, markersize=5)
    words: Placed = {"fontsize": "small", "ha": "right"}
    left.axhline(2.0, color=BLACK, linestyle="--", linewidth=1.0)
    left.text(0.98, 2.06, "2 d", transform=left.get_yaxis_transform(), **words)
    left.axhline(1.0, color=BLACK, linewidth=1.0)
    left.text(0.98, 0.97, "optimum: d", transform=left.get_yaxis_transform(), va="top", **words)
    right.axhline(1.0, color=BLACK, linestyle="--", linewidth=1.0)
    right.text(0.4, 1.06, "4 d log log d + 16", transform=right.get_yaxis_transform(), **words)
    left.set(xscale="log", yscale="log", xlabel="step, from 1", ylabel="max ‖a‖² / d", title="largest norm")
    right.set(xscale="log", xlabel="step, from 1", ylabel="support / bound", title="support")
    left.set_ylim(bottom=0.8)
    ticks = [1, 2, 3, 5, 10]
    left.set_yticks([tick for tick in ticks if tick < 1.1 * table["norm_over_d"].max()])
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_locator(left.yaxis.get_major_locator())
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle("Frank–Wolfe from a Kumar–Yıldırım core; dots: the designs in use", fontsize="medium")
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return norm and support over the steps."""
    numbers = numbers.assign(from_one=numbers["step"] + 1, enough=2.0, whole=1.0)
    sets = list(zip(numbers.groupby("set", sort=False), COLOURS, strict=False))

    def of(column: str) -> list[Curve]:
        """Return a curve for each set of actions."""
        return [
            Curve(_words(name), path, colour, measures={column: Measure(column)}) for (name, path), colour in sets
        ]

    return [
        Panel(
            *("largest norm", "from_one", of("norm_over_d"), ("step, from 1", "max ‖a‖² / d")),
            bounds={"2 d": "enough"},
        ),
        Panel(
            *("support", "from_one", of("share"), ("step, from 1", "support / bound"), (True, False)),
            bounds={"4 d log log d + 16": "whole"},
        ),
    ]


FIGURE = InteractiveFigure(
    title="Norm and support of approximate G-optimal designs over steps and action sets",
    draw=draw,
    panels=panels_of,
)
