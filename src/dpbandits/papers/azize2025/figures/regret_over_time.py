"""Regret over time: means with their intervals for each bandit and budget, and the runs behind the means."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Limits, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import GREY, Look, symbol
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
# An algorithm has a row of its own, so that its shades mix with no other's.
WORST = "its 99 % quantile, shaded to its worst run"
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


def _times(ends: pd.DataFrame) -> float:
    """Return how many times its median a mean is: of rows at the horizon the largest."""
    return float((ends["mean"] / ends["q50"]).max())


def _finding(table: pd.DataFrame, last: int) -> str:
    """Return of whom the mean leaves the median most, where few runs decide it."""
    ends = table[table["round"] == last].dropna(subset=["maximum"])
    times = {str(title): _times(own) for title, own in ends.groupby("title", sort=False)}
    most = max(times, key=lambda title: times[title])
    if times[most] < LEFT:
        return f"At T no mean is more than {number(times[most], 2)} times the median"
    return f"Few runs decide {most}'s mean: at T it is up to {number(times[most], 2)} times the median"


def _lowest(ends: pd.DataFrame) -> str:
    """Return in how many panels intervals settle which private algorithm has the least mean regret, and which."""
    private = ends[ends["epsilon"].notna()]
    won: list[str] = []
    panels = [part.sort_values("mean") for _, part in private.groupby("panel", sort=False)]
    for part in panels:
        best, rest = part.iloc[0], part.iloc[1:]
        if (best["mean_high"] < rest["mean_low"]).all():
            won.append(str(best["title"]))
    settled = f"With {number(ends['runs'].max())} runs the least mean regret of a private algorithm is settled in"
    if not won:
        return f"{settled} no panel: intervals overlap"
    names = " and ".join(dict.fromkeys(won))
    if len(won) == len(panels):
        return f"{settled} every panel: {names}"
    return f"{settled} {len(won)} of {len(panels)} panels ({names}); elsewhere intervals overlap"


def _spread(name: str, title: str, look: Look, own: pd.DataFrame, limits: tuple[Limits, Limits]) -> Panel:
    """Describe the runs of one algorithm: their mean, and shades from the median up to the worst run.

    Parameters
    ----------
    name
        The budget, and the bandit if there are several.
    title, look
        The algorithm's.
    own
        Its rows, in the order of rounds.
    limits
        Ends of both axes.
    """
    runs_of = {"median": Measure("q50", "q50", "q99")}
    worst = {"99 % quantile": Measure("q99", "q99", "maximum")}
    return Panel(
        f"{title}, {name}\nmean {number(_times(own.iloc[-1:]), 2)} × median",
        "round",
        [
            Curve(WORST, own, GREY, "-", worst, width=0.5),
            Curve(f"{title}: median, shaded to 99 % quantile", own, look.colour, "-", runs_of, width=0.5),
            Curve(title, own, look.colour, "-", {"mean of the runs": Measure("mean")}),
        ],
        LABELS,
        limits=limits,
    )


def plot(table: pd.DataFrame, first_round: int, **_: object) -> Plot:
    """Describe a panel of means for each bandit and budget, and, with enough runs, rows of runs below them."""
    # A page has the quantiles of any number of runs.
    table = table.assign(many=table["runs"] >= TAIL_RUNS)
    tailed = "maximum" in table and bool(table.loc[table["many"], "maximum"].notna().any())
    last = table["round"].max()
    highest = table[["mean_high", *(["maximum"] if tailed else [])]].max().max()
    limits = ((float(first_round), float(last)), (table["mean"].min() / 1.5, highest * 1.5))
    table = table.assign(lower_bound=np.nan)
    several = len(table["environment"].unique()) > 1
    upper: list[Panel] = []
    below: dict[str, list[Panel]] = {}
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
            for title, look, own in curves(part[part["maximum"].notna() & part["many"]]):
                case = str(name) if several else str(name).partition(", ")[2]
                below.setdefault(title, []).append(_spread(case, title, look, own, limits))
    finding = _finding(table[table["many"]], last) if tailed else _lowest(table[table["round"] == last])
    intervals = "its interval shaded" + (" in the first row" if below else "")
    return Plot(
        title=finding,
        conditions=(
            f"Mean pseudo-regret up to T = {thousands(last)}, {intervals}; {runs(table)}\n{bandits(table)}"
        ),
        panels=[*upper, *(panel for row in below.values() for panel in row)],
        columns=min(4, len(upper)),
        height=2.0,
        legend_columns=3,
    )


FIGURE = PlottedFigure(
    title="Regret over time, and the runs behind the means",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "without": Option(["AdaP-UCB", "KL-UCB"], "titles of algorithms left out; the paper plots neither"),
        "tails": Option(["DP-KLUCB", "DP-IMED"], "titles with a row each: median, 99 % quantile and worst run"),
        "first_round": Option(100, "where the time axis begins"),
    },
)
