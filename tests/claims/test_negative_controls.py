"""Every test of learning fails who learns nothing: uniform play in the place of the algorithm, in all claims.

Nothing is simulated: a control's aggregates and runs are made up from the configuration. Where regret is computed
exactly, computations run with selections that learn nothing.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import shipped
from numpy.typing import NDArray
from tiers import core, first_of_each

from dpbandits.claims import claim as statements
from dpbandits.claims import negative_controls, sentences
from dpbandits.claims.declarations import Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, parts_of_test
from dpbandits.claims.expressions import quantity
from dpbandits.claims.judgement import judge
from dpbandits.core import declarations
from dpbandits.core.verdicts import FAILS, HOLDS, PART, UNREFUTED, VACUOUS
from dpbandits.runs import plan
from dpbandits.runs.plan import Cell
from dpbandits.settings.full_information import regret
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import NOISES, Noise

Floats = NDArray[np.float64]

CHECKED = shipped.configuration()
STATED = shipped.claims()
# Claims with tests that a control can be put into, with those tests.
CLAIMED = {
    f"{paper}-{name}": (paper, tests)
    for paper, stated in STATED.items()
    for name, claim in stated.claims.items()
    if (tests := [test for test in claim.tests if test.experiments])
}
# One claim with each kind of tests; the others are slow.
PLAYED = [
    pytest.param(*CLAIMED[name], id=name, marks=marks)
    for name, marks in first_of_each(
        {name: frozenset((test.test, test.control) for test in tests) for name, (_, tests) in CLAIMED.items()}
    )
]


@functools.cache
def known() -> plan.Cells:
    """Return all cells of the shipped configuration."""
    return shipped.cells()


def cells_of(paper: str, test: statements.Test) -> list[Cell]:
    """Return the cells of a test's experiments."""
    return [cell for name in test.experiments for cell in known()[paper, name].values()]


def verdict(paper: str, tests: list[statements.Test], share: float) -> str:
    """Return the verdict of tests on who has a share of uniform play's regret."""
    published = CHECKED.papers[paper].published_runs
    played = [control(test, cells_of(paper, test), published, share) for test in tests]
    return negative_controls.verdict_on_control(tests, played, CHECKED.level)


def control(
    test: statements.Test, cells: list[Cell], published_runs: int, share: float, rivals: float = 0.5
) -> Evidence:
    """Return a test's data with a control among rivals that have a share of uniform play's regret."""
    measured = negative_controls.evidence(test, cells, published_runs, rivals)
    return negative_controls.evidence(test, cells, published_runs, share, measured)


@pytest.mark.parametrize(("paper", "tests"), PLAYED)
def test_a_control_does_not_pass(paper: str, tests: list[statements.Test]) -> None:
    """Uniform play passes no test of learning, perfect play no lower bound."""
    for test in tests:
        if test.control != "none":
            assert verdict(paper, [test], negative_controls.CONTROLS[test.control]) not in (HOLDS, PART)


# Who passes with more of uniform play's regret passes with less.
@pytest.mark.parametrize("share", core(negative_controls.LINEAR, min(negative_controls.LINEAR).__eq__))
@pytest.mark.parametrize(("paper", "tests"), PLAYED)
def test_linear_regret_passes_no_claim(paper: str, tests: list[statements.Test], share: float) -> None:
    """Half, a third or a tenth of uniform play's regret is linear: no claim about rates or limits holds of it."""
    if any(test.control != "uniform" for test in tests) or {test.test for test in tests} & set(
        negative_controls.COMPARISONS
    ):
        pytest.skip("no claim about a rate")
    assert verdict(paper, tests, share) != HOLDS
    # One of several quantities, such as K, may grow as claimed where regret is linear: T never does.
    over_time = [test for test in tests if test.test == "trend" or test.options.get("over") == "horizon"]
    for test in over_time:
        assert verdict(paper, [test], share) not in (HOLDS, PART)


def test_a_control_needs_a_cell() -> None:
    """A control that would judge an empty table is refused, and no sentence of the ledger speaks of one."""
    test = statements.Test(test="inequality", effect="x", computations=["conversion-floor"])
    with pytest.raises(ValueError, match="needs cells"):
        negative_controls.evidence(test, [], 20, 1.0)
    assert "plays at random" not in sentences.of_failure(test)
    played = statements.Test(
        test="bound-holds", effect="x", experiments=["two-arms-far"], options={"bound": "cor2"}
    )
    assert "plays at random" in sentences.of_failure(played)


def test_rivals_keep_what_was_measured() -> None:
    """Beside rivals that learned uniform play fails "at most 1.1 times"; beside rivals that did not it passes."""
    test = statements.Test(
        test="regret-ratio",
        effect="x",
        experiments=["separation-local"],
        options={"of": ["conversion-htinf"], "against": ["dp-exp3-lap"], "at_most": 1.1},
    )
    cells = cells_of("asi2025", test)
    found = {
        rivals: negative_controls.verdict_on_control([test], [control(test, cells, 10, 1.0, rivals)], 0.05)
        for rivals in (0.5, 1.0)
    }
    assert found == {0.5: FAILS, 1.0: HOLDS}


@pytest.mark.parametrize("power", [0.5, 0.6])
def test_the_next_worse_rate_is_told_apart(power: float) -> None:
    """√T against T^0.6, in the test that all claims about √T have: the one holds, the other does not."""
    test = next(
        test for test in STATED["asi2025"].claims["cor2-exponents"].tests if test.options["over"] == "horizon"
    )
    cells = [cell for cell in cells_of("asi2025", test) if cell.environment == "k10-widest"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(negative_controls, "_uniform", lambda cell: 200.0 * cell.job.horizon**power)
        seen = negative_controls.evidence(test, cells, 20, 1.0)
    largest = 0.45 * seen.aggregates["horizon"].astype(float)
    given = test.model_copy(update={"options": {**test.options, "at_most": 0.1}})
    rows = [
        {"paper": "", "claim": "", "test": 0, **row}
        for row in parts_of_test(
            claim_test(test.test),
            given.model_dump(),
            seen._replace(aggregates=seen.aggregates.assign(uniform=largest)),
        )
    ]
    parts = corrected(pd.DataFrame(rows, columns=COLUMNS), 0.05)
    # Divided by the bound, whose logarithms are none here, the exponents are 0 and 0.1: on the threshold.
    assert (judge([given], parts).verdict == HOLDS) == (power == 0.5)


def test_a_test_without_power_is_caught() -> None:
    """A bound that everybody keeps is passed by uniform play, were vacuous cells not left aside."""
    weak = statements.Test(
        test="inequality",
        effect="regret in multiples of T",
        experiments=["separation-local"],
        options={"value": "mean / horizon", "error": "sd / sqrt(runs) / horizon", "at_most": "1"},
    )
    assert verdict("asi2025", [weak], 1.0) == HOLDS


def test_a_control_where_no_bound_says_anything() -> None:
    """Uniform play keeps a bound that is above its regret everywhere: the verdict is a word of its own."""
    bound = statements.Test(
        test="bound-holds", effect="x", experiments=["separation-local"], options={"bound": "cor2"}
    )
    assert verdict("asi2025", [bound], 1.0) == VACUOUS


# --- computed regrets -----------------------------------------------------------------------------------------

# Computations of which selections, or regrets, are those of the algorithm, and options that make them short.
LEARNED: dict[str, dict[str, Any]] = {
    "stochastic-regret": {},
    "deterministic-regret": {},
    "selection-decay": {"epochs": 15, "gaps": [2.0**-k for k in range(7)], "crowd_epochs": 6},
}
# Claims about them that ask for no learning: a lower bound.
OTHERS = ("thm3",)
COMPUTED = {
    name: claim
    for name, claim in STATED["wu2025"].claims.items()
    if any(set(test.computations) & set(LEARNED) for test in claim.tests)
}


def computed_with(share: float) -> dict[str, pd.DataFrame]:
    """Return what would be computed of who plays uniformly, ``share`` 1, or of who has no regret, 0."""

    def random(
        _: Noise, __: float, ___: Any, ____: float, gaps: Floats, multiplicities: Floats, number: int
    ) -> Floats:
        mean = multiplicities @ gaps / multiplicities.sum(axis=1)
        return share * np.repeat(mean[:, None], number, axis=1)

    def deterministic(_: Noise, __: float, gaps: Gaps, number: int) -> Floats:
        return np.full(number, share * float(gaps.gaps @ gaps.multiplicities) / gaps.arms)

    def log_uniform(_: Floats, multiplicities: Floats) -> Floats:
        return np.full(multiplicities.size, -math.log(multiplicities.sum()))

    def uniform(_: Floats, multiplicities: Floats, __: float) -> Floats:
        return np.repeat(1.0 / multiplicities.sum(axis=1, keepdims=True), multiplicities.shape[1], axis=1)

    def log_half(d: Floats) -> Floats:
        return np.full(d.size, -math.log(2.0))

    tables = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(regret, "random", random)
        patched.setattr(regret, "deterministic", deterministic)
        for name, noise in NOISES.items():
            patched.setitem(NOISES, name, Noise(noise.factor, log_uniform, uniform, log_half))
        for name, short in LEARNED.items():
            declared = declarations.computation(name)
            given = CHECKED.papers["wu2025"].computations[name].parameters
            tables[name] = declared.compute(**declared.resolve({**given, **short}))
    return tables


@pytest.fixture(scope="module")
def played() -> dict[str, dict[str, pd.DataFrame]]:
    """What would be computed of each control."""
    return {"uniform": computed_with(1.0), "perfect": computed_with(0.0)}


def verdict_of(claim: statements.Claim, tables: dict[str, pd.DataFrame]) -> str:
    """Return the verdict of a claim whose tests read these tables."""
    rows: list[dict[str, Any]] = []
    # A proof is of the algorithm, and not of who is in its place.
    tests = [test for test in claim.tests if test.computations]
    for number, test in enumerate(tests):
        kind = claim_test(test.test)
        seen = Evidence(pd.DataFrame(), {name: tables[name] for name in test.computations}, [], pd.DataFrame(), 20)
        found = parts_of_test(kind, test.model_dump(mode="json"), seen)
        rows += [{"paper": "wu2025", "claim": "", "test": number, **row} for row in found]
    return judge(tests, corrected(pd.DataFrame(rows, columns=COLUMNS), 0.05)).verdict


@pytest.mark.parametrize(
    "name", core([name for name in COMPUTED if name not in OTHERS], lambda name: name != "thm1")
)
def test_a_computed_control_does_not_pass(name: str, played: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Uniform play in the place of RNM-FTNL: no claim about learning holds, and one test of it fails outright."""
    assert verdict_of(COMPUTED[name], played["uniform"]) != HOLDS
    alone = [
        verdict_of(COMPUTED[name].model_copy(update={"tests": [test]}), played["uniform"])
        for test in COMPUTED[name].tests
        if test.computations
    ]
    assert FAILS in alone


def test_computed_claims_that_ask_for_no_learning(played: dict[str, dict[str, pd.DataFrame]]) -> None:
    """A lower bound is met by an algorithm that learns nothing, and not by one without regret."""
    assert verdict_of(COMPUTED["thm3"], played["uniform"]) == UNREFUTED
    assert verdict_of(COMPUTED["thm3"], played["perfect"]) == FAILS


GROWING = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name, claim in COMPUTED.items()
    for number, test in enumerate(claim.tests)
    if test.test == "no-growth" and not test.options.get("lower") and "log" in str(test.options.get("rate", "rate"))
    if test.options.get("over", "arms") == "arms" and test.options.get("value", "regret") == "regret"
]


@pytest.mark.parametrize(("name", "number"), GROWING)
def test_one_more_logarithm_is_told_apart(
    name: str, number: int, played: dict[str, dict[str, pd.DataFrame]]
) -> None:
    """Regret that is the rate passes; with one more log K it does not."""
    test = COMPUTED[name].tests[number]
    (computation,) = test.computations
    table = played["perfect"][computation]
    rate = quantity(table, test.options["rate"])
    for more, verdict in ((1.0, UNREFUTED), (np.log(table["arms"]), FAILS)):
        planted = {computation: table.assign(regret=rate * more)}
        alone = COMPUTED[name].model_copy(update={"tests": [test]})
        assert verdict_of(alone, planted) == verdict
