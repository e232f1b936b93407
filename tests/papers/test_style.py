"""The look of figures: sizes, colours, and what is written beside the data."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.labels import GREY, Look
from dpbandits.papers import render, style
from dpbandits.papers.style import count, shades


def test_axes_stand_in_rows() -> None:
    """Three in rows of two need two rows, each of the height that is asked for, and leave no fourth."""
    figure, axes = style.panels(3, 2, width=6.0, height=2.0)
    assert figure.get_size_inches().tolist() == [6.0, 4.0]
    assert figure.axes == axes and len(axes) == 3
    assert axes[0].get_subplotspec().get_gridspec().get_geometry() == (2, 2)
    assert style.panels(4, 2)[0].get_size_inches().tolist() == pytest.approx([7.0, 5.8])


@pytest.mark.parametrize(
    ("number", "text"),
    [(99_999, "99,999"), (10**5, "10⁵"), (2**17, "2¹⁷"), (2**17 + 1, "1.3·10⁵"), (3 * 10**6, "3·10⁶")],
)
def test_long_counts_are_powers(number: int, text: str) -> None:
    """From 100,000 on."""
    assert count(number) == text


def test_bandits_stand_two_in_a_line() -> None:
    """Each once, with its means; a single one needs no name."""
    means = pd.DataFrame([(0.75, 0.7), (0.5, 0.25), (0.75, 0.7), (1.0, 0.0)])
    table = means.set_axis(["environment.means.1", "environment.means.2"], axis=1)
    table = table.assign(environment=["mu1", "mu2", "mu1", "mu3"])
    (one,) = style.bandits(table.head(1)).split("\n")
    assert one == "μ = (0.75, 0.7)"
    first, second = style.bandits(table).split("\n")
    assert [first.count(" = "), second.count(" = ")] == [2, 1]
    assert first.endswith(" = (0.5, 0.25)") and "(0.75, 0.7);  " in first and second.endswith(" = (1, 0)")


def test_checkpoints_begin_where_they_are_asked_to() -> None:
    """The last one is the last that can be asked for."""
    table = pd.DataFrame({"round": [1, 10, 100]})
    assert style.from_round(table, 10)["round"].tolist() == [10, 100]
    assert style.from_round(table, 100)["round"].tolist() == [100]
    with pytest.raises(BadInput, match="100"):
        style.from_round(table, 101)


def test_a_title_of_two_algorithms_is_told_apart() -> None:
    """By their labels; a title of one stays."""
    table = pd.DataFrame({"title": ["A", "A", "B", "B"], "algorithm": ["a1", "a2", "b", "b"]})
    assert style.named(table)["title"].tolist() == ["a1", "a2", "B", "B"]


def test_shades_are_evenly_apart() -> None:
    """From a palette's beginning to the share that is asked for, in the order of the values."""
    palette = mpl.colormaps["viridis"]
    three = {value: mpl.colors.to_hex(palette(share)) for value, share in ((1.0, 0.0), (2.0, 0.4), (4.0, 0.8))}
    assert shades([4.0, 1.0, 2.0, 1.0], "viridis", 0.8) == three
    assert shades([7.0], "viridis") == {7.0: mpl.colors.to_hex(palette(0.0))}


def test_names_at_ends_are_apart() -> None:
    """Of two that would overlap both give way, by half of what is missing; a third stays at its curve."""
    _, (axes,) = style.panels(1, 1)
    axes.set(xlim=(0.0, 1.0), ylim=(0.0, 10.0))
    look = Look("#d55e00", "-")
    style.label_ends(axes, {"high": (9.0, look), "upper": (5.1, look), "lower": (5.0, look)}, gap=0.1)
    places = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert places == pytest.approx({"lower": 0.455, "upper": 0.555, "high": 0.9})
    joins = [list(line.get_ydata()) for line in axes.lines if line.get_color() == GREY]
    assert sorted(joins) == [pytest.approx(each) for each in ([0.5, 0.455], [0.51, 0.555], [0.9, 0.9])]


def test_axes_without_data_say_why() -> None:
    """And none that have some."""
    _, (bare, drawn) = style.panels(2, 2)
    drawn.plot([1.0], [1.0])
    for axes in (bare, drawn):
        style.say_if_empty(axes, "all are 0")
    assert [len(axes.texts) for axes in (bare, drawn)] == [1, 0]


def test_rows_of_one_version(tmp_path: Path) -> None:
    """Of the paper's few runs with what all runs of the cell say at that round; all runs as they are."""
    rows = [(version, "c", t, 10 * t + (version == "full")) for version in ("full", "published") for t in (1, 2)]
    table = pd.DataFrame(rows, columns=["version", "cell", "round", "mean"])
    table.assign(mean_low=0.0, mean_high=1.0, runs=7).to_csv(tmp_path / "a.csv", index=False)
    few, computed = render.read("published", [tmp_path / "a.csv"], {"it": tmp_path / "a.csv"})
    assert few["mean"].tolist() == [10, 20] and few["all_mean"].tolist() == [11, 21] and len(computed["it"]) == 4
    many, _ = render.read("full", [tmp_path / "a.csv"], {})
    assert many["mean"].tolist() == [11, 21] and "all_mean" not in many
    none, _ = render.read("published", [], {})
    assert none.empty


def test_titles_shrink_to_the_room_they_have() -> None:
    """By as much as they are too long, and a twentieth; short ones stay."""
    figure, (axes,) = style.panels(1, 1)
    axes.set_title("m" * 120, fontsize=10)
    figure.draw_without_rendering()
    box = axes.title.get_window_extent()
    middle, width = (box.x0 + box.x1) / 2, figure.bbox.width
    render.fit_titles(figure)
    room = 2 * min(middle, width - middle) / box.width
    assert axes.title.get_fontsize() == pytest.approx(10 * 0.95 * room) and room < 1
    axes.set_title("short", fontsize=10)
    render.fit_titles(figure)
    assert axes.title.get_fontsize() == 10
