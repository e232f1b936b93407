"""Means, medians and 99 % quantiles of DP-IMED beside what the best arm's private path predicts."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import LOOKS, symbol
from dpbandits.papers.style import LineOptions, panels, thousands

# Measured and predicted columns, by what they are.
ROWS = {"mean": "predicted", "median": "typical", "q99": "predicted_q99"}
WORDS = {"mean": "mean", "median": "median", "q99": "99 % quantile"}
TITLES = ("DP-IMED", "DP-IMED, long start")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a row for each statistic, a column for each environment: markers measured, lines predicted."""
    (table,) = computed.values()
    environments = sorted(table["environment"].unique())
    figure, axes = panels(len(ROWS) * len(environments), len(environments), height=1.9)
    for row, (measured, predicted) in enumerate(ROWS.items()):
        line = axes[row * len(environments) : (row + 1) * len(environments)]
        for axis, environment in zip(line, environments, strict=True):
            for title in TITLES:
                look = LOOKS[title]
                part = table[(table["environment"] == environment) & (table["title"] == title)].sort_values(
                    "epsilon"
                )
                marks: LineOptions = {
                    "color": look.colour,
                    "linestyle": "",
                    "marker": look.mark,
                    "markersize": 3.5,
                }
                axis.plot(part["epsilon"], part[measured], **marks, label=f"{title}, measured")
                axis.plot(part["epsilon"], part[predicted], **look.line, linewidth=1.1, label=f"{title}, predicted")
            axis.set(xscale="log", yscale="log")
            axis.minorticks_off()
            if row == 0:
                axis.set_title(symbol(environment))
            if row == len(ROWS) - 1:
                axis.set_xlabel("privacy budget ε")
        line[0].set_ylabel(WORDS[measured])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle(
        f"Pseudo-regret at T = {thousands(table['horizon'].max())}; predicted from private paths of the "
        "best arm, nothing fitted",
        fontsize="medium",
    )
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return a panel for each statistic and environment."""
    found = []
    for measured, predicted in ROWS.items():
        word = WORDS[measured]
        for environment, own in numbers.groupby("environment"):
            curves = []
            for title in TITLES:
                look = LOOKS[title]
                part = own[own["title"] == title].sort_values("epsilon")
                if len(part):
                    curves.append(
                        Curve(f"{title}, measured", part, look.colour, measures={word: Measure(measured)})
                    )
                    curves.append(
                        Curve(f"{title}, predicted", part, look.colour, look.dashes, {word: Measure(predicted)})
                    )
            name = f"{symbol(str(environment))}: {word}"
            found.append(Panel(title=name, x="epsilon", curves=curves, labels=("privacy budget ε", word)))
    return found


FIGURE = InteractiveFigure(
    title="Regret of DP-IMED beside its prediction from the best arm's path", draw=draw, panels=panels_of
)
