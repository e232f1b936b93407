"""Figures of lines as data: panels, axes, curves, regions, notes and titles, all from the figure's table.

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
    """Names of the columns that give the height of a curve, and its interval.

    Attributes
    ----------
    value
        Column of the curve's table with the heights.
    low, high
        Columns with the ends of their intervals; empty without intervals.
    """

    value: str
    low: str = ""
    high: str = ""


# The mean of aggregates with its interval.
MEAN: Mapping[str, Measure] = {"mean": Measure("mean", "mean_low", "mean_high")}


@dataclass(frozen=True)
class Curve:
    """A curve of a panel.

    Attributes
    ----------
    name
        Its name in the legend; the same name looks the same in all panels.
    table
        Rows of the figure's numbers, in the order of the panel's x. One row whose x is missing is drawn as a
        horizontal line.
    colour, dashes
        Colour of the curve as ``#RRGGBB``, and dashes as Matplotlib takes them.
    measures
        Columns of the curve's height and interval, by names that readers see; the first is shown until a reader
        chooses another.
    joined
        Whether points are joined by a line.
    mark
        Mark of its points, as Matplotlib takes it; empty for a line without marks.
    hollow
        Whether marks are white inside, so that another curve's marks are seen below them.
    bars
        Whether the interval is drawn as bars at the points, not as a band.
    width
        Width of the line, in points.
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
        Its name in the legend; empty if it is not there.
    x, y
        Both ends of the region on each axis; ``None`` for all of the axis.
    colour
        Colour of the region, as ``#RRGGBB``.
    """

    name: str
    x: tuple[float, float] | None
    y: tuple[float, float] | None
    colour: str


class Cells(NamedTuple):
    """A map over both axes: rectangles in columns and rows, each with the colour of its level.

    Attributes
    ----------
    x, y
        Edges of the map's columns on axis x, and of its rows on axis y: one more than there are of each.
    levels
        Level of each rectangle, from 0, row by row as in ``y``; -1 for one without colour.
    names, colours
        Name in the legend and colour, as ``#RRGGBB``, of each level, in order.
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
        The words, in one line or several.
    side
        On which side of the point the text lies; in the ``middle`` it lies on the point.
    """

    x: float
    y: float
    text: str
    side: Literal["right", "left", "middle"] = "right"


Limits = tuple[float, float] | None
# Labels of ticks, by their places on an axis.
Ticks = Mapping[float, str]


def at(*numbers: float) -> Ticks:
    """Return the labels of an axis's ticks, by place: a tick at each of ``numbers``, labelled by that number."""
    return {place: number(place) for place in numbers}


@dataclass(frozen=True)
class Panel:
    """A panel of a figure: curves over the same axis.

    Attributes
    ----------
    title
        Title that tells it from the figure's other panels.
    x
        Column of the curves' tables with the place of each point.
    curves
        The curves, in the legend's order.
    labels
        Labels of the two axes, x first.
    log
        Whether each axis is logarithmic.
    bounds
        Columns of the curves' tables that hold bounds, by names that readers see. A bound may be drawn beside its
        curve, and the curve may be divided by it.
    divided
        Name of the bound by which all is divided at first, as in the picture; empty for none.
    scale
        Column of the curves' tables with the factor from regret to this panel's height. Pages draw quantiles and
        single runs by it. Empty, or in no table: 1.
    shown
        Names of the bounds that are drawn at first, on paper and on pages.
    limits
        Ends of both axes; ``None`` leaves them to the data.
    ticks
        Ticks of both axes; empty ones are left to the renderer.
    regions, notes, cells
        Shaded regions, texts and a map that are drawn besides.
    named_at_ends
        Whether the picture on paper names curves at their right ends in place of the legend.
    if_empty
        Text on paper in a panel in which nothing is drawn.
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
        Conditions of the finding, in words: horizon, parameters, runs.
    panels
        The panels, row by row.
    columns
        Number of panels in a row.
    height
        Height of a row on paper, in inches.
    legend_columns
        Number of names in a row of the legend on paper.
    """

    title: str
    conditions: str
    panels: Sequence[Panel]
    columns: int
    height: float = 2.6
    legend_columns: int = 3


@dataclass(frozen=True, kw_only=True)
class PlottedFigure(FigureKind):
    """The declaration of a kind of figure whose picture is a `Plot`, drawn alike on paper and on pages.

    Attributes
    ----------
    numbers
        ``numbers(aggregates, computed, **options)`` returns the table of the numbers in the figure. ``aggregates``
        is one table with a row for each cell of its experiments (algorithm, environment, budget and horizon) and
        each recorded round. Its columns are labels such as ``algorithm``, ``round``, and statistics such as
        ``mean``. ``computed`` has the tables of its computations by id.
    columns
        Columns of ``numbers`` that the figure's CSV file has; empty for all. A column ``cell``, if there is one, is
        written too: by a cell's name a page looks up its labels, parameters and statistics.
    plot
        ``plot(numbers, **options)`` returns the `Plot`.
    """

    numbers: Callable[..., pd.DataFrame]
    plot: Callable[..., Plot]
    columns: Sequence[str] = ()

    def written(self, numbers: pd.DataFrame) -> pd.DataFrame:
        """Return what the figure's CSV file has of ``numbers``: its ``columns`` and ``cell``, or all columns."""
        kept = [name for name in (*self.columns, "cell") if name in numbers]
        return numbers[kept] if self.columns else numbers
