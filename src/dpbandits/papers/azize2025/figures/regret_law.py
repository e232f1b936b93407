"""Means, medians and tails of regret at the horizon over the privacy budget, of a few algorithms."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import LOOKS, symbol
from dpbandits.core.numbers import number
from dpbandits.papers.plot import called

WORDS = {
    "mean": "mean regret",
    "median": "median regret",
    "q95": "95 % quantile",
    "q99": "99 % quantile",
    "far": "share of runs above 20 medians",
}
LOWER_BOUND = "asymptotic lower bound (Theorem 3.1)"
# Algorithms that the law knows; each index has a colour, and dashes say what an algorithm does with it.
TITLES = (
    *("DP-IMED", "DP-IMED, long start", "Forgetting DP-IMED", "DP-KLUCB", "DP-KLUCB, long start"),
    *("Forgetting DP-KLUCB", "Lasting AdaP-KLUCB", "AdaP-KLUCB"),
)


def numbers(
    _: pd.DataFrame, computed: Mapping[str, pd.DataFrame], titles: list[str], statistics: list[str]
) -> pd.DataFrame:
    """Return the rows of the titles and statistics."""
    (table,) = computed.values()
    for title in titles:
        if title not in TITLES:
            raise BadInput("options.titles", title, suggest(title, TITLES))
    return table[table["title"].isin(titles) & table["statistic"].isin(statistics)].sort_values("epsilon")


def panel(environment: str, statistic: str, part: pd.DataFrame, titles: list[str], row: pd.DataFrame) -> Panel:
    """Describe one statistic of each algorithm over the budget, with its interval."""
    word, own = WORDS[statistic], part[part["environment"] == environment]
    budgets = row["epsilon"]
    # Where no share is above none, as with few runs, any limits will do.
    lowest, highest = (part["value"].min(), part["value"].max()) if len(part) else (0.1, 1.0)
    return Panel(
        title=f"{symbol(environment)}: {word}",
        x="epsilon",
        curves=[
            Curve(title, rows, *LOOKS[title][:2], {word: Measure("value", "low", "high")}, mark=LOOKS[title].mark)
            for title in titles
            if len(rows := own[own["title"] == title])
        ],
        labels=("privacy budget ε", word),
        bounds={} if statistic == "far" else {LOWER_BOUND: "lower_bound"},
        if_empty="no run is above 20 medians" if statistic == "far" else Panel.if_empty,
        limits=((budgets.min() / 1.3, budgets.max() * 1.3), (lowest / 1.6, highest * 1.6)),
    )


def plot(table: pd.DataFrame, titles: list[str], statistics: list[str]) -> Plot:
    """Describe a column for each environment and a row for each statistic."""
    environments = sorted(table["environment"].unique())
    # A share of none has no place on a logarithmic axis.
    shown = table[table["value"] > 0.0]
    without = [called(title) for title in titles if title not in set(shown["title"])]
    counts = dict.fromkeys(number(value) for value in (table["runs"].min(), table["runs"].max()))
    # A single statistic leaves the width of the page to fewer columns.
    columns = len(environments) if len(statistics) > 1 else min(2, len(environments))
    far = "far" in statistics
    return Plot(
        title=(
            "Forgetting old rewards makes rare bad runs rarer"
            if far
            else "A few runs make DP-IMED's mean; a longer first batch removes most of them"
        ),
        conditions=(
            f"Regret at T = {number(table['horizon'].max())} with intervals, {' to '.join(counts)} runs at each "
            f"budget" + (f"; no such run: {', '.join(without)}" if without else "")
        ),
        panels=[
            panel(str(environment), statistic, shown[shown["statistic"] == statistic], titles, table)
            for statistic in statistics
            for environment in environments
        ],
        columns=columns,
        height=2.0 if len(statistics) > 1 else 2.5,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Means, medians and tails of regret at the horizon over the privacy budget",
    numbers=numbers,
    plot=plot,
    options={
        "titles": Option(list(TITLES), f"titles of algorithms, of {', '.join(TITLES)}"),
        "statistics": Option(["mean", "median", "q99"], f"rows, of {', '.join(WORDS)}"),
    },
)
