"""wu2025, Remark 4: the smallest constant c1 of the conjecture, over c2, K and the length of an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK
from dpbandits.core.numbers import power
from dpbandits.core.options import Option
from dpbandits.papers.style import panels
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise, handles, marks, parts, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def frontier(axis: Axes, crowd: pd.DataFrame, critical: float) -> None:
    """Draw the c1 that the crowd needs over c2, for several K; left of ``critical`` no c1 is enough."""

    import matplotlib as mpl

    colours = mpl.colormaps["viridis"]
    numbers = sorted(crowd["arms"].unique())
    for i, arms in enumerate(numbers):
        part = crowd[crowd["arms"] == arms].sort_values("c2")
        colour = colours(i / len(numbers))
        axis.semilogx(part["c2"], part["log10_c1"], color=colour, marker=".")
        end = part.iloc[-1]
        words = f"  K = {power(10, round(np.log10(arms)))}"
        say(axis, end["c2"] * 1.02, end["log10_c1"], words, color=colour, va="center")
    low, high, top = critical / 1.6, crowd["c2"].max(), crowd["log10_c1"].max()
    axis.axvspan(low, critical, color="#DADADA", linewidth=0)
    say(axis, critical / 1.25, top / 2, "no c$_1$ at all: two actions", rotation=90, ha="center", va="center")
    axis.set(xlim=(low, high * 2.2), xlabel="c$_2$", ylabel="log$_{10}$ of the smallest c$_1$")
    ticks = [round(critical, 1), *(factor * crowd["kappa"].iloc[0] for factor in (1.5, 2, 4))]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()


def growth(axis: Axes, table: pd.DataFrame) -> None:
    """Draw the c1 that two actions need over n for c2 up to the critical one."""

    import matplotlib as mpl

    colours = mpl.colormaps["plasma"]
    values = sorted(c2 for c2 in table["c2"].unique())
    for i, c2 in enumerate(values):
        part = table[table["c2"] == c2].sort_values("n")
        colour = colours(i / len(values))
        axis.semilogx(part["n"], part["log10_c1"], color=colour, base=2)
        end = part.iloc[-1]
        say(axis, end["n"] * 1.3, end["log10_c1"], f"c$_2$ = {c2:.3g}", color=colour, va="center")
    axis.set(xlim=(None, table["n"].max() * 8), xlabel="n = 2$^{r-1}$ (rounds)")
    axis.set_ylabel("log$_{10}$ of the smallest c$_1$")


def constants(axis: Axes, table: pd.DataFrame) -> None:
    """Draw the c1 needed over K, at best with one constant, and with two."""
    for noise, part in parts(table, "noise"):
        crowd = part[part["part"] == "crowd"].sort_values("arms")
        one, two = crowd[crowd["c2"] == crowd["c3"]], crowd[crowd["c2"] != crowd["c3"]]
        axis.semilogx(one["arms"], one["log10_c1"], **marks(noise))
        axis.semilogx(two["arms"], two["log10_c1"], **marks(noise), linestyle=(0, (1, 1)))
        drawn = part[(part["part"] == "search") & (part["c2"] != part["c3"])]
        axis.semilogx(drawn["arms"], drawn["log10_c1"], ".", color=NOISES[noise][1], ms=2, alpha=0.4)
    axis.plot([], [], color=BLACK, label="one constant, smallest c$_2$")
    axis.plot([], [], color=BLACK, linestyle=(0, (1, 1)), label="two constants")
    axis.plot([], [], ".", color=BLACK, label="two, instances searched")
    axis.legend(fontsize=7, loc="upper left")
    axis.set(
        xticks=[10.0**k for k in (2, 8, 16, 24, 32)],
        ylim=(-0.5, 1.5 * table["log10_c1"].max()),
        xlabel="K (actions)",
        ylabel="log$_{10}$ of the smallest c$_1$",
    )


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame], noise: str) -> Drawing:
    """Draw the frontier of constants, the growth for two actions, and what two constants change."""
    (table,) = computed.values()
    chosen = table[(table["noise"] == noise) & (table["c2"] == table["c3"])]
    critical = chosen["slowest"].iloc[0]
    figure, axes = panels(3, 3, height=3.2)
    frontier(axes[0], chosen[(chosen["part"] == "crowd") & (chosen["c2"] >= critical)], critical)
    growth(axes[1], chosen[(chosen["part"] == "two actions") & (chosen["c2"] <= critical)])
    constants(axes[2], table[(table["c2"] == table["slowest"]) | (table["c2"] != table["c3"])])
    title = NOISES[noise][0]
    figure.suptitle("The constant that the conjecture needs grows with K: no constant is enough", fontsize="medium")
    axes[0].set_title(f"(a) a crowd, {title}")
    axes[1].set_title(f"(b) two actions, {title}")
    axes[2].set_title("(c) one constant or two")
    figure.legend(
        handles=handles(list(table["noise"].unique())), loc="outside lower center", ncols=4, fontsize="small"
    )
    return figure, table


def panels_of(numbers: pd.DataFrame, noise: str) -> list[Panel]:
    """Return the c1 that instances need, as logarithms: over c2, over the length of an epoch, and over K."""

    import matplotlib as mpl

    needed = {"log10 of c1": Measure("log10_c1")}
    chosen = numbers[(numbers["noise"] == noise) & (numbers["c2"] == numbers["c3"])]
    critical = chosen["slowest"].iloc[0]

    def shaded(table: pd.DataFrame, by: str, words: str, palette: str) -> list[Curve]:
        """Return a curve for each value of a column, from dark to light."""
        values = sorted(table[by].unique())
        colours = mpl.colormaps[palette]
        return [
            Curve(
                words.format(value),
                table[table[by] == value],
                mpl.colors.to_hex(colours(i / len(values))),
                measures=needed,
            )
            for i, value in enumerate(values)
        ]

    crowd = chosen[(chosen["part"] == "crowd") & (chosen["c2"] >= critical)].sort_values("c2")
    two = chosen[(chosen["part"] == "two actions") & (chosen["c2"] <= critical)].sort_values("n")
    last = numbers[
        (numbers["part"] == "crowd") & ((numbers["c2"] == numbers["slowest"]) | (numbers["c2"] != numbers["c3"]))
    ].sort_values("arms")
    one = last["c2"] == last["c3"]
    label, title = "log10 of the smallest c1", NOISES[noise][0]
    return [
        Panel(
            *(f"(a) a crowd, {title}", "c2", shaded(crowd, "arms", "K = {:.0e}", "viridis")),
            *(("c2", label), (True, False)),
        ),
        Panel(
            *(f"(b) two actions, {title}", "n", shaded(two, "c2", "c2 = {:.3g}", "plasma")),
            *(("n = 2^(r−1) (rounds)", label), (True, False)),
        ),
        Panel(
            *("(c) one constant or two", "arms"),
            [
                *by_noise(last[one], needed, ", one constant"),
                *by_noise(last[~one], needed, ", two constants", (0, (1, 1))),
            ],
            *(("K (actions)", label), (True, False)),
        ),
    ]


FIGURE = InteractiveFigure(
    title="The conjecture of Remark 4: constants that survive",
    draw=draw,
    panels=panels_of,
    options={"noise": Option("gumbel", "noise of the first two panels")},
)
