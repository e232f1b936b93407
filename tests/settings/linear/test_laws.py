"""Rewards, reports and Algorithm 1 of charisopoulos2022 have the laws of their literal implementations.

Samples of the package and of `literal_linear` are compared by the Mann-Whitney and the Kolmogorov-Smirnov test:
reports; then regret at two rounds and the pulls of every action of whole runs.

False alarms. Seeds are fixed. With fresh seeds, correct code would fail somewhere in this file with probability at
most `FALSE_ALARMS`, by Bonferroni's correction over `P_VALUES`, an upper bound of the number of p-values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import literal_linear
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tiers import core, one_of_each

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.core.streams import streams
from dpbandits.settings.linear.environments.actions import ENVIRONMENT
from dpbandits.settings.linear.problem import Bandit, mean_reports, single_reports

FALSE_ALARMS = 1e-3
P_VALUES = 400
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 3
ACTIONS = [[0.9, 0.0], [0.6, 0.6], [0.0, 0.8], [-0.5, 0.5], [0.3, -0.7], [0.1, 0.1]]
THETA = [0.8, 0.3]
LAWS = {
    "bernoulli": ({"kind": "bernoulli"}, literal_linear.bernoulli),
    "gaussian": ({"kind": "gaussian", "sigma": 0.7}, literal_linear.gaussian(0.7)),
    "uniform": ({"kind": "uniform", "width": 0.5}, literal_linear.uniform(0.5)),
}


def environment(noise: str, corruption: dict[str, Any] | None = None) -> dict[str, Any]:
    given: dict[str, Any] = {"actions": ACTIONS, "theta": THETA, "noise": LAWS[noise][0]}
    return ENVIRONMENT.check(given | ({} if corruption is None else {"corruption": corruption}))


def corruption(attack: str, size: float, of: str = "reports", probability: float = 0.2) -> dict[str, Any]:
    return {"probability": probability, "attack": attack, "size": size, "of": of}


def bandit_of(given: dict[str, Any]) -> Bandit:
    return ENVIRONMENT.problem(given, ENVIRONMENT.tuning(given, 10, 1.0))


def states(runs: int, identity: str = "laws") -> NDArray[np.uint64]:
    return streams(ROOT, identity, np.arange(runs))


def literal_attack(attack: str, size: float) -> Callable[[int, float], float]:
    """Return what the adversary puts in place of an observation, from its description."""
    actions, theta = np.array(ACTIONS), np.array(THETA)
    order = np.argsort(actions @ theta)
    towards = actions @ (actions[order[-2]] - actions[order[-1]])
    return {
        "constant": lambda _a, _x: size,
        "flip": lambda _a, x: -size * x,
        "second-best": lambda a, _x: size * towards[a] / np.abs(towards).max(),
    }[attack]


def same(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Assert that two samples have the same law, unless both are the same constant."""
    # Sums of few gaps in different orders are the same value.
    one, other = np.round(one, 9), np.round(other, 9)
    if np.ptp(np.append(one, other)) > 0:
        assert stats.mannwhitneyu(one, other).pvalue > LEVEL
        assert stats.ks_2samp(one, other).pvalue > LEVEL


REPORTS = [
    (noise, attack, size, of, clip, scale)
    for noise in LAWS
    for attack, size, of, clip, scale in (
        ("constant", 0.0, "reports", math.inf, 0.0),
        ("constant", 3.0, "reports", 0.8, 0.3),
        ("flip", 2.0, "rewards", 0.9, 0.1),
        ("second-best", 2.0, "rewards", math.inf, 0.5),
    )
]


# Each noise and each attack once; in the slow tier each with each.
@pytest.mark.parametrize(
    ("noise", "attack", "size", "of", "clip", "scale"),
    core(REPORTS, lambda case: REPORTS.index(case) in (0, 5, 10, 3)),
)
def test_reports(noise: str, attack: str, size: float, of: str, clip: float, scale: float) -> None:
    """Clipped, noised, averaged and replaced as the literal code does it."""
    alpha = 0.0 if size == 0.0 else 0.2
    given = environment(noise, corruption(attack, size, of, alpha))
    draw, replace = LAWS[noise][1], literal_attack(attack, size)
    arms, pulls, runs = np.array([1, 4]), np.array([7, 3]), 3000
    bandit = bandit_of(given)
    each = states(runs)
    single = np.array([single_reports(state, bandit, arms, pulls, 0 * pulls, clip, scale, 1.0) for state in each])
    averaged = np.array([mean_reports(state, bandit, arms, pulls, 0 * pulls, clip, scale, 1.0) for state in each])
    random = np.random.default_rng(17)

    def observed(a: int, n: int) -> float:
        rewards = []
        for _ in range(n):
            x = draw(random, float(bandit.means[a]))
            if of == "rewards" and random.random() < alpha:
                x = replace(a, x)
            rewards.append(max(-clip, min(clip, x)))
        x = np.mean(rewards) + (random.laplace(0.0, scale / n) if scale else 0.0)
        return replace(a, x) if of == "reports" and random.random() < alpha else x

    for j, (a, n) in enumerate(zip(arms, pulls, strict=True)):
        first = int(pulls[:j].sum())
        # Exchangeable, the corrupted ones first: one of them at random is an observation.
        chosen = single[np.arange(runs), first + random.integers(n, size=runs)]
        same(chosen, np.array([observed(a, 1) for _ in range(runs)]))
        same(averaged[:, j], np.array([observed(a, n) for _ in range(runs)]))


def test_corrupted_observations_are_independent() -> None:
    """Their number in a batch is binomial."""
    bandit = bandit_of(environment("uniform", corruption("constant", 50.0)))
    arms, pulls = np.array([0, 2]), np.array([6, 5])
    number = [
        (single_reports(state, bandit, arms, pulls, 0 * pulls, math.inf, 0.0, 1.0) == 50.0).sum()
        for state in states(4000)
    ]
    observed = np.bincount(number, minlength=12)
    expected = 4000 * stats.binom.pmf(np.arange(12), 11, 0.2)
    kept = expected > 5
    table = [np.append(x[kept], x[~kept].sum()) for x in (observed, expected)]
    assert stats.chisquare(*table).pvalue > LEVEL


def test_an_outlier_comes_alone() -> None:
    """One of the corrupted observations, uniformly, is replaced; the others stay clean."""
    bandit = bandit_of(environment("uniform", corruption("outlier", 50.0)))
    arms, pulls = np.array([0, 2, 3]), np.array([6, 5, 3])
    reports = np.array(
        [single_reports(state, bandit, arms, pulls, 0 * pulls, math.inf, 0.0, 1.0) for state in states(4000)]
    )
    hit = (reports == 50.0).sum(axis=1)
    assert set(hit) == {0, 1}
    assert np.abs(reports[reports != 50.0]).max() < 2.0
    assert stats.binomtest(int(hit.sum()), 4000, 1 - 0.8**14).pvalue > LEVEL
    by_arm = [(reports[:, a:b] == 50.0).sum() for a, b in ((0, 6), (6, 11), (11, 14))]
    assert stats.chisquare(by_arm, hit.sum() * pulls / 14).pvalue > LEVEL


def test_the_adaptive_unit_scales_the_attack() -> None:
    bandit = bandit_of(environment("uniform", corruption("threshold", 0.5, probability=0.24)))
    arms, pulls = np.arange(6), np.full(6, 200)
    reports = single_reports(states(1)[0], bandit, arms, pulls, 0 * pulls, math.inf, 0.0, 100.0).reshape(6, 200)
    towards = literal_attack("second-best", 50.0)
    assert [row[0] for row in reports] == pytest.approx([towards(a, 0.0) for a in range(6)])


@dataclass(frozen=True)
class Case:
    """A setting of Algorithm 1, and the literal's number of runs."""

    name: str
    noise: str
    T: int
    B: int
    epsilon: float
    factor: float
    runs: int = 250
    attack: dict[str, Any] = field(default_factory=lambda: corruption("constant", 0.0, probability=0.0))

    def __str__(self) -> str:
        return f"{self.name}-{self.noise}-{self.attack['attack']}-{self.attack['of']}"


CASES = [
    Case("robust-elimination-m1", "bernoulli", 300, 5, 4.0, 0.1),
    Case(
        "robust-elimination-m1", "gaussian", 200, 4, 8.0, 0.05, attack=corruption("constant", 30.0, probability=0.1)
    ),
    Case(
        "robust-elimination-m1",
        "uniform",
        200,
        4,
        5.0,
        0.05,
        attack=corruption("second-best", 20.0, probability=0.1),
    ),
    Case("robust-elimination-m1-printed", "bernoulli", 300, 5, 4.0, 0.02),
    Case("robust-elimination-m1-printed", "gaussian", 200, 4, 4.0, 0.005, attack=corruption("flip", 3.0)),
    Case("robust-elimination-m2", "bernoulli", 300, 5, 4.0, 0.1),
    Case("robust-elimination-m2", "gaussian", 300, 4, 4.0, 0.1, attack=corruption("constant", 9.0)),
    Case("robust-elimination-m2", "uniform", 400, 5, 2.0, 0.1, attack=corruption("flip", 4.0, "rewards")),
    Case("robust-elimination-m2-printed", "bernoulli", 300, 4, 4.0, 0.01),
    Case("robust-elimination-m2-printed", "uniform", 200, 6, 4.0, 0.003, attack=corruption("second-best", 2.0)),
]


@pytest.mark.parametrize("case", one_of_each(CASES, lambda case: case.name), ids=str)
def test_algorithm_1(case: Case) -> None:
    """Regret at a third of the horizon and at the horizon, and the pulls of every action."""
    given = environment(case.noise, case.attack)
    declared = registry.algorithm(case.name)
    tuning: Tuning = ENVIRONMENT.tuning(given, case.T, case.epsilon)
    values = declared.resolve({"B": case.B, "factor": case.factor, "delta": 0.01}, tuning).values
    rounds = [case.T // 3, case.T]
    bandit = bandit_of(given)
    runs = bandit.runs(states(2000, str(case)), np.array(rounds))
    declared.simulate(runs, bandit, epsilon=case.epsilon, **values)
    random = np.random.default_rng(23)
    played = np.array(
        [
            literal_linear.elimination(
                case.name,
                random,
                np.array(ACTIONS),
                np.array(THETA),
                LAWS[case.noise][1],
                case.T,
                literal_attack(case.attack["attack"], case.attack["size"]),
                probability=case.attack["probability"],
                of_reports=case.attack["of"] == "reports",
                epsilon=case.epsilon,
                **values,
            )
            for _ in range(case.runs)
        ]
    )
    regret = bandit.gaps[played].cumsum(axis=1)[:, np.array(rounds) - 1]
    for k in range(2):
        same(regret[:, k], runs.regret[:, k])
    for a in range(len(ACTIONS)):
        same((played == a).sum(axis=1), runs.pulls[:, a])


def test_number_of_p_values() -> None:
    assert 8 * len(REPORTS) + 3 + 2 * (2 + len(ACTIONS)) * len(CASES) <= P_VALUES
