"""Audits of stochastic bandits: tables are played literally, exact laws are right, and every broken twin is caught.

False alarms: seeds are fixed. With fresh ones a sampled audit of a correct algorithm errs with probability at most
1/1000, as its confidence says, and all checks of laws together with 1/1000.
"""

from __future__ import annotations

import math

import literal
import numpy as np
import pytest
from broken import CHANGES, FAULTS, breakable, with_fault
from scipy.stats import binomtest, chi2_contingency
from tiers import FEW_ROUNDS, core
from twins import blamed, registered, wrapped

from dpbandits.auditing.audit import audit
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.runs.job import fill, make_job, prepare
from dpbandits.settings.stochastic import privacy as selection

PRIVATE = tuple(CHANGES)
# Ties of clipped means are frequent at small budgets alone, and the others' indices have none.
BUDGETS = {"tie": 0.1}
WITHOUT_TIES = ("adap-ucb", "dp-se", "lazy-dp-ts")
LAWS = 20


def literally(name: str, table: list[list[float]], seed: int, runs: int, **parameters: float):
    """Return the actions of runs of a policy, shape (runs, rounds)."""
    rng = np.random.default_rng(seed)
    return np.array([literal.on_table(name, table, rng, **parameters) for _ in range(runs)])


def played(algorithm: str, table: list[list[float]], runs: int, epsilon: float | None, kind: str = "reward-table"):
    """Return the actions of our runs, shape (runs, rounds)."""
    inputs = {"rewards": table} if kind == "reward-table" else {"means": table[0]}
    job = make_job(algorithm, {}, {"kind": kind, **inputs}, epsilon, len(table), 1, 7)
    filled, bandit = prepare(job, range(runs), kept=len(table))
    fill(job, filled, bandit)
    return filled.played


def same_law(one: np.ndarray, other: np.ndarray) -> float:
    """Return the p-value of equal laws of two samples of action sequences; rare sequences are one."""
    codes, which = np.unique(np.concatenate([one, other]), axis=0, return_inverse=True)
    counts = np.stack([np.bincount(part, minlength=len(codes)) for part in np.split(which, [len(one)])])
    rare = counts.sum(axis=0) < 20
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    return float(chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue)


@pytest.mark.parametrize("algorithm", [*PRIVATE, "imed", "kl-ucb"])
def test_a_table_is_played_as_literally(algorithm: str) -> None:
    # DP-SE's first epoch is longer than any table that a literal run is quick on: see the next test.
    table = np.random.default_rng(3).integers(0, 2, (7, 2)).astype(float).tolist()
    private = registry.algorithm(algorithm).privacy is not None
    parameters = {"epsilon": 0.8} if private else {}
    if algorithm == "dp-se":
        parameters["beta"] = 1 / 7
    ours = played(algorithm, table, 10000, 0.8 if private else None)
    assert same_law(ours, literally(algorithm, table, 5, 1500, **parameters)) > 1e-3 / LAWS


def test_rewards_of_a_round_robin_are_those_of_its_rounds() -> None:
    # The first arm pays in the rounds 1 and 2, of which it plays one: its lead is 1 whatever the order, which
    # decides nothing; a lead of all rounds decides everything.
    def dropped(lead: int) -> np.ndarray:
        table = np.outer(np.arange(1200) < lead, [1.0, 0.0])
        job = make_job("dp-se", {"beta": 0.5}, {"kind": "reward-table", "rewards": table.tolist()}, 1.0, 1200, 1, 1)
        runs, bandit = prepare(job, range(400), kept=1200)
        fill(job, runs, bandit)
        return runs.played[:, -20:]

    assert np.ptp(dropped(1200), axis=1).max() == 0
    assert (dropped(1200) == 0).all()
    assert np.ptp(dropped(2), axis=1).min() == 1


@pytest.mark.parametrize("algorithm", [name for name in PRIVATE if name != "dp-se"])
def test_a_constant_table_is_a_bernoulli_bandit_of_certain_rewards(algorithm: str) -> None:
    table = [[1.0, 0.0, 1.0]] * 9
    one, other = (played(algorithm, table, 30000, 0.5, kind) for kind in ("reward-table", "bernoulli"))
    assert same_law(one, other) > 1e-3 / LAWS


@pytest.mark.parametrize("d", [-30.0, -1.5, 0.0, 0.3, 12.0])
def test_the_law_of_a_decision_has_its_closed_form(d: float) -> None:
    tail = (0.5 + abs(d) / 4) * math.exp(-abs(d))
    assert selection.chosen(d, 2) == pytest.approx(tail if d < 0 else 1 - tail, rel=1e-12)
    assert selection.chosen(0.0, 100) == pytest.approx(0.01, rel=1e-12)


def test_the_law_of_a_decision_is_that_of_runs() -> None:
    def decided(rows: np.ndarray) -> np.ndarray:
        inputs = {"kind": "reward-table", "rewards": [*rows.tolist(), [0.0] * 3]}
        job = make_job("dp-imed", {"n0": 40}, inputs, 1.0, 121, 1, 3)
        runs, bandit = prepare(job, range(100_000), kept=121)
        fill(job, runs, bandit)
        return runs.played

    # 40 rewards of each of three arms: clipping is some 20 scales of the noise away.
    rows = np.tile(np.arange(1.0, 121)[:, None] % 2, 3)
    played = decided(rows)
    # Batches are contiguous and 40 long: each sum is 20, and every arm is as likely.
    assert binomtest(int((played[:, 120] == 0).sum()), 100_000, selection.chosen(0.0, 3)).pvalue > 1e-3 / LAWS
    rows[:4:2] = 0.0
    # Two rewards less for the arm that comes first.
    played = decided(rows)
    again = int((played[:, 120] == played[:, 0]).sum())
    assert binomtest(again, 100_000, selection.chosen(-2.0, 3)).pvalue > 1e-3 / LAWS


def test_who_stays_after_an_epoch_has_the_law_of_a_decision() -> None:
    # With beta = 1 the first epoch has 407 rounds of each of three arms; arm 1 is behind by the margin and 1.
    log_deviation, log_noise, pulls = math.log(24), math.log(12), 407
    margin = 2 * pulls * (math.sqrt(log_deviation / (2 * pulls)) + log_noise / pulls)
    table = [[1 - (margin + 1) / pulls, 1.0, 1.0]] * 1227
    job = make_job("dp-se", {"beta": 1.0}, {"kind": "reward-table", "rewards": table}, 1.0, 1227, 1, 1)
    runs, bandit = prepare(job, range(20_000), kept=1227)
    fill(job, runs, bandit)
    stays = (runs.played[:, 3 * pulls : 3 * pulls + 3] == 0).any(axis=1)
    assert binomtest(int(stays.sum()), 20_000, selection.chosen(-1.0, 3)).pvalue > 1e-3 / LAWS


@pytest.mark.parametrize("epsilons", [(1.0,), pytest.param((0.1, 3.0), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("algorithm", PRIVATE)
def test_every_exact_loss_is_the_claim(algorithm: str, epsilons: tuple[float, ...]) -> None:
    privacy = registry.algorithm(algorithm).privacy
    assert privacy is not None and privacy.exact is not None
    for epsilon in epsilons:
        worst = privacy.exact(epsilon, {})
        assert worst.loss == pytest.approx(epsilon, rel=1e-9)
        assert math.log(worst.probabilities[0] / worst.probabilities[1]) == pytest.approx(worst.loss)


# The others' decisions are hidden: the epochs of DP-SE are long, the draws of Lazy-DP-TS blur its private means.
@pytest.mark.parametrize(
    ("algorithm", "effort", "least"),
    [
        ("adap-ucb", 200_000, 0.75),
        *(
            pytest.param(name, None, 0.9, marks=pytest.mark.slow)
            for name in PRIVATE
            if name not in ("dp-se", "lazy-dp-ts")
        ),
    ],
)
def test_the_bound_is_tight(algorithm: str, effort: int | None, least: float) -> None:
    """To a tenth with the usual effort, in the slow tier; with less to a quarter."""
    assert least <= audit(algorithm, 1.0, effort=effort, replay_horizon=FEW_ROUNDS).sampled.bound <= 1.0


# Where much hides the noise, many runs are needed.
@pytest.mark.parametrize("algorithm", core(PRIVATE, lambda name: name not in ("dp-se", "lazy-dp-ts")))
def test_halved_noise_is_caught(algorithm: str) -> None:
    with wrapped(algorithm, epsilon=lambda epsilon: 2 * epsilon) as twin:
        assert blamed(twin)


# The twin that replays compile, too.
@pytest.fixture(scope="module", params=core(PRIVATE, lambda name: name == "dp-imed"))
def broken(request: pytest.FixtureRequest) -> tuple[str, Algorithm]:
    """Return an algorithm's name, and the algorithm with all faults: it compiles once."""
    return request.param, breakable(request.param)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(broken: tuple[str, Algorithm], fault: str) -> None:
    original, altered = broken
    if fault == "tie" and original in WITHOUT_TIES:
        pytest.skip("its index has no ties")
    with registered(original, with_fault(altered, fault)) as twin:
        assert blamed(twin, BUDGETS.get(fault, 1.0))


def test_an_unbroken_mutation_is_not_blamed() -> None:
    with registered("dp-imed", with_fault(breakable("dp-imed"), "none")) as twin:
        assert audit(twin, 1.0, effort=50_000, replay_horizon=FEW_ROUNDS).verdict == "consistent"
