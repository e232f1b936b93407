"""Which algorithm for bandits with expert advice is best over (N, epsilon): by bound and by measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.interactive import Note, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, GREY, looks
from dpbandits.core.numbers import number
from dpbandits.core.tables import matching, worst
from dpbandits.papers.style import count, runs
from dpbandits.settings.experts.theory import POWERS, STATEMENTS, WITH_CONSTANTS, smallest

# Measured regret this close to that of uniform play shows nothing about which algorithm is better.
UNIFORM = 0.95
COLUMNS = [
    "experts",
    "epsilon",
    "algorithm",
    "title",
    "environment",
    "runs",
    "mean",
    "mean_low",
    "mean_high",
    "best",
]
# What is said of a number of experts and a budget.
Words = Callable[[int, float], str]
# In one table a grey cell means something else than in the other: so do their shades.
NO_BOUND, UNIFORMLY = "no bound is below T", "all play about uniformly"


def decide(cell: pd.DataFrame, uniform: float) -> str:
    """Return the label of the algorithm with the least mean regret, ``"tie"`` or ``"uniform"``.

    Parameters
    ----------
    cell
        One row for each of at least two algorithms, at one number of experts and one budget.
    uniform
        Regret of uniform play. From 0.95 times this on, the least mean gives ``"uniform"``.

    Returns
    -------
    str
        ``"tie"`` if the intervals of the two least means overlap.
    """
    ordered = cell.sort_values("mean")
    best, second = ordered.iloc[0], ordered.iloc[1]
    if best["mean"] >= UNIFORM * uniform:
        return "uniform"
    return "tie" if best["mean_high"] >= second["mean_low"] else str(best["algorithm"])


def numbers(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], algorithms: list[str]) -> pd.DataFrame:
    """Return each algorithm's mean regret in its worst environment at each N and epsilon, with the ``best`` one.

    ``best`` is a label, ``tie`` if the intervals of the two least means overlap, or ``uniform`` if the least mean
    is at least 0.95 times the largest mean of all rows. The latter stands for the regret of uniform play.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    algorithms
        Labels of the algorithms of Corollary 8, Theorem 9 and Theorem 10, in this order.

    Raises
    ------
    BadInput
        If there are not three labels.
    """
    if len(algorithms) != len(POWERS):
        raise BadInput("options.algorithms", algorithms, f"one label for each of {', '.join(POWERS)}")
    table = worst(aggregates[aggregates["algorithm"].isin(algorithms)], ["algorithm", "experts", "epsilon"])
    # The largest measured regret stands for that of uniform play, which learns nothing.
    largest = table["mean"].max()
    cells = [cell for _, cell in table.groupby(["experts", "epsilon"])]
    return pd.concat([cell.assign(best=decide(cell, largest)) for cell in cells])


def plot(table: pd.DataFrame, algorithms: list[str]) -> Plot:
    """Describe two maps over N and epsilon: who has the smallest bound without constants, and who the least regret.

    ``table``, that of `numbers`, has ``mean`` and the ``best`` label by ``experts``, ``epsilon`` and ``algorithm``.
    ``algorithms`` are the labels that stand for Corollary 8, Theorem 9 and Theorem 10.
    """
    horizon, arms = int(table["horizon"].iloc[0]), int(table["arms"].iloc[0])
    columns, rows = (sorted(table[name].unique()) for name in ("experts", "epsilon"))
    titles = table.drop_duplicates("algorithm").set_index("algorithm")["title"]
    known = [str(titles[label]) for label in algorithms]
    styles = looks(known)
    shade = {
        name: (f"{title} ({STATEMENTS[name]})", styles[title].colour)
        for name, title in zip(POWERS, known, strict=True)
    }
    shade |= {label: shade[name] for label, name in zip(algorithms, POWERS, strict=True)}
    labels = ("experts N", "privacy budget ε")
    ticks = tuple({float(i): number(value) for i, value in enumerate(values)} for values in (columns, rows))

    def panel(
        title: str, best: Callable[[int, float], str], nothing: tuple[str, str], words: Words | None = None
    ) -> Panel:
        """Describe a table: a cell's colour says what is best there; of a tie it has none."""
        looks_of = shade | {"uniform": nothing}
        cells = [(i, j, int(n), float(e)) for i, n in enumerate(columns) for j, e in enumerate(rows)]
        return Panel(
            title=title,
            x="experts",
            curves=[],
            labels=labels,
            log=(False, False),
            limits=((-0.5, len(columns) - 0.5), (-0.5, len(rows) - 0.5)),
            ticks=(ticks[0], ticks[1]),
            regions=[
                Region(looks_of[here][0], (i - 0.49, i + 0.49), (j - 0.48, j + 0.48), looks_of[here][1])
                for i, j, n, e in cells
                if (here := best(n, e)) in looks_of
            ],
            notes=[Note(i, j, words(n, e), "middle") for i, j, n, e in cells if words],
        )

    def by_bound(bounds: Mapping[str, Callable[[Tuning], float]], experts: int, epsilon: float) -> str:
        """Return the smallest bound's name where it is below T, else ``uniform``: then no bound says anything."""
        return smallest(bounds, Tuning(horizon, arms, epsilon, experts)) or "uniform"

    cells = {(int(n), float(e)): matching(table, {"experts": n, "epsilon": e}) for n in columns for e in rows}

    def measured(experts: int, epsilon: float) -> str:
        """Return the best algorithm at a point."""
        return str(cells[experts, epsilon]["best"].iloc[0])

    def share(experts: int, epsilon: float) -> str:
        """Return the best mean regret divided by T, and whether it is a tie."""
        tie = " tie" if measured(experts, epsilon) == "tie" else ""
        return f"{cells[experts, epsilon]['mean'].min() / horizon:.2f}{tie}"

    # Algorithms that no cell of either table has as the best.
    never = [
        title
        for label, name, title in zip(algorithms, POWERS, known, strict=True)
        if all(by_bound(POWERS, n, e) != name and measured(n, e) != label for n, e in cells)
    ]
    # Cells in which a bound with its constants is below T.
    informative = sum(by_bound(WITH_CONSTANTS, n, e) != "uniform" for n, e in cells)
    winners = {measured(n, e) for n, e in cells} - {"tie", "uniform"}
    # What the bounds without constants promise to an algorithm that is measured best nowhere.
    promised = [
        f"{title} in {count_of} of {len(cells)} cells"
        for label, name, title in zip(algorithms, POWERS, known, strict=True)
        if label not in winners and (count_of := sum(by_bound(POWERS, n, e) == name for n, e in cells))
    ]
    finding = (
        f"Measured, {titles[next(iter(winners))]} alone is ever best"
        + (f"; the bounds promise {' and '.join(promised)}" if promised else "")
        if len(winners) == 1
        else "Which algorithm is best changes over N and ε"
    )
    return Plot(
        title=finding,
        conditions=(
            f"T = {count(horizon)}, K = {arms}, {runs(table)}; the worst of several environments\n"
            f"With constants a bound is below T in {informative or 'none'} of {len(cells)} cells"
            + (f"; best in no cell of (a) or (b): {', '.join(never)}" if never else "")
        ),
        panels=[
            panel("(a) smallest bound, no constants", lambda n, e: by_bound(POWERS, n, e), (NO_BOUND, GREY)),
            panel("(b) measured: best mean regret / T", measured, (UNIFORMLY, BLACK), share),
        ],
        columns=2,
        height=3.3,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Best algorithm for experts over (N, epsilon)",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "algorithms": Option([], "labels that stand for Corollary 8, Theorem 9 and Theorem 10, in this order")
    },
)
