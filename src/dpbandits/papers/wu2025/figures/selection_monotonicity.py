"""wu2025, Lemma 1: selection probabilities in order of the means, with resampling and without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK
from dpbandits.papers.style import panels
from dpbandits.papers.wu2025.figures._noises import NOISES, handles, line, marks, parts, six

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Of exact probabilities, computed in doubles.
ROUNDING = 1e-12


def probabilities(axis: Axes, part: pd.DataFrame) -> None:
    """Draw P[J_r = j] over the epochs, a line for each action."""

    import matplotlib as mpl

    actions = int(part["j"].max())
    colours = mpl.colormaps["viridis"]
    for j, rows in parts(part, "j"):
        axis.plot(rows["r"], rows["probability"], color=colours((j - 1) / actions), marker=".")
        last = rows.iloc[0]
        if j in (1, actions):
            place = (last["r"], last["probability"])
            look = {"fontsize": 7, "color": colours((j - 1) / actions)}
            axis.annotate(f"j = {j:g}", place, (3, 5 if j == 1 else -9), textcoords="offset points", **look)
    axis.set(
        yscale="log",
        ylim=(1e-6, 1.5),
        xticks=part["r"].unique()[1::2],
        xlabel="epoch r",
        ylabel="P[J$_r$ = j], exact",
    )


def multiples(axis: Axes, part: pd.DataFrame) -> None:
    """Draw the largest j P[J_r = j] over the epochs for each noise."""
    part = part.assign(multiple=part["j"] * part["probability"])
    for noise, rows in parts(part, "noise"):
        largest = rows.groupby("r")["multiple"].max()
        axis.plot(largest.index, largest, **marks(noise))
    axis.axhline(1.0, color=BLACK, linewidth=0.8)
    axis.set(ylim=(0.0, 1.1), xticks=part["r"].unique()[1::2], xlabel="epoch r", ylabel="max$_j$ j P[J$_r$ = j]")


def rises(axis: Axes, part: pd.DataFrame) -> None:
    """Draw how much more often the second best action is selected than the best."""
    wide = part.pivot_table(index=["noise", "resampling", "r"], columns="j", values="probability")
    rise = (wide[2] - wide[1]).rename("rise").reset_index()
    for (noise, resampling), rows in parts(rise, ["noise", "resampling"]):
        axis.plot(rows["r"], rows["rise"], marker=".", **line(noise, resampling))
    axis.axhline(0.0, color=BLACK, linewidth=0.8)
    axis.set(xticks=part["r"].unique()[1::2], xlabel="epoch r", ylabel="P[J$_r$ = 2] − P[J$_r$ = 1]")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw monotone probabilities, their multiples, and how they fail without resampling."""
    (table,) = computed.values()
    profile, search = table[table["part"] == "profile"], table[table["part"] == "search"]
    spread = profile[profile["instance"] == "spread means"]
    figure, axes = panels(3, 3, height=2.9)
    probabilities(axes[0], spread[spread["noise"] == "laplace"])
    axes[0].set_title("(a) B = 1, Laplace noise")
    multiples(axes[1], spread)
    axes[1].set_title("(b) B = 1: P[J$_r$ = j] ≤ 1/j")
    rises(axes[2], profile[profile["instance"] == "misleading losses"])
    axes[2].set_title("(c) misleading losses")
    noises = [noise for noise in NOISES if noise in set(profile["noise"])]
    figure.legend(handles=handles(noises, resampling=True), loc="outside lower center", ncols=5, fontsize="small")
    rise, multiple = search["rise"].max(), search["multiple"].max()
    found = "none breaks the order" if rise <= ROUNDING else f"the order is broken by {rise:.1g}"
    within = "none exceeds 1/j" if multiple <= 1.0 + ROUNDING else f"1/j is exceeded by {multiple - 1.0:.1g}"
    figure.suptitle(f"With resampling, of {len(search)} random instances {found}, and {within}", fontsize="medium")
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return selection probabilities over the epochs, with resampling by action, and without for two actions."""

    import matplotlib as mpl

    profile = numbers[numbers["part"] == "profile"]
    spread = profile[(profile["instance"] == "spread means") & (profile["noise"] == "laplace")]
    misled = profile[(profile["instance"] == "misleading losses") & profile["j"].isin([1, 2])]
    probability, labels = {"probability": Measure("probability")}, ("epoch r", "P[J_r = j], exact")
    actions = int(spread["j"].max())
    colours = mpl.colormaps["viridis"]
    by_action = [
        Curve(f"j = {j:g}", rows, mpl.colors.to_hex(colours((j - 1) / actions)), measures=probability)
        for j, rows in parts(spread, "j")
    ]
    found = [Panel("(a) B = 1, Laplace noise", "r", by_action, labels, (False, True))]
    for j, part in parts(misled, "j"):
        title = f"(c) misleading losses, j = {j:g}"
        found.append(Panel(title, "r", six(part, probability), labels, (False, False)))
    return found


FIGURE = InteractiveFigure(title="Selection probabilities in order of the means", draw=draw, panels=panels_of)
