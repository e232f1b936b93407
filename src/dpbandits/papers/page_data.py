"""Shapes of what `dpbandits.papers.curves` reads of a configuration, and of the data that it writes for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from dpbandits.core.fields import Options


class DrawnFigure(TypedDict):
    """A figure of lines in one version.

    Attributes
    ----------
    draw, options
        Its kind, and the kind's options.
    version
        ``full`` or ``published``.
    experiments
        The experiments it shows.
    confidence
        Level of its intervals.
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
        Its name and look; ``dash`` has lengths in pixels.
    points
        Whether its points are not joined.
    mark, hollow, bars, width
        As in `dpbandits.core.interactive.Curve`.
    x
        Where its points are; ``None`` for a level.
    heights
        Heights that a reader may choose: ``word``, ``value`` with ``low`` and ``high``, and the CSV's ``columns``.
    bounds
        Heights of bounds, by their names.
    lines
        The line of each point in the CSV; -1 for none.
    runs, cells, rounds, scale
        Of each point the number of runs, its cell's number, its round, and the factor from regret to height. They
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
    """A panel as a page draws it: axes have ``label``, ``log`` and ``ticks``, the first a ``column``.

    The rest is as in `dpbandits.core.interactive.Panel`.
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
    """Some runs of a cell: checkpoints, number of runs, and regret as `packed` writes it."""

    rounds: list[int]
    runs: int
    data: str


class CurveSettings(TypedDict):
    """The configuration's part in a paper's curves: its title, its number of runs, and its figures by file."""

    title: str
    published_runs: int
    figures: Mapping[str, DrawnFigure]
