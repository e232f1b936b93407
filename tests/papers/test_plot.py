"""One description of a figure: paper and page show the same panels, scales, curves, regions, notes and titles."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from dpbandits.core.interactive import Curve, Measure, Note, Panel, Plot, Region
from dpbandits.papers import plot
from dpbandits.papers.cell_tables import cell_table
from dpbandits.papers.curves import figure_data

mpl.use("agg")


@pytest.fixture
def described():
    """A figure with each thing that a description can have."""
    x = np.array([1.0, 10.0, 100.0])
    table = pd.DataFrame(
        {"x": x, "y": x**2, "low": x**2 / 2, "high": x**2 * 2, "bound": 3 * x, "line": 0, "cell": -1}
    )
    measured = {"mean": Measure("y", "low", "high")}
    curves = [
        Curve("DP-IMED, long start, measured", table, "#d55e00", "-", measured, joined=False, mark="s", bars=True),
        Curve("predicted", table, "#0072b2", (0, (2, 2)), {"mean": Measure("y")}),
    ]
    shades = (Region("low privacy", (1.0, 10.0), None, "#7f7f7f"), Region("one", None, (1.0, 1.0), "#000000"))
    panels = [
        Panel("(a) both", "x", curves, ("ε", "regret"), bounds={"3x": "bound"}, shown=("3x",), regions=shades),
        Panel("(b) one", "x", curves[1:], ("ε", "share"), log=(True, False), notes=(Note(10.0, 5.0, "here"),)),
        Panel("(c) limits", "x", curves[1:], ("ε", "share"), log=(False, False), limits=((1.0, 50.0), (0.0, 9.0))),
    ]
    return Plot("Marks lie on lines", "Exact", panels, columns=3)


def test_paper_and_page_show_the_same(described):
    figure = plot.draw(described)
    figure.draw_without_rendering()
    page = figure_data(described, ["x", "y"], cell_table([], []), 20)
    words = " ".join(text.get_text() for text in figure.findobj(mpl.text.Text))
    assert page["title"] in words and page["conditions"] in words
    assert len(figure.axes) == len(page["panels"]) == 3 and page["across"] == 3
    for axes, panel in zip(figure.axes, page["panels"], strict=True):
        assert axes.get_title(loc="left") == panel["title"]
        assert axes.get_xlabel() == panel["x"]["label"]
        assert [axes.get_xscale() == "log", axes.get_yscale() == "log"] == [panel["x"]["log"], panel["y"]["log"]]
        lines = {line.get_label(): line for line in axes.lines}
        names = [curve["name"] for curve in panel["curves"]]
        straight = [region["name"] for region in panel["regions"] if region["y"]]
        assert set(lines) == {*names, *panel["shown"], *straight}
        for curve in panel["curves"]:
            line = lines[curve["name"]]
            assert line.get_xdata().tolist() == curve["x"]
            assert line.get_ydata().tolist() == curve["heights"][0]["value"]
            assert to_hex(line.get_color()) == curve["colour"]
            assert (line.get_linestyle() == "None") == curve["points"]
        assert {patch.get_label() for patch in axes.patches} == {
            one["name"] for one in panel["regions"] if one["x"]
        }
        for note in panel["notes"]:
            assert note["text"] in [text.get_text() for text in axes.texts]
        for limits, drawn in zip(panel["limits"], (axes.get_xlim(), axes.get_ylim()), strict=True):
            assert limits is None or tuple(limits) == drawn
    legend = {text.get_text() for text in figure.legends[0].get_texts()}
    assert legend == {"DP-IMED, first batch 10/ε, measured", "predicted", "3x", "low privacy", "one"}


def test_type_is_readable_at_the_width_of_the_text(described):
    figure = plot.draw(described)
    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(mpl.text.Text) if text.get_text() and text.get_visible()]
    # An article's text is 6.5 inches wide.
    assert min(text.get_fontsize() for text in shown) * 6.5 / figure.get_figwidth() >= 7.0
