"""Regret per round over the privacy budget: central against local privacy, the worst of several environments."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, GREY
from dpbandits.core.numbers import number
from dpbandits.core.tables import worst
from dpbandits.papers.style import curves, runs

VALUES = ["mean", "mean_low", "mean_high"]
PER_ROUND = [f"{name}_per_round" for name in VALUES]
# Algorithms with local privacy, and one without any.
LOCAL = ("DP-EXP3-Lap", "Agarwal–Singh")
NAMES = {**{title: f"{title} (local)" for title in LOCAL}, "HTINF": "HTINF (not private)"}
# What is learned has at most this share of uniform play's regret.
LEARNED = 0.5
COLUMNS = ["title", "epsilon", "environment", "runs", "horizon", "arms", *PER_ROUND]


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return each algorithm's regret per round in its worst environment, at each budget.

    Columns ``mean_per_round``, ``mean_low_per_round`` and ``mean_high_per_round`` are added to rows of aggregates.
    """
    table = worst(aggregates, ["title", "epsilon"])
    return table.assign(**{to: table[name] / table["horizon"] for name, to in zip(VALUES, PER_ROUND, strict=True)})


def _finding(table: pd.DataFrame, uniform: float) -> str:
    """Return from which budget on somebody learns: the first with central privacy, beside the first with local."""
    learned = table[table[PER_ROUND[0]] <= LEARNED * uniform].dropna(subset=["epsilon"])
    local = learned["title"].isin(LOCAL)
    if learned[~local].empty:
        return "At no budget tried regret is at most half of uniform play's"
    best = learned[~local].sort_values("epsilon").iloc[0]
    first = f"{best['title']} learns from ε = {number(best['epsilon'], 1)} on"
    if not local.any():
        return f"{first}, local privacy at no budget tried"
    other = learned[local].sort_values("epsilon").iloc[0]
    return f"{first}, {other['title']} (local) from ε = {number(other['epsilon'], 1)} on, of the budgets tried"


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret/T over the budget, beside uniform play's; a shade has budgets too small for local privacy.

    ``table`` is that of `numbers`: ``mean_per_round`` with its interval, by ``title`` and ``epsilon``. An algorithm
    without a budget is a level line.
    """
    horizon, arms = int(table["horizon"].iloc[0]), int(table["arms"].iloc[0])
    table = table.assign(each=1.0 / table["horizon"])
    uniform, border = 0.5 * (1 - 1 / arms), 1 / math.sqrt(horizon)
    budgets, measures = table["epsilon"].dropna(), {"mean": Measure(*PER_ROUND)}
    ends = (budgets.min() / 1.3, budgets.max() * 1.3)
    several = len(table["environment"].unique()) > 1
    panel = Panel(
        title="",
        x="epsilon",
        # A curve may lie under another: later ones are thinner.
        curves=[
            Curve(
                NAMES.get(title, title),
                part,
                look.colour,
                look.dashes,
                measures,
                bars=True,
                width=2.6 - 0.35 * place,
            )
            for place, (title, look, part) in enumerate(curves(table))
        ],
        labels=("privacy budget ε", "largest mean regret / T"),
        scale="each",
        limits=(ends, None),
        regions=(
            Region("ε below 1/√T: local privacy cannot learn", (ends[0], border), None, GREY),
            Region("uniform play at gap 1/2: nothing is learned", None, (uniform, uniform), BLACK),
        ),
        named_at_ends=True,
    )
    return Plot(
        title=_finding(table, uniform),
        conditions=(
            f"{'The worst of several environments' if several else 'One environment'}, T = {number(horizon)}, "
            f"K = {arms}, {runs(table)}\n“Learns”: regret is at most half of uniform play's"
        ),
        panels=[panel],
        columns=1,
        height=3.9,
    )


FIGURE = PlottedFigure(
    title="Regret per round over the budget: central against local privacy",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
)
