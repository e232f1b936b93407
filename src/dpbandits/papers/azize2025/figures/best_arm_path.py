"""Means, medians and 99 % quantiles of DP-IMED beside what the best arm's private path predicts."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import LOOKS, TITLES, symbol
from dpbandits.papers.style import LineOptions, panels, thousands

# Measured and predicted columns, by what they are.
ROWS = {"mean": "predicted", "median": "typical", "q99": "predicted_q99"}
WORDS = {"mean": "mean", "median": "median", "q99": "99 % quantile"}
SHOWN = ("DP-IMED", "DP-IMED, long start")


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a row for each statistic, a column for each environment: markers measured, lines predicted."""

    from matplotlib.ticker import StrMethodFormatter

    (table,) = computed.values()
    environments = sorted(table["environment"].unique())
    figure, axes = panels(len(ROWS) * len(environments), len(environments), height=1.9)
    for row, (measured, predicted) in enumerate(ROWS.items()):
        line = axes[row * len(environments) : (row + 1) * len(environments)]
        shown = table.loc[table["title"].isin(SHOWN), [measured, predicted]]
        for axis, environment in zip(line, environments, strict=True):
            for title in SHOWN:
                look, called = LOOKS[title], TITLES.get(title, title)
                part = table[(table["environment"] == environment) & (table["title"] == title)].sort_values(
                    "epsilon"
                )
                # Of the longer first batch marks are hollow: where both agree both are seen.
                filled = look.colour if title == SHOWN[0] else "white"
                marks: LineOptions = {"marker": look.mark, "linestyle": "", "markersize": 4}
                axis.plot(
                    part["epsilon"], part[predicted], **look.line, linewidth=1.1, label=f"{called}, predicted"
                )
                axis.plot(
                    part["epsilon"],
                    part[measured],
                    **marks,
                    color=look.colour,
                    markerfacecolor=filled,
                    label=f"{called}, measured",
                )
            axis.set(xscale="log", yscale="log", ylim=(shown.min().min() / 1.6, shown.max().max() * 1.6))
            axis.minorticks_off()
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
            if row == 0:
                axis.set_title(symbol(environment))
            if row == len(ROWS) - 1:
                axis.set_xlabel("privacy budget ε")
            if axis is not line[0]:
                axis.tick_params(labelleft=False)
        line[0].set_ylabel(f"{WORDS[measured]} regret" if measured != "q99" else WORDS[measured])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle(
        f"Regret at T = {thousands(table['horizon'].max())}: marks are measured, lines predicted from the best arm "
        "alone, nothing fitted",
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
            for title in SHOWN:
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
