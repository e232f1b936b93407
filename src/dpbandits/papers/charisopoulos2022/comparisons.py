"""Titles that compare mean regrets: with and without the filter, of a pair, of widths, of clipping, or trends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.interactive import Panel
from dpbandits.core.numbers import number

AXES = {
    "horizon": "horizon T",
    "epsilon": "privacy budget ε",
    "dimension": "dimension d",
    "arms": "actions K",
    "corruption": "corruption α",
    "factor": "width γ ÷ the theorem's",
}
# With the filter, and without it.
FILTERED = {f"Robust elimination ({model})": f"Private elimination ({model})" for model in ("M1", "M2")}
# Algorithms that clip reports in place of the filter begin so.
CLIPPED, FILTER = "Clipped elimination", "Robust elimination (M1)"
# Columns that identify a point, and both ways in which panels of one quantity may go.
POINT = ["panel", "over", "x"]
BOTH = {"falls", "grows"}


def overlap(one: pd.DataFrame, other: pd.DataFrame) -> pd.Series[bool]:
    """Return, row by row, whether the intervals ``low`` to ``high`` of two tables with the same index overlap."""
    return (one["low"] <= other["high"]) & (other["low"] <= one["high"])


def filter_open(table: pd.DataFrame) -> tuple[int, int]:
    """Return at how many corrupted points intervals with and without the filter overlap, and the number of points.

    ``table`` has ``panel``, ``title``, ``corruption``, ``low`` and ``high``. A point is a panel and a corruption
    above 0. It counts once for each model, (M1) or (M2), that is shown with and without the filter.
    """
    table = table[table["corruption"] > 0.0]
    by_title = {title: own.set_index(["panel", "corruption"]) for title, own in table.groupby("title")}
    pairs = [
        overlap(by_title[one], by_title[other].reindex(by_title[one].index))
        for one, other in FILTERED.items()
        if {one, other} <= set(by_title)
    ]
    return sum(int(pair.sum()) for pair in pairs), sum(map(len, pairs))


def filter_costs(table: pd.DataFrame, saves: bool = False) -> bool:
    """Return whether the filter raises mean regret at every corruption above 0, in models (M1) and (M2).

    Only models count that are shown with and without the filter; the answer is false if there is none.

    Parameters
    ----------
    table
        Rows of one panel: ``title``, ``corruption`` and ``mean``.
    saves
        If true, return whether the filter lowers mean regret at every corruption instead.
    """
    means = table[table["corruption"] > 0.0].pivot_table(index="corruption", columns="title", values="mean")
    pairs = [(one, other) for one, other in FILTERED.items() if {one, other} <= set(means)]
    if saves:
        pairs = [(other, one) for one, other in pairs]
    return bool(pairs) and all(bool((means[one] > means[other]).all()) for one, other in pairs)


def finding(
    table: pd.DataFrame, panels: Sequence[Panel], algorithms: list[str], bound: str, pair: list[str]
) -> str:
    """Return the figure's title, a sentence that compares mean regrets.

    The first of these cases that applies decides what it compares:

    - several panels are over ``corruption``, with and without the filter: regret with the filter and without;
    - a ``pair`` is given: the two algorithms;
    - a ``bound`` is drawn: how regret goes with each quantity;
    - all panels are over ``factor``: widths gamma of the elimination;
    - else clipping with the filter.

    Parameters
    ----------
    table
        The figure's rows: ``panel, over, x, title, corruption, mean, low, high``.
    panels
        Panels of the figure, as they are drawn.
    algorithms
        Titles of the algorithms, in the order of the legend.
    bound
        The name of a bound that is drawn too; empty if there is none.
    pair
        Titles of two algorithms whose curves are compared, such as ``Robust elimination (M1)``; empty if none are.
    """
    attacks = [panel for panel in panels if panel.labels[0] == AXES["corruption"]]
    if set(FILTERED.values()) <= set(algorithms) and len(attacks) > 1:
        parts = [part for _, part in table[table["over"] == "corruption"].groupby("panel")]
        saves, costs = (sum(filter_costs(part, which) for part in parts) for which in (True, False))
        least = number(table.loc[table["corruption"] > 0.0, "corruption"].min())
        open_, points = filter_open(table[table["over"] == "corruption"])
        return (
            f"From α = {least} on, the filter lowers mean regret under {saves} of {len(parts)} attacks, "
            f"and raises it under {costs}"
            + (f" (at {open_} of {points} points the intervals overlap)" if open_ else "")
        )
    if pair:
        first, second = (table[table["title"] == title].set_index(POINT) for title in pair)
        both = first.index.intersection(second.index)
        first, second = first.loc[both], second.loc[both]
        lower = second["mean"] < first["mean"]
        less, open_ = int(lower.sum()), int((lower & overlap(first, second)).sum())
        (name, one), (_, other) = (title.split(" (") for title in pair)
        return f"{name} has less mean regret in model ({other} than in ({one} at {less} of {len(both)} points" + (
            f" (in {open_} of the {less} the intervals overlap)" if open_ else ""
        )
    if bound:
        return f"Regret of {algorithms[0]} {trends(table[table['title'] == algorithms[0]])}"
    if set(table["over"]) == {"factor"}:
        return widths(table, algorithms)
    clipped = table[table["title"].str.startswith(CLIPPED)]
    better, filtered = _least(clipped, POINT), _least(table[table["title"] == FILTER], POINT)
    return f"Clipping, at its better level, has {settled(better, filtered, 'points')}"


def _least(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Return the row of the least mean regret for each value of some columns."""
    return table.loc[table.groupby(list(by))["mean"].idxmin()].set_index(list(by))


def settled(one: pd.DataFrame, other: pd.DataFrame, places: str) -> str:
    """Return in words at how many places ``one`` has more regret than the filter, less, or overlapping intervals.

    Both tables have intervals ``low`` to ``high`` of mean regret, by the same index. ``other`` is the filter's.
    ``places`` is the word for a row, such as ``"points"``.
    """
    other = other.reindex(one.index)
    more, less = int((one["low"] > other["high"]).sum()), int((one["high"] < other["low"]).sum())
    rest = len(one) - more - less
    where = f"more regret than the filter in {more} of {len(one)} {places}, less in {less}"
    return where + (f"; in {rest} the intervals overlap" if rest else "")


def widths(table: pd.DataFrame, algorithms: list[str]) -> str:
    """Return, as a sentence, which widths have the least regret, or how clipping compares with the filter.

    ``table`` has ``panel, title, mean, low, high``, and ``x``, the width gamma in multiples of the theorem's. If
    all widths are below 1, the sentence compares clipping with the filter, each at its best width. Their titles are
    then ``algorithms``, in this order.
    """
    least = table.loc[table.groupby(["panel", "title"])["mean"].idxmin()]
    if table["x"].max() >= 1.0:
        (width, most), *rest = Counter(least["x"]).most_common()
        others = "".join(f", {number(other)} in {count}" for other, count in rest)
        beside = table.merge(least, on=["panel", "title"], suffixes=("", "_best"))
        near = beside[(beside["x"] != beside["x_best"]) & (beside["low"] <= beside["high_best"])]
        open_ = len(near[["panel", "title"]].drop_duplicates())
        return (
            f"Of the widths tried, {number(width)} times the theorem's has the least mean regret in {most} of "
            f"{len(least)} curves{others}" + (f" (in {open_} another width's interval overlaps)" if open_ else "")
        )
    one, other = (least[least["title"] == title].set_index("panel") for title in algorithms)
    return f"Each at the best width tried, clipping has {settled(one, other, 'panels')}"


def narrowest(table: pd.DataFrame) -> str:
    """Return, as a sentence, in how many curves the width of least mean regret is the narrowest that was tried.

    ``table`` has a row for each ``panel``, ``title`` and width ``x``, with ``mean``.
    """
    tried = table.groupby(["panel", "title"])
    edge = table.loc[tried["mean"].idxmin(), "x"].to_numpy() == tried["x"].min().to_numpy()
    best = f"In {int(edge.sum())} of {len(edge)} curves the narrowest width tried is the best"
    return f"{best}: a narrower one may be better"


def trends(own: pd.DataFrame) -> str:
    """Return how an algorithm's regret per round goes with quantities, such as ``falls with T and grows with d``.

    ``own`` has the algorithm's ``mean`` by ``panel``, ``over`` (the quantity's column) and its value ``x``. The
    word is ``rises and falls`` if the mean does so, or stays, in some panel. It is ``falls or grows`` if the mean
    falls throughout some panels and grows throughout all others.
    """
    ways: dict[str, set[str]] = {}
    for _, part in own.sort_values("x").groupby(["panel", "over"]):
        steps, over = np.diff(part["mean"]), str(part["over"].iloc[0])
        # Of one point nothing falls or grows.
        if len(set(part["x"])) > 1:
            way = "falls" if (steps < 0.0).all() else "grows" if (steps > 0.0).all() else "rises and falls"
            ways.setdefault(AXES[over].split()[-1], set()).add(way)
    said = {
        symbol: found.copy().pop() if len(found) == 1 else "falls or grows" if found == BOTH else "rises and falls"
        for symbol, found in ways.items()
    }
    words = [
        f"{word} with {listed(symbols)}"
        for word in ("falls", "grows", "falls or grows", "rises and falls")
        if (symbols := [symbol for symbol, found in said.items() if found == word])
    ]
    return listed(words) or "at one point of each quantity"


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: ``d, K and α``."""
    *first, last = [*words] or [""]
    return " and ".join(filter(None, (", ".join(first), last)))
