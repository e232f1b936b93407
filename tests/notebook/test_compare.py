"""Comparisons say what intervals say, never more; the lottery counts what it says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.claims.estimate import Estimate
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.core.verdicts import OPEN
from dpbandits.notebook import compare
from dpbandits.notebook.compare import Compared, compared, comparison_row, lottery
from dpbandits.notebook.simulated import Simulated

JOB = {
    "algorithm": "dp-imed",
    "parameters": {},
    "environment": {"kind": "bernoulli", "means": [0.9, 0.1]},
    "epsilon": 1.0,
    "horizon": 10_000,
}


def runs(regret: np.ndarray) -> Simulated:
    """Return runs with this regret at the horizon."""
    number = len(regret)
    pulls = np.column_stack([np.full(number, 9000), np.full(number, 1000)])
    return Simulated(regret[:, None], np.array([10_000]), pulls, np.arange(number), JOB)


@pytest.mark.budget(2)
@pytest.mark.parametrize(
    ("sets", "alarms", "found"), [(12, 4, 11), pytest.param(200, 22, 190, marks=pytest.mark.slow)]
)
def test_levels_and_power(sets: int, alarms: int, found: int) -> None:
    """Equal laws are "not decided" in nearly all of 200 sets; a factor of 2 is decided in nearly all.

    False-alarm rate: with a level of 5 % more than 22 of 200, or 4 of 12, have a probability below 1e-3. Limits of
    means leave room for a rare run that none has shown, so that 1,000 runs decide less than a t test would.
    """
    random = np.random.default_rng(3)
    words = {"equal": [], "different": []}
    for _ in range(sets):
        one, other = random.gamma(4.0, 25.0, (2, 1000))
        words["equal"].append(compared(runs(one), runs(other)).verdict("mean"))
        words["different"].append(compared(runs(one), runs(2.0 * other)).verdict("mean"))
    assert sum(word != "not decided" for word in words["equal"]) <= alarms
    assert sum(word == "less" for word in words["different"]) >= found


def test_runs_that_never_settle_are_those_that_seldom_pull_a_best_arm() -> None:
    """Below half of the rounds, and not at half; two best arms are one; other environments are unknown."""
    pulls = np.array([[9000, 1000], [5000, 5000], [4999, 5001], [0, 10_000]])
    settled = Simulated(np.ones((4, 1)), np.array([10_000]), pulls, np.arange(4), JOB)
    assert comparison_row(settled, "a")["never_settled"] == 0.5
    both = {**JOB, "environment": {"kind": "bernoulli", "means": [0.9, 0.1, 0.9]}}
    parts = np.array([[4000, 2000, 4000], [2000, 6000, 2000]])
    assert comparison_row(Simulated(np.ones((2, 1)), settled.rounds, parts, np.arange(2), both), "a")[
        "never_settled"
    ] == pytest.approx(0.5)
    other = {**JOB, "environment": {"kind": "gaussian-bandit", "means": [0.9, 0.1]}}
    unknown = Simulated(np.ones((4, 1)), settled.rounds, pulls, np.arange(4), other)
    assert np.isnan(comparison_row(unknown, "a")["never_settled"])


def test_more_runs_never_weaken_a_decision() -> None:
    """The same truth with four times the runs keeps the word, and is seen more sharply."""
    random = np.random.default_rng(4)
    one, other = random.gamma(4.0, 25.0, (2, 4000))
    few = compared(runs(one[:1000]), runs(2.0 * other[:1000]))
    many = compared(runs(one), runs(2.0 * other))
    assert few.verdict("mean") == many.verdict("mean") == "less"
    assert many.visible("mean") < few.visible("mean")


def test_the_sentence_says_how_many_runs_would_decide() -> None:
    """Twenty runs of nearly equal laws."""
    random = np.random.default_rng(5)
    one, other = random.gamma(1.0, 100.0, (2, 20))
    found = compared(runs(one), runs(1.2 * other), ("a", "b"))
    assert "not decided: needs about" in found.sentence()
    assert found.needed("mean") > 20


def test_what_differs_is_not_compared() -> None:
    """Another horizon, or one run alone."""
    other = Simulated(np.ones((3, 1)), np.array([5]), np.ones((3, 2), int), np.arange(3), {**JOB, "horizon": 5})
    with pytest.raises(BadInput, match="horizon"):
        compared(runs(np.ones(3)), other)
    with pytest.raises(BadInput, match="at least two runs"):
        compared(runs(np.ones(1)), runs(np.ones(3)))


def test_lottery() -> None:
    """A rare large run turns the order of means of few runs about as often as it is missed."""
    rare = np.array([50.0] * 190 + [3000.0] * 10)
    frame = pd.DataFrame({"algorithm": ["rare"] * 200 + ["sure"] * 200, "regret": [*rare, *([100.0] * 200)]})
    (row,) = lottery(frame, 20).to_dict("records")
    # 20 runs miss every large one with a probability of 0.95 ** 20 = 0.358; one of them makes a mean of 197.5.
    assert (row["first"], row["second"]) == ("sure", "rare")
    assert row["otherwise"] == pytest.approx(0.358, abs=0.02)
    with pytest.raises(BadInput, match="a column 'regret'"):
        lottery(frame.rename(columns={"regret": "loss"}))


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    """A table, a sentence, a picture; wrong input is one line."""
    words = [
        "compare",
        "dp-imed",
        "dp-klucb",
        "--means",
        "0.9,0.5",
        "--epsilon",
        "1",
        "--horizon",
        "2000",
    ]
    assert main([*words, "--runs", "40", "--plot", f"{tmp_path}/both.png"]) == 0
    shown = capsys.readouterr().out
    assert "regret" in shown
    assert "nine times in ten" in shown
    for wrong, told in ((["--plot", "x.txt"], ".png"), (["--runs", "0"], "runs")):
        assert main([*words, *wrong]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1


def ratio(value: float, low: float, high: float) -> Compared:
    """Return a comparison of 100 runs with one ratio, of means."""
    found = Estimate(value, low, high, lambda _: (1.0, 1.0))
    return Compared(("a", "b"), pd.DataFrame(), {"mean": found, "median": found}, 100)


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [((0.5, 0.99), "less"), ((0.5, 1.0), OPEN.value), ((1.0, 2.0), OPEN.value), ((1.01, 2.0), "more")],
)
def test_an_interval_that_ends_at_1_decides_nothing(interval: tuple[float, float], verdict: str) -> None:
    """An interval beyond it does."""
    assert ratio(0.7, *interval).verdict("mean") == verdict


def test_what_runs_would_show() -> None:
    """From e^-d to e^d times the estimate: d / 1.96 is a standard deviation, of which 1.96 + 1.28 are seen."""
    found = ratio(1.5, 1.5 / 1.4, 1.5 * 1.4)
    assert found.visible("mean") == pytest.approx(1.4 ** ((1.959964 + 1.281552) / 1.959964), rel=1e-6)
    assert found.needed("mean") == 100.0
    wide = ratio(1.5, 1.5 / 4.0, 1.5 * 4.0)
    assert wide.needed("mean") == pytest.approx(100.0 * (math.log(4.0) / math.log(1.5)) ** 2)
    near = ratio(1.0, 0.5, 2.0)
    assert near.needed("mean") == pytest.approx(100.0 * 10.0**2)
    for low, high in ((0.0, 2.0), (0.5, math.inf)):
        assert ratio(1.0, low, high).needed("mean") == ratio(1.0, low, high).visible("mean") == math.inf
    assert near.sentence().startswith(
        "Which has less mean regret is not decided: needs about 10,000 runs of each. "
        "a has 1 [0.5, 2] times that of b."
    )
    assert "not decided. a has" in ratio(1.0, 0.0, 2.0).sentence()
    assert ratio(0.5, 0.25, 0.75).sentence().startswith("a has less mean regret than b: 0.5 [0.25, 0.75] times.")
    assert near.row()["median_low"] == 0.5 and near.row()["mean_high"] == 2.0
    with pytest.raises(BadInput, match="statistic"):
        near.verdict("means")


def test_numbers_of_runs_are_rounded_up() -> None:
    """To two digits; below 100 they are whole."""
    assert [compare._rounded(value) for value in (1.0, 9.5, 20.1, 99.0, 100.0, 101.0, 1234.0, 98765.0)] == [
        *(1, 10, 21, 99, 100, 110, 1300, 99_000)
    ]


def test_bounds_of_regret() -> None:
    """The best mean less the worst, in each round; twice the horizon, where means are not those of rewards."""
    assert compare._regret_range(runs(np.ones(2))) == (0.0, pytest.approx(8000.0))
    other = {**JOB, "environment": {"kind": "gaussian-bandit", "means": [0.9, 0.1]}}
    unknown = Simulated(np.ones((2, 1)), np.array([10_000]), np.ones((2, 2), int), np.arange(2), other)
    assert compare._regret_range(unknown) == (-20_000.0, 20_000.0)
    row = comparison_row(runs(np.arange(101.0)), "x")
    assert (row["algorithm"], row["runs"], row["q95"], row["q99"], row["largest"]) == ("x", 101, 95.0, 99.0, 100.0)


def test_the_ends_of_a_lottery() -> None:
    """Two names of two runs each; only the last round counts; one to a million runs; draws in parts are as many."""
    rows = {"algorithm": list("aabbb"), "regret": [1.0, 2.0, 3.0, 4.0, 9.0], "round": [5, 5, 5, 5, 4]}
    frame = pd.DataFrame(rows)
    assert lottery(frame, 1).to_dict("records") == [{"first": "a", "second": "b", "runs": 1, "otherwise": 0.0}]
    (told,) = lottery(pd.DataFrame({**rows, "regret": [3.0, 3.0, 1.0, 2.0, 9.0]}), 1).to_dict("records")
    assert (told["first"], told["second"], told["otherwise"]) == ("b", "a", 0.0)
    for wrong, key in ((frame[frame["algorithm"] == "a"], "algorithm"), (frame.iloc[1:4], "algorithm")):
        with pytest.raises(BadInput, match=key):
            lottery(wrong, 1)
    for count in (0, 10**6 + 1):
        with pytest.raises(BadInput, match=r"1,000,000"):
            lottery(frame, count)
    with pytest.raises(BadInput, match="finite numbers"):
        lottery(frame.replace(4.0, np.inf), 1)
    assert compare._means(np.array([1.0, 3.0]), 2, np.random.default_rng(1)).shape == (compare.DRAWS,)


@pytest.mark.parametrize("names", [("a",), ("a", ""), ("a", "a"), "ab", ("a", 1)])
def test_two_names_are_asked_for(names: object) -> None:
    """Two texts that differ; without them those of the algorithms."""
    one, other = runs(np.arange(1.0, 5.0)), runs(np.arange(2.0, 6.0))
    with pytest.raises(BadInput, match="names"):
        compared(one, other, names)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="other runs than these"):
        compared(one, one)
    assert compared(one, runs(np.arange(1.0, 8.0))).runs == 4
