"""Figures of lines: which columns of the numbers in a figure are its curves, for pages on which they can be moved.

A kind of figure that defines `InteractiveFigure` instead of `Figure` says of its table of numbers, the CSV beside
the picture, what is drawn over what. Nothing is computed twice: a page shows the numbers of that table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dpbandits.core.declarations import Figure
from dpbandits.core.labels import Dashes

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
    """

    name: str
    table: pd.DataFrame
    colour: str
    dashes: Dashes = "-"
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEAN)
    joined: bool = True


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
    """

    title: str
    x: str
    curves: Sequence[Curve]
    labels: tuple[str, str]
    log: tuple[bool, bool] = (True, True)
    bounds: Mapping[str, str] = field(default_factory=dict)
    divided: str = ""
    scale: str = ""


@dataclass(frozen=True, kw_only=True)
class InteractiveFigure(Figure):
    """The declaration of a kind of figure that has curves.

    Attributes
    ----------
    panels
        ``panels(numbers, **options)`` returns them. ``numbers`` is the table that ``draw`` returned. Where a row of
        it is of runs, labels and parameters of their cell and their statistics at that round are columns besides.
    """

    panels: Callable[..., Sequence[Panel]]
