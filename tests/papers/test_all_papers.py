"""Figures and tables of all papers, pictures of headlines, and curves for pages, by hand."""

from __future__ import annotations

import base64
import math
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

from dpbandits.core.interactive import MEAN, Cells, Curve, Note, Panel, Plot, Region
from dpbandits.core.labels import BLUE, VERMILION
from dpbandits.core.pictures import Lines, Pairs
from dpbandits.papers import curves
from dpbandits.papers.all.figures import mean_regret
from dpbandits.papers.all.figures import privacy as figure
from dpbandits.papers.all.tables import privacy as table
from dpbandits.papers.azize2025.pictures import _laws, first_batch
from dpbandits.papers.cell_tables import CellTable
from dpbandits.papers.wu2025.pictures import growing_constant, two_rates

NONE = math.nan


def audits(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return rows of the privacy table."""
    common = {
        "setting": "s_t",
        "definition": "pure",
        "delta": NONE,
        "exact": NONE,
        "replayed": NONE,
        "sampled": NONE,
    }
    common |= {
        "runs": 100,
        "confidence": 0.95,
        "verdict": "consistent",
        "witness": "w",
        "file": "f",
        "epsilon": 1.0,
    }
    return pd.DataFrame([{**common, "algorithm": row["title"].lower(), "audited": 1.0, **row} for row in rows])


def marks(axes: Any) -> list[tuple[float, float, str, bool, bool]]:
    """Return the marks of a panel: place, kind, whether it contradicts the claim, and whether it is full."""
    return sorted(
        (
            float(line.get_xdata()[0]),
            float(line.get_ydata()[0]),
            line.get_marker(),
            to_hex(line.get_color()).upper() == VERMILION,
            line.get_markerfacecolor() != "none",
        )
        for line in axes.lines
        if line.get_marker() not in (None, "None")
    )


def test_the_figure_of_privacy() -> None:
    """What contradicts its claim is at the top, alone; losses in multiples of the claim, far ones as arrows."""
    rows = audits(
        {"title": "One", "exact": 1.0, "sampled": 0.5, "runs": 200},
        {
            "title": "Bad",
            "exact": 3.5,
            "replayed": 0.5,
            "sampled": 1.0 + 2e-9,
            "verdict": "violated",
            "confidence": 0.9,
        },
        {"title": "Bad", "exact": math.inf, "epsilon": 2.0, "verdict": "violated"},
        {"title": "One", "exact": 1.0, "epsilon": 2.0},
        {"title": "None", "epsilon": NONE},
    )
    drawn, numbers = figure.draw(pd.DataFrame(), {"c": rows})
    try:
        one, two = drawn.axes
        assert [axes.get_title() for axes in (one, two)] == ["claimed ε = 1", "claimed ε = 2"]
        assert marks(one) == [
            *((0.5, 0.0, "o", False, True), (1.0, 0.0, "D", False, False)),
            *((1.0 + 2e-9, 1.0, "o", True, True), (3.5, 1.0, "D", True, False)),
        ]
        assert marks(two) == [(0.5, 0.0, "D", False, False), (3.5, 1.0, ">", True, False)]
        assert [label.get_text() for label in one.get_yticklabels()] == ["1 others", "Bad"]
        assert [label.get_text() for label in two.get_yticklabels()] in ([], ["", ""])
        assert one.get_xlim() == (0.0, pytest.approx(3.85)) and one.get_ylim() == (-0.6, 1.6)
        assert one.get_xticks().tolist() == [0, 1, 2, 3]
        said = " ".join(text.get_text() for text in drawn.texts)
        assert "Audits contradict the privacy claim of 1 of 2 rows" in said
        assert "of 100 to 200 runs" in said.replace("\n", " ") and "90 % or 95 %" in said.replace("\n", " ")
        (legend,) = drawn.legends
        assert "beyond 3.5 or unbounded; hollow: exact" in [text.get_text() for text in legend.get_texts()]
        assert numbers["title"].tolist() == ["One", "One", "Bad", "Bad"] and "witness" not in numbers
    finally:
        plt.close(drawn)
    assert figure._conditions(rows[rows["sampled"].isna()]).count("\n") == 0
    assert "of 100 runs, each at the level 95 %" in figure._conditions(audits({"title": "a", "sampled": 1.0}))
    assert figure._called("X, advice sensitive of EXP3") == "X of EXP3, advice sensitive"


def test_the_legend_explains_each_arrow_of_the_figure_of_privacy() -> None:
    """Far exact losses were hollow arrows, others full ones of two sizes; the legend showed a full one alone."""
    far = {"exact": math.inf, "replayed": 9.0, "sampled": 4.0, "verdict": "violated"}
    drawn, _ = figure.draw(pd.DataFrame(), {"c": audits({"title": "Bad", **far}, {"title": "Other"})})
    try:

        def arrows(lines: Any) -> set[tuple[bool, float]]:
            return {
                (each.get_markerfacecolor() == "none", each.get_markersize())
                for each in lines
                if each.get_marker() == ">"
            }

        (legend,) = drawn.legends
        shown = arrows(legend.findobj(Line2D))
        assert arrows(drawn.axes[0].lines) == shown and {hollow for hollow, _ in shown} == {True, False}
        drawn.canvas.draw()
        assert legend.get_window_extent().x1 <= drawn.bbox.x1
        assert min(size for hollow, size in shown if hollow) > max(size for hollow, size in shown if not hollow)
    finally:
        plt.close(drawn)


def test_equal_titles_are_told_apart() -> None:
    """By their ids, where both have a budget."""
    rows = audits({"title": "One", "algorithm": "x", "verdict": "violated"}, {"title": "One", "algorithm": "y"})
    drawn, _ = figure.draw(pd.DataFrame(), {"c": rows})
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["1 others", "x"]
    plt.close(drawn)


def test_the_table_of_privacy() -> None:
    """In order; three digits; what is missing is a dash, and what has no bound infinite."""
    rows = audits(
        {"title": "b", "exact": math.inf}, {"title": "a", "sampled": 0.12345, "definition": NONE, "witness": NONE}
    )
    made = table.make(pd.DataFrame(), {"c": rows})
    assert made[0]["title"].tolist() == ["a", "b"]
    assert made[1].to_dict("records")[0] == {
        **{"setting": "s t", "algorithm": "a", "claim": "none", "claimed ε": "1", "δ": "–", "audited ε": "1"},
        **{"exact": "–", "replayed": "–", "sampled, at least": "0.123", "verdict": "consistent", "witness": "–"},
    }
    assert made[1]["exact"].tolist() == ["–", "infinite"] and made[1]["claim"].tolist() == ["none", "pure"]


def test_mean_regret_of_any_setting() -> None:
    """From a round on; who has no budget is in every panel of its environment; two panels in a row."""
    rows = [
        {"environment": place, "epsilon": epsilon, "title": title, "algorithm": title, "round": t, "mean": 1.0 * t}
        for place, epsilon, title in (("mu1", 0.5, "a"), ("mu1", 1.0, "a"), ("mu1", NONE, "free"), ("e", 0.5, "b"))
        for t in (1, 10, 100)
    ]
    given = pd.DataFrame(rows).assign(runs=20, horizon=100, mean_low=0.0, mean_high=1.0)
    numbers = mean_regret.numbers(given, {}, 10)
    assert numbers["title"].tolist() == ["a", "a", "free", "free"] * 2 + ["b", "b"]
    assert set(numbers["round"]) == {10, 100}
    plot = mean_regret.plot(numbers, 10)
    assert [panel.title for panel in plot.panels] == ["µ₁, ε = 0.5", "µ₁, ε = 1", "e, ε = 0.5"]
    assert [sorted(curve.name for curve in panel.curves) for panel in plot.panels] == [
        ["a", "free"],
        ["a", "free"],
        ["b"],
    ]
    assert [len(curve.table) for curve in plot.panels[0].curves] == [2, 2] and plot.columns == 2
    assert plot.conditions.startswith("From round 10 to T = 100, ")
    assert mean_regret.plot(numbers[numbers["environment"] == "e"], 10).columns == 1


def law(place: str, imed: float, rival: float, epsilon: str = "0.1") -> list[dict[str, str]]:
    """Return rows of means and medians of a bandit; medians are a tenth of means."""
    return [
        {"environment": place, "epsilon": epsilon, "title": title, "statistic": statistic, "value": str(value)}
        for title, mean in (("DP-IMED", imed), ("DP-KLUCB", rival), ("DP-IMED, long start", 3.0))
        for statistic, value in (("mean", mean), ("median", mean / 10.0))
    ]


def test_pictures_of_laws() -> None:
    """Of the case with the largest ratio of means, among those that have all numbers."""
    rows = [*law("mu1", 20.0, 10.0), *law("mu2", 9.0, 3.0), *law("mu3", 99.0, 1.0)[:-1]]
    drawn = first_batch.draw(rows)
    assert isinstance(drawn, Pairs) and drawn.label == "regret, µ₂, ε = 0.1"
    assert [(row.name, row.first, row.second) for row in drawn.rows] == [
        ("DP-IMED", 0.9, 9.0),
        ("DP-IMED, first batch 10/ε", 0.3, 3.0),
    ]
    assert (
        drawn.said
        == "Regret at µ₂, ε = 0.1. DP-IMED: median 0.9, mean 9; DP-IMED, first batch 10/ε: median 0.3, mean 3"
    )
    assert _laws.medians_and_means(law("mu3", 99.0, 1.0)[:-1], ["DP-IMED, long start"]) is None


def test_pictures_of_rates_and_constants() -> None:
    """Largest values by K; two K at least; rows of equal constants that are the slowest."""
    about = {"lower_rate": "2", "new_rate": "4"}
    rows = [{"part": "arms", "arms": arms, "regret": regret, **about} for arms, regret in (("4", "8"), ("2", "6"))]
    rows += [
        {"part": "arms", "arms": "2", "regret": "2", **about},
        {"part": "gap", "arms": "8", "regret": "9", **about},
    ]
    drawn = two_rates.draw(rows)
    assert isinstance(drawn, Lines)
    assert [list(line.points) for line in drawn.drawn] == [[(2, 3), (4, 4)], [(2, 1.5), (4, 2)]]
    assert two_rates.draw(rows[:1]) is None and "by log K/ε from 3 to 4" in drawn.said
    one = {"part": "crowd", "noise": "gumbel", "c2": "1.5", "c3": "1.5", "slowest": "1.5000000001"}
    crowd = [{**one, "arms": arms, "log10_c1": c1} for arms, c1 in (("10", "2"), ("2", "1"))]
    wrong = [{"part": "x"}, {"noise": "x"}, {"c3": "2"}, {"slowest": "1.51"}]
    crowd += [{**one, "arms": "5", "log10_c1": "7", **each} for each in wrong]
    found = growing_constant.draw(crowd)
    assert isinstance(found, Lines) and found.even
    assert [list(line.points) for line in found.drawn] == [[(2, 1), (10, 2)]]
    assert growing_constant.draw(crowd[1:]) is None and found.said.endswith("Gumbel up to 2")


def data(table: pd.DataFrame, panel: Panel | None = None, columns: tuple[str, ...] = (), **about: Any) -> Any:
    """Return a curve for pages."""
    curve = Curve("c", table, "#123456", **about)
    return curves.curve_data(curve, panel or Panel("t", "x", [curve], ("x", "y")), columns)


def test_a_curve_of_cells() -> None:
    """In the order of x; heights of its cells besides, scaled; bounds that it has; dashes in pixels."""
    rows = pd.DataFrame({"x": [2.0, 1.0, NONE], "mean": [4.0, 3.0, 9.0], "mean_low": [3.0, 2.0, 8.0]})
    rows = rows.assign(mean_high=[5.0, 4.0, 9.0], q50=[6.0, 7.0, 9.0], q95=NONE, runs=[20, 20, 20], line=[0, 1, 2])
    rows = rows.assign(cell=[5, 0, 1], at=[100, 50, 1], s=[0.5, 2.0, 1.0], b=[1.0, NONE, 3.0], none=NONE)
    panel = Panel("t", "x", [], ("x", "y"), bounds={"B": "b", "N": "none", "M": "missing"}, scale="s")
    found = data(rows, panel, ("mean", "mean_low"), measures=MEAN, dashes=(0, (5, 1)))
    word = next(iter(MEAN))
    assert (
        found["x"] == [1, 2] and found["dash"] == [10.0, 2.0] and found["lines"] == [1, 0] and not found["points"]
    )
    assert found["heights"][0] == {
        **{"word": word, "value": [3, 4], "low": [2, 3], "high": [4, 5]},
        "columns": {"value": "mean", "low": "mean_low"},
    }
    assert [(height["word"], height["value"]) for height in found["heights"][1:]] == [
        ("median", [14, 3]),
        ("95 % quantile", [None, None]),
    ]
    assert found["bounds"] == {"B": [None, 1]} and found["runs"] == [20, 20]
    assert (found["cells"], found["rounds"], found["scale"]) == ([0, 5], [50, 100], [2, 0.5])


def test_a_curve_without_cells() -> None:
    """It has no further heights; a line without x is level; runs that are not known of all are left out."""
    low = {"mean_low": 0.0, "mean_high": 9.0}
    rows = pd.DataFrame({"x": [NONE], "mean": [4.0], "q50": [1.0], "runs": [NONE], **low})
    found = data(rows, joined=False)
    assert found["x"] is None and found["lines"] == [-1] and found["points"] and found["dash"] == []
    assert len(found["heights"]) == 1 and "cells" not in found and "runs" not in found
    partly = pd.DataFrame(
        {"x": [1.0, 2.0], "mean": [4.0, 5.0], "q50": 1.0, "cell": [0, -1], "line": [0, 1], "at": 7}
    )
    shown = data(partly.assign(**low))
    assert len(shown["heights"]) == 1 and shown["cells"] == [0, -1] and shown["scale"] == [1, 1]


def cell(name: str, runs: int = 20, files: tuple[str, ...] = ()) -> Any:
    """Return a cell."""
    return SimpleNamespace(name=f"e/{name}", experiment="e", runs=runs, command=["a", "b c"], files=files)


def test_a_figure_for_pages() -> None:
    """Its cells once, with commands; limits, ticks, regions, notes and maps; nothing if nothing is drawn."""
    rows = pd.DataFrame({"x": [1.0, 2.0], "mean": [4.0, 5.0], "cell": [1, -1], "line": [0, 1], "at": [7, 8]})
    rows = rows.assign(mean_low=0.0, mean_high=9.0)
    curve = Curve("c", rows, "#123456")
    region = Region("r", (0.0, 1.0), None, BLUE)
    level = Cells([0, 1], [0, 1], [[0]], ["n"], [BLUE])
    panel = Panel("t", "x", [curve, Curve("d", rows[:0], BLUE)], ("x", "y"), limits=((0.0, math.inf), None))
    rich = Panel(
        "u", "x", [], ("x", "y"), regions=[region], notes=[Note(1, 2, "n")], cells=level, ticks=({1: "a"}, {})
    )
    known = CellTable([cell("a"), cell("b")], pd.DataFrame(), pd.DataFrame())
    found: Any = curves.figure_data(Plot("T", "C", [panel, rich], 2), ("mean",), known, 50)
    assert [len(each["curves"]) for each in found["panels"]] == [1, 0] and found["across"] == 2
    assert found["cells"] == {
        "1": {"experiment": "e", "name": "b", "command": "dpbandits simulate a 'b c' --seeds 0-19 --output out.npz"}
    }
    assert found["panels"][0]["limits"] == [[0, None], None] and found["published"] == 50
    assert found["panels"][1]["regions"] == [{"name": "r", "x": [0, 1], "y": None, "colour": BLUE}]
    assert found["panels"][1]["x"]["ticks"] == [[1, "a"]] and found["panels"][1]["cells"]["levels"] == [[0]]
    assert found["panels"][1]["notes"] == [{"x": 1, "y": 2, "text": "n", "side": "right"}]
    empty: Any = curves.figure_data(Plot("T", "C", [Panel("t", "x", [], ("x", "y"))], 1), (), known, 50)
    assert empty["panels"] == [] and empty["cells"] == {}


def unpacked(text: str, rows: int) -> np.ndarray[Any, Any]:
    """Return the numbers that a text packs."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text), -15), np.uint8).reshape(2, -1).astype(np.uint32)
    return ((planes[0] << 24) | (planes[1] << 16)).astype(np.uint32).view(np.float32).reshape(rows, -1)


def test_runs_that_pages_keep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At most so many, and 20 at least; two bytes a number, rounded; rounds about evenly spaced."""
    assert curves.kept_places(np.arange(3)).tolist() == [0, 1, 2]
    many = curves.kept_places(np.arange(100))
    assert many.size == 40 and many[0] == 0 and many[-1] == 99 and set(np.diff(many)) == {2, 3}
    # 1 + 2^-8 is half a digit more than 1, and rounded up to 1 + 2^-7.
    values = np.array([[1.0, 1.0 + 2.0**-8], [1.0 + 2.0**-9, -3.0]])
    assert unpacked(curves.packed(values), 2).tolist() == [[1.0, 1.0 + 2.0**-7], [1.0, -3.0]]
    read: list[str] = []

    def arrays(path: Path) -> Any:
        read.append(path.name)
        return {
            "regret": np.arange(300.0)[:, None] * np.ones(4) + 300 * (len(read) - 1),
            "rounds": np.arange(1, 5),
        }, {}

    monkeypatch.setattr(curves, "read_arrays", arrays)
    cells = [cell("a", 1000, ("1", "2", "3"))]
    found = curves.sample(cells, tmp_path)["a"]
    assert read == ["1", "2"] and found["runs"] == 400 and found["rounds"] == [1, 2, 3, 4]
    assert unpacked(found["data"], 4).shape == (4, 400)
    assert curves.sample([cell("a", 35, ("1",))], tmp_path)["a"]["runs"] == 35
    # Two bytes are 8/3 letters: of four rounds 25 runs fit into 270 letters; 20 runs stay, however many cells.
    monkeypatch.setattr(curves, "KEPT_BYTES", 270)
    assert curves.sample([cell("a", 1000, ("1",))], tmp_path)["a"]["runs"] == 25
    both = curves.sample([cell("a", 1000, ("1",)), cell("b", 1000, ("1",))], tmp_path)
    assert [each["runs"] for each in both.values()] == [20, 20]
