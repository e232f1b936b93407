"""The probability of action 2 under EXP3 on two neighbouring loss sequences: asi2025, Figure 1."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import BLUE, VERMILION, Dashes
from dpbandits.core.numbers import number

CURVES: Mapping[str, tuple[str, str, Dashes]] = {
    "p": ("Pₜ(2)", BLUE, "-"),
    "p_neighbour": ("P′ₜ(2), first loss changed", VERMILION, (0, (4, 2))),
}


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return EXP3's probability P_t(2) of action 2 on two neighbouring sequences, by ``round``, for Figure 1.

    ``computed`` has one table, of the computation ``exp3-privacy-loss``. Columns are ``round, eta, gamma`` and
    P_t(2), ``p`` and ``p_neighbour``.
    """
    (table,) = computed.values()
    return table[table["part"] == "figure-1"][["round", "eta", "gamma", *CURVES]].sort_values("round")


def plot(table: pd.DataFrame) -> Plot:
    """Describe P_t(2) on both sequences over time, on a linear axis as printed, and on a logarithmic one.

    ``table`` is that of `numbers`: ``p``, ``p_neighbour`` and ``eta`` by ``round``.
    """
    last = float(table["round"].max())
    ends: tuple[float, float] = (0.0, last)
    return Plot(
        title="One changed loss decides which action EXP3 ends with",
        conditions=f"EXP3 with γ = η = {number(table['eta'].iloc[0])}, T = {number(last)}: exact, no simulation",
        panels=[
            Panel(
                title=title,
                x="round",
                curves=[
                    Curve(name, table, colour, dashes, measures={"probability": Measure(column)})
                    for column, (name, colour, dashes) in CURVES.items()
                ],
                labels=("round t", "P[action 2]"),
                log=(log, False),
                limits=((1.0, last) if log else ends, (-0.03, 1.03)),
                ticks=({} if log else {x: f"{x / 1e6:g} million" if x else "0" for x in (0, last / 2, last)}, {}),
            )
            for title, log in (("as printed", False), ("the same, time on a logarithmic axis", True))
        ],
        columns=2,
    )


FIGURE = PlottedFigure(
    title="Probability of action 2 under EXP3 on neighbouring sequences", numbers=numbers, plot=plot
)
