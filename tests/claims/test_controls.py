"""Every test of learning fails who learns nothing: uniform play in the place of the algorithm, in all claims.

Nothing is simulated: a control's aggregates and runs are made up from the configuration.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dpbandits.claims import claim as statements
from dpbandits.claims import controls
from dpbandits.claims.evidence import claim_test
from dpbandits.claims.findings import HOLDS, PART, VACUOUS
from dpbandits.runs import config, plan
from dpbandits.runs.plan import Cell

CHECKED = config.load(config.shipped(Path(__file__).parents[2] / "config"))
KNOWN = plan.all_cells(CHECKED)
TESTS = [
    pytest.param(paper, test, id=f"{paper}-{name}-{number}")
    for paper, stated in statements.load(CHECKED).items()
    for name, claim in stated.claims.items()
    for number, test in enumerate(claim.tests)
    if claim_test(test.test).reads in ("aggregates", "runs")
]


def cells_of(paper: str, test: statements.Test) -> list[Cell]:
    """Return the cells of a test's experiments."""
    return [cell for name in test.experiments for cell in KNOWN[paper, name].values()]


@pytest.mark.parametrize(("paper", "test"), TESTS)
def test_a_control_does_not_pass(paper: str, test: statements.Test) -> None:
    """Uniform play passes no test of learning, perfect play no lower bound; a test without a control says why."""
    if test.control == "none":
        assert test.power
        return
    verdict = controls.verdict(test, cells_of(paper, test), CHECKED.papers[paper].published_runs, CHECKED.level)
    assert verdict not in (HOLDS, PART)


def test_a_test_without_power_is_caught() -> None:
    """A bound that everybody keeps is passed by uniform play, were vacuous cells not left aside."""
    weak = statements.Test(
        test="inequality",
        effect="regret in multiples of T",
        experiments=["separation-local"],
        options={"value": "mean / horizon", "error": "sd / sqrt(runs) / horizon", "at_most": "1"},
    )
    assert controls.verdict(weak, cells_of("asi2025", weak), 20, 0.05) == HOLDS


def test_a_control_where_no_bound_says_anything() -> None:
    """Uniform play keeps a bound that is above its regret everywhere: the verdict is a word of its own."""
    bound = statements.Test(
        test="bound-holds", effect="x", experiments=["separation-local"], options={"bound": "cor2"}
    )
    assert controls.verdict(bound, cells_of("asi2025", bound), 20, 0.05) == VACUOUS
