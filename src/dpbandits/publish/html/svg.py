"""Small pictures as SVG in a page: strips of estimates with their limits, a few lines, a few bars.

A strip is of one part of a claim's test: its estimate, its interval, and the limits of the test on one line.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from dpbandits.core.labels import BLUE, ORANGE, VERMILION
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Drawn, Lines, Pairs

# Width and height of a strip, in its own units.
WIDTH, HEIGHT = 300.0, 22.0
# Least distance of two numbers at an axis.
LABEL_DISTANCE = 64.0
# From this ratio of the largest to the smallest on, positive numbers are drawn by their logarithms.
LOGARITHMIC_RATIO = 20.0
COLOURS = {"good": BLUE, "part": ORANGE, "bad": VERMILION, "open": "#6F7379"}
# Width and height of a picture, and its margins for words, in its own units.
PICTURE_SIZE, LEFT, BOTTOM, TOP = (320.0, 170.0), 46.0, 30.0, 12.0


class Bar(NamedTuple):
    """One part of a claim's test, such as one environment, to be drawn as a strip: a small picture on one line.

    Attributes
    ----------
    estimate, low, high
        The estimate and its interval; NaN if there is none.
    at_least, at_most
        Lower and upper limit of the test, infinite or NaN if there is none.
    colour
        ``"good"``, ``"part"``, ``"bad"`` or ``"open"``, by the part's verdict.
    """

    estimate: float
    low: float
    high: float
    at_least: float
    at_most: float
    colour: str


class Axis:
    """Axis of a picture, linear or logarithmic: ``axis(value)`` is the coordinate of a number.

    Parameters
    ----------
    values
        Numbers that the axis must reach; infinite ones are drawn at its ends.
    start, end
        Coordinates of the ends.
    linear
        Whether the scale is always linear. If not, it is logarithmic where all finite numbers are positive and the
        largest is over 20 times the smallest.

    Attributes
    ----------
    log
        Whether the scale is logarithmic.
    """

    def __init__(self, values: Iterable[float], start: float, end: float, linear: bool = False) -> None:
        """Choose the scale, linear or logarithmic, with room beyond the outermost numbers."""
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        self.log = not linear and min(known) > 0 and max(known) / min(known) > LOGARITHMIC_RATIO
        self._of: Callable[[float], float] = math.log if self.log else float
        least, most = self._of(min(known)), self._of(max(known))
        room = 0.06 * (most - least) or abs(most) or 1.0
        self._least, self._most = least - room, most + room
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        """Return the coordinate of a number, rounded to a tenth; it lies between ``start`` and ``end``."""
        if self.log and value <= 0.0:
            share = 0.0
        elif math.isinf(value):
            share = float(value > 0)
        else:
            share = (self._of(value) - self._least) / (self._most - self._least)
        return round(self._start + min(1.0, max(0.0, share)) * (self._end - self._start), 1)


def strips(bars: Sequence[Bar]) -> list[Markup]:
    """Return a small picture as SVG for each part of a test, all on the same axis.

    It shows the allowed range, the test's limits, the interval and the estimate on one line.
    """
    axis = _axis_of(bars)
    return [_strip(bar, axis) for bar in bars]


def _axis_of(bars: Sequence[Bar]) -> Axis:
    limits = [limit for bar in bars for limit in (bar.at_least, bar.at_most)]
    return Axis([value for bar in bars for value in bar[:3]] + limits, 0.0, WIDTH)


def strip_axis(bars: Sequence[Bar]) -> Markup:
    """Return the axis that the pictures of `strips` share, as SVG.

    It has labels at each bar's limits, ``at_least`` and ``at_most``, then at the smallest and the largest finite
    value of all bars. A label that would touch an earlier one is left out.
    """
    axis = _axis_of(bars)
    limits = [limit for bar in bars for limit in (bar.at_least, bar.at_most)]
    ends = [value for bar in bars for value in bar[:3] if math.isfinite(value)]
    pieces: list[str] = []
    free: list[float] = []
    for value in dict.fromkeys([*limits, min(ends, default=math.nan), max(ends, default=math.nan)]):
        # Limits come first: a number that would touch one is left out.
        if math.isfinite(value) and all(abs(axis(value) - other) > LABEL_DISTANCE for other in free):
            at = min(max(axis(value), LABEL_DISTANCE / 2), WIDTH - LABEL_DISTANCE / 2)
            free.append(axis(value))
            pieces += [
                f'<path class="strip-axis" d="M{axis(value)} 0V5"/>',
                _text(at, 16, number(value), 'text-anchor="middle"'),
            ]
    kind = "logarithmic axis" if axis.log else "linear axis"
    pieces += [f'<path class="strip-axis" d="M0 0H{WIDTH}"/>', _text(WIDTH / 2, 29, kind, 'text-anchor="middle"')]
    return _svg(kind, (WIDTH, 32.0), pieces)


def _strip(bar: Bar, axis: Axis) -> Markup:
    """Return one strip: the allowed range, the interval, the estimate and the limits."""
    middle, low, high = HEIGHT / 2, axis(bar.at_least), axis(bar.at_most)
    pieces = [
        f'<rect class="strip-allowed" x="{low}" y="1" width="{max(0.0, high - low):.1f}" height="{HEIGHT - 2}"/>',
        f'<path class="strip-axis" d="M0 {middle}H{WIDTH}"/>',
    ]
    limits = [limit for limit in (bar.at_least, bar.at_most) if math.isfinite(limit)]
    pieces += [f'<path class="strip-limit" d="M{axis(limit)} 0V{HEIGHT}"/>' for limit in limits]
    colour = COLOURS[bar.colour]
    if not math.isnan(bar.low) and not math.isnan(bar.high):
        pieces.append(f'<path d="M{axis(bar.low)} {middle}H{axis(bar.high)}" stroke="{colour}" stroke-width="5"/>')
    if not math.isnan(bar.estimate):
        at, look = axis(bar.estimate), f'stroke="{colour}" stroke-width="3"'
        far = f'<path d="M{at - 8} 4L{at} {middle}L{at - 8} {HEIGHT - 4}" fill="none" {look}/>'
        dot = f'<circle cx="{at}" cy="{middle}" r="5" fill="var(--paper)" {look}/>'
        pieces.append(far if math.isinf(bar.estimate) else dot)
    kept = " and ".join(
        words + number(limit)
        for words, limit in (("at least ", bar.at_least), ("at most ", bar.at_most))
        if math.isfinite(limit)
    )
    said = f"{number(bar.estimate)}, interval {number(bar.low)} to {number(bar.high)}; asked: {kept or 'nothing'}"
    return _svg(said, (WIDTH, HEIGHT), pieces)


def _svg(description: str, size: tuple[float, float], pieces: Iterable[str]) -> Markup:
    """Return an SVG element of a size; ``description`` is read out to people who do not see it."""
    head = f'<svg viewBox="0 0 {size[0]:g} {size[1]:g}" role="img" aria-label="{escape(description)}">'
    return Markup(f"{head}{''.join(pieces)}</svg>")


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" {more}>{escape(text)}</text>'


@functools.singledispatch
def picture(drawn: Drawn) -> Markup:
    """Return the small picture of a headline as SVG; `Lines` are curves, `Pairs` rows with two joined marks.

    `TypeError` is raised for anything else.
    """
    raise TypeError(drawn)


@picture.register
def _(drawn: Lines) -> Markup:
    """Return lines over an axis, named at their ends."""
    width, height = PICTURE_SIZE
    xs, ys = zip(*(point for line in drawn.drawn for point in line.points), strict=True)
    x_axis = Axis(xs, LEFT, width - 92.0)
    y_axis = Axis(ys, height - BOTTOM, TOP, drawn.even)
    right, bottom, grey = width - 92.0, height - BOTTOM, 'fill="var(--soft)"'
    pieces = [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="var(--edge)"/>',
        *(_text(x_axis(x), bottom + 13, number(x, 2), 'text-anchor="middle"') for x in (min(xs), max(xs))),
        *(_text(LEFT - 4, y_axis(y) + 4, number(y, 2), 'text-anchor="end"') for y in (min(ys), max(ys))),
        _text((LEFT + right) / 2, height - 3, drawn.labels[0], f'text-anchor="middle" {grey}'),
        _text(LEFT - 40, 9, drawn.labels[1], grey),
    ]
    ends = sorted((y_axis(line.points[-1][1]), i) for i, line in enumerate(drawn.drawn))
    free = TOP - 13.0
    for y, i in ends:
        line = drawn.drawn[i]
        path = "L".join(f"{x_axis(x)} {y_axis(value)}" for x, value in line.points)
        look = f'stroke="{line.colour}" stroke-width="2.2" stroke-dasharray="{line.dash}"'
        pieces.append(f'<path d="M{path}" fill="none" {look}/>')
        free = max(y, free + 13.0)
        pieces.append(_text(width - 88, free + 4, line.name))
    return _svg(drawn.said, PICTURE_SIZE, pieces)


@picture.register
def _(drawn: Pairs) -> Markup:
    """Return a row for each name: a hollow mark for the first number, a full one for the second, from 0 on."""
    height, left, right = 34.0 + 42.0 * len(drawn.rows), 6.0, PICTURE_SIZE[0] - 10.0
    axis = Axis(
        [0.0, *(value for row in drawn.rows for value in (row.first, row.second))], left, right, linear=True
    )
    zero = axis(0.0)
    pieces = []
    for i, row in enumerate(drawn.rows):
        y, (first, second) = 28.0 + 42.0 * i, (axis(row.first), axis(row.second))
        told = f"{drawn.words[0]} {number(row.first, 2)} · {drawn.words[1]} {number(row.second, 2)}"
        pieces += [
            _text(left, y - 13, row.name),
            _text(right, y - 13, told, 'text-anchor="end" fill="var(--soft)"'),
            f'<path d="M{zero} {y}H{right}" stroke="var(--line)"/>',
            f'<path d="M{first} {y}H{second}" stroke="{row.colour}" stroke-width="3"/>',
            f'<circle cx="{second}" cy="{y}" r="6" fill="{row.colour}"/>',
            f'<circle cx="{first}" cy="{y}" r="5" fill="var(--paper)" stroke="{row.colour}" stroke-width="2.5"/>',
        ]
    bottom = height - 18
    pieces.append(f'<path d="M{zero} 18V{bottom}" stroke="var(--edge)"/>')
    legend = f"○ {drawn.words[0]}, ● {drawn.words[1]} {drawn.label}"
    pieces.append(_text(max(0.0, zero - 3), height - 5, "0", 'fill="var(--soft)"'))
    pieces.append(_text(zero + 16, height - 5, legend, 'fill="var(--soft)"'))
    return _svg(drawn.said, (PICTURE_SIZE[0], height), pieces)


def divided_bar(description: str, shares: Mapping[str, tuple[int, str]]) -> Markup:
    """Return one bar as SVG, divided into parts whose lengths are proportional to counts.

    Parameters
    ----------
    description
        The picture in words, for those who do not see it.
    shares
        For each part of the bar its count and its colour, by the mark that stands in it, such as ``"✓"``. Colours
        are ``"good"``, ``"part"``, ``"bad"`` and ``"open"``.
    """
    total = sum(count for count, _ in shares.values()) or 1
    pieces, at = [], 0.0
    for mark, (count, colour) in shares.items():
        wide = PICTURE_SIZE[0] * count / total
        pieces.append(
            f'<rect x="{at:.1f}" y="8" width="{max(0.0, wide - 2):.1f}" height="30" fill="{COLOURS[colour]}"/>'
        )
        if wide > 24:
            ink = "#000" if colour == "part" else "#fff"
            pieces.append(_text(at + wide / 2 - 1, 28, f"{mark} {count}", f'text-anchor="middle" fill="{ink}"'))
        at += wide
    return _svg(description, (PICTURE_SIZE[0], 46.0), pieces)


def multiples(description: str, rows: Sequence[tuple[str, float]], label: str) -> Markup:
    """Return a picture as SVG with a bar for each row; a dashed line marks the value 1, which was claimed.

    Parameters
    ----------
    description
        The picture in words, for those who do not see it.
    rows
        Pairs of a name and a value >= 0, a multiple of what was claimed. The bar of an infinite value is an arrow.
    label
        Text at the dashed line.
    """
    height, far = 26.0 + 28.0 * len(rows), PICTURE_SIZE[0] - 24.0
    finite = [value for _, value in rows if math.isfinite(value)]
    unit = (far - 150.0) / max([2.0, *(1.3 * value for value in finite)])
    pieces = []
    for i, (name, value) in enumerate(rows):
        y, end = 6.0 + 28.0 * i, far if math.isinf(value) else 130.0 + unit * value
        tip = f"L{end + 10:.1f} {y + 9}L{end:.1f} {y + 18}" if math.isinf(value) else f"V{y + 18}"
        pieces += [
            f'<path d="M130 {y}H{end:.1f}{tip}H130Z" fill="{COLOURS["bad"]}"/>',
            _text(0, y + 13, name),
            _text(end - 5, y + 13, number(value), 'text-anchor="end" fill="#fff" font-weight="700"'),
        ]
    pieces.append(
        f'<path d="M{130 + unit:.1f} 0V{height - 20}" stroke="var(--ink)" stroke-width="2" stroke-dasharray="4 3"/>'
    )
    pieces.append(_text(130 + unit, height - 6, label, 'text-anchor="middle" fill="var(--soft)"'))
    return _svg(description, (PICTURE_SIZE[0], height), pieces)
