"""What figures describe of small tables by hand: axes, scales, curves that are left out, and what titles count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Panel
from dpbandits.papers.charisopoulos2022 import comparisons
from dpbandits.papers.charisopoulos2022.figures import design_quality, filter_error, regret_against
from dpbandits.settings.linear.theory import theorem_3_4, theorem_3_9

M1, M2 = "Robust elimination (M1)", "Robust elimination (M2)"


def limits(panel: Panel) -> Any:
    return tuple(side and pytest.approx(side) for side in panel.limits)


# --- designs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("norm", "share", "title"),
    [
        (2.0, 1.0, "At most 3 steps are enough: the designs in use (dots) keep both bounds"),
        (2.01, 0.5, "The designs in use (dots) break a bound"),
        (1.0, 1.01, "The designs in use (dots) break a bound"),
    ],
)
def test_designs_in_use(norm: float, share: float, title: str) -> None:
    """Bounds may be met; steps count from 1."""
    table = pd.DataFrame({"set": "collinear-basis", "step": [0, 1, 2], "norm": [40.0, 30.0, 10 * norm], "rank": 10})
    table = table.assign(support=[30.0, 20.0, 10 * share], support_bound=10, used=[False, False, True])
    shown = design_quality.plot(design_quality.numbers(pd.DataFrame(), {"it": table}))
    assert shown.title == title
    first, second = shown.panels
    path, dots = first.curves
    assert path.name == "collinear basis" and path.table["norm_over_d"].tolist() == [4.0, 3.0, pytest.approx(norm)]
    assert dots.table["from_one"].tolist() == [3] and second.curves[1].table["share"].tolist() == [share]
    assert limits(first) == (None, (0.8, 4.8)) and list(first.ticks[1]) == [1, 2, 3]


# --- the filter's error ----------------------------------------------------------------------------------


def errors(printed: float = 8.0) -> pd.DataFrame:
    """Return errors of three estimators under two attacks of which the second is larger."""
    rows = [
        (attack, alpha, name, mean)
        for attack, times in (("constant", 1.0), ("flip", 10.0))
        for alpha in (0.0, 0.1)
        for name, mean in (("least squares", 8.0), ("filter, printed", printed), ("filter, repaired", 2.0))
        for mean in [mean * (1.0 + alpha) * (1.0 if name == "filter, repaired" else times)]
    ]
    table = pd.DataFrame(rows, columns=["attack", "alpha", "estimator", "mean"])
    table = table.assign(over="alpha", n=1000, size=30.0, repetitions=7, median=1.0, maximum=99.0, high=9.0)
    return table.assign(low=-1.0, printed_bound=3.0, repaired_bound=4.0)


def test_errors_of_estimators() -> None:
    """Within a hundredth the printed filter is least squares; the largest attack is that with the largest error."""
    shown = filter_error.plot(errors(8.07))
    assert shown.title == (
        "The filter as printed is least squares; "
        "under the largest attack the repaired one errs by 2.2 in place of 88"
    )
    assert "is not always least squares" in filter_error.plot(errors(8.09)).title
    assert shown.columns == 2
    first, second = shown.panels
    assert (
        first.title == "corrupted to 30\nn = 1,000" and second.title == "corrupted to −30 times itself\nn = 1,000"
    )
    assert limits(first) == (None, (2.0 / 1.5, 2 * 88.77)) and first.log == (False, True)
    plain, *_, last = first.curves
    assert (plain.name, plain.width, plain.bars) == ("least squares, no filter", 4.0, False)
    assert first.curves[1].width == 1.1 and first.curves[1].bars and set(plain.table["drawn_low"]) == {1e-3}
    assert last.table["repaired_bound"].tolist() == [4.0, 4.0] and len(first.curves) == 8
    over_n = filter_error.plot(errors().assign(over="n")).panels[0]
    assert over_n.title.endswith("\nα = 0") and over_n.log == (True, True)
    over_size = filter_error.plot(errors().assign(over="size")).panels[0]
    assert over_size.title == "a constant of growing size\nn = 1,000, α = 0"
    assert len(filter_error.plot(errors(), [["alpha", "flip"]]).panels) == 1
    with pytest.raises(BadInput, match=r"options\.panels\.0"):
        filter_error.plot(errors(), [["n", "flip"]])


# --- regret against quantities ---------------------------------------------------------------------------


def rows(**columns: Any) -> pd.DataFrame:
    """Return three points over the horizon of one algorithm."""
    table = pd.DataFrame({"x": [10.0, 100.0, 1000.0], "mean": [0.4, 0.2, 0.1], "low": [0.3, 0.1, 0.01], **columns})
    fixed = {"high": 0.5, "over": "horizon", "panel": "p", "title": M1, "corruption": 0.0, "bound": math.nan}
    table = table.assign(**{name: value for name, value in fixed.items() if name not in table})
    return table.assign(horizon=1000, epsilon=1.0, dimension=3, delta=1e-6, nu=0.1, runs=5, arms=10, factor=1.0)


def drawn(table: pd.DataFrame, bound: str = "", crossing: list[str] | None = None, titles: Any = (M1,)) -> Panel:
    return regret_against.plot(table, [["e", "x", "p"]], list(titles), bound, crossing or []).panels[0]


def test_axes_of_regret() -> None:
    """Half as much beyond each end, and an interval's lower end where it is at most a decade below."""
    panel = drawn(rows())
    assert limits(panel) == (None, (0.1 / 1.5, 0.6)) and panel.log == (True, True)
    assert limits(drawn(rows(low=[0.3, 0.1, 0.0101])))[1] == (pytest.approx(0.0101 / 1.1), 0.6)
    # All of them lie further below.
    assert limits(drawn(rows(low=0.001)))[1] == (0.1 / 1.5, 0.6)
    assert drawn(rows(over="corruption")).log == (False, True)
    # Regret less than its error has an interval to 0, which has no place on a logarithmic axis.
    assert drawn(rows(low=[0.3, 0.1, -1.0])).curves[0].table["drawn_low"].tolist() == [0.3, 0.1, 1e-9]
    cut = regret_against.plot(rows(), [["e", "x", "p"]], [M1], "", [])
    assert (
        "; 1 interval goes on below the axis" in cut.conditions
        and "goes" not in regret_against.plot(rows(low=0.09), [["e", "x", "p"]], [M1], "", []).conditions
    )
    both = regret_against.plot(rows(low=[0.3, 0.001, 0.002]), [["e", "x", "p"]], [M1], "", [])
    assert "; 2 intervals go on below the axis" in both.conditions


def test_a_bound_s_shape() -> None:
    """Through the last point of the first curve; where only one of both falls, the panel says so."""
    panel = drawn(rows(bound=[8.0, 4.0, 2.0]), "theorem 3.4")
    shape = panel.curves[-1]
    assert shape.name == "Theorem 3.4's bound: its shape alone"
    assert shape.table["scaled"].tolist() == pytest.approx([0.4, 0.2, 0.1]) and panel.title == "p"
    assert drawn(rows(bound=[1.0, 2.0, 4.0]), "theorem 3.4").title == "p\n(the bound rises)"
    assert drawn(rows(bound=[4.0, 2.0, 1.0], mean=[0.1, 0.2, 0.4]), "theorem 3.4").title == "p\n(the bound falls)"
    assert drawn(rows(bound=[1.0, 2.0, 4.0], mean=[0.1, 0.2, 0.4]), "theorem 3.4").title == "p"
    assert len(drawn(rows(bound=[8.0, 4.0, 2.0])).curves) == 1


def test_bounds_are_per_round() -> None:
    """Theorem 3.9 has one more parameter."""
    row = next(rows().itertuples())
    assert regret_against.bound_of(row, "theorem 3.4") == theorem_3_4(1000.0, 3, 0.0, 1.0, 1e-6) / 1000
    assert regret_against.bound_of(row, "theorem 3.9") == theorem_3_9(1000.0, 3, 0.0, 1.0, 1e-6, 0.1) / 1000


def test_crossings_are_marked() -> None:
    """Of measured means; of bounds over the budget alone."""
    two = pd.concat([rows(over="epsilon"), rows(over="epsilon", title=M2)], ignore_index=True)
    apart = two.assign(mean=[0.4, 0.3, 0.1, 0.1, 0.2, 0.4], epsilon=two["x"])
    (mark, *_) = regret_against._crossings(apart, [M1, M2])
    logs = np.log([0.3 / 0.2, 0.1 / 0.4])
    place = 100.0 * 10.0 ** (logs[0] / (logs[0] - logs[1]))
    assert mark.x == pytest.approx((place, place))
    # Curves that touch do not cross.
    assert math.isnan(regret_against.crossing(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.ones(2)))
    over_horizon = apart.assign(over="horizon")
    assert [one.name for one in regret_against._crossings(over_horizon, [M1, M2])] == ["measured means cross"]


def test_what_is_read_at_the_horizon() -> None:
    """Regret and regret per round, in columns of their own; an algorithm without a parameter has none."""
    table = pd.DataFrame({"round": [1, 10], "horizon": 10, "mean": [1.0, 5.0], "mean_low": 4.0, "mean_high": 8.0})
    (row,) = regret_against.read(table.assign(delta=1e-6)).to_dict("records")
    assert [row[name] for name in ("regret", "regret_low", "regret_high", "mean", "low", "high")] == [
        *(5.0, 4.0, 8.0),
        *(0.5, 0.4, 0.8),
    ]
    assert math.isnan(row["nu"]) and row["delta"] == 1e-6


def test_widths_and_clipping_are_in_units_of_their_own() -> None:
    """Each width tried is read off; below the theorem's the narrowest is counted."""
    titles = [M1, "Clipped elimination (M1)"]
    parts = [rows(over="factor", x=[0.1, 0.2, 0.4], title=title) for title in titles]
    table = pd.concat(parts, ignore_index=True)
    table.loc[table["title"] == M1, "mean"] = [0.1, 0.2, 0.4]
    shown = regret_against.plot(table, [["e", "factor", "p"]], titles, "", [])
    (panel,) = shown.panels
    assert panel.labels[0] == "width ÷ own theorem's" and list(panel.ticks[0]) == [0.1, 0.2, 0.4]
    assert shown.conditions.endswith(
        "In 1 of 2 curves the narrowest width tried is the best: a narrower one may be better"
    )
    at = regret_against.plot(table.assign(x=table["x"] * 2.5), [["e", "factor", "p"]], titles, "", [])
    assert "narrowest" not in at.conditions and at.title.startswith("Of the widths tried, ")
    plain = drawn(rows(over="factor", x=[0.1, 0.2, 1.0]))
    assert plain.labels[0] == comparisons.AXES["factor"] and not drawn(rows()).ticks[0]


def test_two_panels_of_one_heading() -> None:
    """Their axes tell them apart."""
    two = pd.concat([rows(), rows(over="epsilon")])
    shown = regret_against.plot(two, [["e", "x", "p"], ["e", "epsilon", "p"]], [M1], "theorem 3.4", [])
    assert [panel.title for panel in shown.panels] == ["p, over T", "p, over ε"] and shown.columns == 2


# --- comparisons -----------------------------------------------------------------------------------------


def test_intervals_that_meet_overlap() -> None:
    """From either side; more than the filter is only what lies beyond its interval."""
    one = pd.DataFrame({"low": [1.0, 3.0, 3.1, 0.0], "high": [2.0, 4.0, 4.0, 0.9]})
    other = pd.DataFrame({"low": [2.0, 1.0, 1.0, 1.0], "high": [3.0, 3.0, 3.0, 3.0]})
    assert comparisons.overlap(one, other).tolist() == [True, True, False, False]
    assert comparisons.settled(one, other, "points") == (
        "more regret than the filter in 1 of 4 points, less in 1; in 2 the intervals overlap"
    )


def test_attacks_under_which_the_filter_helps() -> None:
    """Of two attacks it lowers regret under one; with equal means neither; corruption counts from the first on."""
    rows = [
        (panel, corruption, title, mean + (0.0 if plain else change))
        for panel, change in (("constant", -1.0), ("flip", 1.0), ("equal", 0.0))
        for corruption, mean in ((0.0, 2.0), (0.01, 3.0), (0.1, 4.0))
        for model in ("M1", "M2")
        for plain, title in ((False, f"Robust elimination ({model})"), (True, f"Private elimination ({model})"))
    ]
    table = pd.DataFrame(rows, columns=["panel", "corruption", "title", "mean"])
    table = table.assign(
        over="corruption", x=table["corruption"], low=table["mean"] - 0.5, high=table["mean"] + 0.5
    )
    labels = (comparisons.AXES["corruption"], "regret")
    panels = [Panel(name, "x", [], labels) for name in ("constant", "flip", "equal")]
    titles = [*comparisons.FILTERED, *comparisons.FILTERED.values()]
    assert comparisons.finding(table, panels, titles, "", []) == (
        "From α = 0.01 on, the filter lowers mean regret under 1 of 3 attacks, and raises it under 1 "
        "(at 12 of 12 points the intervals overlap)"
    )
    apart = table.assign(low=table["mean"], high=table["mean"])
    assert "(at 4 of 12 points" in comparisons.finding(apart, panels, titles, "", [])


def test_clipping_at_its_better_level() -> None:
    """Of two levels that with less regret at each point, beside the filter."""
    values = {
        "Clipped elimination (M1)": (1.0, 5.0),
        "Clipped elimination (M1), low level": (3.0, 2.0),
        M1: (4.0, 1.0),
    }
    rows = [
        ("p", "epsilon", x, title, mean)
        for title, means in values.items()
        for x, mean in zip((1, 2), means, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["panel", "over", "x", "title", "mean"])
    table = table.assign(low=table["mean"] - 0.4, high=table["mean"] + 0.4, corruption=0.0)
    assert comparisons.finding(table, [], list(values), "", []) == (
        "Clipping, at its better level, has more regret than the filter in 1 of 2 points, less in 1"
    )


def test_trends_in_words() -> None:
    """What is level neither falls nor grows; several quantities are listed."""

    def part(over: str, *means: float) -> pd.DataFrame:
        return pd.DataFrame({"panel": over, "over": over, "x": range(len(means)), "mean": means})

    assert comparisons.trends(part("dimension", 1.0, 1.0)) == "rises and falls with d"
    several = pd.concat([part("dimension", 1, 2), part("arms", 1, 3), part("epsilon", 3, 2), part("horizon", 1)])
    assert comparisons.trends(several) == "falls with ε and grows with K and d" or (
        comparisons.trends(several) == "falls with ε and grows with d and K"
    )
    assert comparisons.trends(part("horizon", 1.0)) == "at one point of each quantity"
    assert comparisons.listed(["a", "b", "c"]) == "a, b and c"
