"""Means, medians and tails of regret at the horizon over the privacy budget, of a few algorithms."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, at
from dpbandits.core.labels import LOOKS, symbol
from dpbandits.core.numbers import number
from dpbandits.papers.plot import called
from dpbandits.papers.style import rounded_up

WORDS = {
    "mean": "mean regret",
    "median": "median regret",
    "q95": "95 % quantile",
    "q99": "99 % quantile",
    "far": "share of bad runs",
}
LONG_START = ", long start"
LOWER_BOUND = "asymptotic lower bound (Theorem 3.1)"
# Algorithms that the law knows; each index has a colour, and dashes say what an algorithm does with it.
TITLES = (
    *("DP-IMED", "DP-IMED, long start", "Forgetting DP-IMED", "DP-KLUCB", "DP-KLUCB, long start"),
    *("Forgetting DP-KLUCB", "Lasting AdaP-KLUCB", "AdaP-KLUCB"),
)


def numbers(
    _: pd.DataFrame, computed: Mapping[str, pd.DataFrame], titles: list[str], statistics: list[str]
) -> pd.DataFrame:
    """Return the rows of some algorithms and statistics, sorted by ``epsilon``.

    Parameters
    ----------
    _
        Table of measured regret; not used.
    computed
        The table of statistics of regret, by its computation's name ``regret-law``.
    titles, statistics
        Titles of the algorithms, of `TITLES`; and of ``mean``, ``median``, ``q95``, ``q99`` and ``far`` (share of
        runs above 20 medians) those that are shown. With ``far`` rows of ``median`` are kept too.

    Raises
    ------
    BadInput
        If a title is not known.
    """
    (table,) = computed.values()
    for title in titles:
        if title not in TITLES:
            raise BadInput("options.titles", title, suggest(title, TITLES))
    # What is bad is told in medians, so these are kept beside its share.
    kept = [*statistics, *(["median"] if "far" in statistics else [])]
    return table[table["title"].isin(titles) & table["statistic"].isin(kept)].sort_values("epsilon")


def panel(environment: str, statistic: str, part: pd.DataFrame, titles: list[str], row: pd.DataFrame) -> Panel:
    """Describe a panel of one statistic of each algorithm's regret over the budget, in one environment.

    Parameters
    ----------
    environment, statistic
        Label of the environment, and name of the statistic, such as ``q99`` or ``far``.
    part
        Rows of the statistic in all environments: ``environment, title, epsilon, value, low, high, lower_bound``.
    titles
        The algorithms' titles, in order.
    row
        Rows of all statistics in all environments: their budgets set the ends of the horizontal axis.
    """
    word, own = WORDS[statistic], part[part["environment"] == environment]
    budgets = row["epsilon"]
    # Where no share is above none, as with few runs, any limits will do.
    lowest, highest = (part["value"].min(), part["value"].max()) if len(part) else (0.1, 1.0)
    return Panel(
        title=symbol(environment) if statistic == "far" else f"{symbol(environment)}: {word}",
        x="epsilon",
        curves=[
            Curve(
                title,
                rows,
                *LOOKS[title][:2],
                {word: Measure("value", "low", "high")},
                # A long start has the mark of the algorithm whose start is longer, but hollow.
                mark=LOOKS[title.removesuffix(LONG_START)].mark,
                hollow=title.endswith(LONG_START),
            )
            for title in titles
            if len(rows := own[own["title"] == title])
        ],
        labels=("privacy budget ε", word if statistic == "far" else f"{word} (rewards)"),
        bounds={} if statistic == "far" else {LOWER_BOUND: "lower_bound"},
        if_empty="no run is above 20 medians" if statistic == "far" else Panel.if_empty,
        limits=((budgets.min() / 1.3, budgets.max() * 1.3), (lowest / 1.6, highest * 1.6)),
        # Panels of few columns have room for each budget, and the same ticks whatever is drawn in them.
        ticks=(at(*sorted(budgets.unique())) if statistic == "far" else {}, {}),
    )


def _pairs(table: pd.DataFrame, statistic: str, one: str, other: str, column: str = "value") -> pd.DataFrame:
    """Return a statistic of two algorithms beside each other, a row for each bandit and budget."""
    wide = table[table["statistic"] == statistic].pivot_table(
        index=["environment", "epsilon"], columns="title", values=column
    )
    return wide[[one, other]].dropna().set_axis(["one", "other"], axis=1)


def _forgetting(table: pd.DataFrame) -> str:
    """Return in how many settings forgetting makes bad runs of DP-IMED rarer."""
    if not {"DP-IMED", "Forgetting DP-IMED"} <= set(table["title"]):
        return "Share of bad runs by what an algorithm does with old rewards"
    shares = _pairs(table, "far", "DP-IMED", "Forgetting DP-IMED")
    shares = shares[shares["one"] > 0.0]
    if shares.empty:
        return "Too few runs: none of DP-IMED's is bad, with old rewards or without"
    rarer = int((shares["other"] < shares["one"]).sum())
    found = f"If DP-IMED forgets old rewards, it has fewer bad runs in {rarer} of {len(shares)} settings"
    if "median" not in set(table["statistic"]):
        return found
    medians = _pairs(table, "median", "DP-IMED", "Forgetting DP-IMED")
    # Of the settings that are counted and drawn alone.
    times = (medians["other"] / medians["one"]).reindex(shares.index)
    return f"{found}; there its median is {number(times.min(), 2)} to {number(times.max(), 2)} times as high"


def _long_start(table: pd.DataFrame) -> str:
    """Return in how many settings a longer first batch lowers DP-IMED's mean, and what it does to the median."""
    if not {"DP-IMED", "DP-IMED, long start"} <= set(table["title"]) or not {"mean", "median"} <= set(
        table["statistic"]
    ):
        return "Regret at the horizon over the privacy budget"
    both = ("DP-IMED", "DP-IMED, long start")
    means, medians = (_pairs(table, word, *both) for word in ("mean", "median"))
    lower, most = means["other"] < means["one"], (medians["other"] / medians["one"]).max()
    overlap = _pairs(table, "mean", *both, "high")["other"] >= _pairs(table, "mean", *both, "low")["one"]
    open_ = int((lower & overlap).sum())
    return (
        f"A first batch of 10/ε in place of 1 lowers DP-IMED's mean in {int(lower.sum())} of {len(means)} settings"
        + (f" (in {open_} the intervals overlap)" if open_ else "")
        + f"; its median is at most {rounded_up(most)} times as high"
    )


def _left(table: pd.DataFrame) -> str:
    """Return in how many settings rare runs stay: DP-IMED's highest percentile is above DP-KLUCB's all the same."""
    if not {"DP-IMED, long start", "DP-KLUCB"} <= set(table["title"]) or "q99" not in set(table["statistic"]):
        return ""
    tails = _pairs(table, "q99", "DP-KLUCB", "DP-IMED, long start")
    above = tails[tails["other"] > tails["one"]]
    if above.empty:
        return ""
    times = (above["other"] / above["one"]).max()
    return (
        f"\nWith it DP-IMED's 99 % quantile is still above DP-KLUCB's (first batch 1) in "
        f"{len(above)} of {len(tails)} settings, up to {number(times, 2)}-fold"
    )


def plot(table: pd.DataFrame, titles: list[str], statistics: list[str]) -> Plot:
    """Describe statistics of regret over the budget: a column for each environment, a row for each statistic.

    ``table`` is that of `numbers`: ``value, low, high`` and ``lower_bound`` by ``environment, title, statistic``
    and ``epsilon``. ``titles`` and ``statistics`` are drawn in their order.
    """
    environments = sorted(table["environment"].unique())
    # A share of none has no place on a logarithmic axis.
    shown = table[(table["value"] > 0.0) & table["statistic"].isin(statistics)]
    without = [called(title) for title in titles if title not in set(shown["title"])]
    counts = dict.fromkeys(number(value) for value in (table["runs"].min(), table["runs"].max()))
    # A single statistic leaves the width of the page to fewer columns.
    columns = len(environments) if len(statistics) > 1 else min(2, len(environments))
    far = "far" in statistics
    return Plot(
        title=_forgetting(table) if far else _long_start(table),
        conditions=(
            f"{'Shares' if far else 'Regret'} at T = {number(table['horizon'].max())} with intervals, "
            f"{' to '.join(counts)} runs at each budget"
            + ("\nBad: more than 20 times the algorithm's own median regret; no mark: no such run" if far else "")
            + (f"\nNo such run at all: {', '.join(without)}" if without and len(shown) else "")
            + ("" if far else _left(table))
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
