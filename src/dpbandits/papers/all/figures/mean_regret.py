"""Mean regret over time, in any setting: a panel for each environment and budget."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure
from dpbandits.core.labels import symbol
from dpbandits.core.numbers import number
from dpbandits.papers.style import cases, curves, from_round, named, runs

COLUMNS = ["environment", "epsilon", "title", "runs", "round", "mean", "mean_low", "mean_high"]


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], first_round: int) -> pd.DataFrame:
    """Return the rows of each environment and budget, from round ``first_round`` on.

    Algorithms without a budget are repeated at each budget of their environment, and left out if it has none. Where
    several algorithms share a title, ``title`` is their label. `BadInput` is raised if no round is left, or no row
    has a budget.
    """
    shown = named(from_round(aggregates, first_round))
    parts = [
        shown[(shown["environment"] == environment) & shown["epsilon"].isin([epsilon, np.nan])]
        for environment, epsilon in cases(shown).itertuples(index=False)
    ]
    rows: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return rows


def plot(table: pd.DataFrame, first_round: int) -> Plot:
    """Describe each algorithm's mean regret over time with its interval, a panel for each environment and budget.

    ``table``, that of `numbers`, has ``environment, epsilon, title, round, mean, mean_low, mean_high``, from
    ``first_round`` on. A row without a budget is in every panel of its environment.
    """
    panels = []
    for environment, epsilon in cases(table).itertuples(index=False):
        own = (table["environment"] == environment) & table["epsilon"].isin([epsilon, np.nan])
        part = table[own].drop_duplicates(["title", "round"])
        shown = [Curve(title, curve, look.colour, look.dashes) for title, look, curve in curves(part)]
        title = f"{symbol(environment)}, ε = {epsilon:g}"
        panels.append(Panel(title, "round", shown, ("round t", "pseudo-regret"), named_at_ends=True))
    return Plot(
        title="Mean pseudo-regret over time, with its interval",
        conditions=f"From round {number(first_round)} to T = {number(table['horizon'].max())}, {runs(table)}",
        panels=panels,
        columns=min(2, len(panels)),
    )


FIGURE = PlottedFigure(
    title="Mean regret over time, in any setting",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={"first_round": Option(1, "where the time axis begins")},
)
