"""Small pictures as SVG in a page: strips of estimates with their limits, a few lines, a few bars."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

# A strip's own units; it is as wide as its cell.
WIDTH, HEIGHT = 300.0, 22.0
# From this ratio of the largest to the smallest on, positive numbers are drawn by their logarithms.
WIDE = 20.0
COLOURS = {"good": "#0072b2", "part": "#e69f00", "bad": "#d55e00", "open": "#6f7379"}
# Of pictures: units, and room for words.
BOX, LEFT, BOTTOM, TOP = (320.0, 170.0), 46.0, 30.0, 12.0


class Bar(NamedTuple):
    """A part of a claim: an estimate with its interval, what is allowed, and the colour of its verdict."""

    estimate: float
    low: float
    high: float
    at_least: float
    at_most: float
    colour: str


def number(value: float) -> str:
    """Return a number in four digits, as readers write it."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if math.isnan(value):
        return "–"
    if value and not 1e-3 <= abs(value) < 1e6:
        digits, power = f"{value:.2e}".split("e")
        return f"{float(digits):g} · 10^{int(power)}".replace("-", "−")
    return f"{float(f'{value:.4g}'):,}".removesuffix(".0").replace("-", "−")


class Axis:
    """Where numbers are along a line.

    Parameters
    ----------
    values
        All that must have a place; infinite ones are at its ends.
    start, end
        The line's ends.
    even
        Whether equal distances are equal differences, whatever the numbers are.
    """

    def __init__(self, values: Iterable[float], start: float, end: float, even: bool = False) -> None:
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        self.log = not even and min(known) > 0 and max(known) / min(known) > WIDE
        self._of: Callable[[float], float] = math.log if self.log else float
        least, most = self._of(min(known)), self._of(max(known))
        room = 0.06 * (most - least) or abs(most) or 1.0
        self._least, self._most = least - room, most + room
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        """Return the place of a number, within the line."""
        if self.log and value <= 0.0:
            share = 0.0
        elif math.isinf(value):
            share = float(value > 0)
        else:
            share = (self._of(value) - self._least) / (self._most - self._least)
        return round(self._start + min(1.0, max(0.0, share)) * (self._end - self._start), 1)


def strips(bars: Sequence[Bar]) -> list[Markup]:
    """Return a strip for each part, all on the same axis: what is allowed, interval, estimate, limits."""
    limits = [limit for bar in bars for limit in (bar.at_least, bar.at_most)]
    axis = Axis([value for bar in bars for value in bar[:3]] + limits, 0.0, WIDTH)
    return [_strip(bar, axis) for bar in bars]


def _strip(bar: Bar, axis: Axis) -> Markup:
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
        dot = f'<circle cx="{at}" cy="{middle}" r="5" fill="#fff" {look}/>'
        pieces.append(far if math.isinf(bar.estimate) else dot)
    kept = " and ".join(
        words + number(limit)
        for words, limit in (("at least ", bar.at_least), ("at most ", bar.at_most))
        if math.isfinite(limit)
    )
    said = f"{number(bar.estimate)}, interval {number(bar.low)} to {number(bar.high)}; asked: {kept or 'nothing'}"
    return _svg(said, (WIDTH, HEIGHT), pieces, stretched=True)


def _svg(said: str, size: tuple[float, float], pieces: Iterable[str], stretched: bool = False) -> Markup:
    """Return a picture with what it says to those who do not see it."""
    shape = ' preserveAspectRatio="none"' if stretched else ""
    head = f'<svg viewBox="0 0 {size[0]:g} {size[1]:g}"{shape} role="img" aria-label="{escape(said)}">'
    return Markup(f"{head}{''.join(pieces)}</svg>")


def _words(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" {more}>{escape(text)}</text>'


class Line(NamedTuple):
    """A line of a picture: what it is called, its points, and how it looks."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dash: str = ""


def lines(said: str, drawn: Sequence[Line], x_label: str, y_label: str, even: bool = False) -> Markup:
    """Return lines over an axis, named at their ends; ``even`` heights are not drawn by their logarithms."""
    width, height = BOX
    xs, ys = zip(*(point for line in drawn for point in line.points), strict=True)
    x_axis = Axis(xs, LEFT, width - 92.0)
    y_axis = Axis(ys, height - BOTTOM, TOP, even)
    low_high = min(ys), max(ys)
    right, bottom, grey = width - 92.0, height - BOTTOM, 'fill="#5a5e66"'
    pieces = [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#767b83"/>',
        *(_words(x_axis(x), bottom + 13, number(x), 'text-anchor="middle"') for x in (min(xs), max(xs))),
        *(_words(LEFT - 4, y_axis(y) + 4, number(float(f"{y:.2g}")), 'text-anchor="end"') for y in low_high),
        _words((LEFT + right) / 2, height - 3, x_label, f'text-anchor="middle" {grey}'),
        _words(LEFT - 40, 9, y_label, grey),
    ]
    ends = sorted((y_axis(line.points[-1][1]), i) for i, line in enumerate(drawn))
    free = TOP - 13.0
    for y, i in ends:
        line = drawn[i]
        path = "L".join(f"{x_axis(x)} {y_axis(value)}" for x, value in line.points)
        look = f'stroke="{line.colour}" stroke-width="2.2" stroke-dasharray="{line.dash}"'
        pieces.append(f'<path d="M{path}" fill="none" {look}/>')
        free = max(y, free + 13.0)
        pieces.append(_words(width - 88, free + 4, line.name))
    return _svg(said, BOX, pieces)


def bars(said: str, shares: Mapping[str, tuple[int, str]]) -> Markup:
    """Return one bar of counts, each as wide as its share, with its mark and number; by mark: count and colour."""
    total = sum(count for count, _ in shares.values()) or 1
    pieces, at = [], 0.0
    for mark, (count, colour) in shares.items():
        wide = BOX[0] * count / total
        pieces.append(
            f'<rect x="{at:.1f}" y="8" width="{max(0.0, wide - 2):.1f}" height="30" fill="{COLOURS[colour]}"/>'
        )
        if wide > 24:
            ink = "#000" if colour == "part" else "#fff"
            pieces.append(_words(at + wide / 2 - 1, 28, f"{mark} {count}", f'text-anchor="middle" fill="{ink}"'))
        at += wide
    return _svg(said, (BOX[0], 46.0), pieces)


def spans(said: str, rows: Sequence[tuple[str, float, float, str]], ends: tuple[str, str], label: str) -> Markup:
    """Return a row for each name with two numbers joined: a hollow mark for the first, a full one for the other."""
    height = 34.0 + 26.0 * len(rows)
    axis = Axis([value for _, one, other, _ in rows for value in (one, other)], 118.0, BOX[0] - 48.0)
    pieces = []
    for i, (name, one, other, colour) in enumerate(rows):
        y = 18.0 + 26.0 * i
        pieces += [
            _words(0, y + 4, name),
            f'<path d="M{axis(one)} {y}H{axis(other)}" stroke="{colour}" stroke-width="3"/>',
            f'<circle cx="{axis(one)}" cy="{y}" r="5" fill="#fff" stroke="{colour}" stroke-width="2.5"/>',
            f'<circle cx="{axis(other)}" cy="{y}" r="6" fill="{colour}"/>',
            _words(axis(max(one, other)) + 9, y + 4, number(float(f"{other:.2g}"))),
        ]
    pieces.append(_words(0, height - 6, f"○ {ends[0]}, ● {ends[1]}; {label}", 'fill="#5a5e66"'))
    return _svg(said, (BOX[0], height), pieces)


def multiples(said: str, rows: Sequence[tuple[str, float]], label: str) -> Markup:
    """Return a bar for each name, in multiples of what is claimed; an infinite one ends in an arrow."""
    height, far = 26.0 + 28.0 * len(rows), BOX[0] - 24.0
    finite = [value for _, value in rows if math.isfinite(value)]
    unit = (far - 150.0) / max([2.0, *(1.3 * value for value in finite)])
    pieces = []
    for i, (name, value) in enumerate(rows):
        y, end = 6.0 + 28.0 * i, far if math.isinf(value) else 130.0 + unit * value
        tip = f"L{end + 10:.1f} {y + 9}L{end:.1f} {y + 18}" if math.isinf(value) else f"V{y + 18}"
        pieces += [
            f'<path d="M130 {y}H{end:.1f}{tip}H130Z" fill="{COLOURS["bad"]}"/>',
            _words(0, y + 13, name),
            _words(end - 5, y + 13, number(value), 'text-anchor="end" fill="#fff" font-weight="700"'),
        ]
    pieces.append(
        f'<path d="M{130 + unit:.1f} 0V{height - 20}" stroke="#000" stroke-width="2" stroke-dasharray="4 3"/>'
    )
    pieces.append(_words(130 + unit, height - 6, label, 'text-anchor="middle" fill="#5a5e66"'))
    return _svg(said, (BOX[0], height), pieces)
