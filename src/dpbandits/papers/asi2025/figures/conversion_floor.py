"""Regret of conversions over the batch size, beside the floor that no base algorithm goes below."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure
from dpbandits.core.labels import BLUE, VERMILION
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_alone

LOOKS = ((BLUE, "o"), (VERMILION, "s"))
BOUNDS = {"lower bound, every base": "floor", "lower bound, every base and batch size": "every_tau"}


def plot(table: pd.DataFrame) -> Plot:
    """Describe a panel for each number of arms."""
    first = table.iloc[0]
    panels = [
        Panel(
            title=f"K = {arms}",
            x="tau",
            curves=[
                Curve(str(title), curve, colour, mark=mark, bars=True)
                for (title, curve), (colour, mark) in zip(part.groupby("title"), LOOKS, strict=False)
            ],
            labels=("rounds in a batch τ", "regret (losses)"),
            bounds=BOUNDS,
            shown=tuple(BOUNDS),
        )
        for arms, part in table.groupby("arms")
    ]
    return Plot(
        title="No base algorithm and no batch size beats √(KT/ε) in the conversion",
        conditions=(
            f"On the lower bound's instances; T = {number(first['horizon'])}, ε = {number(first['epsilon'])}, "
            f"{number(first['runs'])} runs each"
        ),
        panels=panels,
        columns=len(panels),
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret of conversions over the batch size, and a lower bound", numbers=computed_alone, plot=plot
)
