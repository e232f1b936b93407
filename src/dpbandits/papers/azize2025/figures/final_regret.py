"""Regret at the horizon of all algorithms over the privacy budget, and how many times less some of them have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, GREY, symbol
from dpbandits.core.numbers import number
from dpbandits.papers.render import OF_ALL
from dpbandits.papers.style import TAIL_RUNS, bandits, curves, named, runs

CELL = ["environment", "epsilon"]
MEAN = ["mean", "mean_low", "mean_high"]
RATIOS = ["best_title", "ratio", "ratio_low", "ratio_high", "worst_title", "worst_ratio"]
# Beside the paper's few runs, what all runs say.
ALL = ["all_runs", "all_ratio"]


def times_less(table: pd.DataFrame, ours: list[str]) -> pd.DataFrame:
    """Return the private rows of ``ours``, with other private algorithms' regret divided by their own.

    ``table`` has a row for each ``title``, environment and budget, with ``mean`` and its interval. ``ratio`` is the
    regret of the best other algorithm at this environment and budget divided by the row's own, and ``worst_ratio``
    that of the worst. ``best_title`` and ``worst_title`` name these two. The interval from ``ratio_low`` to
    ``ratio_high`` divides opposite ends of the two means' intervals, and covers at least as often as both together.
    It is unbounded if the row's own interval reaches 0.
    """
    private = table[table["epsilon"].notna()]
    baselines = private[~private["title"].isin(ours)].sort_values("mean").groupby(CELL)[["title", *MEAN]]
    own = private[private["title"].isin(ours)]
    own = own.join(baselines.first().add_prefix("best_"), on=CELL)
    own = own.join(baselines.last().add_prefix("worst_"), on=CELL)
    return own.assign(
        ratio=own["best_mean"] / own["mean"],
        ratio_low=own["best_mean_low"] / own["mean_high"],
        ratio_high=(own["best_mean_high"] / own["mean_low"]).where(own["mean_low"] > 0.0, np.inf),
        worst_ratio=own["worst_mean"] / own["mean"],
    )


def numbers(
    aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], ours: list[str], claimed: float
) -> pd.DataFrame:
    """Return each algorithm's regret at the horizon, and for ``ours`` other private ones' regret divided by it.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    ours, claimed
        Titles of the algorithms compared with all other private ones; and the claimed ratio, which is not used.

    Returns
    -------
    DataFrame
        Rows of aggregates at the horizon, by ``environment`` and ``epsilon``. Private rows of ``ours`` also have
        ratios of another private algorithm's mean regret to their own. ``ratio`` is that of the best other one,
        ``best_title``, with the interval ``ratio_low, ratio_high``. ``worst_ratio`` is that of the worst,
        ``worst_title``. If the aggregates are of the paper's few runs, ``all_ratio`` is ``ratio`` in all runs.

    Raises
    ------
    BadInput
        If ``ours`` has a title that no algorithm of ``aggregates`` has.
    """
    del claimed
    # Experiments that share an environment share the runs of algorithms without a budget.
    table = named(aggregates[aggregates["round"] == aggregates["horizon"]]).drop_duplicates([*CELL, "title"])
    for title in ours:
        if title not in set(table["title"]):
            raise BadInput("options.ours", title, suggest(title, table["title"].unique()))
    table = table.sort_values("epsilon", kind="stable")
    ratios = times_less(table, ours)[[*CELL, "title", *RATIOS]]
    if set(OF_ALL.values()) <= set(table):
        of_all = times_less(table.assign(**{name: table[f"all_{name}"] for name in MEAN}), ours)
        ratios = ratios.assign(all_ratio=of_all["ratio"])
    return table.merge(ratios, on=[*CELL, "title"], how="left").sort_values(CELL, kind="stable")


def regrets(environment: str, part: pd.DataFrame, limits: tuple[float, float]) -> Panel:
    """Describe a panel of each algorithm's mean regret over the budget; one without a budget is a level line.

    ``part`` has the environment's rows of aggregates at the horizon, ``limits`` both ends of the vertical axis.
    """
    return Panel(
        title=symbol(environment),
        x="epsilon",
        curves=[
            Curve(
                title if own["epsilon"].notna().any() else f"{title} (not private)",
                *(own, look.colour, look.dashes),
                mark=look.mark,
                bars=True,
                width=1.0,
            )
            for title, look, own in curves(part)
        ],
        labels=("privacy budget ε", "mean regret (rewards)"),
        limits=(None, limits),
    )


def ratios(
    environment: str, part: pd.DataFrame, ours: list[str], claimed: float, limits: tuple[float, float]
) -> Panel:
    """Describe a panel of the best other algorithm's regret divided by that of each of ``ours``, over the budget.

    A shade goes up to the ratio of the worst other algorithm.

    Parameters
    ----------
    environment
        Label of the environment.
    part
        Rows of `numbers` of this environment: ``title``, ``epsilon``, and the ratios of regret, ``ratio`` with its
        interval and ``worst_ratio``.
    ours, claimed
        Titles of the algorithms compared with all other private ones; and the claimed ratio, drawn as a line.
    limits
        Ends of the vertical axis.
    """
    shown = []
    part = part.assign(top=part["ratio_high"].clip(upper=limits[1]))
    for title, look, own in curves(part[part["title"].isin(ours)]):
        less = {"than the best": Measure("ratio", "ratio_low", "top")}
        to_worst = {"to the worst": Measure("ratio", "ratio", "worst_ratio")}
        shown.append(
            Curve(f"{title}: shaded up to the worst other", own, look.colour, look.dashes, to_worst, width=0.5)
        )
        shown.append(Curve(title, own, look.colour, look.dashes, less, mark=look.mark, bars=True, width=1.0))
    return Panel(
        title=f"{symbol(environment)}: ratio",
        x="epsilon",
        curves=shown,
        labels=("privacy budget ε", "regret of best other ÷ own"),
        limits=(None, limits),
        regions=(
            Region("equal regret", None, (1.0, 1.0), BLACK),
            Region(f"the paper's claim: up to {number(claimed)} times", None, (claimed, claimed), GREY),
        ),
    )


def plot(table: pd.DataFrame, ours: list[str], claimed: float) -> Plot:
    """Describe a column for each environment: mean regret above, and below the others' regret divided by ``ours``.

    ``table`` is that of `numbers`: by ``environment, epsilon`` and ``title``, ``mean`` with its interval at the
    horizon, and ``ratio, ratio_low, ratio_high`` and ``worst_ratio`` of ``ours``. These are titles, compared with
    all other private algorithms; ``claimed`` is a ratio that is drawn as a line.
    """
    parts = [(str(environment), part) for environment, part in table.groupby("environment")]
    regret = (table["mean"].min() / 1.6, table["mean_high"].max() * 1.6)
    less = (min(0.8, table["ratio_low"].min() / 1.2), max(table["worst_ratio"].max(), claimed) * 1.6)
    known = table["ratio"].dropna()
    names = " and ".join(ours)
    lower, cases = int((known > 1.0).sum()), len(known)
    most = table["runs"].max()
    open_ = int(((table["ratio"] > 1.0) & (table["ratio_low"] <= 1.0)).sum())
    return Plot(
        title=(
            (f"In this one set of {number(most)} runs " if most < TAIL_RUNS else "")
            + f"{names} have less mean regret than all other private algorithms in {lower} of {cases} cases"
            + (f" (in {open_} of the {lower} the intervals overlap)" if open_ else "")
            + _of_all(table)
        ),
        conditions=(
            f"A case: one of them at one budget on one bandit. "
            f"T = {number(table['horizon'].max())}, {runs(table)}\n"
            f"{bandits(table)}"
        ),
        panels=[
            *(regrets(environment, part, regret) for environment, part in parts),
            *(ratios(environment, part, ours, claimed, less) for environment, part in parts),
        ],
        columns=len(parts),
        height=2.6,
        legend_columns=4,
    )


def _of_all(table: pd.DataFrame) -> str:
    """Return in how many cases they have less mean regret in all runs, beside the paper's few."""
    if "all_ratio" not in table or not table["all_runs"].max() > table["runs"].max():
        return ""
    return f"; with {number(table['all_runs'].max())} runs in {int((table['all_ratio'] > 1.0).sum())}"


FIGURE = PlottedFigure(
    title="Regret at the horizon of all algorithms over the privacy budget",
    numbers=numbers,
    columns=[*CELL, "title", "runs", *MEAN, *RATIOS, *ALL],
    plot=plot,
    options={
        "ours": Option(
            ["DP-KLUCB", "DP-IMED"], "titles compared with the best and the worst other private algorithm"
        ),
        "claimed": Option(10.0, "how many times less regret is claimed, a line in the lower panels"),
    },
)
