"""Audits of bandits with expert advice: actions are kept, exact losses are right, and every broken twin is caught.

False alarms: seeds are fixed. With fresh ones an audit of a correct algorithm errs with probability at most 1/1000,
which its confidence says, and the checks of laws below by less than that together.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm
from tiers import FEW_ROUNDS, core
from twins import blamed, mutated, registered, wrapped

from dpbandits.auditing.audit import DELTA, audit
from dpbandits.auditing.replay import replay
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.errors import BadInput
from dpbandits.runs.job import fill, make_job, prepare
from dpbandits.settings.experts import privacy as composition
from dpbandits.settings.experts.environments import advice_table

BATCHED = ("batched-exp4", "batched-exp4-printed")
GIVEN = {"delta": DELTA}
NOISE = {"halved": lambda epsilon: 2 * epsilon, "forgotten": lambda _: math.inf}
# Faults of the kernels, by the numbers that they have in the altered sources.
LOCAL_FAULTS = {"loss counted twice": 1, "noise reused": 2, "zero leaked": 3, "one action without noise": 4}
LOCAL_ALTERED = {
    "gamma: float, noise: float) -> None:": "gamma: float, noise: float, fault: int) -> None:",
    "        context, clock = 0, START\n": """\
        context, clock = 0, START
        before, first = 0.0, 0.0
""",
    "                loss = release(state, runs.recorder, loss, noise)\n": """\
                raw = loss
                if fault == 1:
                    loss += before
                before = raw
                counted = loss
                loss = release(state, runs.recorder, counted, noise)
                if clock.t == 0:
                    first = loss - counted
                if fault == 2:
                    loss = counted + first
                if (fault == 3 and raw == 0.0) or (fault == 4 and action == 0):
                    loss = counted
""",
}
BATCHED_FAULTS = {"noise reused among experts": 1, "zero leaked": 2, "all experts but one without noise": 3}
REUSED_AMONG_BATCHES, FORGOTTEN_SENSITIVITY = 4, 5
BATCHED_ALTERED = {
    "gamma: float, noise: float) -> None:": "gamma: float, noise: float, fault: int) -> None:",
    "    estimate = np.empty(experts)\n": "    estimate = np.empty(experts)\n    drawn = np.empty(experts)\n",
    "                    weights.log[j] -= eta * release(state, runs.recorder, estimate[j], noise)\n": """\
                    if fault == 4 and j == 0:
                        for i in range(4):
                            state[i] = np.uint64(i + 1)
                    drawn[j] = release(state, runs.recorder, estimate[j], noise) - estimate[j]
                    if fault == 1:
                        drawn[j] = drawn[0]
                    if (fault == 2 and estimate[j] == 0.0) or (fault == 3 and j > 0):
                        drawn[j] = 0.0
                    weights.log[j] -= eta * (estimate[j] + drawn[j])
""",
    "_simulate(runs, bandit, tau, eta, gamma, noise)": "_simulate(runs, bandit, tau, eta, gamma, noise, FAULT)",
    # Noise for losses in [0, 1] in place of their estimates in [0, K/gamma].
    "3 * actions * spread / (gamma * tau * epsilon)": (
        "(3 * spread / (tau * epsilon) if FAULT == 5 else 3 * actions * spread / (gamma * tau * epsilon))"
    ),
}


@pytest.fixture(scope="module")
def local() -> Algorithm:
    """Return Local-DP EXP4 that knows all faults: compiled once for all twins."""
    call = "exponential_weights.simulate(runs, bandit, eta, gamma, 1 / epsilon)"
    own = {call: call.replace(")", ", FAULT)")}
    return mutated("local-dp-exp4", {"": own, "settings.experts.exponential_weights": LOCAL_ALTERED})


@pytest.fixture(scope="module")
def batched() -> Algorithm:
    """Return batched EXP4 that knows all faults."""
    return mutated("batched-exp4", {"settings.experts.batched_exponential_weights": BATCHED_ALTERED})


@pytest.mark.parametrize("fault", LOCAL_FAULTS)
def test_a_faulty_local_algorithm_is_caught(local, fault):
    local.simulate.__globals__["FAULT"] = LOCAL_FAULTS[fault]
    with registered("local-dp-exp4", local) as twin:
        assert blamed(twin)


@pytest.mark.parametrize("fault", BATCHED_FAULTS)
def test_a_faulty_batched_algorithm_is_caught(batched, fault):
    batched.simulate.__globals__["FAULT"] = BATCHED_FAULTS[fault]
    with registered("batched-exp4", batched) as twin:
        assert blamed(twin)


# Samples, above, catch every fault in the fast tier; of replays there it has noise reused among batches, below.
@pytest.mark.slow
@pytest.mark.parametrize("fault", LOCAL_FAULTS)
def test_a_replay_catches_every_local_fault(local, fault):
    local.simulate.__globals__["FAULT"] = LOCAL_FAULTS[fault]
    with registered("local-dp-exp4", local) as twin:
        assert replay(twin, 1.0, horizon=2_000, effort=0.5).loss > 1.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("fault", BATCHED_FAULTS)
def test_a_replay_catches_every_batched_fault(batched, fault):
    batched.simulate.__globals__["FAULT"] = BATCHED_FAULTS[fault]
    with registered("batched-exp4", batched) as twin:
        assert replay(twin, 1.0, parameters=GIVEN, horizon=2_000, effort=0.2).loss > 1.0


def test_noise_reused_among_batches_is_caught(batched):
    """Sampling does not see it: the difference of two batches' estimates is released without noise."""
    batched.simulate.__globals__["FAULT"] = REUSED_AMONG_BATCHES
    with registered("batched-exp4", batched) as twin:
        found = replay(twin, 1.0, parameters=GIVEN, horizon=2_000, effort=0.2)
        assert math.isinf(found.loss) and "has the noise of" in found.worst.violation


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize(("name", "parameters"), [("local-dp-exp4", {}), ("bandit-to-experts", {"base": "exp3"})])
def test_too_little_noise_is_caught(name, parameters, noise):
    with wrapped(name, epsilon=NOISE[noise]) as twin:
        assert blamed(twin, parameters=parameters)


@pytest.mark.parametrize("name", core(BATCHED, lambda name: name == "batched-exp4"))
def test_batches_without_noise_are_caught(name):
    with wrapped(name, epsilon=NOISE["forgotten"]) as twin:
        assert blamed(twin)


@pytest.mark.slow
@pytest.mark.parametrize("name", BATCHED)
def test_a_forgotten_sensitivity_is_caught(batched, name):
    batched.simulate.__globals__["FAULT"] = FORGOTTEN_SENSITIVITY
    # Both are the same runs, with other parameters.
    with registered(name, dataclasses.replace(registry.algorithm(name), simulate=batched.simulate)) as twin:
        assert blamed(twin, first=(1 / 8,))


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-9])
def test_batches_have_noise_to_spare(delta):
    """Advanced composition is not tight: half the noise still keeps the claim, and is no broken twin."""
    assert composition.worst(1.0, {"delta": delta}).loss < 0.4
    assert composition.worst(2.0, {"delta": delta}).loss < 1.0


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6])
def test_a_loss_counted_in_two_batches_keeps_the_claim(delta):
    """It moves the estimates of two batches, 2N releases in place of N: no broken twin, and nothing to catch."""
    for experts in composition.EXPERTS:
        law = composition.law(1.0 / (3 * math.sqrt(experts * math.log(1 / delta))), 2 * experts)
        assert composition.smallest_epsilon(*law, delta) < 0.6


CONSISTENT = [("bandit-to-experts", {"base": "exp3"}), ("bandit-to-experts", {}), ("local-dp-exp4", {})]


@pytest.mark.parametrize(
    ("name", "parameters", "effort"),
    [
        ("batched-exp4", {}, 20_000),
        *(
            pytest.param(*case, 100_000, marks=pytest.mark.slow)
            for case in (*CONSISTENT, *((name, {}) for name in BATCHED))
        ),
    ],
    ids=str,
)
def test_correct_algorithms_are_consistent(name, parameters, effort):
    found = audit(name, 1.0, parameters=parameters, effort=effort, replay_horizon=FEW_ROUNDS)
    assert found.verdict == "consistent"
    assert found.exact is not None
    if name == "local-dp-exp4" or "base" in parameters:
        assert found.exact.loss == 1.0
        assert found.sampled.bound > 0.9


def test_private_advice_is_not_private():
    """asi2025 states before Theorem 7 that advice may be sensitive too: the action of its round tells it."""
    found = audit(
        "bandit-to-experts-advice", 1.0, parameters={"base": "exp3"}, effort=1000, replay_horizon=FEW_ROUNDS
    )
    assert found.verdict == "violated" and found.infinite
    assert found.exact is not None and found.exact.probabilities == (1.0, 0.0)
    for inputs, p in zip((found.exact.one, found.exact.other), found.exact.probabilities, strict=True):
        job = make_job("bandit-to-experts-advice", {}, {"kind": "advice-table", **inputs}, 1.0, 1, 1, 0)
        runs, bandit = prepare(job, range(1000), kept=1)
        fill(job, runs, bandit)
        assert (runs.played[:, 0] == 0).mean() == p
    # Only the losses replaced, as in Definition 4, and the claim stands.
    assert "advice" not in registry.algorithm("bandit-to-experts").privacy.neighbours


def table(rounds: int, experts: int, actions: int, seed: int = 0) -> dict[str, Any]:
    """Return random losses and advice."""
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 2, (rounds, actions)).astype(float).tolist()
    advice = rng.dirichlet(np.ones(actions), (rounds, experts))
    advice[..., -1] = 1.0 - advice[..., :-1].sum(axis=-1)
    return {"kind": "advice-table", "losses": losses, "advice": np.maximum(advice, 0.0).tolist()}


ALGORITHMS = [
    ("exp4", {"eta": 0.5, "gamma": 0.1}, None),
    ("local-dp-exp4", {"eta": 0.1, "gamma": 0.1}, 1.0),
    ("batched-exp4", {"tau": 3, "eta": 0.5, "gamma": 0.3, "delta": 0.1}, 1.0),
    ("bandit-to-experts", {"base": "exp3", "tau": 3, "eta": 0.3, "gamma": 0.1}, 1.0),
]


@pytest.mark.parametrize(("name", "parameters", "epsilon"), ALGORITHMS, ids=lambda value: str(value)[:20])
def test_keeping_actions_does_not_change_the_law(name, parameters, epsilon):
    """Regret and pulls have one law, whether actions are drawn one by one or a batch at once."""
    runs, horizon = 20_000, 11
    samples = []
    for kept in (0, horizon):
        job = make_job(name, parameters, table(4, 3, 3), epsilon, horizon, 1, kept)
        sample, bandit = prepare(job, range(runs), kept=kept)
        fill(job, sample, bandit)
        samples.append(sample)
    regret = np.concatenate([sample.regret[:, 0] for sample in samples])
    bins = np.unique(np.quantile(regret, np.linspace(0, 1, 9)))[1:-1]
    counts = [np.bincount(np.digitize(sample.regret[:, 0], bins), minlength=bins.size + 1) for sample in samples]
    assert chi2_contingency(np.array(counts) + 1).pvalue > 1e-4
    # The first action has the law of the experts' mean advice, the mixing aside.
    advice = np.array(table(4, 3, 3)["advice"])[0].mean(axis=0)
    gamma = 0.0 if name == "bandit-to-experts" else parameters["gamma"]
    p = (1 - gamma) * advice + gamma / 3
    symbols = samples[1].played[:, 0] % 3
    z = (np.bincount(symbols, minlength=3) - runs * p) / np.sqrt(runs * p * (1 - p))
    assert np.abs(z).max() < norm.isf(1e-5)


@pytest.mark.parametrize(("name", "parameters", "epsilon"), ALGORITHMS, ids=lambda value: str(value)[:20])
def test_actions_follow_certain_advice(name, parameters, epsilon):
    """Experts that all advise the same leave no choice but exploration's."""
    chosen = np.array([0, 2, 1, 1])
    advice = advice_table.advice_of(np.tile(chosen[:, None], (1, 3)), 3)
    place = {"kind": "advice-table", "losses": [[1.0, 0.0, 1.0]] * 4, "advice": advice.tolist()}
    given = parameters | ({} if name.startswith("bandit") else {"gamma": 0.0})
    job = make_job(name, given, place, epsilon, 8, 1, 0)
    runs, bandit = prepare(job, range(50), kept=6)
    fill(job, runs, bandit)
    assert np.array_equal(runs.played % 3, np.tile(np.tile(chosen, 2)[:6], (50, 1)))


@pytest.mark.parametrize("shift", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_one_release_has_its_closed_form(shift, epsilon):
    """delta = 1 - exp((epsilon - shift)/2) for one Laplace release, 0 from epsilon = shift on."""
    exact = max(0.0, -math.expm1((epsilon - shift) / 2))
    below, above = (composition.delta(*composition.law(shift, 1, up), epsilon) for up in (False, True))
    assert below <= exact + 1e-12 and exact <= above + 1e-12
    assert above - below <= shift / composition.CELLS


@pytest.mark.parametrize("number", [2, 10, 100])
def test_many_releases_are_bracketed(number):
    shift = 0.3 / math.sqrt(number)
    laws = [composition.law(shift, number, up) for up in (False, True)]
    low, high = (composition.smallest_epsilon(*law, 1e-5) for law in laws)
    assert low <= high < low * 1.001
    for losses, probabilities in laws:
        assert probabilities.sum() == pytest.approx(1)
        # The mean of one loss is the divergence of two Laplace laws.
        mean = number * (shift + math.expm1(-shift))
        assert losses @ probabilities == pytest.approx(mean, abs=number * shift / composition.CELLS)


def test_the_exact_loss_of_batches_is_below_the_claim():
    for epsilon in (0.1, 1.0):
        for delta in (0.4, 1e-2, 1e-6):
            found = composition.worst(epsilon, {"delta": delta})
            p, q = found.probabilities
            assert 0.0 <= found.loss < epsilon
            assert found.loss == 0.0 or (p - delta) / q == pytest.approx(math.exp(found.loss), rel=1e-6)


def test_neighbours_differ_in_the_losses_of_one_round():
    pairs = advice_table.neighbours(4, 3, np.random.default_rng(0))
    for pair, _ in zip(pairs, range(50), strict=False):
        one, other = np.array(pair.one["losses"]), np.array(pair.other["losses"])
        assert np.flatnonzero((one != other).any(axis=1)).tolist() == [pair.round - 1]
        assert pair.one["advice"] == pair.other["advice"]
        assert advice_table.check(pair.one) == dict(pair.one)


EACH = [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"losses": [], "advice": []}, "losses"),
        ({"losses": [[0, 2]], "advice": [EACH]}, "losses.0.1"),
        ({"losses": [[0, 1]], "advice": [EACH, EACH]}, "advice"),
        ({"losses": [[0, 1]] * 2, "advice": [EACH, EACH[:1]]}, "advice.1"),
        ({"losses": [[0, 1]], "advice": [[[0.5, 0.6]]]}, "advice.0.0"),
        ({"losses": [[0, 1, 1]], "advice": [EACH]}, "advice.0.0"),
        ({"losses": [[0, 1]], "advice": [[[1.5, -0.5]]]}, "advice.0.0.0"),
        ({"losses": [[0, 1]]}, "(top level)"),
    ],
)
def test_bad_tables(given, where):
    with pytest.raises(BadInput) as error:
        advice_table.check(given)
    assert error.value.where == where
