"""Regret per round at the horizon against one quantity a panel: T, d, K, epsilon, alpha or the width gamma."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, DOTTED, GREY, ORANGE, PURPLE, SYMBOLS, Look, looks
from dpbandits.core.numbers import number
from dpbandits.papers.charisopoulos2022.comparisons import AXES, CLIPPED, filter_costs, finding, listed, narrowest
from dpbandits.papers.described import cut_below
from dpbandits.papers.style import runs
from dpbandits.settings.linear.theory import theorem_3_4, theorem_3_9

BOUNDS = ("theorem 3.4", "theorem 3.9")
# Names with what a title does not tell: whether the algorithm is private, whether it filters, and its level.
NAMES = {
    "Robust elimination": "Robust elimination, not private",
    "Phased elimination": "Phased elimination, not private",
    "Private elimination (M1)": "Private elimination (M1): no filter",
    "Private elimination (M2)": "Private elimination (M2): no filter",
    "Clipped elimination (M1)": "Clipped elimination (M1), high level",
    "Robust elimination (M1), printed": "Robust elimination (M1), printed: full width",
    "Robust elimination (M2), printed": "Robust elimination (M2), printed: full width",
}
PRINTED = ", printed"
# Elsewhere an algorithm has the same colour as printed and without the filter; here both stand beside each other.
APART = {
    "Robust elimination (M1), printed": Look(GREY, DOTTED, "<"),
    "Robust elimination (M2), printed": Look(GREY, DOTTED, ">"),
}
# What is the same in panels is told above them, by its symbol.
HELD = {"horizon": "T", "arms": "K", "dimension": "d", "epsilon": "ε", "factor": "width"}
OWN_WIDTH = "width ÷ own theorem's"
COLUMNS = ["panel", "over", "x", "title", "environment", "horizon", "epsilon", "arms", "dimension", "corruption"]
COLUMNS += ["factor", "runs", "regret", "regret_low", "regret_high", "mean", "low", "high", "bound"]


def read(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the horizon, with regret (``regret, regret_low, regret_high``) and regret per round.

    Regret per round is ``mean`` with its interval ``low, high``. If one of the columns ``alpha, delta, nu, factor``
    is missing, it is added with NaN in all rows.
    """
    table = aggregates[aggregates["round"] == aggregates["horizon"]].reset_index(drop=True)
    table = table.reindex(columns=[*table, *({"alpha", "delta", "nu", "factor"} - set(table))])
    names = {"mean": "regret", "mean_low": "regret_low", "mean_high": "regret_high"}
    per_round = {"mean": "regret", "low": "regret_low", "high": "regret_high"}
    table = table.drop(columns=["low", "high"], errors="ignore").rename(columns=names)
    return table.assign(**{name: table[column] / table["horizon"] for name, column in per_round.items()})


def bound_of(row: Any, bound: str) -> float:
    """Return a theorem's bound on regret, divided by T, at a row's horizon, dimension, corruption and budget.

    The theorem's unknown constant is taken to be 1.

    ``bound`` is ``theorem 3.4`` or ``theorem 3.9``. ``row`` has the attributes ``horizon, dimension, corruption,
    epsilon, delta`` and, for the latter, ``nu``.
    """
    T, d, alpha = float(row.horizon), int(row.dimension), float(row.corruption)
    if bound == "theorem 3.4":
        return theorem_3_4(T, d, alpha, float(row.epsilon), float(row.delta)) / T
    return theorem_3_9(T, d, alpha, float(row.epsilon), float(row.delta), float(row.nu)) / T


def crossing(x: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Return the x at which two curves first cross, by linear interpolation of logarithms; NaN if they do not.

    The arrays have the same shape (points,), and only positive values; ``x`` is increasing. Curves that are equal
    at one or several points in a row cross at the first of these, if they have changed sides after the last.
    """
    gap, log_x = np.log(first) - np.log(second), np.log(x)
    apart = np.flatnonzero(gap)
    turns = np.flatnonzero(gap[apart[:-1]] * gap[apart[1:]] < 0.0)
    if turns.size == 0:
        return math.nan
    i = apart[turns[0]]
    if gap[i + 1] == 0.0:
        return float(x[i + 1])
    return math.exp(log_x[i] - gap[i] * (log_x[i + 1] - log_x[i]) / (gap[i + 1] - gap[i]))


def _crossings(table: pd.DataFrame, pair: list[str]) -> list[Region]:
    """Return where two measured curves cross, and over the budget where Theorems 3.4 and 3.9 do."""
    one, two = (table[table["title"] == title] for title in pair)
    x = one["x"].to_numpy(dtype=float)
    measured = crossing(x, one["mean"].to_numpy(), two["mean"].to_numpy())
    of_bounds = math.nan
    if set(table["over"]) == {"epsilon"}:
        printed = [
            [bound_of(row, bound) for row in part.itertuples()]
            for part, bound in zip((one, two), BOUNDS, strict=True)
        ]
        of_bounds = crossing(x, *map(np.array, printed))
    return [
        Region(words, (place, place), None, colour)
        for place, words, colour in (
            (measured, "measured means cross", ORANGE),
            (of_bounds, "bounds of Theorems 3.4 and 3.9 cross", PURPLE),
        )
        if not math.isnan(place)
    ]


def numbers(
    aggregates: pd.DataFrame,
    _: Mapping[str, pd.DataFrame],
    over: list[Any],
    algorithms: list[str],
    bound: str,
    crossing: list[str],
) -> pd.DataFrame:
    """Return regret per round at the horizon for each panel of the figure, with a bound for the first algorithm.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    over
        A list for each panel, such as ``["alpha", "corruption", "corrupted to 30"]``: an experiment's name, the
        column along the axis (``horizon, epsilon, dimension, arms, corruption`` or ``factor``), and a heading.
    algorithms
        Titles of the algorithms; the first one has the bound.
    bound, crossing
        Name of the bound, ``theorem 3.4`` or ``theorem 3.9``, empty for none. ``crossing`` is not used.

    Returns
    -------
    DataFrame
        Rows of aggregates at the horizon, with the heading ``panel``, the axis ``over``, its value ``x``, and
        regret per round ``mean, low, high``. ``bound`` is NaN for all but the first algorithm.

    Raises
    ------
    BadInput
        If an axis, a title or the bound is not known.
    """
    del crossing
    if bound and bound not in BOUNDS:
        raise BadInput("options.bound", bound, suggest(bound, BOUNDS))
    table = read(aggregates)
    for title in algorithms:
        if title not in set(table["title"]):
            raise BadInput("options.algorithms", title, suggest(title, table["title"].unique()))
    order = {title: i for i, title in enumerate(algorithms)}
    table = table[table["title"].isin(order)].sort_values("title", key=lambda s: s.map(order), kind="stable")
    parts = []
    for experiment, x, heading in over:
        if x not in AXES:
            raise BadInput("options.over", x, suggest(x, AXES))
        part = table[table["experiment"] == experiment]
        part = part.assign(over=x, x=part[x], bound=np.nan, panel=heading).sort_values("x", kind="stable")
        main = part[part["title"] == algorithms[0]]
        if bound and len(main):
            part.loc[main.index, "bound"] = [bound_of(row, bound) for row in main.itertuples()]
        parts.append(part)
    rows: pd.DataFrame = pd.concat(parts)
    return rows


def _curves(part: pd.DataFrame, titles: list[str]) -> list[Curve]:
    """Return a curve for each algorithm; without a budget there is nothing to move along the axis."""
    # A mean may be smaller than its error; the axis is logarithmic.
    part = part.assign(drawn_low=part["low"].clip(lower=1e-9))
    styles = {title: APART.get(title, look) for title, look in looks(titles).items()}
    return [
        Curve(
            NAMES.get(title, title),
            own,
            styles[title].colour,
            styles[title].dashes,
            {"mean": Measure("mean", "drawn_low", "high")},
            mark=styles[title].mark,
            bars=True,
            width=1.0,
        )
        for title in titles
        if len(own := part[part["title"] == title])
    ]


def _panel(heading: str, part: pd.DataFrame, algorithms: list[str], bound: str, pair: list[str]) -> Panel:
    """Describe one panel."""
    over = str(part["over"].iloc[0])
    # Clipping and the filter have a theorem each: points above one another are of unlike widths.
    clips = any(title.startswith(CLIPPED) for title in algorithms)
    main = part[part["bound"].notna()]
    shown = _curves(part, algorithms)
    if bound and len(main):
        scaled = main.assign(scaled=main["bound"] * main["mean"].iloc[-1] / main["bound"].iloc[-1])
        name = f"{bound.capitalize()}'s bound: its shape alone"
        shown.append(Curve(name, scaled, BLACK, DOTTED, {"bound": Measure("scaled")}, width=1.2))
    heights = pd.concat([curve.table[measure.value] for curve in shown for measure in curve.measures.values()])
    # An interval that is cut looks as if it had 0 in it, so those without are shown to their end, up to a decade.
    ends = part.loc[part["low"] > heights.min() / 10.0, "low"] / 1.1
    notes = []
    if over == "corruption" and filter_costs(part):
        notes.append("(filter costs regret)")
    ways = [main[column].iloc[-1] > main[column].iloc[0] for column in ("mean", "bound") if len(main)]
    if ways in ([True, False], [False, True]):
        notes.append(f"(the bound {'rises' if ways[1] else 'falls'})")
    if len(set(part["x"])) == 1:
        notes.append(f"(one {SYMBOLS.get(over, 'α')} alone: no trend)")
    return Panel(
        title="\n".join([heading, *notes]),
        x="x",
        curves=shown,
        labels=(OWN_WIDTH if over == "factor" and clips else AXES[over], "regret per round"),
        log=(over != "corruption", True),
        limits=(None, (min([heights.min() / 1.5, *ends]), heights.max() * 1.5)),
        # Few widths are tried; each is read off.
        ticks=({x: number(x) for x in sorted(part["x"].unique())} if over == "factor" else {}, {}),
        # From no corruption on there is no logarithm.
        regions=_crossings(part, pair) if over != "corruption" and pair else (),
        scale="each",
    )


def _held(table: pd.DataFrame) -> str:
    """Return the quantities that panels have alike where they are not the axis, with the panels that differ."""
    panels = {
        (str(heading), str(over)): part for (heading, over), part in table.groupby(["panel", "over"], sort=False)
    }
    axes = [over for _, over in panels]
    said: dict[str, str] = {}
    for name, symbol in HELD.items():
        values: dict[float, list[str]] = {}
        for (heading, over), part in panels.items():
            of_printed = part["title"].str.endswith(PRINTED)
            known = set(part.loc[~of_printed, name].dropna()) if name in part else set()
            if over != name and len(known) == 1:
                where = f"over {SYMBOLS.get(over, over)}" if axes.count(over) == 1 else heading.partition(", ε")[0]
                values.setdefault(float(known.pop()), []).append(where)
        told = name != "epsilon" or (len(values) == 1 and not all("ε = " in heading for heading, _ in panels))
        if values and told:
            most = max(values, key=lambda value: len(values[value]))
            others = [
                f"{listed(dict.fromkeys(values[value]))}: {number(value)}" for value in values if value != most
            ]
            full = any(title.endswith(PRINTED) for title in table["title"].unique())
            others += ["printed: 1"] if name == "factor" and full else []
            unit = " × the theorem's" if name == "factor" else ""
            said[name] = f"{symbol} = {number(most)}{unit}" + (f" ({'; '.join(others)})" if others else "")
    return f"{'Unless it is the axis: ' if set(axes) & set(said) else ''}{', '.join(said.values())}"


def plot(table: pd.DataFrame, over: list[Any], algorithms: list[str], bound: str, crossing: list[str]) -> Plot:
    """Describe a panel for each experiment of ``over``: regret per round of each algorithm against one quantity.

    Parameters
    ----------
    table
        That of `numbers`: ``panel`` (heading), ``over`` (quantity), its value ``x``, ``title``, regret per round
        ``mean, low, high``, and ``bound``, on regret per round too.
    over, algorithms
        The panels, lists of an experiment, a quantity and a heading; and titles of algorithms in order.
    bound, crossing
        Name of the bound, empty for none; and two titles whose crossing is marked, or none.
    """
    table = table.assign(each=1.0 / table["horizon"])
    cases = [(str(heading), str(x), part) for (heading, x), part in table.groupby(["panel", "over"], sort=False)]
    headings = [heading for heading, _, _ in cases]
    # Only where no width of a theorem is tried is its end of interest.
    widths = set(table["over"]) == {"factor"} and table["x"].max() < 1.0
    found = [
        # Of two panels with one heading the axis is what differs.
        _panel(
            heading if headings.count(heading) == 1 else f"{heading}, over {SYMBOLS.get(x, x)}",
            *(part, algorithms, bound, crossing),
        )
        for heading, x, part in cases
    ]
    cut = sum(cut_below(panel) for panel in found)
    return Plot(
        title=finding(table, found, algorithms, bound, crossing),
        conditions=(
            # An environment has one number `draw`, and all its runs share that instance.
            f"Means at T with their intervals, {runs(table)}, all of one instance at each point; "
            f"each panel has its own scale"
            + (f"; {cut} interval{'s go' if cut > 1 else ' goes'} on below the axis" if cut else "")
            + f"\n{_held(table)}"
            + (f"\n{narrowest(table)}" if widths else "")
        ),
        panels=found,
        columns=min(3, len(over)),
        height=2.3,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Regret per round of linear bandits against T, d, K, epsilon, alpha or the factor of gamma",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "over": Option([], f"panels: [experiment, axis, heading], axis one of {', '.join(AXES)}"),
        "algorithms": Option([], "titles shown, in the legend's order"),
        "bound": Option("", f"a bound drawn through the right end of the first curve: one of {', '.join(BOUNDS)}"),
        "crossing": Option([], "two titles whose crossing over epsilon is marked"),
    },
)
