"""wu2025, Theorems 1 and 2, Corollary 1: regret with random losses over T, K and epsilon, exact and sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, Dashes
from dpbandits.papers.style import panels, runs
from dpbandits.papers.wu2025.figures._noises import NOISES, WITHOUT, by_noise, handles, line, parts, say, six
from dpbandits.settings.full_information import theory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PRINTED = ["laplace", "exponential", "gumbel"]
POINTS = ["title", "noise", "resampling", "epsilon", "arms", "round", "runs", "mean", "mean_low", "mean_high"]
FAMILIES: Mapping[str, Dashes] = {"equal": "-", "hidden": (0, (4, 1.5)), "ladder": (0, (1, 1))}


def sampled(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the simulated variants with their noise and B, from titles."""
    names = {f"RNM-FTNL ({name.capitalize()})": name for name in PRINTED}
    known = aggregates[aggregates["title"].isin(names)]
    if known.empty:
        raise BadInput("experiments", list(aggregates["title"].unique()), f"runs of {', '.join(names)}")
    return known.assign(noise=known["title"].map(names))


def over_horizon(axis: Axes, exact: pd.DataFrame, runs_of: pd.DataFrame) -> None:
    """Draw exact regret over T for six variants, simulated means on it, and the two rates."""

    from matplotlib.lines import Line2D

    for (noise, resampling), part in parts(exact, ["noise", "resampling"]):
        axis.loglog(part["horizon"], part["regret"], **line(noise, resampling))
    for (noise, _), part in parts(runs_of, ["noise", "resampling"]):
        few = part[part["round"] >= 4].iloc[::4]
        errors = [few["mean"] - few["mean_low"], few["mean_high"] - few["mean"]]
        axis.errorbar(
            few["round"],
            few["mean"],
            errors,
            fmt=NOISES[noise][2],
            color=NOISES[noise][1],
            ms=3,
            lw=0.8,
            capsize=1.5,
        )
    rounds = np.geomspace(2, exact["horizon"].max(), 50)
    of = (exact["arms"].iloc[0], exact["epsilon"].iloc[0], exact["gap"].iloc[0])
    axis.loglog(rounds, [theory.earlier_rate(*of, t) for t in rounds], color=BLACK, linestyle=":", linewidth=1)
    axis.axhline(theory.new_rate(*of), color=GREY, linestyle=":", linewidth=1)
    known = [Line2D([], [], color=BLACK, label="resampled, B = 1")]
    known.append(Line2D([], [], color=BLACK, linestyle=WITHOUT, label="not, B = 0"))
    known.append(Line2D([], [], color=BLACK, linestyle=":", linewidth=1, label="rate of Theorem 1"))
    known.append(Line2D([], [], color=GREY, linestyle=":", linewidth=1, label="rate of Theorem 2"))
    axis.legend(handles=known, fontsize=7, loc="lower right")
    axis.set(xlabel="T (rounds)", ylabel="pseudo-regret", title="(b) flat in T, with resampling and without")


def over_arms(axis: Axes, table: pd.DataFrame) -> None:
    """Draw regret with equal gaps over K, divided by both rates."""
    for noise, part in parts(table[table["family"] == "equal"], "noise"):
        colour = NOISES[noise][1]
        axis.loglog(part["arms"], part["regret"] / part["lower_rate"], color=colour)
        axis.loglog(part["arms"], part["regret"] / part["new_rate"], color=colour, linestyle=(0, (1, 1)))
    last = table["arms"].max()
    say(axis, last, 4.2, "solid: ÷ (log K/Δ + log K/ε), flat", ha="right", va="bottom")
    say(axis, last, 0.055, "dotted: ÷ (log K/Δ + log² K/ε), falls", ha="right", va="bottom")
    axis.set(xlabel="K (actions)", ylabel="regret divided by a rate", title="(a) log K/ε is enough")
    axis.set(ylim=(0.05, 6))


def draw(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret over K divided by both rates, and over T."""
    (table,) = computed.values()
    parts = dict(list(table.groupby("part")))
    figure, axes = panels(2, 2, height=3.4)
    drawn = sampled(aggregates)
    over_arms(axes[0], parts["arms"])
    over_horizon(axes[1], parts["horizon"], drawn)
    one, many = parts["horizon"].iloc[0], parts["arms"].iloc[0]
    figure.suptitle(
        f"Exact pseudo-regret (lines): (a) equal gaps, ε = {many['epsilon']:g}, Δ = {many['gap']:g}; "
        f"(b) K = {one['arms']:g}, ε = {one['epsilon']:g}\nmarks: means of {runs(drawn)}, with intervals",
        fontsize="small",
    )
    figure.legend(handles=handles(PRINTED), loc="outside lower center", ncols=3, fontsize="small")
    points = drawn[
        ["title", "noise", "resampling", "epsilon", "arms", "round", "runs", "mean", "mean_low", "mean_high"]
    ]
    numbers = pd.concat([table, points.assign(part="sampled")], ignore_index=True)
    return figure, numbers


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return regret over T, exact and of runs, over K, over ε, and for the worst gap."""
    of_part = dict(list(numbers.groupby("part")))
    regret = {"pseudo-regret": Measure("regret")}
    horizon = of_part["horizon"]
    of = (horizon["arms"].iloc[0], horizon["epsilon"].iloc[0], horizon["gap"].iloc[0])
    horizon = horizon.assign(
        earlier=[theory.earlier_rate(*of, t) if t > 1 else np.nan for t in horizon["horizon"]],
        new=theory.new_rate(*of),
    )
    drawn = of_part["sampled"].assign(horizon=of_part["sampled"]["round"])
    runs_of = [
        Curve(f"{NOISES[noise][0]}, B = {int(b)}, runs", part, NOISES[noise][1], (0, (1, 2)))
        for (noise, b), part in parts(drawn, ["noise", "resampling"])
    ]

    def over(part: str, x: str, title: str, label: str) -> Panel:
        """Return a panel of families of gaps."""
        found: list[Curve] = []
        for family, own in of_part[part].groupby("family", sort=False):
            found += by_noise(own, regret, f", {family} gaps", FAMILIES[str(family)])
        rates = {
            "log K/Δ + log K/ε": "lower_rate",
            "log K/Δ + log² K/ε (Theorem 2)": "new_rate",
            "the bound of Theorem B": "theorem_b",
        }
        return Panel(title, x, found, (label, "pseudo-regret"), bounds=rates)

    crowd: list[Curve] = []
    for arms, own in of_part["independent"].groupby("arms"):
        crowd += by_noise(own, regret, f", K = {arms:,.0f}")
    words = "(d) whatever the gap, √(T log K) + log K/ε"
    free = {"√(T log K) + log K/ε": "lower_rate", "the bound of Theorem C": "theorem_c"}
    return [
        Panel(
            *("(a) over T, six variants", "horizon", [*six(horizon, regret), *runs_of]),
            ("T (rounds)", "pseudo-regret"),
            bounds={"rate of Theorem 1": "earlier", "rate of Theorem 2": "new"},
        ),
        over("arms", "arms", "(b) over K, families of gaps", "K (actions)"),
        over("epsilon", "epsilon", "(c) over ε, families of gaps", "budget ε"),
        Panel(words, "horizon", crowd, ("T (rounds)", "worst pseudo-regret"), bounds=free),
    ]


FIGURE = InteractiveFigure(title="Regret with random losses over T, K and ε", draw=draw, panels=panels_of)
