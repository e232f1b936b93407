"""One description of a figure: paper and page show the same panels, scales, curves, regions, notes and titles."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from dpbandits.core import declarations
from dpbandits.core.interactive import Curve, Measure, Note, Panel, Plot, PlottedFigure, Region
from dpbandits.papers import plot, style
from dpbandits.papers.cell_tables import cell_table
from dpbandits.papers.curves import figure_data
from dpbandits.papers.described import described as described_figure
from dpbandits.papers.drawing import drawing
from dpbandits.runs import safe_yaml

CONFIG = Path(__file__).parents[2] / "config"
SHIPPED = {
    paper: safe_yaml.read(CONFIG / paper / "experiments.yaml")
    for paper in ("asi2025", "azize2025", "charisopoulos2022", "wu2025")
}


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


def flat(text):
    """Return words without the breaks that a renderer puts between them."""
    return " ".join(text.split())


def assert_the_same(plot_of, figure, page):
    """Compare real axes with what a page gets: panels, scales, traces, bounds, regions, maps, notes and legend."""
    words = flat(" ".join(text.get_text() for text in figure.findobj(mpl.text.Text)))
    assert flat(page["title"]) in words and flat(page["conditions"]) in words
    shown = [axes for axes in figure.axes if axes.axison]
    assert len(shown) == len(page["panels"]) == len(plot_of.panels) and page["across"] == plot_of.columns
    for axes, panel, described_panel in zip(shown, page["panels"], plot_of.panels, strict=True):
        assert flat(axes.get_title(loc="left")) == flat(panel["title"])
        assert [axes.get_xscale() == "log", axes.get_yscale() == "log"] == [panel["x"]["log"], panel["y"]["log"]]
        lines = [line for line in axes.lines if not str(line.get_label()).startswith("_")]
        straight = [one["name"] for one in panel["regions"] if line_of(one)]
        curves = [curve for curve in panel["curves"] if curve["heights"]]
        if not described_panel.named_at_ends:
            names = [curve["name"] for curve in curves]
            assert {line.get_label() for line in lines} == {*names, *panel["shown"], *filter(None, straight)}
        # In the order of the description, whatever their names.
        for curve, drawn in zip(curves, axes.lines[: len(curves)], strict=True):
            if curve["x"] is not None and not panel["divided"]:
                x = [value for value in sorted(drawn.get_xdata()) if np.isfinite(value)]
                np.testing.assert_allclose(x, [value for value in curve["x"] if value is not None], rtol=1e-6)
                value = [np.nan if value is None else value for value in curve["heights"][0]["value"]]
                np.testing.assert_allclose(np.sort(drawn.get_ydata()), np.sort(value), rtol=1e-6)
            assert to_hex(drawn.get_color()) == curve["colour"].lower()
            assert (drawn.get_linestyle() == "None") == curve["points"]
        filled = {thing.get_label() for thing in [*axes.patches, *axes.collections]}
        assert {one["name"] for one in panel["regions"] if one["name"] and not line_of(one)} <= filled
        assert set(panel["cells"]["names"] if panel["cells"] else ()) <= filled
        assert {note["text"] for note in panel["notes"]} <= {text.get_text() for text in axes.texts}
        for limits, drawn in zip(panel["limits"], (axes.get_xlim(), axes.get_ylim()), strict=True):
            assert limits is None or drawn == pytest.approx(limits)
        for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            ticks = [word for _, word in panel[name]["ticks"]]
            assert not ticks or list(axis.get_major_formatter().seq) == ticks


def line_of(region):
    """Say whether a region is a straight line."""
    return any(ends and np.isclose(*ends, rtol=1e-12) for ends in (region["x"], region["y"]))


def test_paper_and_page_show_the_same(described):
    figure = plot.draw(described)
    figure.draw_without_rendering()
    assert_the_same(described, figure, figure_data(described, ["x", "y"], cell_table([], []), 20))
    assert legend_of(figure) == {"DP-IMED, first batch 10/ε, measured", "predicted", "3x", "low privacy", "one"}
    # What one panel alone has stands below it.
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"predicted"}


def legend_of(figure):
    """Return all names in the legends of a figure and of its panels."""
    legends = [*figure.legends, *(legend for axes in figure.axes if (legend := axes.get_legend()))]
    return {text.get_text() for legend in legends for text in legend.get_texts()}


def test_a_legend_tells_pairs_by_their_parts():
    """Of nine curves, three noises in three ways, six entries are enough; a part of one curve alone is no part."""
    x = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0], "line": 0, "cell": -1})
    ways = {"as printed": "-", "repaired": "--", "without noise": (0, (1, 1))}
    pairs = [(noise, way) for noise in ("#d55e00", "#0072b2", "#009e73") for way in ways]
    curves = [Curve(f"{noise}, {way}", x, noise, ways[way], {"mean": Measure("y")}) for noise, way in pairs]
    alone = Curve("0.8: the bound, as printed", x, "#000000", ":", {"mean": Measure("y")})
    drawn = plot.draw(Plot("t", "c", [Panel("p", "x", [*curves, alone], ("x", "y"))], columns=1))
    assert legend_of(drawn) == {"#d55e00", "#0072b2", "#009e73", *ways, alone.name}
    # What is no line, and lines without parts, stay beside them.
    plain = [
        Curve(name, x, colour, "-", {"mean": Measure("y")})
        for name, colour in (("one", "#111111"), ("two", "#222222"))
    ]
    shade = Region("low, both", (1.0, 1.5), None, "#7f7f7f")
    drawn = plot.draw(Plot("t", "c", [Panel("p", "x", [*curves, *plain], ("x", "y"), regions=(shade,))], columns=1))
    assert legend_of(drawn) == {"#d55e00", "#0072b2", "#009e73", *ways, "one", "two", "low, both"}
    # Colours that say something else keep their names.
    odd = [*curves[:-1], Curve(curves[-1].name, x, "#000000", "-", {"mean": Measure("y")})]
    drawn = plot.draw(Plot("t", "c", [Panel("p", "x", odd, ("x", "y"))], columns=1))
    assert legend_of(drawn) == {curve.name for curve in odd}


def rows(**columns):
    """Return a row for each choice of values, with a mean, its interval and what else figures ask for, made up."""
    table = pd.DataFrame(itertools.product(*columns.values()), columns=list(columns))
    heights = np.random.default_rng(1).uniform(10.0, 400.0, len(table))
    measured = {"mean": heights, "mean_low": 0.9 * heights, "mean_high": 1.1 * heights}
    return table.assign(**measured, runs=100, horizon=1000, arms=4, environment=table.get("environment", "mu1"))


BUDGETS = (0.1, 0.25, 1.0)
EXPERTS = {
    "bandit-to-experts": "Bandit-to-experts",
    "local-dp-exp4": "Local-DP EXP4",
    "batched-exp4": "Batched EXP4",
}
# Of each kind: the paper's figure whose caption is read, and made-up numbers.
MADE_UP = {
    "action-probability": (
        *("asi2025", "fig1"),
        rows(round=(1, 10, 100)).assign(eta=0.1, gamma=0.1, p=0.5, p_neighbour=0.4),
    ),
    "batch-size": (*("asi2025", "thm1"), rows(epsilon=(0.1,), tau=(3, 10, 100)).assign(title="HTINF", bound=900.0)),
    "conversion-floor": (
        *("asi2025", "floor"),
        rows(arms=(2, 10), title=("HTINF", "EXP3"), tau=(3, 10, 100)).assign(
            epsilon=0.1, gap=0.1, floor=9.0, every_tau=5.0
        ),
    ),
    "phase-diagram": (
        *("asi2025", "phases"),
        rows(experts=(4, 8), epsilon=BUDGETS, algorithm=tuple(EXPERTS)).assign(
            title=lambda table: table["algorithm"].map(EXPERTS),
            best=lambda table: table["experts"].map({4: "tie", 8: "batched-exp4"}),
        ),
    ),
    "privacy-loss-growth": (
        *("asi2025", "g1"),
        rows(part=("growth", "worst", "sampled"), eta=(0.1, 0.5), round=(2, 5, 9)).assign(
            horizon=100, loss=1.0, loss_low=0.9, loss_high=1.1
        ),
    ),
    "noise-by-batch": (
        *("azize2025", "noise-by-batch"),
        rows(epsilon=BUDGETS, environment=("mu1", "mu2"), multiple=(1.0, 5.0)).assign(
            every=0.5, later=0.4, first=0.2, none=0.0
        ),
    ),
    "regret-slope": (
        *("azize2025", "thm4.3"),
        rows(title=("DP-IMED", "DP-KLUCB"), alpha=(1.5, 2.0), round=(10, 100, 1000)).assign(
            epsilon=0.25, bound_slope=3.0, q50=1.0
        ),
    ),
    "mean-regret": (
        *("", ""),
        rows(environment=("mu1", "mu2"), epsilon=BUDGETS, title=("DP-IMED", "DP-SE"), round=(1, 10, 1000)),
    ),
    "design-quality": (
        *("charisopoulos2022", "design"),
        rows(set=("sphere", "cube"), step=(0, 1, 2)).assign(
            norm_over_d=2.5, share=0.1, used=lambda table: table["step"] == 2
        ),
    ),
    "regret-against": (
        *("charisopoulos2022", "factor"),
        rows(
            panel=("no corruption, ε = 4", "5 % corrupted, ε = 4"),
            title=("Robust elimination (M1)", "Robust elimination (M2)"),
            x=(0.1, 0.2, 1.0),
        ).assign(
            over="factor",
            bound=np.nan,
            corruption=0.0,
            low=lambda table: table["mean_low"],
            high=lambda table: table["mean_high"],
        ),
    ),
    "growth": (
        *("", ""),
        rows(title=("HTINF", "EXP3"), actions=(2, 4, 8)).assign(
            arms=lambda table: table["actions"],
            epsilon=0.25,
            panel=0,
            over="arms",
            horizon=10_000,
            experts=0,
            bound=900.0,
            algorithm="x",
            fit_exponent=1.0,
            fit_low=0.9,
            fit_high=1.1,
        ),
    ),
    "hidden-action": (
        *("wu2025", "thm3"),
        pd.concat(
            rows(noise=("laplace", "gumbel"), **{part: (1.0, 2.0, 3.0)}).assign(part=part, epsilon=0.1, gap=0.1)
            for part in ("arms", "epsilon", "horizon")
        ).assign(regret=3.0, lower=1.0, lower_printed=0.5),
    ),
}


OPTIONS = {
    "growth": {
        "panels": [
            {"of": ["x"], "bound": "cor2", "experiments": ["e"], "over": "arms", "exponent": 0.5},
        ]
    }
}


@pytest.mark.parametrize("name", MADE_UP)
def test_figures_are_the_same_on_paper_and_page(name):
    """Of made-up numbers, once through a CSV, as a page has them."""
    paper, file, numbers = MADE_UP[name]
    kind = declarations.figure(name)
    content = SHIPPED[paper]["figures"][file] if paper else {"caption": "", "options": OPTIONS.get(name, {})}
    options = kind.resolve(content.get("options", {}))
    described = described_figure(kind, numbers, options)
    figure = plot.draw(described)
    figure.draw_without_rendering()
    again = pd.read_csv(io.StringIO(numbers.to_csv(index=False))).assign(line=0, cell=-1)
    page = figure_data(described_figure(kind, again, options), list(numbers), cell_table([], []), 20)
    assert_the_same(described, figure, page)
    assert_caption_fits(content["caption"], described)
    # What has the name of an algorithm has its numbers, and no other's.
    titles = set(numbers.get("title", ()))
    for curve in itertools.chain.from_iterable(panel.curves for panel in described.panels):
        assert curve.name not in titles or set(curve.table["title"]) == {curve.name}


@pytest.mark.parametrize(
    ("conditions", "bars", "low", "said"),
    [
        ("Means, with intervals\nT = 10", True, "mean_low", "Means, with 90 % intervals\nT = 10"),
        ("100 runs\nT = 10", True, "mean_low", "100 runs; bars: 90 % intervals\nT = 10"),
        ("100 runs", False, "low", "100 runs; shaded: 90 % intervals"),
        ("100 runs", False, "mean_low/T", "100 runs; shaded: 90 % intervals"),
        ("±: half of a 95 % interval", False, "low", "±: half of a 95 % interval; shaded: 90 % intervals"),
        ("Means; bars: 90 % intervals\nT = 10", True, "low", "Means; bars: 90 % intervals\nT = 10"),
        # No interval of confidence: a deviation, a shade, and one that is nowhere known.
        ("100 runs", False, "sd_low", "100 runs"),
        ("Intervals are not drawn", True, "", "Intervals are not drawn"),
        ("100 runs", False, "unknown_low", "100 runs"),
    ],
)
def test_conditions_have_the_level_of_intervals_that_are_drawn(conditions, bars, low, said):
    """Once, and only where an interval is drawn."""
    table = pd.DataFrame({"x": [1.0], "mean": 1.0, "mean_low": 0.5, "low": 0.5, "sd_low": 0.5, "high": 2.0})
    table = table.assign(**{"mean_low/T": 0.5, "unknown_low": np.nan})
    measure = Measure("mean", low, "high") if low else Measure("mean")
    panels = [Panel("p", "x", [Curve("a", table, "#d55e00", measures={"mean": measure}, bars=bars)], ("x", "y"))]
    kind = PlottedFigure(
        title="f", numbers=lambda *_: table, plot=lambda _: Plot("t", conditions, panels, columns=1)
    )
    assert described_figure(kind, table, {}, confidence=0.9).conditions == said


def test_a_band_ends_at_the_bottom():
    """Of three places one has an end below 0: a logarithmic axis would show it at its neighbours as well."""
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": 4.0, "low": [3.0, -1.0, 3.0], "high": 5.0})
    curves = [Curve("a", table, "#d55e00", measures={"m": Measure("y", "low", "high")})]
    panel = Panel("p", "x", curves, ("x", "y"), limits=(None, (0.5, 9.0)))
    (axes,) = plot.draw(Plot("f", "c", [panel], columns=1)).axes
    (band,) = axes.collections
    edge = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert {(1.0, 3.0), (2.0, 0.5), (3.0, 3.0)} <= edge and min(y for _, y in edge) == 0.5


def test_a_panel_says_what_is_the_same_in_all_its_cells():
    """A horizon in whole numbers, other quantities as they are."""
    numbers = MADE_UP["growth"][2]
    (panel,) = declarations.figure("growth").plot(numbers, **OPTIONS["growth"], columns=1).panels
    assert panel.labels[0].endswith("(T = 10,000, ε = 0.25)")


def assert_caption_fits(caption, described):
    """Look up what a caption names: its letters are panels', and it has a side for each column."""
    titles = [panel.title for panel in described.panels]
    for letter in re.findall(r"\(([a-h])\)", caption):
        assert any(title.startswith(f"({letter})") for title in titles), letter
    for words, columns in ((r"\b[Mm]iddle\b", (3,)), (r"\b(Left|Right):|\((left|right)\)", (2, 3))):
        assert not re.search(words, caption) or described.columns in columns


# Words of degree: a sentence that has one says what was found, which another scale may not show.
DEGREES = re.compile(r"\b(far|well|mostly|hardly|little|stays?|flat|faster|slowly|lottery|at every budget)\b")
FULL_SCALE = "At the full scale"


def found_in(caption):
    """Return the sentences of a caption that state a finding without its scale."""
    sentences = re.split(r"(?<=[.:;]) (?=[A-Z(])", caption)
    return [one for one in sentences if DEGREES.search(one) and not one.startswith(FULL_SCALE)]


def test_captions_leave_findings_to_titles():
    """A title is made from the numbers of its scale, a caption is the same for all."""
    for paper, content in SHIPPED.items():
        for name, entry in content["figures"].items():
            captions = entry["caption"], entry.get("published_caption", "")
            assert [found for caption in captions for found in found_in(caption)] == [], f"{paper}, {name}"
    assert found_in("Means at T. It stays far below the bound.") == ["It stays far below the bound."]
    assert not found_in("Means at T. At the full scale it stays far below the bound.")


def test_captions_have_the_means_of_the_bandits():
    """What a caption says µ₁ is stands in the configuration."""
    said = 0
    for paper, content in SHIPPED.items():
        for entry in content["figures"].values():
            for name, means in re.findall(r"µ([₁-₄]) = \(([^)]*)\)", entry["caption"]):
                label = f"mu{name.translate(str.maketrans('₁₂₃₄', '1234'))}"
                assert [float(mean) for mean in means.split(",")] == content["environments"][label]["means"], paper
                said += 1
    assert said >= 4


def test_type_is_readable_at_the_width_of_the_text(described):
    figure = plot.draw(described)
    figure.draw_without_rendering()
    shown = [text for text in figure.findobj(mpl.text.Text) if text.get_text() and text.get_visible()]
    # An article's text is 6.5 inches wide.
    assert min(text.get_fontsize() for text in shown) * 6.5 / figure.get_figwidth() >= 7.0


@pytest.mark.parametrize("kind", ["interactive-protocol", "reward-representations"])
def test_indices_are_readable_at_the_width_of_the_text(kind):
    """Of diagrams, whose names have indices, each sign by itself."""
    figure, _ = drawing(kind, {}, pd.DataFrame(), {})
    parser = mpl.mathtext.MathTextParser("path")
    shown = [text for text in figure.findobj(mpl.text.Text) if "$" in text.get_text()]
    sizes = [
        sign[1] for text in shown for sign in parser.parse(text.get_text(), 72, text.get_fontproperties()).glyphs
    ]
    assert min(sizes) * 6.5 / figure.get_figwidth() >= 7.0


def test_the_finding_stands_out(described):
    """Bold and above the conditions, in lines of about one length."""
    figure = plot.draw(described)
    finding, conditions = figure.texts
    assert (finding.get_text(), conditions.get_text()) == (described.title, described.conditions)
    assert finding.get_fontweight() == "bold" and finding.get_position()[1] > conditions.get_position()[1]
    assert plot.balanced("one two three four five", 20) == "one two three\nfour five"


def test_a_single_place_has_an_axis(recwarn):
    """Of one horizon alone, as at the small scale, the point is in the middle, in axes as wide as others."""
    curves = [
        Curve("a", pd.DataFrame({"x": [1000.0], "y": [5.0]}), "#d55e00", measures={"m": Measure("y")}, mark="o")
    ]
    figure = plot.draw(Plot("f", "c", [Panel("p", "x", curves, ("T", "regret"))], columns=1))
    figure.draw_without_rendering()
    assert figure.axes[0].get_xlim() == pytest.approx((100.0, 10_000.0))
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["1,000"]
    assert not recwarn.list


def test_ticks_are_powers_of_ten_first():
    """Of five budgets in a narrow panel: not the first and whatever has room."""
    budgets = [0.01, 0.1, 0.25, 0.5, 1.0]
    table = pd.DataFrame({"x": budgets, "y": 1.0})
    curves = [Curve("a", table, "#d55e00", measures={"m": Measure("y")})]
    panels = [Panel(str(i), "x", curves, ("ε", "regret")) for i in range(4)]
    figure = plot.draw(Plot("f", "c", panels, columns=4))
    assert sorted(figure.axes[0].get_xticks()) == [0.01, 0.1, 1.0]


def test_a_row_names_all_its_axes_or_none():
    """Three panels of one quantity in rows of two: below the second there is none, so both are named."""
    curves = [Curve("a", pd.DataFrame({"x": [1.0, 2.0], "y": 1.0}), "#d55e00", measures={"m": Measure("y")})]
    for count, named in ((3, ["ε", "ε", "ε"]), (4, ["", "", "ε", "ε"])):
        panels = [Panel(str(i), "x", curves, ("ε", "regret")) for i in range(count)]
        figure = plot.draw(Plot("f", "c", panels, columns=2))
        assert [axes.get_xlabel() for axes in figure.axes[:count]] == named


def test_a_legend_shows_what_is_shaded():
    """Of a line that is only an interval's edge, the shade."""
    table = pd.DataFrame({"x": [1.0, 10.0], "y": 1.0, "top": 9.0})
    shaded = {"up": Measure("y", "y", "top")}
    curves = [
        Curve("edge", table, "#d55e00", measures=shaded, width=0.5),
        Curve("line", table, "#0072b2", measures=shaded),
    ]
    figure = plot.draw(Plot("f", "c", [Panel("p", "x", curves, ("ε", "regret"))], columns=1))
    (legend,) = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    kinds = {
        text.get_text(): type(one) for text, one in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    assert issubclass(kinds["edge"], mpl.patches.Patch) and issubclass(kinds["line"], mpl.lines.Line2D)


@pytest.mark.parametrize(
    ("low", "high", "most", "places"),
    [
        # Up to half a decade each digit, up to one and a half 1, 2 and 5, up to 2.2 decades 1 and 3.
        (1.0, 3.0, 9, [1, 2, 3]),
        (2.0, 20.0, 9, [2, 5, 10, 20]),
        (1.0, 100.0, 9, [1, 3, 10, 30, 100]),
        (1.0, 1000.0, 9, [1, 10, 100, 1000]),
        # Where there is no room powers alone, or some of them; both ends where fewer than two are left.
        (1.0, 100.0, 4, [1, 10, 100]),
        (1.0, 1e6, 4, [1, 100, 1e4, 1e6]),
        (1.0, 100.0, 3, [1, 10, 100]),
        (2.0, 9.0, 1, [2.0, 9.0]),
        (2.3, 2.7, 5, [2.3, 2.7]),
        # An end that is a tick but for rounding has it.
        (1.0 + 1e-12, 3.0 - 1e-12, 9, [1, 2, 3]),
    ],
)
def test_places_of_ticks(low, high, most, places):
    assert plot._places(low, high, np.log10(high / low), most) == pytest.approx(places)


def test_words_of_ticks():
    """Powers from 100,000 on; on an axis of many decades beyond a hundredth and a hundred."""
    assert [plot._tick(value) for value in (99_999, 1e5, 0.5)] == ["99,999", "10⁵", "0.5"]
    words = [plot._power(value) for value in (0.001, 0.01, 1.0, 100.0, 1000.0)]
    assert words == ["10⁻³", "0.01", "1", "100", "10³"]
    assert plot._is_power(0.001) and plot._is_power(1000.0) and not plot._is_power(2.0)


def test_titles_take_no_height_of_panels():
    """Of a line each nothing is added; a long legend is. Finding and conditions stand at the top."""
    for title, conditions, taken, height, below in (
        ("a", "b", 0.0, 3.0, 0.21),
        ("a", "b", 0.5, 3.39, 0.21),
        ("word " * 30, "b\nc", 0.5, 3.7, 0.38),
    ):
        figure, _ = style.panels(1, 1)
        plot.head(figure, title, conditions, 3.0, taken)
        assert figure.get_figheight() == pytest.approx(height)
        bold, soft = figure.texts
        assert bold.get_position() == pytest.approx((0.5, 1.0 - 0.04 / height))
        assert soft.get_position()[1] == pytest.approx(1.0 - below / height)
        lines = 0.17 * (below > 0.3) + 0.14 * conditions.count("\n")
        assert figure.get_layout_engine().get()["rect"][3] == pytest.approx(1.0 - (0.39 + lines) / height)


def curve_of(x, y, **options):
    """Return a curve of one measure."""
    return Curve("a", pd.DataFrame({"x": x, "y": y}), "#d55e00", measures={"m": Measure("y")}, **options)


def test_neighbours_share_their_axes():
    """A quantity is named once in a row; of the same limits and scales ticks are, too."""
    line = [curve_of([1.0, 2.0], [1.0, 2.0])]
    limits = (None, (1.0, 9.0))
    panels = [
        Panel("a", "x", line, ("ε", "regret"), limits=limits),
        Panel("b", "x", line, ("ε", "regret"), limits=limits),
        Panel("c", "x", line, ("ε", "regret"), limits=(None, (1.0, 8.0))),
        Panel("d", "x", line, ("ε", "share"), limits=(None, (1.0, 8.0))),
        Panel("e", "x", line, ("ε", "share"), limits=(None, (1.0, 8.0)), log=(True, False)),
    ]
    axes = plot.draw(Plot("t", "c", panels, columns=5)).axes
    assert [one.get_ylabel() for one in axes] == ["regret", "", "", "share", ""]
    named = [one.yaxis.get_tick_params()["labelleft"] for one in axes]
    assert named == [True, False, True, True, True]
    # The first of a row has its names, whatever stands at the end of the one before.
    axes = plot.draw(Plot("t", "c", panels[:2], columns=1)).axes
    assert [one.get_ylabel() for one in axes] == ["regret", "regret"]


def test_a_bound_is_drawn_once():
    """Of two curves with one bound; divided by itself it is level."""
    table = pd.DataFrame({"x": [1.0, 2.0], "y": [4.0, 6.0], "bound": [2.0, 3.0]})
    curves = [Curve(name, table, "#d55e00", measures={"m": Measure("y")}) for name in "ab"]
    other = Curve("c", table.assign(bound=[2.0, 4.0]), "#0072b2", measures={"m": Measure("y")})
    without = Curve("d", table.assign(bound=np.nan), "#0072b2", measures={"m": Measure("y")})
    panel = Panel("p", "x", [*curves, other, without], ("ε", "regret"), bounds={"it": "bound"}, shown=("it",))
    (axes,) = plot.draw(Plot("t", "c", [panel], columns=1)).axes
    bounds = [list(line.get_ydata()) for line in axes.lines if line.get_label() == "it"]
    assert bounds == [[2.0, 3.0], [2.0, 4.0]]
    divided = Panel("p", "x", curves, ("ε", "regret"), bounds={"it": "bound"}, shown=("it",), divided="it")
    (axes,) = plot.draw(Plot("t", "c", [divided], columns=1)).axes
    assert [list(line.get_ydata()) for line in axes.lines] == [[2.0, 2.0]] * 2 + [[1.0, 1.0]]


def test_looks_of_curves():
    """A mark where a curve has one, a circle where points are not joined; what is broad lies below."""
    curves = [
        curve_of([1.0, 2.0], [1.0, 2.0], width=4.0),
        curve_of([1.0, 2.0], [1.0, 2.0], joined=False),
        curve_of([1.0, 2.0], [1.0, 2.0], joined=False, mark="s", hollow=True),
        curve_of([np.nan], [3.0]),
        curve_of([1.0], [np.nan]),
    ]
    (axes,) = plot.draw(Plot("t", "c", [Panel("p", "x", curves, ("ε", "regret"))], columns=1)).axes
    lines = axes.lines
    assert [line.get_marker() for line in lines[:3]] == ["", "o", "s"]
    assert [line.get_zorder() for line in lines[:3]] == pytest.approx([1.96, 1.985, 1.985])
    assert lines[2].get_markerfacecolor() == "white" and lines[1].get_markerfacecolor() == "#d55e00"
    assert len(lines) == 4 and list(lines[3].get_ydata()) == [3.0, 3.0]


def test_regions_of_both_axes_and_of_one():
    """A strip along either axis, a rectangle, and a line where an end meets the other."""
    regions = [
        Region("x", (1.0, 2.0), None, "#111111"),
        Region("y", None, (3.0, 4.0), "#222222"),
        Region("both", (1.0, 2.0), (3.0, 4.0), "#333333"),
        Region("", (2.0, 2.0), None, "#444444"),
    ]
    panel = Panel(
        "p", "x", [curve_of([1.0, 9.0], [1.0, 9.0])], ("ε", "regret"), log=(False, False), regions=regions
    )
    (axes,) = plot.draw(Plot("t", "c", [panel], columns=1)).axes
    boxes = {patch.get_label(): patch.get_bbox().extents.tolist() for patch in axes.patches}
    assert boxes["x"][::2] == [1.0, 2.0] and boxes["y"][1::2] == [3.0, 4.0]
    (area,) = axes.collections
    corners = area.get_paths()[0].vertices
    assert [*corners.min(axis=0), *corners.max(axis=0)] == [1.0, 3.0, 2.0, 4.0]
    assert list(axes.lines[-1].get_xdata()) == [2.0, 2.0]
