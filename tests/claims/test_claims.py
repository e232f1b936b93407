"""Tests of claims against data of which the truth is known: what holds, what does not, and what nothing decides.

Chance enters with fixed seeds. Each statistical statement below is wrong with a probability below 1e-4 for a
correct implementation; together they raise a false alarm in less than one run of a thousand.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shipped as of_repository
import yaml
from numpy.typing import NDArray
from scipy import stats

from dpbandits.claims import claim as statements
from dpbandits.claims import estimate, judgement, sentences
from dpbandits.claims import evaluate as evaluated
from dpbandits.claims import ledger as verdicts
from dpbandits.claims.declarations import Decision, Evidence, claim_test, decide, finding
from dpbandits.claims.kinds._bounds import UP_TO_A_CONSTANT
from dpbandits.claims.kinds._tables import over_instances
from dpbandits.claims.kinds.in_population import share_limits
from dpbandits.core import declarations, registry
from dpbandits.core import verdicts as core_verdicts
from dpbandits.core.errors import BadInput
from dpbandits.core.tables import latex, write_table
from dpbandits.products import catalogue
from dpbandits.products.make import make
from dpbandits.publish import texts
from dpbandits.runs import config, plan
from dpbandits.runs import job as simulate
from dpbandits.runs.aggregate import Measured
from dpbandits.runs.models import Config
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

Floats = NDArray[np.float64]
LEVEL = 0.05


# --- estimates and decisions


def false_alarms(alarms: int, sets: int, rate: float) -> bool:
    """Return whether so many alarms are too many for a rate: probability below 1e-5 if the rate is right."""
    return bool(stats.binom.sf(alarms - 1, sets, rate) < 1e-5)


def of_normal(sample: Floats) -> estimate.Estimate:
    """Estimate a mean by Student's t."""
    return estimate.student(
        float(sample.mean()), float(sample.std(ddof=1)) / math.sqrt(sample.size), sample.size - 1
    )


def of_likelihood(sample: Floats) -> estimate.Estimate:
    """Estimate a mean by empirical likelihood, with values known to be between two ends."""
    return estimate.mean_limits(sample, 0.0, 100.0).estimate()


ESTIMATORS: dict[str, tuple[Callable[[Floats], estimate.Estimate], int, float]] = {
    # Estimator, size of a sample, and the level that 5 % may come to: empirical likelihood is right for large
    # samples alone.
    "student": (of_normal, 5, 0.05),
    "likelihood": (of_likelihood, 200, 0.07),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_at_the_threshold_few_decisions_are_taken(name: str) -> None:
    """With the truth on the threshold both decisions are wrong: they come in at most 5 % of data sets together."""
    estimator, size, rate = ESTIMATORS[name]
    rng = np.random.default_rng(1)
    sets = 600
    decided = [decide(estimator(rng.normal(5.0, 1.0, size)), 5.0, math.inf).p <= LEVEL for _ in range(sets)]
    assert not false_alarms(sum(decided), sets, rate)
    # And it is no test that never decides.
    assert stats.binom.cdf(sum(decided), sets, 0.02) > 1e-5


@pytest.mark.parametrize("name", ESTIMATORS)
def test_intervals_cover(name: str) -> None:
    """95 % intervals have the truth inside in about 95 % of data sets."""
    estimator, size, rate = ESTIMATORS[name]
    rng = np.random.default_rng(2)
    sets = 600
    found = [estimator(rng.normal(5.0, 1.0, size)) for _ in range(sets)]
    assert not false_alarms(sum(not each.low <= 5.0 <= each.high for each in found), sets, rate)


@pytest.mark.parametrize("sets", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_heavy_tail_is_not_decided_too_often(sets: int) -> None:
    """8 % of the runs carry 80 % of the mean, as of DP-IMED at small budgets: the level is kept."""
    rng = np.random.default_rng(3)

    def runs() -> Floats:
        return np.where(rng.random(2000) < 0.08, rng.exponential(46.0, 2000), rng.exponential(1.0, 2000))

    truth = 0.08 * 46.0 + 0.92
    wrong = [decide(of_likelihood(runs()), truth, math.inf).p <= LEVEL for _ in range(sets)]
    assert not false_alarms(sum(wrong), sets, 0.07)


@pytest.mark.parametrize(
    ("truth", "at_least", "at_most", "side"),
    [
        (2.0, 1.0, math.inf, "holds"),
        (0.5, 1.0, math.inf, "fails"),
        (2.0, 1.0, 3.0, "holds"),
        (4.0, 1.0, 3.0, "fails"),
        (0.5, 1.0, 3.0, "fails"),
        (2.0, -math.inf, 1.0, "fails"),
    ],
)
def test_sides(truth: float, at_least: float, at_most: float, side: str) -> None:
    """What is clear is decided for the right side, and exactly computed values need no p."""
    sampled = estimate.student(truth, 0.01, 20)
    assert decide(sampled, at_least, at_most).side == side
    assert decide(sampled, at_least, at_most).p < 1e-6
    assert decide(estimate.exact(truth), at_least, at_most) == (side, pytest.approx(math.nan, nan_ok=True))


def test_a_wide_estimate_within_two_ends_is_no_decision() -> None:
    """A range holds only if both its ends are excluded."""
    assert decide(estimate.student(2.0, 5.0, 20), 1.0, 3.0).p > 0.3


def test_quantiles_of_resamples_have_their_law() -> None:
    """The drawn order statistic is that of resamples that are drawn and sorted, for an even and an odd size."""
    values = np.random.default_rng(4).exponential(1.0, 500)
    for statistic, size in itertools.product(("median", "q95"), (20, 500)):
        drawn = estimate.resampled(statistic, values, size, 4000, 1, "law")
        resamples = np.random.default_rng(5).choice(values, (4000, size))
        direct = np.sort(resamples, axis=1)[:, estimate.rank_of(statistic, size) - 1]
        assert stats.ks_2samp(drawn, direct).pvalue > 1e-5
    mean = estimate.resampled("mean", values, 20, 4000, 1, "law")
    assert stats.ks_2samp(mean, np.random.default_rng(6).choice(values, (4000, 20)).mean(axis=1)).pvalue > 1e-5


def test_holm() -> None:
    """Holm's own steps, and that equal data give equal corrections in any order."""
    p = np.array([0.01, 0.04, 0.03, 0.005])
    assert estimate.holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert estimate.holm(p[::-1]) == pytest.approx([0.02, 0.06, 0.06, 0.03])
    assert estimate.holm(np.array([0.9, 0.8])).max() == 1.0


def test_another_seed_changes_no_verdict_that_is_not_near() -> None:
    """Of pairs of data sets of one law, few differ in a decision that neither calls near its threshold."""
    rng = np.random.default_rng(7)

    def taken(decision: Decision) -> str:
        return decision.side if decision.p <= 1e-3 else "open"

    changed = near = 0
    for truth in np.linspace(-12.0, 12.0, 4000):
        pair = [
            finding("", estimate.student(value, 1.0, math.inf), at_least=0.0) for value in rng.normal(truth, 1.0, 2)
        ]
        unsure = any(taken(moved) != taken(found.decision) for found in pair for moved in found.moved)
        near += unsure
        changed += not unsure and taken(pair[0].decision) != taken(pair[1].decision)
    assert changed <= 4
    # Nor is everything near: beyond eight standard deviations nothing is.
    assert near < 0.75 * 4000


HOLDS, FAILS, OPEN = core_verdicts.HOLDS, core_verdicts.FAILS, core_verdicts.OPEN
VACUOUS, UNREFUTED = core_verdicts.VACUOUS, core_verdicts.UNREFUTED


# --- kinds of tests


def evidence(**given: Any) -> Evidence:
    """Return what a test looks at, empty where nothing is given."""
    nothing = pd.DataFrame()
    return Evidence(
        **{"aggregates": nothing, "computed": {}, "runs": [], "audits": nothing, "published_runs": 20} | given
    )


def verdict(kind: str, options: dict[str, Any], some: bool = False, **given: Any) -> str:
    """Return the verdict of one kind of test on given data: all that is claimed, and of no constant or exponent."""
    criterion = claim_test(kind)
    assert criterion.words(criterion.resolve(options))
    test = statements.Test(test=kind, effect="x", some=some, complete=True, about="order", options=options)
    first = {"paper": "p", "claim": "c", "test": 0}
    found = evaluated.parts_of_test(criterion, test.model_dump(mode="json"), evidence(**given, some=some))
    parts = evaluated.corrected(pd.DataFrame([{**first, **row} for row in found], columns=evaluated.COLUMNS), LEVEL)
    return judgement.judge([test], parts).verdict


def regrets(rows: list[dict[str, Any]], spread: float = 0.2, runs: int = 50, seed: int = 0) -> pd.DataFrame:
    """Return aggregates of simulated runs: a mean for each row, and a relative spread of the runs about it."""
    rng = np.random.default_rng(seed)
    fixed = {"environment": "e", "horizon": 10**6, "arms": 10, "experts": 0, "epsilon": 0.1, "runs": runs}
    tables = []
    for row in rows:
        sample = row["mean"] * (1.0 + spread * rng.standard_normal(runs))
        measured = {"mean": sample.mean(), "sd": sample.std(ddof=1)}
        measured["uniform"] = 0.45 * row.get("horizon", fixed["horizon"])
        tables.append({**fixed, "title": row.get("algorithm", "a"), "algorithm": "a", **row, **measured})
    return pd.DataFrame(tables)


@pytest.mark.parametrize(
    ("mean", "expected"), [(8.0e4, HOLDS), (1.2e5, FAILS), (1.0e5, OPEN)], ids=[HOLDS, FAILS, OPEN]
)
def test_inequality(mean: float, expected: str) -> None:
    """A mean of 0.08, 0.12 or 0.1 T against 0.1 T."""
    options = {"value": "mean / horizon", "error": "sd / sqrt(runs) / horizon", "at_most": "0.1"}
    assert verdict("inequality", options, aggregates=regrets([{"mean": mean}])) == expected


@pytest.mark.parametrize("sets", [25, pytest.param(200, marks=pytest.mark.slow)])
def test_many_rows_of_a_part_keep_the_level(sets: int) -> None:
    """With all of 30 means on the threshold, the part they make is decided in at most 5 % of data sets."""
    options = {"value": "mean / horizon", "error": "sd / sqrt(runs) / horizon", "at_most": "0.1"}
    rows = [{"mean": 1.0e5}] * 30
    decided = [verdict("inequality", options, aggregates=regrets(rows, seed=seed)) != OPEN for seed in range(sets)]
    assert not false_alarms(sum(decided), sets, LEVEL)


def test_a_part_is_as_certain_as_its_least_certain_row() -> None:
    """A mean just below the threshold and certain, and a smaller one that may be far above."""
    options = {"value": "mean", "error": "error", "at_most": "1"}
    table = pd.DataFrame({"mean": [0.97, 0.9], "error": [0.002, 0.2], "runs": 50})
    assert verdict("inequality", options, computed={"t": table.head(1)}) == HOLDS
    assert verdict("inequality", options, computed={"t": table}) == OPEN
    assert verdict("inequality", options, computed={"t": table.assign(error=0.002)}) == HOLDS
    above = pd.DataFrame({"mean": [1.2, 0.9], "error": [0.02, 0.2], "runs": 50})
    assert verdict("inequality", options, computed={"t": above}) == FAILS


def test_inequality_of_computed_rows() -> None:
    """Every group has its worst row judged, and no row decides nothing."""
    table = pd.DataFrame({"group": ["x", "x", "y"], "loss": [0.5, 2.0, 0.5]})
    options = {"value": "loss", "at_most": "1", "by": ["group"]}
    assert verdict("inequality", options, computed={"t": table}) == FAILS
    assert verdict("inequality", {**options, "where": {"group": "y"}}, computed={"t": table}) == HOLDS
    assert verdict("inequality", {**options, "where": {"group": "z"}}, computed={"t": table}) == OPEN
    assert verdict("inequality", options, some=True, computed={"t": table}) == HOLDS


def test_inequality_with_an_interval() -> None:
    """A 95 % interval gives the error that it was made from."""
    half = 2.0930240544 * 0.1
    table = pd.DataFrame({"mean": [1.0], "low": [1.0 - half], "high": [1.0 + half], "repetitions": [20]})
    options = {"value": "mean", "interval": ["low", "high"], "runs": "repetitions", "at_most": "1.5"}
    outcome = claim_test("inequality").evaluate(
        evidence(computed={"t": table}), **claim_test("inequality").resolve(options)
    )
    assert outcome.findings[0].estimate.low == pytest.approx(1.0 - half)
    assert verdict("inequality", options, computed={"t": table}) == HOLDS


@pytest.mark.parametrize(("ratio", "expected"), [(0.8, UNREFUTED), (1.2, FAILS), (1.0, OPEN)])
def test_bound_holds(ratio: float, expected: str) -> None:
    """Regret as a multiple of Corollary 2's bound."""
    bound = claim_test("bound-holds")
    setting = {"horizon": 10**10, "arms": 2, "epsilon": 1.0}
    from dpbandits.claims.kinds._bounds import bounds

    value = bounds(regrets([{"mean": 1.0, **setting}]), "cor2")[0]
    assert value < 10**10
    assert bound.words(bound.resolve({"bound": "cor2"}))
    assert (
        verdict("bound-holds", {"bound": "cor2"}, aggregates=regrets([{"mean": ratio * value, **setting}]))
        == expected
    )


def test_bound_holds_over_instances() -> None:
    """Runs of one instance agree to the last digit, instances do not: the interval is over instances."""
    rng = np.random.default_rng(5)
    rows = [
        {
            "mean": float(mean),
            "environment": f"n-{k}",
            "environment.draw": k,
            "environment.arms": 2,
            "bound": 1.0,
        }
        for k, mean in enumerate(rng.normal(0.3, 0.05, 20))
    ]
    measured = regrets(rows, spread=1e-9)
    pooled = over_instances(measured, "environment.draw")
    assert len(pooled) == 1
    assert pooled["runs"].item() == 20
    assert pooled["sd"].item() == pytest.approx(measured["mean"].std(ddof=1))
    # A row of another environment is no instance of this one.
    other = [*rows, {**rows[0], "environment.arms": 3}]
    assert len(over_instances(regrets(other), "environment.draw")) == 2


def test_a_trend_over_instances() -> None:
    """Runs of one instance agree, instances do not: the slope has the error of instances."""
    rng = np.random.default_rng(6)
    rows = [
        {
            "mean": float(0.4 * horizon * share),
            "horizon": horizon,
            "environment": f"n-{k}",
            "environment.draw": k,
            "environment.experts": horizon,
        }
        for horizon in (10**4, 10**6, 10**8)
        for k, share in enumerate(rng.uniform(0.5, 1.0, 20))
    ]
    table = regrets(rows, spread=1e-9)
    criterion = claim_test("trend")
    slopes = {}
    for column in ("", "environment.draw"):
        options = criterion.resolve({"sublinear": ["a"], "by": [], "last": 1e9, "instances": column})
        (found,) = criterion.evaluate(evidence(aggregates=table), **options).findings
        slopes[column] = found.estimate.high - found.estimate.low
        # What uniform play costs on an instance is divided out of each by itself.
        doubled = table.assign(mean=table["mean"] * 2.0, sd=table["sd"] * 2.0, uniform=table["uniform"] * 2.0)
        (other,) = criterion.evaluate(evidence(aggregates=doubled), **options).findings
        assert other.estimate.value == pytest.approx(found.estimate.value)
    assert slopes["environment.draw"] > 1000.0 * slopes[""]


def test_a_vacuous_bound_decides_nothing() -> None:
    """Where the bound exceeds uniform play's regret, regret is below it whatever the algorithm does."""
    table = regrets([{"mean": 1.0, "horizon": 1000}])
    assert verdict("bound-holds", {"bound": "cor2"}, aggregates=table) == VACUOUS
    assert verdict("bound-holds", {"bound": "cor2", "algorithms": ["b"]}, aggregates=table) == OPEN


@pytest.mark.parametrize(("power", "expected"), [(0.4, HOLDS), (0.7, FAILS), (0.55, OPEN)])
def test_exponent(power: float, expected: str) -> None:
    """Regret grows as a known power of T; the worse of two environments counts."""
    horizons = [10**k for k in range(4, 9)]
    rows = [{"mean": 1.5 * t**power, "horizon": t, "environment": "worse"} for t in horizons]
    rows += [{"mean": 0.1 * t**0.1, "horizon": t, "environment": "better"} for t in horizons]
    options = {"over": "horizon", "at_most": 0.55}
    assert verdict("exponent", options, aggregates=regrets(rows)) == expected


def test_exponent_needs_points() -> None:
    """Two points decide nothing, nor do points near uniform play's regret that a bound allows."""
    rows = [{"mean": 0.01 * t**0.5, "horizon": t} for t in (10**4, 10**6)]
    assert verdict("exponent", {"over": "horizon", "at_most": 0.55}, aggregates=regrets(rows)) == OPEN
    # The worst environment counts: where it is not learned, an easy one does not stand in for it.
    horizons = (10**3, 10**4, 10**5, 10**6)
    easy = [{"mean": 0.001 * t**0.5, "horizon": t, "environment": "easy"} for t in horizons]
    hard = [{"mean": 0.4 * t, "horizon": t, "environment": "hard"} for t in horizons]
    options = {"over": "horizon", "at_most": 0.1, "bound": "cor2"}
    assert verdict("exponent", options, aggregates=regrets(easy)) == HOLDS
    assert verdict("exponent", options, aggregates=regrets([*easy, *hard])) == OPEN


def test_exponent_of_a_ratio_to_a_bound() -> None:
    """Divided by its bound a regret of that rate is flat, whatever the constant; a larger rate is not."""
    from dpbandits.claims.kinds._bounds import bounds

    rows = [{"mean": 1.0, "horizon": t, "epsilon": 1.0} for t in (10**8, 10**9, 10**10)]
    values = bounds(regrets(rows), "cor2")
    options = {"over": "horizon", "bound": "cor2", "at_most": 0.05}
    for power, expected in ((0.0, HOLDS), (0.3, FAILS)):
        scaled = [{**row, "mean": 0.01 * v * row["horizon"] ** power} for row, v in zip(rows, values, strict=True)]
        assert verdict("exponent", options, aggregates=regrets(scaled, spread=0.05)) == expected


@pytest.mark.parametrize("sets", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_exponent_keeps_its_level(sets: int) -> None:
    """With the exponent on the threshold a decision is taken in at most 5 % of data sets."""
    options = {"over": "horizon", "at_most": 0.5}
    rows = [{"mean": 20.0 * t**0.5, "horizon": t} for t in (10**4, 10**5, 10**6, 10**7)]
    decided = [
        verdict("exponent", options, aggregates=regrets(rows, runs=20, seed=seed)) != OPEN for seed in range(sets)
    ]
    assert not false_alarms(sum(decided), sets, LEVEL)


def test_exponent_of_a_quotient() -> None:
    """Divided by another algorithm's regret the difference of the exponents is left."""
    arms = [2, 8, 32, 256]
    rows = [{"mean": 10.0 * k**0.5, "arms": k, "algorithm": "a", "environment": f"{k}"} for k in arms]
    rows += [{"mean": 10.0 * k**0.9, "arms": k, "algorithm": "b", "environment": f"{k}"} for k in arms]
    options = {"algorithms": ["a"], "against": "b", "over": "arms", "at_most": 0.0}
    assert verdict("exponent", options, aggregates=regrets(rows)) == HOLDS
    assert verdict("exponent", {**options, "algorithms": ["b"], "against": "a"}, aggregates=regrets(rows)) == FAILS


@pytest.mark.parametrize(("other", "expected"), [(2.0, HOLDS), (0.5, FAILS), (1.0, OPEN)])
def test_regret_ratio(other: float, expected: str) -> None:
    """One algorithm's regret against that of another, private or not."""
    for epsilon in (0.1, math.nan):
        rows = [{"mean": 100.0, "algorithm": "a"}, {"mean": 100.0 * other, "algorithm": "b", "epsilon": epsilon}]
        options = {"of": ["a"], "against": ["b"], "at_most": 1.0}
        assert verdict("regret-ratio", options, aggregates=regrets(rows)) == expected


def test_saturation_is_measured_in_the_worst_environment_of_each() -> None:
    """Half of uniform play's regret on close arms is a tenth of what uniform play has on arms that are apart."""
    horizons = [10**k for k in range(6, 10)]
    hard = [{"mean": 0.05 * t**0.5, "horizon": t, "environment": "close"} for t in horizons]
    easy = [{"mean": 0.01 * t**0.5, "horizon": t, "environment": "apart"} for t in horizons]
    options = {"over": "horizon", "at_most": 0.1, "bound": "cor2"}
    table = regrets([*hard, *easy])
    close = table["environment"] == "close"
    table.loc[close, "uniform"] = 2.0 * table["mean"][close]
    assert verdict("exponent", options, aggregates=table) == HOLDS
    # Alone it shows no rate: nothing says that the algorithm learns where arms are apart.
    assert verdict("exponent", options, aggregates=table[close]) == OPEN


@pytest.mark.parametrize(
    ("lower", "power", "expected"),
    [(False, 0.0, HOLDS), (False, 0.2, FAILS), (True, 0.0, HOLDS), (True, -0.2, FAILS)],
)
def test_no_growth(lower: bool, power: float, expected: str) -> None:
    """A rate with a constant, and one with a power too many."""
    table = pd.DataFrame({"arms": [10.0**k for k in range(1, 6)]})
    table["regret"] = (7.0 + 3.0 / table["arms"]) * np.log(table["arms"]) * table["arms"] ** power
    options = {"rate": "log(arms)", "lower": lower}
    assert verdict("no-growth", options, computed={"t": table}) == expected
    assert verdict("no-growth", options, computed={"t": table.head(3)}) == OPEN


def test_paired_ratio() -> None:
    """With and without, all else equal; sampled or exact."""
    table = pd.DataFrame({"with": [0, 0, 1, 1], "case": ["x", "y", "x", "y"], "value": [1.0, 1.0, 0.5, 2.0]})
    options = {"value": "value", "column": "with", "one": "1", "other": "0", "match": ["case"], "by": ["case"]}
    assert verdict("paired-ratio", {**options, "at_most": 1.0}, computed={"t": table}) == FAILS
    sampled = table.assign(error=0.01, runs=20)
    assert verdict("paired-ratio", {**options, "at_most": 1.0, "error": "error"}, computed={"t": sampled}) == FAILS
    unclear = table.assign(error=2.0, runs=20)
    assert verdict("paired-ratio", {**options, "at_most": 1.0, "error": "error"}, computed={"t": unclear}) == OPEN


def cells_of(tiny: Any, means: dict[str, float], tail: float = 0.0, runs: int = 400) -> list[Measured]:
    """Return cells of the tiny configuration with simulated final regrets of given means, maybe with a tail."""
    found = []
    for number, cell in enumerate(plan.cells(config.checked(tiny), "azize2025", "small")):
        rng = np.random.default_rng(number)
        sample = 1.0 + rng.exponential(1.0, runs) + np.where(rng.random(runs) < tail, 40.0, 0.0)
        regret = means.get(cell.algorithm, 1.0) * sample[:, None] / (2.0 + 40.0 * tail)
        found.append(Measured(cell, regret, np.array([cell.job.horizon])))
    return found


# A bandit with two arms, for tests over budgets.
MEANS = [0.5, 0.25]


def over_budgets(
    tiny: Any, budgets: list[float], multiple: Callable[[float], float], number: int, horizon: int = 2000
) -> list[Measured]:
    """Return runs of one algorithm whose mean is a known multiple of the lower bound at each budget."""
    (cell, *_) = plan.cells(config.checked(tiny), "azize2025", "small")
    found = []
    for at, epsilon in enumerate(budgets):
        environment = {"kind": "bernoulli", "means": MEANS}
        job = dataclasses.replace(cell.job, environment=environment, epsilon=epsilon, horizon=horizon)
        spread = 1.0 + 0.1 * np.random.default_rng(at).standard_normal((number, 1))
        regret = multiple(epsilon) * lower_bound_slope(MEANS, epsilon) * spread
        placed = dataclasses.replace(cell, environment="two", epsilon=f"{epsilon}", job=job)
        found.append(Measured(placed, regret, np.array([job.horizon])))
    return found


@pytest.mark.parametrize(("se", "expected"), [(3.0, HOLDS), (0.4, FAILS), (1.02, OPEN)])
def test_times_less(tiny: Any, se: float, expected: str) -> None:
    """DP-IMED (two variants under one title are one algorithm here) against DP-SE, of known means."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed", "dp-se"]
    runs = cells_of(tiny, {"dp-imed": 100.0, "dp-se": 100.0 * se})
    for statistic in ("mean", "median", "q95"):
        assert verdict("times-less", {"ours": ["DP-IMED"], "statistic": statistic}, runs=runs) == expected
    assert verdict("times-less", {"ours": ["DP-IMED"], "factor": 10.0}, some=True, runs=runs) == FAILS


@pytest.mark.parametrize(("against", "told"), [("best", "DP-SE"), ("worst", "Lazy-DP-TS")])
def test_the_rival_that_is_told_is_the_best_or_the_worst(tiny: Any, against: str, told: str) -> None:
    """And not the one whose comparison decides, of which more runs are known."""
    names = ["dp-imed", "dp-se", "adap-klucb", "lazy-dp-ts"]
    tiny["papers"]["azize2025"]["algorithms"] = {name: {} for name in names}
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = names
    means = {"dp-imed": 100.0, "dp-se": 500.0, "adap-klucb": 600.0, "lazy-dp-ts": 700.0}
    few = cells_of(tiny, means, runs=30)
    many = cells_of(tiny, means, runs=30000)
    runs = [
        much if much.cell.algorithm in ("dp-imed", "adap-klucb") else little
        for little, much in zip(few, many, strict=True)
    ]
    criterion = claim_test("times-less")
    options = criterion.resolve(
        {"ours": ["DP-IMED"], "factor": 2.0 if against == "worst" else 10.0, "against": against}
    )
    outcome = criterion.evaluate(evidence(runs=runs), **options)
    assert outcome.findings
    for found in outcome.findings:
        assert found.part.endswith(told)
        # The decision is that of all rivals together, for which each of many runs counts.
        alone = decide(found.estimate, found.at_least, found.at_most)
        assert (found.decision.side, found.decision.p < alone.p) == (alone.side, True)


def test_how_often_few_runs_show_it(tiny: Any) -> None:
    """Of two exponential laws of one mean, 20 runs show either lower in half of the sets."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed", "dp-se"]
    criterion = claim_test("times-less")
    options = criterion.resolve({"ours": ["DP-IMED"], "published": True})
    for ratio, low, high in ((1.0, 0.35, 0.65), (5.0, 0.999, 1.0), (0.2, 0.0, 0.001)):
        outcome = criterion.evaluate(evidence(runs=cells_of(tiny, {"dp-se": ratio}, runs=10000)), **options)
        assert low <= outcome.published.share <= high
        assert outcome.published.runs == 20


@pytest.mark.parametrize(("multiple", "expected"), [(1.0, HOLDS), (1.5, FAILS), (0.5, FAILS), (1.2, OPEN)])
def test_lower_bound_multiple(tiny: Any, multiple: float, expected: str) -> None:
    """Regret of a known multiple of the lower bound, against 0.8 to 1.2 of it, and up to alpha."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed-1.5"]
    bound = lower_bound_slope([0.75, 0.7, 0.2], 0.5) * math.log(2000)
    runs = cells_of(tiny, {"dp-imed-1.5": multiple * bound}, runs=2000)
    assert verdict("lower-bound-multiple", {"at_least": 0.8, "at_most": 1.2}, runs=runs) == expected
    assert verdict("lower-bound-multiple", {"alphas": 2.0}, runs=runs) == HOLDS
    # The median of these runs is below their mean.
    median = (1.0 + math.log(2.0)) / 2.0 * multiple
    options = {"statistic": "median", "at_least": 0.95 * median, "at_most": 1.05 * median}
    assert verdict("lower-bound-multiple", options, runs=runs) == HOLDS


def test_of_the_same_cell_the_larger_number_of_runs_counts(tiny: Any) -> None:
    """A cell that two experiments have is one part, and not a second chance to fail."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed-1.5"]
    few, many = (cells_of(tiny, {"dp-imed-1.5": 10.0}, runs=runs) for runs in (20, 2000))
    kind = claim_test("lower-bound-multiple")
    for runs in ([*few, *many], [*many, *few]):
        found = kind.evaluate(evidence(runs=runs), **kind.resolve({"at_most": 2.0})).findings
        assert len(found) == len(many)
        assert {each.runs for each in found} == {"2,000"}


def test_change_of_regime(tiny: Any) -> None:
    """Smooth, with a jump, and out of the axis; a run that nobody has seen may hide a jump from few runs."""
    change = regime_change(MEANS[1], MEANS[0])

    def runs(tiny: Any, budgets: list[float], jump: float, number: int = 20_000) -> list[Measured]:
        return over_budgets(tiny, budgets, lambda epsilon: jump if epsilon > change else 1.0, number)

    around = [0.5 * change, 0.9 * change, 1.1 * change, 2.0 * change]
    assert verdict("change-of-regime", {}, runs=runs(tiny, around, 1.0)) == HOLDS
    assert verdict("change-of-regime", {}, runs=runs(tiny, around, 2.0)) == FAILS
    assert verdict("change-of-regime", {}, runs=runs(tiny, around, 1.0, 200)) == OPEN
    assert verdict("change-of-regime", {}, runs=runs(tiny, around[:2], 1.0)) == VACUOUS


def test_a_negative_weight_swaps_the_limits() -> None:
    """A difference is small if the first is small or the second large; what has no weight counts for nothing."""

    def limits(value: float, down: float, up: float) -> estimate.Limits:
        return estimate.Limits(value, value - down * estimate.Z, value + up * estimate.Z)

    unknown = np.full(estimate.Z.size, np.inf)
    several = [limits(5.0, 3.0, 30.0), limits(2.0, 50.0, 2.0), estimate.Limits(1.0, -unknown, unknown)]
    found = estimate.combined(several, [1.0, -2.0, 0.0])
    assert found.value == 1.0
    assert found.lower == pytest.approx(1.0 - 5.0 * estimate.Z)
    assert found.upper == pytest.approx(1.0 + math.hypot(30.0, 100.0) * estimate.Z)


@pytest.mark.parametrize(("power", "expected"), [(0.0, HOLDS), (0.3, FAILS), (-0.3, FAILS), (0.1, OPEN)])
def test_lower_bound_exponent(tiny: Any, power: float, expected: str) -> None:
    """A multiple of the lower bound that is a known power of the budget, by means and by medians."""
    budgets = [0.01, 0.1, 0.3, 1.0]
    for statistic in ("mean", "median"):
        runs = over_budgets(tiny, budgets, lambda epsilon: epsilon**power, 20_000)
        assert verdict("lower-bound-exponent", {"statistic": statistic}, runs=runs) == expected
    assert verdict("lower-bound-exponent", {}, runs=runs[:2]) == OPEN


def test_an_exponent_of_means_knows_of_unseen_runs(tiny: Any) -> None:
    """Where one unseen run could make the mean an exponent of means is open, and one of medians is not."""
    runs = over_budgets(tiny, [0.01, 0.1, 1.0], lambda _: 1.0, 2000, 10**9)
    assert verdict("lower-bound-exponent", {"statistic": "mean"}, runs=runs) == OPEN
    assert verdict("lower-bound-exponent", {"statistic": "median"}, runs=runs) == HOLDS


def test_pairs(tiny: Any) -> None:
    """Each of ours against its own rival alone: one pair that fails refutes what is said of all."""
    names = ["dp-imed", "dp-klucb", "dp-se", "lazy-dp-ts"]
    tiny["papers"]["azize2025"]["algorithms"] = {name: {} for name in names}
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = names
    options = {"ours": ["DP-IMED", "DP-KLUCB"], "others": ["DP-SE", "Lazy-DP-TS"], "paired": True}
    regret = {"dp-imed": 100.0, "dp-se": 200.0, "dp-klucb": 400.0}
    assert verdict("times-less", options, runs=cells_of(tiny, {**regret, "lazy-dp-ts": 800.0})) == HOLDS
    assert verdict("times-less", options, runs=cells_of(tiny, {**regret, "lazy-dp-ts": 200.0})) == FAILS
    # Without pairs DP-KLUCB would be compared with DP-SE too.
    every = cells_of(tiny, {**regret, "lazy-dp-ts": 800.0})
    assert verdict("times-less", {**options, "paired": False}, runs=every) == FAILS
    with pytest.raises(BadInput, match="one for each of ours"):
        verdict("times-less", {**options, "others": ["DP-SE"]}, runs=every)


def test_smallest_bound() -> None:
    """What the register says of Table 2: the first regime is right, the second and the third have exceptions."""
    criterion = claim_test("smallest-bound")
    parts = {each.part.split(",")[0]: each for each in criterion.evaluate(evidence(), by="powers").findings}
    sides = {part: each.decision.side for part, each in parts.items()}
    assert sides["regime of Corollary 8"] == "holds"
    assert sides["regime of Theorem 9"] == sides["regime of Theorem 10"] == "fails"


def test_privacy() -> None:
    """An audit that shows more than is claimed refutes; none decides nothing."""
    audits = pd.DataFrame(
        {
            "algorithm": ["right", "wrong", "forgotten"],
            "title": ["Right", "Wrong", "Forgotten"],
            "parameters": ["{}", "{}", "{}"],
            "epsilon": [1.0, 1.0, 0.1],
            "audited": [0.95, 1.3, math.inf],
            "replayed": [math.nan, 0.9, math.inf],
            "method": ["sampled", "exact", "sampled"],
            "effort": [10**7, 0, 10**7],
        }
    )
    for algorithms, expected in ((["right"], HOLDS), (["wrong"], FAILS), (["forgotten"], FAILS), (["other"], OPEN)):
        assert verdict("privacy", {"algorithms": algorithms}, audits=audits) == expected
    assert verdict("privacy", {"algorithms": ["right", "wrong"]}, audits=audits) == FAILS
    assert verdict("privacy", {"algorithms": ["right"]}) == OPEN
    # Of replays alone: one saw nothing, and one less than the exact loss of a release.
    for algorithms, expected in ((["right"], OPEN), (["wrong"], HOLDS), (["forgotten"], FAILS)):
        assert verdict("privacy", {"algorithms": algorithms, "replayed": True}, audits=audits) == expected


def test_argument() -> None:
    """An argument decides the side that it says; a side that there is not is told."""
    proof = {"proof": "docs/proofs.md, Table 1", "readings": ["somebody"]}
    assert verdict("argument", {"says": "holds", **proof}) == HOLDS
    assert verdict("argument", {"says": "fails", "discrepancy": "some-entry", **proof}) == FAILS
    for says in ("holds", "fails"):
        for lacking in proof:
            with pytest.raises(BadInput, match="the page of a proof"):
                verdict("argument", {"says": says, **proof, lacking: type(proof[lacking])()})


def test_exceedance(tiny: Any) -> None:
    """Runs above one threshold, the median of the other: a zero counts, on either side."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed", "dp-se"]

    def counts(one: int, other: int) -> str:
        runs = cells_of(tiny, {})
        far = {"dp-imed": one, "dp-se": other}
        placed = [
            run._replace(regret=np.where(np.arange(400)[:, None] < far[run.cell.algorithm], 500.0, 1.0))
            for run in runs
        ]
        return verdict("exceedance", {"of": "DP-IMED", "against": "DP-SE"}, runs=placed)

    assert [counts(60, 0), counts(0, 60), counts(5, 5), counts(0, 0)] == [FAILS, HOLDS, OPEN, OPEN]


def test_in_population() -> None:
    """A share counts what is open against itself where it is claimed, and for itself where it is refuted."""

    def shares(holds: int, fails: int, at_least: float = 0.5) -> str:
        sides = [1] * holds + [-1] * fails + [0] * (50 - holds - fails)
        table = pd.DataFrame({"statement": "s", "side": sides, "runs": 20000})
        options = {"where": {"statement": "s"}, "at_least": at_least}
        return verdict("in-population", options, computed={"drawn": table})

    assert [shares(47, 3), shares(47, 0), shares(30, 20), shares(5, 45)] == [HOLDS, HOLDS, OPEN, FAILS]
    # Twenty that are open leave it open, whichever way the others lean.
    assert [shares(30, 0), shares(0, 30), shares(30, 0, 0.9)] == [OPEN, OPEN, OPEN]


def test_an_open_population_is_told_as_a_count() -> None:
    """How many lean which way, and no number of runs that would decide it: the count does not know."""
    test = statements.Test(
        test="in-population", effect="x", options={"at_least": 0.5, "leans": {"value": {"at_most": 1}}}
    )
    table = pd.DataFrame({"side": [1] * 5 + [0] * 5, "value": [0.1] * 8 + [2.0] * 2})
    found = evaluated.parts_of_test(
        claim_test(test.test), test.model_dump(mode="json"), evidence(computed={"drawn": table})
    )
    parts = pd.DataFrame(
        [{"paper": "p", "claim": "c", "test": 0, **row} for row in found], columns=evaluated.COLUMNS
    )
    parts = evaluated.corrected(parts, LEVEL)
    told = "in 5 to 10 of 10; of 5 that are open 3 lean for it, 2 against"
    assert judgement.effect([test], parts, OPEN).text == f"x: {told}"
    assert parts["more_runs"].isna().all()


def test_shares_have_exact_limits() -> None:
    """They are Clopper and Pearson's, as SciPy has them."""
    found = share_limits(47, 3, 50).estimate()
    exact = stats.binomtest(47, 50).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=2e-4)
    assert share_limits(50, 0, 50).estimate().high == 1.0
    assert share_limits(0, 50, 50).estimate().low == 0.0


def test_every_kind_is_tested_here() -> None:
    """A new kind of test needs its test on data of which the truth is known."""
    folder = Path(__file__).parent
    here = "".join((folder / name).read_text(encoding="utf-8") for name in ("test_claims.py", "test_verdicts.py"))
    for kind in registry.modules("test"):
        assert f"def test_{kind.replace('-', '_')}" in here, kind


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("times-less", {"statistic": "mode"}, "options.statistic: 'mode'"),
        ("times-less", {"against": "beast"}, "did you mean 'best'"),
        ("bound-holds", {"bound": "cor3"}, "options.bound: 'cor3'"),
        ("smallest-bound", {"by": "power"}, "did you mean 'powers'"),
        ("inequality", {"value": "meen"}, "did you mean 'mean'"),
    ],
)
def test_bad_options_are_told(kind: str, options: dict[str, Any], message: str) -> None:
    """One line with what is allowed."""
    with pytest.raises(BadInput, match=re.escape(message)):
        verdict(kind, options, aggregates=regrets([{"mean": 1.0}]))


# --- claims as data


@pytest.fixture(scope="module")
def shipped() -> tuple[Config, statements.Claims]:
    """Return the configuration and the claims of the repository."""
    return of_repository.configuration(), of_repository.claims()


# The rows of the inventory that this repository answers, by paper.
ROWS = {
    "azize2025": (
        "fig1 fig2 fig3 fig4 fig5 fig6 fig7 fig8 thm3.1 prop4.1 prop4.2 thm4.3 claim-lowest "
        "claim-10x claim-matches-lb"
    ),
    "asi2025": "table1 table2 fig1 thm1 cor2 cor22 cor24 separation-local cor8 thm9 thm10 lemma11 g1",
    "wu2025": "table1 table2 example3.1 lemma1 thm1 thm2 cor1 thm3 thm4 cor2 conjecture",
    "charisopoulos2022": "thm3.4 thm3.9 prop2.1 design breakdown",
}
# Rows of the inventory that belong to no paper, and what answers them, in the results folder.
ACROSS = {"claims": "claims.csv", "privacy": "privacy.csv", "discrepancies": "discrepancies.md"}


def test_every_row_of_the_inventory_is_answered(shipped: tuple[Config, statements.Claims]) -> None:
    """Each has an artefact, and its claims have tests: no row is missing, none is made up."""
    covered = {paper: stated.rows for paper, stated in shipped[1].items()}
    assert covered == {paper: sorted(rows.split()) for paper, rows in ROWS.items()}


def test_what_belongs_to_no_paper_is_made(shipped: tuple[Config, statements.Claims]) -> None:
    """Each of its rows is a product's file."""
    checked, claims = shipped
    written = texts.load(checked)._replace(claims=claims)
    made = {product.main for product in catalogue(checked, plan.all_cells(checked), written).values()}
    assert {f"{checked.folders.results}/{file}" for file in ACROSS.values()} <= made


def test_the_list_of_rows_is_the_inventory(root: Path) -> None:
    """Where the inventory is at hand, the list above is compared with it."""
    file = root.parent / "shared" / "inventory.md"
    if not file.is_file():
        pytest.skip("the inventory is not at hand")
    found: dict[str, list[str]] = {}
    for section in file.read_text(encoding="utf-8").split("\n## ")[1:]:
        paper = section.split(":")[0] if ":" in section.split("\n")[0] else "across"
        for line in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE):
            names = re.findall(r"`([^`]+)`", line)
            if ".." in line:
                first, last = (int(name[3:]) for name in names)
                names = [f"fig{number}" for number in range(first, last + 1)]
            found.setdefault(paper, []).extend(names)
    assert found == {**{paper: rows.split() for paper, rows in ROWS.items()}, "across": list(ACROSS)}


def each_claim(claims: statements.Claims) -> list[tuple[str, str, statements.Claim]]:
    """Return paper, id and entry of all claims."""
    return [(paper, name, claim) for paper, stated in claims.items() for name, claim in stated.claims.items()]


def test_every_claim_says_its_test(shipped: tuple[Config, statements.Claims]) -> None:
    """Each test has words for its statistic and threshold, and each claim reads something that there is."""
    for _, name, claim in each_claim(shipped[1]):
        assert all(len(sentences.of_test(test)) > 20 for test in claim.tests), name
        if claim.tests[0].test not in ("smallest-bound", "argument"):
            assert any(statements.reads(claim.tests)), name


def test_every_statement_stands_alone(shipped: tuple[Config, statements.Claims]) -> None:
    """Each is a sentence of its own, and leans on no other: README and site list single ones."""
    said = [claim.statement for _, _, claim in each_claim(shipped[1])]
    leaning = re.compile(r"^(The same|Measured|That|Its?|Regret (is|stays))\b")
    assert not [statement for statement in said if leaning.search(statement)]
    assert not [statement for statement in said if not re.search(r"[.)]$", statement)]
    assert len(set(said)) == len(said)
    elsewhere = re.compile(r"\b(line before|next (two )?lines?|lines? (above|below))\b")
    assert not [name for _, name, claim in each_claim(shipped[1]) if elsewhere.search(claim.remark)]


# Claims of which a test was changed, or written down, after results had been seen.
REVISED = {
    "asi2025": (
        "cor2 cor2-exponents cor22 cor22-exponents cor24 cor24-exponents cor8 exp3-lower "
        "experts-private g1 lemma11 lemma11-in-particular private-adaptive separation-central "
        "separation-central-measured separation-every-case "
        "separation-local sublinear-any-epsilon table1-improves table1-measured table2-logarithms "
        "table2-measured thm1 thm1-private thm10 thm10-delta thm10-sublinear thm9 vacuous-bounds"
    ),
    "azize2025": (
        "claim-10x claim-10x-average claim-10x-worst claim-lowest claim-lowest-median claim-lowest-tail "
        "claim-matches-lb claim-matches-lb-shape claim-matches-lb-shape-median claim-smooth-wide "
        "cure-mean cure-median cure-q99 forgetting-mean "
        "forgetting-median forgetting-q99 forgetting-unnecessary imed-klucb-far imed-klucb-mean "
        "imed-klucb-median imed-klucb-q95 imed-klucb-q99 noise-accumulates privacy-free "
        "privacy-free-measured prop4.1 prop4.1-tighter prop4.2 rare-runs-predicted thm3.1-closed-form "
        "thm3.1-interpolates thm3.1-lower thm3.1-regimes thm4.3 thm4.3-adap-klucb thm4.3-every-alpha thm4.3-median "
        "tighter-index"
    ),
    "charisopoulos2022": (
        "alpha-zero breakdown clipping-dimension clipping-for-the-filter clipping-is-robust design "
        "gain-on-bogunovic gain-on-bogunovic-measured lemma3.5 lemma3.5-printed prop2.1 prop2.1-algorithm "
        "prop2.1-robust thm3.4 thm3.4-dimension thm3.4-measured thm3.4-printed thm3.9 thm3.9-epsilon "
        "thm3.9-horizon thm3.9-printed"
    ),
    "wu2025": (
        "conjecture conjecture-two-constants cor1 cor2 cor2-resampled example3.1 example3.1-lowers "
        "example3.1-lowers-some lemma1 random-phase remark1 table1 thm1 thm2 thm2-constant thm3 "
        "thm3-few-actions thm3-three-actions thm4 thm4-optimal"
    ),
}


def test_what_was_revised_after_results_is_said(shipped: tuple[Config, statements.Claims]) -> None:
    """Each claim that is known to be revised says so, and none says so by accident."""
    revised = {
        paper: sorted(name for name, claim in stated.claims.items() if claim.revised)
        for paper, stated in shipped[1].items()
    }
    assert revised == {paper: names.split() for paper, names in REVISED.items()}


def unexplained(text: str, published: set[str], stated: set[str]) -> set[str]:
    """Return the published claims that are stated no more, and that no heading of a text explains."""
    headings = re.findall(r"^### \w+: (.+)$", text, re.MULTILINE)
    return published - stated - {name for heading in headings for name in heading.split(" and ")}


def test_what_left_the_ledger_is_explained(root: Path, shipped: tuple[Config, statements.Claims]) -> None:
    """A claim whose verdict was published does not disappear: docs/withdrawn.md says why it was dropped."""
    text = (root / "docs/withdrawn.md").read_text(encoding="utf-8")
    published = set(pd.read_csv(root / "docs/results/claims.csv")["id"])
    stated = {name for each in shipped[1].values() for name in each.claims}
    assert unexplained(text, published, stated) == set()
    assert unexplained("", {"dropped"}, stated) == {"dropped"}
    assert unexplained("### paper: dropped and other\n", {"dropped", "other"}, stated) == set()
    # What is withdrawn is not stated.
    assert unexplained(text, stated, set()) == stated


def test_a_bound_up_to_a_constant_is_no_bound(shipped: tuple[Config, statements.Claims]) -> None:
    """Where the paper leaves the constant open, 1 in its place refutes nothing, and shows nothing."""
    tests = [test for stated in shipped[1].values() for test in stated.tests]
    assert set(UP_TO_A_CONSTANT) == {"existing", "theorem 3.4", "theorem 3.9"}
    assert not {test.options.get("bound") for test in tests if test.test == "bound-holds"} & set(UP_TO_A_CONSTANT)
    for bound in UP_TO_A_CONSTANT:
        with pytest.raises(BadInput, match="a bound with its constant"):
            verdict("bound-holds", {"bound": bound}, aggregates=regrets([{"mean": 1.0}]))


def test_only_what_decides_is_in_a_definition(shipped: tuple[Config, statements.Claims]) -> None:
    """A better sentence recomputes nothing, another threshold does."""
    checked, claims = shipped
    known = plan.all_cells(checked)
    claim = claims["azize2025"].claims["claim-10x"].model_dump()

    def identity(**changes: object) -> str:
        changed = statements.Statements.model_validate({"claims": {"claim-10x": {**claim, **changes}}})
        written = texts.load(checked)._replace(claims={"azize2025": changed})
        product = catalogue(checked, known, written)["claim", "azize2025", "claim-10x"]
        assert len(product.cells) > 100
        return product.fingerprint

    def tests(**changes: object) -> list[object]:
        return [{**claim["tests"][0], **changes}]

    same = identity()
    said = tests(effect="ratio", otherwise="nothing")
    assert same == identity(statement="better said", revised="why", tests=said)
    assert same != identity(tests=tests(some=False))


CLAIM: dict[str, Any] = {
    "row": "lowest",
    "place": "Section 1",
    "statement": "DP-IMED has less regret than DP-SE.",
    "shown": "figure/curves",
    "tests": [
        {
            "test": "times-less",
            "effect": "ratio",
            "experiments": ["small"],
            "options": {"ours": ["DP-IMED"], "published": True},
        },
        {
            "test": "inequality",
            "effect": "regret",
            "experiments": ["small"],
            "control": "none",
            "options": {"where": {"algorithm": "dp-imed"}, "error": "sd / sqrt(runs)", "at_most": "2000"},
        },
    ],
}
WRONG = [
    ({"shown": "figures/curves"}, "claims.one.shown: 'figures/curves'", "text that matches"),
    ({"shown": "figure/other"}, "claims.one.shown: 'other'", "one of curves"),
    ({"row": ""}, "claims.one.row: ''", "not empty"),
    ({"revised": True}, "claims.one.revised: True", "a string"),
    ({"tests": []}, "claims.one.tests: []", "at least 1"),
    ({"tests": [{"test": "times-les", "effect": "x"}]}, "tests.0.test: 'times-les'", "did you mean 'times-less'"),
    (
        {"tests": [{"test": "times-less", "effect": "x", "experiments": ["big"]}]},
        "experiments.0: 'big'",
        "one of small",
    ),
    ({"tests": [{"test": "times-less", "effect": "x", "options": {"factr": 2}}]}, "options.factr: 2", "'factor'"),
    ({"statment": "x"}, "claims.one.statment: 'x'", "did you mean 'statement'"),
]


def tiny_claims(folder: Path, tiny: Any, claim: dict[str, Any]) -> statements.Claims:
    """Write a file of one claim and load it."""
    file = folder / "claims.yaml"
    file.write_text(yaml.safe_dump({"claims": {"one": claim}}), encoding="utf-8")
    tiny["papers"]["azize2025"]["claims"] = str(file)
    return statements.load(config.checked(tiny))


@pytest.mark.parametrize(("changes", "where", "allowed"), WRONG)
def test_a_bad_claim_is_told(changes: dict[str, Any], where: str, allowed: str, tmp_path: Path, tiny: Any) -> None:
    """The message has file, key path, value and what is allowed."""
    with pytest.raises(BadInput) as error:
        tiny_claims(tmp_path, tiny, {**CLAIM, **changes})
    assert str(error.value).startswith(f"{tmp_path / 'claims.yaml'}: claims.one")
    assert where in str(error.value)
    assert allowed in str(error.value)


def test_no_file_no_ledger(tiny: Any) -> None:
    """Without the key there are no claims; a file that is not there is told."""
    assert statements.load(config.checked(tiny)) == {}
    tiny["papers"]["azize2025"]["claims"] = "nowhere.yaml"
    with pytest.raises(BadInput, match=r"claims: 'nowhere.yaml' is not allowed; allowed: a file"):
        config.checked(tiny)


def test_from_runs_to_the_ledger(tmp_path: Path, tiny: Any) -> None:
    """What the rules do: runs, aggregate, a claim, findings of a paper, ledger in three formats."""
    claims = tiny_claims(tmp_path, tiny, {**CLAIM, "revised": "Its factor was 2."})
    results = tmp_path / "results"
    checked = config.checked({**tiny, "folders": {"results": str(results)}})
    known = plan.all_cells(checked)
    for cell in known["azize2025", "small"].values():
        for name, seeds in zip(cell.files, cell.run_numbers, strict=True):
            simulate.run_to_file(cell.job, seeds, results / name)
    products = catalogue(checked, known, texts.load(checked)._replace(claims=claims))
    paper = "azize2025"
    for name in (("aggregate", paper, "small"), ("claim", paper, "one"), ("findings", paper), ("ledger",)):
        make(products[name].request)
    none = tmp_path / "none.csv"
    write_table(evaluated.findings(paper, {}, LEVEL), none)
    parts = verdicts.read_findings([none, results / "azize2025" / "findings.csv"])
    assert list(parts["test"]) == [0, 1]
    # A paper without data does not make text of the numbers of the others.
    assert parts["estimate"].dtype == float
    outputs = [results / f"claims.{suffix}" for suffix in ("csv", "md", "tex")]
    (line,) = pd.read_csv(outputs[0], keep_default_na=False).to_dict("records")
    assert (line["paper"], line["id"], line["row"], line["shown"]) == (
        "azize2025",
        "one",
        "lowest",
        "azize2025/figure/curves",
    )
    assert line["verdict"] in (HOLDS, FAILS, OPEN)
    assert line["runs"] == 6
    assert line["published"].startswith("3 runs show it in ")
    assert line["sources"] == "azize2025/aggregates/small.csv; azize2025/cells/small/"
    assert line["revised"] == "Its factor was 2."
    markdown = outputs[1].read_text(encoding="utf-8")
    assert "## azize2025: a tiny one" in markdown
    assert "Its factor was 2." in markdown
    assert r"\begin{longtable}" in outputs[2].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "otherwise", "why"),
    [
        ("times-less", "", "no data"),
        (
            "bound-holds",
            "",
            "the bound is above uniform play's regret in every cell measured, and says nothing there",
        ),
        ("privacy", "", "no audit"),
        ("change-of-regime", "one regime alone", "one regime alone"),
    ],
)
def test_no_data_is_not_decided(kind: str, otherwise: str, why: str) -> None:
    """A claim without a single part is not decided, and the ledger says why."""
    test = {**CLAIM["tests"][0], "test": kind, "options": {}, "otherwise": otherwise}
    stated = statements.Statements.model_validate({"claims": {"c": {**CLAIM, "tests": [test]}}})
    parts = evaluated.corrected(pd.DataFrame(columns=evaluated.COLUMNS), LEVEL)
    (line,) = verdicts.ledger({"p": stated}, parts, {("p", "c"): []}).to_dict("records")
    assert (line["verdict"], line["effect"], line["near_threshold"]) == (OPEN, f"ratio: {why}", "no")


def test_what_is_open_says_how_many_runs_would_decide_it() -> None:
    """A mean at 1.28 standard errors from its threshold is at 1.96 with 2.34 times as many runs."""
    row = {"paper": "p", "claim": "c", "test": 0, "side": "holds", "side_down": "holds", "side_up": "holds"}
    row |= {
        "decides": "both",
        "some": False,
        "complete": False,
        "cap": "holds",
        "about": "order",
        "half": 0.1,
        "spread": 0.1,
        "unit": "factor",
        "spread_unit": "factor",
    }
    row |= {"p": 0.2, "p_down": 0.1, "p_up": 0.3}
    (alone,) = evaluated.corrected(pd.DataFrame([row]), LEVEL)["more_runs"]
    assert alone == pytest.approx((1.959964 / 1.281552) ** 2, rel=1e-5)
    decided = row | {"p": 1e-9, "p_down": 1e-9, "p_up": 1e-9}
    parts = evaluated.corrected(pd.DataFrame([row, decided, decided]), LEVEL)["more_runs"]
    assert parts.isna().tolist() == [False, True, True]


def test_every_claim_that_may_have_no_part_says_why(shipped: tuple[Config, statements.Claims]) -> None:
    """Tests of aggregates and audits may find nothing to test, and then tell the reason."""
    for _, name, claim in each_claim(shipped[1]):
        for test in claim.tests:
            criterion = claim_test(test.test)
            if criterion.reads in ("aggregates", "audits") and not test.otherwise:
                assert criterion.nothing != "no data", name


def test_few_actions() -> None:
    """Counting votes costs the gap, on two actions and on (0, gap, gap), not on (0, gap, 1); resampling 1/gap."""
    declared = declarations.computation("few-actions")
    table = declared.compute(
        **declared.resolve({"gaps": [0.04, 0.02], "epochs": 20, "resampled_gaps": [0.08, 0.04]})
    )
    printed, other = (table[table["instance"] == instance] for instance in ("printed", "other"))
    votes = printed["regret"] / printed["gap"]
    assert votes.groupby(printed["arms"]).nunique().eq(1).all()
    assert (other["regret"] >= other["lower"]).all()
    assert (other["lower"] > 0.3 * other["rate"]).all()
    large, small = table.loc[table["instance"] == "resampled", "regret"]
    assert 1.6 * large < small
    # Their horizon is their own, and long enough for the smallest gap that is asked for.
    assert table.loc[table["instance"] == "resampled", "horizon"].eq(2**20 - 1).all()
    assert min(declared.resolve({})["resampled_gaps"]) ** 2 * 2**20 > 10


def test_every_letter_of_the_claims_can_be_set_in_latex(shipped: tuple[Config, statements.Claims]) -> None:
    """What is not ASCII in the claims has its command: the ledger's LaTeX needs no special engine."""
    letters = "".join(stated.model_dump_json() for stated in shipped[1].values())
    table = pd.DataFrame({"text": [letters.replace("$", "")]})
    assert latex(table, "").isascii()
