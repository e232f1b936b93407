"""Legends take the columns that fit, and stand where there is room: below a panel, in an empty place, or below."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpbandits.papers import legend

# Width of an entry, and height of a row, in inches: measured sizes depend on the machine's fonts.
ENTRY, ROW = 1.0, 0.25


@pytest.fixture
def sized(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let each legend have a size by its entries and columns; return the columns of those that were measured."""
    tried: list[int] = []

    def size(_: Figure, measured: Legend) -> tuple[float, float]:
        columns, entries = measured._ncols, len(measured.get_texts())  # type: ignore[attr-defined]
        tried.append(columns)
        return ENTRY * columns, ROW * -(-entries // columns)

    monkeypatch.setattr(legend, "_size", size)
    return tried


def panels(count: int, width: float, rows: int = 1, empty: int = 0) -> tuple[Figure, list[Axes], list[Axes]]:
    """Return a figure of panels, each as wide as said, in inches, and places without one."""
    columns = (count + empty) // rows
    figure = plt.figure(figsize=(width * columns, 2.0 * rows), dpi=100)
    axes = [
        figure.add_axes((i % columns / columns, 1.0 - (i // columns + 1) / rows, 1.0 / columns, 1.0 / rows))
        for i in range(count + empty)
    ]
    return figure, axes[:count], axes[count:]


def lines(axes: Axes, *names: str, colour: str = "#d55e00") -> None:
    for name in names:
        axes.plot([0, 1], [0, 1], label=name, color=colour)


def names_of(shown: Legend | None) -> list[str]:
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


@pytest.mark.parametrize(
    ("width", "entries", "columns"),
    [
        # A tenth more than the panel's width is allowed, to the last digit; one column stands in any case.
        (3.0, 5, 3),
        (3.0 / 1.1, 5, 3),
        (2.7, 5, 2),
        (2.0 / 1.1, 5, 2),
        (1.8, 5, 1),
        (0.5, 5, 1),
        # As many columns as there are entries, at most.
        (9.0, 2, 2),
        (9.0, 1, 1),
    ],
)
def test_a_panel_s_legend_has_the_columns_that_fit(
    sized: list[int], width: float, entries: int, columns: int
) -> None:
    figure, (axes,), _ = panels(1, width)
    lines(axes, *(f"name {i}" for i in range(entries)))
    assert legend._below(figure, axes, legend._entries(axes)) == pytest.approx(ROW * -(-entries // columns))
    assert sized[-1] == columns
    shown = axes.get_legend()
    assert shown is not None and len(names_of(shown)) == entries


@pytest.mark.parametrize(
    ("width", "most", "columns"), [(5.01, 5, 5), (5.0, 5, 4), (4.9, 3, 3), (9.0, 9, 5), (2.5, 5, 2), (0.5, 5, 1)]
)
def test_a_figure_s_legend_has_the_columns_that_fit(
    sized: list[int], width: float, most: int, columns: int
) -> None:
    """Narrower than the figure, of at most as many columns as said and as entries; what was tried is not left."""
    figure, (axes,), _ = panels(1, width)
    lines(axes, *(f"name {i}" for i in range(5)))
    assert legend._under(figure, legend._entries(axes), most) == pytest.approx(ROW * -(-5 // columns))
    assert sized == list(range(min(most, 5), columns - 1, -1))
    assert len(figure.legends) == 1 and len(names_of(figure.legends[0])) == 5


def test_entries_of_one_panel_alone_stand_below_it(sized: list[int]) -> None:
    """If a panel has two or more of its own; else all stand below the figure, as in panels of two rows."""
    del sized
    figure, (one, other), _ = panels(2, 9.0)
    lines(one, "both", "a", "b")
    lines(other, "both", "c")
    # Rows below the panels: one of three columns, and one below the figure.
    assert legend.add(figure, [one, other], [], 4) == pytest.approx(2 * ROW)
    assert [names_of(axes.get_legend()) for axes in (one, other)] == [["a", "b"], ["c"]]
    assert names_of(figure.legends[0]) == ["both"]
    figure, (one, other), _ = panels(2, 9.0)
    lines(one, "both", "a")
    lines(other, "both", "c")
    assert legend.add(figure, [one, other], [], 4) == pytest.approx(ROW)
    assert one.get_legend() is None and names_of(figure.legends[0]) == ["both", "a", "c"]
    figure, (one, other), _ = panels(2, 9.0, rows=2)
    lines(one, "both", "a", "b")
    lines(other, "both", "c")
    legend.add(figure, [one, other], [], 4)
    assert one.get_legend() is None and names_of(figure.legends[0]) == ["both", "a", "b", "c"]


def test_the_highest_of_the_panels_legends_counts(sized: list[int]) -> None:
    del sized
    figure, (one, other), _ = panels(2, 9.0)
    lines(one, *"abcdefg")
    lines(other, *"xy")
    assert legend.add(figure, [one, other], [], 4) == pytest.approx(3 * ROW)
    assert not figure.legends


def area(axes: Axes, *names: str) -> None:
    for name in names:
        axes.axhspan(0.0, 1.0, label=name)


@pytest.mark.parametrize(
    ("fill", "width", "inside", "below"),
    [
        # All of it, as it fits; from ten names on only what is no line; nothing that is wider than the place.
        (lambda axes: lines(axes, *"abcdefghi"), 1.0, list("abcdefghi"), []),
        (lambda axes: lines(axes, *"abcdefghij"), 1.0, [], list("abcdefghij")),
        (lambda axes: [lines(axes, *"abcdefghi"), area(axes, "X", "Y")], 1.0, ["X", "Y"], list("abcdefghi")),
        (lambda axes: lines(axes, *"abc"), 0.99, [], list("abc")),
    ],
)
def test_an_empty_place_takes_a_legend_that_fits(
    sized: list[int], fill: Callable[[Axes], object], width: float, inside: list[str], below: list[str]
) -> None:
    del sized
    figure, (one, *rest), (free,) = panels(3, width, rows=2, empty=1)
    fill(one)
    took = legend.add(figure, [one, *rest], [free], 20)
    assert names_of(free.get_legend()) == inside
    assert [name for shown in figure.legends for name in names_of(shown)] == below
    assert (took > 0.0) == bool(below)


def test_the_edge_of_a_shade_is_a_patch() -> None:
    """The first of a name stands for all, and what has no name for nothing."""
    _, (axes,), _ = panels(1, 3.0)
    (edge,) = axes.plot([0, 1], [0, 1], label="shade", color="#0072b2")
    edge.set_gid(legend.SHADED)
    lines(axes, "line", "_hidden")
    lines(axes, "line", colour="#000000")
    found = legend._entries(axes)
    assert list(found) == ["shade", "line"]
    assert isinstance(found["shade"], Patch) and found["shade"].get_alpha() == legend.SHADE
    assert isinstance(found["line"], Line2D) and found["line"].get_color() == "#d55e00"


def crossed(heads: dict[str, str], tails: dict[str, dict[str, Any]]) -> dict[str, Line2D]:
    """Return a line for each pair of a colour and a look, named by both."""
    return {
        f"{head}, {tail}": Line2D([], [], color=colour, **look)
        for head, colour in heads.items()
        for tail, look in tails.items()
    }


NOISES = {"Exp": "#d55e00", "Lap": "#0072b2", "Gumbel": "#009e73"}
WAYS = {
    "printed": {"linestyle": "-", "marker": "o"},
    "repaired": {"linestyle": (0, (1.0, 2.0))},
    "alone": {"linestyle": "", "marker": "s"},
}


def test_colours_and_dashes_keep_their_looks() -> None:
    """Of points the mark, of lines the dashes as they were given; first parts are lines of their colours."""
    found = legend.colours_and_dashes(crossed(NOISES, WAYS))
    assert list(found) == [*NOISES, *WAYS]
    kept = [line for line in found.values() if isinstance(line, Line2D)]
    assert [line.get_color() for line in kept[:3]] == list(NOISES.values())
    assert [line.get_marker() for line in kept[3:]] == ["", "", "s"]
    assert [line.get_linestyle() for line in kept[3:]] == ["-", "--", "None"]
    assert kept[4]._unscaled_dash_pattern == (0, (1.0, 2.0))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("heads", "tails"),
    [
        # Two and two are no fewer than four.
        ({"a": "#d55e00", "b": "#0072b2"}, dict(list(WAYS.items())[:2])),
        # A colour of two first parts tells neither.
        ({**NOISES, "Gumbel": NOISES["Exp"]}, WAYS),
    ],
)
def test_a_legend_stays_as_it_is(heads: dict[str, str], tails: dict[str, dict[str, Any]]) -> None:
    entries = crossed(heads, tails)
    assert legend.colours_and_dashes(entries) is entries


def test_sizes_are_in_inches() -> None:
    box = SimpleNamespace(width=250.0, height=50.0)
    measured: Any = SimpleNamespace(get_window_extent=lambda: box)
    assert legend._size(plt.figure(dpi=100), measured) == (2.5, 0.5)


def test_a_panel_s_legend_begins_below_its_axis(sized: list[int]) -> None:
    """In the middle, where the names of ticks and of the axis end."""
    del sized
    figure = plt.figure(figsize=(4.0, 4.0), dpi=100)
    axes = figure.add_axes((0.25, 0.5, 0.5, 0.5))
    axes.set_xlabel("rounds")
    lines(axes, "a", "b")
    legend._below(figure, axes, legend._entries(axes))
    ticks, shown = axes.xaxis.get_tightbbox(), axes.get_legend()
    assert ticks is not None and shown is not None and ticks.y0 < 195.0
    anchor = shown.get_bbox_to_anchor()
    assert (anchor.x0, anchor.y0) == pytest.approx((200.0, ticks.y0))


def test_an_empty_place_stays_empty_where_nothing_has_a_name(sized: list[int]) -> None:
    del sized
    figure, shown, (free,) = panels(3, 9.0, rows=2, empty=1)
    assert legend.add(figure, shown, [free], 20) == 0.0
    assert free.get_legend() is None and not figure.legends
