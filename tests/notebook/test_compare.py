"""Comparisons say what intervals say, never more; the lottery counts what it says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.notebook.compare import compared, comparison_row, lottery
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
