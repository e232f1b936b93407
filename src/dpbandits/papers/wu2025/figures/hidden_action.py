"""wu2025, Theorem 3: regret on the instance of the lower bound, beside the bound as printed and as repaired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY
from dpbandits.papers.style import panels
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise, handles, line, parts, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def curves(axis: Axes, table: pd.DataFrame, x: str, printed: bool = True) -> None:
    """Draw the regret of every noise over ``x``, and the bounds where they are positive."""
    for noise, part in parts(table, "noise"):
        axis.loglog(part[x], part["regret"], **line(noise))
    bounds = table.drop_duplicates(x)
    axis.loglog(bounds[x], bounds["lower"].where(bounds["lower"] > 0), color=BLACK, label="repaired, at T")
    if printed:
        shown = bounds["lower_printed"].where(bounds["lower_printed"] > 0)
        axis.loglog(bounds[x], shown, color=GREY, linestyle=(0, (3, 1.5)), label="as printed, T = ∞")
        axis.legend(fontsize=7, title="lower bound", title_fontsize=7)
    axis.set_ylabel("pseudo-regret")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw regret and bounds over K, epsilon and T."""
    (table,) = computed.values()
    table = table[table["family"] == "hidden"]
    parts = dict(list(table.groupby("part")))
    figure, axes = panels(3, 3, height=3.1)
    curves(axes[0], parts["arms"], "arms")
    axes[0].set(xlabel="K (actions)", title="(a) over K")
    curves(axes[1], parts["epsilon"], "epsilon")
    axes[1].set(xlabel="budget ε", title="(b) over ε")
    curves(axes[2], parts["horizon"], "horizon", printed=False)
    last = parts["horizon"].iloc[-1]
    say(axes[2], last["horizon"], last["lower"] * 0.7, "lower bound at T", ha="right", va="top")
    axes[2].set(xlabel="T (rounds)", title="(c) over T", ylim=(0.3, None))
    one, other = parts["arms"].iloc[0], parts["epsilon"].iloc[0]
    figure.suptitle(
        f"gaps (0, {one['gap']:g}, {one['gap']:g}, 1, …, 1), deterministic losses, exact: "
        f"(a) ε = {one['epsilon']:g}; (b) K = {other['arms']:,.0f}; (a, b) T = 2$^{{{np.log2(one['horizon']):g}}}$",
        fontsize="small",
    )
    figure.legend(handles=handles(list(NOISES)), loc="outside lower center", ncols=4, fontsize="small")
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return regret over K, over ε and over T."""
    bounds = {"lower bound, repaired": "lower", "lower bound, as printed": "lower_printed"}
    return [
        Panel(
            title=title,
            x=x,
            curves=by_noise(numbers[numbers["part"] == x], {"pseudo-regret": Measure("regret")}),
            labels=(label, "pseudo-regret"),
            bounds=bounds,
        )
        for x, title, label in (
            ("arms", "(a) over K", "K (actions)"),
            ("epsilon", "(b) over ε", "budget ε"),
            ("horizon", "(c) over T", "T (rounds)"),
        )
    ]


FIGURE = InteractiveFigure(title="Regret on the instance of the lower bound", draw=draw, panels=panels_of)
