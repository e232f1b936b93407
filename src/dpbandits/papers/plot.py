"""Renderer of described figures for paper: it draws a `Plot` with Matplotlib."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.interactive import Cells, Curve, Limits, Panel, Plot, Region, Ticks
from dpbandits.core.labels import BLACK, TITLES, Dashes, Look
from dpbandits.core.numbers import number, power
from dpbandits.papers import legend
from dpbandits.papers.style import Filled, Placed, count, label_ends, panels, say_if_empty

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Figures are 7 inches wide and shown at 6.5: then no type is below 7 points.
SMALLEST = 7.6
# Letters in a line of the finding, which is bold, and of the conditions.
BOLD, LETTERS = 86, 105
# What a number follows, which a line does not end with.
NUMBERED = "Proposition|Theorem|Theorems|Lemma|Corollary|Remark|Figure|Section"
BOUND_DASHES: Sequence[Dashes] = [(0, (5, 3)), (0, (1.5, 2)), (0, (7, 2, 2, 2)), (0, (10, 3))]
# A line that is thinner, in points, is the edge of its interval.
THIN = 0.7
# Colour of the conditions, so that the finding stands out; its contrast on white is 8.
SOFT = "#4d4d4d"
# Up to this number of points on a logarithmic axis, each has a tick.
FEW = 6
# Which multiples of powers of ten have ticks, by how many decades an axis spans at most.
MULTIPLES: Mapping[float, Sequence[float]] = {0.5: range(1, 10), 1.5: (1, 2, 5), 2.2: (1, 3), math.inf: (1,)}
# Height of a line of the finding, of the conditions, and what both and legends take of a figure's usual height, in
# inches.
TITLE_LINE, CONDITIONS_LINE, USUAL = 0.17, 0.14, 0.5
# Width of a letter of a label or a title, in inches.
LETTER = 0.068
# What titles and legends leave of the height of axes.
LEFT = 0.75
# Decades from which on ticks are powers.
MANY = 3.5
SIDES: Mapping[str, Placed] = {
    "right": {"ha": "left", "va": "bottom"},
    "left": {"ha": "right", "va": "bottom"},
    "middle": {"ha": "center", "va": "center"},
}


def called(name: str) -> str:
    """Return a curve's name as legends show it: ``DP-IMED, long start`` becomes ``DP-IMED, first batch 10/ε``."""
    for title, words in TITLES.items():
        name = name.replace(title, words)
    return name


def wrapped(text: str, letters: int) -> str:
    """Return a text in lines of at most ``letters``; none ends within ``ε = 1``, ``Theorem 3`` or ``log K``.

    Line breaks of the text stay. Such an expression, or a word, that is longer than ``letters`` gets a longer line.
    """
    together = re.sub(r" ([=±÷×<>≤≥]) ", "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)
    together = re.sub(rf"\b({NUMBERED}) (?=\d)|\b(log²?) (?=[KNT])", "\\1\\2\N{NO-BREAK SPACE}", together)
    lines = [
        textwrap.fill(line, letters, break_long_words=False, break_on_hyphens=False)
        for line in together.splitlines()
    ]
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def balanced(text: str, letters: int) -> str:
    """Return a text in as few lines of at most ``letters`` letters as `wrapped` needs, of about equal length.

    So no last word stands alone in its line, which reads badly.
    """
    lines = wrapped(text, letters).count("\n")
    while letters > 1 and wrapped(text, letters - 1).count("\n") == lines:
        letters -= 1
    return wrapped(text, letters)


def draw(plot: Plot) -> Figure:
    """Return the figure that ``plot`` describes: panels, legends below them, and the finding above them."""
    rows = -(-len(plot.panels) // plot.columns)
    figure, axes = panels(rows * plot.columns, plot.columns, height=plot.height)
    axes, empty = axes[: len(plot.panels)], axes[len(plot.panels) :]
    for extra in empty:
        extra.set_axis_off()
    bounds = list(dict.fromkeys(name for panel in plot.panels for name in panel.shown))
    for i, (axis, panel) in enumerate(zip(axes, plot.panels, strict=True)):
        _panel(axis, panel, bounds)
        before = plot.panels[i - 1] if i % plot.columns else None
        if before and before.labels[1] == panel.labels[1]:
            axis.set_ylabel("")
            if before.limits[1] and before.limits[1] == panel.limits[1] and before.log == panel.log:
                axis.tick_params(labelleft=False)
    for row in range(rows - 1):
        places = range(row * plot.columns, (row + 1) * plot.columns)
        # A row names its axes or leaves that to the row below; in part it would be read as another axis.
        if all(_same_below(plot, i) for i in places):
            for i in places:
                axes[i].set_xlabel("")
    taken = legend.add(figure, axes, empty, plot.legend_columns)
    head(figure, plot.title, plot.conditions, rows * plot.height, taken)
    return figure


def head(figure: Figure, title: str, conditions: str, height: float, taken: float = 0.0) -> None:
    """Write the finding and its conditions above the panels; the figure grows, so that panels keep their height.

    Parameters
    ----------
    figure
        Figure with its panels and legends, in a constrained layout.
    title, conditions
        The finding as a sentence, and its conditions, in lines.
    height
        Height of all rows of panels in inches, of which short titles and legends take 0.5.
    taken
        Height of the legends, in inches.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    finding = balanced(title, BOLD)
    conditions = "\n".join(balanced(line, LETTERS) for line in conditions.splitlines())
    # In inches: the finding, and with it the conditions and a margin.
    above = TITLE_LINE * (finding.count("\n") + 1)
    both = above + CONDITIONS_LINE * (conditions.count("\n") + 1) + 0.08
    # A long legend or title takes no panel's height.
    height += max(0.0, taken + both - USUAL)
    figure.set_figheight(height)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0.0, 0.0, 1.0, 1.0 - both / height))
    bold = figure.text(0.5, 1.0 - 0.04 / height, finding, ha="center", va="top")
    bold.set(fontsize="medium", fontweight="bold")
    below = figure.text(0.5, 1.0 - (0.04 + above) / height, conditions, ha="center", va="top")
    below.set(fontsize="small", color=SOFT)


def _same_below(plot: Plot, i: int) -> bool:
    """Return whether the panel below a panel has the same quantity along its axis."""
    below = i + plot.columns
    return below < len(plot.panels) and plot.panels[below].labels[0] == plot.panels[i].labels[0]


def _tick(value: float, _: int = 0) -> str:
    """Return a tick of a logarithmic axis: 10⁵ instead of 100,000, which neighbours would touch."""
    return count(round(value)) if value >= 10**5 else number(value)


def _power(value: float, _: int = 0) -> str:
    """Return a tick of an axis of many decades: a power of ten, but for a few around 1."""
    return number(value) if 0.01 <= value <= 100 else power(10, round(math.log10(value)))


def _is_power(value: float) -> bool:
    """Return whether a number is a power of ten."""
    return math.isclose(math.log10(value), round(math.log10(value)), abs_tol=1e-9)


def _places(low: float, high: float, decades: float, most: int) -> list[float]:
    """Return places of ticks on a logarithmic axis: multiples of powers of ten, at most ``most`` of them."""
    multiples = next(few for longest, few in MULTIPLES.items() if decades <= longest)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    end = high * (1.0 + 1e-9)
    for chosen in (multiples, (1,)):
        found = [place for k in exponents for m in chosen if low * (1.0 - 1e-9) <= (place := m * 10.0**k) <= end]
        if 2 <= len(found) <= most:
            return found
    return found[:: -(-len(found) // most)] if len(found) > 1 else [low, high]


def _label(axis: Axis, log: bool, described: Ticks, places: Collection[float], most: int) -> None:
    """Put ticks on an axis: those described, else each of a few places, else as many as are read.

    Parameters
    ----------
    axis
        Final limits are known.
    log, described
        As in `Panel`: whether it is logarithmic, and its ticks.
    places
        Where points are.
    most
        Number of ticks for which there is room.
    """
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    ticks = dict(described)
    if not ticks and log and 0 < len(places) <= FEW:
        # Powers of ten first, then both ends; what lies too near to one that has a tick has none.
        apart = math.log10(max(places) / min(places)) / most
        ends = (min(places), max(places))
        for place in sorted(places, key=lambda one: (not _is_power(one), one not in ends, one)):
            if all(abs(math.log10(place / other)) > 0.9 * apart for other in ticks):
                ticks[place] = _tick(place)
    if ticks:
        axis.set_major_locator(FixedLocator(list(ticks)))
        axis.set_major_formatter(FixedFormatter(list(ticks.values())))
    elif log:
        low, high = sorted(axis.get_view_interval())
        decades = math.log10(high / low) if low > 0.0 else 9.0
        axis.set_major_locator(FixedLocator(_places(low, high, decades, most)))
        axis.set_major_formatter(FuncFormatter(_power if decades > MANY else _tick))
    else:
        whole = all(float(place).is_integer() for place in places)
        axis.set_major_locator(MaxNLocator(most, integer=whole, steps=(1, 2, 2.5, 5, 10)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_locator(NullLocator())


def _panel(axis: Axes, panel: Panel, bounds: Sequence[str]) -> None:
    """Draw a panel: scales first, because notes and names at ends need final axes."""
    letters = max(12, round(LEFT * axis.bbox.height / axis.figure.dpi / LETTER))
    wide = max(12, round(axis.bbox.width / axis.figure.dpi / LETTER))
    axis.set(xlabel=wrapped(panel.labels[0], wide), ylabel=wrapped(panel.labels[1], letters))
    # A title may reach a little into the gap to the next panel.
    axis.set_title(wrapped(panel.title, wide + 1), loc="left")
    for one, log in zip((axis.xaxis, axis.yaxis), panel.log, strict=True):
        if log:
            one._set_axes_scale("log")  # type: ignore[attr-defined]
    if limits := _around_one(panel):
        axis.set(xlim=limits)
    ends: dict[str, tuple[float, Look]] = {}
    for curve in panel.curves:
        _curve(axis, curve, panel)
        measure = next(iter(curve.measures.values()))
        heights = curve.table[measure.value].dropna()
        if curve.joined and len(heights):
            ends[called(curve.name)] = (heights.iloc[-1], Look(curve.colour, curve.dashes))
    for name in panel.shown:
        _bound(axis, name, panel, BOUND_DASHES[bounds.index(name) % len(BOUND_DASHES)])
    if panel.cells:
        _cells(axis, panel.cells)
    for region in panel.regions:
        _region(axis, region)
    axis.set(xlim=panel.limits[0], ylim=panel.limits[1])
    room = round(axis.bbox.width / axis.figure.dpi / 0.5)
    places = {x for curve in panel.curves for x in curve.table[panel.x] if math.isfinite(x)}
    _label(axis.xaxis, panel.log[0], panel.ticks[0], sorted(places), room)
    _label(axis.yaxis, panel.log[1], panel.ticks[1], np.linspace(0.0, 1.0, FEW + 1).tolist(), 6)
    if not panel.curves:
        # A table or a map is read without lines through it.
        axis.grid(visible=False)
    for note in panel.notes:
        axis.text(note.x, note.y, note.text, fontsize=SMALLEST, **SIDES[note.side])
    say_if_empty(axis, panel.if_empty)
    if panel.named_at_ends:
        label_ends(axis, ends)


def _around_one(panel: Panel) -> Limits:
    """Return limits around the only place on a logarithmic axis, which has no width itself; None for several."""
    places = {x for curve in panel.curves for x in curve.table[panel.x] if math.isfinite(x)}
    return (min(places) / 10.0, min(places) * 10.0) if panel.log[0] and len(places) == 1 else None


def values(curve: Curve, panel: Panel, column: str) -> pd.Series[float]:
    """Return a column of a curve's table, divided by the bound that ``panel.divided`` names, if it names one."""
    by = panel.bounds.get(panel.divided, "")
    return curve.table[column] / curve.table[by] if by else curve.table[column]


def _curve(axis: Axes, curve: Curve, panel: Panel) -> None:
    """Draw a curve with its interval, as a bar at each point or a band; one without x is a level."""
    # The measure that is shown until a reader chooses another.
    measure = next(iter(curve.measures.values()))
    if measure.value not in curve.table or curve.table[measure.value].isna().all():
        return
    label = None if panel.named_at_ends else called(curve.name)
    x, height = curve.table[panel.x], values(curve, panel, measure.value)
    if x.isna().all():
        axis.axhline(height.iloc[0], color=curve.colour, linestyle=curve.dashes, linewidth=curve.width, label=label)
        return
    (line,) = axis.plot(
        x,
        height,
        color=curve.colour,
        linestyle=curve.dashes if curve.joined else "",
        linewidth=curve.width,
        marker=curve.mark or ("" if curve.joined else "o"),
        markersize=4,
        markerfacecolor="white" if curve.hollow else curve.colour,
        label=label,
        # What is broad lies below what is thin.
        zorder=2.0 - curve.width / 100.0,
    )
    if measure.low:
        low, high = (values(curve, panel, column) for column in (measure.low, measure.high))
        if curve.bars:
            axis.vlines(x, low, high, color=curve.colour, linewidth=0.9)
        else:
            # Below the bottom of a logarithmic axis an edge would fall upright, as if its neighbours were there.
            bottom = panel.limits[1][0] if panel.limits[1] and panel.log[1] else -math.inf
            axis.fill_between(x, low.clip(lower=bottom), high, color=curve.colour, alpha=legend.SHADE, linewidth=0)
            # A thin line within a shade: by this id the legend knows it, and shows the shade.
            line.set_gid(legend.SHADED if curve.width < THIN else None)


def _bound(axis: Axes, name: str, panel: Panel, dashes: Dashes) -> None:
    """Draw each distinct bound of a name once."""
    seen: list[pd.DataFrame] = []
    for curve in panel.curves:
        column = panel.bounds[name]
        if column not in curve.table or curve.table[column].isna().all():
            continue
        line = pd.DataFrame({"x": curve.table[panel.x], "y": values(curve, panel, column)}).reset_index(drop=True)
        if not any(line.equals(other) for other in seen):
            seen.append(line)
            axis.plot(line["x"], line["y"], color=BLACK, linestyle=dashes, linewidth=1.0, label=name)


def _cells(axis: Axes, cells: Cells) -> None:
    """Draw a map; each level has a name in the legend."""
    from matplotlib.colors import ListedColormap

    levels = np.ma.masked_less(np.array(cells.levels), 0)
    palette, last = ListedColormap(list(cells.colours)), len(cells.colours)
    axis.pcolormesh(cells.x, cells.y, levels, cmap=palette, vmin=-0.5, vmax=last - 0.5, rasterized=True)
    axis.grid(visible=False)
    for name, colour in zip(cells.names, cells.colours, strict=True):
        axis.fill_between([], [], color=colour, label=name)


def _region(axis: Axes, region: Region) -> None:
    """Shade a region of a panel; where it is as narrow as a line, draw that line."""
    label, (x, y) = region.name or None, (region.x, region.y)
    for ends, line in ((x, axis.axvline), (y, axis.axhline)):
        if ends and np.isclose(*ends, rtol=1e-12):
            line(ends[0], color=region.colour, linewidth=1.0, linestyle=":", label=label)
            return
    look: Filled = {"color": region.colour, "alpha": legend.SHADE, "linewidth": 0.0, "label": label}
    if x and y:
        axis.fill_between(x, y[0], y[1], **look)
    elif x:
        axis.axvspan(*x, **look)
    elif y:
        axis.axhspan(*y, **look)
