"""wu2025, Section 3.1: the example of Bernoulli resampling as printed and repaired, and what resampling costs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Note, Panel, Plot, PlottedFigure, Region, at
from dpbandits.core.labels import BLACK, GREY, PURPLE, Look
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows
from dpbandits.papers.wu2025.figures._noises import NOISES, parts, six_variants

# Colours are those of no noise, and lines are solid: dashes say in the other panels what B is.
EXAMPLES: Mapping[str, Look] = {
    "printed": Look(BLACK, "-", "o"),
    "repaired": Look(PURPLE, "-", "s"),
    "rare losses": Look(GREY, "-", "^"),
}
# Of exact probabilities, computed in doubles.
ROUNDING = 1e-12
# Ratios of noises that differ by no more are one line on paper.
ALIKE = 0.02
# Factor that leaves room for the last marks on a logarithmic axis.
ROOM = 1.3
AS_PAPER = "0.8: as the paper says of B = 0 for ε = ∞"


def selection(title: str, table: pd.DataFrame) -> Panel:
    """Describe a panel of the worse action's probability over the budget, by noise, with resampling or without.

    ``table`` has this ``probability`` by ``noise, resampling`` and ``epsilon`` in one example.
    """
    return Panel(
        title=title,
        x="epsilon",
        curves=six_variants(table, {"probability": Measure("probability")}),
        labels=("budget ε", "P[worse action in round 1]"),
        log=(True, False),
        limits=((table["epsilon"].min() / ROOM, table["epsilon"].max() * ROOM), (0.1, 0.95)),
        ticks=({}, at(0.2, 0.35, 0.5, 0.65, 0.8)),
        regions=(Region("1/2", None, (0.5, 0.5), BLACK), Region(AS_PAPER, None, (0.8, 0.8), GREY)),
    )


def ratio(table: pd.DataFrame, epsilon: float) -> Panel:
    """Describe a panel of regret with resampling divided by regret without, over T, at one budget.

    ``table`` has ``regret`` by ``example, noise, resampling`` and ``round`` at this budget. Each noise has a line
    of the example's look, and a note says if they lie upon each other.
    """
    curves: list[Curve] = []
    apart = 0.0
    for example, look in EXAMPLES.items():
        own = table[table["example"] == example]
        key = ["noise", "round"]
        without = own[own["resampling"] == 0].set_index(key)["regret"].rename("without")
        with_it = own[own["resampling"] == 1].join(without, on=key)
        quotient = with_it.assign(ratio=with_it["regret"] / with_it["without"]).sort_values("round")
        over = quotient.groupby("round")["ratio"]
        apart = max(apart, float((over.max() / over.min()).max()) - 1.0)
        for noise, rows in parts(quotient, "noise"):
            name = f"{example} example"
            measure = {f"ratio, {NOISES[noise][0]}": Measure("ratio")}
            curves.append(Curve(name, rows, look.colour, look.dashes, measure, mark=look.mark, width=1.0))
    last = table["round"].max()
    same = "the three noises\nlie upon each other" if apart <= ALIKE else "a line for each noise"
    return Panel(
        title=f"(c) regret, ε = {number(epsilon)}",
        x="round",
        curves=curves,
        labels=("T (rounds)", "regret with ÷ without"),
        limits=((1 / ROOM, last * ROOM**2), (0.42, 18)),
        ticks=({}, at(0.8, 1, 2, 4, 8, 16)),
        regions=(Region("", None, (1.0, 1.0), BLACK),),
        notes=(Note(last / 1.3, 0.48, same, side="left"),),
    )


def _finding(table: pd.DataFrame, followed: float) -> str:
    """Return what resampling does in the printed example: to the worse action, and to regret at the horizon."""
    own = table[table["example"] == "printed"]
    wide = own.pivot_table(index=["noise", "epsilon"], columns="resampling", values="probability")
    often = "at least as often" if bool((wide[1] >= wide[0] - ROUNDING).all()) else "in places less often"
    last = own[(own["round"] == own["round"].max()) & (own["epsilon"] == followed)]
    regret = last.pivot_table(index="noise", columns="resampling", values="regret")
    times = number(float((regret[1] / regret[0]).max()), 2)
    return (
        f"In the printed example resampling selects the worse action {often}, "
        f"and has up to {times} times the regret"
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe three panels: selection of the worse action in two examples, and ratios of regrets in all three.

    ``table`` is that of the computation ``resampling-example``: by ``example, noise, resampling`` and ``epsilon``,
    the part ``selection`` has ``probability``, the part ``regret`` ``regret`` at each ``round``.
    """
    selected, costs = (table[table["part"] == part] for part in ("selection", "regret"))
    followed = costs["epsilon"].max()
    return Plot(
        title=_finding(table, followed),
        conditions="Exact; compared with no resampling; (c) regret with resampling divided by regret without",
        panels=[
            selection("(a) example as printed", selected[selected["example"] == "printed"]),
            selection("(b) example repaired", selected[selected["example"] == "repaired"]),
            ratio(costs[costs["epsilon"] == followed], followed),
        ],
        columns=3,
        height=3.9,
    )


FIGURE = PlottedFigure(title="The example of Bernoulli resampling", numbers=computed_rows, plot=plot)
