"""Planted cases: claims with made-up data, of the sizes used here, whose truth is known.

Each case says whether its claim is true, and which words about it are fair. A word is a verdict of the ledger
(`dpbandits.core.verdicts`), or `STOPPED` for a build that stops. `score` judges any ledger, by default ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.claims import judgement
from dpbandits.claims.claim import Test
from dpbandits.claims.declarations import Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, parts_of_test
from dpbandits.claims.kinds._bounds import bounds
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS
from dpbandits.runs.aggregate import Measured
from dpbandits.runs.job import Job
from dpbandits.runs.plan import Cell
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

Floats = NDArray[np.float64]
STOPPED = "stops the build"
LEVEL = 0.05
MEANS = [0.5, 0.25]
SUBLINEAR: dict[str, Any] = {"test": "trend", "options": {"sublinear": ["a"], "last": 5000}}
ARGUMENT: Mapping[str, Any] = {
    "test": "argument",
    "options": {"says": "holds", "proof": "a page", "readings": ["somebody"]},
}


@dataclass(frozen=True)
class Case:
    """A planted case.

    Attributes
    ----------
    name
        Id of the case.
    tests
        Tests of the claim, as in a claims file.
    data
        Function that returns the evidence of all tests.
    true
        Whether the claim is true of the law that the data were drawn from.
    fair
        Verdicts that a ledger may fairly give on these data, or `STOPPED`, the text ``stops the build``.
    """

    name: str
    tests: Sequence[Mapping[str, Any]]
    data: Callable[[], Evidence]
    true: bool
    fair: frozenset[str]

    def table(self) -> pd.DataFrame:
        """Return all data as one table: rows of aggregates, audits and computed tables, and one for each run."""
        seen = self.data()
        tables = [seen.aggregates, seen.audits, *seen.computed.values()]
        tables += [
            pd.DataFrame({"regret": run.regret[:, -1]}).assign(
                algorithm=run.cell.algorithm,
                environment=run.cell.environment,
                epsilon=run.cell.job.epsilon,
                horizon=run.cell.job.horizon,
            )
            for run in seen.runs
        ]
        return pd.concat([table for table in tables if len(table)], ignore_index=True)


@dataclass
class _Catalogue:
    """Cases as they are added."""

    cases: list[Case] = field(default_factory=list)

    def add(self, name: str, tests: Any, data: Callable[[], Evidence], true: bool, *fair: str) -> None:
        """Add a `Case`: name, test or tests, data, whether the claim is true, and the words that are fair."""
        each = [tests] if isinstance(tests, dict) else list(tests)
        self.cases.append(Case(name, each, data, true, frozenset(fair)))


def _evidence(**given: Any) -> Evidence:
    nothing: dict[str, Any] = {"aggregates": pd.DataFrame(), "computed": {}, "runs": [], "audits": pd.DataFrame()}
    return Evidence(**{**nothing, "published_runs": 20, **given})


def _points(
    share: Callable[[float], float], horizons: Sequence[float], runs: int = 20, epsilon: float = 1.0
) -> pd.DataFrame:
    """Return aggregates of one algorithm whose regret is a share of uniform play's, by horizon."""
    rng = np.random.default_rng(len(horizons) + runs)
    rows = []
    for horizon in horizons:
        uniform = 0.25 * horizon
        sample = share(horizon) * uniform * (1.0 + 0.1 * rng.standard_normal(runs))
        rows.append({"horizon": horizon, "mean": sample.mean(), "sd": sample.std(ddof=1), "uniform": uniform})
    names = {"algorithm": "a", "title": "A", "environment": "e"}
    return pd.DataFrame(rows).assign(**names, arms=2, experts=0, epsilon=epsilon, runs=runs)


def _beside_bound(power: float, horizons: Sequence[float], runs: int = 20) -> pd.DataFrame:
    """Return aggregates whose regret is a hundredth of Corollary 2's bound times a power of T."""
    table = _points(lambda _: 1.0, horizons, runs)
    rate = np.asarray(bounds(table, "cor2")) * (table["horizon"] / horizons[0]) ** power / 100.0
    return table.assign(sd=table["sd"] / table["mean"] * rate, mean=rate * table["mean"] / table["uniform"])


def _run(sample: Floats, algorithm: str = "dp-imed", epsilon: float = 0.1, horizon: int = 10**6) -> Measured:
    """Return final regrets of runs as the runs of a cell."""
    parameters: dict[str, Any] = {"alpha": 2.0, "first": 1.0}
    job = Job(algorithm, parameters, {"kind": "bernoulli", "means": MEANS}, epsilon, horizon, 1, 0)
    cell = Cell("planted", "planted", algorithm, "two arms", f"{epsilon:g}", job, sample.size, sample.size)
    return Measured(cell, sample[:, None], np.array([horizon]))


def _exponential(mean: float, runs: int, seed: int = 0) -> Floats:
    return mean * np.random.default_rng(seed).gamma(4.0, 0.25, runs)


def _rare(runs: int, seed: int) -> Floats:
    """Return regrets of which one in 220 is 78 times the others, so that few runs often have none of these."""
    rng = np.random.default_rng(seed)
    return 100.0 * np.where(rng.random(runs) < 1.0 / 220.0, 78.0, 1.0) * rng.gamma(20.0, 0.05, runs)


def _over_budgets(
    multiple: Callable[[float], float], budgets: Sequence[float], runs: int, horizon: int
) -> Evidence:
    """Return runs whose regret is a multiple of the lower bound, by budget."""
    found = []
    for at, epsilon in enumerate(budgets):
        scale = multiple(epsilon) * lower_bound_slope(MEANS, epsilon) * float(np.log(horizon))
        found.append(_run(_exponential(scale, runs, at), epsilon=epsilon, horizon=horizon))
    return _evidence(runs=found)


def _counts(one: int, other: int, runs: int = 20_000) -> Evidence:
    """Return runs of two algorithms, of which those numbers are far above the median."""

    def sample(far: int, seed: int) -> Floats:
        regret = 100.0 * np.random.default_rng(seed).gamma(20.0, 0.05, runs)
        return np.where(np.arange(runs) < far, 1e5, regret)

    return _evidence(runs=[_run(sample(one, 1)), _run(sample(other, 2), "dp-klucb")])


def _constant(value: float) -> Callable[[float], float]:
    return lambda _: value


def _power(power: float, epsilon: float) -> float:
    return float(2.0 * epsilon**power)


def _share(first: float, power: float, horizon: float) -> float:
    return float(0.3 * (horizon / first) ** power)


def _jump(change: float, jump: float, epsilon: float) -> float:
    """Return the multiple of a lower bound that jumps where the regime changes."""
    return jump if epsilon > change else 1.0


def _trends(add: Callable[..., None]) -> None:
    """Add cases of a share of uniform play's regret that falls as a power of T, slower, or not at all."""
    horizons = [2.0**k for k in (36, 40, 44, 48)]
    linear = {"test": "trend", "options": {"linear": ["a"], "last": 5000}}
    over_range = {"test": "trend", "options": {**SUBLINEAR["options"], "range": True}}
    # A finite horizon neither shows nor refutes a limit: fair words for "sublinear", and for "linear".
    for power, told, fair, opposite in (
        (-0.44, "falls as T^-0.44", UNREFUTED, (OPEN,)),
        (-0.12, "falls as T^-0.12", UNREFUTED, (OPEN,)),
        (-0.007, "falls as T^-0.007", OPEN, (OPEN, UNREFUTED)),
        (0.0, "is a third", OPEN, (UNREFUTED,)),
    ):
        share = partial(_share, horizons[0], power)
        for runs in (10, 100):
            few = _data(_points(share, horizons, runs))
            add(f"sublinear: share {told}, {runs} runs", SUBLINEAR, few, power < 0.0, fair)
        add(f"linear: share {told}", linear, few, power == 0.0, *opposite)
        word = HOLDS if power < -0.05 else FAILS
        add(f"as T^-0.05 over the range: share {told}", over_range, few, word == HOLDS, word)
    slow = _data(_points(lambda t: 1.0 / np.log(t), horizons, 100))
    add("sublinear: share falls as 1/log T", SUBLINEAR, slow, True, OPEN)


def _data(table: pd.DataFrame) -> Callable[[], Evidence]:
    """Return a function that makes evidence of aggregates."""
    return lambda: _evidence(aggregates=table)


def _exponents(add: Callable[..., None]) -> None:
    """Add cases of regret beside an upper bound: its growth with T, and whether it is below the bound."""
    horizons = [10.0**k for k in (9, 10, 11, 12, 13)]
    test: dict[str, Any] = {"test": "exponent", "options": {"over": "horizon", "bound": "cor2", "at_most": 0.1}}
    for power, true, fair in ((-0.3, True, HOLDS), (-0.1, True, HOLDS), (0.0, True, HOLDS), (0.25, False, FAILS)):
        add(f"O(): ratio to the bound as T^{power:g}", test, _data(_beside_bound(power, horizons)), true, fair)
    for power, true in ((0.3, False), (0.0, True)):
        narrow = _data(_beside_bound(power, [1e9, 3e9, 9e9]))
        add(f"O(): ratio as T^{power:g} over one decade", test, narrow, true, OPEN)
    below = {**test, "scale": {"horizon": 1e13}, "options": {**test["options"], "algorithms": ["a"]}}
    mixed = pd.concat([_beside_bound(0.0, horizons[:4]), _points(lambda _: 0.1, [1e13]).assign(algorithm="b")])
    add("O(): a scale that only a row not read meets", below, _data(mixed.reset_index(drop=True)), True, OPEN)
    keep = {"test": "bound-holds", "options": {"bound": "cor2"}}
    far = [1e13]
    half = _points(lambda _: 1.0, far)
    ratio = float(bounds(half, "cor2")[0] / half["uniform"].iloc[0])
    for name, share, true, fair in (
        ("half of it", 0.5 * ratio, True, UNREFUTED),
        ("a thousandth of it", 1e-3 * ratio, True, UNTESTED),
        ("linear", 0.1, False, FAILS),
    ):
        add(f"bound: regret is {name}", keep, _data(_points(_constant(share), far)), true, fair)
    wide = _data(_points(lambda _: 0.1, [3e6]))
    add("bound: linear regret, where the bound is above a tenth of uniform play's", keep, wide, False, UNTESTED)
    free = _data(_points(lambda _: 1.0, [1e4]))
    add("bound: uniform play, where the bound is above it", keep, free, False, VACUOUS)


def _bounds_from_below(add: Callable[..., None]) -> None:
    """Add cases of regret beside a lower bound: its shape over budgets, its change of regime, and its multiple."""
    budgets = [0.1, 0.2, 0.4, 0.8, 1.6]
    for statistic in ("median", "mean"):
        test = {"test": "lower-bound-exponent", "options": {"statistic": statistic}}
        unsure = (OPEN,) if statistic == "mean" else ()
        for runs in (400, 20_000):
            for power, true, fair in ((0.0, True, HOLDS), (0.3, False, FAILS), (-0.3, False, FAILS)):
                data = _lazy(partial(_power, power), budgets, runs, 10**7)
                add(f"shape: {statistic} as ε^{power:g}, {runs} runs", test, data, true, fair, *unsure)
    change = regime_change(MEANS[1], MEANS[0])
    around = [0.5 * change, 0.9 * change, 1.1 * change, 2.0 * change]
    for jump, true, fair in ((1.0, True, HOLDS), (1.5, False, FAILS), (3.0, False, FAILS)):
        for runs, horizon in ((400, 10**7), (20_000, 10**5)):
            data = _lazy(partial(_jump, change, jump), around, runs, horizon)
            name = f"smooth: a jump of {jump:g}, T = {horizon:g}, {runs} runs"
            add(name, {"test": "change-of-regime", "options": {}}, data, true, fair, OPEN)
    data = _lazy(lambda _: 1.0, around[:2], 400, 10**7)
    add("smooth: all budgets on one side", {"test": "change-of-regime", "options": {}}, data, True, VACUOUS)
    multiple: dict[str, Any] = {"test": "lower-bound-multiple", "options": {"at_least": 1, "at_most": 2}}
    for value, true, fair in ((0.5, False, FAILS), (1.5, True, HOLDS), (1000.0, False, FAILS)):
        for statistic in ("median", "mean"):
            unknown = (OPEN, VACUOUS) if statistic == "mean" else ()
            test = {**multiple, "options": {**multiple["options"], "statistic": statistic}}
            data = _lazy(_constant(value), [0.5], 1000, 10**15)
            add(f"multiple: {statistic} {value:g} times the bound at T = 10^15", test, data, true, fair, *unknown)


def _lazy(
    multiple: Callable[[float], float], budgets: Sequence[float], runs: int, horizon: int
) -> Callable[[], Any]:
    """Return a function that makes the runs of `_over_budgets`: they are drawn when a case is judged."""
    return lambda: _over_budgets(multiple, budgets, runs, horizon)


def _pairs(add: Callable[..., None]) -> None:
    """Add cases of two algorithms: which one often has huge regret, and which one has less."""
    rare = {"test": "exceedance", "options": {"of": "DP-IMED", "against": "DP-KLUCB"}}
    for one, other, true, fair in (
        (5233, 0, False, FAILS),
        (0, 5233, True, HOLDS),
        (50, 50, True, OPEN),
        (0, 0, True, OPEN),
        (500, 50, False, FAILS),
    ):
        add(f"counts: {one} against {other}", rare, partial(_counts, one, other), true, fair)
    for runs in (20, 20_000):
        for statistic in ("mean", "median", "q99"):
            if runs == 20 and statistic == "q99":
                continue
            less = {
                "test": "times-less",
                "options": {"ours": ["DP-IMED"], "others": ["DP-KLUCB"], "statistic": statistic, "factor": 1},
            }
            for factor, true, fair in ((3.0, True, HOLDS), (0.4, False, FAILS)):

                def pair(factor: float = factor, runs: int = runs) -> Evidence:
                    own, others = _exponential(100.0, runs, 1), _exponential(100.0 * factor, runs, 2)
                    return _evidence(runs=[_run(own), _run(others, "dp-klucb")])

                unsure = (OPEN,) if runs == 20 and statistic == "mean" else ()
                add(f"less: {statistic}, {factor:g} times, {runs} runs", less, pair, true, fair, *unsure)
    mean = {"test": "times-less", "options": {"ours": ["DP-IMED"], "others": ["DP-KLUCB"], "factor": 1}}
    for runs in (20, 1000):

        def equal(runs: int = runs) -> Evidence:
            return _evidence(runs=[_run(_rare(runs, 3)), _run(_rare(runs, 4), "dp-klucb")])

        add(f"less: equal means that one run in 220 makes, {runs} runs", mean, equal, False, OPEN)

    def summed() -> Evidence:
        table = pd.DataFrame({"algorithm": ["a", "b"], "title": ["A", "B"]})
        samples = [_rare(20, 3), np.full(20, 100.0 * (1.0 + 77.0 / 220.0)) + np.arange(20.0)]
        table = table.assign(mean=[each.mean() for each in samples], sd=[each.std(ddof=1) for each in samples])
        return _evidence(aggregates=table.assign(runs=20, environment="e", epsilon=0.1, horizon=1e6, uniform=1e6))

    ratio = {"test": "regret-ratio", "options": {"of": ["a"], "against": ["b"], "at_most": 1}}
    add("ratio: equal means of 20 runs, of which one in 220 makes one", ratio, summed, False, OPEN)


def _computed(add: Callable[..., None]) -> None:
    """Add cases of computed tables, audits, drawn populations, and proofs beside data."""
    n = np.array([10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0])
    growth = {"test": "no-growth", "options": {"value": "value", "over": "n"}}
    for power, true, fair in ((0.0, True, UNREFUTED), (-0.4, True, UNREFUTED), (0.2, False, FAILS)):
        table = pd.DataFrame({"n": n, "value": 3.0 * n**power})
        add(f"computed: grows as n^{power:g}", growth, _table(table), true, fair)
    whole = {**growth, "complete": True}
    add("computed: all that is claimed", whole, _table(pd.DataFrame({"n": n, "value": 3.0})), True, HOLDS)
    inside: dict[str, Any] = {"test": "inequality", "options": {"value": "value", "at_most": "1"}}
    for largest, true, fair in ((0.9, True, UNREFUTED), (1.1, False, FAILS)):
        add(f"grid: to {largest:g}", inside, _table(pd.DataFrame({"value": [0.5, largest]})), true, fair)
    columns = {**inside["options"], "error": "error", "runs": "runs"}
    sampled: dict[str, Any] = {"test": "inequality", "options": columns}
    rng = np.random.default_rng(5)
    by_mean = ("at", 1.0, True, OPEN), ("below", 0.8, True, HOLDS), ("above", 1.2, False, FAILS)
    for name, truth, true, fair in by_mean:
        values = truth + 0.02 * rng.standard_normal(30)
        table = pd.DataFrame({"value": values, "error": 0.02, "runs": 100})
        add(f"sampled: 30 rows {name} the limit", sampled, _table(table), true, fair)
    narrow: dict[str, Any] = {
        "test": "inequality",
        "about": "exponent",
        "options": {**sampled["options"], "unit": "exponent", "wide": {"span": {"at_least": 99}}},
    }
    table = pd.DataFrame({"value": [1.3], "error": 0.02, "runs": 20, "span": 10})
    add("sampled: leans against, over one decade", narrow, _table(table), False, OPEN)
    audit = {"test": "privacy", "options": {"algorithms": ["a"]}}
    for loss, true, fair in ((0.99, True, UNREFUTED), (1.2, False, FAILS)):
        row = pd.DataFrame([{"algorithm": "a", "title": "A", "epsilon": 1.0, "audited": loss, "method": "exact"}])
        add(f"audit: a loss of {loss:g}", audit, partial(_evidence, audits=row), true, fair)
    for side, true, fair in ((1, True, HOLDS), (-1, False, FAILS), (0, True, OPEN)):
        drawn = _table(pd.DataFrame({"side": [side] * 50}))
        add(f"population: each of 50 says {side}", {"test": "in-population", "options": {}}, drawn, true, fair)
    for power in (-0.007, -0.5):
        data = _data(_points(partial(_share, 2.0**36, power), [2.0**k for k in (36, 40, 44, 48)], 200))
        add(f"proof beside a share as T^{power:g}", [ARGUMENT, SUBLINEAR], data, True, HOLDS)
    keep = {"test": "bound-holds", "options": {"bound": "cor2"}}
    add("proof beside a broken bound", [ARGUMENT, keep], _data(_points(lambda _: 0.1, [1e13])), False, STOPPED)


def _table(table: pd.DataFrame) -> Callable[[], Evidence]:
    """Return a function that makes evidence of a computed table."""
    return lambda: _evidence(computed={"t": table})


def catalogue() -> Sequence[Case]:
    """Return all planted cases, in a fixed order."""
    found = _Catalogue()
    for several in (_trends, _exponents, _bounds_from_below, _pairs, _computed):
        several(found.add)
    return found.cases


def our_word(case: Case) -> str:
    """Return our ledger's verdict on a case, such as ``holds``; ``stops the build`` if runs contradict a proof."""
    evidence, rows, tests = case.data(), [], []
    for number, given in enumerate(case.tests):
        test = Test.model_validate({"effect": "x", "about": "", **given})
        tests.append(test)
        found = parts_of_test(claim_test(test.test), test.model_dump(mode="json"), evidence)
        rows += [{"paper": "p", "claim": "c", "test": number, **row} for row in found]
    parts = corrected(pd.DataFrame(rows, columns=COLUMNS), LEVEL)
    return STOPPED if judgement.contradicted(tests, parts) else judgement.judge(tests, parts).verdict


class Score(NamedTuple):
    """A case with the word that a ledger has for it: a verdict, such as ``not decided``, or ``stops the build``."""

    case: Case
    word: str

    @property
    def fair(self) -> bool:
        """Whether the word is one of the case's fair words."""
        return self.word in self.case.fair


def score(judge: Callable[[Case], str] = our_word) -> list[Score]:
    """Return each case of `catalogue` with a ledger's word on it, ``judge(case)``."""
    return [Score(case, judge(case)) for case in catalogue()]
