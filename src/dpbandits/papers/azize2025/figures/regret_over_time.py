"""Regret over time: means with their intervals for each bandit and budget, and the runs behind the means."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import MIXED, Dashes, symbol
from dpbandits.core.numbers import number
from dpbandits.core.tables import means_of
from dpbandits.papers.style import TAIL_RUNS, bandits, curves, from_round, named, runs, thousands
from dpbandits.settings.stochastic.theory import lower_bound_slope

TAILS = ["q50", "q95", "q99", "maximum"]
COLUMNS = ["panel", "environment", "epsilon", "title", "runs", "round", "mean", "mean_low", "mean_high", *TAILS]
MEASURES = {
    "mean": Measure("mean", "mean_low", "mean_high"),
    "median": Measure("q50"),
    "95 % quantile": Measure("q95"),
    "99 % quantile": Measure("q99"),
    "worst run": Measure("maximum"),
}
# What the lower row shows, each with its dashes. Shaded, two algorithms would mix to a third colour.
SPREAD: Mapping[str, tuple[str, Dashes]] = {
    "mean": ("mean", "-"),
    "median": ("q50", "--"),
    "99 % quantile": ("q99", MIXED),
    "worst run": ("maximum", ":"),
}
LOWER_BOUND = "asymptotic lower bound (Theorem 3.1)"
# From this multiple of the median on a mean has left it.
LEFT = 1.5
LABELS = ("round t", "pseudo-regret (rewards)")


def numbers(
    aggregates: pd.DataFrame,
    _: Mapping[str, pd.DataFrame],
    without: list[str],
    tails: list[str],
    first_round: int,
) -> pd.DataFrame:
    """Return the rows of each bandit and budget, with the spread of algorithms of which enough runs were made.

    Parameters
    ----------
    aggregates
        Regret of all cells.
    _
        No computation is read.
    without, tails, first_round
        As ``FIGURE.options`` declares them.
    """
    shown = from_round(aggregates[~aggregates["title"].isin(without)], first_round)
    heavy = shown["title"].isin(tails) & (shown["runs"] >= TAIL_RUNS)
    shown = named(shown)
    shown[TAILS] = shown[TAILS].where(heavy)
    if not heavy.any():
        shown = shown.drop(columns=TAILS)
    cases = shown.loc[shown["epsilon"].notna(), ["environment", "epsilon"]].drop_duplicates()
    found = {
        # Without privacy there is no budget: such a curve belongs into every panel.
        f"{symbol(environment)}, ε = {epsilon:g}": shown[
            (shown["environment"] == environment) & shown["epsilon"].isin([epsilon, np.nan])
        ]
        for environment, epsilon in cases.itertuples(index=False)
    }
    rows: pd.DataFrame = pd.concat(found, names=["panel"])
    return rows.reset_index("panel").reset_index(drop=True)


def _finding(table: pd.DataFrame, last: int) -> str:
    """Return of whom the mean leaves the median most, where few runs decide it."""
    ends = table[table["round"] == last].dropna(subset=["maximum"])
    most = ends.iloc[int((ends["mean"] / ends["q50"]).argmax())]
    times = number(most["mean"] / most["q50"], 2)
    if most["mean"] < LEFT * most["q50"]:
        return f"At T no mean is more than {times} times the median"
    return f"Few runs decide {most['title']}'s mean: at T it is up to {times} times the median"


def _lowest(ends: pd.DataFrame) -> str:
    """Return which private algorithm has the least mean regret at the horizon, in how many panels."""
    private = ends[ends["epsilon"].notna()]
    least = private.loc[private.groupby("panel")["mean"].idxmin(), "title"].value_counts()
    of_all = f"{least.iloc[0]} of {least.sum()} panels" if least.sum() > 1 else "the panel"
    return f"In these runs {least.index[0]} has the least mean regret of the private algorithms in {of_all}"


def plot(table: pd.DataFrame, first_round: int, **_: object) -> Plot:
    """Describe a panel of means for each bandit and budget, and, with enough runs, one of the runs below it."""
    # A page has the quantiles of any number of runs.
    table = table.assign(many=table["runs"] >= TAIL_RUNS)
    tailed = "maximum" in table and bool(table.loc[table["many"], "maximum"].notna().any())
    last = table["round"].max()
    highest = table[["mean_high", *(["maximum"] if tailed else [])]].max().max()
    limits = ((first_round, last), (table["mean"].min() / 1.5, highest * 1.5))
    table = table.assign(lower_bound=np.nan)
    upper, lower = [], []
    for name, part in table.groupby("panel", sort=False):
        means, epsilon = means_of(part.iloc[0]), part["epsilon"].max()
        if means:
            part = part.assign(lower_bound=lower_bound_slope(means, epsilon) * np.log(part["round"]))
        bounds = {LOWER_BOUND: "lower_bound"}
        of_means = [
            Curve(
                title if own["epsilon"].notna().any() else f"{title} (not private)",
                *(own, look.colour, look.dashes, MEASURES),
            )
            for title, look, own in curves(part)
        ]
        upper.append(Panel(str(name), "round", of_means, LABELS, bounds=bounds, limits=limits))
        if tailed:
            of_runs = [
                Curve(
                    title if word == "mean" else f"{title}, {word} (lower row)",
                    own,
                    look.colour,
                    dashes,
                    {f"{word} of the runs": Measure(column)},
                )
                for title, look, own in curves(part[part["maximum"].notna() & part["many"]])
                for word, (column, dashes) in SPREAD.items()
            ]
            lower.append(Panel(f"{name}: spread", "round", of_runs, LABELS, limits=limits))
    finding = _finding(table[table["many"]], last) if tailed else _lowest(table[table["round"] == last])
    return Plot(
        title=finding,
        conditions=f"Pseudo-regret up to T = {thousands(last)}; solid: means; {runs(table)}\n{bandits(table)}",
        panels=upper + lower,
        columns=min(4, len(upper)),
        height=2.2,
        legend_columns=4,
    )


FIGURE = PlottedFigure(
    title="Regret over time, and the runs behind the means",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "without": Option(["AdaP-UCB", "KL-UCB"], "titles of algorithms left out; the paper plots neither"),
        "tails": Option(["DP-KLUCB", "DP-IMED"], "titles whose median, upper quantiles and worst run are shown"),
        "first_round": Option(100, "where the time axis begins"),
    },
)
