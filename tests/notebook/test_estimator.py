"""The adapter in scikit-learn's style, and the frame of algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dpbandits
from dpbandits.core import registry
from dpbandits.core.errors import BadInput


def made(**changes: Any) -> dpbandits.BanditEstimator:  # type: ignore[name-defined]
    """Return an adapter with two arms by name."""
    return dpbandits.BanditEstimator(**{"arms": ["a", "b"], "epsilon": 1.0, "random_state": 3, **changes})


def test_it_plays_as_its_policy() -> None:
    """Arms by their names, the same decisions and the same spending; a changed argument begins again."""
    one, other = made(), dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=3)
    for _ in range(60):
        arm = other.choose()
        assert one.predict() == "ab"[arm]
        other.update(arm, float(arm))
        one.partial_fit(["ab"[arm]], np.array([float(arm)]))
    assert one.spent() == other.spent()
    assert one.spent().epsilon == 1.0
    assert one.set_params(epsilon=2.0).spent().epsilon == 0.0


def test_it_can_be_cloned() -> None:
    """By scikit-learn's rule: the class, called with what `get_params` returns, has the same objects."""
    one = made(parameters={"n0": 4})
    copy = type(one)(**one.get_params(deep=False))
    assert all(copy.get_params()[name] is value for name, value in one.get_params().items())


def test_it_simulates() -> None:
    """The runs of `dpbandits.simulate` with the random state as root seed, for any number of threads."""
    same = dpbandits.simulate("dp-imed", means=[0.9, 0.1], epsilon=1.0, horizon=500, seeds=9, root_seed=3)
    for jobs in (1, 3):
        np.testing.assert_array_equal(made(n_jobs=jobs).simulate([0.9, 0.1], 500, 9).regret, same.regret)


@pytest.mark.parametrize(
    ("decisions", "rewards", "match"),
    [
        (["a", "b"], [1.0, 1.0], "one decision and its reward"),
        (["c"], [1.0], r"'c' is not allowed; allowed: one of \['a', 'b'\]"),
        (["b"], [1.0], "0, which choose"),
        (["a"], [1.5], "a number from 0 to 1"),
    ],
)
def test_what_is_refused(decisions: list[str], rewards: list[float], match: str) -> None:
    """One line, and nothing is learned."""
    one = made(random_state=1)
    while one.predict() != "a":
        one.partial_fit(["b"], [0.0])
    with pytest.raises(BadInput, match=match):
        one.partial_fit(decisions, rewards)
    with pytest.raises(BadInput, match="one of algorithm"):
        one.set_params(arm=2)


def test_algorithms_as_a_frame() -> None:
    """A row for each, without an empty cell where something is private."""
    frame = dpbandits.algorithms()
    assert frame.index.tolist() == list(registry.importable("algorithm"))
    assert (frame[frame["privacy"] != "none"] != "").all(axis=None)
    assert set(frame.loc[frame["privacy"] == "none", "neighbours"]) == {""}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({}, "BanditEstimator('dp-imed')"),
        ({"arms": ["a", "b"], "epsilon": 1.0}, "BanditEstimator('dp-imed', arms=['a', 'b'], epsilon=1.0)"),
        ({"arms": np.array([1, 2])}, "BanditEstimator('dp-imed', arms=array([1, 2]))"),
    ],
)
def test_it_says_what_it_is(given: dict[str, Any], shown: str) -> None:
    """By the call that makes it, and no address."""
    assert repr(dpbandits.BanditEstimator(**given)) == shown


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"arms": 3}, "arms: 3 is not allowed; allowed: a list of names"),
        ({"arms": "ab"}, "arms: 'ab'"),
        ({"arms": ["a", "a"]}, "allowed: each name once"),
        ({"parameters": 3}, "parameters: 3"),
        ({"parameters": {3: 4}}, "parameters: 3 is not allowed; allowed: parameters of dp-imed"),
        ({"parameters": {"epsilon": 4}}, "parameters: 'epsilon'"),
        ({"random_state": "x"}, "random_state: 'x'"),
        ({"algorithm": 3}, "algorithm: 3"),
    ],
)
def test_what_it_cannot_be_made_of(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        dpbandits.BanditEstimator(**{"epsilon": 1.0, **given}).predict()
    assert told in str(caught.value)


def test_rewards_come_one_by_one() -> None:
    with pytest.raises(BadInput, match="a list of one decision"):
        dpbandits.BanditEstimator(epsilon=1.0).partial_fit(0, 1)
