"""wu2025, Theorem 4 and Corollary 2: exact regret with deterministic losses over K and T."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, Dashes
from dpbandits.core.numbers import power
from dpbandits.papers.style import LineOptions, panels
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise, handles, line, marks, parts, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILIES: Mapping[str, Dashes] = {"equal": "-", "hidden": (0, (4, 1.5)), "geometric": (0, (1, 1))}


def over_arms(axis: Axes, worst: pd.DataFrame) -> None:
    """Draw regret over K divided by log K/epsilon and by log^2 K/epsilon."""
    for (family, noise), part in parts(worst, ["family", "noise"]):
        look = {"color": NOISES[noise][1], "linestyle": FAMILIES[family]}
        axis.loglog(part["arms"], part["regret"] / part["rate"], **look)
        axis.loglog(part["arms"], part["regret"] / part["rate"] / np.log(part["arms"]), **look, alpha=0.35)
    last = worst["arms"].max()
    say(axis, last, 7.5, "log K/ε (Theorem 4): flat", ha="right")
    say(axis, last, 0.14, "log² K/ε (Corollary 2): falls", ha="right")
    ticks = (0.2, 0.5, 1, 2, 5)
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set(ylim=(0.12, 9.5), xlabel="K (actions)", ylabel="regret divided by rate", title="(a) over K")


def between(axis: Axes, table: pd.DataFrame, phase: pd.DataFrame, runs: pd.DataFrame) -> None:
    """Draw the smallest and largest regret of all instances between the bounds of Theorem A.

    Regret of a random phase, Theorem F, is hollow; means of ``runs`` of it, with Gumbel(2/epsilon), are crosses.
    """
    spread = (table["theorem_a_high"] - 1.0) / 4.0
    for noise, part in parts(table, "noise"):
        # Marks of all instances would hide those of other noises: of each K the extremes are joined.
        ends = (part["regret"] / spread[part.index]).groupby(part["arms"]).agg(["min", "max"])
        axis.semilogx(ends.index, ends, **line(noise))
    for noise, part in parts(phase, "noise"):
        shift = 1.0 + 0.2 * (list(NOISES).index(noise) - 1.5)
        hollow = {**marks(noise), "linestyle": "", "markerfacecolor": "none"}
        axis.semilogx(part["arms"] * shift, part["phase"] / part["b_s"], **hollow)
    if len(runs):
        sizes = 2.0 * np.log(runs["arms"]) / runs["epsilon"]
        errors = [(runs["mean"] - runs["mean_low"]) / sizes, (runs["mean_high"] - runs["mean"]) / sizes]
        look: LineOptions = {"color": BLACK, "marker": "x", "markersize": 4, "linestyle": "", "zorder": 4}
        axis.errorbar(runs["arms"], runs["mean"] / sizes, errors, **look)
    if len(phase):
        axis.axhline(np.e, color=BLACK, linewidth=0.8, linestyle="--")
        say(axis, table["arms"].min(), 2.3, "dashed: random phase, e b s")
    for height, text in ((2.0, "at least 2 b s − 1, always"), (4.0, "at most 4 b s + 1, always")):
        axis.axhline(height, color=BLACK, linewidth=0.8)
        say(axis, table["arms"].min(), height + 0.04, text)
    axis.axhline(2.0 / np.log(2.0), color=GREY, linestyle=":", linewidth=1)
    say(axis, table["arms"].min(), 3.7, "lines: least and most of all")
    say(axis, table["arms"].min(), 3.5, "dotted: mean over all gaps")
    axis.set(ylim=(1.7, 4.4), xlabel="K (actions)", ylabel="regret / b s", title="(b) every instance")


def over_horizon(axis: Axes, table: pd.DataFrame) -> None:
    """Draw regret over T for one instance."""
    for noise, part in parts(table, "noise"):
        axis.loglog(part["horizon"], part["regret"], **line(noise))
    axis.set(xlabel="T (rounds)", ylabel="pseudo-regret", title="(c) over T")


def draw(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret over K in units of two rates, between the bounds of Theorem A, and over T.

    A second computation, `random_phase`, and runs of that algorithm may stand beside the first.
    """
    from matplotlib.lines import Line2D

    table = pd.concat(computed.values(), ignore_index=True)
    phase = table[table["part"] == "phase"]
    arms = table[table["part"] == "arms"].reset_index(drop=True)
    horizon = table[table["part"] == "horizon"]
    figure, axes = panels(3, 3, height=3.1)
    over_arms(axes[0], arms.groupby(["family", "noise", "arms"], as_index=False)[["regret", "rate"]].max())
    between(axes[1], arms, phase, aggregates)
    over_horizon(axes[2], horizon)
    one = arms.iloc[0]
    figure.suptitle(
        f"Deterministic losses, not resampled, exact; ε = {one['epsilon']:g}, smallest gap {one['gap']:g} to "
        f"{2 * one['gap']:g}, T = {power(2, round(np.log2(one['horizon'])))}\n(c) gaps (0, {one['gap']:g}, "
        f"{one['gap']:g}, 1, …, 1), K = {horizon['arms'].iloc[0]:,.0f}",
        fontsize="small",
    )
    gaps = [
        Line2D([], [], color=BLACK, linestyle=dashes, label=f"{name} gaps") for name, dashes in FAMILIES.items()
    ]
    figure.legend(handles=[*handles(list(NOISES)), *gaps], loc="outside lower center", ncols=4, fontsize="small")
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return regret over K divided by its rates, between the bounds of Theorem A, and over T."""
    arms, horizon = numbers[numbers["part"] == "arms"], numbers[numbers["part"] == "horizon"]
    arms = arms.assign(rate_2=arms["rate"] * np.log(arms["arms"]), spread=(arms["theorem_a_high"] - 1.0) / 4.0)
    # Instances of equal K lie beside each other.
    aside = arms.groupby(["noise", "arms"]).cumcount() + 12 * arms["noise"].map(list(NOISES).index)
    arms = arms.assign(place=arms["arms"] * (1.0 + 0.01 * aside))
    worst = arms.loc[arms.groupby(["family", "noise", "arms"])["regret"].idxmax()]
    regret = {"pseudo-regret": Measure("regret")}
    over_k: list[Curve] = []
    for family, part in worst.groupby("family", sort=False):
        over_k += by_noise(part, regret, f", {family} gaps", FAMILIES[str(family)])
    every = by_noise(arms, regret, joined=False)
    found = [
        Panel(
            *("(a) over K", "arms", over_k, ("K (actions)", "pseudo-regret, largest over instances")),
            bounds={"log K/ε (Theorem 4)": "rate", "log² K/ε (Corollary 2)": "rate_2"},
            divided="log K/ε (Theorem 4)",
        ),
        Panel(
            *("(b) every instance", "place", every, ("K (actions)", "pseudo-regret")),
            bounds={"b s": "spread", "2 b s − 1": "theorem_a_low", "4 b s + 1": "theorem_a_high"},
            divided="b s",
        ),
        Panel("(c) over T", "horizon", by_noise(horizon, regret), ("T (rounds)", "pseudo-regret")),
    ]
    phase = numbers[numbers["part"] == "phase"]
    if len(phase):
        curves = by_noise(phase, {"expected pseudo-regret": Measure("phase")}, joined=False)
        bounds = {"b s": "b_s", "upper bound of Theorem F": "upper"}
        axes = ("b s", "expected pseudo-regret")
        found.append(Panel("(d) random phase", "b_s", curves, axes, bounds=bounds, divided="b s"))
    return found


FIGURE = InteractiveFigure(title="Exact regret with deterministic losses", draw=draw, panels=panels_of)
