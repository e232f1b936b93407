"""Types of the settings that `dpbandits.papers.curves` reads, and of the data that it writes for pages.

A cell is an algorithm with its parameters in one environment, at one budget and horizon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from dpbandits.core.fields import Options


class DrawnFigure(TypedDict):
    """Settings of a figure of lines, drawn from all runs or from as many as its paper has.

    Attributes
    ----------
    draw, options
        Name of the kind of figure, and the options that are set, by name.
    version
        ``full`` for all runs, ``published`` for as many as the paper has.
    experiments
        Names of the experiments that it shows, or whose runs its computations read.
    confidence
        Confidence level of its intervals, from 0 to 1.
    """

    draw: str
    version: str
    options: Options
    experiments: Sequence[str]
    confidence: float


Numbers = list[float | int | None]


class PageCurve(TypedDict):
    """A curve as a page draws it.

    Attributes
    ----------
    name, colour, dash
        Name in the legend, colour as ``#RRGGBB``, and lengths of the dashes in pixels, none for a full line.
    points
        Whether its points are not joined.
    mark, hollow, bars, width
        Marker of the points as Matplotlib takes it, whether it is white inside, whether intervals are bars, and the
        line's width in points.
    x
        Places of the points on the horizontal axis; ``None`` for a horizontal line.
    heights
        Heights that a reader may choose, each named by its ``word``, such as ``mean``. ``value`` and, with an
        interval, ``low`` and ``high`` have a number for each point. ``columns`` has the CSV's column of each that
        stands there.
    bounds
        Heights of bounds at each point, by the bound's name.
    lines
        The number of each point's row in the CSV, from 0; -1 for none.
    runs, cells, rounds, scale
        For each point the number of runs, its cell's number (-1 for none), its round, and the factor from regret to
        height. They are left out where they are not known.
    """

    name: str
    colour: str
    dash: list[float]
    points: bool
    mark: str
    hollow: bool
    bars: bool
    width: float
    x: Numbers | None
    heights: list[dict[str, object]]
    bounds: dict[str, Numbers]
    lines: list[int]
    runs: NotRequired[Numbers]
    cells: NotRequired[list[int]]
    rounds: NotRequired[Numbers]
    scale: NotRequired[Numbers]


class PagePanel(TypedDict):
    """A panel with a title and curves, as a page draws it.

    Attributes
    ----------
    x, y
        The axes, each with its ``label``, whether it is ``log``, and ``ticks`` as pairs of a place and a text.
        ``x`` has the CSV's ``column`` too.
    divided, shown
        Name of the bound by which heights are divided at first, or empty; names of the bounds drawn at first.
    limits
        Ends of both axes; ``None`` leaves one to the data.
    regions, notes
        Shaded rectangles (``name, x, y, colour``), of whose ends ``x`` and ``y`` either may be ``None`` for all of
        the axis. Texts (``x, y, text, side``), at the ``right``, ``left`` or ``middle`` of the point.
    cells
        A map: edges ``x`` and ``y``, ``levels`` row by row (-1 for no colour), and ``names`` and ``colours`` of the
        levels from 0; or ``None``.
    """

    title: str
    x: dict[str, object]
    y: dict[str, object]
    divided: str
    curves: list[PageCurve]
    shown: list[str]
    limits: list[Numbers | None]
    regions: list[dict[str, object]]
    notes: list[dict[str, object]]
    cells: dict[str, object] | None


class PageRuns(TypedDict):
    """Regret of some runs of a cell: an algorithm in one environment, at one budget and horizon.

    Attributes
    ----------
    rounds, runs
        The recorded rounds that are kept, and the number of runs.
    data
        Regret, shape (rounds, runs), as base-64 text: the upper two bytes of each number in single precision, first
        the higher bytes of all numbers, then the lower ones, deflated.
    """

    rounds: list[int]
    runs: int
    data: str


class CurveSettings(TypedDict):
    """The part of a configuration that pages of one paper's curves need.

    Attributes
    ----------
    title, published_runs
        The paper's title, and the number of runs behind its figures.
    figures
        Its figures of lines, by file name without suffix.
    """

    title: str
    published_runs: int
    figures: Mapping[str, DrawnFigure]
