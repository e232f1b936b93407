"""How the privacy loss of one round of EXP3 grows: on Figure 1's sequences, at worst, and when EXP3 plays."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, ORANGE, VERMILION
from dpbandits.papers.style import interval, panels, thousands

COLOURS = (BLUE, VERMILION, GREEN, ORANGE)


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw three panels."""
    (table,) = computed.values()
    figure, (designed, worst, sampled) = panels(3, 3, height=3.0)
    growth = table[table["part"] == "growth"]
    for eta, colour in zip(growth["eta"].unique(), COLOURS, strict=False):
        part = growth[growth["eta"] == eta]
        limit = math.log(2 / eta - 1)
        designed.plot(part["round"] * eta, part["loss"], color=colour)
        designed.axhline(limit, color=colour, linewidth=0.7, linestyle=":")
        designed.text(19.8, limit + 0.12, f"η = {eta:g}", color=colour, fontsize="small", ha="right")
    designed.set(
        title="the paper's sequences",
        xlabel="rounds, in units of 1/η",
        ylabel="privacy loss of a round",
        xlim=(0, 20),
    )
    enumerated = table[table["part"] == "worst"]
    for eta, colour in zip(enumerated["eta"].unique(), COLOURS, strict=False):
        rest = enumerated[(enumerated["eta"] == eta) & (enumerated["round"] > 1)]
        worst.plot(rest["round"], rest["loss"] / eta, color=colour, marker="o", markersize=3)
        last = rest.iloc[-1]
        worst.text(
            last["round"] + 0.3,
            last["loss"] / eta - 0.25,
            f"η = {eta:g}",
            color=colour,
            fontsize="small",
            va="center",
        )
    worst.axhline(2, color=BLACK, linewidth=0.8, linestyle="--")
    worst.text(17.4, 2.1, "full information", fontsize="x-small", ha="right")
    worst.set(title="the worst of all sequences", xlabel="round t", ylabel="privacy loss / η", ylim=(0, None))
    worst.set_xlim(1, 17.5)
    played = table[table["part"] == "sampled"]
    for horizon, colour in zip(played["horizon"].unique(), COLOURS, strict=False):
        rest = played[(played["horizon"] == horizon) & (played["round"] > 1)]
        sampled.plot(rest["round"], rest["loss"], color=colour)
        start = rest.iloc[0]
        title = f"T = {thousands(int(horizon))}"
        sampled.text(start["round"], 0.8 * start["loss"], title, color=colour, fontsize="x-small", va="top")
        interval(sampled, rest, "round", "loss_low", "loss_high", colour)
    sampled.set(
        title="EXP3's own actions", xlabel="round t", ylabel="mean privacy loss", xscale="log", yscale="log"
    )
    sampled.set_ylim(bottom=0.4 * played["loss"][played["round"] > 1].min())
    runs = int(played["runs"].max())
    figure.suptitle(
        f"The privacy loss of one round of EXP3 grows with the rounds before it (γ = η or 2η; right: {runs} runs)",
        fontsize="medium",
    )
    numbers = table[table["part"] != "figure-1"].dropna(axis="columns", how="all")
    return figure, numbers[np.isfinite(numbers["loss"])]


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return three panels: the paper's sequences, the worst of all, and EXP3's own actions."""
    later = (numbers["part"] == "growth") | (numbers["round"] > 1)
    numbers = numbers.assign(scaled=numbers["round"] * numbers["eta"], multiple=numbers["loss"] / numbers["eta"])
    parts = dict(list(numbers[later].groupby("part")))

    def of(part: str, by: str, letter: str, measure: Measure) -> list[Curve]:
        """Return a curve for each value of a column."""
        own = parts[part]
        return [
            Curve(f"{letter} = {value:,g}", own[own[by] == value], colour, measures={"privacy loss": measure})
            for value, colour in zip(own[by].unique(), COLOURS, strict=False)
        ]

    return [
        Panel(
            *("the paper's sequences", "scaled", of("growth", "eta", "η", Measure("loss"))),
            *(("rounds, in units of 1/η", "privacy loss of a round"), (False, False)),
        ),
        Panel(
            *("the worst of all sequences", "round", of("worst", "eta", "η", Measure("multiple"))),
            *(("round t", "privacy loss / η"), (False, False)),
        ),
        Panel(
            *("EXP3's own actions", "round"),
            of("sampled", "horizon", "T", Measure("loss", "loss_low", "loss_high")),
            ("round t", "mean privacy loss"),
        ),
    ]


FIGURE = InteractiveFigure(title="Growth of EXP3's privacy loss per round", draw=draw, panels=panels_of)
