"""The adversarial setting against asi2025: laws, exact distributions, tuned constants, observed losses.

Samples of the package, which simulates decisions, are compared with samples of `literal_adversarial`, which plays
rounds: regret at two rounds by the Mann-Whitney and the Kolmogorov-Smirnov test, pulls of every arm at both by the
chi-square test of homogeneity. Probabilities are compared with integrals, the root of HTINF with 50 digits.

False alarms. Seeds are fixed, so the file is deterministic. With fresh seeds, correct code would fail somewhere in
this file with probability at most `FALSE_ALARMS` = 1/1000: every p-value is compared with that number divided by
`P_VALUES`, an upper bound of their number, which `test_number_of_p_values` checks.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import literal_adversarial as literal
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from laws import same_law
from mpmath import mpf
from numpy.typing import NDArray
from scipy import stats
from tiers import SHARES, core, fewer_runs
from twins import mutated

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.errors import BadInput
from dpbandits.core.files import read_arrays
from dpbandits.core.recording import START, Runs, checkpoints
from dpbandits.core.streams import streams
from dpbandits.runs.job import make_job, run, run_to_file
from dpbandits.settings.adversarial import (
    conversion,
    follow_the_perturbed_leader,
    problem,
)
from dpbandits.settings.adversarial.algorithms import htinf
from dpbandits.settings.adversarial.problem import Bandit, Losses, make_losses, play

FALSE_ALARMS = 1e-3
P_VALUES = 450
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 20250713
RUNS = 20_000

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
BASES = ("exp3", "ftpl", "ftpl-printed", "htinf")


# --- the law of a run ---


@dataclass(frozen=True)
class Setting:
    """An algorithm on a loss sequence, the rounds at which it is looked at, and the literal's number of runs."""

    name: str
    parameters: dict[str, Any]
    kind: str
    environment: dict[str, Any]
    rounds: tuple[int, int]
    runs: int = 3000
    arms: int = field(default=3)

    def __str__(self) -> str:
        base = self.parameters.get("base", "")
        return f"{self.name}-{base}-{self.kind}-K{self.arms}-T{self.rounds[1]}"

    @property
    def p_values(self) -> int:
        return 2 * (2 + self.arms)

    @property
    def losses(self) -> Losses:
        """The package's loss sequence."""
        if self.kind == "segments":
            return make_losses(self.environment["lengths"], np.array(self.environment["means"]), True)
        place = registry.environment(self.kind)
        complete = place.check(self.environment)
        setting = place.tuning(complete, self.rounds[1], self.parameters.get("epsilon"))
        return place.problem(complete, setting).losses

    @property
    def sequence(self) -> tuple[literal.Table, bool]:
        """The literal loss sequence."""
        more = {"epsilon": self.parameters["epsilon"]} if self.kind == "hardest-gap" else {}
        return literal.SEQUENCES[self.kind](self.rounds[1], **self.environment, **more)


def gap(arms: int, gap: float, level: float = 0.5) -> dict[str, Any]:
    return {"kind": "bernoulli-gap", "environment": {"arms": arms, "gap": gap, "level": level}, "arms": arms}


def drift(arms: int, gap: float, growth: float = 1.6) -> dict[str, Any]:
    return {"kind": "drifting-means", "environment": {"arms": arms, "gap": gap, "growth": growth}, "arms": arms}


def table(*losses: list[float]) -> dict[str, Any]:
    return {"kind": "periodic", "environment": {"losses": list(losses)}, "arms": len(losses[0])}


def late(improves: float | None) -> dict[str, Any]:
    return {"kind": "late-improvement", "environment": {"improves": improves}, "arms": 2}


def segments(lengths: list[int], means: list[list[float]]) -> dict[str, Any]:
    return {"kind": "segments", "environment": {"lengths": lengths, "means": means}, "arms": len(means[0])}


def hardest(arms: int, model: str) -> dict[str, Any]:
    return {"kind": "hardest-gap", "environment": {"arms": arms, "model": model}, "arms": arms}


# Constants are large, so that few rounds decide much. Batches divide neither horizons nor phases nor periods.
THREE = ([0.0, 1.0, 0.5], [1.0, 0.25, 0.5], [0.5, 0.0, 1.0])
SHORT = [[0.1, 0.9], [0.7, 0.3], [0.0, 0.6]]
SETTINGS = [
    Setting("exp3", {"eta": 0.3, "gamma": 0.1}, **gap(3, 0.4, 0.6), rounds=(6, 60)),
    Setting("exp3", {"eta": 0.5, "gamma": 0.0}, **table([0, 1], [1, 0.25], [0.5, 0]), rounds=(5, 40)),
    Setting("exp3", {"eta": 0.2, "gamma": 0.3}, **drift(5, 0.5), rounds=(7, 70)),
    Setting("exp3", {"eta": 0.2, "gamma": 0.05}, **late(0.4), rounds=(31, 70)),
    Setting("htinf", {"sigma": 1.4}, **gap(2, 0.4), rounds=(5, 30), runs=2500),
    Setting("htinf", {"sigma": 0.6}, **table(*THREE), rounds=(4, 25), runs=2500),
    Setting("htinf", {"sigma": 1.0}, **drift(5, 0.4), rounds=(6, 25), runs=2500),
    Setting("ftpl", {"eta": 0.4, "resampling": 4}, **gap(3, 0.4), rounds=(4, 40)),
    Setting("ftpl", {"eta": 0.2, "resampling": 30}, **late(14), rounds=(12, 35)),
    Setting("ftpl", {"eta": 0.2, "resampling": 3}, **drift(5, 0.7, 2.0), rounds=(5, 35)),
    Setting("ftpl-printed", {"eta": 0.3, "resampling": 3}, **gap(2, 0.5, 1.0), rounds=(5, 40)),
    Setting("ftpl-printed", {"eta": 0.3, "resampling": 9}, **table(*THREE), rounds=(5, 30)),
    Setting(
        "conversion",
        {"base": "exp3", "epsilon": 0.4, "tau": 3, "eta": 0.2, "gamma": 0.2},
        **drift(3, 0.5, 1.7),
        rounds=(20, 203),
    ),
    Setting(
        "conversion",
        {"base": "exp3", "epsilon": 0.9, "tau": 7, "eta": 0.4, "gamma": 0.1},
        **segments([2, 1, 3], SHORT),
        rounds=(25, 150),
    ),
    Setting(
        "conversion",
        {"base": "exp3", "epsilon": 0.5, "tau": 4, "eta": 0.3, "gamma": 0.1},
        **hardest(2, "central"),
        rounds=(23, 150),
    ),
    Setting(
        "conversion", {"base": "htinf", "epsilon": 0.7, "tau": 4, "sigma": 1.0}, **gap(5, 0.5), rounds=(30, 150)
    ),
    Setting(
        "conversion",
        {"base": "htinf", "epsilon": 0.5, "tau": 2, "sigma": 2.4},
        **drift(2, 0.8, 1.3),
        rounds=(11, 61),
    ),
    Setting("conversion", {"base": "htinf", "epsilon": 0.5, "tau": 5, "sigma": 0.8}, **late(0.3), rounds=(33, 123)),
    Setting(
        "conversion",
        {"base": "htinf", "epsilon": 0.8, "tau": 13, "sigma": 1.2},
        **segments([5, 2], [[0.9, 0.4, 0.6], [0.1, 0.7, 0.2]]),
        rounds=(30, 200),
    ),
    Setting(
        "conversion",
        {"base": "ftpl", "epsilon": 0.6, "tau": 2, "eta": 0.2, "resampling": 6},
        **table(*THREE),
        rounds=(9, 81),
    ),
    Setting(
        "conversion",
        {"base": "ftpl", "epsilon": 0.4, "tau": 6, "eta": 0.3, "resampling": 3},
        **drift(3, 0.8),
        rounds=(15, 170),
    ),
    Setting(
        "conversion",
        {"base": "ftpl-printed", "epsilon": 0.8, "tau": 3, "eta": 0.3, "resampling": 5},
        **gap(2, 0.5, 1.0),
        rounds=(10, 100),
    ),
    Setting("dp-exp3-lap", {"epsilon": 1.0, "gamma": 0.5, "b": 2.0}, **gap(2, 0.5), rounds=(10, 100)),
    Setting("dp-exp3-lap", {"epsilon": 2.0, "gamma": 0.6, "b": 0.3}, **drift(3, 0.6), rounds=(10, 80)),
    Setting("dp-exp3-lap", {"epsilon": 3.0, "gamma": 0.6, "b": 0.0}, **table(*THREE), rounds=(8, 60)),
    Setting("agarwal-singh", {"epsilon": 1.0, "eta": 0.2, "gamma": 0.1}, **gap(3, 0.4), rounds=(7, 70)),
    Setting("agarwal-singh", {"epsilon": 0.5, "eta": 0.1, "gamma": 0.4}, **drift(5, 0.9), rounds=(7, 70)),
    Setting("agarwal-singh", {"epsilon": 0.7, "eta": 0.2, "gamma": 0.2}, **hardest(2, "local"), rounds=(7, 70)),
]


def states(identity: str, runs: int, first: int = 0) -> NDArray[np.uint64]:
    """Return the random streams of runs ``first``, ``first + 1``, ..."""
    return streams(ROOT, identity, np.arange(first, first + runs))


def ours(setting: Setting, runs: int) -> tuple[Counts, Counts, Floats]:
    """Return the pulls at both rounds, and regret at both, of the package.

    The pulls at the first round are those of other runs, which end there.
    """
    losses = setting.losses
    pulls = []
    for horizon in setting.rounds:
        rounds = np.array([r for r in setting.rounds if r <= horizon])
        filled = Bandit(losses).runs(states(f"{setting} {horizon} None", runs), rounds)
        registry.algorithm(setting.name).simulate(filled, Bandit(losses), **setting.parameters)
        pulls.append(filled.pulls)
    return pulls[0], pulls[1], filled.regret


def theirs(setting: Setting, runs: int) -> tuple[Counts, Counts, Floats]:
    """Return the same of the literal implementation."""
    rng = np.random.default_rng([ROOT, SETTINGS.index(setting)])
    sequence = setting.sequence
    played = [literal.run(setting.name, setting.parameters, sequence, setting.rounds, rng) for _ in range(runs)]
    pulls = np.array([found for found, _ in played])
    return pulls[:, 0], pulls[:, 1], np.array([found for _, found in played])


def assert_same_law(one: tuple, other: tuple) -> None:
    p_values = same_law(one, other)
    assert min(p_values.values()) > LEVEL, sorted(p_values.items(), key=lambda item: item[1])[:4]


def test_number_of_p_values():
    """Those of the laws, then the tests below that compare with `LEVEL`."""
    first = {kind(setting): setting for setting in reversed(SETTINGS)}
    number = sum(setting.p_values for setting in [*SETTINGS, *first.values()])
    number += len(WINS) * 2 + len(WEIGHTS) * 3 + len(BATCHES) + 2 + 2 * len(SECOND)
    number += len(FEW)
    assert number <= P_VALUES


def kind(setting: Setting) -> tuple[str, str | None]:
    return setting.name, setting.parameters.get("base")


@pytest.mark.parametrize(("setting", "share"), fewer_runs(SETTINGS, kind, 16), ids=str)
def test_literal_law(setting, share):
    """The package's law is that of the pseudocode, played round by round."""
    assert_same_law(theirs(setting, setting.runs // share), ours(setting, RUNS // share))


# --- runs ---


def gap_of(arms: int, gap: float = 0.3) -> dict[str, Any]:
    return {"kind": "bernoulli-gap", "arms": arms, "gap": gap}


def same_bytes(one: Runs, other: Runs) -> bool:
    return all(
        getattr(one, part).tobytes() == getattr(other, part).tobytes() for part in ("regret", "pulls", "streams")
    )


ENVIRONMENTS = [
    {"kind": "bernoulli-gap", "arms": 3, "gap": 0.3},
    {"kind": "drifting-means", "arms": 5, "gap": 0.4},
    {"kind": "hardest-gap", "arms": 2},
    {"kind": "late-improvement", "improves": 0.3},
    {"kind": "periodic", "losses": [list(row) for row in THREE]},
]


# Parameters for few decisions.
GIVEN = {
    "exp3": {"eta": 0.3, "gamma": 0.1},
    "ftpl": {"eta": 0.3, "resampling": 3},
    "ftpl-printed": {"eta": 0.3, "resampling": 3},
    "htinf": {"sigma": 0.8},
}


def simulated(name: str, bandit: Bandit, **parameters: Any) -> Runs:
    """Return 20 runs of an algorithm."""
    filled = bandit.runs(states("conversion", 20), checkpoints(500, 30))
    registry.algorithm(name).simulate(filled, bandit, **parameters)
    return filled


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("kind", [0, 1, 4])
def test_the_conversion_is_its_base_on_batches(base, kind):
    """Run for run: with tau = 1 and no noise it is the base, and otherwise the base on noisy batches."""
    environment = dict(ENVIRONMENTS[kind])
    place = registry.environment(environment.pop("kind"))
    complete = place.check(environment)
    bandit = place.problem(complete, place.tuning(complete, 500, 0.3))
    alone = simulated("conversion", bandit, base=base, epsilon=math.inf, tau=1, **GIVEN[base])
    assert same_bytes(alone, simulated(base, bandit, **GIVEN[base]))
    converted = simulated("conversion", bandit, base=base, epsilon=0.3, tau=7, **GIVEN[base])
    batches = simulated(base, bandit._replace(batch=7, noise=1 / (7 * 0.3)), **GIVEN[base])
    assert same_bytes(converted, batches)
    assert not same_bytes(converted, alone)


def test_the_bases_are_the_algorithms_for_any_loss():
    assert sorted(conversion.bases()) == sorted(BASES)
    assert all(isinstance(found, Algorithm) for found in conversion.bases().values())


# --- losses, batches and their sums ---


@some.composite
def sequences(draw: some.DrawFn, certain: bool = False) -> Losses:
    """Draw a loss sequence with up to 6 segments; with ``certain`` one whose Bernoulli means are 0 or 1."""
    arms = draw(some.integers(2, 4))
    lengths = draw(some.lists(some.integers(1, 9), min_size=1, max_size=6))
    mean = some.sampled_from([0.0, 1.0]) if certain else some.floats(0, 1)
    rows = some.lists(mean, min_size=arms, max_size=arms)
    means = draw(some.lists(rows, min_size=len(lengths), max_size=len(lengths)))
    return make_losses(lengths, np.array(means), certain)


def unrolled(losses: Losses, rounds: int) -> Floats:
    """Return the mean losses round by round, shape (rounds, arms)."""
    period = np.repeat(losses.means, np.diff(losses.starts), axis=0)
    return np.array([period[t % len(period)] for t in range(rounds)]).reshape(rounds, losses.means.shape[1])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(sequences(), some.integers(0, 200))
def test_cumulative_losses(losses, t):
    expected = unrolled(losses, t).sum(axis=0)
    found = [problem.cumulative(losses, arm, t) for arm in range(losses.means.shape[1])]
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-13)
    beyond = [problem.beyond(losses, arm, t) for arm in range(losses.means.shape[1])]
    assert beyond == pytest.approx(expected - expected[0], rel=1e-13, abs=1e-12)
    assert beyond[0] == 0.0


@settings(max_examples=150, deadline=None, derandomize=True)
@given(sequences(certain=True), some.integers(0, 100), some.integers(1, 100))
def test_drawn_losses_where_they_are_certain(losses, t, n):
    """With means 0 and 1 the sum of Bernoulli losses is that of the means."""
    state = states("certain", 1)[0]
    expected = unrolled(losses, t + n)[t:].sum(axis=0)
    assert [problem._drawn(state, losses, arm, t, n) for arm in range(len(expected))] == expected.tolist()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(sequences(), some.booleans(), some.integers(1, 12), some.integers(1, 80), some.randoms())
def test_a_decision_is_recorded(losses, certain, batch, horizon, random):
    """Regret in every round, pulls, and what is observed, are those of the losses round by round."""
    if certain:
        losses = make_losses(np.diff(losses.starts).tolist(), np.round(losses.means), True)
    means = unrolled(losses, horizon)
    batched = Bandit(losses, batch=batch)
    filled = batched.runs(states("recorded", 1), np.arange(1, horizon + 1))
    clock, actions = START, []
    while clock.t < horizon:
        arm = random.randrange(means.shape[1])
        before = clock.t
        clock, observed = play(filled.streams[0], filled, batched, 0, arm, clock)
        actions += [arm] * min(batch, horizon - before)
        assert clock.t == len(actions)
        assert observed == pytest.approx(means[before : clock.t, arm].mean(), rel=1e-12, abs=1e-13)
    suffered = means[np.arange(horizon), actions].cumsum()
    best = means.cumsum(axis=0).min(axis=1)
    assert filled.regret[0] == pytest.approx(suffered - best, rel=1e-12, abs=1e-12)
    assert filled.pulls[0].tolist() == np.bincount(actions, minlength=means.shape[1]).tolist()


# Rounds before the batch, and its length; the period is 10.
BATCHES = [(0, 1), (3, 4), (4, 6), (0, 10), (9, 3), (13, 23), (8, 57), (0, 400)]


@pytest.mark.parametrize(("t", "n"), BATCHES)
def test_sums_of_batches_have_the_right_law(t, n):
    """Against the convolution of Bernoulli laws."""
    losses = make_losses([2, 5, 3], np.array([[0.5, 0.1], [0.5, 0.85], [0.5, 0.4]]), True)
    state = states(f"sums {t} {n}", 1)[0]
    drawn = np.bincount([problem._drawn(state, losses, 1, t, n) for _ in range(RUNS)], minlength=n + 1)
    law = np.ones(1)
    for p in unrolled(losses, t + n)[t:, 1]:
        law = np.convolve(law, [1 - p, p])
    common = law * RUNS >= 25
    counts, expected = drawn[common], law[common] * RUNS
    if RUNS - expected.sum() >= 5:
        counts, expected = np.append(counts, RUNS - counts.sum()), np.append(expected, RUNS - expected.sum())
        assert stats.chisquare(counts, expected).pvalue > LEVEL
    else:
        statistic = ((counts - expected) ** 2 / expected).sum()
        assert stats.chi2.sf(statistic, len(counts) - 1) > LEVEL


@pytest.mark.parametrize("share", SHARES)
def test_what_is_observed_has_the_noise_of_the_bandit(share):
    """A deterministic batch is observed as its mean with Laplace noise, also one that the horizon cuts."""
    losses = make_losses([3, 2], np.array([[0.0, 0.2], [0.0, 0.7]]), False)
    noisy = Bandit(losses, batch=6, noise=0.7)
    filled = noisy.runs(states("noise", 1), np.array([8]))
    for clock, mean in ((START, (3 * 0.2 + 2 * 0.7 + 0.2) / 6), (START._replace(t=6), 0.2)):
        observed = [play(filled.streams[0], filled, noisy, 0, 1, clock)[1] for _ in range(5 * RUNS // share)]
        assert stats.kstest(np.array(observed) - mean, stats.laplace(scale=0.7).cdf).pvalue > LEVEL


# --- HTINF ---


def exact_distribution(estimate: list[float], eta: float) -> tuple[list[mpf], mpf, mpf]:
    """Return HTINF's probabilities, z and sum x^(3/2) in 50 digits, for losses ``estimate``."""
    low = min(estimate)
    # Equal losses have equal probabilities.
    distance = {L: mpf(eta) * (mpf(L) - mpf(low)) for L in set(estimate)}
    number = {L: estimate.count(L) for L in distance}
    u, step = mpf(1), mpf(1)
    while abs(step) > mpf(10) ** -40 * u:
        # Newton's method on a convex decreasing function, from the left.
        total = mpmath.fsum(number[L] * (d + u) ** -2 for L, d in distance.items())
        slope = mpmath.fsum(number[L] * (d + u) ** -3 for L, d in distance.items())
        step = (total - 1) / (2 * slope)
        u += step
    return [(distance[L] + u) ** -2 for L in estimate], mpf(low) - u / mpf(eta), slope


def estimates() -> list[tuple[list[float], float]]:
    """Return cumulative losses of either sign and all sizes, with learning rates."""
    rng = np.random.default_rng(ROOT)
    found = []
    for arms, size in itertools.product((2, 3, 10), (1e-3, 1.0, 1e3, 1e6, 1e9)):
        for eta in (1e-4, 0.3, 40.0):
            found.append((rng.normal(0, size, arms).tolist(), eta))
            found.append((rng.choice([0.0, size, -size, size + 1], arms).tolist(), eta))
    for arms, size in itertools.product((100, 1000), (1.0, 1e4, 1e9)):
        near = rng.choice(rng.normal(0, 3, 20), arms)
        found.append(((near + size).tolist(), 1.0))
        found.append(((near - size * (rng.random(arms) < 0.1)).tolist(), 0.01))
    # One arm ahead of many: here the first-order step at the end errs most.
    found += [([0.0] + [apart] * 999, 1.0) for apart in np.geomspace(0.5, 100, 12).tolist()]
    return found


def distributions(estimate: list[float], eta: float, starts: list[float]) -> tuple[Floats, Floats]:
    """Return HTINF's probabilities, shape (starts, arms), and roots, each start a lane."""
    lanes, arms = len(starts), len(estimate)
    x, z = np.full((arms, lanes), math.nan), np.array(starts)
    given = np.repeat(np.array(estimate)[:, None], lanes, axis=1)
    htinf.distribution(given, eta, x, z, np.full(lanes, math.nan), np.full((4, lanes), math.nan))
    return x.T, z


@pytest.mark.parametrize("share", SHARES)
def test_htinf_distribution_in_50_digits(share):
    """Relative error below 2e-11 from every start, the worst at the edge of the tolerance."""
    worst = 0.0
    with mpmath.workdps(50):
        # From the last, which errs most.
        for estimate, eta in estimates()[::-share]:
            exact, z, slope = exact_distribution(estimate, eta)
            edge = float(htinf.TOLERANCE / (2 * eta * slope))
            highest = min(estimate) - 1 / eta
            starts = [math.inf, -math.inf, -1e200, 1e200, float(z), (float(z) + highest) / 2, float(z) - 10 / eta]
            starts += [float(z) + part * edge for part in (-50, -1.01, -0.999, 0.999, 1.01, 50)]
            for x, root in zip(*distributions(estimate, eta, starts), strict=True):
                assert x.sum() == pytest.approx(1.0, abs=1e-12)
                worst = max(worst, *(float(abs(mpf(a) / b - 1)) for a, b in zip(x.tolist(), exact, strict=True)))
                assert abs(root - float(z)) <= 1e-10 / eta + 4e-16 * abs(float(z))
    assert 1e-13 < worst < 2e-11


@pytest.mark.parametrize("estimate", [[0.0, 1e16], [1e17, 1e17 + 64], [-1e300, 1e300], [3.0, -1e18, -1e18]])
def test_htinf_distribution_of_huge_losses(estimate):
    """Where a loss and its difference to the root have no digit in common."""
    with mpmath.workdps(50):
        for eta in (1e-3, 1.0, 1e6):
            exact = [float(p) for p in exact_distribution(estimate, eta)[0]]
            for x in distributions(estimate, eta, [math.inf, 0.0, -1e300])[0]:
                assert x == pytest.approx(exact, rel=1e-11, abs=0)


# --- the law of a few decisions, exactly ---


def htinf_step(estimate: list[float], t: int, sigma: float) -> list[float]:
    """Return HTINF's probabilities in decision t."""
    with mpmath.workdps(50):
        return [float(p) for p in exact_distribution(estimate, 1 / (sigma * math.sqrt(t)))[0]]


def exp3_step(estimate: list[float], _: int, eta: float, gamma: float) -> list[float]:
    """Return EXP3's probabilities."""
    weights = [math.exp(-eta * L) for L in estimate]
    return [(1 - gamma) * w / sum(weights) + gamma / len(weights) for w in weights]


# Losses on both sides of what HTINF skips in its first decisions, with sigma = 1: 0.146, 0.206, ...
FEW = [
    ("htinf", {"sigma": 1.0}, [[0.14, 0.15], [0.2, 0.22], [0.3, 0.1], [0.0, 0.1]]),
    ("htinf", {"sigma": 0.3}, [[0.04, 0.0], [0.0, 0.06], [0.1, 0.05], [0.0, 0.1]]),
    ("htinf", {"sigma": 2.0}, [[0.25, 0.1], [0.4, 0.1], [0.5, 0.1], [1.0, 0.0]]),
    ("exp3", {"eta": 0.2, "gamma": 0.1}, [[1.0, 0.5], [0.2, 0.8], [0.6, 0.1], [0.0, 0.1]]),
    ("exp3", {"eta": 0.5, "gamma": 0.0}, [[0.1, 0.5], [0.9, 0.8], [0.3, 0.1], [0.0, 0.1]]),
]


@pytest.mark.parametrize(("name", "parameters", "losses"), FEW)
def test_the_law_of_four_decisions(name, parameters, losses):
    """All sequences of actions are enumerated; what is compared is how often the first of two arms is pulled."""
    skip = (1 - 2 ** (-1 / 3)) * parameters.get("sigma", math.inf)
    law = np.zeros(len(losses) + 1)
    for actions in itertools.product((0, 1), repeat=len(losses)):
        estimate, probability = [0.0, 0.0], 1.0
        for t, action in enumerate(actions, start=1):
            step = htinf_step if name == "htinf" else exp3_step
            p = step(estimate, t, **parameters)[action]
            probability *= p
            loss = losses[t - 1][action]
            estimate[action] += loss / p if loss <= skip * math.sqrt(t * p) else 0.0
        law[actions.count(0)] += probability
    sequence = Bandit(make_losses([1] * len(losses), np.array(losses), False))
    filled = sequence.runs(states(f"four {losses}", 50 * RUNS), np.array([len(losses)]))
    registry.algorithm(name).simulate(filled, sequence, **parameters)
    counts = np.bincount(filled.pulls[:, 0], minlength=len(law))
    assert stats.chisquare(counts, law * 50 * RUNS).pvalue > LEVEL


# --- follow the perturbed leader ---


def distance_law(d: mpf) -> mpf:
    """Return P[Z' - Z >= d] for standard Laplace Z, Z'."""
    return mpmath.exp(-d) * (2 + d) / 4 if d >= 0 else 1 - distance_law(-d)


def selection(estimate: list[float], arm: int) -> mpf:
    """Return the probability that ``arm`` minimises estimate + Z, Z standard Laplace, by quadrature."""

    def above(x: mpf) -> mpf:
        """Return P[Z > x]."""
        return mpmath.exp(-x) / 2 if x > 0 else 1 - mpmath.exp(x) / 2

    def density(z: mpf) -> mpf:
        others = [above(estimate[arm] + z - L) for k, L in enumerate(estimate) if k != arm]
        return mpmath.exp(-abs(z)) / 2 * mpmath.fprod(others)

    kinks = sorted({0.0, *(L - estimate[arm] for L in estimate)})
    return mpmath.quad(density, [-mpmath.inf, *kinks, mpmath.inf])


# Estimates, in units of 1/eta.
WINS = [
    [0.0, 0.0],
    [0.0, 1.3],
    [-4.0, 1.0],
    [0.5, 0.0, 2.0],
    [0.0, 0.0, 0.0],
    [1.0, -1.5, 0.3, 0.2],
    [3.0, 0.0, 0.5, 0.5, -1.0],
]
TRIES = 100_000


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("estimate", WINS, ids=str)
def test_an_arm_wins_with_its_selection_probability(estimate, share):
    """As the smallest perturbed estimate, and as the largest; in closed form for two arms, else by quadrature."""
    weight = np.exp(-np.array(estimate))
    state = states(f"wins {estimate}", 1)[0]
    total = mpf(0)
    for arm in range(len(estimate)):
        smallest = selection(estimate, arm)
        total += smallest
        if len(estimate) == 2:
            assert abs(smallest - distance_law(mpf(estimate[arm] - estimate[1 - arm]))) < 1e-12
    assert abs(total - 1) < 1e-10
    arm = int(np.argsort(estimate)[len(estimate) // 2])
    # By symmetry the largest of L + Z is the smallest of -L + Z.
    for largest, p in ((True, selection(estimate, arm)), (False, selection([-L for L in estimate], arm))):
        for rival in (arm, int(np.argmax(weight)), int(np.argmin(weight))):
            # The rival's place changes the order of the factors alone; each rival has a third of the tries.
            tries = TRIES // (3 * share)
            wins = sum(follow_the_perturbed_leader.wins(state, weight, arm, rival, largest) for _ in range(tries))
            assert stats.binomtest(wins, tries, float(p)).pvalue > LEVEL / 3


def law_of_weight(p: float, resampling: int, printed: bool) -> list[float]:
    """Return the probabilities of the importance weights 0, 1, ..., M."""
    law = [0.0, *(p * (1 - p) ** (m - 1) for m in range(1, resampling + 1))]
    law[0 if printed else resampling] += (1 - p) ** resampling
    return law


WEIGHTS = [([0.0, 0.7], 0, 3), ([0.0, 0.7], 1, 12), ([1.0, 0.0, 0.4], 0, 7), ([2.5, 0.0, 0.4, 1.0], 0, 5)]


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize(("estimate", "arm", "resampling"), WEIGHTS, ids=str)
def test_the_importance_weight(estimate, arm, resampling, printed):
    """Its law is geometric, cut at M; its mean is (1-(1-p)^M)/p, and as printed (1-(1-q)^M)/q - M (1-q)^M.

    There q is the probability to be the *largest* perturbed estimate. The mean's test is by the normal law.
    """
    p = float(selection([-L for L in estimate] if printed else estimate, arm))
    law = law_of_weight(p, resampling, printed)
    mean = (1 - (1 - p) ** resampling) / p - (resampling * (1 - p) ** resampling if printed else 0)
    assert np.dot(law, np.arange(resampling + 1)) == pytest.approx(mean, rel=1e-12)
    weight = np.exp(-np.array(estimate))
    rival = int(np.argmin(weight) if printed else np.argmax(weight))
    state = states(f"weight {estimate} {arm} {printed}", 1)[0]
    drawn = np.array(
        [
            follow_the_perturbed_leader.importance(state, weight, arm, rival, resampling, printed)
            for _ in range(TRIES)
        ]
    )
    possible = np.array(law) > 0
    counts = np.bincount(drawn, minlength=resampling + 1)
    assert not counts[~possible].any()
    assert stats.chisquare(counts[possible], np.array(law)[possible] * TRIES).pvalue > LEVEL
    deviation = (drawn.mean() - mean) / (drawn.std() / math.sqrt(TRIES))
    assert 2 * stats.norm.sf(abs(deviation)) > LEVEL / 2


SECOND = [(0.4, 1), (0.3, 3), (0.1, 20)]


@pytest.mark.parametrize("name", ["ftpl", "ftpl-printed"])
@pytest.mark.parametrize(("eta", "resampling"), SECOND)
def test_the_second_decision_has_the_law_of_the_first_importance_weight(name, eta, resampling):
    """With losses 1 and two arms: the first arm is played again with probability E[P[eta M_1 + Z < Z']]."""
    law = law_of_weight(0.5, resampling, name == "ftpl-printed")
    again = math.fsum(q * float(distance_law(mpf(eta * m))) for m, q in enumerate(law))
    ones = Bandit(make_losses([1], np.ones((1, 2)), False))
    filled = ones.runs(states(f"second {name} {eta}", 10 * RUNS), np.array([2]))
    registry.algorithm(name).simulate(filled, ones, eta=eta, resampling=resampling)
    same = int((filled.pulls.max(axis=1) == 2).sum())
    assert stats.binomtest(same, 10 * RUNS, again).pvalue > LEVEL


# --- no weight leaves double precision ---


def watched_run(simulate: Any, losses: Losses, horizon: int, noise: float, *given: Any) -> int:
    """Return the fifth word of the stream of a run to the horizon."""
    wide = np.zeros((1, 5), dtype=np.uint64)
    wide[:, :4] = states("watched", 1)
    filled = Bandit(losses).runs(wide, np.array([horizon]))
    simulate(filled, Bandit(losses, noise=noise), *given)
    assert filled.pulls.sum() == horizon
    return int(filled.streams[0, 4])


# Losses that grow, that keep decreasing, that are all negative, and usual ones.
HARD = {
    "usual": make_losses([1], np.array([[0.5, 0.4, 0.5]]), False),
    "zero": make_losses([1], np.array([[0.0, 1.0, 0.0]]), False),
    "negative": make_losses([1], np.array([[-1.0, -0.999, 0.0]]), False),
    "decreasing": make_losses([1000] * 20, -(10.0 ** np.arange(20)[:, None]) * [1.0, 0.5, 1.0], False),
    "increasing": make_losses([1000] * 20, (10.0 ** np.arange(20)[:, None]) * [1.0, 0.5, 1.0], False),
}
DRIFT = 1e-12


def watching(name: str, module: str, imported: str, call: str) -> Any:
    """Return an algorithm's twin that watches its weights; its compiled code is kept from run to run."""
    taken = imported.replace(", categorical", "")
    lines = {
        imported: f"{taken}from watching import checked_categorical\n",
        call: call.replace("categorical", "checked_categorical"),
    }
    return mutated(name, {module: lines}).simulate.__globals__


@pytest.fixture(scope="module")
def watched_exp3():
    names = watching(
        "exp3",
        "settings.adversarial.exponential_weights",
        "from dpbandits.core.lanes import LANES, categorical, uniforms\n",
        "categorical(streams, weight, total, u, room, arm)",
    )
    return names["exponential_weights"].simulate


@pytest.fixture(scope="module")
def watched_htinf():
    names = watching(
        "htinf",
        "",
        "from dpbandits.core.lanes import LANES, categorical\n",
        "categorical(streams, x, one, u, room, arm)",
    )
    return names["_simulate"]


@pytest.fixture(scope="module")
def watched_ftpl():
    lanes = "from dpbandits.core.lanes import LANES, uniforms\n"
    lines = {
        lanes: f"{lanes}from watching import checked_importance\n",
        "loss * importance(state,": "loss * checked_importance(state,",
    }
    twin = mutated("ftpl", {"settings.adversarial.follow_the_perturbed_leader": lines})
    return twin.simulate.__globals__["follow_the_perturbed_leader"]._any_arms


@pytest.mark.parametrize("name", HARD)
def test_exponential_weights_stay_finite(watched_exp3, name):
    """For any learning rate and mixing weight, with and without noise; and their kept sum is their sum."""
    rates, mixing, noises = (0.0, 1e-9, 0.3, 1e6, 1e300), (0.0, 1e-12, 0.1, 1.0), (0.0, 1.0, 1e6)
    for eta, gamma, noise in itertools.product(rates, mixing, noises):
        error = watched_run(watched_exp3, HARD[name], 20_000, noise, eta, gamma, math.inf, 0.0) * 1e-18
        assert error < DRIFT, (eta, gamma, noise)


@pytest.mark.parametrize("b", [0.0, 1.0, 1e6])
def test_dp_exp3_lap_stays_finite(watched_exp3, b):
    for gamma, noise in itertools.product((0.0, 0.1, 1.0), (0.0, 1.0, 1e6)):
        given = (gamma / ((2 * b + 1) * 3), gamma, b + 1, b + 1)
        assert watched_run(watched_exp3, HARD["usual"], 20_000, noise, *given) * 1e-18 < DRIFT, (gamma, noise)


@pytest.mark.parametrize("rounds", [2 * 10**6, pytest.param(10**7, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("eta", "gamma", "noise"),
    # A sum that is hardly ever taken anew; the tuned constants; and one that is taken anew all the time.
    core([(1e-7, 0.5, 1.0), (4e-6, 1e-3, 1.0), (0.02, 0.1, 30.0)], lambda case: case[0] == 1e-7),
)
def test_exponential_weights_after_millions_of_rounds(watched_exp3, eta, gamma, noise, rounds):
    assert 0.0 < watched_run(watched_exp3, HARD["usual"], rounds, noise, eta, gamma, math.inf, 0.0) * 1e-18 < DRIFT


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_htinf_stays_finite(watched_htinf, name):
    """Its probabilities sum to 1, for small and large sigma, also where all losses are skipped."""
    for sigma, noise in itertools.product((1e-6, 2.4, 1e6, 1e150), (0.0, 1.0, 1e6)):
        assert watched_run(watched_htinf, HARD[name], 20_000, noise, sigma) * 1e-18 < DRIFT, (sigma, noise)


@pytest.mark.slow
def test_ftpl_stays_finite(watched_ftpl):
    rates, noises = (0.0, 1e-3, 1e6, 1e300), (0.0, 1e6)
    for name, eta, noise, printed in itertools.product(HARD, rates, noises, (False, True)):
        assert watched_run(watched_ftpl, HARD[name], 5000, noise, eta, 20, printed) == 0, (name, eta, noise)


# --- tuned constants ---

# Horizons, arms, and budgets as a denominator: 0.3 is 3/10.
RATIOS = ((1, 1), (3, 10), (1, 10), (1, 49), (1, 1000))
TUNED = list(itertools.product((10**3, 10**6, 10**9), (2, 10, 1000), RATIOS))


def resolved(name: str, T: int, K: int, epsilon: float | None, **given: Any) -> dict[str, Any]:
    return make_job(name, given, gap_of(K), epsilon, T, 1, ROOT).parameters


@pytest.mark.parametrize(("T", "K", "ratio"), TUNED)
def test_tuned_constants_are_those_of_the_corollaries(T, K, ratio):
    """Corollaries 2, 22 and 24, evaluated in 30 digits."""
    epsilon = ratio[0] / ratio[1]
    with mpmath.workdps(30):
        log, sqrt, n = mpmath.log, mpmath.sqrt, mpf(ratio[0]) * T / ratio[1]
        found = resolved("conversion", T, K, epsilon)
        assert found == {"base": "htinf", "tau": -(-ratio[1] // ratio[0]), "sigma": pytest.approx(math.sqrt(6))}
        eta = sqrt(log(K) / (22 * n * K * log(n * K) ** 2))
        found = resolved("conversion", T, K, epsilon, base="exp3")
        assert found["eta"] == pytest.approx(float(eta), rel=1e-13)
        assert found["gamma"] == pytest.approx(min(1.0, float(4 * eta * K * log(n * K))), rel=1e-13)
        M = sqrt(n * K)
        eta = min(sqrt(log(K) / (n * K + 10 * n * K * log(n * K) ** 2)), 1 / (M * (1 + 4 * log(n))))
        found = resolved("conversion", T, K, epsilon, base="ftpl")
        assert found["eta"] == pytest.approx(float(eta), rel=1e-13)
        assert found["resampling"] == int(mpmath.ceil(M))
        assert found == {**resolved("conversion", T, K, epsilon, base="ftpl-printed"), "base": "ftpl"}


@pytest.mark.parametrize("tau", [1, 3, 50, 900])
def test_another_batch_size_is_tuned_as_theorem_1_has_it(tau):
    """T/tau decisions on losses with noise of scale 1/(tau epsilon); constants as in the proofs."""
    T, K, epsilon = 1000, 4, 0.2
    n, noise = mpf(T) / tau, 1 / (tau * mpf(epsilon))
    log = mpmath.log(n * K)
    found = resolved("conversion", T, K, epsilon, tau=tau)
    assert found["sigma"] == pytest.approx(float(mpmath.sqrt(2 + 4 * noise**2)), rel=1e-14)
    eta = mpmath.sqrt(mpmath.log(K) / (2 * n * K * (1 + 10 * max(noise, noise**2) * log**2)))
    found = resolved("conversion", T, K, epsilon, tau=tau, base="exp3")
    assert found["eta"] == pytest.approx(float(eta), rel=1e-13)
    assert found["gamma"] == pytest.approx(min(1.0, float(4 * eta * noise * K * log)), rel=1e-13)
    M = mpmath.sqrt(n * K)
    first = mpmath.sqrt(mpmath.log(K) / (n * K * (1 + 10 * noise**2 * log**2)))
    eta = min(first, 1 / (M * (1 + 4 * noise * mpmath.log(n))))
    found = resolved("conversion", T, K, epsilon, tau=tau, base="ftpl")
    assert (found["eta"], found["resampling"]) == (pytest.approx(float(eta), rel=1e-13), int(mpmath.ceil(M)))


@pytest.mark.parametrize(("T", "K"), [(100, 2), (10**6, 10)])
def test_tuned_constants_of_the_others(T, K):
    """Without privacy the same proofs with lambda = 0; locally private ones as other papers report them."""
    assert resolved("htinf", T, K, None) == {"sigma": pytest.approx(math.sqrt(2))}
    eta = math.sqrt(math.log(K) / (2 * T * K))
    assert resolved("exp3", T, K, None) == {"eta": pytest.approx(eta, rel=1e-14), "gamma": 0.0}
    M = math.sqrt(T * K)
    found = resolved("ftpl", T, K, None)
    assert found == {"eta": pytest.approx(min(math.sqrt(math.log(K)), 1) / M), "resampling": math.ceil(M)}
    mixing = math.sqrt(K * math.log(K) / ((math.e - 1) * T))
    assert resolved("dp-exp3-lap", T, K, 0.5) == pytest.approx({"gamma": mixing, "b": 2 * math.log(T)})
    C = 1 + 8 * math.log(K * T)
    eta = math.sqrt(math.log(K) / (2 * K * T * C))
    assert resolved("agarwal-singh", T, K, 0.5) == pytest.approx({"eta": eta, "gamma": eta * K * math.sqrt(C)})


@pytest.mark.parametrize("n", [1, 3, 7, 10, 49, 98, 103, 10**6 + 3, 10**12, 3 * 10**13 + 1, 2**52 - 1])
def test_one_over_epsilon_is_rounded_up_exactly(n):
    """An epsilon of 1/n has batches of n rounds, and one that is a little smaller n + 1."""
    assert resolved("conversion", 2**52, 2, 1 / n)["tau"] == n
    if n < 10**14:
        assert resolved("conversion", 2**52, 2, 1 / (n + 0.1))["tau"] == n + 1


def notes(name: str, given: dict[str, Any], T: int, K: int, epsilon: float) -> list[str]:
    """Return which constants have a note."""
    return [note.split(":")[0] for note in make_job(name, given, gap_of(K), epsilon, T, 1, ROOT).notes]


@pytest.mark.parametrize(
    ("name", "given", "T", "K", "epsilon", "noted"),
    [
        # epsilon < 1/T, and just not.
        ("conversion", {}, 1000, 3, 0.999e-3, ["tau"]),
        ("conversion", {}, 1000, 3, 1e-3, []),
        ("conversion", {"base": "ftpl"}, 1000, 3, 0.5e-3, ["tau"]),
        ("conversion", {"base": "exp3"}, 1000, 2, 0.5e-3, ["tau", "gamma"]),
        # gamma = 4 sqrt(K log K/(22 n)) > 1 where n = epsilon T < 16 K log K/22, here 16.75.
        ("conversion", {"base": "exp3"}, 1670, 10, 0.01, ["gamma"]),
        ("conversion", {"base": "exp3"}, 1680, 10, 0.01, []),
        ("dp-exp3-lap", {}, 13, 10, 1.0, ["gamma"]),
        ("dp-exp3-lap", {}, 14, 10, 1.0, []),
        ("agarwal-singh", {}, 11, 10, 1.0, ["gamma"]),
        ("agarwal-singh", {}, 12, 10, 1.0, []),
    ],
)
def test_notes(name, given, T, K, epsilon, noted, tmp_path):
    """A formula that leaves its range is noted, and only then; also where its result is given by hand."""
    assert notes(name, given, T, K, epsilon) == noted
    job = make_job(name, given, gap_of(K), epsilon, T, 1, ROOT)
    assert all(job.parameters[parameter] == {"tau": T, "gamma": 1.0}[parameter] for parameter in noted)
    assert notes(name, dict(job.parameters), T, K, epsilon) == noted
    run_to_file(job, range(1), tmp_path / "run.npz")
    assert read_arrays(tmp_path / "run.npz")[1]["notes"] == list(job.notes)
    for parameter in noted:
        # A value of one's own is no formula's.
        other = {**job.parameters, parameter: 0.5 if parameter == "gamma" else T - 1}
        assert parameter not in notes(name, other, T, K, epsilon)


# --- bad input ---

IMPROVES = "null (never), a fraction of T in (0, 1), or a round >= 1"
UNFIT = [
    ("bernoulli-gap", {"arms": 1, "gap": 0.1}, "arms", 1, "an integer in [2, 1e+06]"),
    ("bernoulli-gap", {"arms": 2.5, "gap": 0.1}, "arms", 2.5, "an integer in [2, 1e+06]"),
    ("drifting-means", {"arms": 1, "gap": 0.1}, "arms", 1, "an integer in [2, 1e+06]"),
    ("hardest-gap", {"arms": 0}, "arms", 0, "an integer in [2, 1e+06]"),
    ("bernoulli-gap", {"arms": 2, "gap": 0.6}, "gap", 0.6, "at most the level, 0.5"),
    ("bernoulli-gap", {"arms": 2, "gap": -0.1}, "gap", -0.1, "a number in [0, 1]"),
    ("bernoulli-gap", {"arms": 2, "gap": 0, "level": 1.1}, "level", 1.1, "a number in [0, 1]"),
    ("bernoulli-gap", {"arms": 2, "gap": 0, "arm": 3}, "arm", 3, "did you mean 'arms'?"),
    ("drifting-means", {"arms": 2, "gap": 2}, "gap", 2, "a number in [0, 1]"),
    ("drifting-means", {"arms": 2, "gap": 0.1, "growth": 1}, "growth", 1, "a number in [1.01, 100]"),
    ("hardest-gap", {"arms": 2, "model": "lokal"}, "model", "lokal", "central, local (did you mean 'local'?)"),
    ("hardest-gap", {"arms": 2, "scale": -1}, "scale", -1, "a number in [0, 1e+06]"),
    ("periodic", {"losses": [[0.1]]}, "losses.0", [0.1], "at least 2 numbers"),
    ("periodic", {"losses": []}, "losses", [], "a list of rows, one for each round"),
    ("periodic", {"losses": [0.1, 1]}, "losses.0", 0.1, "a list of at least 2 numbers in [0, 1]"),
    ("periodic", {"losses": [[0, 1], [1, 0, 1]]}, "losses.1", [1, 0, 1], "2 numbers, as in the first row"),
    ("periodic", {"losses": [[0, 1.2]]}, "losses.0.1", 1.2, "a number in [0, 1]"),
    ("periodic", {"losses": [[0, 1], [-0.1, 0]]}, "losses.1.0", -0.1, "a number in [0, 1]"),
    ("periodic", {"losses": [[0, math.nan]]}, "losses.0.1", math.nan, "a number in [0, 1]"),
    ("periodic", {"losses": [["x", 0]]}, "losses.0.0", "x", "a number in [0, 1]"),
    *(("late-improvement", {"improves": v}, "improves", v, IMPROVES) for v in (0, 0.0, 1.0, 1.5, -3, True, "x")),
]


@pytest.mark.parametrize(("kind", "given", "key", "value", "allowed"), UNFIT)
def test_bad_loss_sequences_are_refused(kind, given, key, value, allowed):
    """With the key, the value and what is allowed."""
    with pytest.raises(BadInput) as refused:
        make_job("exp3", {}, {"kind": kind, **given}, None, 1000, 1, ROOT)
    assert str(refused.value).startswith(f"environment.{key}: {value!r} is not allowed; allowed: ")
    assert allowed in refused.value.allowed


# --- FTPL as printed ---


def share_of_second(name: str, horizon: int, losses: tuple[float, float], runs: int = 40) -> Floats:
    """Return the share of rounds in which the second of two arms is played, in each run, with tuned constants."""
    job = make_job(name, {}, {"kind": "periodic", "losses": [list(losses)]}, None, horizon, 1, ROOT)
    return run(job, range(runs)).pulls[:, 1] / horizon


@pytest.mark.parametrize("losses", [(0.3, 0.5), (0.5, 1.0), (0.1, 0.9)])
def test_ftpl_as_printed_does_not_learn(losses):
    """Its regret is linear where the repaired one's is not.

    In a decision an arm's estimate grows by its loss times P[it is selected]/P[it is largest]; for two arms these
    are p_1/p_2 and p_2/p_1. They balance at p_1/p_2 = sqrt(l_2/l_1), and there it stays.
    """
    balance = math.sqrt(losses[0]) / (math.sqrt(losses[0]) + math.sqrt(losses[1]))
    shares = [share_of_second("ftpl-printed", horizon, losses).mean() for horizon in (10**4, 10**5)]
    assert shares == pytest.approx([balance, balance], rel=0.03)
    repaired = [share_of_second("ftpl", horizon, losses).mean() for horizon in (10**4, 10**5)]
    # The share of a learner falls as T^(-1/2), by 3.2 a decade.
    assert repaired[0] / repaired[1] > 2
    assert repaired[1] < 0.1 * shares[1]


def test_resampling_that_ends_with_zero_is_not_what_the_proof_uses():
    """Lemma 25 uses E[estimate] = loss (1 - (1-p)^M): p times the mean weight if M is used, not if 0 is."""
    for p, resampling in ((0.5, 3), (0.01, 10), (1e-4, 100)):
        means = [
            np.dot(law_of_weight(p, resampling, printed), np.arange(resampling + 1)) for printed in (False, True)
        ]
        identity = 1 - (1 - p) ** resampling
        assert p * means[0] == pytest.approx(identity, rel=1e-9)
        assert p * means[1] < 0.8 * identity
    # An arm that is hardly ever selected is then hardly ever charged.
    assert p * means[1] < 0.006 * identity
