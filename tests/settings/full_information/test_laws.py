"""RNM-FTNL has the law of its literal implementation, and its samples that of the exact selection probabilities.

False alarms. Seeds are fixed, so the file is deterministic. With fresh seeds, correct code would fail somewhere in
this file with probability at most 1/1000: every p-value is compared with `LEVEL`, that number divided by an upper
bound of their number. Chi-square tests have at least 10 expected in each cell.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence

import literal_full_information as literal
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tiers import SHARES, core

from dpbandits.core.fields import Tuning
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.settings.full_information import laws, regret
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import NOISES
from dpbandits.settings.full_information.problem import (
    Losses,
    bernoulli,
    deterministic,
    make_losses,
)

FALSE_ALARMS, P_VALUES = 1e-3, 400
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 20251121
NAMES = ("laplace", "exponential", "gumbel", "permute_and_flip")
compared = 0

# Three actions with losses between 0 and 1, of distinct means; the second one's usual loss is the smallest.
MIXED: list[literal.Law] = [([0.3], [1.0]), ([0.2, 0.9], [0.7, 0.3]), ([0.5, 0.25, 1.0], [0.25, 0.25, 0.5])]
BERNOULLI: list[literal.Law] = [([1.0, 0.0], [mean, 1 - mean]) for mean in (0.2, 0.5, 0.55, 0.9)]
FIXED: list[literal.Law] = [([mean], [1.0]) for mean in (0.0, 0.1, 0.45, 1.0)]


def losses_of(actions: Sequence[literal.Law]) -> Losses:
    """Return the same laws for the package."""
    most = max(len(values) for values, _ in actions)
    values, weights = (np.array([[0.0] * (most - len(law[k])) + list(law[k]) for law in actions]) for k in (0, 1))
    return make_losses(values, weights)


def simulated(name: str, losses: Losses, rounds: Sequence[int], runs: int, epsilon: float, B: int) -> Runs:
    """Return runs to the last of ``rounds``."""
    algorithm = importlib.import_module(f"dpbandits.settings.full_information.algorithms.rnm_ftnl_{name}").ALGORITHM
    parameters = algorithm.resolve({"resampling": B}, Tuning(rounds[-1], losses.means.size, epsilon)).values
    identity = f"{name} {epsilon} {B} {losses.means} {rounds}"
    filled = losses.runs(streams(ROOT, identity, np.arange(runs)), np.array(rounds))
    algorithm.simulate(filled, losses, epsilon=epsilon, **parameters)
    return filled


def joined(expected: NDArray[np.float64], *counts: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return expected numbers and counts with rare cells joined until each expects 10."""
    order = np.argsort(-expected)
    cells: list[NDArray[np.float64]] = []
    for row in np.column_stack([expected, *counts])[order]:
        if cells and cells[-1][0] < 10:
            cells[-1] = cells[-1] + row
        else:
            cells.append(row)
    if len(cells) > 1 and cells[-1][0] < 10:
        last = cells.pop()
        cells[-1] = cells[-1] + last
    return list(np.array(cells).T)


def check(p_value: float, what: object) -> None:
    """Compare a p-value with the level, and count it."""
    global compared
    compared += 1
    assert p_value > LEVEL, (what, p_value)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("actions", [MIXED, BERNOULLI, FIXED], ids=["mixed", "bernoulli", "fixed"])
def test_same_law_as_the_literal_algorithm(name: str, actions: list[literal.Law], B: int, share: int) -> None:
    """The action of round 13, in the middle of an epoch, and regret up to it, at a budget where noise matters."""
    horizon, epsilon, runs, few = 13, 1.5, 20_000 // share, 1500 // share
    rng = np.random.default_rng([ROOT, NAMES.index(name), B, len(actions)])
    theirs = np.array([literal.rnm_ftnl(actions, horizon, rng, name, epsilon, B) for _ in range(few)])
    losses = losses_of(actions)
    ours = simulated(name, losses, [horizon - 1, horizon], runs, epsilon, B)
    gaps = losses.gaps
    last = np.abs(np.diff(ours.regret, axis=1) - gaps).argmin(axis=1)
    own, other = (np.bincount(sample, minlength=len(actions)).astype(float) for sample in (last, theirs[:, -1]))
    share, a, b = joined((own + other) * few / (few + runs), own, other)
    if share.size > 1:
        check(stats.chi2_contingency(np.array([a, b]), correction=False).pvalue, "last action")
    totals = np.round(gaps[theirs].sum(axis=1), 6)
    check(stats.ks_2samp(np.round(ours.regret[:, -1], 6), totals, method="asymp").pvalue, "regret")


CASES = list(itertools.product(NAMES, (0, 1), (0.05, 0.7, 6.0), (1, 3, 6)))


@pytest.mark.parametrize(("name", "B", "epsilon", "r"), core(CASES, lambda case: case[2:] == (0.7, 3)))
def test_samples_have_the_exact_selection_probabilities(name: str, B: int, epsilon: float, r: int) -> None:
    """J_r over a grid of noise, B, epsilon, r and K: 3 and 40 actions with Bernoulli, 5 with fixed losses."""
    noise = NOISES[name.replace("_", "-")]
    scale, n, runs = noise.factor / epsilon, 2 ** (r - 1), 20_000
    for means in (np.array([0.2, 0.5, 0.55]), np.linspace(0.1, 0.9, 40), np.array([0.0, 0.125, 0.25, 0.5, 1.0])):
        fixed = means.size == 5
        losses = (deterministic if fixed else bernoulli)(means)
        found = simulated(name, losses, [2 * n - 1, 2 * n], runs, epsilon, B)
        chosen = np.abs(np.diff(found.regret, axis=1) - losses.gaps).argmin(axis=1)
        if fixed and B == 0:
            exact = np.exp(noise.select(n / scale * losses.gaps, np.ones(means.size)))
        else:
            law = next(itertools.islice(laws.bernoulli(means), r - 1, None))
            exact = noise.select_random(law, np.ones((1, means.size)), 1.0 / scale)[0]
        counts = np.bincount(chosen, minlength=means.size).astype(float)
        expected, found = joined(runs * exact, counts)
        if expected.size == 1:
            assert found[0] == runs
        else:
            check(stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue, means.size)


@pytest.mark.parametrize("name", NAMES)
def test_sampled_regret_is_the_exact_one(name: str) -> None:
    """Many actions with fixed losses up to T = 2^40; losses on a lattice with B = 0; ends within epochs."""
    noise, epsilon, runs = NOISES[name.replace("_", "-")], 0.5, 1500
    scale = noise.factor / epsilon
    gaps = Gaps(np.array([0.0, 0.01, 0.3, 1.0]), np.array([1.0, 2.0, 97.0, 400.0]))
    rounds = [5, 100, 2**40]
    found = simulated(name, deterministic(gaps.each()), rounds, runs, epsilon, 0)
    exact = regret.regret(regret.deterministic(noise, scale, gaps, 41), np.array(rounds))
    one = np.zeros((3, 21))
    for action, (values, weights) in enumerate(MIXED):
        one[action, np.rint(np.array(values) * 20).astype(int)] = weights
    several = losses_of(MIXED)
    mixed = simulated(name, several, [5, 100, 3000], 20_000, epsilon, 0)
    alone = np.ones((1, 3))
    expected = regret.random(noise, scale, laws.summed(one), 0.05, several.gaps, alone, 12)
    also = regret.regret(expected[0], np.array([5, 100, 3000]))
    for sample, mean in ((found.regret, exact), (mixed.regret, also)):
        for k in range(3):
            check(stats.ttest_1samp(sample[:, k], mean[k]).pvalue, (k, mean[k], sample[:, k].mean()))


def test_a_wrong_scale_is_noticed() -> None:
    """The tests can fail: noise a quarter too large is seen at the same number of runs."""
    noise, epsilon, n, runs = NOISES["gumbel"], 0.7, 16, 20_000
    means = np.array([0.2, 0.5, 0.55])
    losses = deterministic(means)
    found = simulated("gumbel", losses, [2 * n - 1, 2 * n], runs, epsilon, 0)
    chosen = np.abs(np.diff(found.regret, axis=1) - losses.gaps).argmin(axis=1)
    for factor in (0.8, 1.25):
        wrong = np.exp(noise.select(n / (factor * noise.factor / epsilon) * losses.gaps, np.ones(3)))
        assert stats.chisquare(np.bincount(chosen, minlength=3), runs * wrong).pvalue < LEVEL


def test_number_of_p_values() -> None:
    """Runs last: the level is what the false-alarm rate asks for."""
    if compared:
        assert compared <= P_VALUES
