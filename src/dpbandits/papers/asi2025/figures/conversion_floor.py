"""Regret of conversions over the batch size, beside the floor that no base algorithm goes below."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure
from dpbandits.core.labels import BLUE, VERMILION
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_alone

LOOKS = ((BLUE, "o"), (VERMILION, "s"))
BOUNDS = {
    "lower bound for any base at this τ": "floor",
    "lower bound for any base and any τ, of order √(KT/ε)": "every_tau",
}


def plot(table: pd.DataFrame) -> Plot:
    """Describe a panel for each number of arms."""
    first = table.iloc[0]
    bases = [str(title).partition(",")[0] for title in table["title"].unique()]
    times = number((table["mean"] / table["every_tau"]).min(), 2)
    panels = [
        Panel(
            title=f"K = {arms} arms",
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
        title=(
            f"At each batch size, converted {' and '.join(bases)} have at least {times} times "
            f"a lower bound of order √(KT/ε)"
        ),
        conditions=(
            f"Mean regret on the lower bound's instances; T = {number(first['horizon'])}, "
            f"ε = {number(first['epsilon'])}, {number(first['runs'])} runs each"
        ),
        panels=panels,
        columns=len(panels),
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret of conversions over the batch size, and a lower bound", numbers=computed_alone, plot=plot
)
