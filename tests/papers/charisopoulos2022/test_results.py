"""Figures and computations of charisopoulos2022 on small results."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.papers.charisopoulos2022 import comparisons
from dpbandits.papers.charisopoulos2022.computations import attacked_instances as attacked
from dpbandits.papers.charisopoulos2022.computations import design_quality as quality
from dpbandits.papers.charisopoulos2022.computations import filter_error as error
from dpbandits.papers.charisopoulos2022.figures import regret_against
from dpbandits.papers.drawing import drawing
from dpbandits.settings.linear.theory import theorem_3_4


def test_filter_error_has_an_action_set_for_each_repetition() -> None:
    """Of one set for all, the intervals of two seeds lay six standard deviations apart."""
    corruption = {"probability": 0.05, "attack": "constant", "size": 30, "of": "reports"}
    sets = {
        error._instance(
            20, 2, 1.0, corruption, 100, error.number_of(7, f"filter error, action set {i}")
        ).norms.tobytes()
        for i in range(5)
    }
    assert len(sets) == 5


def test_filter_error_finds_what_it_should() -> None:
    """The printed filter is least squares; on huge outliers the repair is as good as clean least squares."""
    table = error.compute(
        arms=50,
        dimension=3,
        sigma=0.5,
        n=500,
        alpha=0.05,
        alphas=[0.0, 0.1],
        attacks=[["constant", 1000], ["threshold", 0.9]],
        ns=[300],
        along_n=["constant"],
        sizes=[10.0],
        along_size=["second-best"],
        repetitions=4,
        delta=0.01,
        seed=0,
    )
    assert len(table) == (2 * 2 + 1 + 1) * len(error.ESTIMATORS)
    # The mean logarithm of a ratio within batches: 0 beside itself.
    assert (table.loc[table["estimator"] == "least squares", ["log_ratio", "log_ratio_low"]] == 0.0).all(axis=None)
    huge = table[(table["over"] == "alpha") & (table["attack"] == "constant") & (table["alpha"] == 0.1)]
    row = huge.set_index("estimator").loc["filter, repaired"]
    assert row["log_ratio_low"] < row["log_ratio"] < row["log_ratio_high"] < -3.0
    assert math.exp(row["log_ratio"]) == pytest.approx(
        row["mean"] / huge.set_index("estimator").loc["least squares", "mean"], rel=0.5
    )
    wide = table[table["over"] == "alpha"].pivot_table(
        index=["attack", "alpha"], columns="estimator", values="mean"
    )
    assert (wide["filter, printed"] == wide["least squares"]).all()
    assert wide.loc[("constant", 0.1), "least squares"] > 20
    assert wide.loc[("constant", 0.1), "filter, repaired"] < 2 * wide.loc[("constant", 0.0), "least squares"]
    assert (wide[["Huber regression", "median of means"]] < 2.0).all(axis=None)
    figure, numbers = drawing("filter-error", {}, pd.DataFrame(), {"filter-error": table})
    assert len([axes for axes in figure.axes if axes.axison]) == 4
    assert len(numbers) == len(table)


def test_attacked_instances_differ_and_have_their_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each instance is drawn for itself, all algorithms are run on the same ones, and errors are over instances."""
    monkeypatch.setattr(attacked, "ARMS", 30)
    played: dict[str, list[tuple[int, float]]] = {}
    measured = attacked.mean_regret

    def noted(name: str, environment: dict[str, int], *rest: int) -> float:
        regret = measured(name, environment, *rest)
        played.setdefault(name, []).append((environment["draw"], regret))
        return regret

    monkeypatch.setattr(attacked, "mean_regret", noted)
    given = {name: option.default for name, option in attacked.COMPUTATION.parameters.items()}
    small = {"probabilities": [0.05], "dimensions": [2], "horizon": 2000, "instances": 4, "seed": 1}
    table = attacked.compute(**{**given, **small})
    draws = {name: [draw for draw, _ in runs] for name, runs in played.items()}
    assert set(draws) == set(attacked.ALGORITHMS)
    assert len({tuple(each) for each in draws.values()}) == 1
    assert len(set(draws["robust-elimination-m1"])) == 4
    assert [(row.algorithm, row.against) for row in table.itertuples()] == list(attacked.PAIRS)
    row = table.iloc[0]
    regrets = {name: np.array([regret for _, regret in runs]) for name, runs in played.items()}
    logs = np.log(regrets[row["algorithm"]] / regrets[row["against"]])
    assert row["value"] == pytest.approx(logs.mean())
    assert row["error"] == pytest.approx(logs.std(ddof=1) / 2.0)
    assert row["instances"] == 4
    # Another root seed has other instances.
    attacked.compute(**{**given, **small, "seed": 2})
    assert not {draw for draw, _ in played["robust-elimination-m1"][4:]} & set(draws["robust-elimination-m1"])


def test_design_quality_ends_below_2_d() -> None:
    sets = [
        {"kind": "sphere", "arms": 500, "dimension": 10},
        {"kind": "collinear-basis", "dimension": 4, "angle": 0.01},
    ]
    table = quality.compute(sets=sets, steps=60)
    used = table[table["used"]]
    assert len(used) == 2
    assert (used["norm"] <= 2 * used["rank"]).all()
    assert (used["support"] <= used["support_bound"]).all()
    assert len(table) == 120
    figure, _ = drawing("design-quality", {}, pd.DataFrame(), {"design-quality": table})
    assert len(figure.axes) == 2
    with pytest.raises(BadInput, match=r"sets\.0\.kind: 'spere'.*did you mean 'sphere'"):
        quality.compute(sets=[{"kind": "spere"}], steps=3)


def aggregates() -> pd.DataFrame:
    """Return a small table with the columns of `dpbandits.runs.aggregate.aggregate` that the figure reads."""
    rows = []
    for title, level in (
        ("Robust elimination (M1)", 2.0),
        ("Robust elimination (M2)", 1.0),
        ("Phased elimination", 3.0),
    ):
        private = title != "Phased elimination"
        for experiment, epsilons, horizons in (("a", [0.5, 2.0, 8.0], [1000]), ("b", [1.0], [1000, 10000])):
            for epsilon in epsilons if private else [math.nan]:
                for T in horizons:
                    regret = 100 + 10 * level / epsilon * (2.0 if level == 2.0 else 0.5) + 20 * level * (level < 2)
                    regret = 50.0 * level if not private else regret
                    rows.append(
                        {
                            "experiment": experiment,
                            "algorithm": title,
                            "title": title,
                            "delta": 1e-6,
                            "alpha": 0.0,
                            "nu": 0.1,
                            "factor": 0.2,
                            "environment": "sphere",
                            "arms": 10,
                            "bound": 1.0,
                            "corruption": 0.0,
                            "dimension": 3.0,
                            "epsilon": epsilon,
                            "horizon": T,
                            "runs": 5,
                            "round": T,
                            "mean": regret,
                            "mean_low": 0.9 * regret,
                            "mean_high": 1.1 * regret,
                        }
                    )
    return pd.DataFrame(rows)


def test_regret_is_drawn_against_each_quantity() -> None:
    over = [["a", "epsilon", "budget"], ["b", "horizon", "horizon"]]
    titles = ["Robust elimination (M1)", "Robust elimination (M2)", "Phased elimination"]
    options = {"over": over, "algorithms": titles, "bound": "theorem 3.4", "crossing": titles[:2]}
    figure, numbers = drawing("regret-against", options, aggregates(), {})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["budget", "horizon"]
    assert set(numbers["panel"]) == {"budget", "horizon"}
    assert numbers["mean"].to_numpy() == pytest.approx((numbers["regret"] / numbers["horizon"]).to_numpy())
    bound = numbers[(numbers["panel"] == "horizon") & numbers["bound"].notna()].set_index("x")["bound"]
    assert bound[1000] == pytest.approx(theorem_3_4(1000, 3, 0.0, 1.0, 1e-6) / 1000)
    (measured,) = (line for line in figure.axes[0].lines if "measured" in str(line.get_label()))
    pair = [numbers[(numbers["panel"] == "budget") & (numbers["title"] == title)] for title in titles[:2]]
    place = regret_against.crossing(pair[0]["x"].to_numpy(), *(part["mean"].to_numpy() for part in pair))
    assert measured.get_xdata()[0] == pytest.approx(place)
    assert any("measured means cross" in text.get_text() for text in figure.legends[0].get_texts())
    for change, where in (
        ({"algorithms": ["Robust"]}, "options.algorithms"),
        ({"bound": "theorem 3.5"}, "options.bound"),
        ({"over": [["a", "gap", "x"]]}, "options.over"),
    ):
        options = {"over": over, "algorithms": titles, "bound": "", "crossing": [], **change}
        with pytest.raises(BadInput, match=where):
            drawing("regret-against", options, aggregates(), {})


def test_crossing_is_interpolated() -> None:
    x = np.array([0.1, 1.0, 10.0])
    assert regret_against.crossing(x, 1 / x, np.full(3, 5.0)) == pytest.approx(0.2)
    assert math.isnan(regret_against.crossing(x, x, 2 * x))


@pytest.mark.parametrize(
    ("second", "place"),
    [
        ([2.0, 2.0, 1.0, 1.0], 10.0),
        ([2.0, 1.0, 1.0, 0.5], 1.0),
        ([2.0, 1.0, 2.0, 2.0], math.nan),
        ([1.0] * 4, math.nan),
    ],
)
def test_curves_may_cross_at_a_point(second: list[float], place: float) -> None:
    """Where they are equal and on other sides before and after; not where they only touch."""
    x, first = np.array([0.1, 1.0, 10.0, 100.0]), np.array([1.0, 1.0, 1.0, 2.0])
    assert regret_against.crossing(x, first, np.array(second)) == pytest.approx(place, nan_ok=True)


def test_where_the_filter_costs_regret() -> None:
    """At every corruption, in each model that is there with and without it; where one is missing, nowhere."""

    def panel(with_filter: list[float], titles: tuple[str, str]) -> pd.DataFrame:
        means = dict(zip(titles, (with_filter, [1.0, 2.0, 3.0]), strict=True))
        return pd.DataFrame(
            [
                {"title": title, "corruption": corruption, "mean": mean}
                for title, values in means.items()
                for corruption, mean in zip((0.0, 0.1, 0.2), values, strict=True)
            ]
        )

    pair = ("Robust elimination (M1)", "Private elimination (M1)")
    assert comparisons.filter_costs(panel([0.5, 2.5, 3.5], pair))
    assert not comparisons.filter_costs(panel([1.5, 2.5, 2.9], pair))
    assert not comparisons.filter_costs(panel([1.5, 2.5, 3.5], ("Robust elimination (M1)", "Phased elimination")))


def points(**of_title: list[tuple[float, float]]) -> pd.DataFrame:
    """Return means and half widths of intervals by title, at x = 0, 0.1 and 0.2."""
    rows = [
        {"panel": "p", "over": "corruption", "x": x, "corruption": x, "title": title, "mean": mean}
        | {"low": mean - half, "high": mean + half}
        for title, values in of_title.items()
        for x, (mean, half) in zip((0.0, 0.1, 0.2), values, strict=True)
    ]
    return pd.DataFrame(rows)


def test_a_title_counts_where_intervals_overlap() -> None:
    """Of three points two have less regret, of these one for sure; the third, with more, is not counted as open."""
    one, other = "Robust elimination (M1)", "Robust elimination (M2)"
    table = points(**{one: [(4.0, 0.1), (4.0, 1.0), (4.0, 1.0)], other: [(3.0, 0.1), (3.0, 1.0), (5.0, 1.0)]})
    said = "Robust elimination has less mean regret in model (M2) than in (M1) at 2 of 3 points"
    found = comparisons.finding(table, [], [one, other], "", [one, other])
    assert found == f"{said} (in 1 of the 2 the intervals overlap)"
    apart = table.assign(low=table["mean"], high=table["mean"])
    assert comparisons.finding(apart, [], [one, other], "", [one, other]) == said


def test_points_at_which_the_filter_settles_nothing_are_counted() -> None:
    """Of both models, where reports are corrupted; more regret with the filter is as open as less."""
    table = points(
        **{
            "Robust elimination (M1)": [(1.0, 9.0), (2.0, 0.6), (2.0, 0.7)],
            "Private elimination (M1)": [(1.0, 9.0), (3.0, 0.6), (3.0, 0.7)],
            "Robust elimination (M2)": [(1.0, 9.0), (4.0, 0.1), (4.0, 0.6)],
            "Private elimination (M2)": [(1.0, 9.0), (3.0, 0.1), (3.0, 0.6)],
            "Robust elimination": [(1.0, 9.0)] * 3,
        }
    )
    assert comparisons.filter_open(table) == (3, 4)
    assert comparisons.filter_open(table[table["title"].str.startswith("Robust")]) == (0, 0)


def test_a_trend_is_one_of_all_steps() -> None:
    """A curve that turns neither falls nor grows, wherever its ends are."""

    def own(*means: float) -> pd.DataFrame:
        return pd.DataFrame({"panel": "p", "over": "dimension", "x": range(len(means)), "mean": means})

    assert comparisons.trends(own(1.0, 2.0, 3.0)) == "grows with d"
    assert comparisons.trends(own(1.0, 4.0, 3.0)) == "rises and falls with d"
    both = pd.concat([own(1.0, 2.0), own(2.0, 1.0).assign(panel="q")])
    assert comparisons.trends(both) == "falls or grows with d"


def test_what_intervals_settle() -> None:
    """More, less and neither: a lower mean inside an interval is not less."""
    ends = {"low": [3.0, 0.5, 1.5], "high": [4.0, 0.8, 2.5]}
    one, other = pd.DataFrame(ends), pd.DataFrame({"low": [1.0] * 3, "high": [2.0] * 3})
    found = comparisons.settled(one, other, "panels")
    assert found == "more regret than the filter in 1 of 3 panels, less in 1; in 1 the intervals overlap"


def test_the_best_widths_are_counted() -> None:
    """In all curves of all panels, beside those of which another width's interval overlaps."""
    means = {("p", "a"): (3.0, 1.0, 2.0), ("p", "b"): (3.0, 1.0, 2.0), ("q", "a"): (1.0, 1.5, 4.0)}
    rows = [
        {"panel": panel, "title": title, "x": x, "mean": mean, "low": mean - 0.4, "high": mean + 0.4}
        for (panel, title), values in means.items()
        for x, mean in zip((0.1, 0.2, 1.0), values, strict=True)
    ]
    found = comparisons.widths(pd.DataFrame(rows), ["a", "b"])
    assert found == (
        "Of the widths tried, 0.2 times the theorem's has the least mean regret in 2 of 3 curves, 0.1 in 1 "
        "(in 1 another width's interval overlaps)"
    )


def test_one_horizon_has_no_trend():
    """Of panels with one T alone a title says nothing of T, and the panel says why it shows no line."""
    rows = pd.DataFrame(
        {"x": [1000.0, 10.0, 20.0], "mean": [0.5, 0.2, 0.3], "over": ["horizon", *["dimension"] * 2]}
    )
    title = "Robust elimination (M1)"
    rows = rows.assign(panel=rows["over"], title=title, low=0.1, high=0.9, bound=np.nan, corruption=0.0)
    rows = rows.assign(horizon=1000, runs=20)
    over = [["e", "horizon", "horizon"], ["f", "dimension", "dimension"]]
    plot = regret_against.plot(rows, over, [title], "theorem 3.4", [])
    assert plot.title == "Regret of Robust elimination (M1) grows with d"
    assert [panel.title for panel in plot.panels] == ["horizon\n(one T alone: no trend)", "dimension"]


def test_what_panels_have_alike_is_told() -> None:
    """A quantity that is no axis, the panel that differs, and the width of what is printed; not what is an axis."""
    columns = ["panel", "over", "title", "horizon", "arms", "dimension", "epsilon", "factor"]
    rows = [
        ("sphere, ε = 1", "horizon", "Robust elimination (M1)", 10, 100, 5, 1.0, 0.2),
        ("sphere, ε = 1", "horizon", "Robust elimination (M1), printed", 20, 100, 5, 1.0, 1.0),
        ("cube, ε = 1", "horizon", "Robust elimination (M1)", 20, 7, 5, 1.0, 0.2),
        ("no corruption", "dimension", "Robust elimination (M1)", 50, 100, 2, 1.0, 0.2),
        ("no corruption", "dimension", "Robust elimination (M1)", 50, 100, 3, 1.0, 0.2),
    ]
    assert regret_against._held(pd.DataFrame(rows, columns=columns)) == (
        "Unless it is the axis: T = 50, K = 100 (cube: 7), d = 5, ε = 1, width = 0.2 × the theorem's (printed: 1)"
    )
