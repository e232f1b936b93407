"""What a claim's page says is asked is what is compared: sentences are read here as a person reads them."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shipped
from tiers import first_of_each

from dpbandits.claims import claim as statements
from dpbandits.claims import negative_controls, sentences
from dpbandits.claims.declarations import ClaimTest, claim_test, decide
from dpbandits.claims.estimate import exact
from dpbandits.claims.evaluate import parts_of_test
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN
from dpbandits.runs import plan
from dpbandits.runs.plan import Cell

CHECKED = shipped.configuration()
STATED = shipped.claims()
NAMED = {
    f"{paper}-{name}-{i}": (paper, test)
    for paper, stated in STATED.items()
    for name, claim in stated.claims.items()
    for i, test in enumerate(claim.tests)
}
TESTS = [pytest.param(*pair, id=name) for name, pair in NAMED.items()]
OF_RUNS = {name: test for name, (_, test) in NAMED.items() if test.experiments}
RUN = [
    pytest.param(*NAMED[name], id=name, marks=marks)
    for name, marks in first_of_each({name: (test.test, test.control) for name, test in OF_RUNS.items()})
]
DECIMAL, POWER = r"[\d,]+(?:\.\d+)?", r"10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+"
NUMBER = rf"(−?(?:{POWER}|{DECIMAL}(?: · {POWER})?)(?: / {DECIMAL})?)"
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--", ",")
# What a person takes each phrase to say: which values are meant.
PHRASES = {
    rf"from {NUMBER} to {NUMBER}": lambda low, high: (low, high),
    rf"within a factor {NUMBER} of 1": lambda factor: (1.0 / factor, factor),
    rf"at least {NUMBER} and at most {NUMBER}": lambda low, high: (low, high),
    rf"at least {NUMBER}": lambda low: (low, math.inf),
    rf"above {NUMBER}": lambda low: (low, math.inf),
    rf"at most {NUMBER}": lambda high: (-math.inf, high),
    rf"below {NUMBER}": lambda high: (-math.inf, high),
}
# A failure names the bound, or the loss, and not the number 1 to which their ratio is compared.
WITHOUT_NUMBERS = {"bound-holds", "privacy", "smallest-bound", "argument"}
# Failures that are told of the quantity in other words; its own tests hold them.
IN_OTHER_WORDS = {"trend", "no-growth"}


def value(text: str) -> float:
    """Return a number as it is printed, a quotient too."""
    one, _, other = text.partition(" / ")
    mantissa, times, exponent = re.fullmatch(rf"(−?(?:{DECIMAL})??)( · )?(?:10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+))?", one).groups()
    plain = mantissa.translate(PLAIN)
    written = f"{plain if times or not exponent else plain + '1'}e{exponent.translate(PLAIN) if exponent else 0}"
    return float(written) / (float(other) if other else 1.0)


def read(text: str) -> tuple[float, float]:
    """Return the values that a phrase at the beginning of a text means."""
    for phrase, meaning in PHRASES.items():
        if found := re.match(phrase, text):
            low, high = meaning(*map(value, found.groups()))
            return low, high
    raise AssertionError(f"no limit is read in {text!r}")


def around(ends: tuple[float, float]) -> list[float]:
    """Return values on both sides of limits, a thousandth off and more."""
    found = []
    for end in filter(math.isfinite, ends):
        size = max(abs(end), 1e-9)
        found += [end + way * part * size for way in (-1, 1) for part in (1e-3, 0.1, 1.0)]
    return found


def compared(test: statements.Test) -> list[tuple[float, float]]:
    """Return the limits of a test as numbers; a multiple of α is at α of 1."""
    kind = claim_test(test.test)
    known = []
    for asked in kind.limits(kind.resolve(test.options)):
        low, high = (
            end if isinstance(end, float | int) else sentences.constant(end.removesuffix(" α"))
            for end in (asked.at_least, asked.at_most)
        )
        known.append((low, high))
    return known


def holds(x: float, ends: tuple[float, float]) -> bool:
    """Return whether a value passes the comparison that decides parts."""
    return decide(exact(x), *ends).side == "holds"


@pytest.mark.parametrize(("paper", "test"), TESTS)
def test_the_sentence_asks_what_is_compared(paper: str, test: statements.Test) -> None:
    """A value on the failing side of the printed test fails it, and one on the other side does not."""
    printed = sentences.of_test(test).removeprefix(f"{test.effect}: ")
    for ends in compared(test)[:1]:
        told = read(printed)
        assert around(told)
        for x in around(told):
            assert holds(x, ends) == (told[0] <= x <= told[1]), (paper, printed, x)


@pytest.mark.parametrize(("paper", "test"), TESTS)
def test_the_failure_is_what_fails(paper: str, test: statements.Test) -> None:
    """So it is with the sentence on what would fail it, which for *some* part tells what none then has."""
    if test.test in WITHOUT_NUMBERS | IN_OTHER_WORDS:
        pytest.skip("told without the limit's number")
    printed = sentences.of_failure(test)
    assert "{" not in printed
    if test.decides == "holds":
        assert printed.startswith("Nothing that runs show")
        return
    start = re.search(r"(?:it|that) is (not )?(?=from|within|at least|above|at most|below)", printed)
    assert start is not None, printed
    told = read(printed[start.end() :])
    for x, ends in itertools.product(around(told), compared(test)):
        within = told[0] <= x <= told[1]
        # "One that is not at most 1", or "one that is above 1", fails; of some part, "none that is at most 1" does.
        passes = within if (start[1] or test.some) else not within
        assert holds(x, ends) == passes, (paper, printed, x)


def cells_of(paper: str, test: statements.Test, known: plan.Cells) -> list[Cell]:
    """Return the cells of a test's experiments."""
    return [cell for name in test.experiments for cell in known[paper, name].values()]


@pytest.fixture(scope="module")
def known() -> plan.Cells:
    """Return all cells of the shipped configuration."""
    return shipped.cells()


@pytest.mark.parametrize(("paper", "test"), RUN)
def test_parts_are_compared_with_what_is_told(paper: str, test: statements.Test, known: plan.Cells) -> None:
    """Each part of a test of runs has the limits of its sentence, whatever algorithm was run."""
    kind: ClaimTest = claim_test(test.test)
    said = test.model_dump(mode="json")
    if "published" in kind.options:
        said["options"] = {**said["options"], "published": False}
    given = negative_controls.evidence(
        test, cells_of(paper, test, known), CHECKED.papers[paper].published_runs, 0.1
    )
    rows = pd.DataFrame([{"test": 0, **row} for row in parts_of_test(kind, said, given)])
    # No test is dead: each reads rows of its experiments, and has a part, or says that none can tell.
    assert len(rows)
    if rows["part"].ne("").any():
        assert not sentences.disagreements([test], rows)
        moved = rows.assign(at_least=rows["at_most"] * 3.0, at_most=rows["at_least"] * 3.0)
        if rows["at_most"].notna().any() and isinstance(kind.limits(kind.resolve(test.options))[0].at_most, float):
            assert sentences.disagreements([test], moved)


def test_counts_of_parts_are_told() -> None:
    """The first sentence of a claim's page has what was found in how many parts, and what was asked of which."""
    test = next(each for each in STATED["azize2025"].claims["imed-klucb-mean"].tests)
    parts = pd.DataFrame({"test": 0, "part": list("abcde"), "verdict": [HOLDS, FAILS, FAILS, OPEN, FAILS]})
    assert sentences.of_parts([test], parts) == (
        "Mean regret of DP-IMED divided by DP-KLUCB's: at most 1 in 1 of 5 settings, above 1 in 3, "
        "not decided in 1; asked: at most 1 in every setting."
    )
    some = next(each for each in STATED["azize2025"].claims["claim-10x-worst"].tests)
    assert sentences.of_parts([some], parts).endswith("asked: at least 10 in at least one setting.")


def test_a_proof_is_told_first() -> None:
    """A proved claim says so, and then what runs show."""
    tests = STATED["wu2025"].claims["thm2"].tests
    verdicts = {"part": ["proof: docs/wu2025-regret.md, Theorem B", "laplace"], "verdict": [HOLDS, OPEN]}
    assert sentences.of_parts(tests, pd.DataFrame({"test": [0, 1], **verdicts})).startswith("Shown by argument: ")


def test_no_sentence_of_a_kind_has_a_limit_of_its_own() -> None:
    """Words for limits come from one function alone: a kind's own text has no phrase of a limit and a number."""
    folder = Path(sentences.__file__).parent / "kinds"
    for file in sorted(folder.glob("*.py")):
        typed = re.compile(r"(at least|at most|above|below) -?\{options\['(at_|factor|tolerance|within)")
        found = typed.findall(file.read_text(encoding="utf-8"))
        assert not found, (file.name, found)


def test_numbers_near_a_limit() -> None:
    """An end of six digits is not one of rounding."""
    assert np.isclose(sentences.constant("1 - 1e-12"), 1.0)
    assert sentences.inside(sentences.Asked(at_most="0.999999")) == "at most 0.999999"
