"""Bandits with expert advice: every law against literal pseudocode, and edges of their own.

False alarms. Seeds are fixed, so the file is deterministic. With fresh seeds, correct code would fail somewhere in
it with probability at most `FALSE_ALARMS`: every p-value is compared with that divided by `P_VALUES`, an upper
bound of their number, which `test_number_of_p_values` checks.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Any

import literal_experts
import numpy as np
import pytest
from laws import homogeneity
from numpy.typing import NDArray
from scipy import special, stats
from tiers import one_of_each

from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.files import read_arrays
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.runs.job import Job, make_job, prepare, run, run_to_file
from dpbandits.settings.experts import batched_exponential_weights, exponential_weights, theory, weights
from dpbandits.settings.experts.problem import make_bandit

FALSE_ALARMS = 1e-3
P_VALUES = 150
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 20250802
NAMES = [name for name in registry.modules("algorithm") if registry.setting("algorithm", name) == "experts"]
PRIVATE = [name for name in NAMES if registry.algorithm(name).privacy is not None]
SMALL = {"kind": "one-good-expert", "experts": 7, "actions": 4, "gap": 0.4, "period": 3}

Array = NDArray[np.float64]


def job(name: str, horizon: int, changes: dict[str, Any] | None = None, epsilon: float = 0.7, **given: Any) -> Job:
    """Return a job of an algorithm of the setting, at a budget if it takes one, in `SMALL` with changes."""
    budget = epsilon if name in PRIVATE else None
    return make_job(name, given, {**SMALL, **(changes or {})}, budget, horizon, 12, 3)


# --- laws ---


@dataclasses.dataclass(frozen=True)
class Case:
    """An algorithm with random advice and losses, the rounds looked at, and the literal's number of runs.

    ``concentration`` is that of the advice's Dirichlet law: with 0 each expert advises a single action. With
    ``alike`` many actions are alike: half of the advice is of another one, and mean losses are 0.1 or 0.9.
    """

    name: str
    shape: tuple[int, int, int]
    rounds: tuple[int, int]
    runs: int
    parameters: dict[str, Any]
    concentration: float = 1.0
    alike: bool = False

    def __str__(self) -> str:
        return f"{self.name}-{'x'.join(map(str, self.shape))}-T{self.rounds[1]}"

    @property
    def p_values(self) -> int:
        return 4 + self.shape[1]

    def environment(self) -> tuple[Array, Array]:
        """Return advice, shape (period, experts, actions), and means."""
        period, experts, actions = self.shape
        rng = np.random.default_rng([ROOT, experts, actions])
        if self.concentration == 0:
            advice = np.eye(actions)[rng.integers(actions, size=(period, experts))]
        else:
            advice = rng.dirichlet([self.concentration] * actions, (period, experts))
        if self.alike:
            return (advice + np.roll(advice, actions // 2, axis=2)) / 2, rng.choice([0.1, 0.9], (period, actions))
        return advice, rng.beta(0.5, 0.5, (period, actions))


# Budgets above 1 take the noise away from what is learned, whose errors would else be lost in it.
CASES = [
    Case("exp4", (1, 4, 3), (7, 60), 20_000, {"eta": 0.3, "gamma": 0.0}),
    Case("exp4", (3, 20, 2), (30, 151), 10_000, {"eta": 0.5, "gamma": 0.2}),
    Case("exp4", (5, 3, 4), (6, 100), 20_000, {"eta": 1.5, "gamma": 0.05}, 0.0),
    Case("local-dp-exp4", (2, 5, 3), (20, 101), 20_000, {"epsilon": 1.0, "eta": 0.2, "gamma": 0.3}),
    Case("local-dp-exp4", (1, 17, 2), (40, 200), 10_000, {"epsilon": 20.0, "eta": 0.4, "gamma": 0.1}, 0.3),
    Case(
        "batched-exp4",
        (1, 4, 3),
        (10, 63),
        20_000,
        {"epsilon": 1.0, "delta": 0.1, "tau": 7, "eta": 0.2, "gamma": 0.6},
    ),
    Case(
        "batched-exp4",
        (5, 18, 2),
        (20, 101),
        10_000,
        {"epsilon": 100.0, "delta": 0.3, "tau": 3, "eta": 0.8, "gamma": 0.3},
    ),
    Case(
        "batched-exp4-printed",
        (3, 3, 4),
        (333, 1020),
        4000,
        {"epsilon": 30.0, "delta": 0.2, "tau": 50, "eta": 2.0, "gamma": 0.2},
        0.0,
    ),
    Case(
        "batched-exp4",
        (7, 5, 3),
        (17, 120),
        20_000,
        {"epsilon": 200.0, "delta": 0.2, "tau": 1, "eta": 0.3, "gamma": 0.4},
    ),
    Case(
        "batched-exp4",
        (9, 2, 4),
        (25, 150),
        20_000,
        {"epsilon": 300.0, "delta": 0.2, "tau": 20, "eta": 0.6, "gamma": 0.3},
        0.0,
        alike=True,
    ),
    Case(
        "bandit-to-experts",
        (2, 4, 3),
        (13, 62),
        1000,
        {"base": "exp3", "epsilon": 1.0, "tau": 3, "eta": 0.2, "gamma": 0.3},
    ),
    Case(
        "bandit-to-experts",
        (3, 3, 2),
        (11, 50),
        1000,
        {"base": "htinf", "epsilon": 2.0, "tau": 2, "sigma": 2.0},
        0.0,
    ),
]


def simulated(case: Case, advice: Array, means: Array, runs: int, identity: str) -> tuple[Array, Array]:
    """Return pulls and regret of the package's runs."""
    states = streams(ROOT, f"{identity} {case}", np.arange(runs))
    bandit = make_bandit(advice, means)
    filled = bandit.runs(states, np.array(case.rounds))
    registry.algorithm(case.name).simulate(filled, bandit, **case.parameters)
    return filled.pulls, filled.regret


def assert_same_law(one: tuple[Array, Array], other: tuple[Array, Array]) -> None:
    p_values = {}
    for at in (0, 1):
        # Equal regrets may differ in the last place.
        a, b = (np.round(regret[:, at], 6) for _, regret in (one, other))
        p_values[f"regret {at}, Mann-Whitney"] = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
        p_values[f"regret {at}, Kolmogorov-Smirnov"] = stats.ks_2samp(a, b, method="asymp").pvalue
    for expert in range(one[0].shape[1]):
        a, b = (np.rint(pulls[:, expert]) for pulls, _ in (one, other))
        p_values[f"pulls of {expert}"] = homogeneity(a, b)
    # Where all regrets are equal, as before anything is learned, there is nothing to compare.
    found = {name: p for name, p in p_values.items() if not math.isnan(p)}
    assert min(found.values()) > LEVEL, sorted(found.items(), key=lambda item: item[1])[:4]


DRAWN = (1, 2, 15, 16, 17, 33, 100)


def test_number_of_p_values() -> None:
    assert sum(case.p_values for case in CASES) + len(DRAWN) <= P_VALUES


# A policy plays one run at a time: the fast tier plays fewer of them.
@pytest.mark.parametrize("most", [40, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", one_of_each(CASES, lambda case: case.name), ids=str)
def test_literal_law(case: Case, most: int) -> None:
    """The package's law is that of the pseudocode, played round by round."""
    advice, means = case.environment()
    rng = np.random.default_rng([ROOT, CASES.index(case)])
    runs = min(case.runs, most)
    record = literal_experts.play(case.name, advice, means, case.rounds[1], runs, rng, case.parameters)
    # Twenty of ours for one of theirs: more would say little.
    assert_same_law(record.at(case.rounds), simulated(case, advice, means, min(20_000, 20 * runs), "ours"))


def test_a_batch_of_one_round_without_noise_is_exp4() -> None:
    """Batched EXP4 with tau = 1 and no noise expects, over its runs, the regret of EXP4."""
    bandit = make_bandit(*CASES[1].environment())
    found = []
    for batched in (False, True):
        states = streams(ROOT, f"one round, {batched}", np.arange(20_000))
        runs = bandit.runs(states, np.array([20, 80]))
        if batched:
            batched_exponential_weights._simulate(runs, bandit, 1, 0.4, 0.1, 0.0)
        else:
            exponential_weights.simulate(runs, bandit, 0.4, 0.1, 0.0)
        found.append(runs.regret)
    for at in (0, 1):
        difference = found[0][:, at].mean() - found[1][:, at].mean()
        error = math.hypot(*(each[:, at].std() / math.sqrt(20_000) for each in found))
        # 5 standard errors: 6 in 10 million.
        assert abs(difference) < 5 * error


@pytest.mark.parametrize("case", CASES, ids=str)
def test_classes(case: Case) -> None:
    """A context's classes are its actions, counted; actions and contexts that are alike are put together."""
    bandit = make_bandit(*case.environment())
    classes = batched_exponential_weights.fewest_classes(bandit)
    kinds = set()
    for context, kind in enumerate(classes.kind):
        actions = zip(bandit.means[context], bandit.advice[context], strict=True)
        expected = collections.Counter((mean, tuple(column)) for mean, column in actions)
        found = {
            (classes.mean[kind, i], tuple(classes.advice[kind, i])): classes.size[kind, i]
            for i in range(classes.number[kind])
        }
        assert found == expected
        assert len(found) == classes.number[kind]
        assert classes.first[kind] == pytest.approx(bandit.followed.losses.means[context, 0], rel=1e-14)
        kinds.add(frozenset(expected.items()))
    assert len(kinds) == classes.number.size


# --- weights ---


def test_exponential() -> None:
    x = np.concatenate([np.linspace(-700, 700, 20_001), np.linspace(-1e-3, 1e-3, 101), np.arange(-700.0, 701)])
    found = np.array([weights.exponential(value) for value in x])
    np.testing.assert_allclose(found, np.exp(x), rtol=4e-16)
    # The compiler may take the two roundings of the argument for none: it must not.
    assert weights.exponential(1.0) == pytest.approx(math.e, rel=4e-16)
    for value in (-701.0, -1e300, -math.inf):
        assert weights.exponential(value) == pytest.approx(math.exp(-700), rel=1e-15)
    assert weights.exponential(1e9) == pytest.approx(math.exp(700), rel=1e-15)


@pytest.mark.parametrize("experts", DRAWN)
def test_drawing_and_mixing(experts: int) -> None:
    """An expert is drawn with the probability of its weight; groups and mixtures are sums."""
    rng = np.random.default_rng([ROOT, experts])
    found = weights.make_weights(experts)
    found.log[:] = rng.normal(0, 1.5, experts) + 1e4
    origin, total = weights.weigh_anew(found)
    assert origin == found.log.max()
    np.testing.assert_allclose(found.value / total, special.softmax(found.log), rtol=1e-12)
    assert found.groups.sum() == pytest.approx(total, rel=1e-14)
    advice = rng.random((2, 3, experts))
    assert weights.mixture(found, advice, 1, 2) == pytest.approx(found.value @ advice[1, 2], rel=1e-13)
    state = streams(ROOT, f"draw {experts}", np.arange(1))[0]
    counts = np.bincount([weights.draw(state, found, total) for _ in range(50_000)], minlength=experts)
    if experts > 1:
        expected = 50_000 * found.value / total
        large = expected >= 10
        sums = [np.append(each[large], each[~large].sum()) for each in (counts, expected)]
        sums = [each[:-1] if each[-1] == 0 else each for each in sums]
        assert stats.chisquare(*sums).pvalue > LEVEL


@pytest.mark.parametrize("largest", [1.0, 1e3, 1e16, 1e290])
def test_weights_survive_any_step(largest: float) -> None:
    """After steps of either sign and any size the weights are the softmax of their logarithms, and never NaN."""
    rng = np.random.default_rng(7)
    found = weights.make_weights(40)
    advice = rng.dirichlet(np.full(3, 0.3), (2, 40)).transpose(0, 2, 1).copy()
    found.log[:] = 0.0
    origin, total = weights.weigh_anew(found)
    for _ in range(3000):
        step = rng.choice([-1, 1]) * largest * 10 ** rng.uniform(-4, 0)
        origin, total = exponential_weights._learn(
            found, advice, int(rng.integers(2)), int(rng.integers(3)), step, origin
        )
        assert 1e-100 < total < 1e100 or total >= 1.0
        share = found.value / total
        np.testing.assert_allclose(share, special.softmax(found.log), rtol=1e-9, atol=1e-200)
    assert found.groups.sum() == pytest.approx(total)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("exp4", {"eta": 50.0}),
        ("local-dp-exp4", {"eta": 0.3, "gamma": 0.01}),
    ],
)
def test_ten_million_rounds(name: str, parameters: dict[str, float]) -> None:
    """Logarithms of weights go to millions, and the best expert, the last one, is still known."""
    bandit = make_bandit(np.array([[[0.1, 0.9], [0.9, 0.1]]]), np.array([[0.1, 0.9]]))
    horizon = 10**7
    runs = bandit.runs(streams(1, name, np.arange(1)), np.array([horizon]))
    budget = {"epsilon": 1.0} if name in PRIVATE else {}
    registry.algorithm(name).simulate(runs, bandit, **{"gamma": 0.0, **parameters}, **budget)
    assert runs.pulls[0, 1] > 0.95 * horizon
    assert 0 <= runs.regret[0, 0] < 0.05 * horizon


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [1e-100, 1e-3, 1.0])
@pytest.mark.parametrize("horizon", [1, 2, 3, 1000])
def test_extreme_settings(name: str, epsilon: float, horizon: int) -> None:
    """Any budget and horizon with the default constants, and with wild ones."""
    wild: list[dict[str, float]] = [{}]
    if name.startswith("batched"):
        wild += [{"eta": 1e6, "tau": 1}, {"gamma": 0.0}, {"gamma": 1.0, "eta": 1e3}, {"delta": 1e-300}]
    elif "exp4" in name:
        wild += [{"eta": 1e6, "gamma": 0.0}, {"gamma": 1.0}]
    for given in wild:
        for environment in ({}, {"experts": 1}, {"actions": 2, "nu": 0.0, "advice": "near-deterministic"}):
            runs = run(job(name, horizon, environment, epsilon, **given), range(3))
            check(runs)
            assert np.all(np.abs(runs.regret) <= 0.4 * runs.rounds * (1 + 1e-9))


def check(runs: Runs) -> None:
    """Check the invariants of filled runs."""
    assert np.all(np.isfinite(runs.regret))
    assert np.all(runs.pulls >= 0)
    # Rounding at the horizon may add half a round for each expert.
    assert np.all(runs.pulls.sum(axis=1) <= runs.horizon + runs.pulls.shape[1] / 2)


@pytest.mark.parametrize("name", NAMES)
def test_one_expert_costs_nothing(name: str) -> None:
    runs = run(job(name, 3000, {"experts": 1}), range(3))
    np.testing.assert_allclose(runs.regret, 0.0, atol=1e-9)
    assert runs.pulls.tolist() == [[3000]] * 3


def test_the_first_expert_is_good() -> None:
    """The good expert advises the round's best action with probability 1 - nu, and is best by a margin."""
    for advice in ("dense", "near-deterministic"):
        for name in ("one-good-expert", "hardest-expert-gap"):
            given = {**SMALL, "advice": advice, "period": 12, "seed": 5, "kind": name}
            if name == "hardest-expert-gap":
                given["scale"] = 1e6
                del given["gap"]
            made = make_job("exp4", {}, given, None, 1200, 3, 0)
            runs, bandit = prepare(made, range(1))
            np.testing.assert_allclose(bandit.advice.sum(axis=1), 1.0)
            best = bandit.means.argmin(axis=1)
            assert np.unique(best).size > 1
            assert bandit.advice[np.arange(12), best, 0] == pytest.approx(0.9)
            followed = bandit.followed.losses.means.mean(axis=0)
            assert followed.argmin() == 0
            assert np.sort(followed)[1] > followed[0] + 0.1
            assert runs.best[-1] == pytest.approx(0.0)
            assert runs.rounds[-1] == 1200
            if advice == "near-deterministic":
                assert set(np.unique(np.round(bandit.advice, 12))) == {round(0.1 / 3, 12), 0.9}


def test_the_environment_has_its_own_seed() -> None:
    """Advice depends on the environment's seed and not on the configuration's."""
    found = []
    for seed, root in ((0, 0), (0, 1), (1, 0)):
        made = make_job("exp4", {}, {**SMALL, "seed": seed}, None, 10, 1, root)
        found.append(prepare(made, range(1))[1].advice)
    assert found[0].tobytes() == found[1].tobytes()
    assert not np.allclose(found[0], found[2])


@pytest.mark.parametrize(
    ("name", "bound"), [("exp4", "exp4"), ("bandit-to-experts", "cor8"), ("local-dp-exp4", "thm9")]
)
def test_regret_is_below_its_bound(name: str, bound: str) -> None:
    """Far below, at a gap of every size; and it is not zero."""
    horizon = 50_000
    for gap in (0.02, 0.1, 0.5):
        runs = run(job(name, horizon, {"gap": gap, "period": 1, "experts": 2}, 1.0), range(20))
        tuning = Tuning(horizon, 4, 1.0, 2)
        assert 10 < runs.regret[:, -1].mean() < 0.7 * theory.BOUNDS[bound].value(tuning)


def test_batched_exp4_learns_over_long_horizons() -> None:
    """Theorem 10's tuning: linear regret while gamma is 1, and nearly T^(2/3) at T = 10^12."""
    shares = []
    for horizon in (10**6, 10**9, 10**12):
        made = job("batched-exp4", horizon, {"actions": 2, "experts": 4, "period": 1, "gap": 0.5}, 1.0)
        runs = run(made, range(2))
        shares.append(runs.regret[:, -1].mean() / horizon)
    assert shares[0] > 0.1 * shares[1] > 0.01 * shares[2] > 0.0
    assert shares[2] < 0.002


# --- constants ---


def test_constants_are_those_of_the_theorems() -> None:
    """Written out once more, as printed (Theorems 9 and 10)."""
    t, k, n, epsilon, delta = 10**9, 5, 30, 0.2, 1e-4
    tuning = Tuning(t, k, epsilon, n)
    logs = math.log(n * t)

    def values(name: str, **given: float) -> dict[str, Any]:
        return registry.algorithm(name).resolve(given, tuning).values

    assert values("exp4") == {"eta": pytest.approx(math.sqrt(math.log(n) / (2 * k * t))), "gamma": 0.0}
    eta = math.sqrt(math.log(n) / (3 * t * k * (1 + 10 * math.log(k * t) ** 2 / epsilon**2)))
    gamma = 4 * eta * k * math.log(k * t) / epsilon
    assert values("local-dp-exp4") == {"eta": pytest.approx(eta), "gamma": pytest.approx(gamma)}

    spread = n * math.log(1 / delta)
    eta = (
        spread ** (1 / 6) * logs ** (1 / 3) * math.log(n) ** (1 / 3) / (t ** (1 / 3) * k**0.5 * epsilon ** (1 / 3))
    )
    tau = spread ** (1 / 3) * logs ** (2 / 3) * t ** (1 / 3) / (epsilon ** (2 / 3) * math.log(n) ** (1 / 3))
    tau = math.ceil(tau)
    last = 12 * eta * k * math.sqrt(spread) * logs / (epsilon * tau)
    for name, size in (("batched-exp4", spread), ("batched-exp4-printed", n)):
        first = eta ** (1 / 3) * size ** (1 / 3) * k ** (2 / 3) * logs ** (2 / 3) / (epsilon * tau) ** (2 / 3)
        gamma = max(first, last)
        assert values(name, delta=delta) == {
            "delta": delta,
            "tau": tau,
            "eta": pytest.approx(eta),
            "gamma": pytest.approx(gamma),
        }
    assert values("batched-exp4")["delta"] == 1 / t
    # The base sees N arms and its own decisions (Corollary 22 with K = N).
    decisions = n * epsilon * t
    assert values("bandit-to-experts", base="exp3")["eta"] == pytest.approx(
        math.sqrt(math.log(n) / (22 * decisions * math.log(decisions) ** 2))
    )
    assert values("bandit-to-experts") == {"base": "htinf", "tau": 5, "sigma": pytest.approx(math.sqrt(6))}


@pytest.mark.parametrize("name", ["batched-exp4", "batched-exp4-printed", "local-dp-exp4"])
def test_notes(name: str, tmp_path: Any) -> None:
    """A formula beyond its range is noted, in the file's metadata too, and its values may be given back."""
    few = job(name, 10, {"experts": 1000}, 0.01)
    assert few.notes[-1].startswith("gamma: its formula gives ")
    assert few.parameters["gamma"] == 1.0
    assert few == job(name, 10, {"experts": 1000}, 0.01, **few.parameters)
    run_to_file(few, range(2), tmp_path / "few.npz")
    assert read_arrays(tmp_path / "few.npz")[1]["notes"] == list(few.notes)
    one = job(name, 100, {"experts": 1})
    assert one == job(name, 100, {"experts": 1}, **one.parameters)
    if name != "local-dp-exp4":
        assert one.parameters["tau"] == 100
        assert "gives inf" in one.notes[0]
    assert not job(name, 10**9, {"experts": 3, "actions": 2}, 1.0).notes


@pytest.mark.parametrize(
    ("changes", "key", "value"),
    [
        ({"experts": 0}, "environment.experts", 0),
        ({"experts": 2.5}, "environment.experts", 2.5),
        ({"experts": 10**7}, "environment.experts", 10**7),
        ({"actions": 1}, "environment.actions", 1),
        ({"period": 0}, "environment.period", 0),
        ({"gap": 0.6}, "environment.gap", 0.6),
        ({"gap": -0.1}, "environment.gap", -0.1),
        ({"gap": "large"}, "environment.gap", "large"),
        ({"level": 1.5}, "environment.level", 1.5),
        ({"nu": 2}, "environment.nu", 2),
        ({"advice": "dence"}, "environment.advice", "dence"),
        ({"seed": -1}, "environment.seed", -1),
        ({"arms": 3}, "environment.arms", 3),
        ({"kind": "hardest-expert-gap"}, "environment.gap", 0.4),
    ],
)
def test_bad_environments(changes: dict[str, Any], key: str, value: Any) -> None:
    with pytest.raises(BadInput) as error:
        make_job("exp4", {}, {**SMALL, **changes}, None, 100, 3, 0)
    assert (error.value.where, error.value.value) == (key, value)
    assert error.value.allowed


def test_bad_models_and_missing_gaps() -> None:
    rest = {key: value for key, value in SMALL.items() if key != "gap"}
    with pytest.raises(BadInput, match=r"environment.model: 'locall' .* \(did you mean 'local'\?\)"):
        make_job("exp4", {}, {**rest, "kind": "hardest-expert-gap", "model": "locall"}, None, 100, 3, 0)
    with pytest.raises(BadInput, match=r"environment: .* a mapping with the key 'gap'"):
        make_job("exp4", {}, rest, None, 100, 3, 0)
    with pytest.raises(BadInput, match=r"environment: .* a mapping with the key 'experts'"):
        make_job("exp4", {}, {"kind": "hardest-expert-gap", "actions": 3}, None, 100, 3, 0)
