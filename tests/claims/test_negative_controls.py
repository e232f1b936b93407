"""Every test of learning fails who learns nothing: uniform play in the place of the algorithm, in all claims.

Nothing is simulated: a control's aggregates and runs are made up from the configuration. Where regret is computed
exactly, computations run with selections that learn nothing.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from dpbandits.claims import claim as statements
from dpbandits.claims import negative_controls
from dpbandits.claims.declarations import Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, rows_of
from dpbandits.claims.ledger import judge
from dpbandits.core import declarations
from dpbandits.core.verdicts import FAILS, HOLDS, PART, VACUOUS
from dpbandits.runs import config, plan
from dpbandits.runs.plan import Cell
from dpbandits.settings.full_information import regret
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import NOISES, Noise

Floats = NDArray[np.float64]

CHECKED = config.load(config.shipped(Path(__file__).parents[2] / "config"))
TESTS = [
    pytest.param(paper, test, id=f"{paper}-{name}-{number}")
    for paper, stated in statements.load(CHECKED).items()
    for name, claim in stated.claims.items()
    for number, test in enumerate(claim.tests)
    if claim_test(test.test).reads in ("aggregates", "runs")
]


@functools.cache
def known() -> plan.Cells:
    """Return all cells of the shipped configuration."""
    return plan.all_cells(CHECKED)


def cells_of(paper: str, test: statements.Test) -> list[Cell]:
    """Return the cells of a test's experiments."""
    return [cell for name in test.experiments for cell in known()[paper, name].values()]


@pytest.mark.parametrize(("paper", "test"), TESTS)
def test_a_control_does_not_pass(paper: str, test: statements.Test) -> None:
    """Uniform play passes no test of learning, perfect play no lower bound; a test without a control says why."""
    if test.control == "none":
        assert test.power
        return
    verdict = negative_controls.verdict(
        test, cells_of(paper, test), CHECKED.papers[paper].published_runs, CHECKED.level
    )
    assert verdict not in (HOLDS, PART)


def test_a_test_without_power_is_caught() -> None:
    """A bound that everybody keeps is passed by uniform play, were vacuous cells not left aside."""
    weak = statements.Test(
        test="inequality",
        effect="regret in multiples of T",
        experiments=["separation-local"],
        options={"value": "mean / horizon", "error": "sd / sqrt(runs) / horizon", "at_most": "1"},
    )
    assert negative_controls.verdict(weak, cells_of("asi2025", weak), 20, 0.05) == HOLDS


def test_a_control_where_no_bound_says_anything() -> None:
    """Uniform play keeps a bound that is above its regret everywhere: the verdict is a word of its own."""
    bound = statements.Test(
        test="bound-holds", effect="x", experiments=["separation-local"], options={"bound": "cor2"}
    )
    assert negative_controls.verdict(bound, cells_of("asi2025", bound), 20, 0.05) == VACUOUS


# --- computed regrets -----------------------------------------------------------------------------------------

# Computations of which selections, or regrets, are those of the algorithm, and options that make them short.
LEARNED: dict[str, dict[str, Any]] = {
    "stochastic-regret": {},
    "deterministic-regret": {},
    "selection-decay": {"epochs": 15, "gaps": [2.0**-k for k in range(7)], "crowd_epochs": 6},
}
# Claims about them that ask for no learning: of bounds alone, and a lower bound.
OTHERS = ("remark1", "thm3")
COMPUTED = {
    name: claim
    for name, claim in statements.load(CHECKED)["wu2025"].claims.items()
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
    for number, test in enumerate(claim.tests):
        kind = claim_test(test.test)
        seen = Evidence(pd.DataFrame(), {name: tables[name] for name in test.computations}, [], pd.DataFrame(), 20)
        found = rows_of(kind.evaluate(seen, **kind.resolve(test.options)), test.decides)
        rows += [{"paper": "wu2025", "claim": "", "test": number, **row} for row in found]
    return judge(claim.tests, corrected(pd.DataFrame(rows, columns=COLUMNS), 0.05)).verdict


@pytest.mark.parametrize("name", [name for name in COMPUTED if name not in OTHERS])
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
    """Bounds are bounds whoever plays; a lower bound is met by who learns nothing, not by who has no regret."""
    assert verdict_of(COMPUTED["remark1"], played["uniform"]) == HOLDS
    assert verdict_of(COMPUTED["thm3"], played["uniform"]) == HOLDS
    assert verdict_of(COMPUTED["thm3"], played["perfect"]) == FAILS
