"""What figures describe of small tables by hand: axes, scales, curves that are left out, and what titles count."""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpbandits.core.interactive import Plot
from dpbandits.papers.azize2025.computations.dp_lower_bound import divergences
from dpbandits.papers.azize2025.figures import best_arm_path as path_figure
from dpbandits.papers.azize2025.figures import (
    final_regret,
    interactive_protocol,
    lower_bound,
    noise_by_batch,
    private_mean_tail,
    regret_law,
    regret_over_epsilon,
    regret_over_time,
    regret_slope,
    reward_representations,
)
from dpbandits.papers.azize2025.pictures import first_batch, mean_and_median
from dpbandits.papers.style import TAIL_RUNS
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

TWO = {"environment.means.1": 0.75, "environment.means.2": 0.5}


def flat(text: str) -> str:
    return " ".join(text.split())


def limits(plot: Plot) -> list[Any]:
    """Return the limits of each panel, those of a missing axis as they are."""
    return [tuple(side and pytest.approx(side) for side in panel.limits) for panel in plot.panels]


# --- regret over time ------------------------------------------------------------------------------------


def over_time(runs: int = TAIL_RUNS) -> pd.DataFrame:
    """Return two checkpoints of a private algorithm with its tail, and of one without privacy with fewer runs."""
    private = {"title": "DP-IMED", "algorithm": "dp-imed", "epsilon": 0.1, "runs": runs, "round": [10, 1000]}
    private |= {"mean": [3.0, 30.0], "mean_low": [2.0, 20.0], "mean_high": [4.0, 40.0], "q50": [2.0, 20.0]}
    private |= {"q95": [4.0, 50.0], "q99": [5.0, 60.0], "maximum": [6.0, 90.0]}
    free = {"title": "IMED", "algorithm": "imed", "epsilon": math.nan, "runs": runs - 1, "round": [10, 1000]}
    free |= {"mean": [6.0, 12.0], "mean_low": [5.0, 11.0], "mean_high": [7.0, 13.0]}
    table = pd.concat([pd.DataFrame(private), pd.DataFrame(free)], ignore_index=True)
    return table.assign(environment="mu1", panel="µ₁, ε = 0.1", **TWO)


def test_regret_over_time_with_tails() -> None:
    """From 100 runs on, in both axes' full range; of those with fewer runs there is no panel below."""
    shown = regret_over_time.plot(over_time(), 10)
    assert [flat(panel.title) for panel in shown.panels] == [
        "µ₁, ε = 0.1",
        "DP-IMED, ε = 0.1 mean/median 1.5",
    ]
    assert limits(shown) == [((10.0, 1000.0), (2.0, 135.0))] * 2
    assert shown.title == "Few runs decide DP-IMED's mean: at T it is up to 1.5 times the median"
    assert [curve.name for curve in shown.panels[0].curves] == ["DP-IMED", "IMED (not private)"]
    bound = shown.panels[0].curves[0].table["lower_bound"]
    assert bound.tolist() == pytest.approx([lower_bound_slope([0.75, 0.5], 0.1) * math.log(t) for t in (10, 1000)])
    assert (shown.columns, shown.height) == (1, 2.0) and "its interval shaded in the first row" in shown.conditions
    less = over_time()
    less["q50"] = less["q50"] * 1.001
    assert regret_over_time.plot(less, 10).title == "At T no mean is more than 1.5 times the median"


def test_regret_over_time_of_few_runs() -> None:
    """One run less than 100 has no tails; the axis ends above intervals."""
    few = regret_over_time.numbers(over_time(TAIL_RUNS - 1).drop(columns="panel"), {}, [], ["DP-IMED"], 10)
    assert "maximum" not in few and len(few) == 4
    assert "maximum" in regret_over_time.numbers(over_time().drop(columns="panel"), {}, [], ["DP-IMED"], 10)
    shown = regret_over_time.plot(few, 10)
    assert limits(shown) == [((10.0, 1000.0), (2.0, 60.0))] and shown.height == 2.8
    assert "the title compares private algorithms at T" in shown.conditions


@pytest.mark.parametrize(("mean", "inside"), [(20.0, True), (40.0, True), (19.9, False), (40.1, False)])
def test_a_mean_of_all_runs_at_an_interval_s_end_is_within(mean: float, inside: bool) -> None:
    best = {"panel": "p", "title": "DP-IMED", "mean": 30.0, "mean_low": 20.0, "mean_high": 40.0, "runs": 20}
    best |= {"all_mean": mean, "all_mean_low": mean - 1, "all_mean_high": mean + 1, "all_runs": 200}
    other = best | {"title": "DP-SE", "mean_low": 41.0, "all_mean_low": 90.0, "all_mean": 91.0, "mean": 50.0}
    table = pd.DataFrame([best, other]).assign(epsilon=0.1, environment="mu1")
    assert ("but its mean is" in regret_over_time._lowest(table)) == (not inside)


# --- slopes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q50", "alpha", "mean_limits", "median_limits"),
    [((3.0, 5.0), 2.0, (0.9, 12.0), (0.0, 5.4)), ((0.3, 1.0), 3.0, (0.2, 12.0), (0.0, 3.24))],
)
def test_multiples_of_the_bound(
    q50: tuple[float, float], alpha: float, mean_limits: tuple[float, float], median_limits: tuple[float, float]
) -> None:
    """Axes hold medians, means and every alpha; a multiple is what regret is divided by; a narrow mean is told."""
    table = pd.DataFrame(
        {
            **{"round": [1, 100], "q50": q50, "mean": [7.0, 8.0], "mean_low": [4.9, 5.5], "mean_high": [7.5, 8.0]},
            **{"title": "DP-IMED", "epsilon": 0.1, "environment": "mu1", "alpha": alpha, "runs": 9, "horizon": 100},
            **{"bound_slope": 2.0, **TWO},
        }
    )
    shown = regret_slope.plot(table, 1)
    assert limits(shown) == [((1.0, 100.0), mean_limits), ((1.0, 100.0), median_limits)]
    assert [panel.log for panel in shown.panels] == [(True, True), (True, False)]
    multiple = shown.panels[0].curves[0].table["multiple"]
    assert math.isnan(multiple[0]) and multiple[1] == pytest.approx(0.5 / math.log(100))
    assert "the mean of DP-IMED with α =" in shown.title and shown.title.endswith("times it at T = 1")
    level = shown.panels[1].curves[-1]
    assert level.table["level"].tolist() == [alpha] and shown.panels[0].curves[-1].name == f"α = {alpha:g}"


# --- regret over the budget ------------------------------------------------------------------------------


def over_epsilon(**columns: Any) -> pd.DataFrame:
    """Return two budgets with their means."""
    table = pd.DataFrame({"epsilon": [0.1, 0.2], "mean": [10.0, 20.0], "lower_bound": [4.0, 4.0], **columns})
    return table.assign(title="DP-IMED", alpha=2.0, horizon=100, runs=20, environment="mu1", **TWO)


def test_the_band_of_few_runs() -> None:
    """A deviation as large as the mean reaches the bottom, and is not what the axis begins at."""
    shown = regret_over_epsilon.plot(over_epsilon(sd_low=[0.0, 15.0], sd_high=[20.0, 25.0]))
    assert limits(shown) == [((0.1, 0.2), (4.0 / 3, 37.5)), ((0.1, 0.2), (1.0 / 3, 9.375))]
    assert "above the mean at 1 of 2 budgets" in shown.conditions
    assert shown.title.endswith("is 2.5 to 5 times the asymptotic lower bound: it jumps up to 2-fold from one "
                                "budget to the next")  # fmt: skip
    bounds = shown.panels[0].curves[0].table["alpha_bound"]
    assert bounds.tolist() == [8.0, 8.0] and len(shown.panels[0].curves) == 1
    assert [panel.divided for panel in shown.panels] == ["", regret_over_epsilon.LOWER_BOUND]


def test_the_spread_of_many_runs() -> None:
    """Its median is a curve of its own; where the regime changes at the last budget, a line stands there."""
    columns = {"mean_low": [9.0, 18.0], "mean_high": [11.0, 22.0], "q05": 1.0, "q50": 6.0, "q95": [30.0, 40.0]}
    change = regime_change(0.5, 0.75)
    shown = regret_over_epsilon.plot(over_epsilon(**columns).assign(epsilon=[0.1, change]))
    assert limits(shown) == [((0.1, change), (4.0 / 3, 60.0)), ((0.1, change), (1.0 / 3, 15.0))]
    assert [region.x for region in shown.panels[0].regions] == [(change, change)] and "ε*" not in shown.conditions
    assert len(shown.panels[0].curves) == 2 and "jumps" not in shown.title
    less = regret_over_epsilon.plot(over_epsilon(**columns).assign(epsilon=[0.1, change - 1e-9]))
    assert not less.panels[0].regions and f"ε* = {change:.3g} on, beyond this axis" in less.conditions


def test_the_deviation_is_kept_of_few_runs_alone() -> None:
    """Below 100 of them, at the smallest number of the budgets."""
    rows = {"sd": 1.0, "mean_low": 1.0, "mean_high": 1.0, "q05": 1.0, "q50": 1.0, "q95": 1.0, "round": 100}
    table = over_epsilon(**rows).assign(algorithm="a")
    for runs, kept in (([99, 500], {"sd_low", "sd_high"}), ([100, 500], set(regret_over_epsilon.RUNS))):
        found = regret_over_epsilon.numbers(table.assign(runs=runs), {})
        assert {*regret_over_epsilon.RUNS, *regret_over_epsilon.PUBLISHED} & set(found) == kept


# --- the law of regret -----------------------------------------------------------------------------------


def law(rows: list[tuple[str, str, float, float, float, float]]) -> pd.DataFrame:
    """Return rows of title, statistic, epsilon, value and interval on one bandit."""
    table = pd.DataFrame(rows, columns=["title", "statistic", "epsilon", "value", "low", "high"])
    return table.assign(environment="mu1", runs=200, horizon=1000, lower_bound=1.0)


def test_axes_of_a_statistic() -> None:
    """Three tenths of a budget and six tenths of a value beyond what is drawn; a share has ticks at its budgets."""
    means = law([("DP-IMED", "mean", 0.1, 8.0, 7.0, 9.0), ("DP-KLUCB", "mean", 1.0, 16.0, 1.0, 90.0)])
    titles = ["DP-IMED", "DP-KLUCB"]
    shown = regret_law.plot(means, titles, ["mean"])
    assert limits(shown) == [((0.1 / 1.3, 1.3), (5.0, 25.6))]
    (panel,) = shown.panels
    assert panel.title == "µ₁: mean regret" and panel.labels[1] == "mean regret (rewards)" and panel.bounds
    assert not panel.ticks[0] and (shown.columns, shown.height) == (1, 2.5)
    far = means.assign(statistic="far", value=[0.0, 0.2])
    shown = regret_law.plot(far, titles, ["far"])
    (panel,) = shown.panels
    assert panel.title == "µ₁" and list(panel.ticks[0]) == [0.1, 1.0] and not panel.bounds
    assert [curve.name for curve in panel.curves] == ["DP-KLUCB"]
    assert "No such run at all: DP-IMED" in shown.conditions
    none = regret_law.plot(far.assign(value=0.0), titles, ["far"])
    assert limits(none)[0][1] == (0.0625, 1.6) and "No such run" not in none.conditions
    two = pd.concat([means, means.assign(environment="mu2"), means.assign(environment="mu3")])
    assert regret_law.plot(two, titles, ["mean"]).columns == 2
    shown = regret_law.plot(two, titles, ["mean", "median"])
    assert (shown.columns, shown.height) == (3, 2.0)


def test_what_titles_count() -> None:
    """Equal means are not lower, intervals that meet overlap, and a median is at most so many times as high."""
    both = ("DP-IMED", "DP-IMED, long start")
    values = [
        *[(both[0], "mean", 0.1, 9.0, 8.0, 10.0), (both[1], "mean", 0.1, 6.0, 4.0, 8.0)],
        *[(both[0], "mean", 0.5, 9.0, 8.0, 10.0), (both[1], "mean", 0.5, 9.0, 4.0, 9.5)],
        *[(both[0], "mean", 1.0, 9.0, 8.0, 10.0), (both[1], "mean", 1.0, 5.0, 4.0, 7.9)],
        *[(both[0], "median", 0.1, 2.0, 1.0, 3.0), (both[1], "median", 0.1, 3.0, 1.0, 3.0)],
    ]
    assert regret_law._long_start(law(values)) == (
        "A first batch of 10/ε in place of 1 lowers DP-IMED's mean in 2 of 3 settings "
        "(in 1 the intervals overlap); its median is at most 1.5 times as high"
    )
    shares = law([(title, "far", 0.1, 0.1, 0.0, 1.0) for title in ("DP-IMED", "Forgetting DP-IMED")])
    assert regret_law._forgetting(shares).endswith("it has fewer bad runs in 0 of 1 settings")
    assert regret_law._forgetting(shares.assign(value=0.0)).startswith("Too few runs")


def test_rare_runs_that_stay() -> None:
    """Counted where the quantile is higher, not equal; nothing is said without both algorithms and the quantile."""
    rival, own = "DP-KLUCB", "DP-IMED, long start"
    values = [(rival, "q99", e, 2.0, 1.0, 3.0) for e in (0.1, 0.5, 1.0)]
    values += [(own, "q99", e, v, 1.0, 9.0) for e, v in ((0.1, 5.0), (0.5, 2.0), (1.0, 3.0))]
    assert regret_law._left(law(values)).endswith("in 2 of 3 settings, up to 2.5-fold")
    assert regret_law._left(law(values[:4])).endswith("in 1 of 1 settings, up to 2.5-fold")
    assert regret_law._left(law(values[:3])) == regret_law._left(law(values).assign(statistic="mean")) == ""
    assert regret_law._left(law([*values[:3], (own, "q99", 0.1, 2.0, 1.0, 3.0)])) == ""


# --- regret at the horizon -------------------------------------------------------------------------------


def test_ratios_at_the_horizon() -> None:
    """A ratio of 1 is no less regret, an interval from 1 on is open, and axes hold the claim and the worst."""
    table = pd.DataFrame(
        {
            **{
                "title": ["DP-IMED"] * 3 + ["DP-SE"],
                "epsilon": [0.1, 0.2, 0.3, 0.1],
                "mean": [8.0, 16.0, 9.0, 40.0],
            },
            **{"mean_low": 1.0, "mean_high": [9.0, 20.0, 9.0, 50.0], "ratio": [1.0, 2.0, 3.0, math.nan]},
            **{
                "ratio_low": [0.9, 1.0, 1.5, math.nan],
                "ratio_high": 4.0,
                "worst_ratio": [1.0, 4.0, 20.0, math.nan],
            },
            **{"environment": "mu1", "runs": TAIL_RUNS, "horizon": 100, **TWO},
        }
    ).assign(best_title="x", all_runs=TAIL_RUNS + 1, all_ratio=[1.0, 1.5, 2.0, math.nan])
    shown = final_regret.plot(table, ["DP-IMED"], 10.0)
    assert shown.title == (
        "DP-IMED have less mean regret than all other private algorithms in 2 of 3 cases "
        "(in 1 of the 2 the intervals overlap); with 101 runs in 2"
    )
    assert limits(shown) == [(None, (5.0, 80.0)), (None, (0.75, 32.0))]
    high = final_regret.plot(table.assign(ratio_low=1.0, all_runs=TAIL_RUNS), ["DP-IMED"], 30.0)
    assert limits(high)[1] == (None, (0.8, 48.0)) and high.title.endswith("(in 2 of the 2 the intervals overlap)")
    few = final_regret.plot(table.assign(runs=TAIL_RUNS - 1), ["DP-IMED"], 10.0)
    assert few.title.startswith("In this one set of 99 runs ")
    assert shown.panels[1].curves[0].table["top"].tolist() == [4.0] * 3


# --- what the best arm's path predicts -------------------------------------------------------------------


@pytest.mark.parametrize(("predicted", "factor"), [(5.0, "2"), (40.0, "4")])
def test_the_worst_prediction_is_told(predicted: float, factor: str) -> None:
    """Of too small and of too large ones; axes hold marks and lines."""
    row = {"environment": "mu1", "title": "DP-IMED", "epsilon": 0.1, "runs": 9, "horizon": 1000}
    row |= dict.fromkeys(("mean", "median", "q99", "predicted", "typical"), 10.0)
    other = row | {"title": "DP-SE", "mean": 1.0, "predicted": 99.0}
    shown = path_figure.plot(pd.DataFrame([row | {"predicted_q99": predicted}, other | {"predicted_q99": 1.0}]))
    assert shown.title.endswith(f"within a factor of {factor}")
    assert limits(shown)[0] == (None, (6.25, 16.0))
    assert limits(shown)[2] == (None, (min(10.0, predicted) / 1.6, max(10.0, predicted) * 1.6))
    assert [curve.hollow for curve in shown.panels[0].curves] == [False, False, False, True]
    assert [curve.joined for curve in shown.panels[0].curves] == [True, False] * 2


# --- the lower bound's divergence ------------------------------------------------------------------------


def test_the_lower_bound_s_panels() -> None:
    """The middle pair of means, the largest gain rounded down, and cells between neighbours."""
    assert lower_bound.edges([0.0, 0.2, 0.6, 1.0]) == pytest.approx([0.0, 0.1, 0.4, 0.8, 1.0])
    budgets = np.array([0.1, 1.0, 10.0])
    pairs = [(0.25, 0.5), (0.5, 0.75), (0.75, 0.875)]
    profiles = pd.concat(
        divergences(np.full(3, x), np.full(3, y), budgets).assign(part="profile") for x, y in pairs
    )
    grid = pd.DataFrame(
        {
            **{
                "part": "grid",
                "epsilon": 0.1,
                "mu_a": [0.0, 0.5, 0.0, 0.5, 0.0],
                "mu_star": [0.25, 0.25, 1, 1, 0.5],
            },
            "improvement": [1.0, 1.0 + 2e-9, 2.0, 6.39, 5.99],
        }
    )
    shown = lower_bound.plot(pd.concat([grid, profiles], ignore_index=True))
    assert shown.title == "The new lower bound gains up to 6.3 times at small budgets"
    first, second, cells = shown.panels
    assert first.title == "(a) divergences, µₐ = 0.5, µ* = 0.75"
    own = profiles[profiles["mu_a"] == 0.5]
    assert limits(shown)[0] == ((0.1, 10.0), (own["d_eps"].min() / 20, own["kl"].max() * 4))
    assert first.regions[0].x == (regime_change(0.5, 0.75), 10.0)
    assert first.curves[-1].table["epsilon"].tolist() == [0.1]
    assert second.regions[0].y == (6.39, 6.39) and second.limits[1] == (0.0, 7.0)
    changes = [curve.table["epsilon"].tolist() for curve in second.curves[1::2]]
    assert changes == [[regime_change(x, y)] for x, y in pairs]
    assert cells.cells is not None and cells.title == "(c) gain at ε = 0.1"
    assert cells.cells.levels == [[0, 1], [5, -1], [2, 6]]
    assert (len(cells.cells.names), len(cells.cells.colours)) == (7, 7)


# --- noise by batch --------------------------------------------------------------------------------------


def by_batch(later: float, first: float) -> pd.DataFrame:
    """Return shares of runs above 1, 5 and 20 medians."""
    table = pd.DataFrame({"multiple": [1.0, 5.0, 20.0], "every": 0.5, "later": later, "first": first, "none": 0.0})
    return table.assign(environment="mu1", epsilon=0.25, horizon=1000, runs=200)


def test_bad_runs_by_the_batches_with_noise() -> None:
    """From 5 medians on, where later batches do more than first ones, and first ones something."""
    shown = noise_by_batch.plot(by_batch(0.4, 0.1), 0.25)
    assert "makes 4 to 4 times as many runs above 5 medians" in shown.title
    assert limits(shown) == [((1.0 / 1.2, 24.0), (1.0 / 300.0, 1.0))] and shown.columns == 1
    assert "One run is 0.5 %" in shown.conditions
    # A share of none has no curve.
    assert len(shown.panels[0].curves) == 3
    for later, first in ((0.1, 0.1), (0.1, 0.0), (0.0, 0.1)):
        assert noise_by_batch.plot(by_batch(later, first), 0.25).title.startswith("How rare bad runs are")
    assert noise_by_batch.TICKS[1][0.01] == "1 %" and noise_by_batch.TICKS[1][1.0] == "100 %"
    three = pd.concat([by_batch(0.4, 0.1).assign(environment=f"mu{k}") for k in (1, 2, 3)])
    assert noise_by_batch.plot(three, 0.25).columns == 2


# --- tails of a private mean -----------------------------------------------------------------------------


def test_rates_and_factors_of_tails() -> None:
    """A rate is -log P / n, of a bound below 1; a factor is what is beside the exponential, in powers of ten."""
    ten = math.log(10.0)
    row = {"mu": 0.5, "x": 0.75, "epsilon": 0.5, "regime": "high privacy", "d_eps": 0.1, "kl": 0.13, "split": 0.06}
    logs = {"log_rewards": -13.0, "log_tail": -12.0, "log_split": -6.0, "log_chernoff": -9.0}
    rows = [row | logs | {"n": n, "noises": noises} for noises in ("one", "batches") for n in (50, 100)]
    table = pd.DataFrame(rows).assign(log_d3=[0.0, -10.0 + 4 * ten, 0.0, -12.0 + 5 * ten])
    table.loc[table["n"] == 50, "log_chernoff"] = 0.0
    shown = private_mean_tail.plot(table, 0.5, 0.75)
    assert "rates with noise are 1.2 to 1.2 times their limit" in shown.title and "up to 10⁵ times" in shown.title
    rate, constant = shown.panels
    highest = (5 * ten - 12.0 + 10.0) / ten
    assert limits(shown) == [(None, (0.01, 2.0)), (None, (-0.05 * highest, 1.05 * highest))]
    assert (rate.log, constant.log) == ((True, True), (True, False))
    heights = {curve.name: curve.table["height"].tolist() for curve in rate.curves}
    assert heights["exact, one noise term"] == pytest.approx([0.24, 0.12])
    assert math.isnan(heights["Chernoff bound of the whole sum"][0])
    names = [curve.name for curve in constant.curves]
    assert "exact, no noise" not in names and "noise and rewards apart (best split)" not in names
    (chernoff,) = (curve for curve in constant.curves if curve.name.startswith("Chernoff"))
    assert chernoff.table["height"].tolist() == pytest.approx([5.0 / ten, 1.0 / ten])
    assert [region.y for region in rate.regions] == [
        (0.1, 0.1),
        (0.13, 0.13),
        (0.06, 0.06),
    ] and not constant.regions
    assert "rewards of mean 0.5 is at least 0.75" in shown.conditions
    assert "rewards of mean 0.75 is at most 0.5" in private_mean_tail.plot(table, 0.75, 0.5).conditions
    same = private_mean_tail.plot(table.assign(kl=0.1), 0.5, 0.75).panels[1]
    assert same.curves[0].name == "exact, no noise"


# --- diagrams --------------------------------------------------------------------------------------------


def test_the_protocol_s_columns() -> None:
    """A column for each round: its name in the middle, the action left of two rewards, and no two on each other."""
    _, axes = plt.subplots()
    rounds = interactive_protocol.protocol()
    interactive_protocol.panel(axes, rounds[rounds["channel"] == "R"])
    places = [(text.get_text(), *text.get_position()) for text in axes.texts if text.get_text()]
    columns = len(interactive_protocol.ROUNDS)
    assert axes.get_xlim() == (0.0, columns)
    for name, x, y in places:
        if name.startswith("$t ="):
            shown = [one for one in places if int(x) < one[1] < int(x) + 1 and 0.55 < one[2] < 2.6]
            assert (x % 1, y) == (0.5, 3.2) and sorted(one[1] % 1 for one in shown) == pytest.approx(
                [0.18, 0.42, 0.79]
            )
        if name in ("policy $\\pi$", "reward-feeding adversary $\\mathcal{A}$"):
            assert x == columns / 2
    assert [x for name, x, _ in places if name == "$\\cdots$"] == [2.5, 4.5]
    arrows = [text for text in axes.texts if not text.get_text()]
    # Of each round an action, two rewards and the one that is observed: right at t* in the channel R.
    observed = [arrow.xy for arrow in arrows if arrow.xy[1] == 2.6]  # type: ignore[attr-defined]
    assert observed == [pytest.approx((place, 2.6)) for place in (0.42, 1.42, 3.79, 5.42)]
    bars = [patch for patch in axes.patches if patch.get_x() == 0.03]  # type: ignore[attr-defined]
    assert [(bar.get_y(), bar.get_width()) for bar in bars] == [  # type: ignore[attr-defined]
        (2.6, pytest.approx(columns - 0.06)),
        (0.1, pytest.approx(columns - 0.06)),
    ]
    names = [y for name, _, y in places if name[:2] in ("po", "re")]
    assert names == pytest.approx([2.81, 0.31])


def test_the_tree_s_branches() -> None:
    """From each parent to its children, in the middle of their places; what is played is thick, and on top."""
    table = reward_representations.representations(2, [1, 2])
    tree = table[table["representation"] == "tree"]
    assert tree["place"].tolist() == [0.25, 0.75, 0.125, 0.375, 0.625, 0.875]
    _, axes = plt.subplots()
    reward_representations.branches(axes, tree)
    root, *lines = axes.lines
    assert root.get_xydata().tolist() == [[0.5, 0.0]]
    assert [line.get_xydata().tolist() for line in lines[:3]] == [
        [[0.5, 0.0], [0.25, 1.0]],
        [[0.5, 0.0], [0.75, 1.0]],
        [[0.25, 1.0], [0.125, 2.0]],
    ]
    assert [(line.get_zorder(), line.get_linewidth()) for line in lines] == [
        *[(2, 2.2), (1, 0.8), (1, 0.8)],
        *[(2, 2.2), (1, 0.8), (1, 0.8)],
    ]
    assert [text.get_text() for text in axes.texts] == ["1", "2", "1", "2", "1", "2"]
    assert axes.texts[0].get_position() == pytest.approx((0.3625, 0.55))
    figure, _ = reward_representations.draw(pd.DataFrame(), {}, 2, [1, 2])
    assert figure.get_size_inches().tolist() == pytest.approx([7.0, 2.3])
    actions = [text for text in figure.axes[1].texts if text.get_text().startswith("$a")]
    assert [text.get_position() for text in actions] == [(0.25, 0.4), (0.75, 0.4)]
    steps = [text.get_text() for text in figure.axes[0].texts if text.get_text().startswith("$t")]
    assert steps == ["$t = 1$", "$t = 2$"] and figure.axes[0].get_ylim() == pytest.approx((2.4, -0.2))
    names = {text.get_text() for axis in figure.axes for text in axis.texts}
    assert {"$r_1$", "$x_{1{,}2}$", "$r(1{,}2)$"} <= names


# --- pictures --------------------------------------------------------------------------------------------


def test_pictures_are_of_the_worst_case() -> None:
    """The bandit and budget where DP-IMED's mean is the most times DP-KLUCB's, of those that have all numbers."""
    values = {"0.1": (3.0, 9.0), "0.5": (4.0, 10.0), "1": (5.0, 1.0)}
    rows = [
        {"environment": "mu1", "epsilon": epsilon, "title": title, "statistic": statistic, "value": str(value)}
        for epsilon, (rival, own) in values.items()
        for title, value in (("DP-KLUCB", rival), ("DP-IMED", own), ("DP-IMED, long start", 2.0))
        for statistic in ("mean", "median")
    ]
    other = [row for row in rows if row["epsilon"] == "1"]
    part = [row | {"epsilon": "2", "value": "99"} for row in other if row["title"] == "DP-IMED"]
    shown = mean_and_median.draw([*rows, *part])
    assert shown is not None and "ε = 0.1" in str(shown)
    assert first_batch.draw(part) is None
