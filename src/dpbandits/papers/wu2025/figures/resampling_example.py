"""wu2025, Section 3.1: the example of Bernoulli resampling as printed and repaired, and what resampling costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, Dashes
from dpbandits.core.numbers import number
from dpbandits.papers.style import LineOptions, panels
from dpbandits.papers.wu2025.figures._noises import handles, line, parts, say, six

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOISES = ["laplace", "exponential", "gumbel"]
DASHES: Mapping[str, Dashes] = {"printed": "-", "repaired": (0, (5, 1.5)), "rare losses": (0, (1, 1))}


def selection(axis: Axes, table: pd.DataFrame) -> None:
    """Draw P[J_1 = 2] over the budget for all six variants."""
    for (noise, resampling), part in parts(table, ["noise", "resampling"]):
        axis.semilogx(part["epsilon"], part["probability"], **line(noise, resampling))
    first, last = table["epsilon"].min(), table["epsilon"].max()
    axis.axhline(0.5, color=BLACK, linewidth=0.8)
    axis.axhline(0.8, color=GREY, linewidth=0.8, linestyle=":")
    say(axis, first, 0.81, " 0.8: as the paper says\n of B = 0 for ε = ∞")
    axis.set(xlim=(first, last), ylim=(0.1, 0.95), yticks=(0.2, 0.35, 0.5, 0.65, 0.8), xlabel="budget ε")


def ratio(axis: Axes, table: pd.DataFrame) -> None:
    """Draw regret with resampling divided by regret without over T, for each example."""
    wide = table.pivot_table(index=["example", "noise", "round"], columns="resampling", values="regret")
    quotient = (wide[1] / wide[0]).rename("ratio").reset_index()
    for (example, noise), part in parts(quotient, ["example", "noise"]):
        look: LineOptions = {**line(noise), "linestyle": DASHES[example]}
        axis.loglog(part["round"], part["ratio"], **look)
    axis.axhline(1.0, color=BLACK, linewidth=0.8)
    say(axis, quotient["round"].max() / 1.3, 0.57, "the three noises\nlie upon each other", ha="right")
    for example, dashes in DASHES.items():
        axis.plot([], [], color=BLACK, linestyle=dashes, label=example)
    axis.legend(fontsize=7, loc="upper left", title="example", title_fontsize=7)
    axis.set(xlim=(1, quotient["round"].max()), xlabel="T (rounds)", ylabel="regret, B = 1 ÷ B = 0")
    ticks = (0.8, 1, 2, 4, 8, 16)
    axis.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the selection of the worse action in both examples, and the ratio of regrets in all."""
    (table,) = computed.values()
    selected = table[table["part"] == "selection"]
    costs = table[table["part"] == "regret"]
    figure, axes = panels(3, 3, height=3.0)
    for axis, example in zip(axes, ("printed", "repaired"), strict=False):
        selection(axis, selected[selected["example"] == example])
    axes[0].set(title="(a) the example as printed", ylabel="P[J$_1$ = 2], exact")
    axes[1].set(title="(b) repaired", ylabel="")
    axes[1].tick_params(labelleft=False)
    followed = costs["epsilon"].max()
    ratio(axes[2], costs[costs["epsilon"] == followed])
    axes[2].set_title(f"(c) regret, ε = {number(followed)}")
    figure.legend(handles=handles(NOISES, resampling=True), loc="outside lower center", ncols=5, fontsize="small")
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return the selection of the worse action in both examples, and regrets with and without resampling."""
    numbers = numbers.assign(half=0.5, printed=0.8)
    selected, costs = (numbers[numbers["part"] == part] for part in ("selection", "regret"))
    followed = costs[costs["epsilon"] == costs["epsilon"].max()]
    found = [
        Panel(
            *(f"the example {name}: P[J_1 = 2], exact", "epsilon"),
            six(selected[selected["example"] == name], {"probability": Measure("probability")}),
            *(("budget ε", "P[J_1 = 2]"), (True, False)),
            bounds={"1/2": "half", "0.8, as the paper says of B = 0 for ε = ∞": "printed"},
        )
        for name in ("printed", "repaired")
    ]
    for example, part in followed.groupby("example", sort=False):
        regret = six(part, {"regret": Measure("regret")})
        found.append(Panel(f"regret, example: {example}", "round", regret, ("T (rounds)", "pseudo-regret")))
    return found


FIGURE = InteractiveFigure(title="The example of Bernoulli resampling", draw=draw, panels=panels_of)
