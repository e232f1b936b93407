"""Own rewards: tables, frames, functions and files; each wrong one is refused in a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpbandits
from dpbandits.core.errors import BadInput
from dpbandits.notebook.rewards import rewards

TABLE = np.random.default_rng(1).integers(0, 2, (300, 3)).astype(float)


def pays(t: int, arm: int) -> float:
    """Return an arm's reward of the table."""
    return float(TABLE[t].tolist()[arm])


def test_all_ways_give_the_same_runs(tmp_path: Path) -> None:
    """An array, a frame, a function and a CSV file of the same numbers."""
    file = tmp_path / "mine.csv"
    pd.DataFrame(TABLE, columns=list("abc")).to_csv(file, index=False)
    ways: list[Any] = [TABLE, pd.DataFrame(TABLE), file, TABLE.tolist()]
    made = [*map(rewards, ways), rewards(pays, rounds=300)]
    regrets = [
        dpbandits.simulate("dp-imed", environment=each, epsilon=1.0, horizon=300, seeds=3).regret for each in made
    ]
    for regret in regrets[1:]:
        np.testing.assert_array_equal(regret, regrets[0])


def test_a_function_need_not_know_its_arms() -> None:
    """A formula pays whatever arm it is asked for; their number is said, or asked for."""
    table = rewards(lambda t, arm: (t + arm) % 2, rounds=3, arms=2)
    assert table["rewards"] == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    with pytest.raises(BadInput, match="a number of arms"):
        rewards(lambda *_: 0.5, rounds=3)


def test_means_alone_are_a_bernoulli_bandit() -> None:
    """A row of means, as a table of logs has after grouping."""
    assert rewards([0.25, 0.5]) == {"kind": "bernoulli", "means": [0.25, 0.5]}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (np.full((3, 2), np.nan), "rewards.0.0"),
        (np.full((3, 2), 1.5), "1.5"),
        (np.ones((3, 1)), "shape"),
        (np.ones((3, 2, 2)), "shape"),
        ([], "shape"),
        (["a", "b"], "numbers in"),
        ("nowhere.csv", "CSV"),
        (pays, "rounds"),
        (TABLE[:, 0], r"shape \(300,\) of zeros and ones.*a log is none"),
    ],
    ids=["nan", "range", "one arm", "three axes", "empty", "texts", "no file", "no rounds", "a log"],
)
def test_what_is_no_table_is_refused(given: Any, told: str) -> None:
    """With the place of the first wrong number."""
    with pytest.raises(BadInput, match=told):
        rewards(given)


def test_ends_of_tables_and_functions() -> None:
    """One row of two means; numbers from 0 to 1; shapes that are said; two to ten thousand arms."""
    assert rewards([[0.0, 1.0]]) == {"kind": "bernoulli", "means": [0.0, 1.0]}
    assert rewards([[0.0, 1.0], [1.0, 0.5]], rounds=2, arms=2)["rewards"] == [[0.0, 1.0], [1.0, 0.5]]
    for about, told in (({"rounds": 3}, "rounds: 3.*2, as the table"), ({"arms": 3}, "arms: 3.*2, as the table")):
        with pytest.raises(BadInput, match=told):
            rewards([[0.0, 1.0], [1.0, 0.5]], **about)
    for value, place in ((-1e-9, r"rewards\.1\.0"), (1.0 + 1e-9, r"rewards\.1\.0"), (1j, "rewards")):
        with pytest.raises(BadInput, match=place):
            rewards([[0.0, 1.0], [value, 0.5]])
    with pytest.raises(BadInput, match="from 2 to 10,000"):
        rewards(lambda *_: 0.5, rounds=1, arms=1)
    with pytest.raises(BadInput, match="from 2 to 10,000"):
        rewards(lambda *_: 0.5, rounds=1, arms=10_001)
    many = range(10_001)
    assert len(rewards(lambda _, arm: many[arm + 1] and 0.5, rounds=1)["means"]) == 10_000
    with pytest.raises(BadInput, match="raises no IndexError"):
        rewards(lambda _, arm: many[arm] * 0.0, rounds=1)
    with pytest.raises(BadInput, match="a function of round and arm"):
        rewards(lambda _: 0.5, rounds=1)
