"""Regret over time: means with their intervals for each bandit and budget, and the runs behind the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Limits, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import GREY, Look, symbol
from dpbandits.core.numbers import number
from dpbandits.core.tables import means_of
from dpbandits.papers.render import OF_ALL
from dpbandits.papers.style import TAIL_RUNS, bandits, cases, curves, from_round, named, runs
from dpbandits.settings.stochastic.theory import lower_bound_slope

TAILS = ["q50", "q95", "q99", "maximum"]
COLUMNS = ["panel", "environment", "epsilon", "title", "runs", "round", "mean", "mean_low", "mean_high", *TAILS]
COLUMNS += OF_ALL.values()
MEASURES = {
    "mean": Measure("mean", "mean_low", "mean_high"),
    "median": Measure("q50"),
    "95 % quantile": Measure("q95"),
    "99 % quantile": Measure("q99"),
    "worst run": Measure("maximum"),
}
# An algorithm has a row of its own, so that its shades mix with no other's.
WORST = "99 % quantile of each, shaded to its worst run"
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
    """Return the rows of each bandit and budget, with quantiles of some algorithms that have 100 runs or more.

    Parameters
    ----------
    aggregates, _
        A row for each algorithm, environment, budget and recorded ``round`` (``environment, epsilon, algorithm,
        title, runs, round, mean, ...``); and tables of computations, not used.
    without, tails
        Titles of algorithms that are left out, and of those whose quantiles and worst run are kept.
    first_round
        Round at which the time axis begins: earlier rows are left out.

    Returns
    -------
    DataFrame
        Rows of aggregates, each with its ``panel``, such as ``µ₁, ε = 0.1``; rows without a budget are in every
        panel of their bandit. ``q50, q95, q99, maximum`` are NaN below 100 runs and outside of ``tails``, and left
        out if they are so in all rows. Where several algorithms share a title, ``title`` is their label.

    Raises
    ------
    BadInput
        If ``first_round`` is after the last checkpoint, or no row has a budget.
    """
    shown = from_round(aggregates[~aggregates["title"].isin(without)], first_round)
    heavy = shown["title"].isin(tails) & (shown["runs"] >= TAIL_RUNS)
    shown = named(shown)
    shown[TAILS] = shown[TAILS].where(heavy)
    if not heavy.any():
        shown = shown.drop(columns=TAILS)
    found = {
        # Without privacy there is no budget: such a curve belongs into every panel.
        f"{symbol(environment)}, ε = {epsilon:g}": shown[
            (shown["environment"] == environment) & shown["epsilon"].isin([epsilon, np.nan])
        ]
        for environment, epsilon in cases(shown).itertuples(index=False)
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


def _apart(part: pd.DataFrame, prefix: str = "") -> str:
    """Return the algorithm whose interval lies below those of all others; nothing if there is none."""
    ordered = part.sort_values(f"{prefix}mean")
    best, rest = ordered.iloc[0], ordered.iloc[1:]
    return str(best["title"]) if (best[f"{prefix}mean_high"] < rest[f"{prefix}mean_low"]).all() else ""


def _where(parts: Sequence[pd.DataFrame]) -> str:
    """Return where panels are: their budgets, or their bandits if there is one budget, or both."""
    places = {(str(part["environment"].iloc[0]), float(part["epsilon"].iloc[0])) for part in parts}
    if len({environment for environment, _ in places}) == 1:
        return f"ε = {_listed([f'{epsilon:g}' for _, epsilon in sorted(places)])}"
    return _listed([f"{symbol(environment)}, ε = {epsilon:g}" for environment, epsilon in sorted(places)])


def _lowest(ends: pd.DataFrame) -> str:
    """Return in which panels one private algorithm's interval lies below all others, and what more runs say there.

    An interval of few runs without a rare one does not know of it, so more runs can contradict it.
    """
    private = ends[ends["epsilon"].notna()]
    panels = [part for _, part in private.groupby("panel", sort=False)]
    won: dict[str, list[pd.DataFrame]] = {}
    for part in panels:
        if name := _apart(part):
            won.setdefault(name, []).append(part)
    found, places = f"In this set of {number(ends['runs'].max())} runs ", len(panels)
    if won:
        named = _listed([f"{name}'s at {_where(parts)}" for name, parts in won.items()])
        count = sum(map(len, won.values()))
        found += f"one interval lies below all others in {count} of {places} panels ({named})"
    else:
        found += "no private algorithm's interval lies below all others'"
        found += f" in any of {places} panels" if places > 1 else ""
    if "all_runs" not in ends or not ends["all_runs"].max() > ends["runs"].max():
        return found
    return f"{found}; with {number(ends['all_runs'].max())} runs {_of_all(panels, won)}"


def _of_all(panels: Sequence[pd.DataFrame], won: Mapping[str, Sequence[pd.DataFrame]]) -> str:
    """Return what all runs say where few runs have a lowest interval, or in how many panels all runs have one."""
    if not won:
        count = sum(bool(_apart(part, "all_")) for part in panels)
        return f"one does in {count} of {len(panels)}" if count else "none does either"
    said: dict[str, list[pd.DataFrame]] = {}
    for name, parts in won.items():
        for part in parts:
            many, own = _apart(part, "all_"), part[part["title"] == name].iloc[0]
            inside = own["mean_low"] <= own["all_mean"] <= own["mean_high"]
            word = f"{many}'s does" if many else "none does"
            if many == name and not inside:
                word += f", but its mean is {number(own['all_mean'])}, not {number(own['mean'])}"
            said.setdefault(word, []).append(part)
    if len(said) == 1:
        # Of other panels nothing is said.
        return next(iter(said)).replace(" does", " does there")
    return _listed([f"{word} at {_where(where)}" for word, where in said.items()])


def _listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


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
        f"{title}, {name}\nmean/median {number(_times(own.iloc[-1:]), 2)}",
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
    """Describe a panel of means for each bandit and budget and, with enough runs, panels of quantiles below.

    ``table`` is that of `numbers`: ``mean`` with its interval, and of some algorithms ``q50, q99, maximum``, by
    ``panel``, ``title`` and ``round``. ``first_round`` is where the time axis begins.
    """
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
    compared = "" if tailed else "; the title compares private algorithms at T"
    return Plot(
        title=finding,
        conditions=(
            f"Mean pseudo-regret up to T = {number(last)}, {intervals}; {runs(table)}{compared}\n{bandits(table)}"
        ),
        panels=[*upper, *(panel for row in below.values() for panel in row)],
        columns=min(4, len(upper)),
        # One row alone has room.
        height=2.0 if below else 2.8,
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
