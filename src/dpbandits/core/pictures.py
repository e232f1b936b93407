"""Small pictures of headlines, the front page's findings, as data: lines over an axis, or pairs of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# A table as it is written: cells by column.
Rows = Sequence[Mapping[str, str]]


class Line(NamedTuple):
    """A line of a picture: its name, its points (x, y), its colour, and its dashes in SVG, such as "6 3"."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dash: str = ""


class Lines(NamedTuple):
    """A picture of lines over a horizontal axis, each named at its end.

    Attributes
    ----------
    said
        The picture in words, for those who do not see it.
    drawn
        The lines.
    labels
        Labels of both axes, x first.
    even
        Whether the vertical axis is always linear. If not, it is logarithmic where all numbers are positive and the
        largest is over 20 times the smallest.
    """

    said: str
    drawn: Sequence[Line]
    labels: tuple[str, str]
    even: bool = False


class Pair(NamedTuple):
    """A row of a picture: a name, two numbers, and a colour."""

    name: str
    first: float
    second: float
    colour: str


class Pairs(NamedTuple):
    """A picture of rows, each with a name and two numbers: two points joined by a line, on an axis from 0.

    Attributes
    ----------
    said
        The picture in words, for those who do not see it.
    rows
        The names and numbers.
    words
        Names of the first and of the second number of a row.
    label
        The quantity that all numbers are of.
    """

    said: str
    rows: Sequence[Pair]
    words: tuple[str, str]
    label: str


Drawn = Lines | Pairs


@dataclass(frozen=True)
class Picture:
    """The declaration of the small picture beside a headline, a finding on the site's front page.

    Attributes
    ----------
    figure
        Id of the paper's figure whose numbers it shows, such as ``"thm1"``.
    draw
        ``draw(rows)`` returns the picture as data, `Lines` or `Pairs`. ``rows`` are those of the figure's CSV file,
        texts by column. Without the numbers that it needs there, it returns ``None``.
    """

    figure: str
    draw: Callable[[Rows], Drawn | None]
