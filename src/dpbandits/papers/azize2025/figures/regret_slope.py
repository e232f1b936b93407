"""Regret divided by log T and by the slope of the lower bound, beside what azize2025, Theorem 4.3, bounds it by."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, DOTTED, symbol
from dpbandits.core.numbers import bracket, number
from dpbandits.core.tables import means_of
from dpbandits.papers.style import bandits, from_round, runs, shades
from dpbandits.settings.stochastic.theory import lower_bound_slope

REGRETS = ["mean", "mean_low", "mean_high", "q50"]
COLUMNS = ["environment", "epsilon", "title", "alpha", "runs", "round", "bound_slope", *REGRETS]
LEVEL = {"multiple": Measure("level")}
MEASURES = {"mean": Measure("mean", "mean_low", "mean_high"), "median": Measure("q50")}
# An interval that begins at this share of its mean, or above, tells its size.
NARROW = 0.7
LEADING = "α times the lower bound: leading term of Theorem 4.3, a line in the colour of each α"


def numbers(
    aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], first_round: int, epsilon: float
) -> pd.DataFrame:
    """Return regret over time, divided by Theorem 3.1's lower bound on it, at one budget or at all.

    Columns ``mean``, ``mean_low``, ``mean_high`` and ``q50`` are divided by ``bound_slope`` (Theorem 3.1) log t.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    first_round, epsilon
        Round at which the time axis begins (earlier rows are left out), and the privacy budget; 0 stands for all.

    Raises
    ------
    BadInput
        If no row has this budget, or ``first_round`` is after the last checkpoint.
    """
    shown = aggregates[aggregates["epsilon"] == epsilon] if epsilon else aggregates
    if shown.empty:
        raise BadInput("options.epsilon", epsilon, f"0 or one of {sorted(aggregates['epsilon'].unique())}")
    table = from_round(shown, first_round)
    means = {row["environment"]: means_of(row) for _, row in table.drop_duplicates("environment").iterrows()}
    cases = list(zip(table["environment"], table["epsilon"], strict=True))
    slopes = {case: lower_bound_slope(means[case[0]], case[1]) for case in set(cases)}
    table = table.assign(bound_slope=[slopes[case] for case in cases])
    table[REGRETS] = table[REGRETS].div(table["bound_slope"] * np.log(table["round"]), axis=0)
    return table


def leading_terms(alphas: Mapping[float, str]) -> list[Curve]:
    """Return a level line for each alpha, the ratio of batches: at alpha times the lower bound.

    That is the leading term of Theorem 4.3, for this reason. In a run with few errors an arm has as many pulls as
    the first n_m of eq. 14 that reaches log T / d_eps. As T grows, this is from one to about alpha times
    log T / d_eps. ``alphas`` has each line's colour by alpha.
    """
    return [
        Curve(LEADING, pd.DataFrame({"round": [math.nan], "level": [alpha]}), colour, DOTTED, LEVEL, width=1.0)
        for alpha, colour in alphas.items()
    ]


def _finding(table: pd.DataFrame) -> str:
    """Return between which multiples of the lower bound medians lie at the horizon, and the highest mean before.

    Of means those count whose interval is `NARROW`: later a handful of runs decides them.
    """
    ends = table[table["round"] == table["round"].max()]
    low, high = ends["q50"].min(), ends["q50"].max()
    found = (
        f"At T = {number(ends['round'].max())} medians are {number(low, 2)} to {number(high, 2)} times the bound"
    )
    known = table[table["mean_low"] >= NARROW * table["mean"]]
    if known.empty:
        return found
    most = known.sort_values("mean").iloc[-1]
    times = bracket(*(float(f"{most[name]:.2g}") for name in ("mean", "mean_low", "mean_high")))
    return (
        f"{found}; the mean of {most['title']} with α = {number(most['alpha'])} is {times} times it "
        f"at T = {number(most['round'], 2)}"
    )


def plot(table: pd.DataFrame, first_round: int, **_: object) -> Plot:
    """Describe a row for each environment, budget and algorithm: means left, medians right, a curve for each alpha.

    ``table`` is that of `numbers`: ``mean`` with its interval, and ``q50``, in multiples of the lower bound, by
    ``environment, epsilon, title, alpha`` and ``round``. ``first_round`` is where the time axis begins.
    """
    logs, horizon = np.log(table["round"]), float(table["horizon"].max())
    table = table.assign(multiple=1.0 / (table["bound_slope"] * logs.where(logs > 0.0)))
    colours = shades(table["alpha"], "plasma", end=0.83)
    mean = (min(0.9, table["q50"].min() / 1.5), table["mean_high"].max() * 1.5)
    median = (0.0, 1.08 * max(table["q50"].max(), *colours))
    panels = []
    for (environment, budget, title), part in table.groupby(["environment", "epsilon", "title"]):
        parts = {alpha: own for alpha in colours if len(own := part[part["alpha"] == alpha])}
        for word, log, limits in (("mean", True, mean), ("median", False, median)):
            curves = [
                Curve(f"α = {number(alpha)}", own, colours[alpha], "-", {word: MEASURES[word]})
                for alpha, own in parts.items()
            ]
            panels.append(
                Panel(
                    title=f"{word}: {title}, {symbol(str(environment))}, ε = {budget:g}",
                    x="round",
                    curves=[*curves, *([] if log else leading_terms(colours))],
                    labels=("round T", "regret ÷ bound"),
                    log=(True, log),
                    scale="multiple",
                    limits=((first_round, horizon), limits),
                    regions=(Region("lower bound (Theorem 3.1)", None, (1.0, 1.0), BLACK),),
                )
            )
    return Plot(
        title=_finding(table),
        conditions=(
            f"Regret ÷ the lower bound of Theorem 3.1, of order log T; {runs(table)}; "
            f"shaded: interval of the mean\n"
            f"Where it opens to the bottom, a handful of runs decides the mean. {bandits(table)}"
        ),
        panels=panels,
        columns=2,
        height=2.3,
        legend_columns=3,
    )


FIGURE = PlottedFigure(
    title="Regret / log T in multiples of the lower bound, for several ratios of batch sizes",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "first_round": Option(10, "where the time axis begins; log T means little before"),
        "epsilon": Option(0.0, "the budget that is shown; 0 for all"),
    },
)
