"""Legends on paper: each look that tells curves apart is explained once, below the panels that have it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dpbandits.core.labels import BLACK

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

    Entries: TypeAlias = Mapping[str, Artist]

# Marks a line that is the edge of a shaded part, and how strong the shade is.
SHADED, SHADE = "shaded", 0.25
# Names that fit into the place of a panel.
SHORT = 9


def _parts(name: str) -> tuple[str, str]:
    """Return the two parts of a name, such as ``Exp(1/ε)`` and ``B = 1`` of ``Exp(1/ε), B = 1``; none is empty."""
    for separator in (": ", ", "):
        head, found, tail = name.rpartition(separator)
        if found:
            return head, tail
    return "", ""


def colours_and_dashes(entries: Entries) -> Entries:
    """Return legend entries, one for each colour and one for each kind of dashes, if these are fewer.

    Six lines ``Exp(1/ε), B = 0`` to ``Lap(2/ε), B = 1`` become five entries: three noises, each a line of its
    colour, and two values of B, each a black line of its dashes.

    Parameters
    ----------
    entries
        Drawn lines and areas, by name. A colon or a comma divides a name into two parts.

    Returns
    -------
    Entries
        The shorter legend. It is ``entries`` if two first parts share a colour, a first part has two colours or a
        second part two kinds of dashes, or if nothing gets shorter.
    """
    from matplotlib.lines import Line2D

    lines = {name: one for name, one in entries.items() if isinstance(one, Line2D) and all(_parts(name))}
    for i in (0, 1):
        # A part that stands in one name alone is no part.
        often = Counter(_parts(name)[i] for name in lines)
        lines = {name: one for name, one in lines.items() if often[_parts(name)[i]] > 1}
    heads: dict[str, list[Line2D]] = {}
    tails: dict[str, list[Line2D]] = {}
    for name, one in lines.items():
        for part, of in zip(_parts(name), (heads, tails), strict=True):
            of.setdefault(part, []).append(one)
    colours: list[set[object]] = [{one.get_color() for one in those} for those in heads.values()]
    dashes: list[set[object]] = [{str(_dashes(one)) for one in those} for those in tails.values()]
    new = set(heads) - set(entries)
    # A first part has to be one colour of its own, a second part one kind of dashes, and entries have to get fewer.
    if (
        any(len(kinds) > 1 for kinds in (*colours, *dashes))
        or len(set(map(str, colours))) < len(heads)
        or len(new) + len(tails) >= len(lines)
    ):
        return entries
    found: dict[str, Artist] = {}
    for name, drawn in entries.items():
        head = _parts(name)[0]
        if name not in lines:
            found[name] = drawn
        elif head in new:
            first = heads[head][0]
            found.setdefault(head, Line2D([], [], color=first.get_color(), linewidth=first.get_linewidth()))
    for tail, (line, *_) in tails.items():
        marked = line.get_marker() if line.get_linestyle() == "None" else ""
        found[tail] = Line2D([], [], color=BLACK, linestyle=_dashes(line), marker=marked, markersize=4)
    return found


def _dashes(line: Line2D) -> Any:
    """Return a line's dashes as they were given: Matplotlib tells only a name of them."""
    return line._unscaled_dash_pattern if line.get_linestyle() == "--" else line.get_linestyle()  # type: ignore[attr-defined]


def add(figure: Figure, shown: Sequence[Axes], empty: Sequence[Axes], columns: int) -> float:
    """Put a legend below each panel for entries that no other panel has, and one below the figure for the rest.

    If panels stand in several rows, or no panel has two entries of its own, there is only the figure's legend.

    Parameters
    ----------
    figure, shown
        The figure, and the axes of its panels.
    empty
        Axes of places without a panel. If it fits and has at most nine entries, the legend of the rest is put into
        the first of them. Else the rest's shaded areas are, on the same condition.
    columns
        Largest number of entries in a row of the figure's legend.

    Returns
    -------
    float
        Height that the legends take below the panels, in inches.
    """
    from matplotlib.lines import Line2D

    # ``each``: entries of each panel. ``own``: those of no other panel. ``rest``: those of the legend below all.
    in_a_row = len({axes.get_position().y0 for axes in shown}) == 1
    each = [_entries(axes) for axes in shown]
    each = [colours_and_dashes(entries) for entries in each] if in_a_row else each
    rest: dict[str, Artist] = {}
    for name, one in (item for entries in each for item in entries.items()):
        rest.setdefault(name, one)
    having = Counter(name for entries in each for name in entries)
    own = [{name: one for name, one in entries.items() if having[name] == 1} for entries in each]
    height = 0.0
    if in_a_row and any(len(entries) > 1 for entries in own):
        for axes, entries in zip(shown, own, strict=True):
            height = max(height, _below(figure, axes, entries) if entries else 0.0)
            rest = {name: one for name, one in rest.items() if name not in entries}
    rest = dict(colours_and_dashes(rest))
    # In a place without a panel stands all of it, or what is no line, such as the colours of a map.
    areas = {name: one for name, one in rest.items() if not isinstance(one, Line2D)}
    for part in (rest, areas) if empty else ():
        if 0 < len(part) <= SHORT:
            legend = empty[0].legend(part.values(), part.keys(), loc="center left", fontsize="small")
            legend.set_in_layout(False)
            if _size(figure, legend)[0] <= empty[0].bbox.width / figure.dpi:
                rest = {name: one for name, one in rest.items() if name not in part}
                break
            legend.remove()
    return height + (_under(figure, rest, columns) if rest else 0.0)


def _entries(axes: Axes) -> Entries:
    """Return what a panel has for a legend, by name; the first of a name stands for all."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    found: dict[str, Artist] = {}
    for one, name in zip(*axes.get_legend_handles_labels(), strict=True):
        if isinstance(one, Line2D) and one.get_gid() == SHADED:
            found.setdefault(name, Patch(color=one.get_color(), alpha=SHADE, linewidth=0))
        else:
            found.setdefault(name, one)
    return found


def _size(figure: Figure, legend: Legend) -> tuple[float, float]:
    """Return a legend's width and height in inches."""
    box = legend.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def _below(figure: Figure, axes: Axes, entries: Entries) -> float:
    """Put a legend below a panel, and return its height in inches."""
    from matplotlib.transforms import ScaledTranslation

    box = axes.xaxis.get_tightbbox()
    below = axes.bbox.y0 - box.y0 if box else 0.0
    down = ScaledTranslation(0.0, -below / figure.dpi, figure.dpi_scale_trans)
    for columns in (3, 2, 1):
        legend = axes.legend(
            entries.values(),
            entries.keys(),
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            bbox_transform=axes.transAxes + down,
            ncols=min(columns, len(entries)),
            fontsize="small",
            columnspacing=1.0,
            frameon=False,
        )
        width, height = _size(figure, legend)
        if width <= 1.1 * axes.bbox.width / figure.dpi:
            break
    return height


def _under(figure: Figure, entries: Entries, most: int) -> float:
    """Put a legend below a figure, in as many columns as fit its width, and return its height in inches."""
    for columns in range(min(most, len(entries)), 0, -1):
        legend = figure.legend(
            entries.values(), entries.keys(), loc="outside lower center", ncols=columns, fontsize="small"
        )
        width, height = _size(figure, legend)
        if columns == 1 or width < figure.get_figwidth():
            break
        legend.remove()
    return height
