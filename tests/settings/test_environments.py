"""Environments by hand: losses and rewards, the ends of their parameters, and the first neighbouring tables."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from dpbandits.core.environment import Environment, Neighbours
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial.environments import (
    bernoulli_gap,
    drifting_means,
    hardest_gap,
    late_improvement,
    periodic,
)
from dpbandits.settings.experts.environments import advice_table, hardest_expert_gap, one_good_expert
from dpbandits.settings.full_information import instances
from dpbandits.settings.full_information.environments import (
    bernoulli_losses,
    deterministic_losses,
    discrete_losses,
    equal_gaps,
    geometric_gaps,
    hidden_action,
    loss_vector_table,
)
from dpbandits.settings.linear import scenario
from dpbandits.settings.linear.environments import actions, collinear_basis, cube, linear_reward_table, sphere
from dpbandits.settings.linear.problem import BERNOULLI, GAUSSIAN, UNIFORM
from dpbandits.settings.stochastic.environments import bernoulli, reward_table

TUNING = Tuning(100, 4, 0.25, 9)
# By the names that a configuration has.
KINDS: dict[str, Environment] = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module.ENVIRONMENT
    for module in (
        bernoulli_gap,
        drifting_means,
        hardest_gap,
        late_improvement,
        periodic,
        advice_table,
        hardest_expert_gap,
        one_good_expert,
        bernoulli_losses,
        deterministic_losses,
        discrete_losses,
        equal_gaps,
        geometric_gaps,
        hidden_action,
        loss_vector_table,
        actions,
        collinear_basis,
        cube,
        linear_reward_table,
        sphere,
        bernoulli,
        reward_table,
    )
}


def checked(kind: str, **given: Any) -> dict[str, Any]:
    """Return an environment's parameters, checked."""
    return dict(KINDS[kind].check(given))


def made(kind: str, tuning: Tuning = TUNING, **given: Any) -> Any:
    """Return an environment as kernels read it."""
    return KINDS[kind].problem(checked(kind, **given), tuning)


def first(kind: str, number: int, rounds: int, arms: int) -> list[Neighbours]:
    """Return an environment's first pairs of neighbouring inputs."""
    fixed = KINDS[kind].fixed
    assert fixed
    return list(itertools.islice(fixed.neighbours(rounds, arms, np.random.default_rng(1)), number))


# Of an environment: what is allowed at the ends, and what is not, beyond them.
GAP: dict[str, Any] = {"arms": 3, "gap": 0.2}
GOOD: dict[str, Any] = {"experts": 3, "actions": 2}
RANDOM: dict[str, Any] = {"arms": 3, "dimension": 2}
NORMAL = {"kind": "gaussian", "sigma": 1}
SENT = {"probability": 0.2, "attack": "flip", "size": 2.0, "of": "rewards"}
ENDS: list[tuple[str, dict[str, Any], str, list[Any], list[Any]]] = [
    ("bernoulli-gap", GAP, "arms", [2, 10**6], [1, 10**6 + 1]),
    ("bernoulli-gap", GAP, "gap", [0, 0.5], [-0.01, 0.51]),
    ("bernoulli-gap", GAP, "level", [0.2, 1], [0.19, 1.01]),
    ("drifting-means", GAP, "arms", [2, 10**6], [1, 10**6 + 1]),
    ("drifting-means", GAP, "gap", [0, 1], [-0.01, 1.01]),
    ("drifting-means", GAP, "growth", [1.01, 100], [1.0, 101]),
    ("hardest-gap", {"arms": 3}, "arms", [2, 10**6], [1, 10**6 + 1]),
    ("hardest-gap", {"arms": 3}, "scale", [0, 1e6], [-0.1, 1.1e6]),
    ("hardest-gap", {"arms": 3}, "model", ["central", "local"], ["shared"]),
    ("late-improvement", {}, "improves", [None, 0.01, 0.99, 1, 50], [0.0, 1.0, 0, True, "1", -0.5]),
    ("periodic", {}, "losses", [[[0, 1]]], [[[0]], [], [[0, 1.1]], [[0, 1], [0]]]),
    ("advice-table", {"losses": [[0, 1]]}, "advice", [[[[1, 0]]], [[[0.5, 0.5 + 9e-10]]]], [[[[0.5, 0.5 + 2e-9]]]]),
    ("advice-table", {"losses": [[0, 1]]}, "advice", [], [[], [[[1, 0]]] * 2, [[[1]]], None]),
    ("advice-table", {"losses": [[0, 1]] * 2}, "advice", [[[[1, 0]]] * 2], [[[[1, 0]], [[1, 0]] * 2]]),
    ("one-good-expert", {**GOOD, "gap": 0.5}, "level", [0.5, 1], [0.49, 1.01]),
    ("one-good-expert", {**GOOD, "gap": 0.1}, "experts", [1], [0]),
    ("one-good-expert", {**GOOD, "gap": 0.1}, "actions", [2], [1]),
    ("one-good-expert", {**GOOD, "gap": 0.1}, "period", [1], [0]),
    ("one-good-expert", {**GOOD, "gap": 0.1}, "nu", [0, 1], [-0.1, 1.1]),
    ("one-good-expert", {**GOOD, "gap": 0.1}, "seed", [0, 2**32], [-1, 2**32 + 1]),
    ("one-good-expert", {"actions": 10**4, "period": 10**3, "gap": 0.1}, "experts", [10], [11]),
    ("hardest-expert-gap", GOOD, "scale", [0, 1e6], [-1, 1e7]),
    ("equal-gaps", GAP, "arms", [2, 10**6], [1, 10**6 + 1]),
    ("geometric-gaps", GAP, "arms", [3], [2]),
    ("hidden-action", {**GAP, "arms": 5}, "arms", [4], [3]),
    ("equal-gaps", GAP, "gap", [1e-9, 1], [0.0, 1.1]),
    ("equal-gaps", GAP, "best", [0, 0.8], [-0.1, 0.81]),
    ("geometric-gaps", GAP, "best", [0], [0.01]),
    (
        "discrete-losses",
        {"values": [[0, 1], [1]]},
        "probabilities",
        [[[0.5, 0.5], [1]]],
        [[[0.5, 0.5]], [[1], [1]]],
    ),
    ("discrete-losses", {"values": [[0, 1], [1]]}, "probabilities", [], [[[0.5, 0.6], [1]], [[0.5, 0.5], [0.9]]]),
    ("deterministic-losses", {}, "means", [[0, 1]], [[0], [0, 1.1], [-0.1, 1]]),
    ("loss-vector-table", {}, "losses", [[[0, 1]]], [[[0]], [[0, 2]]]),
    ("bernoulli", {}, "means", [[0, 1]], [[0.5], [0, 1.1]]),
    ("reward-table", {}, "rewards", [[[0, 1]]], [[[0]], [[0, 2]]]),
    ("collinear-basis", {"dimension": 2, "angle": 1}, "dimension", [2, 1000], [1, 1001]),
    ("collinear-basis", {"dimension": 2, "angle": 1}, "angle", [1e-300, math.pi / 2], [0.0, 1.58]),
    ("collinear-basis", {"dimension": 2, "angle": 1}, "length", [1e-300, 1], [0.0, 1.1]),
    ("sphere", RANDOM, "arms", [2, 10**6], [1, 10**6 + 1]),
    ("sphere", RANDOM, "dimension", [1, 1000], [0, 1001]),
    ("sphere", RANDOM, "draw", [0, 2**62], [-1, 2**62 + 1]),
    ("cube", RANDOM, "length", [1e-300, 1], [0.0, 1.1]),
    ("cube", RANDOM, "noise", [NORMAL, {"kind": "uniform", "width": 1}], [{**NORMAL, "sigma": 0.0}, {}, "uniform"]),
    (
        "cube",
        RANDOM,
        "noise",
        [{"kind": "bernoulli"}],
        [{**NORMAL, "sigma": 1.1}, {"kind": "bernoulli", "sigma": 1}],
    ),
    ("cube", RANDOM, "corruption", [SENT, {**SENT, "probability": 0}], [{**SENT, "probability": 0.25}, "flip"]),
    ("cube", RANDOM, "corruption", [{**SENT, "size": 1e100}], [{**SENT, "size": -1}, {**SENT, "size": 2e100}]),
    ("actions", {"theta": [1, 0]}, "actions", [[[0.6, 0.8]]], [[[0.6, 0.81]], [[0, 0]], [], [[1]], [[True, 0]]]),
    ("actions", {"actions": [[1, 0]]}, "theta", [[0, 0], [1, 1e-7]], [[1, 2e-6], [], [1], ["1", 0], [math.inf, 0]]),
    ("linear-reward-table", {"actions": [[1]]}, "rewards", [[[-1e100], [1e100]]], [[[1, 2]], [[2e100]], []]),
]


@pytest.mark.parametrize(("kind", "given", "key", "right", "wrong"), ENDS)
def test_ends_of_parameters(kind: str, given: dict[str, Any], key: str, right: list[Any], wrong: list[Any]) -> None:
    """What is at the end is allowed, what is beyond it is not."""
    for value in right:
        found = checked(kind, **{**given, key: value})[key]
        assert found == value and not isinstance(found, bool)
    for value in wrong:
        with pytest.raises(BadInput):
            checked(kind, **{**given, key: value})


def test_defaults() -> None:
    """Of what is left out."""
    assert checked("bernoulli-gap", **GAP)["level"] == 0.5 and checked("drifting-means", **GAP)["growth"] == 1.6
    assert checked("hardest-gap", arms=3) == {"arms": 3, "model": "central", "scale": 1.0}
    found = {"advice": "dense", "nu": 0.1, "level": 0.5, "period": 10, "seed": 0}
    assert checked("one-good-expert", **GOOD, gap=0.1) == {**GOOD, **found, "gap": 0.1}
    assert checked("hardest-expert-gap", **GOOD) == {**GOOD, **found, "model": "conversion", "scale": 1.0}
    assert checked("equal-gaps", **GAP) == {**GAP, "best": 0.0, "losses": "bernoulli"}
    corruption = {"probability": 0.0, "attack": "constant", "size": 0.0, "of": "reports"}
    shared = {"noise": {"kind": "bernoulli"}, "corruption": corruption}
    assert checked("sphere", **RANDOM) == {**RANDOM, "draw": 0, "length": 1.0, **shared}
    assert checked("collinear-basis", dimension=2, angle=1.0)["length"] == 1.0


def test_adversarial_losses() -> None:
    """The first arm is better by the gap; phases grow, every other one is high; the second arm improves late."""
    found = made("bernoulli-gap", **GAP, level=0.6).losses
    assert found.means.tolist() == [[pytest.approx(0.4), 0.6, 0.6]] and found.bernoulli and found.starts[-1] == 100
    assert drifting_means.phases(20, 1.6) == [1, 2, 3, 4, 7, 3] and drifting_means.phases(3, 1.6) == [1, 2]
    drift = made("drifting-means", Tuning(20, 3, None), **GAP).losses
    assert drift.starts.tolist() == [0, 1, 3, 6, 10, 17, 20] and drift.bernoulli
    np.testing.assert_allclose(drift.means, [[0.0, 0.2, 0.2], [0.8, 1.0, 1.0]] * 3)
    for improves, starts in ((None, [0, 100]), (0.25, [0, 25, 100]), (1, [0, 1, 100]), (99, [0, 99, 100])):
        late = made("late-improvement", improves=improves).losses
        assert late.starts.tolist() == starts and not late.bernoulli
        assert late.means.tolist() == [[0.5, 1.0], [0.5, 0.0]][: len(starts) - 1]
    assert made("late-improvement", improves=100).losses.starts.tolist() == [0, 100]
    assert made("late-improvement", improves=0.001).losses.starts.tolist() == [0, 1, 100]
    cycle = made("periodic", losses=[[0, 1], [0.5, 0.25]]).losses
    assert cycle.starts.tolist() == [0, 1, 2] and cycle.means.tolist() == [[0, 1], [0.5, 0.25]]
    assert cycle.before.tolist() == [[0, 0], [0, 1], [0.5, 1.25]] and not cycle.bernoulli


def test_hardest_gaps() -> None:
    """At T = 100, K = 4, N = 9, epsilon = 1/4; at most 1/2, or the level."""

    def gap(**given: Any) -> float:
        return hardest_gap.hardest_gap(checked("hardest-gap", arms=4, **given), TUNING)

    assert [gap(), gap(scale=0.5), gap(model="local", scale=0.5), gap(model="local"), gap(scale=2.0)] == [
        *(0.4, 0.2, 0.4, 0.5, 0.5)
    ]
    free = {"arms": 4, "model": "local", "scale": 1.0}
    assert hardest_gap.hardest_gap(free, TUNING._replace(epsilon=None)) == pytest.approx(0.2)
    drawn = made("hardest-gap", arms=4, scale=0.5).losses
    assert drawn.means.tolist() == [[pytest.approx(0.3), 0.5, 0.5, 0.5]] and drawn.bernoulli

    def experts(model: str, epsilon: float | None = 0.25, **given: Any) -> float:
        about = checked("hardest-expert-gap", experts=9, actions=4, model=model, level=1.0, **given)
        return hardest_expert_gap.hardest_gap(about, TUNING._replace(horizon=10_000, epsilon=epsilon))

    root = math.sqrt(4 * math.log(9) / 10_000)
    assert experts("none") == pytest.approx(root) == experts("local", None)
    assert experts("conversion") == pytest.approx(math.sqrt(9 / 2500))
    assert experts("local") == pytest.approx(4 * root) and experts("local", scale=0.5) == pytest.approx(2 * root)
    assert experts("batched") == pytest.approx(2 * (3 / 2500) ** (1 / 3))
    assert experts("local", scale=1e6) == 1.0


def test_advice() -> None:
    """Best actions have less loss; the first expert follows them; others do at random."""
    assert one_good_expert.concentrated(np.array([[1, 0]]), 3, 0.1).tolist() == [
        [[0.05, 0.9, 0.05], [0.9, 0.05, 0.05]]
    ]
    about = {"experts": 4, "actions": 3, "gap": 0.2, "period": 5, "seed": 3}
    for kind in ("dense", "near-deterministic"):
        found = made("one-good-expert", **about, advice=kind)
        assert found.advice.shape == (5, 3, 4) and found.means.shape == (5, 3)
        assert (np.sort(found.means, axis=1) == [0.5 - 0.2, 0.5, 0.5]).all()
        best = found.means.argmin(axis=1)
        np.testing.assert_array_equal(found.advice[:, :, 0], one_good_expert.concentrated(best, 3, 0.1))
        np.testing.assert_allclose(found.advice.sum(axis=1), 1.0)
        assert (found.advice >= 0.0).all() and len(set(best.tolist())) > 1
        np.testing.assert_allclose(found.followed.losses.means[:, 0], 0.9 * 0.3 + 0.1 * 0.5)
        assert found.followed.losses.bernoulli
    assert {0.05, 0.9} == set(found.advice.ravel().round(12).tolist())
    assert advice_table.advice_of(np.array([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]
    dense = one_good_expert._dense(np.random.default_rng(0), (300, 1), 3, 0.0)
    assert abs(dense.mean(axis=0) - 1 / 3).max() < 0.05
    # Uniform on the simplex: a coordinate has the variance 1/18.
    assert dense[..., 0].var() == pytest.approx(1 / 18, rel=0.25)


def test_expert_neighbours() -> None:
    """First all lose alike, then none; in one round that is another, and the last round decides nothing."""
    pairs = first("advice-table", 6, 3, 2)
    each = [[[1, 0], [0, 1]]] * 3
    assert all(pair.one["advice"] == each for pair in pairs[:4])
    assert [pair.one["losses"] for pair in pairs[:4]] == [[[0, 0]] * 3] * 2 + [[[1, 1]] * 3] * 2
    assert [pair.round for pair in pairs[:4]] == [1, 2, 1, 2]
    assert pairs[1].other["losses"] == [[0, 0], [1, 1], [0, 0]]
    shown = first("advice-table", 40, 3, 2)[4:]
    mixed = [pair.one["advice"] != each for pair in shown]
    assert 8 < sum(mixed) < 28
    table = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert advice_table.behind(table, 9) == {
        **{"kind": "advice-table", "losses": [[0, 1], [1, 1]]},
        "advice": [[[1, 0], [0, 1]]] * 2,
    }
    periodic = first("periodic", 5, 3, 2)
    assert [pair.one["losses"] for pair in periodic[:4]] == [[[0, 0]] * 3] * 2 + [[[1, 1]] * 3] * 2
    assert periodic[3].other["losses"] == [[1, 1], [0, 0], [1, 1]] and [p.round for p in periodic[:4]] == [
        1,
        2,
        1,
        2,
    ]
    drawn = periodic[4]
    assert sum(a != b for a, b in zip(drawn.one["losses"], drawn.other["losses"], strict=True)) == 1


def test_neighbours_of_loss_tables() -> None:
    """One action loses always and in the last round of an epoch does not, the longest epoch first."""
    pairs = first("loss-vector-table", 8, 8, 3)
    assert [pair.round for pair in pairs[:6]] == [7, 3, 1] * 2
    assert pairs[0].one["losses"] == [[1, 0, 0]] * 8 and pairs[3].one["losses"] == [[0, 1, 1]] * 8
    assert pairs[0].other["losses"] == [[1, 0, 0]] * 6 + [[0, 1, 1]] + [[1, 0, 0]]
    alone, drawn = pairs[6:]
    assert alone.round == drawn.round and alone.one["losses"][alone.round - 1] == [1, 0, 0]
    assert set(map(tuple, alone.one["losses"])) <= {(1, 0, 0), (0, 0, 0), (1, 1, 1)}
    fixed = KINDS["loss-vector-table"].fixed
    assert fixed and fixed.behind and fixed.together
    table = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert fixed.behind(table, 2) == {"kind": "loss-vector-table", "losses": [[0, 1], [1, 1]]}
    assert fixed.behind(table, 3) == {"kind": "deterministic-losses", "means": [0.5, 1.0]}
    assert made("loss-vector-table", Tuning(2, 2, None), losses=[[0, 1]] * 3).table.tolist() == [[0, 1]] * 2
    with pytest.raises(BadInput, match="at most 3"):
        made("loss-vector-table", Tuning(4, 2, None), losses=[[0, 1]] * 3)


def test_neighbours_of_reward_tables() -> None:
    """Ties at both ends, then in the middle, then leads of one arm that grow by eight hundredths."""
    pairs = first("reward-table", 12, 4, 2)
    assert [pair.one["rewards"] for pair in pairs[:6]] == [[[1, 1]] * 4] * 3 + [[[0, 0]] * 4] * 3
    assert [pair.round for pair in pairs[:6]] == [1, 2, 3] * 2 and pairs[4].other["rewards"][1] == [1, 1]
    assert [pair.one["rewards"] for pair in pairs[6:8]] == [
        [[1, 1], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5]],
        [[1, 1], [0, 0], [0.5, 0.5], [0.5, 0.5]],
    ]
    assert all(pair.other["rewards"][0] == [0, 0] and pair.round == 1 for pair in pairs[6:8])
    leads = [[[1, 0]], [[0, 1]] * 2, [[1, 0]] * 3, [[0, 1]] * 4]
    others = [[[0, 0]] * 3, [[1, 1]] * 2, [[0, 0]], []]
    assert [pair.one["rewards"] for pair in pairs[8:]] == [
        lead + rest for lead, rest in zip(leads, others, strict=True)
    ]
    assert [pair.other["rewards"][0] for pair in pairs[8:]] == [[0, 1], [1, 0]] * 2
    long = first("reward-table", 8 + 44, 100, 2)[8:]
    sizes = [sum(row[0] != row[1] for row in pair.one["rewards"]) for pair in long]
    assert sizes[:15] == [*range(1, 16)] and sizes[23:27] == [24, 25, 27, 29] and sizes[-1] <= 100
    assert len(first("reward-table", 3, 1, 2)[0].one["rewards"]) == 1
    fixed = KINDS["reward-table"].fixed
    assert fixed and fixed.behind
    table = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert fixed.behind(table, 2) == {"kind": "reward-table", "rewards": [[0, 1], [1, 1]]}
    assert fixed.behind(table, 3) == {"kind": "bernoulli", "means": [0.5, 1.0]}


def test_full_information_losses() -> None:
    """Gaps above the best action's loss; shorter lists are filled up; conditional probabilities."""
    assert made("equal-gaps", **GAP, best=0.25).means.tolist() == [0.25, 0.45, 0.45]
    hidden = made("hidden-action", arms=5, gap=0.25, losses="deterministic")
    assert hidden.means.tolist() == [0, 0.25, 0.25, 1, 1] and hidden.values.tolist() == [
        [0],
        [0.25],
        [0.25],
        [1],
        [1],
    ]
    np.testing.assert_allclose(made("geometric-gaps", arms=4, gap=0.25).means, [0, 0.25, 0.5, 1])
    found = made("discrete-losses", values=[[0, 0.5, 1], [0.25]], probabilities=[[0.25, 0.25, 0.5], [1]])
    assert found.values.tolist() == [[0, 0.5, 1], [0, 0, 0.25]]
    np.testing.assert_allclose(found.conditional, [[0.25, 1 / 3, 1], [0, 0, 1]])
    assert found.means.tolist() == [0.625, 0.25] and found.gaps.tolist() == [0.375, 0]
    coins = made("bernoulli-losses", means=[0.25, 0.5])
    assert coins.values.tolist() == [[1, 0]] * 2 and coins.conditional.tolist() == [[0.25, 1], [0.5, 1]]
    assert coins.gaps.tolist() == [0, 0.25]
    gaps = instances.grouped(np.array([0.5, 0.0, 0.5, 0.25]))
    assert gaps.gaps.tolist() == [0, 0.25, 0.5] and gaps.multiplicities.tolist() == [1, 1, 2]
    assert (gaps.arms, gaps.smallest, gaps.each().tolist()) == (4, 0.25, [0, 0.25, 0.5, 0.5])


def test_linear_actions() -> None:
    """A basis with an angle; random points of norm 1 or in the cube; noise with its scale."""
    basis = made("collinear-basis", dimension=3, angle=math.pi / 3, length=0.5)
    np.testing.assert_allclose(basis.actions, [[1, 0, 0], [0, 1, 0], [0.5, 0, math.sqrt(0.75)]])
    np.testing.assert_allclose(basis.means, [0.5, 0, 0.25])
    np.testing.assert_allclose(basis.gaps, [0, 0.5, 0.25])
    ball = made("sphere", arms=50, dimension=3, length=0.5, noise={"kind": "gaussian", "sigma": 0.25})
    norms = np.linalg.norm(ball.actions, axis=1)
    assert (norms <= 1.0).all() and norms.min() > 1.0 - 1e-12 and ball.noise == (GAUSSIAN, 0.25)
    cube = made("cube", arms=200, dimension=4, noise={"kind": "uniform", "width": 0.5})
    assert (
        0.49 < abs(cube.actions).max() <= 0.5 and abs(cube.actions.mean()) < 0.05 and cube.noise == (UNIFORM, 0.5)
    )
    assert made("cube", **RANDOM).noise == (BERNOULLI, 0.0)
    _, theta = scenario.random_instance(checked("sphere", arms=2, dimension=3, length=0.5), scenario.on_sphere)
    assert np.linalg.norm(theta) == pytest.approx(0.5)
    facts = KINDS["cube"].facts
    noises = [{"kind": "bernoulli"}, {"kind": "gaussian", "sigma": 0.5}, {"kind": "uniform", "width": 0.5}]
    assert [facts(checked("cube", **RANDOM, noise=noise))["bound"] for noise in noises] == [1.0, 3.0, 1.5]
    assert facts(checked("cube", **RANDOM, corruption=SENT)) == {"dimension": 2.0, "corruption": 0.2, "bound": 1.0}


@pytest.mark.parametrize(
    ("attack", "fixed", "factor"),
    [
        ("constant", [2, 2, 2], 0),
        ("outlier", [2, 2, 2], 0),
        ("flip", [0, 0, 0], -2),
        # Second less best is (-0.5, 0.5): of inner products -1/2, 1/2, 0.
        ("second-best", [-2, 2, 0], 0),
        ("threshold", [-2, 2, 0], 0),
    ],
)
def test_attacks(attack: str, fixed: list[float], factor: float) -> None:
    """The best action is the first, the second-best the third."""
    sent = {**SENT, "attack": attack, "size": 2.0}
    found = made("actions", actions=[[1, 0], [0, 1], [0.5, 0.5]], theta=[0.5, 0.1], corruption=sent).corruption
    np.testing.assert_allclose(found.fixed, fixed, atol=1e-12)
    assert (found.factor, found.probability, found.of_reports) == (factor, 0.2, False)
    assert (found.single, found.adaptive) == (attack == "outlier", attack == "threshold")
    equal = made("actions", actions=[[1, 0], [1, 0]], theta=[0.5, 0.1], corruption={**sent, "of": "reports"})
    assert np.isfinite(equal.corruption.fixed).all() and equal.corruption.of_reports


def test_neighbours_of_linear_tables() -> None:
    """One reward is low among high ones; on crossed actions, of which an odd number lacks the first's opposite."""
    assert linear_reward_table.crossed(4).tolist() == [[1, 0], [0, 1], [-1, 0], [0, -1]]
    assert linear_reward_table.crossed(3).tolist() == [[1, 0], [0, 1], [0, -1]]
    pairs = first("linear-reward-table", 6, 3, 3)
    assert [pair.round for pair in pairs[:4]] == [1, 2, 1, 2]
    assert [pair.one["rewards"][pair.round - 1] for pair in pairs[:4]] == [[-1] * 3] * 2 + [[-3] * 3] * 2
    assert pairs[1].one["rewards"][0] == [3] * 3 and pairs[1].other["rewards"][1] == [1] * 3
    for pair in pairs[4:]:
        actions, rewards = np.array(pair.one["actions"]), np.array(pair.one["rewards"])
        np.testing.assert_allclose(np.linalg.norm(actions, axis=1), 1 / 1.001)
        assert actions.shape == (3, 2) and len(set(abs(rewards).ravel().tolist())) == 1
        assert pair.other["rewards"][pair.round - 1] == (-rewards[pair.round - 1]).tolist()
    fixed = KINDS["linear-reward-table"].fixed
    assert fixed and fixed.behind
    table = np.array([[0.0, 1.0], [1.0, 1.0]])
    behind = fixed.behind(table, 2)
    assert behind == {"kind": "linear-reward-table", "actions": [[1], [-1]], "rewards": [[-1, 1], [1, 1]]}
    assert fixed.behind(table, 3) == {"kind": "actions", "actions": [[1], [-1]], "theta": [0]}
    given = {"actions": [[1, 0], [0, 1]], "rewards": [[1, 2], [3, 4]]}
    assert made("linear-reward-table", Tuning(1, 2, None), **given).table.tolist() == [[1, 2]]
    assert KINDS["linear-reward-table"].facts(given) == {**{"dimension": 2.0, "corruption": 0.0, "bound": 1.0}}


def test_numbers_of_arms_and_experts() -> None:
    """As kernels have them."""
    known = {
        "bernoulli-gap": GAP,
        "drifting-means": GAP,
        "late-improvement": {"improves": None},
        "periodic": {"losses": [[0, 1, 1]]},
        "advice-table": {"losses": [[0, 1, 1]], "advice": [[[1, 0, 0]] * 2]},
        "one-good-expert": {"experts": 2, "actions": 3, "gap": 0.1},
        "actions": {"actions": [[1], [0.5], [0.1]], "theta": [1]},
        "discrete-losses": {"values": [[0], [1], [1]], "probabilities": [[1]] * 3},
    }
    of = {kind: KINDS[kind] for kind in known}
    found = {
        kind: (of[kind].arms(checked(kind, **given)), of[kind].experts(given)) for kind, given in known.items()
    }
    assert found == dict.fromkeys(known, (3, 0)) | {
        "late-improvement": (2, 0),
        "advice-table": (3, 2),
        "one-good-expert": (3, 2),
    }
