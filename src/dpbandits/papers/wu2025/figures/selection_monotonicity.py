"""wu2025, Lemma 1: selection probabilities in order of the means, with resampling and without."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_alone, shades
from dpbandits.papers.wu2025.figures._noises import by_noise, parts, six

# Of exact probabilities, computed in doubles.
ROUNDING = 1e-12
LINEAR = (False, False)


def probabilities(spread: pd.DataFrame) -> Panel:
    """Describe P[J_r = j] over the epochs, a line for each action."""
    # Up to the epoch at which one becomes too rare for the axis.
    rare = spread.loc[spread["probability"] < 1e-6, "r"].min()
    spread = spread[spread["r"] < rare] if rare > 1 else spread
    colours = shades(spread["j"], "viridis", end=0.85)
    return Panel(
        title="(a) with resampling, Laplace",
        x="r",
        curves=[
            Curve(f"j = {j:g}", rows, colours[j], measures={"probability": Measure("probability")}, mark=".")
            for j, rows in parts(spread, "j")
        ],
        labels=("epoch r", "P[Jᵣ = j], exact"),
        log=(False, True),
        named_at_ends=True,
    )


def multiples(spread: pd.DataFrame) -> Panel:
    """Describe the largest j P[J_r = j] over the epochs for each noise."""
    multiple = spread.assign(multiple=spread["j"] * spread["probability"])
    largest = multiple.groupby(["noise", "r"])["multiple"].max().reset_index()
    return Panel(
        title="(b) with resampling",
        x="r",
        curves=by_noise(largest, {"largest multiple": Measure("multiple")}),
        labels=("epoch r", "largest j·P[Jᵣ = j]"),
        log=LINEAR,
        limits=(None, (0.0, 1.1)),
        regions=(Region("the lemma's bound", None, (1.0, 1.0), BLACK),),
    )


def rises(misled: pd.DataFrame) -> Panel:
    """Describe how much more often the second best action is selected than the best."""
    wide = misled.pivot_table(index=["noise", "resampling", "r"], columns="j", values="probability")
    rise = (wide[2] - wide[1]).rename("rise").reset_index()
    return Panel(
        title="(c) misleading losses",
        x="r",
        curves=six(rise, {"difference": Measure("rise")}),
        labels=("epoch r", "P[Jᵣ = 2] − P[Jᵣ = 1]"),
        log=LINEAR,
        regions=(Region("equally often", None, (0.0, 0.0), BLACK),),
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe monotone probabilities, their multiples, and how they fail without resampling."""
    profile, search = table[table["part"] == "profile"], table[table["part"] == "search"]
    spread = profile[profile["instance"] == "spread means"]
    rise, multiple = search["rise"].max(), search["multiple"].max()
    found = "none breaks the order" if rise <= ROUNDING else f"the order is broken by {number(rise, 1)}"
    within = "none exceeds 1/j" if multiple <= 1.0 + ROUNDING else f"1/j is exceeded by {number(multiple - 1.0, 1)}"
    return Plot(
        title="With resampling a better action is selected more often; without it that can fail",
        conditions=f"Exact. With resampling, of {len(search)} random instances {found}, and {within}",
        panels=[
            probabilities(spread[spread["noise"] == "laplace"]),
            multiples(spread),
            rises(profile[profile["instance"] == "misleading losses"]),
        ],
        columns=3,
        height=3.4,
    )


FIGURE = PlottedFigure(title="Selection probabilities in order of the means", numbers=computed_alone, plot=plot)
