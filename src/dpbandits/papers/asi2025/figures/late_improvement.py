"""Lemma 11 of asi2025: regret on its sequences, and the lower bound that a quick drop of arm 2 implies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Limits, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, GREY
from dpbandits.core.numbers import number
from dpbandits.papers.style import count, curves, runs

# The second panel ends at this multiple of the round at which arm 2 improves.
SHOWN = 10
OVER_TIME = ["algorithm", "title", "environment", "epsilon", "horizon", "runs", "round"]
OVER_TIME += ["mean", "mean_low", "mean_high", "cell"]
RATE = "√(T/ε)"


def numbers(
    aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame], epsilon: float, environment: str
) -> pd.DataFrame:
    """Return regret over time on two sequences at one budget, and at the horizon on all.

    Parameters
    ----------
    aggregates
        Regret of all cells.
    computed
        One table of bounds, by the computation's name.
    epsilon, environment
        As ``FIGURE.options`` declares them.
    """
    (bounds,) = computed.values()
    if environment not in set(aggregates["environment"]):
        raise BadInput("options.environment", environment, suggest(environment, aggregates["environment"].unique()))
    (never,) = bounds.loc[bounds["improves"].isna(), "environment"].unique()
    shown = aggregates[aggregates["epsilon"].isna() | (aggregates["epsilon"] == epsilon)]
    shown = shown[shown["environment"].isin([never, environment])]
    of_both = pd.concat([bounds.assign(part="sequences"), shown[OVER_TIME].assign(part="over time")])
    return of_both.reset_index(drop=True)


def over_time(table: pd.DataFrame, title: str, log: bool, limits: tuple[Limits, Limits], turn: float) -> Panel:
    """Describe regret over time on one sequence, and where arm 2 improves.

    Parameters
    ----------
    table
        Rows of one sequence.
    title
        The panel's title.
    log
        Whether both axes are logarithmic.
    limits
        Ends of both axes.
    turn
        The round from which arm 2 is better, marked on linear axes.
    """
    lines = (Region("arm 2 improves", (turn, turn), None, BLACK), Region("no regret", None, (0.0, 0.0), GREY))
    return Panel(
        title=title,
        x="round",
        curves=[Curve(name, part, look.colour, look.dashes) for name, look, part in curves(table)],
        labels=("round t", "mean regret (losses)"),
        # Where an arm improves regret may be negative.
        log=(log, log),
        limits=limits,
        regions=() if log else lines,
    )


def over_budget(bounds: pd.DataFrame) -> Panel:
    """Describe the worst of all sequences over the budget, and Lemma 11's lower bound where it applies."""
    bounds = bounds.assign(
        low=bounds["regret"] - 2 * bounds["error"],
        high=bounds["regret"] + 2 * bounds["error"],
        rate=np.sqrt(bounds["horizon"] / bounds["epsilon"]),
    )
    worst = bounds.loc[bounds.groupby(["title", "epsilon"])["regret"].idxmax()]
    applies = bounds[bounds["lower_bound"].notna()]
    regret, lower = {"mean": Measure("regret", "low", "high")}, {"lower bound": Measure("lower_bound")}
    return Panel(
        title="worst of all sequences",
        x="epsilon",
        curves=[
            *(
                Curve(title, part, look.colour, look.dashes, regret, mark="o", bars=True)
                for title, look, part in curves(worst)
            ),
            *(
                Curve(f"{title}: Lemma 11's lower bound", part, look.colour, "-", lower, joined=False, mark="D")
                for title, look, part in curves(applies)
            ),
        ],
        labels=("privacy budget ε", "mean regret at T"),
        bounds={RATE: "rate"},
        shown=(RATE,),
    )


def plot(table: pd.DataFrame, epsilon: float, environment: str) -> Plot:
    """Describe regret over time on two sequences at one budget, and the worst of all sequences over the budget."""
    bounds, shown = (table[table["part"] == part] for part in ("sequences", "over time"))
    horizon = int(table["horizon"].iloc[0])
    turn = float(bounds.loc[bounds["environment"] == environment, "improves"].iloc[0] * horizon)
    improving = shown["environment"] == environment
    early = shown.loc[improving & (shown["round"] <= SHOWN * turn), "mean"]
    margin = 0.05 * (early.max() - early.min())
    zoomed = ((0.0, SHOWN * turn), (early.min() - margin, early.max() + margin))
    applies = bool(bounds["lower_bound"].notna().any())
    finding = (
        "Lemma 11's lower bound applies to some of these algorithms"
        if applies
        else "Lemma 11's lower bound applies to no algorithm here: none drops arm 2 quickly enough"
    )
    return Plot(
        title=finding,
        conditions=f"T = {count(horizon)}, {runs(shown)}; over time at ε = {number(epsilon)}, or without privacy",
        panels=[
            over_time(shown[~improving], "arm 2 never improves", True, (None, None), turn),
            over_time(shown[improving], f"arm 2 improves after {count(round(turn))} rounds", False, zoomed, turn),
            over_budget(bounds),
        ],
        columns=3,
        height=3.3,
    )


FIGURE = PlottedFigure(
    title="Regret on Lemma 11's sequences and its lower bound",
    numbers=numbers,
    plot=plot,
    options={
        "epsilon": Option(0.1, "budget of the curves over time"),
        "environment": Option("", "sequence of the second panel, on which arm 2 improves"),
    },
)
