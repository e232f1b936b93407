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
    """Lines over an axis, named at their ends.

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
    """A row for each name with two numbers joined, on an axis that begins at 0.

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
    """The declaration of a headline's picture.

    Attributes
    ----------
    figure
        Id of the paper's figure whose numbers it shows, such as ``"thm1"``.
    draw
        ``draw(rows)`` returns the picture from the rows of that figure's CSV file, or ``None`` if they lack its
        numbers.
    """

    figure: str
    draw: Callable[[Rows], Drawn | None]
