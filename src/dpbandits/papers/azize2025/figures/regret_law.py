"""Means, medians and tails of regret at the horizon over the privacy budget, of a few algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import LOOKS, symbol
from dpbandits.core.labels import TITLES as NAMES
from dpbandits.core.options import Option
from dpbandits.papers.style import interval, panels, say_if_empty, thousands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = {
    "mean": "mean regret",
    "median": "median regret",
    "q95": "95 % quantile\nof regret",
    "q99": "99 % quantile\nof regret",
    "far": "share of runs above\n20 medians",
}

# Why a panel of a statistic can have no point.
NO_POINT = {"far": "no run is above 20 medians"}
# Algorithms that the law knows; each index has a colour, and dashes say what an algorithm does with it.
TITLES = (
    *("DP-IMED", "DP-IMED, long start", "Forgetting DP-IMED", "DP-KLUCB", "DP-KLUCB, long start"),
    *("Forgetting DP-KLUCB", "Lasting AdaP-KLUCB", "AdaP-KLUCB"),
)


def _percent(share: float, _: float) -> str:
    """Return a share as a tick's label."""
    return f"{100.0 * share:g} %"


def _statistic(axes: Axes, table: pd.DataFrame, titles: list[str]) -> None:
    """Draw one statistic of each algorithm over the budget, with its interval."""
    for title in titles:
        look, curve = LOOKS[title], table[table["title"] == title]
        axes.plot(
            curve["epsilon"],
            curve["value"],
            **look.line,
            linewidth=1.2,
            marker=look.mark,
            markersize=3.5,
            markeredgecolor="white",
            label=NAMES.get(title, title),
        )
        interval(axes, curve, "epsilon", "low", "high", look.colour, alpha=0.2)


def draw(
    _: pd.DataFrame, computed: Mapping[str, pd.DataFrame], titles: list[str], statistics: list[str]
) -> Drawing:
    """Draw a column for each environment and a row for each statistic."""

    from matplotlib.ticker import LogLocator, StrMethodFormatter

    (table,) = computed.values()
    for title in titles:
        if title not in TITLES:
            raise BadInput("options.titles", title, suggest(title, TITLES))
    table = table[table["title"].isin(titles) & table["statistic"].isin(statistics)].sort_values("epsilon")
    environments = sorted(table["environment"].unique())
    height = 1.9 if len(statistics) > 1 else 3.2
    figure, axes = panels(len(statistics) * len(environments), len(environments), height=height)
    for row, statistic in enumerate(statistics):
        part = table[table["statistic"] == statistic]
        # A share of none has no place on a logarithmic axis.
        shown = part[part["value"] > 0.0]
        line = axes[row * len(environments) : (row + 1) * len(environments)]
        for axis, environment in zip(line, environments, strict=True):
            _statistic(axis, shown[shown["environment"] == environment], titles)
            say_if_empty(axis, NO_POINT.get(statistic, "no runs"))
            axis.set(xscale="log", yscale="log")
            axis.set_xlim(table["epsilon"].min() / 1.3, table["epsilon"].max() * 1.3)
            # Where no share is above none, as with few runs, any limits will do.
            lowest, highest = (shown["value"].min(), shown["value"].max()) if len(shown) else (0.1, 1.0)
            axis.set_ylim(lowest / 1.6, highest * 1.6)
            axis.minorticks_off()
            axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.yaxis.set_major_locator(LogLocator(subs=(1.0,)))
            axis.yaxis.set_major_formatter(_percent if statistic == "far" else StrMethodFormatter("{x:,g}"))
            if row == 0:
                axis.set_title(symbol(environment))
            if row == len(statistics) - 1:
                axis.set_xlabel("privacy budget ε")
            if axis is not line[0]:
                axis.tick_params(labelleft=False)
        line[0].set_ylabel(WORDS[statistic])
    handles, labels = axes[0].get_legend_handles_labels()
    # Shares alone can be none everywhere.
    without = {NAMES.get(title, title) for title in set(titles) - set(table[table["value"] > 0.0]["title"])}
    labels = [f"{label}: no such run" if label in without else label for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small")
    # Not each algorithm's number, as elsewhere: it differs by budget, and the line would be too long.
    numbers = dict.fromkeys(f"{number:,.0f}" for number in (table["runs"].min(), table["runs"].max()))
    figure.suptitle(
        f"Pseudo-regret at T = {thousands(table['horizon'].max())}; shaded: 95 % intervals\n"
        f"{' to '.join(numbers)} runs of each algorithm at each budget",
        fontsize="medium",
    )
    return figure, table


def panels_of(numbers: pd.DataFrame, titles: list[str], statistics: list[str]) -> list[Panel]:
    """Return a panel for each statistic and environment."""
    found = []
    for statistic in statistics:
        part = numbers[(numbers["statistic"] == statistic) & (numbers["value"] > 0.0)]
        word = WORDS[statistic].replace("\n", " ")
        for environment, own in part.groupby("environment"):
            of_titles = {title: own[own["title"] == title] for title in titles}
            found.append(
                Panel(
                    title=f"{symbol(str(environment))}: {word}",
                    x="epsilon",
                    curves=[
                        Curve(
                            title,
                            rows,
                            LOOKS[title].colour,
                            LOOKS[title].dashes,
                            measures={word: Measure("value", "low", "high")},
                        )
                        for title, rows in of_titles.items()
                        if len(rows)
                    ],
                    labels=("privacy budget ε", word),
                    bounds={} if statistic == "far" else {"asymptotic lower bound (Theorem 3.1)": "lower_bound"},
                )
            )
    return found


FIGURE = InteractiveFigure(
    title="Means, medians and tails of regret at the horizon over the privacy budget",
    draw=draw,
    panels=panels_of,
    options={
        "titles": Option(list(TITLES), f"titles of algorithms, of {', '.join(TITLES)}"),
        "statistics": Option(["mean", "median", "q99"], f"rows, of {', '.join(WORDS)}"),
    },
)
