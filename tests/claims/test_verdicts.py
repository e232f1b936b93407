"""Each rule of docs/verdicts.md: the algebra over all small sets, and the rules of parts, power, scale and rows."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpbandits.claims import claim as statements
from dpbandits.claims import evaluate, judgement, sentences
from dpbandits.claims.declarations import ClaimTest, Evidence, Finding, Outcome, claim_test, finding
from dpbandits.claims.estimate import exact, mean_limits, student
from dpbandits.claims.power import half_width, spread
from dpbandits.core.files import write_json
from dpbandits.core.tables import rounded
from dpbandits.core.verdicts import (
    FAILS,
    HOLDS,
    OPEN,
    PART,
    UNREFUTED,
    UNTESTED,
    VACUOUS,
    Verdict,
    of_every,
    of_sentences,
    of_some,
)

LEVEL = 0.05
OF_PARTS = tuple(verdict for verdict in Verdict if verdict != PART)
SETS = [parts for size in range(4) for parts in itertools.product(OF_PARTS, repeat=size)]


def test_a_part_that_fails_refutes_what_is_claimed_of_every_part() -> None:
    """Rule 7, both ways: whatever the others are, and only then."""
    for parts in SETS:
        assert (of_every(parts) == FAILS) == (FAILS in parts)
        assert (of_every(parts) == HOLDS) == (set(parts) == {HOLDS})


def test_some_part() -> None:
    """Rule 8: one that holds shows it, and nothing but all refutes it."""
    for parts in SETS:
        assert (of_some(parts) == HOLDS) == (HOLDS in parts)
        assert (of_some(parts) == FAILS) == (set(parts) == {FAILS})


@pytest.mark.parametrize("together", [of_every, of_some, of_sentences])
def test_open_parts_refute_nothing(together: Any) -> None:
    """An open or vacuous part more never makes a verdict *does not hold*, nor *holds* of what did not."""
    for parts in SETS:
        for more in (OPEN, VACUOUS, UNREFUTED, UNTESTED):
            before, after = together(parts), together((*parts, more))
            assert after == before or after not in (FAILS, HOLDS, PART) or (before, after) == (HOLDS, PART)
            assert not (before == HOLDS and after == FAILS)


def test_in_part_needs_two_sentences() -> None:
    """Rule 9: one refuted, one shown; parts of one sentence never make it."""
    for parts in SETS:
        assert PART not in (of_every(parts), of_some(parts))
        assert (of_sentences(parts) == PART) == ({HOLDS, FAILS} <= set(parts))


def test_order_and_number_of_parts_do_not_matter() -> None:
    """Only which verdicts there are does."""
    for parts in SETS:
        for together in (of_every, of_some, of_sentences):
            assert together(parts) == together(tuple(reversed(parts))) == together((*parts, *parts))


def test_vacuous_parts_say_nothing() -> None:
    """Rule 10."""
    assert of_every([VACUOUS, VACUOUS]) == VACUOUS
    assert of_every([VACUOUS, HOLDS]) == UNREFUTED
    assert of_every([VACUOUS, OPEN]) == OPEN
    assert of_every([]) == OPEN


# --- parts ----------------------------------------------------------------------------------------------------


def judged(kind: str, given: dict[str, Any], evidence: Evidence) -> tuple[str, pd.DataFrame]:
    """Return the verdict of one test on given data, and its parts."""
    test = statements.Test.model_validate({"test": kind, "effect": "x", **given})
    data = {**test.model_dump(mode="json"), "scale": given.pop("scale", {})}
    rows = evaluate.parts_of_test(claim_test(kind), data, evidence)
    first = {"paper": "p", "claim": "c", "test": 0}
    parts = evaluate.corrected(pd.DataFrame([{**first, **row} for row in rows], columns=evaluate.COLUMNS), LEVEL)
    return judgement.judge([test], parts).verdict, parts


def computed(**columns: Any) -> Evidence:
    """Return evidence of one computed table."""
    return Evidence(pd.DataFrame(), {"t": pd.DataFrame(columns)}, [], pd.DataFrame(), 20)


def test_a_grid_does_not_show_what_it_does_not_contradict() -> None:
    """Rule 2: it holds only if the rows are all that is claimed; one row refutes either way."""
    options = {"value": "value", "at_most": "1"}
    inside, outside = computed(value=[0.5, 0.7]), computed(value=[0.5, 1.7])
    assert judged("inequality", {"options": options}, inside)[0] == UNREFUTED
    assert judged("inequality", {"options": options, "complete": True}, inside)[0] == HOLDS
    assert judged("inequality", {"options": options}, outside)[0] == FAILS
    # Of some row: one shows it, and a grid without any leaves it open.
    by = {**options, "by": ["value"]}
    assert judged("inequality", {"options": by, "some": True}, outside)[0] == HOLDS
    none = computed(value=[1.5, 1.7])
    assert judged("inequality", {"options": by, "some": True}, none)[0] == OPEN
    assert judged("inequality", {"options": by, "some": True, "complete": True}, none)[0] == FAILS


def test_an_audit_that_finds_nothing_shows_nothing() -> None:
    """Rule 2, of privacy."""
    table = pd.DataFrame({"algorithm": "a", "title": "A", "epsilon": [1.0], "audited": [0.9], "method": "exact"})
    evidence = Evidence(pd.DataFrame(), {}, [], table, 20)
    assert judged("privacy", {"options": {"algorithms": ["a"]}}, evidence)[0] == UNREFUTED
    broken = evidence._replace(audits=table.assign(audited=2.0))
    assert judged("privacy", {"options": {"algorithms": ["a"]}}, broken)[0] == FAILS


def part(estimate: Any, about: str = "order", decides: str = "both", **more: Any) -> str:
    """Return the verdict on one sampled part."""
    found = finding("", estimate, **more)
    row = {"paper": "p", "claim": "c", "test": 0, "part": "", "decides": decides, "some": False, "complete": False}
    row |= {"about": about, "unit": found.unit, "cap": found.cap, "half": half_width(found)}
    row |= dict(zip(("spread", "spread_unit"), spread(found), strict=True))
    row |= {"side": found.decision.side, "p": found.decision.p}
    row |= {f"side_{way}": found.moved[i].side for i, way in enumerate(("down", "up"))}
    row |= {f"p_{way}": found.moved[i].p for i, way in enumerate(("down", "up"))}
    return str(evaluate.corrected(pd.DataFrame([row]), LEVEL)["verdict"].iloc[0])


def test_holds_needs_a_narrow_interval() -> None:
    """Rule 4: half of the interval is below log 2 of a constant, 0.1 of an exponent, however far the value is."""
    for value in (0.9, 0.4, 0.01):
        assert part(student(value, 0.001, 50), "constant", at_most=1.0) == HOLDS
    for value in (0.45, 0.35, -2.0):
        assert part(student(value, 0.001, 50), "exponent", at_most=0.5, unit="exponent") == HOLDS
    wide = student(-2.0, 0.07, 50)
    assert half_width(finding("", wide, at_most=0.5, unit="exponent")) > 0.1
    assert part(wide, "exponent", at_most=0.5, unit="exponent") == UNREFUTED
    assert part(wide, "order", at_most=0.5, unit="exponent") == HOLDS
    # Precision never softens a refutation.
    assert part(student(3.0, 0.07, 50), "exponent", at_most=0.5, unit="exponent") == FAILS


def test_what_linear_regret_would_keep_is_untested() -> None:
    """Rule 3: a word of its own, which a refutation overrules, and which the nearest part decides."""
    assert part(student(0.05, 0.001, 50), "constant", at_most=1.0, cap="untested") == UNTESTED
    assert part(student(1.5, 0.001, 50), "constant", at_most=1.0, cap="untested") == FAILS
    assert of_every([UNTESTED, UNTESTED, VACUOUS]) == UNTESTED
    assert of_every([UNTESTED, UNREFUTED]) == UNREFUTED
    assert of_every([UNTESTED, OPEN]) == OPEN


def test_data_that_span_too_little_decide_nothing() -> None:
    """Rule 14: open whichever way they lean, and the ledger counts what leans against."""
    for value in (0.4, 0.9):
        assert part(student(value, 0.001, 50), "exponent", at_most=0.5, unit="exponent", cap="open") == OPEN
    parts = pd.DataFrame({"low": [0.8, 0.3], "high": [0.9, 0.4], "at_least": -math.inf, "at_most": 0.5})
    assert sentences.leaning(parts.assign(verdict=OPEN)) == 1
    assert sentences.leaning(parts.assign(verdict=FAILS)) == 0


def test_what_no_data_could_show_is_vacuous() -> None:
    """Rule 5: if no data could show it, it is vacuous; a refutation stays one."""
    wide = student(1.0, 5.0, 50)
    assert part(wide, decides="holds", at_most=1.1, cap="vacuous") == VACUOUS
    assert part(wide, decides="holds", at_most=1.1) == OPEN
    assert part(student(2.0, 0.01, 50), decides="holds", at_most=1.1) == OPEN
    assert part(student(2.0, 0.01, 50), at_most=1.1, cap="vacuous") == FAILS


def test_below_its_scale_nothing_is_decided() -> None:
    """Rule 6: neither way, and exact or not."""
    options = {"value": "value", "at_most": "1"}
    for value in (0.5, 2.0):
        evidence = computed(value=[value], horizon=[1000])
        for scale, decided in (({"horizon": 1000}, True), ({"horizon": 1001}, False)):
            data = {**statements.Test(test="inequality", effect="x", options=options).model_dump(), "scale": scale}
            rows = evaluate.parts_of_test(claim_test("inequality"), data, evidence)
            assert (rows[0]["side"] != "below") == decided


def test_a_scale_that_no_row_states_is_not_reached() -> None:
    """Rule 6: an empty column binds, and of instances the smallest row counts."""
    rows = pd.DataFrame({"value": [0.5, 0.6], "horizon": [math.nan] * 2, "instances": [20, 4]})
    assert evaluate.below_scale({"horizon": 1000}, rows)
    assert evaluate.below_scale({"arms": 1}, rows)
    assert evaluate.below_scale({"instances": 20}, rows)
    assert not evaluate.below_scale({"instances": 4}, rows)
    assert not evaluate.below_scale({"horizon": 1000}, rows.assign(horizon=[math.nan, 1000]))
    assert evaluate.below_scale({"instances": 4}, rows.assign(instances=[20, math.nan]))


def test_rows_that_are_left_out_are_counted() -> None:
    """Rule 12: the ledger says how many rows a condition leaves, and which condition it is."""
    options = {"value": "value", "at_most": "1", "where": {"kind": "good"}}
    _, parts = judged(
        "inequality", {"options": options}, computed(value=[0.5, 2.0, 3.0], kind=["good", "bad", "bad"])
    )
    assert judgement.rows_read(parts) == "1 of 3"
    test = statements.Test(test="inequality", effect="x", options=options)
    assert "Rows with kind good" in sentences.of_test(test)


def test_a_filter_removes_no_refutation() -> None:
    """Rule 13: a linear regret above the bound refutes it, though every point is near uniform play's."""
    from dpbandits.claims.kinds._bounds import bounds

    horizons = [10**7, 10**8, 10**9, 10**10]
    rows = [
        {"environment": "e", "title": "a", "algorithm": "a", "horizon": t, "arms": 2, "experts": 0, "epsilon": 1.0}
        for t in horizons
    ]
    table = pd.DataFrame(rows).assign(runs=100, uniform=[0.45 * t for t in horizons])
    above = table.assign(mean=0.9 * table["uniform"], sd=1e-4 * table["uniform"])
    counts = (above["mean"] > bounds(above, "cor2")).sum()
    assert counts >= 2
    options = {"over": "horizon", "bound": "cor2", "at_most": 0.1, "span": 10}
    last = above.tail(3)
    evidence = Evidence(last, {}, [], pd.DataFrame(), 20)
    assert (last["mean"] > bounds(last, "cor2")).all()
    assert judged("exponent", {"options": options}, evidence)[0] == FAILS
    # Below the bound such points show no rate, and are left out.
    below = last.assign(mean=0.5 * last["mean"] * bounds(last, "cor2") / last["mean"], uniform=bounds(last, "cor2"))
    assert (
        judged("exponent", {"options": {**options, "learned": 0.4}}, evidence._replace(aggregates=below))[0] == OPEN
    )


def test_an_o_needs_two_decades() -> None:
    """Rule 14: over less it is not decided, and local exponents are told."""
    rows = [
        {
            "environment": "e",
            "title": "a",
            "algorithm": "a",
            "horizon": t,
            "mean": 3.0 * t**0.5,
            "sd": 0.01 * t**0.5,
        }
        for t in (10**4, 10**5, 10**6)
    ]
    table = pd.DataFrame(rows).assign(runs=100, uniform=0.45 * 10**6)
    options = {"over": "horizon", "at_least": 0.45, "at_most": 0.55}
    evidence = Evidence(table, {}, [], pd.DataFrame(), 20)
    verdict, parts = judged("exponent", {"options": options, "about": "order"}, evidence)
    assert verdict == HOLDS
    assert "local exponents 0.50, 0.50" in parts["part"].iloc[0]
    narrow = evidence._replace(aggregates=table.assign(horizon=[10**4, 2 * 10**4, 4 * 10**4]))
    assert judged("exponent", {"options": options}, narrow)[0] == OPEN


@pytest.mark.parametrize(("over_range", "yes", "no"), [(False, UNREFUTED, OPEN), (True, HOLDS, FAILS)])
def test_trend_tells_linear_from_sublinear(over_range: bool, yes: str, no: str) -> None:
    """Rule 15: a trend neither shows nor refutes a limit; it decides a sentence about the horizons that are run.

    A share that falls as T^-0.007 is sublinear by proof: no finite horizon may call it linear.
    """
    horizons = [2**20, 2**24, 2**28]
    for share in (1.0, 0.5, 0.3, 0.1):
        for power, linear, sublinear in ((1.0, yes, no), (0.993, yes, no), (0.75, no, yes)):
            means = [share * 0.5 * t * (t / horizons[0]) ** (power - 1.0) for t in horizons]
            table = pd.DataFrame({"horizon": horizons, "mean": means}).assign(
                environment="e", title="a", algorithm="a", runs=100, sd=1.0, uniform=[0.5 * t for t in horizons]
            )
            evidence = Evidence(table, {}, [], pd.DataFrame(), 20)
            for side, verdict in (("linear", linear), ("sublinear", sublinear)):
                given = {"options": {side: ["a"], "range": over_range}, "about": "order"}
                assert judged("trend", given, evidence)[0] == verdict


def test_a_proof_needs_no_search_beside_it() -> None:
    """What a search did not contradict takes nothing from a proof; what it refutes does."""
    tests = [
        statements.Test(test="argument", effect="x"),
        statements.Test(test="inequality", effect="x"),
    ]
    for beside, verdict in ((UNREFUTED, HOLDS), (OPEN, HOLDS), (FAILS, PART)):
        parts = pd.DataFrame({"test": [0, 1], "verdict": [HOLDS, beside]})
        parts = parts.assign(if_down=parts["verdict"], if_up=parts["verdict"])
        assert judgement.judge(tests, parts).verdict == verdict


def test_what_follows_has_the_verdict_of_its_premise() -> None:
    """Rule 11: an argument with a premise is as good as that; from what is false or untested nothing follows."""
    bare: dict[str, Any] = {"row": "r", "place": "p", "statement": "A is B.", "shown": "privacy"}
    argued = {"test": "argument", "effect": "x", "options": {"premise": "one"}}
    claims = {
        "one": {**bare, "tests": [{"test": "bound-holds", "effect": "x"}]},
        "two": {**bare, "tests": [argued]},
    }
    stated = statements.Statements.model_validate({"claims": claims})
    for premise, follows in ((HOLDS, HOLDS), (UNTESTED, OPEN), (UNREFUTED, UNREFUTED), (FAILS, OPEN)):
        parts = pd.DataFrame({"claim": ["one", "two"], "test": 0, "verdict": [premise, HOLDS]})
        parts = judgement.with_premises(stated, parts.assign(if_down=parts["verdict"], if_up=parts["verdict"]))
        assert judgement.judge(stated.claims["two"].tests, parts[parts["claim"] == "two"]).verdict == follows


def test_a_proof_beside_runs_that_contradict_it_is_found() -> None:
    """The build stops on it."""
    tests = [statements.Test(test="argument", effect="x"), statements.Test(test="inequality", effect="x")]
    parts = pd.DataFrame({"test": [0, 1], "part": ["proof", "row"], "verdict": [HOLDS, FAILS]})
    assert judgement.contradicted(tests, parts) == "row"
    assert judgement.contradicted(tests, parts.assign(verdict=[HOLDS, OPEN])) == ""
    assert judgement.contradicted(tests, parts.assign(verdict=FAILS)) == ""


def test_the_page_has_every_word() -> None:
    """docs/verdicts.md tells each verdict."""
    page = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text(encoding="utf-8")
    assert all(f"| *{verdict}* |" in page for verdict in Verdict)


def test_slack() -> None:
    """The part that comes nearest to its bound tells."""
    parts = pd.DataFrame({"about": "constant", "estimate": [0.1, 0.004], "at_least": -math.inf, "at_most": 1.0})
    parts = parts.assign(verdict=UNREFUTED)
    assert judgement.slack(parts) == pytest.approx(10.0)
    assert math.isnan(judgement.slack(parts.assign(about="order")))
    assert isinstance(finding("", exact(1.0)), Finding)


def test_a_part_comes_back_from_its_file(tmp_path: Path) -> None:
    """What one job measures, another corrects as if it had measured it itself: p-values, power and verdicts."""
    estimates = [
        exact(0.3),
        student(0.3, 0.02, 17.0),
        student(0.3, 0.02, 17.0, logarithmic=True),
        mean_limits(np.linspace(0.1, 0.5, 40), 0.0, 10.0).estimate(),
    ]
    parts = [
        finding(f"{i} to {limit}", estimate, at_most=limit, runs="40", unit=unit)
        for i, estimate in enumerate(estimates)
        for limit in (0.25, 0.31, 0.5)
        for unit in ("factor", "difference")
    ]
    kind = ClaimTest("parts", lambda _: Outcome(parts), words=lambda _: "", fails_if=lambda _: "", about="constant")
    test = {"some": False, "decides": "both", "complete": False, "about": "", "options": {}}
    rows = [
        {"test": 0, **row}
        for row in evaluate.parts_of_test(kind, test, Evidence(pd.DataFrame(), {}, [], pd.DataFrame(), 20))
    ]
    write_json(tmp_path / "c.json", {"parts": rows})
    back = evaluate.findings("p", {"c": str(tmp_path / "c.json")}, LEVEL)
    table = pd.DataFrame([{"paper": "p", "claim": "c", **row} for row in rows], columns=evaluate.COLUMNS)
    pd.testing.assert_frame_equal(back, rounded(evaluate.corrected(table, LEVEL)))
    assert set(back["verdict"]) >= {HOLDS, FAILS, OPEN}
    assert back["power"].nunique() > 8


def test_what_a_control_gets_too_is_untested() -> None:
    """The word of the ledger is taken away if a control has it, and no other word is."""
    row = {"decides": "both", "some": False, "complete": False, "about": "order", "half": 0.01, "unit": "factor"}
    row |= {"spread": 0.01, "spread_unit": "factor"}
    row |= {"cap": "holds", "side": "holds", "p": 1e-9, "side_down": "holds", "p_down": 1e-9, "side_up": "holds"}
    row |= {"p_up": 1e-9, "paper": "", "claim": "", "part": "", "test": 0}
    words = {
        controls: evaluate.corrected(pd.DataFrame([{**row, "controls": controls}]), LEVEL)["verdict"].iloc[0]
        for controls in ("", "does not hold; not decided", "does not hold; holds", "not contradicted")
    }
    assert list(words.values()) == [HOLDS, HOLDS, UNTESTED, HOLDS]
    refuted = pd.DataFrame([{**row, "side": "fails", "controls": "does not hold; holds"}])
    assert evaluate.corrected(refuted, LEVEL)["verdict"].iloc[0] == FAILS


@pytest.mark.parametrize(
    ("powers", "word", "of_range"),
    [([0.8, 0.8, 0.8], FAILS, FAILS), ([0.8, 0.4, 0.0], OPEN, FAILS), ([0.0, 0.0, 0.0], HOLDS, HOLDS)],
)
def test_a_fit_that_is_no_power_law_refutes_no_order(powers: list[float], word: str, of_range: str) -> None:
    """Rule 14: beside √K, regret that grows ever slower leaves it open; a power of K above it does not.

    A sentence about the values of K that are run is refuted by the fit over them.
    """
    arms = [4.0, 16.0, 64.0, 512.0]
    steps = np.cumsum(
        [0.0, *(power * math.log(b / a) for power, (a, b) in zip(powers, itertools.pairwise(arms), strict=True))]
    )
    table = pd.DataFrame({"arms": arms, "horizon": 1e12, "epsilon": 1.0, "experts": 0, "runs": 50})
    table = table.assign(algorithm="a", title="A", environment=[f"e{each:g}" for each in arms], uniform=1e15)
    rate = np.sqrt(table["arms"]) * np.exp(steps)
    table = table.assign(mean=1e-3 * rate, sd=1e-5 * rate)
    options = {"over": "arms", "bound": "cor2", "at_most": 0.1, "algorithms": ["a"]}
    seen = Evidence(table, {}, [], pd.DataFrame(), 20)
    assert judged("exponent", {"options": options}, seen)[0] == word
    assert judged("exponent", {"options": {**options, "range": True}}, seen)[0] == of_range


def test_what_is_below_its_scale_is_told() -> None:
    """Rule 6: the number stands in the ledger, and decides nothing, whichever way it leans."""
    test = statements.Test(
        test="inequality", effect="x", scale={"runs": 100}, options={"error": "sd", "at_most": "1"}
    )
    for value in (0.5, 2.0):
        table = pd.DataFrame({"mean": [value], "sd": 0.01, "runs": 20})
        seen = Evidence(table, {}, [], pd.DataFrame(), 20)
        (row,) = evaluate.parts_of_test(claim_test("inequality"), test.model_dump(mode="json"), seen)
        parts = evaluate.corrected(
            pd.DataFrame([{"paper": "", "claim": "", "test": 0, **row}], columns=evaluate.COLUMNS), LEVEL
        )
        assert judgement.judge([test], parts).verdict == OPEN
        told = judgement.effect([test], parts, OPEN)
        assert told.part is not None and told.part["estimate"] == value
        assert "below the scale" in told.told
