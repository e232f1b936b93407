"""wu2025, Theorems 1 and 2, Corollary 1: regret with random losses over T, K and epsilon, exact and sampled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import MEAN, Curve, Measure, Panel, Plot, PlottedFigure, at
from dpbandits.core.labels import BLACK, DOTTED, GREY
from dpbandits.core.numbers import number
from dpbandits.papers.style import rounded_up, runs
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise, parts, six_variants
from dpbandits.settings.full_information import theory

PRINTED = ["laplace", "exponential", "gumbel"]
POINTS = [
    "title",
    "noise",
    "resampling",
    "epsilon",
    "arms",
    "round",
    "runs",
    "mean",
    "mean_low",
    "mean_high",
    "cell",
]


def sampled(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of RNM-FTNL with one of the paper's three noises, told by ``title``, with a column ``noise``.

    Raises
    ------
    BadInput
        If there are none.
    """
    names = {f"RNM-FTNL ({name.capitalize()})": name for name in PRINTED}
    known = aggregates[aggregates["title"].isin(names)]
    if known.empty:
        raise BadInput("experiments", list(aggregates["title"].unique()), f"runs of {', '.join(names)}")
    return known.assign(noise=known["title"].map(names))


def over_arms(table: pd.DataFrame) -> Panel:
    """Describe a panel of exact regret over K, with equal gaps, divided by ``lower_rate`` and by ``new_rate``.

    The rates are log K/Delta + log K/epsilon and log K/Delta + log^2 K/epsilon. ``table`` has the part ``arms`` of
    the computation ``stochastic-regret``: ``regret`` and rates by ``family``, ``noise`` and ``arms``.
    """
    equal = table[table["family"] == "equal"]
    equal = equal.assign(flat=equal["regret"] / equal["lower_rate"], falls=equal["regret"] / equal["new_rate"])
    return Panel(
        title="(a) over K, divided by two rates",
        x="arms",
        curves=[
            *by_noise(equal, {"divided": Measure("flat")}, ", ÷ (log K/Δ + log K/ε)"),
            *by_noise(equal, {"divided": Measure("falls")}, ", ÷ (log K/Δ + log² K/ε)", DOTTED),
        ],
        labels=("K (actions)", "regret divided by a rate"),
        limits=(None, (0.05, 6)),
        ticks=({}, at(0.1, 0.3, 1, 3)),
    )


def over_horizon(exact: pd.DataFrame, runs_of: pd.DataFrame) -> Panel:
    """Describe exact regret over T for three noises with resampling and without, simulated means, and two rates.

    ``exact`` has the part ``horizon`` of exact regret, ``runs_of`` simulated means by ``noise`` and ``round``.
    Means are marks; the rates are those of Theorems 1 and 2.
    """
    of = (exact["arms"].iloc[0], exact["epsilon"].iloc[0], exact["gap"].iloc[0])
    rates = exact.drop_duplicates("horizon").sort_values("horizon")
    rates = rates.assign(
        earlier=[theory.earlier_rate(*of, t) if t > 1 else np.nan for t in rates["horizon"]],
        new=theory.new_rate(*of),
    )
    sampled_means = [
        Curve(f"{NOISES[noise][0]}, runs", few, NOISES[noise][1], "-", MEAN, False, "s", bars=True)
        for noise, part in parts(runs_of.assign(horizon=runs_of["round"]), "noise")
        # Every fourth checkpoint from round 4 on, so that marks stand apart.
        for few in [part[part["horizon"] >= 4].iloc[::4]]
    ]
    return Panel(
        title="(b) flat in T after a while",
        x="horizon",
        curves=[
            *six_variants(exact, {"pseudo-regret": Measure("regret")}),
            *sampled_means,
            Curve("rate of Theorem 1: shape alone", rates, BLACK, DOTTED, {"rate": Measure("earlier")}, width=1.0),
            Curve("rate of Theorem 2: shape alone", rates, GREY, DOTTED, {"rate": Measure("new")}, width=1.0),
        ],
        labels=("T (rounds)", "pseudo-regret"),
    )


def numbers(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of exact regret in ``computed``, and below them simulated means as the part ``sampled``.

    ``computed`` has one table, of the computation ``stochastic-regret``. Means are those of RNM-FTNL in
    ``aggregates``, by ``noise``, ``resampling`` and ``round``; `BadInput` is raised if there are none.
    """
    (table,) = computed.values()
    return pd.concat([table, sampled(aggregates)[POINTS].assign(part="sampled")], ignore_index=True)


def _changes(arms: pd.DataFrame) -> float:
    """Return how many times as large as its smallest value a noise's regret with equal gaps, divided, gets."""
    equal = arms[arms["family"] == "equal"]
    divided = (equal["regret"] / equal["lower_rate"]).groupby(equal["noise"])
    return float((divided.max() / divided.min()).max())


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret over K divided by the rates of eq. 2 and Theorem 2, and regret over T.

    ``table`` is that of `numbers`. Exact ``regret`` is in its parts ``arms`` (with ``lower_rate`` and ``new_rate``)
    and ``horizon``, and simulated ``mean`` with its interval in ``sampled``.
    """
    of_part = dict(list(table.groupby("part")))
    one, many, drawn = of_part["horizon"].iloc[0], of_part["arms"].iloc[0], of_part["sampled"]
    return Plot(
        title=(
            f"RNM-FTNL's regret is of order log K/Δ + log K/ε: divided by that "
            f"it changes at most {rounded_up(_changes(of_part['arms']))}-fold over K"
        ),
        conditions=(
            f"Exact pseudo-regret (lines): (a) equal gaps, ε = {many['epsilon']:g}, Δ = {many['gap']:g}, "
            f"T = {number(many['horizon'])}\n(b) K = {one['arms']:g}, ε = {one['epsilon']:g}, Δ = {one['gap']:g}; "
            f"marks: means of {runs(drawn)}, with intervals"
        ),
        panels=[over_arms(of_part["arms"]), over_horizon(of_part["horizon"], drawn)],
        columns=2,
        height=4.4,
    )


FIGURE = PlottedFigure(title="Regret with random losses over T and K", numbers=numbers, plot=plot)
