"""The figures of regret: every number drawn is the table's or the theory's, and every figure can be read alone."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Literal

import literal
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.labels import symbol
from dpbandits.core.numbers import number
from dpbandits.papers import style as _style
from dpbandits.papers.azize2025.figures.final_regret import times_less
from dpbandits.papers.azize2025.figures.regret_law import _forgetting
from dpbandits.papers.azize2025.figures.regret_over_time import _lowest
from dpbandits.papers.drawing import drawing
from dpbandits.papers.render import fit_titles, read
from dpbandits.runs.aggregate import statistics
from dpbandits.settings.stochastic import theory
from dpbandits.settings.stochastic.divergences import kl

MEANS = {"mu1": [0.75, 0.7, 0.7], "mu2": [0.8, 0.5, 0.1]}
ALGORITHMS = {"dp-se": "DP-SE", "lazy-dp-ts": "Lazy-DP-TS", "dp-klucb": "DP-KLUCB", "dp-imed": "DP-IMED"}
MANY, FEW = 200, 20


@functools.cache
def cell(label, title, environment, epsilon, runs, rounds, alpha=2.0):
    """Return rows of aggregates with random, heavy-tailed regret that grows over time."""
    rng = np.random.default_rng(sum(map(ord, f"{label}{environment}{epsilon}")))
    regret = np.cumsum(rng.pareto(1.5, (runs, len(rounds))) + 1.0, axis=1)
    labels = {
        "experiment": "small",
        "version": "full" if runs == MANY else "published",
        "algorithm": label,
        "title": title,
        "alpha": alpha,
        "environment": environment,
        **{f"environment.means.{i}": mean for i, mean in enumerate(MEANS[environment], 1)},
        "epsilon": epsilon,
        "horizon": rounds[-1],
        "runs": runs,
    }
    return pd.DataFrame({"round": rounds, **statistics(regret, 0.95)}).assign(**labels)


ROUNDS = (1, 10, 100, 200, 1000, 10000)


@pytest.fixture(params=[FEW, MANY])
def runs(request):
    """A number of runs, too small or large enough for quantiles of the tails."""
    return request.param


@pytest.fixture
def over_time(runs):
    """Four private algorithms at two budgets in two environments, and one without a budget."""
    private = itertools.product(ALGORITHMS.items(), MEANS, (0.1, 1.0))
    cells = [cell(*names, environment, epsilon, runs, ROUNDS) for names, environment, epsilon in private]
    cells += [cell("imed", "IMED", environment, np.nan, 10, ROUNDS) for environment in MEANS]
    return pd.concat(cells, ignore_index=True)


@pytest.fixture
def over_epsilon(runs):
    """One algorithm in one environment at the horizon alone, over budgets."""
    grid = np.linspace(0.05, 1.0, 12)
    cells = [cell("dp-imed-1.1", "DP-IMED", "mu2", epsilon, runs, (10**7,), alpha=1.1) for epsilon in grid]
    return pd.concat(cells, ignore_index=True)


@pytest.fixture
def slopes(runs):
    """Two algorithms at two budgets with three ratios of batch sizes."""
    cells = [
        cell(f"{label}-{alpha}", ALGORITHMS[label], "mu2", epsilon, runs, ROUNDS, alpha)
        for label, epsilon, alpha in itertools.product(("dp-imed", "dp-klucb"), (0.1, 1.0), (1.1, 2.0, 3.0))
    ]
    return pd.concat(cells, ignore_index=True)


def draw(kind, aggregates, **options):
    """Draw a kind of figure with default options but for those given; return it drawn, its texts, its numbers."""
    figure, numbers = drawing(kind, options, aggregates, {})
    figure.draw_without_rendering()
    # Texts are broken where their place ends.
    texts = " ".join(word for text in figure.findobj(mpl.text.Text) for word in text.get_text().split())
    return figure, texts, numbers


def input_rows(numbers, aggregates, keys, columns):
    """Return the input's columns for each row of the numbers; every row is found once."""
    found = numbers[keys].merge(aggregates[[*keys, *columns]], on=keys, how="left", validate="many_to_one")
    return found[columns]


def slope(means, epsilon):
    """Return the sum of Delta/d_eps by the tests' own divergence."""
    best = max(means)
    return sum((best - mean) / literal.d_eps(mean, best, epsilon) for mean in means if mean < best)


# --- theory ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("means", [*MEANS.values(), [0.0, 1.0], [0.3, 0.3], [0.9, 0.0, 0.9, 0.5]])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
def test_slopes(means, epsilon):
    """Eq. 5 is never below eq. 7, which is never below the bound without privacy; the limits are as stated."""
    bound = theory.lower_bound_slope(means, epsilon)
    assert bound == pytest.approx(slope(means, epsilon), rel=1e-12)
    assert bound >= theory.azize2022_slope(means, epsilon) * (1 - 1e-12)
    assert theory.azize2022_slope(means, epsilon) >= theory.lai_robbins_slope(means) * (1 - 1e-12)
    suboptimal = sum(mean < max(means) for mean in means)
    assert theory.lower_bound_slope(means, 1e-7) == pytest.approx(suboptimal / 1e-7, rel=1e-5)
    if max(means) < 1 and min(means) > 0:
        assert theory.lower_bound_slope(means, 30.0) == pytest.approx(theory.lai_robbins_slope(means), rel=1e-12)


@pytest.mark.parametrize(("mean", "best"), [(0.1, 0.8), (0.7, 0.75), (0.01, 0.99)])
def test_regime_change(mean, best):
    """From there on d_eps is kl, and below it is less (eq. 8)."""
    change = theory.regime_change(mean, best)
    assert literal.d_eps(mean, best, 1.001 * change) == pytest.approx(kl(mean, best), rel=1e-12)
    assert literal.d_eps(mean, best, 0.9 * change) < kl(mean, best) * (1 - 1e-6)
    assert theory.regime_change(0.0, best) == theory.regime_change(mean, 1.0) == math.inf


# --- regret over time ------------------------------------------------------------------------------------


def test_regret_over_time(over_time, runs):
    figure, texts, numbers = draw("regret-over-time", over_time)
    keys = ["environment", "epsilon", "title", "round"]
    columns = ["mean", "mean_low", "mean_high", "runs"]
    pd.testing.assert_frame_equal(numbers[columns], input_rows(numbers, over_time, keys, columns))
    # Two environments, two budgets, four private algorithms and IMED in each, four rounds from 100 on.
    assert len(numbers) == 4 * 5 * 4 and set(numbers["round"]) == set(ROUNDS[2:])
    assert numbers["panel"].nunique() == 4 and (numbers.groupby("panel")["title"].nunique() == 5).all()
    for text in (
        "round t",
        "pseudo-regret (rewards)",
        "µ₁, ε = 0.1",
        "µ₂ = (0.8, 0.5, 0.1)",
        f"{runs} runs",
        "T = ",
    ):
        assert text in texts
    # One legend serves all panels.
    assert all(title in texts for title in (*ALGORITHMS.values(), "IMED"))
    assert ("worst run" in texts) == ("maximum" in numbers) == (runs == MANY)
    # A row of means, and one of runs for each of two algorithms: their shades do not mix.
    assert len(figure.axes) == (12 if runs == MANY else 4)


def ends(*highs):
    """Return a panel for each upper end of DP-IMED's interval, whose mean is least of private ones; IMED is not."""
    rows = [
        (panel, "mu1", title, panel if private else np.nan, mean, mean - 1.0, mean + high, FEW)
        for panel, high in enumerate(highs, start=1)
        for title, private, mean in (("DP-IMED", True, 10.0), ("DP-SE", True, 20.0), ("IMED", False, 1.0))
    ]
    names = ["panel", "environment", "title", "epsilon", "mean", "mean_low", "mean_high", "runs"]
    return pd.DataFrame(rows, columns=names)


def test_a_winner_is_named_where_intervals_are_apart():
    """Of two panels with overlapping intervals nobody wins, whoever has the least mean; IMED is not private."""
    start = "In this set of 20 runs one interval lies below all others in"
    none = "In this set of 20 runs no private algorithm's interval lies below all others'"
    assert _lowest(ends(30.0, 9.5)) == f"{none} in any of 2 panels"
    assert _lowest(ends(30.0)) == none
    assert _lowest(ends(30.0, 8.5)) == f"{start} 1 of 2 panels (DP-IMED's at ε = 2)"
    assert _lowest(ends(8.5, 8.5)) == f"{start} 2 of 2 panels (DP-IMED's at ε = 1 and 2)"


def test_a_title_of_few_runs_says_what_many_say():
    """They have no lowest interval, another one, the same with another mean, or the same."""
    few = ends(8.5, 8.5).assign(all_runs=MANY)

    def of_all(imed, se, half=1.0):
        means = few["title"].map({"DP-IMED": imed, "DP-SE": se, "IMED": 1.0})
        return few.assign(all_mean=means, all_mean_low=means - half, all_mean_high=means + half)

    said = "In this set of 20 runs one interval lies below all others in 2 of 2 panels (DP-IMED's at ε = 1 and 2)"
    for table, words in (
        (of_all(12.0, 20.0, 5.0), "none does there"),
        (of_all(12.0, 9.0), "DP-SE's does there"),
        (of_all(12.0, 20.0), "DP-IMED's does there"),
        (of_all(100.0, 200.0), "DP-IMED's does there, but its mean is 100, not 10"),
    ):
        assert _lowest(table) == f"{said}; with {MANY} runs {words}"
    apart = pd.concat([of_all(12.0, 9.0)[lambda t: t["panel"] == 1], of_all(12.0, 20.0)[lambda t: t["panel"] == 2]])
    assert _lowest(apart).endswith("with 200 runs DP-SE's does at ε = 1 and DP-IMED's does at ε = 2")
    # As many runs as there are say no more.
    assert _lowest(of_all(12.0, 9.0).assign(all_runs=FEW)) == said


def test_few_runs_are_read_beside_all(tmp_path):
    """A row of the paper's runs has the mean of all runs of its cell at its round; a row of all runs has not."""
    rows = [("full", 1, 200, 7.0), ("full", 2, 200, 8.0), ("published", 1, 20, 3.0), ("published", 2, 20, 4.0)]
    table = pd.DataFrame(rows, columns=["version", "round", "runs", "mean"]).assign(
        cell="c", mean_low=0.0, mean_high=9.0
    )
    table.to_csv(tmp_path / "a.csv", index=False)
    few, many = (read(version, [tmp_path / "a.csv"], {})[0] for version in ("published", "full"))
    assert few[["mean", "all_mean", "all_runs"]].to_numpy().tolist() == [[3.0, 7.0, 200.0], [4.0, 8.0, 200.0]]
    assert "all_mean" not in many and many["mean"].tolist() == [7.0, 8.0]


def test_tails_are_shown_of_the_chosen(over_time, runs):
    *_, numbers = draw("regret-over-time", over_time, tails=["DP-IMED"])
    if runs == MANY:
        tailed = numbers[numbers["q95"].notna()]
        assert set(tailed["title"]) == {"DP-IMED"}
        keys, columns = ["environment", "epsilon", "title", "round"], ["q50", "q95", "q99", "maximum"]
        expected = input_rows(tailed, over_time, keys, columns)
        pd.testing.assert_frame_equal(tailed[columns].reset_index(drop=True), expected)


def test_drawn_curves_are_the_numbers(over_time):
    """The first line of the first panel is the first algorithm's mean."""
    figure, _, numbers = draw("regret-over-time", over_time)
    first = numbers[(numbers["panel"] == numbers["panel"].iloc[0]) & (numbers["title"] == "DP-SE")]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_xydata(), first[["round", "mean"]])


def test_an_algorithm_with_two_parameters_is_two_curves(over_time, runs):
    other = pd.concat([over_time, cell("dp-imed-1.5", "DP-IMED", "mu1", 0.1, runs, ROUNDS, 1.5)])
    _, texts, numbers = draw("regret-over-time", other, without=["IMED"])
    assert {"dp-imed", "dp-imed-1.5", "DP-SE"} <= set(numbers["title"]) and "dp-imed-1.5" in texts
    assert "IMED" not in set(numbers["title"])


def test_no_round_is_left(over_time):
    for kind in ("regret-over-time", "regret-slope"):
        with pytest.raises(BadInput, match=r"options\.first_round: 10001 is not allowed.* 10000"):
            draw(kind, over_time, first_round=10001)


@pytest.mark.parametrize("kind", ["regret-over-time", "mean-regret"])
def test_without_a_private_algorithm_there_is_no_panel(kind: str) -> None:
    shown = cell("imed", "IMED", "mu1", np.nan, FEW, ROUNDS)
    with pytest.raises(BadInput, match=r"experiments: \['IMED'\] is not allowed.* private"):
        drawing(kind, {}, shown, {})


# --- regret over the budget ------------------------------------------------------------------------------


def test_regret_over_epsilon(over_epsilon, runs):
    _, texts, numbers = draw("regret-over-epsilon", over_epsilon)
    mean = input_rows(numbers, over_epsilon, ["epsilon"], ["mean", "sd"])
    np.testing.assert_array_equal(numbers["mean"], mean["mean"])
    bound = [slope(MEANS["mu2"], epsilon) * math.log(10**7) for epsilon in numbers["epsilon"]]
    np.testing.assert_allclose(numbers["lower_bound"], bound, rtol=1e-12)
    np.testing.assert_allclose(numbers["mean/bound"], mean["mean"] / bound, rtol=1e-12)
    if runs == FEW:
        np.testing.assert_allclose(numbers["sd_high"] - numbers["mean"], mean["sd"], rtol=1e-9)
    assert ("median" in texts) == ("q50" in numbers) == (runs == MANY)
    for text in ("privacy budget ε", "α = 1.1", "lower bound (Theorem 3.1)", "10⁷", f"{runs} runs"):
        assert text in texts
    # One arm's change of regime is at 3.58, the other's at 1.39: both beyond this axis.
    assert "ε* = 1.39, 3.58 on, beyond this axis" in texts


def test_budgets_whose_band_reaches_the_bottom_are_counted(over_epsilon, runs):
    """Where the deviation is above the mean; elsewhere the axis goes below the band, in both panels."""
    times = np.full(12, 0.5)
    times[[3, 7]], times[5] = 2.0, 0.99
    wide = over_epsilon.assign(sd=times * over_epsilon["mean"].to_numpy())
    figure, texts, _ = draw("regret-over-epsilon", wide)
    assert ("above the mean at 2 of 12 budgets" in texts) == (runs == FEW)
    for axes in figure.axes if runs == FEW else ():
        edge = axes.collections[0].get_paths()[0].vertices
        bottom = axes.get_ylim()[0]
        assert len(set(edge[np.isclose(edge[:, 1], bottom), 0])) == 2 and edge[:, 1].min() >= bottom * (1 - 1e-9)
    assert "above the mean" not in draw("regret-over-epsilon", over_epsilon.assign(sd=0.5))[1]


def test_two_budgets_have_one_step(over_epsilon, runs):
    """Of few runs the title says how far neighbours are apart, of two budgets as of twelve."""
    two = over_epsilon.head(2)
    _, texts, numbers = draw("regret-over-epsilon", two)
    one, other = numbers["mean/bound"]
    jump = f"up to {number(max(one / other, other / one), 2)}-fold"
    assert (jump in texts) == (runs == FEW)


def test_regime_change_is_marked(over_epsilon):
    wider = over_epsilon.assign(epsilon=over_epsilon["epsilon"] * 3)
    figure, texts, _ = draw("regret-over-epsilon", wider)
    assert "ε* = 1.39 on: privacy is free for an arm" in texts and "ε* = 1.39, 3.58" not in texts
    assert "ε* = 3.58 on, beyond this axis" in texts
    marks = [line for axes in figure.axes for line in axes.lines if "ε*" in str(line.get_label())]
    at = theory.regime_change(0.5, 0.8)
    assert [line.get_xdata()[0] for line in marks] == [pytest.approx(at)] * 2 and at == pytest.approx(
        1.39, abs=0.005
    )


def test_regret_over_epsilon_is_of_one_algorithm(over_time):
    with pytest.raises(BadInput, match="one algorithm in one environment"):
        draw("regret-over-epsilon", over_time)


# --- slopes ----------------------------------------------------------------------------------------------


def test_regret_slope(slopes, runs):
    figure, texts, numbers = draw("regret-slope", slopes)
    keys, columns = ["title", "epsilon", "alpha", "round"], ["mean", "mean_low", "mean_high", "q50"]
    expected = input_rows(numbers, slopes, keys, columns)
    bound = np.array([slope(MEANS["mu2"], epsilon) for epsilon in numbers["epsilon"]])
    np.testing.assert_allclose(numbers["bound_slope"], bound, rtol=1e-12)
    np.testing.assert_allclose(numbers[columns].mul(bound * np.log(numbers["round"]), axis=0), expected, rtol=1e-12)
    assert numbers["round"].min() == 10 and len(numbers) == 2 * 2 * 3 * 5
    assert len(figure.axes) == 2 * 4
    for text in ("mean: DP-IMED, µ₂, ε = 0.1", "α = 1.1", "α = 3", "round T", "Theorem 4.3", f"{runs} runs"):
        assert text in texts


# --- the claim -------------------------------------------------------------------------------------------


def test_final_regret(over_time, runs):
    # A second experiment with the same environment: its runs without a budget are the same runs.
    more = over_time[over_time["epsilon"].isin([0.1, np.nan]) & (over_time["environment"] == "mu1")]
    more = more.assign(experiment="other", epsilon=more["epsilon"].replace(0.1, 0.5))
    table = pd.concat([over_time, more])
    figure, texts, numbers = draw("final-regret", table)
    last = table[table["round"] == table["horizon"]].drop_duplicates(["environment", "epsilon", "title"])
    assert len(numbers) == len(last) == 2 * (4 * 2 + 1) + 4
    keys, columns = ["environment", "epsilon", "title"], ["mean", "mean_low", "mean_high", "runs"]
    found = input_rows(numbers, last, keys, columns)
    pd.testing.assert_frame_equal(numbers[columns].reset_index(drop=True), found)
    assert len(figure.axes) == 4
    for text in ("privacy budget ε", "µ₁", "IMED", "DP-SE", "claim: up to 10 times", f"{runs} runs"):
        assert text in texts
    _, texts, _ = draw("final-regret", table, claimed=3)
    assert "claim: up to 3 times" in texts


def test_times_less():
    """Best and worst are by the mean; the interval is unbounded where the divisor's reaches 0."""
    rows = [("A", 40.0, 35.0, 45.0), ("B", 90.0, 80.0, 100.0), ("X", 10.0, 5.0, 15.0), ("Y", 20.0, -2.0, 42.0)]
    table = pd.DataFrame(rows, columns=["title", "mean", "mean_low", "mean_high"]).assign(
        environment="e", epsilon=1.0
    )
    free = pd.DataFrame([("F", 1.0, 1.0, 1.0, "e", np.nan)], columns=table.columns)
    found = times_less(pd.concat([table, free]), ["X", "Y"]).set_index("title")
    assert set(found["best_title"]) == {"A"} and set(found["worst_title"]) == {"B"}
    shown = found[["ratio", "ratio_low", "ratio_high", "worst_ratio"]]
    assert shown.loc["X"].tolist() == pytest.approx([4.0, 35 / 15, 9.0, 9.0])
    assert shown.loc["Y"].tolist() == pytest.approx([2.0, 35 / 42, math.inf, 4.5])


def test_final_regret_names_what_is_missing(over_time):
    with pytest.raises(BadInput, match=r"options\.ours: 'DP-IMD' is not allowed.*did you mean 'DP-IMED'"):
        draw("final-regret", over_time, ours=["DP-IMD"])


# --- style -----------------------------------------------------------------------------------------------


def test_labels_at_ends_do_not_overlap():
    """In the order of the ends, at least the gap apart, and where there is room at the end itself."""
    _, (axes,) = _style.panels(1, 1)
    axes.set(yscale="log", xlim=(1, 10), ylim=(1, 1000))
    ends = {"high": 900.0, "b": 10.1, "a": 10.0, "c": 10.2, "low": 1.5}
    _style.label_ends(axes, {title: (end, _style.Look("black", "-")) for title, end in ends.items()}, gap=0.1)
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert list(heights) == ["low", "a", "b", "c", "high"]
    assert np.diff(list(heights.values())).min() >= 0.1 - 1e-12
    assert heights["high"] == pytest.approx(math.log10(900) / 3) and heights["b"] == pytest.approx(1 / 3, abs=0.01)


def test_words():
    table = pd.DataFrame({"title": ["A", "B", "C"], "runs": [10000, 400, 400]})
    assert _style.runs(table) == "10,000 runs (400 of B, C)" and _style.runs(table[:1]) == "10,000 runs"
    assert _style.runs(table.assign(runs=10**15)) == "10¹⁵ runs"
    assert [symbol(label) for label in ("mu1", "mu-fig8", "mu", "multi", "near")] == [
        "µ₁",
        "µ-fig8",
        "µ",
        "multi",
        "near",
    ]


def test_a_lower_mean_whose_interval_overlaps_is_counted() -> None:
    """Of three settings with a lower mean one is open; the fourth has a higher one."""
    rows = [
        {"environment": "mu1", "title": title, "epsilon": epsilon, "statistic": statistic, "value": mean}
        for title, means in (("DP-IMED", (9.0, 5.0, 2.0, 1.0)), ("DP-IMED, long start", (1.0, 1.0, 1.5, 2.0)))
        for epsilon, mean in zip((0.01, 0.1, 0.5, 1.0), means, strict=True)
        for statistic in ("mean", "median")
    ]
    table = pd.DataFrame(rows).assign(runs=MANY, horizon=1000, lower_bound=1.0)
    table = table.assign(low=table["value"] - 0.4, high=table["value"] + 0.4)
    options = {"titles": ["DP-IMED", "DP-IMED, long start"], "statistics": ["mean", "median"]}
    figure, _ = drawing("regret-law", options, pd.DataFrame(), {"regret-law": table})
    assert "lowers DP-IMED's mean in 3 of 4 settings (in 1 the intervals overlap)" in " ".join(
        figure.texts[0].get_text().split()
    )


def test_medians_are_of_settings_that_are_counted() -> None:
    """Where no run is bad, nothing is drawn, and the medians there are not told: neither three times nor half."""
    shares, medians = (0.2, 0.1, 0.0), (2.0, 4.0, 9.0)
    rows = [
        {"title": title, "epsilon": epsilon, "statistic": statistic, "value": times * value}
        for title, factors in (("DP-IMED", (1.0, 1.0)), ("Forgetting DP-IMED", (0.5, 1.5)))
        for statistic, values, times in zip(("far", "median"), (shares, medians), factors, strict=True)
        for epsilon, value in zip((0.1, 0.5, 1.0), values, strict=True)
    ]
    table = pd.DataFrame(rows).assign(environment="mu1")
    table.loc[(table["statistic"] == "median") & (table["epsilon"] == 1.0), "value"] = [1.0, 3.0]
    assert _forgetting(table) == (
        "If DP-IMED forgets old rewards, it has fewer bad runs in 2 of 2 settings; "
        "there its median is 1.5 to 1.5 times as high"
    )


def test_a_factor_that_is_kept_is_not_rounded_down() -> None:
    """All of DP-IMED's numbers are within 2.72 times the predicted ones, so within 2.8 and not within 2.7."""
    row = {"environment": "mu1", "title": "DP-IMED", "epsilon": 0.1, "runs": MANY, "horizon": 1000}
    table = pd.DataFrame([{**row, **dict.fromkeys(("mean", "median", "q99", "predicted", "typical"), 10.0)}])
    figure, _ = drawing("best-arm-path", {}, pd.DataFrame(), {"it": table.assign(predicted_q99=10.0 / 2.72)})
    assert "within a factor of 2.8" in " ".join(figure.texts[0].get_text().split())


def test_an_empty_panel_says_why() -> None:
    """Of runs of which none is far above the median there is no share to draw; the panel and the legend say so."""
    shares = [
        {"environment": environment, "title": title, "epsilon": epsilon, "statistic": "far", "value": value}
        for environment, value in (("mu1", 0.0), ("mu2", 0.01))
        for title in ("DP-IMED", "AdaP-KLUCB")
        for epsilon in (0.1, 1.0)
    ]
    table = pd.DataFrame(shares).assign(low=0.0, high=0.1, runs=MANY, horizon=1000)
    table.loc[table["title"] == "AdaP-KLUCB", "value"] = 0.0
    options = {"titles": ["DP-IMED", "AdaP-KLUCB"], "statistics": ["far"]}
    figure, _ = drawing("regret-law", options, pd.DataFrame(), {"regret-law": table})
    told = {axes.get_title(loc="left")[:2]: [text.get_text() for text in axes.texts] for axes in figure.axes}
    assert told == {"µ₁": ["no data on this scale:\nno run is above 20 medians"], "µ₂": []}
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["DP-IMED"]
    assert "No such run at all: AdaP-KLUCB" in figure.texts[1].get_text()


@pytest.mark.parametrize("loc", ["center", "left"])
@pytest.mark.parametrize("long", [0, 1])
def test_a_long_title_fits(loc: Literal["center", "left"], long: int) -> None:
    """Titles become smaller until no end is cut, all of a figure's panels alike; short ones keep their size.

    Of titles at the left the first does not reach into the second.
    """
    figure, panels = _style.panels(2, 2)
    figure.suptitle("a short title", fontsize=10)
    words = ["short", "short"]
    words[long] = "a title of a panel that is by far too long for the half of a figure"
    titles = [panel.set_title(text, fontsize=10, loc=loc) for panel, text in zip(panels, words, strict=True)]
    fit_titles(figure)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in (*figure.texts, *titles)]
    for box in boxes:
        assert box.x0 > 0.0
        assert box.x1 < figure.bbox.width
    assert loc == "center" or boxes[1].x1 < boxes[2].x0
    sizes = [text.get_fontproperties().get_size_in_points() for text in (*figure.texts, *titles)]
    assert sizes[0] == 10.0
    assert sizes[1] == sizes[2] < 10.0
