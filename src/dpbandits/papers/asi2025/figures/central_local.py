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
COLUMNS = ["title", "epsilon", "environment", "runs", "horizon", "arms", *PER_ROUND]


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the worst environment's regret per round at each budget."""
    table = worst(aggregates, ["title", "epsilon"])
    return table.assign(**{to: table[name] / table["horizon"] for name, to in zip(VALUES, PER_ROUND, strict=True)})


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret/T on logarithmic axes, with what uniform play and local privacy come to."""
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
            Curve(title, part, *look, measures=measures, bars=True, width=2.6 - 0.35 * place)
            for place, (title, look, part) in enumerate(
                (title, (look.colour, look.dashes), part) for title, look, part in curves(table)
            )
        ],
        labels=("privacy budget ε", "largest mean regret / T"),
        scale="each",
        limits=(ends, None),
        regions=(
            Region("below 1/√T: local privacy cannot learn", (ends[0], border), None, GREY),
            Region("uniform play, gap 1/2", None, (uniform, uniform), BLACK),
        ),
        named_at_ends=True,
    )
    return Plot(
        title="Central privacy learns where local privacy cannot",
        conditions=(
            f"{'The worst of several environments' if several else 'One environment'}, T = {number(horizon)}, "
            f"K = {arms}, {runs(table)}"
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
