"""Mean regret over time, in any setting: a panel for each environment and budget."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Panel
from dpbandits.core.labels import symbol
from dpbandits.core.options import Option
from dpbandits.papers.style import curves, from_round, interval, label_ends, named, panels, runs, thousands

COLUMNS = ["environment", "epsilon", "title", "runs", "round", "mean", "mean_low", "mean_high"]


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], first_round: int) -> Drawing:
    """Draw each algorithm's mean regret with its interval; one without privacy stands in every panel."""
    shown = named(from_round(aggregates, first_round))
    cases = shown.loc[shown["epsilon"].notna(), ["environment", "epsilon"]].drop_duplicates()
    figure, axes = panels(len(cases), 2)
    parts = []
    for (environment, epsilon), axis in zip(cases.itertuples(index=False), axes, strict=True):
        part = shown[(shown["environment"] == environment) & shown["epsilon"].isin([epsilon, np.nan])]
        parts.append(part[COLUMNS])
        axis.set(xscale="log", yscale="symlog", xlabel="round t", ylabel="pseudo-regret")
        axis.set_title(f"{symbol(environment)}, ε = {epsilon:g}", loc="left")
        ends = {}
        for title, look, curve in curves(part):
            axis.plot(curve["round"], curve["mean"], **look.line)
            interval(axis, curve, "round", "mean_low", "mean_high", look.colour)
            ends[title] = (curve["mean"].iloc[-1], look)
        axis.set_xlim(part["round"].min(), part["round"].max())
        label_ends(axis, ends)
    figure.suptitle(
        f"Mean pseudo-regret with its interval, T = {thousands(shown['horizon'].max())}, {runs(shown)}",
        fontsize="medium",
    )
    return figure, pd.concat(parts, ignore_index=True)


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return a panel for each environment and budget; what has no budget is in each."""
    cases = numbers.loc[numbers["epsilon"].notna(), ["environment", "epsilon"]].drop_duplicates()
    found = []
    for environment, epsilon in cases.itertuples(index=False):
        own = (numbers["environment"] == environment) & numbers["epsilon"].isin([epsilon, np.nan])
        part = numbers[own].drop_duplicates(["title", "round"])
        shown = [Curve(title, curve, look.colour, look.dashes) for title, look, curve in curves(part)]
        title = f"{symbol(environment)}, ε = {epsilon:g}"
        found.append(Panel(title, "round", shown, ("round t", "pseudo-regret"), log=(True, False)))
    return found


FIGURE = InteractiveFigure(
    title="Mean regret over time, in any setting",
    draw=draw,
    panels=panels_of,
    options={"first_round": Option(1, "where the time axis begins")},
)
