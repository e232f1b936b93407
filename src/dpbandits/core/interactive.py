"""Figures of lines as data: panels, axes, curves, regions, notes and titles, all from its table of numbers.

A `PlottedFigure` describes its picture once. `dpbandits.papers.plot` draws the description on paper, and
`dpbandits.papers.curves` hands it to pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from dpbandits.core.declarations import FigureKind
from dpbandits.core.labels import Dashes
from dpbandits.core.numbers import number

if TYPE_CHECKING:
    import pandas as pd


class Measure(NamedTuple):
    """Column that gives the height of a curve, with its interval.

    Attributes
    ----------
    value
        A column of the curve's table.
    low, high
        Those of its interval; empty without one.
    """

    value: str
    low: str = ""
    high: str = ""


# The mean of aggregates with its interval.
MEAN: Mapping[str, Measure] = {"mean": Measure("mean", "mean_low", "mean_high")}


@dataclass(frozen=True)
class Curve:
    """A curve.

    Attributes
    ----------
    name
        What a legend calls it; the same name looks the same in all panels.
    table
        Rows of the figure's numbers, in the order of the panel's x. One row whose x is missing is a level.
    colour, dashes
        How it is drawn, as in `dpbandits.papers.style.Look`.
    measures
        Heights by what they are called; the first is shown until a reader chooses another.
    joined
        Whether points are joined by a line.
    mark
        How points are drawn, as Matplotlib takes it; empty for a line without marks.
    hollow
        Whether marks are white inside, so that another curve's marks are seen below them.
    bars
        Whether the interval is drawn as bars at the points, not as a band.
    width
        Of the line, in points.
    """

    name: str
    table: pd.DataFrame
    colour: str
    dashes: Dashes = "-"
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEAN)
    joined: bool = True
    mark: str = ""
    hollow: bool = False
    bars: bool = False
    width: float = 1.5


class Region(NamedTuple):
    """Rectangle of a panel that is shaded, or a straight line where both ends are equal.

    Attributes
    ----------
    name
        What a legend calls it; empty if a note or the axis says it.
    x, y
        Its ends on an axis; ``None`` for all of the axis.
    colour
        As ``#RRGGBB``.
    """

    name: str
    x: tuple[float, float] | None
    y: tuple[float, float] | None
    colour: str


class Cells(NamedTuple):
    """A map: cells over both axes, each with the colour of its level.

    Attributes
    ----------
    x, y
        Edges of its columns and rows.
    levels
        Of each row's cells; -1 for a cell without colour.
    names, colours
        Of each level: what a legend calls it, and ``#RRGGBB``.
    """

    x: Sequence[float]
    y: Sequence[float]
    levels: Sequence[Sequence[int]]
    names: Sequence[str]
    colours: Sequence[str]


class Note(NamedTuple):
    """Text at a point of a panel.

    Attributes
    ----------
    x, y
        The point, in data.
    text
        The words, in lines.
    side
        On which side of the point the text lies; in the ``middle`` it lies on the point.
    """

    x: float
    y: float
    text: str
    side: Literal["right", "left", "middle"] = "right"


Limits = tuple[float, float] | None
# Places on an axis, and what they are called.
Ticks = Mapping[float, str]


def at(*numbers: float) -> Ticks:
    """Return ticks at numbers, called by them."""
    return {place: number(place) for place in numbers}


@dataclass(frozen=True)
class Panel:
    """Curves over the same axis.

    Attributes
    ----------
    title
        What tells it from the figure's other panels.
    x
        A column of the curves' tables.
    curves
        In the legend's order.
    labels
        Of the two axes.
    log
        Whether each axis is logarithmic.
    bounds
        Columns of the curves' tables that may be drawn beside a curve, and that it may be divided by, by what they
        are called.
    divided
        The bound by which all is divided at first, as in the picture.
    scale
        A column: what a run's regret is multiplied by to be drawn here; empty if by nothing.
    shown
        Bounds that are drawn at first, on paper and on pages.
    limits
        Ends of both axes; ``None`` leaves them to the data.
    ticks
        Of both axes; empty ones are left to the renderer.
    regions, notes, cells
        Drawn besides.
    named_at_ends
        Whether paper names curves at their right ends instead of in the legend.
    if_empty
        What paper says in a panel in which nothing is drawn.
    """

    title: str
    x: str
    curves: Sequence[Curve]
    labels: tuple[str, str]
    log: tuple[bool, bool] = (True, True)
    bounds: Mapping[str, str] = field(default_factory=dict)
    divided: str = ""
    scale: str = ""
    shown: Sequence[str] = ()
    limits: tuple[Limits, Limits] = (None, None)
    ticks: tuple[Ticks, Ticks] = field(default_factory=lambda: ({}, {}))
    regions: Sequence[Region] = ()
    notes: Sequence[Note] = ()
    cells: Cells | None = None
    named_at_ends: bool = False
    if_empty: str = "no number lies in its range"


@dataclass(frozen=True)
class Plot:
    """A figure, described for all renderers.

    Attributes
    ----------
    title
        The finding, as a sentence.
    conditions
        Where it was found: horizon, parameters, runs.
    panels
        Row by row.
    columns
        How many panels are in a row.
    height
        Of a row on paper, in inches.
    legend_columns
        How many names are in a row of the legend on paper.
    """

    title: str
    conditions: str
    panels: Sequence[Panel]
    columns: int
    height: float = 2.6
    legend_columns: int = 3


@dataclass(frozen=True, kw_only=True)
class PlottedFigure(FigureKind):
    """The declaration of a kind of figure that is described once.

    Attributes
    ----------
    numbers
        ``numbers(aggregates, computed, **options)`` returns the table of the numbers in it.
    columns
        Those of its CSV; empty for all. Where a row is of runs, it has the name of their ``cell`` too. By that a
        page adds labels and parameters of the cell and its statistics at that round, so a CSV needs none of these.
    plot
        ``plot(numbers, **options)`` returns the `Plot`.
    """

    numbers: Callable[..., pd.DataFrame]
    plot: Callable[..., Plot]
    columns: Sequence[str] = ()

    def written(self, numbers: pd.DataFrame) -> pd.DataFrame:
        """Return the part of the numbers that the CSV has."""
        kept = [name for name in (*self.columns, "cell") if name in numbers]
        return numbers[kept] if self.columns else numbers
