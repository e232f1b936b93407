"""Regret of conversions over the batch size, beside the floor that no base algorithm goes below."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Panel
from dpbandits.core.labels import BLACK, BLUE, VERMILION
from dpbandits.papers.style import panels, thousands

COLOURS = (BLUE, VERMILION)


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a panel for each number of arms."""
    (table,) = computed.values()
    numbers = sorted(table["arms"].unique())
    figure, axes = panels(len(numbers), len(numbers), height=3.0)
    for axis, arms in zip(axes, numbers, strict=True):
        part = table[table["arms"] == arms]
        for (title, curve), colour in zip(part.groupby("title"), COLOURS, strict=False):
            errors = [curve["mean"] - curve["mean_low"], curve["mean_high"] - curve["mean"]]
            axis.errorbar(curve["tau"], curve["mean"], errors, color=colour, marker="o", markersize=3, label=title)
        one = part.drop_duplicates("tau")
        axis.plot(one["tau"], one["floor"], color=BLACK, label="lower bound, every base")
        axis.axhline(one["every_tau"].iloc[0], color=BLACK, linestyle=":", label="every base and batch size")
        axis.set(xscale="log", yscale="log", title=f"K = {arms}", xlabel="rounds in a batch τ")
    axes[0].set_ylabel("regret (losses)")
    axes[0].legend(fontsize="x-small")
    first = table.iloc[0]
    figure.suptitle(
        f"On the lower bound's instances; T = {thousands(int(first['horizon']))}, ε = {first['epsilon']:g}, "
        f"{first['runs']:,} runs each",
        fontsize="medium",
    )
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return a panel for each number of arms."""
    return [
        Panel(
            title=f"K = {arms}",
            x="tau",
            curves=[
                Curve(str(title), curve, colour)
                for (title, curve), colour in zip(part.groupby("title"), COLOURS, strict=False)
            ],
            labels=("rounds in a batch τ", "regret (losses)"),
            bounds={"lower bound, every base": "floor", "lower bound, every base and batch size": "every_tau"},
        )
        for arms, part in numbers.groupby("arms")
    ]


FIGURE = InteractiveFigure(
    title="Regret of conversions over the batch size, and a lower bound",
    draw=draw,
    panels=panels_of,
)
