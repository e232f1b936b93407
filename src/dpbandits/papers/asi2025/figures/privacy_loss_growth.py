"""How the privacy loss of one round of EXP3 grows: on Figure 1's sequences, at worst, and when EXP3 plays."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, BLUE, GREEN, ORANGE, VERMILION
from dpbandits.core.numbers import number

COLOURS = (BLUE, VERMILION, GREEN, ORANGE)
# Rounds, in units of 1/eta, until mixing has stopped the growth.
SHOWN = 20.0


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of the parts ``growth``, ``worst`` and ``sampled`` whose privacy ``loss`` is finite.

    ``computed`` has one table, of ``exp3-privacy-loss``. Columns that are empty in these parts are left out.
    """
    (table,) = computed.values()
    of_losses: pd.DataFrame = table[table["part"] != "figure-1"].dropna(axis="columns", how="all")
    finite: pd.DataFrame = of_losses[np.isfinite(of_losses["loss"])]
    return finite


def curves_by(table: pd.DataFrame, column: str, letter: str, measure: Measure, mark: str = "") -> list[Curve]:
    """Return a curve for each value of a column, for its first four values at most.

    Parameters
    ----------
    table
        Rows of all curves.
    column, letter
        Name of the column, and its symbol in the curves' names.
    measure
        Columns with the curves' heights and their intervals.
    mark
        Marker of the points; none if empty.
    """
    return [
        Curve(
            f"{letter} = {number(value)}", table[table[column] == value], colour, "-", {"loss": measure}, mark=mark
        )
        for value, colour in zip(table[column].unique(), COLOURS, strict=False)
    ]


def plot(table: pd.DataFrame) -> Plot:
    """Describe three panels of a round's privacy loss under EXP3: on the paper's sequences, at worst, on average.

    The average is over EXP3's own actions. ``table`` is that of `numbers`: the ``loss`` of a ``round``, by ``part``
    and ``eta``; for ``sampled`` with ``loss_low, loss_high`` by ``horizon``.
    """
    table = table.assign(scaled=table["round"] * table["eta"], multiple=table["loss"] / table["eta"])
    # In round 1 nothing is known.
    later = table[(table["part"] == "growth") | (table["round"] > 1)]
    growth, worst, sampled = (later[later["part"] == part] for part in ("growth", "worst", "sampled"))
    growth = growth[growth["scaled"] <= SHOWN]
    limits = [
        Region("log(2/γ − 1), where mixing stops it", None, (limit, limit), colour)
        for eta, colour in zip(growth["eta"].unique(), COLOURS, strict=False)
        for limit in [math.log(2 / eta - 1)]
    ]
    return Plot(
        title="A single round of EXP3 loses more privacy the later it is, until mixing stops it",
        conditions=(
            f"Left and middle: exact, γ = η\nRight: means of {number(table['runs'].max())} runs, "
            f"γ = 2η, η = √(log 2/(4T)); shaded: interval of the mean"
        ),
        panels=[
            Panel(
                title="the paper's sequences",
                x="scaled",
                curves=curves_by(growth, "eta", "η", Measure("loss")),
                labels=("rounds, in units of 1/η", "privacy loss of a round"),
                log=(False, False),
                limits=((0.0, SHOWN), None),
                regions=limits,
            ),
            Panel(
                title="the worst of all",
                x="round",
                curves=curves_by(worst, "eta", "η", Measure("multiple"), "o"),
                labels=("round t", "privacy loss / η"),
                log=(False, False),
                limits=(None, (0.0, 1.08 * worst["multiple"].max())),
                regions=(Region("2η: full information", None, (2.0, 2.0), BLACK),),
            ),
            Panel(
                title="EXP3's own actions",
                x="round",
                curves=curves_by(sampled, "horizon", "T", Measure("loss", "loss_low", "loss_high")),
                labels=("round t", "mean privacy loss"),
            ),
        ],
        columns=3,
        height=2.8,
    )


FIGURE = PlottedFigure(title="Growth of EXP3's privacy loss per round", numbers=numbers, plot=plot)
