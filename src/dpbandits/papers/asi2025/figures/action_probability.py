"""The probability of action 2 under EXP3 on two neighbouring loss sequences: asi2025, Figure 1."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLUE, VERMILION, Dashes
from dpbandits.papers.style import panels, thousands

# Matplotlib's names of dashes, in lengths.
DASHES: dict[str, Dashes] = {"-": "-", "--": (0, (4, 2))}
CURVES = {"p": ("$P_t(2)$", BLUE, "-"), "p_neighbour": ("$P'_t(2)$", VERMILION, "--")}


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw both curves over time as printed, and on a logarithmic axis, where they part."""
    from matplotlib.ticker import FuncFormatter

    (table,) = computed.values()
    table = table[table["part"] == "figure-1"][["round", "eta", "gamma", *CURVES]].sort_values("round")
    figure, (printed, zoomed) = panels(2, 2, height=2.9)
    for axes in (printed, zoomed):
        for name, (label, colour, dashes) in CURVES.items():
            axes.plot(table["round"], table[name], color=colour, linestyle=dashes)
            height = table[name].iloc[-1]
            axes.annotate(
                label,
                (0.98, height),
                xycoords=("axes fraction", "data"),
                xytext=(0, -10 if height > 0.5 else 4),
                textcoords="offset points",
                ha="right",
                color=colour,
            )
        axes.set(xlabel="round t (logarithmic)" if axes is zoomed else "round t", ylim=(-0.03, 1.03))
    printed.set(title="as printed", ylabel="probability of action 2", xlim=(0, table["round"].max()))
    zoomed.set(title="the same, time on a logarithmic axis", xscale="log", xlim=(1, table["round"].max()))
    zoomed.tick_params(labelleft=False)
    millions = FuncFormatter(lambda x, _: f"{x / 1e6:g} million" if x else "0")
    printed.xaxis.set_major_formatter(millions)
    printed.set_xticks([0, table["round"].max() / 2, table["round"].max()])
    eta = table["eta"].iloc[0]
    figure.suptitle(
        f"EXP3 with γ = η = {eta:g}, T = {thousands(table['round'].max())}: no simulation", fontsize="medium"
    )
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return the panel of both curves."""
    names = {"p": "P_t(2)", "p_neighbour": "P′_t(2), first loss changed"}
    return [
        Panel(
            title="probability of action 2",
            x="round",
            curves=[
                Curve(names[name], numbers, colour, DASHES[dashes], measures={"probability": Measure(name)})
                for name, (_, colour, dashes) in CURVES.items()
            ],
            labels=("round t", "probability of action 2"),
            log=(False, False),
        )
    ]


FIGURE = InteractiveFigure(
    title="Probability of action 2 under EXP3 on neighbouring sequences", draw=draw, panels=panels_of
)
