"""Audited against claimed privacy loss, the claim marked: a row for each algorithm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.labels import BLACK, BLUE, GREY, TITLES, VERMILION
from dpbandits.core.numbers import number
from dpbandits.papers.plot import CONDITIONS_LINE, head
from dpbandits.papers.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

# Losses of more claims than this, infinite ones too, are drawn there as arrows.
FARTHEST = 3.5
# Exact losses are computed to many more digits than that.
ROUNDING = 1e-9
TICKS = [0.0, 1.0, 2.0, 3.0]
# Exact losses are diamonds, those of replayed runs strokes, sampled bounds circles: each is seen beside the others.
# A colour has no mark of its own: a legend shows it on all three.
# Far losses are arrows. Those of exact losses are hollow and larger, so that a full one is seen inside.
FAR = ">"
SIZES = {"D": 5.5, "|": 10.0, "o": 3.5}
FAR_SIZES = {"D": 7.0, "|": 3.5, "o": 3.5}
COLUMNS = {"exact": "D", "replayed": "|", "sampled": "o"}
WORDS = {
    "exact": "exact: of one release",
    "replayed": "replayed: of whole runs",
    "sampled": "sampled: a lower bound",
}


def _mark(axes: Axes, losses: pd.Series[float], rows: pd.Series[int], marker: str) -> None:
    """Draw losses, in multiples of the claim, in rows of a panel; ``marker`` is that of their method.

    Losses of more than `FARTHEST` claims are drawn there, as arrows. Diamonds, and the arrows in their place, are
    hollow, so that a sampled bound is seen inside.
    """
    for loss, y in zip(losses, rows, strict=True):
        far = loss > FARTHEST
        colour = VERMILION if loss > 1.0 + ROUNDING else BLUE
        axes.plot(
            min(loss, FARTHEST),
            y,
            color=colour,
            marker=FAR if far else marker,
            markersize=(FAR_SIZES if far else SIZES)[marker],
            markerfacecolor="none" if marker == "D" else colour,
            linestyle="none",
            clip_on=False,
        )


def _called(name: str) -> str:
    """Return a name with what it is of before what is said of it: ``X of EXP3, advice sensitive``."""
    return re.sub(r"(, [^,]+)( of [^,]+)$", r"\2\1", name)


def _conditions(table: pd.DataFrame) -> str:
    """Return what a row is, and with how many runs and at which level losses are sampled."""
    sampled = table[table["sampled"].notna()]
    said = "A row: an algorithm, or a conversion with one base, that claims privacy"
    if sampled.empty:
        return said
    runs = " to ".join(dict.fromkeys(number(count) for count in (sampled["runs"].min(), sampled["runs"].max())))
    levels = " or ".join(f"{number(100.0 * level)} %" for level in sorted(sampled["confidence"].unique()))
    return f"{said}\nSampled lower bounds: of {runs} runs, each at the level {levels}"


def _legend(figure: Canvas) -> None:
    """Say what marks and colours mean."""

    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    def entry(marker: str, colour: str, far: bool = False) -> Line2D:
        face = "none" if marker == "D" else colour
        size, shape = (FAR_SIZES[marker], FAR) if far else (SIZES[marker], marker)
        return Line2D([], [], color=colour, linestyle="", marker=shape, markersize=size, markerfacecolor=face)

    def all_of(colour: str) -> tuple[Line2D, ...]:
        return tuple(entry(marker, colour) for marker in COLUMNS.values())

    entries: dict[str, Any] = {
        **{WORDS[column]: entry(marker, BLACK) for column, marker in COLUMNS.items()},
        "within the claim": all_of(BLUE),
        "contradicts the claim: right of the line": all_of(VERMILION),
        f"beyond {FARTHEST:g} or unbounded; hollow: exact": (
            entry("D", VERMILION, far=True),
            entry("o", VERMILION, far=True),
        ),
    }
    figure.legend(
        list(entries.values()),
        list(entries),
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.6)},
        handlelength=2.6,
        loc="outside lower center",
        ncols=3,
        fontsize="small",
    )


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw audited privacy losses, a panel for each claimed budget; return the figure and the table of its numbers.

    In one plot of audited against claimed budgets all algorithms would lie on a few vertical lines. So each budget
    is a panel, each algorithm a row, and audited losses are divided by the claim. A loss above 1 contradicts it.
    Algorithms that contradict no claim share the lowest row; of the others losses within a claim are not drawn.
    ``computed`` has one table, of audits: losses ``exact``, ``replayed`` and ``sampled``, and the ``verdict``, by
    ``setting, title, algorithm`` and claimed ``epsilon``. Its rows with a claimed budget are returned, without the
    columns ``witness`` and ``file``.
    """
    (table,) = computed.values()
    table = table[table["epsilon"].notna()].sort_values(["setting", "title"], ascending=False, kind="stable")
    # Two entries may share a title: a repair, say, is called as what it repairs.
    names = table["title"].where(~table.duplicated(["title", "epsilon"], keep=False), table["algorithm"])
    names = names.replace(TITLES).map(_called)
    # Rows from below: what contradicts its claim stands at the top; all others share the lowest row.
    violated = set(names[table["verdict"] == "violated"])
    others = [name for name in names.unique() if name not in violated]
    names = names.where(names.isin(violated), f"{len(others)} others")
    rows = {name: y for y, name in enumerate(sorted(names.unique(), key=violated.__contains__))}
    places = names.map(rows)
    budgets = sorted(table["epsilon"].unique())
    figure, panes = panels(len(budgets), len(budgets), height=1.4 + 0.2 * len(rows))
    for axes, epsilon in zip(panes, budgets, strict=True):
        own = table["epsilon"] == epsilon
        axes.axvspan(0.0, 1.0, color=GREY, alpha=0.12, linewidth=0.0)
        axes.axvline(1.0, color=GREY, linewidth=1.2)
        for column, marker in COLUMNS.items():
            # A row that is not shared shows what contradicts its claim; audits within it are in the table.
            within = table[column] / epsilon <= 1.0 + ROUNDING
            shown = own & table[column].notna() & ~(names.isin(violated) & within)
            _mark(axes, table[column][shown] / epsilon, places[shown], marker)
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS], fontsize="small")
        axes.set_yticks(list(rows.values()), list(rows) if axes is panes[0] else [], fontsize="small")
        axes.minorticks_off()
        axes.set(
            xlim=(0.0, FARTHEST * 1.1),
            ylim=(-0.6, len(rows) - 0.4),
            xlabel="audited ε ÷ claimed ε",
            title=f"claimed ε = {epsilon:g}",
        )
    finding = f"Audits contradict the privacy claim of {len(violated)} of {len(violated) + len(others)} rows"
    _legend(figure)
    head(figure, finding, _conditions(table), figure.get_figheight() + CONDITIONS_LINE * 2)
    return figure, table.drop(columns=["witness", "file"])


FIGURE = Figure(title="Audited against claimed privacy loss, every private algorithm", draw=draw)
