"""Types of the settings that `dpbandits.papers.curves` reads, and of the data that it writes for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from dpbandits.core.fields import Options


class DrawnFigure(TypedDict):
    """Settings of a figure of lines, in one of its versions.

    Attributes
    ----------
    draw, options
        Name of the kind of figure, and the options that are set, by name.
    version
        ``full`` for all runs, ``published`` for as many as the paper has.
    experiments
        Names of the experiments that it shows.
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
        Marker of the points, whether it is white inside, whether intervals are bars, and the line's width.
    x
        Places of the points on the horizontal axis; ``None`` for a horizontal line.
    heights
        Heights that a reader may choose: ``word``, ``value`` with ``low`` and ``high``, and the CSV's ``columns``.
    bounds
        Heights of bounds, by their names.
    lines
        The line of each point in the CSV; -1 for none.
    runs, cells, rounds, scale
        For each point the number of runs, its cell's number, its round, and the factor from regret to height. They
        are left out where they are not known.
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
    """A panel as a page draws it, with the fields of `dpbandits.core.interactive.Panel` as JSON data.

    The axes ``x`` and ``y`` have ``label``, ``log`` and ``ticks``, and ``x`` has the ``column`` of the points' x.
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
    """Some runs of a cell: their rounds, the number of runs, and regret by round and run, as packed text."""

    rounds: list[int]
    runs: int
    data: str


class CurveSettings(TypedDict):
    """The configuration's part in a paper's curves: title, the paper's number of runs, and figures by file name."""

    title: str
    published_runs: int
    figures: Mapping[str, DrawnFigure]
