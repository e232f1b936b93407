"""Policies are called round by round, refuse what is not allowed, account for what they spend, and go on to the
bit."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbandits
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.policies import algorithms
from dpbandits.policies.base import Policy
from dpbandits.policies.experts.advised import Advised
from dpbandits.policies.noise import discrete_laplace

NAMES = sorted(registry.modules("algorithm"))
ADVICE = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]
ACTIONS = [[1.0, 0.0], [0.0, 1.0], [0.7, 0.7], [-0.5, 0.4]]
HORIZON = 600
# What a reward spends where it is not the budget: see the algorithm's statement.
TWICE = {"rnm-ftnl-exponential"}


def make(name: str, seed: Any = 3, **more: Any) -> Policy:
    """Return an algorithm's policy, with its default constants."""
    declared, setting = registry.algorithm(name), registry.setting("algorithm", name)
    given: dict[str, Any] = {"epsilon": 0.5} if declared.privacy is not None else {}
    if setting == "linear":
        given["actions"] = ACTIONS
    else:
        given["arms"] = 3
    if setting == "experts":
        given["experts"] = 4
    return dpbandits.policy(name, seed=seed, horizon=HORIZON, **(given | more))


def reward(policy: Policy, rng: np.random.Generator) -> Any:
    """Return a random reward of a policy's kind."""
    if policy.feedback == "losses":
        return rng.random(policy.arms)
    return float(rng.uniform(-1.0 if policy.low < 0 else 0.0, 1.0))


def choose(policy: Policy) -> int:
    """Return the next action, under advice that is the same each round."""
    return policy.choose(ADVICE) if isinstance(policy, Advised) else policy.choose()


def play(policy: Policy, rounds: int, seed: int) -> list[int]:
    """Return the actions of some rounds."""
    rng = np.random.default_rng(seed)
    actions = []
    for _ in range(rounds):
        actions.append(choose(policy))
        policy.update(actions[-1], reward(policy, rng))
    return actions


def test_every_algorithm_has_one() -> None:
    assert sorted(algorithms()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_on_to_the_bit(name: str, tmp_path: Path) -> None:
    """A policy that is saved, in the middle of a batch and between choice and reward, goes on as the one that
    was not."""
    one = make(name)
    play(one, 173, 1)
    choose(one)
    one.save(tmp_path / "policy.json")
    # The same rewards follow, so the same noise tells nothing.
    two = dpbandits.load_policy(tmp_path / "policy.json", again=True)
    assert play(one, 400, 2) == play(two, 400, 2)
    assert one.spent() == two.spent()
    for policy, file in ((one, "one.json"), (two, "two.json")):
        policy.save(tmp_path / file)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_seeds_decide(name: str) -> None:
    assert play(make(name), 60, 1) == play(make(name), 60, 1)
    assert make(name, seed=np.random.default_rng(3)).choose is not None


@pytest.mark.parametrize("name", NAMES)
def test_it_spends_its_budget_and_no_more(name: str) -> None:
    policy = make(name)
    assert policy.spent().epsilon == 0.0
    play(policy, HORIZON, 1)
    spent, declared = policy.spent(), registry.algorithm(name).privacy
    if declared is None:
        assert spent.epsilon == math.inf
        return
    if name == "dp-se":
        # Its first epoch is longer.
        assert spent.epsilon == 0.0
        play(policy, 10_000, 2)
        spent = policy.spent()
    assert spent.epsilon == pytest.approx(1.0 if name in TWICE else 0.5, rel=1e-9)
    assert (spent.delta > 0) == (declared.definition == "approximate")
    # Releases are of rewards that there have been.
    for entry in spent.releases:
        seen = policy.t if entry.arm is None else policy.counts[entry.arm]
        assert 1 <= entry.first <= entry.last <= seen
        assert (entry.last - entry.first + 1) % entry.releases == 0


def test_a_reward_in_two_releases_spends_twice() -> None:
    policy = make("dp-imed")
    play(policy, 50, 1)
    arm = max(range(3), key=policy.counts.__getitem__)
    policy.release(0.0, 2.0, 1.0, arm, policy.counts[arm])
    assert policy.spent().epsilon == pytest.approx(1.0)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_out_of_range_is_refused(name: str) -> None:
    """And nothing has been learned then: the same action waits for its reward."""
    policy = make(name)
    wrong: list[Any] = [math.nan, math.inf, "much", None]
    if policy.high == 1.0:
        wrong += [1.0000001, -7.0]
    if policy.feedback == "losses":
        wrong = [[0.1, 0.2], [0.1, 0.2, 1.5], [0.1, math.nan, 0.0], 0.3, "much"]
    with pytest.raises(BadInput, match="choose"):
        policy.update(0, 0.5)
    action = choose(policy)
    for value in wrong:
        with pytest.raises(BadInput):
            policy.update(action, value)
    with pytest.raises(BadInput, match="which choose"):
        policy.update(action + 1, reward(policy, np.random.default_rng(0)))
    assert policy.t == 0
    assert choose(policy) == action


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"name": "dp-imd"}, "did you mean 'dp-imed'"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": None}, "needs a privacy budget"),
        ({"arms": 0}, "arms"),
        ({"arms": True}, "arms"),
        ({"seed": "x"}, "seed"),
        ({"noise": "gauss"}, "noise"),
        ({"alpha": 0.5}, "alpha"),
        ({"omega": 1}, "omega"),
        ({"experts": 2}, "takes no advice"),
        ({"actions": ACTIONS}, "actions"),
        ({"name": "dp-se"}, "horizon: None is not allowed.*beta"),
        ({"name": "conversion", "base": "exp3"}, "horizon"),
        ({"name": "robust-elimination-m1", "arms": None, "actions": [[1.0], [math.nan]]}, "actions"),
        ({"name": "imed"}, "not private"),
        ({"name": "rnm-ftnl-gumbel", "noise": "discrete"}, "releases choices"),
    ],
)
def test_bad_input_is_said(given: dict[str, Any], where: str) -> None:
    with pytest.raises(BadInput, match=where):
        dpbandits.policy(**({"name": "dp-imed", "arms": 2, "epsilon": 1.0} | given))


@pytest.mark.parametrize("advice", [None, [[1.0, 0.0]], [[0.5, 0.2, 0.2]] * 4, [[2.0, -1.0, 0.0]] * 4, "all"])
def test_advice_is_checked(advice: Any) -> None:
    policy = make("exp4")
    assert isinstance(policy, Advised)
    with pytest.raises(BadInput, match="4 distributions over 3 actions"):
        policy.choose(advice)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.json"
    policy = make("dp-imed")
    play(policy, 40, 1)
    policy.save(file)
    content = json.loads(file.read_text())
    content["state"]["t"] = 7
    for text in (json.dumps(content), "", "[]", file.read_text()[:-20], "\x80"):
        (tmp_path / "damaged.json").write_text(text)
        with pytest.raises(BadInput, match="undamaged"):
            dpbandits.load_policy(tmp_path / "damaged.json")
    with pytest.raises(OSError, match="no such file"):
        dpbandits.load_policy(tmp_path / "absent.json")


def test_discrete_noise_has_its_law() -> None:
    """P(z) is (1 - q)/(1 + q) q^abs(z), q = exp(-1/scale): chi-square over 20,000 draws, at 1/1000."""
    from scipy import stats

    rng = np.random.default_rng(11)
    for scale in (Fraction(1, 3), Fraction(5, 2)):
        q = math.exp(-1 / scale)
        found = Counter(discrete_laplace(rng, scale) for _ in range(20_000))
        support = [z for z in range(-30, 31) if 20_000 * (1 - q) / (1 + q) * q ** abs(z) > 10]
        expected = [20_000 * (1 - q) / (1 + q) * q ** abs(z) for z in support]
        observed = [found[z] for z in support]
        rest = 20_000 - sum(expected), 20_000 - sum(observed)
        assert stats.chisquare([*observed, rest[1]], [*expected, rest[0]]).pvalue > 1e-3


def test_discrete_noise_lies_on_a_grid_and_spends_no_more() -> None:
    policy = make("dp-imed", noise="discrete")
    play(policy, 300, 4)
    assert policy.spent().epsilon <= 0.5
    assert {entry.law for entry in policy.spent().releases} == {"discrete laplace"}
    step = 2.0**-20
    assert all(S / step == int(S / step) for S in policy.S)


def test_a_policy_of_numpy_alone_needs_no_plans() -> None:
    """Making and playing one imports neither pandas, nor SciPy's statistics, nor what plans."""
    code = """
import dpbandits, sys
policy = dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=1)
policy.update(policy.choose(), 1)
print([name for name in ("pandas", "pydantic", "snakemake", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_policy_says_what_it_is() -> None:
    """Its class, arms, rounds and what it has spent; no address."""
    policy = dpbandits.policy("dp-imed", arms=2, epsilon=1.0)
    for _ in range(3):
        policy.update(policy.choose(), 1.0)
    assert repr(policy).startswith("<DpImed: 2 arms, 3 rounds, spent (ε, δ) = (")
