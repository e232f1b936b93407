"""wu2025, Remark 4: the smallest constant c1 of the conjecture, over c2, K and the length of an epoch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region, Ticks, at
from dpbandits.core.labels import DOTTED, GREY
from dpbandits.core.numbers import number, power
from dpbandits.papers.style import computed_rows, shades
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise

NEEDED = {"log₁₀ of c₁": Measure("log10_c1")}
LABEL = "log₁₀ of the smallest c₁"
LOG = (True, False)


def shaded(table: pd.DataFrame, by: str, words: Callable[[float], str], palette: str) -> list[Curve]:
    """Return a curve for each value of a column, ascending, from dark to light.

    Parameters
    ----------
    table
        Rows of all curves, with their height ``log10_c1``.
    by
        Name of the column.
    words
        Function that returns a curve's name from its value in the column.
    palette
        Name of a palette of Matplotlib.
    """
    colours = shades(table[by], palette, end=0.85)
    return [
        Curve(words(value), table[table[by] == value], colour, measures=NEEDED) for value, colour in colours.items()
    ]


def powers(*exponents: int) -> Ticks:
    """Return ticks at 10 to the power of each exponent, labelled such as ``10²``."""
    return {10.0**exponent: power(10, exponent) for exponent in exponents}


def constants(table: pd.DataFrame) -> Panel:
    """Describe a panel of the c1 that the bound of wu2025, Remark 4, needs, over the number K of actions.

    It is drawn at the smallest c2 that two actions leave, ``slowest``, as conjectured. It is also drawn with c2
    above the bound's fraction bar and another constant c3 below it. ``table`` is that of the computation
    ``conjecture``: ``log10_c1`` by ``part, noise, arms, c2, c3``, and ``slowest``.
    """
    shown = table[(table["c2"] == table["slowest"]) | (table["c2"] != table["c3"])]
    crowd = shown[shown["part"] == "crowd"].sort_values("arms")
    one = crowd["c2"] == crowd["c3"]
    searched = shown[(shown["part"] == "search") & (shown["c2"] != shown["c3"])]
    return Panel(
        title="(c) at the smallest c₂",
        x="arms",
        curves=[
            *by_noise(crowd[one], NEEDED, ", c₂ above and below (conjectured)"),
            *by_noise(crowd[~one], NEEDED, ", another constant below", DOTTED),
            # Of the instances of a noise that have K actions, the one that needs most.
            *by_noise(
                searched.loc[searched.groupby(["noise", "arms"])["log10_c1"].idxmax()].sort_values("arms"),
                NEEDED,
                ", another below (by search)",
                joined=False,
            ),
        ],
        labels=("K (actions)", "log₁₀ of the c₁ for K actions"),
        log=LOG,
        limits=(None, (-0.5, 1.1 * shown["log10_c1"].max())),
        ticks=(powers(2, 16, 32), {}),
    )


def plot(table: pd.DataFrame, noise: str) -> Plot:
    """Describe three panels of the c1 that Remark 4's bound needs: over c2, over n rounds, and over K actions.

    The first is of crowds of bad actions, the second of two actions. The third also has another constant below the
    bound's fraction bar. ``table`` is that of the computation ``conjecture``: ``log10_c1`` by ``part, noise, arms,
    n, c2, c3``, with ``kappa`` and ``slowest``. ``noise`` is the one of the first two panels, such as ``gumbel``.
    """
    # c2 is the constant above the fraction bar and c3 that below it: the conjecture has c2 = c3. Two actions rule
    # out any c2 below ``slowest``. If losses are not random, P[J_r = j] is about exp(-x_j/kappa).
    chosen = table[(table["noise"] == noise) & (table["c2"] == table["c3"])]
    critical, kappa = chosen["slowest"].iloc[0], chosen["kappa"].iloc[0]
    crowd = chosen[(chosen["part"] == "crowd") & (chosen["c2"] >= critical)].sort_values("c2")
    two = chosen[(chosen["part"] == "two actions") & (chosen["c2"] <= critical)].sort_values("n")
    # The axis of (a) begins somewhat below ``critical``, to show what two actions rule out.
    low, name = critical / 1.6, NOISES[noise][0]
    return Plot(
        title="The constant that the conjecture needs grows with K: no constant is enough for every K",
        conditions=(
            f"Remark 4: P[Jᵣ = j] ≤ c₁ exp(−xⱼ/c₂) / (1 + Σᵢ exp(−xᵢ/c₂)), xᵢ = 2ʳ⁺¹ Δᵢ ε, of gaps Δᵢ > ε\n"
            f"Exact; (a, b) {name}; above and below: of this fraction bar"
        ),
        panels=[
            Panel(
                title="(a) a crowd of bad actions",
                x="c2",
                curves=shaded(crowd, "arms", lambda k: f"K = {power(10, round(np.log10(k)))}", "viridis"),
                labels=("c₂", LABEL),
                log=LOG,
                limits=((low, crowd["c2"].max()), None),
                ticks=(at(*(round(c, 1) for c in (critical, 2 * kappa, 4 * kappa))), {}),
                regions=(Region("two actions leave no c₁ at all", (low, critical), None, GREY),),
                named_at_ends=True,
            ),
            Panel(
                title="(b) two actions",
                x="n",
                curves=shaded(two, "c2", lambda c: f"c₂ = {number(c)}", "plasma"),
                labels=("n = 2ʳ⁻¹ (rounds)", "log₁₀ of the c₁ for n rounds"),
                log=LOG,
                named_at_ends=True,
            ),
            constants(table),
        ],
        columns=3,
        height=3.4,
    )


FIGURE = PlottedFigure(
    title="The conjecture of Remark 4: constants that survive",
    numbers=computed_rows,
    plot=plot,
    options={"noise": Option("gumbel", "noise of the first two panels")},
)
