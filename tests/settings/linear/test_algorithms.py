"""What elimination promises on linear bandits, and its environments; what all promise is in `tests/contract`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpbandits.cli import main as cli
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.runs.job import Job, fill, make_job, prepare, run
from dpbandits.settings.linear.design import Design, approximate_design, support_bound
from dpbandits.settings.linear.elimination import M1, M2, Batch, Model, Rules, eliminate, known_threshold
from dpbandits.settings.linear.environments import actions, collinear_basis, cube, sphere
from dpbandits.settings.linear.theory import (
    derived_width_m1,
    known_width,
    printed_width_m1,
    printed_width_m2,
    theorem_3_4,
    theorem_3_9,
)

NAMES = sorted(name for name in registry.modules("algorithm") if registry.setting("algorithm", name) == "linear")
PRIVATE = [name for name in NAMES if registry.algorithm(name).privacy is not None]
SPHERE = {"kind": "sphere", "arms": 30, "dimension": 4}
CORRUPTED = {
    **SPHERE,
    "noise": {"kind": "gaussian", "sigma": 0.8},
    "corruption": {"probability": 0.1, "attack": "second-best", "size": 20, "of": "reports"},
}
ZERO = {"kind": "actions", "actions": [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], "theta": [-1.0, 0.0]}


def job(name: str, environment: dict[str, Any], T: int, checkpoints: int = 20, **given: Any) -> Job:
    epsilon = 2.0 if name in PRIVATE else None
    return make_job(name, given, environment, epsilon, T, checkpoints, 4)


def simulated(name: str, environment: dict[str, Any], T: int, runs: int = 5, **given: Any) -> Runs:
    """Return filled runs, after checking what holds of all."""
    one = job(name, environment, T, **given)
    filled, (_, bandit) = run(one, range(runs)), prepare(one, range(0))
    assert (filled.pulls >= 0).all()
    assert (filled.pulls.sum(axis=1) == T).all()
    assert np.isfinite(filled.regret).all()
    assert (np.diff(filled.regret, axis=1, prepend=0.0) >= -1e-9).all()
    assert (filled.regret <= bandit.gaps.max() * filled.rounds + 1e-9).all()
    assert filled.regret[:, -1] == pytest.approx(filled.pulls @ bandit.gaps, abs=1e-9 * T)
    return filled


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("environment", [SPHERE, CORRUPTED, ZERO], ids=["sphere", "corrupted", "zeros"])
def test_many_batches(name: str, environment: dict[str, Any]) -> None:
    """The account is right where actions are dropped, batch after batch."""
    simulated(name, environment, 30_000, runs=2)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("printed")])
def test_regret_per_round_falls_without_corruption(name: str) -> None:
    small, large = (simulated(name, SPHERE, T, runs=8).regret[:, -1].mean() / T for T in (10**4, 10**6))
    assert large < 0.5 * small


@pytest.mark.parametrize("model", [M1, M2], ids=["m1", "m2"])
def test_a_batch_is_described_as_it_is(model: Model) -> None:
    """What width and threshold see: sizes, the largest norm, noise and the second moment of a clean report."""
    seen: list[Batch] = []
    played: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def pulls(number: int, design: Design) -> NDArray[np.int64]:
        played.append((design.arms, np.arange(5, 5 + design.arms.size) * number))
        return played[-1][1]

    def width(batch: Batch) -> float:
        seen.append(batch)
        return 100.0

    complete = sphere.ENVIRONMENT.check({"arms": 30, "dimension": 4})
    bandit = sphere.ENVIRONMENT.problem(complete, Tuning(10**4, 30))
    runs = bandit.runs(streams(1, "described", np.arange(1)), np.array([10**4]))
    rules = Rules(range(1, 4), pulls, width, known_threshold, model, clip=3.0, scale=4.0)
    eliminate(runs, bandit, rules)
    assert [batch.number for batch in seen] == [1, 2, 3]
    for batch, (arms, counts) in zip(seen, played, strict=True):
        pooled, repeats = (counts.min(), np.ones(arms.size)) if model.aggregated else (1, counts)
        inverse = np.linalg.inv((bandit.actions[arms].T * repeats) @ bandit.actions[arms])
        assert batch.reach == pytest.approx(np.einsum("ki,ij,kj->k", bandit.actions, inverse, bandit.actions).max())
        assert (batch.dimension, batch.support, batch.reports) == (4, arms.size, repeats.sum())
        assert (batch.pooled, batch.scale) == (pooled, 4.0 / pooled)
        assert batch.second_moment == pytest.approx(1.0 + 1.0 / pooled + 2.0 * (4.0 / pooled) ** 2)


def test_a_batch_is_played_in_random_order() -> None:
    """The first action of the first batch is each of the design's equally often (false alarm: 1 in 1,000)."""
    runs, bandit = prepare(job("robust-elimination-m2", SPHERE, 300, checkpoints=300), range(2000))
    fill(job("robust-elimination-m2", SPHERE, 300), runs, bandit)
    arms = approximate_design(bandit.actions).arms
    first = [(np.abs(runs.regret[:, 0] - bandit.gaps[arm]) < 1e-12).sum() for arm in arms]
    assert sum(first) == 2000
    assert stats.chisquare(first).pvalue > 1e-3


@pytest.mark.parametrize("model", ["m1", "m2"])
@pytest.mark.parametrize(
    ("attack", "size"), [("constant", 100), ("flip", 100), ("second-best", 100), ("outlier", 1e6)]
)
def test_the_filter_withstands_what_least_squares_does_not(model: str, attack: str, size: float) -> None:
    environment = {
        "kind": "sphere",
        "arms": 100,
        "dimension": 4,
        "corruption": {"probability": 0.05, "attack": attack, "size": size, "of": "reports"},
    }
    robust, private = (
        simulated(f"{kind}-elimination-{model}", environment, 30_000, runs=10).regret[:, -1].mean() / 30_000
        for kind in ("robust", "private")
    )
    assert robust < 0.6 * private


def test_arms_can_be_permuted() -> None:
    """Which action is listed first changes no estimate: mean regrets agree within five standard errors."""
    random = np.random.default_rng(8)
    points = random.normal(size=(12, 3))
    points /= 1.001 * np.linalg.norm(points, axis=1, keepdims=True)
    regrets = []
    for order in (np.arange(12), random.permutation(12), np.arange(12)[::-1]):
        environment = {"kind": "actions", "actions": points[order].tolist(), "theta": [0.6, -0.3, 0.2]}
        regrets.append(simulated("robust-elimination-m2", environment, 3000, runs=200).regret[:, -1])
    for other in regrets[1:]:
        assert abs(other.mean() - regrets[0].mean()) < 5 * math.hypot(other.std(), regrets[0].std()) / math.sqrt(
            200
        )


def test_m1_refuses_more_reports_than_fit() -> None:
    with pytest.raises(BadInput, match=r"horizon: .* at most 1000000000: rewards are reported one by one"):
        run(job("robust-elimination-m1", SPHERE, 10**12), range(1))


CORRUPTION = {"probability": 0.1, "attack": "constant", "size": 5, "of": "reports"}


@pytest.mark.parametrize(
    ("environment", "where", "allowed"),
    [
        ({"kind": "actions", "actions": [], "theta": [1.0]}, "actions: []", "at least one action"),
        ({"kind": "actions", "actions": [[0.0]], "theta": [1.0]}, "actions: [[0.0]]", "not zero"),
        (
            {"kind": "actions", "actions": [[0.8, 0.7]], "theta": [1, 0]},
            "actions.0",
            "norm at most 1; its norm is 1.06",
        ),
        ({"kind": "actions", "actions": [[0.8]], "theta": [1, 0]}, "actions.0", "2 numbers"),
        ({"kind": "actions", "actions": [[math.nan, 0]], "theta": [1, 0]}, "actions.0", "numbers"),
        ({"kind": "actions", "actions": [[1.0, 0]], "theta": [1, 1]}, "theta", "norm at most 1"),
        ({"kind": "actions", "actions": [[True, 0]], "theta": [1, 0]}, "actions.0", "numbers"),
        ({"kind": "sphere", "arms": 1, "dimension": 3}, "arms: 1", "from 2"),
        ({"kind": "sphere", "arms": 10, "dimension": 0}, "dimension: 0", "from 1"),
        ({"kind": "sphere", "arms": 10.5, "dimension": 3}, "arms: 10.5", "an integer"),
        ({"kind": "sphere", "arms": 10}, "environment", "'dimension'"),
        ({"kind": "cube", "arms": 10, "dimension": 3, "length": 1.2}, "length: 1.2", "(0, 1]"),
        ({"kind": "cube", "arms": 10, "dimension": 3, "size": 1}, "size", "one of arms"),
        ({"kind": "collinear-basis", "dimension": 3, "angle": 0}, "angle: 0", "(0, pi/2]"),
        ({"kind": "collinear-basis", "dimension": 1, "angle": 0.1}, "dimension: 1", "from 2"),
        ({**SPHERE, "noise": {"kind": "cauchy"}}, "noise.kind: 'cauchy'", "gaussian"),
        ({**SPHERE, "noise": {"kind": "gaussian"}}, "noise", "'sigma'"),
        ({**SPHERE, "noise": {"kind": "gaussian", "sigma": 2}}, "noise.sigma: 2", "SubG(1)"),
        ({**SPHERE, "noise": "gaussian"}, "noise", "'kind'"),
        ({**SPHERE, "corruption": {**CORRUPTION, "probability": 0.25}}, "probability: 0.25", "[0, 0.25)"),
        ({**SPHERE, "corruption": {**CORRUPTION, "probability": -0.1}}, "probability: -0.1", "[0, 0.25)"),
        ({**SPHERE, "corruption": {**CORRUPTION, "attack": "fliip"}}, "attack: 'fliip'", "did you mean 'flip'?"),
        ({**SPHERE, "corruption": {**CORRUPTION, "size": 1e200}}, "size: 1e+200", "1e+100"),
        ({**SPHERE, "corruption": {**CORRUPTION, "of": "all"}}, "of: 'all'", "one of reports, rewards"),
        ({**SPHERE, "corruption": 0.1}, "corruption: 0.1", "a mapping"),
    ],
)
def test_bad_environments_are_one_clear_line(environment: dict[str, Any], where: str, allowed: str) -> None:
    with pytest.raises(BadInput) as caught:
        make_job("robust-elimination-m1", {}, environment, 1.0, 1000, 1, 0)
    assert where in str(caught.value)
    assert allowed in str(caught.value)
    assert str(caught.value).startswith("environment")


def test_the_command_line_runs_it(tmp_path: Any) -> None:
    """As a user would, with the environment as JSON."""
    out = tmp_path / "out.npz"
    arguments = ["simulate", "robust-elimination-m1", "--environment", json.dumps(CORRUPTED), "--epsilon", "1"]
    assert cli.main([*arguments, "--horizon", "2000", "--seeds", "0-2", "--output", str(out)]) == 0
    with np.load(out) as file:
        values = json.loads(str(file["parameters"]))
    assert values["alpha"] == 0.1
    assert values["clip"] == pytest.approx(1 + 4 * 0.8)


def test_instances_are_functions_of_their_parameters() -> None:
    """Norms at most 1, the draw decides, corruption and noise do not."""

    def made(place: Any, **given: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        complete = place.ENVIRONMENT.check(given)
        bandit = place.ENVIRONMENT.problem(complete, place.ENVIRONMENT.tuning(complete, 10, None))
        assert np.linalg.norm(bandit.actions, axis=1).max() <= 1.0
        assert np.abs(bandit.means).max() <= 1.0
        return bandit.actions, bandit.means

    for place in (sphere, cube):
        one = made(place, arms=50, dimension=6)
        assert (made(place, arms=50, dimension=6, corruption=CORRUPTION)[0] == one[0]).all()
        assert (made(place, arms=50, dimension=6, draw=1)[0] != one[0]).all()
        assert made(place, arms=50, dimension=6, length=0.5)[1] == pytest.approx(0.5 * one[1])
    assert np.linalg.norm(made(sphere, arms=9, dimension=3)[0], axis=1) == pytest.approx(np.ones(9))
    assert np.abs(made(cube, arms=2000, dimension=4)[0]).max() == pytest.approx(0.5, abs=1e-3)
    basis, means = made(collinear_basis, dimension=5, angle=0.1)
    assert np.linalg.cond(basis) > 10
    assert means == pytest.approx([1, 0, 0, 0, math.cos(0.1)])
    assert actions.ENVIRONMENT.arms({"actions": [[1.0]], "theta": [1.0]}) == 1


def test_widths_and_bounds_are_the_printed_ones() -> None:
    """Line 9, eqs. 19, 24 and 50, at numbers whose logarithms are small integers."""
    e = math.e
    # log(q^i / delta) = 2 and log(1 / delta) = 1.
    width = 2 * (math.sqrt(2) + 2 / 2) * (0.4 + 0.16 * 2) + 0.16 + math.sqrt(4 / e) * (1 + 1 / 2)
    assert printed_width_m1(4, e, 0.16, 2.0, 1 / e) == pytest.approx(width)
    derived = 4 * (0.4 + math.sqrt(0.16 / e)) * (1 + math.sqrt(2) + 2 / 2) + math.sqrt(4 / e) * (1 + 1 / 2)
    assert derived_width_m1(4, e, 0.16, 2.0, 1 / e) == pytest.approx(derived)
    # nu m = 4.
    log, log_k = 1.0, 1.0 + math.log(9)
    clean = math.sqrt(5 * log / 4) * (1 + 0.5 * math.sqrt(log / 4))
    largest = 1 + math.sqrt(log_k / 4) + log_k / 8
    corrupted = math.sqrt(9 * 0.16) + math.sqrt(0.16 * log)
    printed = printed_width_m2(5, 9, 8.0, 0.16, 2.0, 1 / e, 0.5)
    assert printed == pytest.approx(clean + 2 * 5 * largest * corrupted + 0.16)
    T = e**3
    bound = math.sqrt(T * 4 * 4) * (1 + 2 / 2) + T * 2 * max(0.8, 0.64) * (1 + 4 / 2)
    assert theorem_3_4(T, 4, 0.16, 2.0, 1 / e) == pytest.approx(bound)
    k = support_bound(4)
    log_k = math.log(k) + 1
    clean = (1 + 0.25 * k) * (math.sqrt(4 * T / 0.25) + 3 * 2 / (2 * 0.5))
    corrupted = 2 * 4 * (math.sqrt(0.16 * k) + 0.4) * (T + math.sqrt(T * log_k / 0.25) + log_k / 0.25 * 3 / 2)
    assert theorem_3_9(T, 4, 0.16, 2.0, 1 / e, 0.25) == pytest.approx(clean + corrupted + 0.16 * T)


def test_bounds_have_the_printed_rates() -> None:
    """Powers of T, d, epsilon and alpha where a term dominates."""

    def power(f: Callable[[float], float], x: float) -> float:
        return math.log(f(4 * x) / f(x)) / math.log(4)

    assert power(lambda T: theorem_3_4(T, 10, 0.0, 1.0, 1e-9), 1e30) == pytest.approx(0.5, abs=0.05)
    assert power(lambda T: theorem_3_4(T, 10, 0.1, 1.0, 1e-9), 1e30) == pytest.approx(1.0, abs=0.05)
    assert power(lambda e: theorem_3_4(1e6, 10, 0.0, e, 1e-9), 1e-6) == pytest.approx(-1.0, abs=0.01)
    assert power(lambda d: theorem_3_4(1e9, int(d), 0.01, 1.0, 1e-9), 1e5) == pytest.approx(1.0, abs=0.01)
    assert power(lambda d: theorem_3_4(1e9, int(d), 1e-9, 1.0, 1e-9), 100) == pytest.approx(0.5, abs=0.1)
    assert power(lambda T: theorem_3_9(T, 10, 0.0, 1.0, 1e-9, 0.02), 1e30) == pytest.approx(0.5, abs=0.02)
    # Privacy costs no power of T under (M2).
    cost = [
        theorem_3_9(T, 10, 0.0, 0.1, 1e-9, 0.02) - theorem_3_9(T, 10, 0.0, 1e9, 1e-9, 0.02) for T in (1e6, 1e12)
    ]
    assert cost[1] == pytest.approx(2 * cost[0])
    assert known_width(1e-3, 1e4, 2.0, 1.0, 0.0, 0.0, 0.01) == pytest.approx(math.sqrt(2e-3 * math.log(200)))
