"""Regret of conversions over the batch size, beside the floor that no base algorithm goes below."""

from __future__ import annotations

import math

import pandas as pd

from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure
from dpbandits.core.labels import LOOKS
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows

BOUNDS = {
    "lower bound for any base at this τ": "floor",
    "lower bound for any base and any τ, of order √(KT/ε)": "every_tau",
    "even play on these instances": "even",
}


def plot(table: pd.DataFrame) -> Plot:
    """Describe a panel for each number of arms: regret over the batch size, two lower bounds, and even play.

    ``table`` is that of the computation ``conversion-floor``: ``mean`` with its interval, the bounds ``floor`` and
    ``every_tau``, and ``gap``, by ``title, arms`` and ``tau``.
    """
    table = table.assign(even=table["gap"] * table["horizon"] * (1.0 - 1.0 / table["arms"]))
    first = table.iloc[0]
    bases = [str(title).partition(",")[0] for title in table["title"].unique()]
    # "At least" is true of a number that is rounded down.
    times = number(math.floor(10.0 * (table["mean"] / table["every_tau"]).min()) / 10.0)
    shares = table["mean"] / table["even"]
    # Marks hide the bars of most.
    widest = float(((table["mean_high"] - table["mean_low"]) / (2.0 * table["mean"])).max())
    even = f"{number(shares.min(), 2)} to {number(shares.max(), 2)} times"
    panels = [
        Panel(
            title=f"K = {arms} arms",
            x="tau",
            curves=[
                Curve(title, curve, look.colour, mark=look.mark, bars=True)
                for title, curve in ((str(name), own) for name, own in part.groupby("title"))
                for look in [LOOKS[f"Conversion of {title.partition(',')[0]}"]]
            ],
            labels=("rounds in a batch τ", "regret (losses)"),
            bounds=BOUNDS,
            shown=tuple(BOUNDS),
        )
        for arms, part in table.groupby("arms")
    ]
    return Plot(
        title=(
            f"Converted {' and '.join(bases)} have {even} even play's "
            f"regret, at each batch size at least {times} times the dotted bound, of order √(KT/ε)"
        ),
        conditions=(
            f"Mean regret on the lower bound's instances; T = {number(first['horizon'])}, "
            f"ε = {number(first['epsilon'])}, {number(first['runs'])} runs each; "
            f"intervals of at most ±{number(math.ceil(100.0 * widest))} %"
        ),
        panels=panels,
        columns=len(panels),
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret of conversions over the batch size, and a lower bound", numbers=computed_rows, plot=plot
)
