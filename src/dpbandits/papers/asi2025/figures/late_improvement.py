"""Lemma 11 of asi2025: regret on its sequences, and the lower bound that a quick drop of arm 2 implies."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, GREY, looks
from dpbandits.core.options import Option
from dpbandits.papers.style import count, curves, interval, panels, runs

# The second panel ends at this multiple of the round at which arm 2 improves.
SHOWN = 10
OVER_TIME = ["algorithm", "title", "environment", "epsilon", "horizon", "runs", "round"]
OVER_TIME += ["mean", "mean_low", "mean_high"]


def draw(
    aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame], epsilon: float, environment: str
) -> Drawing:
    """Draw regret over time on two sequences at one budget, and the worst of all sequences over the budget."""

    from matplotlib.lines import Line2D

    (bounds,) = computed.values()
    if environment not in set(aggregates["environment"]):
        raise BadInput("options.environment", environment, suggest(environment, aggregates["environment"].unique()))
    (never,) = bounds.loc[bounds["improves"].isna(), "environment"].unique()
    shown = aggregates[aggregates["epsilon"].isna() | (aggregates["epsilon"] == epsilon)]
    figure, (first, second, third) = panels(3, 3, height=3.3)
    horizon = int(aggregates["horizon"].iloc[0])
    for axes, place in ((first, never), (second, environment)):
        for _, look, part in curves(shown[shown["environment"] == place]):
            axes.plot(part["round"], part["mean"], **look.line)
            interval(axes, part, "round", "mean_low", "mean_high", look.colour)
        axes.set(xscale="log", xlabel="round t")
    first.set(yscale="log", title="arm 2 never improves", ylabel="mean regret (losses)")
    improves = bounds.loc[bounds["environment"] == environment, "improves"].iloc[0]
    turn = improves * horizon
    second.set(title=f"arm 2 improves after {count(round(turn))} rounds", xscale="linear", xlim=(0, SHOWN * turn))
    early = shown[(shown["environment"] == environment) & (shown["round"] <= SHOWN * turn)]
    margin = 0.05 * (early["mean"].max() - early["mean"].min())
    second.set_ylim(early["mean"].min() - margin, early["mean"].max() + margin)
    second.axvline(turn, color=GREY, linewidth=0.8)
    second.axhline(0.0, color=BLACK, linewidth=0.6)
    worst = bounds.loc[bounds.groupby(["title", "epsilon"])["regret"].idxmax()]
    styles = looks(list(aggregates["title"].unique()))
    applies = False
    for title in worst["title"].unique():
        look = styles[str(title)]
        part, known = worst[worst["title"] == title], bounds[bounds["title"] == title]
        third.errorbar(part["epsilon"], part["regret"], 2 * part["error"], **look.line, marker="o", markersize=3)
        applies |= bool(known["lower_bound"].notna().any())
        third.plot(
            known["epsilon"], known["lower_bound"], color=look.colour, linestyle="", marker="_", markersize=14
        )
    budgets = np.sort(worst["epsilon"].unique())
    third.plot(budgets, np.sqrt(horizon / budgets), color=BLACK, linewidth=0.8, linestyle=":")
    third.text(1.1 * budgets[0], 0.6 * math.sqrt(horizon / budgets[0]), "√(T/ε)", fontsize="small", va="top")
    third.set(xscale="log", yscale="log", title="worst of all sequences", xlabel="privacy budget ε")
    third.set_ylabel("mean regret at T")
    handles = [Line2D([], [], **look.line, label=title) for title, look in styles.items()]
    if applies:
        words = "Lemma 11's lower bound"
        handles.append(Line2D([], [], color=GREY, linestyle="", marker="_", markersize=14, label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize="small")
    figure.suptitle(f"T = {count(horizon)}, ε = {epsilon:g} over time, {runs(aggregates)}", fontsize="medium")
    shown = shown[shown["environment"].isin([never, environment])]
    of_both = pd.concat([bounds.assign(part="sequences"), shown[OVER_TIME].assign(part="over time")])
    return figure, of_both.reset_index(drop=True)


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return regret over time on two sequences, and the worst of all sequences over the budget."""
    over_time, ends = numbers[numbers["part"] == "over time"], numbers[numbers["part"] == "sequences"]
    found = [
        Panel(
            title=f"sequence {environment}",
            x="round",
            curves=[Curve(title, own, look.colour, look.dashes) for title, look, own in curves(part)],
            labels=("round t", "regret (losses)"),
            # Where an arm improves regret may be negative.
            log=(True, bool((part["mean"] > 0.0).all())),
        )
        for environment, part in over_time.groupby("environment", sort=False)
    ]
    ends = ends.assign(
        low=ends["regret"] - 2 * ends["error"],
        high=ends["regret"] + 2 * ends["error"],
        rate=np.sqrt(ends["horizon"] / ends["epsilon"]),
    )
    largest = ends.loc[ends.groupby(["title", "epsilon"])["regret"].idxmax()]
    regret = [
        Curve(title, part, look.colour, look.dashes, measures={"mean": Measure("regret", "low", "high")})
        for title, look, part in curves(largest)
    ]
    bounds = {"lower bound, where it applies": "lower_bound", "√(T/ε)": "rate"}
    labels = ("privacy budget ε", "regret (losses)")
    return [*found, Panel("worst of all sequences", "epsilon", regret, labels, bounds=bounds)]


FIGURE = InteractiveFigure(
    title="Regret on Lemma 11's sequences and its lower bound",
    draw=draw,
    panels=panels_of,
    options={
        "epsilon": Option(0.1, "budget of the curves over time"),
        "environment": Option("", "sequence of the second panel, on which arm 2 improves"),
    },
)
