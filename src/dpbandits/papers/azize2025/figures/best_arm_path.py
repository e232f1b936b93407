"""Means, medians and 99 % quantiles of DP-IMED beside what the best arm's private path predicts."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import LOOKS, symbol
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows, rounded_up

# Measured and predicted columns, by what they are.
ROWS = {"mean": "predicted", "median": "typical", "q99": "predicted_q99"}
WORDS = {"mean": "mean", "median": "median", "q99": "99 % quantile"}
SHOWN = ("DP-IMED", "DP-IMED, long start")


def curves(own: pd.DataFrame, measured: str) -> list[Curve]:
    """Return curves of one statistic of DP-IMED's regret over the budget: lines predicted, marks measured.

    DP-IMED is shown with a first batch of 1, and with a long one. ``own`` has the rows of one environment, as
    `plot` takes them, and ``measured`` is ``mean``, ``median`` or ``q99``.
    """
    found = []
    for title in SHOWN:
        look, part = LOOKS[title], own[own["title"] == title].sort_values("epsilon")
        predicted = {WORDS[measured]: Measure(ROWS[measured])}
        found.append(Curve(f"{title}, predicted", part, look.colour, look.dashes, predicted, width=1.1))
        marks = {WORDS[measured]: Measure(measured)}
        # Where both algorithms agree, hollow marks let both be seen.
        hollow = title != SHOWN[0]
        name = f"{title}, measured"
        found.append(Curve(name, part, look.colour, "-", marks, joined=False, mark=look.mark, hollow=hollow))
    return found


def plot(table: pd.DataFrame) -> Plot:
    """Describe DP-IMED's regret over the budget, marks measured and lines predicted.

    There is a row for each statistic, and a column for each environment. ``table`` is that of the computation
    ``best-arm-path``: ``mean, median, q99`` measured and ``predicted, typical, predicted_q99`` predicted, by
    ``environment, title`` and ``epsilon``.
    """
    environments = sorted(table["environment"].unique())
    panels, worst = [], 1.0
    counts = dict.fromkeys(number(value) for value in (table["runs"].min(), table["runs"].max()))
    for measured, predicted in ROWS.items():
        shown = table.loc[table["title"].isin(SHOWN), [measured, predicted]]
        off = (shown[predicted] / shown[measured]).dropna()
        worst = max(worst, off.max(), 1.0 / off.min())
        heights = (shown.min().min() / 1.6, shown.max().max() * 1.6)
        panels += [
            Panel(
                title=f"{symbol(environment)}: {WORDS[measured]}",
                x="epsilon",
                curves=curves(table[table["environment"] == environment], measured),
                labels=("privacy budget ε", f"{WORDS[measured]} of regret"),
                limits=(None, heights),
            )
            for environment in environments
        ]
    return Plot(
        title=f"The best arm's noisy means alone predict DP-IMED's regret within a factor of {rounded_up(worst)}",
        conditions=(
            f"Regret at T = {number(table['horizon'].max())}: marks are measured in {' to '.join(counts)} runs, "
            f"lines predicted without a run\nNothing is fitted; intervals are not drawn"
        ),
        panels=panels,
        columns=len(environments),
        height=1.9,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret of DP-IMED beside its prediction from the best arm's path", numbers=computed_rows, plot=plot
)
