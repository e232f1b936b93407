"""wu2025, Theorem 4 and Corollary 2: exact regret with deterministic losses over K and T."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dpbandits.core.exhibit import Drawing, Figure
from dpbandits.papers.style import BLACK, GREY, panels
from dpbandits.papers.wu2025.figures._noises import NOISES, handles, line, marks, parts, say

FAMILIES: dict[str, Any] = {"equal": "-", "hidden": (0, (4, 1.5)), "geometric": (0, (1, 1))}


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


def between(axis: Axes, table: pd.DataFrame) -> None:
    """Draw regret of every instance between the bounds of Theorem A."""
    spread = (table["theorem_a_high"] - 1.0) / 4.0
    for noise, part in parts(table, "noise"):
        shift = 1.0 + 0.12 * (list(NOISES).index(noise) - 1.5)
        axis.semilogx(
            part["arms"] * shift, part["regret"] / spread[part.index], **{**marks(noise), "linestyle": ""}
        )
    for height, text in ((2.0, "at least 2 b s − 1, always"), (4.0, "at most 4 b s + 1, always")):
        axis.axhline(height, color=BLACK, linewidth=0.8)
        say(axis, table["arms"].min(), height + 0.04, text)
    axis.axhline(2.0 / np.log(2.0), color=GREY, linestyle=":", linewidth=1)
    axis.set(ylim=(1.7, 4.4), xlabel="K (actions)", ylabel="regret / b s", title="(b) every instance")


def over_horizon(axis: Axes, table: pd.DataFrame) -> None:
    """Draw regret over T for one instance."""
    for noise, part in parts(table, "noise"):
        axis.loglog(part["horizon"], part["regret"], **line(noise))
    axis.set(xlabel="T (rounds)", ylabel="pseudo-regret", title="(c) over T")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret over K in units of two rates, between the bounds of Theorem A, and over T."""
    (table,) = computed.values()
    arms = table[table["part"] == "arms"].reset_index(drop=True)
    horizon = table[table["part"] == "horizon"]
    figure, axes = panels(3, 3, height=3.1)
    over_arms(axes[0], arms.groupby(["family", "noise", "arms"], as_index=False)[["regret", "rate"]].max())
    between(axes[1], arms)
    over_horizon(axes[2], horizon)
    one = arms.iloc[0]
    figure.suptitle(
        f"deterministic losses, B = 0, exact: ε = {one['epsilon']:g}, smallest gap {one['gap']:g} to "
        f"{2 * one['gap']:g}, T = 2$^{{{np.log2(one['horizon']):g}}}$; (c) gaps (0, {one['gap']:g}, "
        f"{one['gap']:g}, 1, …, 1), K = {horizon['arms'].iloc[0]:,.0f}",
        fontsize="small",
    )
    gaps = [
        Line2D([], [], color=BLACK, linestyle=dashes, label=f"{name} gaps") for name, dashes in FAMILIES.items()
    ]
    figure.legend(handles=[*handles(list(NOISES)), *gaps], loc="outside lower center", ncols=4, fontsize="small")
    return figure, table


FIGURE = Figure(title="Exact regret with deterministic losses", draw=draw)
