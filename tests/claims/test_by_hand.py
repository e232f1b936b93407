"""Claims on small tables by hand: what a verdict rests on, which part is told, words of the ledger, and ends of
limits from both sides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpbandits.claims import (
    claim,
    counting,
    declarations,
    estimate,
    evaluate,
    judgement,
    ledger,
    planted,
    power,
    sentences,
)
from dpbandits.claims.declarations import Asked, Evidence, claim_test, decide, finding
from dpbandits.claims.estimate import (
    Limits,
    combined,
    counts_limits,
    exact,
    limits_of,
    quantile_limits,
    rank_of,
    scaled,
    statistic_of,
    student,
)
from dpbandits.claims.kinds import _tables, change_of_regime, lower_bound_multiple, no_growth, smallest_bound
from dpbandits.claims.kinds.exponent import divided, fitted, with_relative_errors
from dpbandits.claims.kinds.regret_ratio import ratio
from dpbandits.claims.tails import Z
from dpbandits.core.distributions import normal_above, normal_quantile
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, UNTESTED, VACUOUS
from dpbandits.settings.stochastic.theory import lower_bound_slope


def of_kind(kind: str, some: bool = False, **options: Any) -> claim.Test:
    """Return a test of a kind."""
    return claim.Test.model_validate(
        {"test": kind, "effect": "a ratio", "some": some, "about": "", "options": options}
    )


def parts(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return parts of claims, with what no row says."""
    usual: dict[str, Any] = {"test": 0, "part": "p", "verdict": str(HOLDS), "runs": "20", "at_least": -math.inf}
    usual |= {"at_most": 1.0, "estimate": 0.5, "low": 0.4, "high": 0.6, "side": "holds", "unit": "factor"}
    usual |= {"about": "constant", "rows_read": 5, "rows_run": 5, "power": math.nan, "p_corrected": 0.01}
    return pd.DataFrame([{**usual, **row} for row in rows])


# --- what is told of a claim -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "verdict", "rests"),
    [
        ([{"runs": "20"}, {"runs": "exact"}], HOLDS, "measured"),
        ([{"runs": "exact"}, {"runs": "exact"}], HOLDS, "computed"),
        ([{"runs": "20"}, {"runs": "proved"}], HOLDS, "proved"),
        ([{"test": 1}], HOLDS, "audited"),
        # What fails counts for a claim that fails, or that holds in part.
        ([{"runs": "exact"}, {"runs": "20", "verdict": str(FAILS)}], FAILS, "measured"),
        ([{"runs": "20"}, {"runs": "exact", "verdict": str(FAILS)}], PART, "computed"),
        ([{"runs": "proved"}, {"runs": "exact", "verdict": str(FAILS)}], FAILS, "computed"),
        # What is not decided rests on all that was looked at, but for proofs; a part without a name is none.
        ([{"runs": "proved"}, {"runs": "exact", "verdict": str(OPEN)}], OPEN, "computed"),
        ([{"runs": "exact"}, {"runs": "20", "verdict": str(OPEN)}], UNREFUTED, "measured"),
        ([{"part": ""}, {"runs": "proved"}], OPEN, ""),
    ],
)
def test_what_a_verdict_rests_on(rows: list[dict[str, Any]], verdict: str, rests: str) -> None:
    tests = [of_kind("inequality"), of_kind("privacy")]
    assert judgement.support(tests, parts(*rows), str(verdict)) == rests


def test_margins_are_relative_to_limit_or_estimate() -> None:
    """The nearer end counts; a distance d from a limit of 0 is d/(1 + d); what is infinite is clearest."""
    found = judgement.margin(
        parts(
            {"estimate": 0.5},
            {"estimate": 2.0},
            {"estimate": 4.0, "at_least": 1.0, "at_most": 5.0},
            {"estimate": -3.0, "at_most": 0.0},
            {"estimate": math.inf},
            {"estimate": 0.0, "at_most": 0.0},
        )
    )
    assert found.tolist() == pytest.approx([0.5, -0.5, 0.2, 0.75, -1.0, 0.0])


def test_the_part_that_tells_most() -> None:
    """The nearest to its limit where all hold, the furthest outside where some fail; of some part the clearest."""
    three = parts({"estimate": 0.5}, {"estimate": 0.9, "part": "near"}, {"estimate": 0.1, "part": "clear"})
    every, some = of_kind("inequality"), of_kind("inequality", some=True)
    assert judgement.most_informative_part([every], three, str(HOLDS))["part"] == "near"
    assert judgement.most_informative_part([some], three, str(HOLDS))["part"] == "clear"
    failing = parts(
        *({"estimate": value, "verdict": str(FAILS), "part": str(value)} for value in (1.5, 3.0)), {"estimate": 9.0}
    )
    for verdict in (FAILS, PART):
        assert judgement.most_informative_part([every], failing, str(verdict))["part"] == "3.0"
    assert judgement.most_informative_part([some], failing, str(FAILS))["part"] == "1.5"
    # Where no part has the verdict, all count.
    assert judgement.most_informative_part([every], three, str(OPEN))["part"] == "near"


def test_effects_that_designs_see() -> None:
    """The least precise part's of a claim of all, the most precise one's of a claim of some; each test's once."""
    table = parts({"power": 1.2}, {"power": 1.5}, {}, {"test": 1, "power": 0.1, "unit": "exponent"}, {"test": 2})
    tests = [of_kind("inequality")] * 3
    assert judgement.effects_seen(tests, table) == "a factor of 1.5; 0.1 in an exponent"
    some = [of_kind("inequality", some=True)] * 3
    assert judgement.effects_seen(some, table).startswith("a factor of 1.2")
    assert judgement.effects_seen(tests, parts({"power": math.inf}, {"test": 1, "power": math.inf})) == "none"


def test_slack_is_of_positive_bounds_on_constants() -> None:
    """The nearest one, from either side; of estimates of 0, vacuous parts and exponents there is none."""
    table = parts(
        *({"estimate": 0.0}, {"estimate": 0.5}, {"estimate": 0.99, "verdict": str(VACUOUS)}),
        *({"estimate": 0.95, "about": "exponent"}, {"estimate": 3.0, "at_least": 2.0, "at_most": math.inf}),
        *({"estimate": 1e-9, "at_most": 0.0}, {"estimate": 2.0, "at_least": 0.0, "at_most": math.inf}),
    )
    assert judgement.slack(table) == 1.5
    assert judgement.slack(table.iloc[:2]) == 2.0 and math.isnan(judgement.slack(table.iloc[:1]))


def test_rows_that_tests_leave_out() -> None:
    """Each test's once, and none where all were read."""
    table = parts({}, {"rows_read": 2, "test": 1}, {"rows_read": 2, "test": 1}, {"rows_read": 3, "test": 2})
    assert judgement.rows_read(table) == "2 of 5; 3 of 5" and judgement.rows_read(table.head(1)) == ""


def test_what_was_measured() -> None:
    """The nearest number to a limit, rather than a proof's name; why there is none; and what is below its scale."""
    one, two = (
        of_kind("inequality"),
        claim.Test.model_validate(
            {"test": "inequality", "effect": "another", "otherwise": "nothing was run", "about": ""}
        ),
    )
    proved = {"runs": "proved", "part": "a page", "estimate": math.nan}
    found = judgement.effect([one, one], parts({}, {"test": 1, **proved}), str(HOLDS))
    assert found.text == "a ratio: 0.500 [0.400, 0.600] (p)"
    assert judgement.effect([one], parts({"part": "a page", **proved}), str(HOLDS)).text == "a ratio (a page)"
    # A proof that something fails stands before what holds.
    both = parts({}, {"test": 1, **proved, "verdict": str(FAILS)})
    assert judgement.effect([one, one], both, str(FAILS)).text == "a ratio (a page)"
    vacuous = parts({"verdict": str(VACUOUS)})
    assert judgement.effect([two], vacuous, str(VACUOUS)).text == "another: nothing was run"
    # Of two tests of which one has no part the reason is told, unless the other one is open.
    assert judgement.effect([one, two], parts({}), str(OPEN)).told == "nothing was run"
    assert judgement.effect([one, two], parts({"verdict": str(OPEN)}), str(OPEN)).told == "0.500 [0.400, 0.600]"
    assert judgement.effect([one, two], parts({}), str(HOLDS)).told == "0.500 [0.400, 0.600]"
    small = judgement.effect([one], parts({"side": "below"}), str(OPEN))
    assert small.told.startswith("0.500 [0.400, 0.600]; what was run is below the scale")
    none = judgement.effect([one], parts({"side": "below", "estimate": math.nan}), str(OPEN))
    assert none.part is None and none.told.startswith("what was run is below the scale")
    partly = judgement.effect([one], parts({"side": "below"}, {}), str(OPEN))
    assert "scale" not in partly.told
    drawn = claim_test("in-population")
    assert drawn.draws and judgement.effect([of_kind("in-population")], parts({}), str(HOLDS)).told == "p"


# --- the ledger ------------------------------------------------------------------------------------------

LINE: dict[str, Any] = {
    **{"paper": "one2026", "id": "x", "verdict": str(HOLDS), "statement": "It is so", "place": "Section 1"},
    **{"says": "", "printed": "", "printed_at": "", "restated": "", "effect": "a ratio: 0.5", "published": ""},
    **{
        "test": "a test",
        "parts_hold": 1,
        "parts_fail": 2,
        "parts_unrefuted": 3,
        "parts_untested": 4,
        "parts_open": 5,
    },
    **{"runs": "", "shown": "one2026/fig1", "power": "this", "support": "", "seen": "", "slack": math.nan},
    **{"boundary": "", "rows": "", "scale": "", "more_runs": "", "remark": "", "revised": ""},
}


def test_a_section_of_the_ledger() -> None:
    """What there is to say, and nothing of the rest."""
    plain = ledger.section(LINE)
    assert "1 of 15 hold, 2 do not, 3 are not contradicted, 4 are untested; runs: none; see" in plain
    for word in (
        "Found",
        "Restated",
        "Rests on",
        "Power",
        "Slack",
        "boundary",
        "Rows",
        "Scale",
        "decide it",
        "Remark",
    ):
        assert f"{word}" not in plain.replace("What would fail it", "")
    said = {"says": "so", "printed": "p", "printed_at": "7", "restated": "r", "support": "proved", "seen": "0.1"}
    said |= {"slack": 2.0, "boundary": "b", "rows": "2 of 5", "scale": "T 9", "more_runs": "4", "remark": "m"}
    full = ledger.section({**LINE, **said, "runs": "20", "published": " 20 runs"})
    for text in (
        *("*Found.* so", "Printed is: “p” (line 7 of the paper", "What is proved.", "sees with 90 %: "),
        *("A factor of 2: ", "runs: 20; see", "case alone.* b", "Read: 2 of 5", "it needs T 9.", "4 times as many"),
        *("*Remark.* m", "0.5. 20 runs"),
    ):
        assert text in full, text
    assert "Slack" not in ledger.section({**LINE, "slack": 2.0, "verdict": str(UNTESTED)})
    near, far = (ledger.section({**LINE, "slack": ledger.SLACK * times}) for times in (1.0, 1.001))
    assert "a run approaches the bound" in near and "no run approaches the bound" in far


def test_rows_of_the_ledger_s_table() -> None:
    """Near a threshold, restated, and with their runs, where there are any."""
    row = {"near_threshold": "yes", "reading": "paper", "quantity": "a ratio", "told": "0.5", **LINE}
    table = pd.DataFrame([row, {**row, "near_threshold": "no", "printed": "p", "told": "", "runs": "20"}])
    found = ledger.text(table).to_dict("list")
    assert found["verdict"] == ["holds (near threshold)", "holds"] and found["more"] == ["[x](#one2026-x)"] * 2
    assert found["effect"] == ["a ratio: 0.5", "a ratio, 20 runs"]
    assert [ledger.RESTATED in claim for claim in found["claim"]] == [False, True]
    quiet = ledger.text(table.assign(runs=["exact", "proved"]))["effect"].tolist()
    assert quiet == ["a ratio: 0.5", "a ratio"]
    few = pd.DataFrame({"published": ["20 show it", ""], "published_share": [0.25, math.nan]})
    assert ledger.published_in_words(few) == [" 20 show it; 25% of sets of so many runs show it.", ""]


def test_counts_of_the_ledger() -> None:
    """Of the paper's own sentences conditions are counted; a column of noughts is left out."""
    claims = [
        {"reading": "paper", "verdict": str(HOLDS), "printed": "p", "support": "proved"},
        {"reading": "paper", "verdict": str(HOLDS), "support": "measured"},
        {"reading": "paper", "verdict": str(FAILS), "boundary": "b", "support": "computed"},
        {"reading": "paper", "verdict": str(FAILS), "support": "computed", "printed": "p"},
        {"reading": "ours", "verdict": str(OPEN), "boundary": "b"},
    ]
    known = [each for each in claims if each["reading"] in counting.READINGS]
    assert counting.conditions(known) == (
        "Of the papers' 2 sentences that hold, 1 need conditions that are not printed. "
        "Of the 2 that do not hold, 1 fail in a boundary case alone."
    )
    heads, row, *_ = counting.table(known[:4])
    assert heads == ["claims", "number", "holds", str(FAILS)]
    assert row[1:] == ["4", "2: 1 proved, 1 measured", "2: 2 computed"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        *[
            (Asked("0.5 * 2"), "at least 0.5 * 2"),
            (Asked("1 + 1e-9"), "above 1"),
            (Asked("1 - 1e-9"), "at least 1 up"),
        ],
        *[
            (Asked(at_most="1 - 1e-9"), "below 1"),
            (Asked("1 + 1e-8"), "at least 1 + 1e-8"),
            (Asked("2.5"), "at least 2.5"),
        ],
        *[
            (Asked(0.5, 2.0), "within a factor 2 of 1"),
            (Asked(2.0, 2.0), "from 2 to 2"),
            (Asked(-2.0, -0.5), "from −2 to"),
        ],
        *[(Asked(2.0), "at least 2"), (Asked(at_most=2.0, of="x"), "at most 2 of x")],
    ],
)
def test_limits_in_words(asked: Asked, words: str) -> None:
    assert sentences.inside(asked).startswith(words)


def test_parts_in_words() -> None:
    """One part, or several, of which some lean against the claim."""
    test = of_kind("inequality", at_most="1")
    one = sentences.of_parts([test], parts({}))
    assert one == "A ratio: at most 1 in the one part; asked: at most 1 in every part."
    leaning = {"verdict": str(OPEN), "low": 1.5, "high": 2.0}
    for number, words in ((1, "of which 1 leans against it"), (2, "of which 2 lean against it")):
        found = sentences.of_parts([test], parts({}, {}, *[leaning] * number))
        assert found.startswith(f"A ratio: at most 1 in 2 of {number + 2} parts, not decided in {number}, {words};")


def test_open_parts_that_lean_against() -> None:
    """Their interval is outside of the limits, not at an end; what is decided does not lean."""
    rows = [{"low": 1.1, "high": 2.0}, {"low": 1.0, "high": 2.0}, {"low": 0.1, "high": 0.4, "at_least": 0.5}]
    rows += [{"low": 0.1, "high": 0.5, "at_least": 0.5}]
    table = parts(*({**row, "verdict": str(OPEN)} for row in rows), {"low": 2.0})
    assert sentences.leaning(table) == 2 and sentences.leaning(table.drop(columns="low")) == 0


# --- decisions -------------------------------------------------------------------------------------------


def test_exact_values_at_their_limits() -> None:
    """Both ends are inside."""
    for value, side in ((1.0, "holds"), (2.0, "holds"), (0.999, "fails"), (2.001, "fails")):
        assert decide(exact(value), 1.0, 2.0).side == side


def row_of(p: float, p_down: float, p_up: float, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(evaluate.COLUMNS, math.nan)
    found |= {
        "paper": "p",
        "claim": "c",
        "test": 0,
        "part": "x",
        "side": "holds",
        "side_down": "holds",
        "draws": False,
    }
    found |= {
        "side_up": "holds",
        "decides": "both",
        "some": False,
        "complete": True,
        "about": "order",
        "cap": "holds",
    }
    found |= {"controls": "", "unit": "factor", "spread_unit": "factor", "spread": 0.1, "half": 0.01, "runs": "20"}
    return found | {"p": p, "p_down": p_down, "p_up": p_up} | more


def test_moved_estimates_meet_the_same_correction() -> None:
    """Of two tests p = 0.01 counts twice, moved ones too; one at 0.05 exactly is decided; p = 0 stays."""
    table = evaluate.corrected(pd.DataFrame([row_of(0.01, 0.03, 0.02), row_of(0.05, 0.05, 0.051)]), 0.05)
    assert table["p_corrected"].tolist() == pytest.approx([0.02, 0.05])
    assert table["verdict"].tolist() == [str(HOLDS)] * 2
    assert table["if_down"].tolist() == [str(OPEN), str(HOLDS)] and table["if_up"].tolist() == [
        str(HOLDS),
        str(OPEN),
    ]
    none = evaluate.corrected(pd.DataFrame([row_of(0.0, 0.06, 0.04), row_of(0.9, 0.9, 0.9)]), 0.05)
    assert none["if_down"].iloc[0] == str(OPEN) and none["if_up"].iloc[0] == str(HOLDS)
    # An open part: errors fall as the root of the runs, from p = 0.9 to 0.05.
    assert none["more_runs"].iloc[1] == pytest.approx((normal_quantile(0.025) / normal_quantile(0.45)) ** 2)
    assert math.isnan(none["more_runs"].iloc[0])
    exactly = evaluate.corrected(pd.DataFrame([row_of(math.nan, math.nan, math.nan)]), 0.05)
    assert exactly["verdict"].tolist() == [str(HOLDS)] and exactly["power"].isna().all()


@pytest.mark.parametrize(
    ("more", "side", "p", "word"),
    [
        *[
            ({}, "holds", 0.05, HOLDS),
            ({}, "holds", 0.051, OPEN),
            ({}, "fails", 0.05, FAILS),
            ({}, "fails", 0.06, OPEN),
        ],
        *[({}, "vacuous", 0.0, VACUOUS), ({}, "below", 0.0, OPEN), ({"cap": "open"}, "fails", 0.0, OPEN)],
        *[({"cap": "vacuous"}, "holds", 0.0, VACUOUS), ({"cap": "vacuous"}, "fails", 0.0, FAILS)],
        *[({"cap": "untested"}, "holds", 0.0, UNTESTED), ({"cap": "unrefuted"}, "holds", 0.0, UNREFUTED)],
        *[({"decides": "fails"}, "holds", 0.0, UNREFUTED), ({"decides": "holds"}, "fails", 0.0, OPEN)],
        # Exact rows that are a part of what is claimed.
        *[({"complete": False}, "holds", math.nan, UNREFUTED), ({"complete": False}, "fails", math.nan, FAILS)],
        *[({"complete": False, "some": True}, "holds", math.nan, HOLDS)],
        *[({"complete": False, "some": True}, "fails", math.nan, OPEN), ({"some": True}, "fails", math.nan, FAILS)],
        *[({"complete": False}, "holds", 0.01, HOLDS)],
        # An interval as wide as the smallest effect of interest.
        *[({"about": "exponent", "half": 0.1}, "holds", 0.0, UNREFUTED)],
        *[({"about": "exponent", "half": 0.0999}, "holds", 0.0, HOLDS)],
    ],
)
def test_words_of_parts(more: dict[str, Any], side: str, p: float, word: str) -> None:
    (row,) = pd.DataFrame([row_of(p, p, p, **more)]).itertuples(index=False)
    assert evaluate.verdict_of(row, side, p, 0.05) == word


def test_scales_are_reached_at_their_least_value() -> None:
    """By one row, or by every row where each has to be run often enough."""
    rows = pd.DataFrame({"horizon": [10.0, 100.0], "runs": [20.0, 50.0]})
    assert not evaluate.below_scale({"horizon": 100.0, "runs": 20.0}, rows)
    assert evaluate.below_scale({"horizon": 100.1}, rows) and evaluate.below_scale({"runs": 20.1}, rows)
    assert evaluate.below_scale({"arms": 1.0}, rows)
    assert evaluate.below_scale({"runs": 1.0}, rows.assign(runs=[20.0, math.nan]))
    assert not evaluate.below_scale({"horizon": 1.0}, rows.assign(horizon=[20.0, math.nan]))


# --- estimates -------------------------------------------------------------------------------------------


def test_thresholds_move_by_half_widths() -> None:
    """On a logarithmic scale where all is above 0, else as they are."""
    sampled = student(2.0, 0.2, 10, logarithmic=True)
    root = math.sqrt(sampled.high / sampled.low)
    assert sampled.moved(1.0, 2.0) == pytest.approx(root**2)
    assert sampled.moved(0.0, 1.0) == pytest.approx((sampled.high - sampled.low) / 2)
    plain = student(2.0, 0.2, 10)
    assert plain.moved(1.0, -1.0) == pytest.approx(1.0 - (plain.high - plain.low) / 2)
    assert plain.high - 2.0 == pytest.approx(2.2281 * 0.2, rel=1e-4)


def test_limits_of_few_values_are_ends_of_the_range() -> None:
    """Of 20 values the 19th is the 95 % quantile; beyond a sample its ends are what can be."""
    values = np.arange(1.0, 21.0)
    assert [rank_of(name, 20) for name in ("mean", "median", "q95", "q99", "q05")] == [0, 10, 19, 20, 1]
    assert (
        rank_of("median", 1) == 1 and statistic_of("q95", values) == 19.0 and statistic_of("mean", values) == 10.5
    )
    found = quantile_limits(values, 19, 0.0, 99.0)
    assert found.value == 19.0 and found.lower[0] <= 19.0 <= found.upper[0]
    assert found.upper[-1] == 99.0 and quantile_limits(values, 1, -5.0, 99.0).lower[-1] == -5.0
    # At probability 1/2 of either tail the limits are next to the value.
    middle = quantile_limits(values, 10, 0.0, 99.0)
    assert (middle.lower[0], middle.upper[0]) == (10.0, 11.0)
    assert (
        limits_of("median", values, 0.0, 99.0).value == 10.0 and limits_of("mean", values, 0.0, 99.0).value == 10.5
    )


def test_ratios_of_counts() -> None:
    """Of unequal numbers of runs: 30 of 100 against 20 of 400 are six times; from none a ratio has no end."""
    found = counts_limits(30, 100, 20, 400)
    assert found.value == pytest.approx(6.0) and found.lower[0] <= 6.0 <= found.upper[0]
    wide = found.estimate()
    # Binomial given the sum: 30 of 50, whose 95 % interval is 0.4518 to 0.7359.
    assert (wide.low, wide.high) == pytest.approx((4 * 0.4518 / 0.5482, 4 * 0.7359 / 0.2641), rel=2e-3)
    assert counts_limits(0, 100, 20, 400).lower.max() == 0.0 and counts_limits(0, 9, 0, 9).value == 1.0
    assert counts_limits(3, 9, 0, 9).value == math.inf


def test_weighted_sums_of_limits() -> None:
    """Distances add as squares; a negative weight takes the other side."""
    ones = np.ones(1)
    one, other = Limits(5.0, 4.0 * ones, 8.0 * ones), Limits(2.0, 1.0 * ones, 6.0 * ones)
    found = combined([one, other], [2.0, -1.0])
    assert (found.value, found.lower[0], found.upper[0]) == pytest.approx(
        (8.0, 8.0 - math.hypot(2.0, 4.0), 8.0 + math.hypot(6.0, 1.0))
    )
    twice = scaled(one, 2.0)
    assert (twice.value, twice.lower[0], twice.upper[0]) == (10.0, 8.0, 16.0)


def test_tails_at_the_estimate() -> None:
    """Without an error a hypothesis is true or false; of a curve the estimate itself is at probability 1/2."""
    fixed = exact(2.0).tails
    assert [fixed(c) for c in (1.9, 2.0, 2.1)] == [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]
    logs = student(2.0, 0.2, math.inf, logarithmic=True).tails
    assert logs(0.0) == (0.0, 1.0) and logs(-1.0) == (0.0, 1.0) and logs(2.0) == pytest.approx((0.5, 0.5))
    assert logs(2.0 * math.exp(0.1))[0] == pytest.approx(normal_above(-1.0))
    ends = Z[-1]
    limits = Limits(5.0, 5.0 - Z, 5.0 + 2.0 * Z).estimate()
    assert limits.tails(5.0) == (0.5, 0.5)
    assert limits.tails(6.0) == pytest.approx((normal_above(-0.5), normal_above(0.5)))
    assert limits.tails(4.0) == pytest.approx((normal_above(1.0), normal_above(-1.0)))
    assert limits.tails(5.0 + 2.0 * ends + 1.0) == (normal_above(-ends), normal_above(ends))
    assert limits.tails(5.0 - ends - 1.0) == (normal_above(ends), normal_above(-ends))
    assert (limits.low, limits.high) == pytest.approx((5.0 - 1.959964, 5.0 + 2 * 1.959964), rel=1e-4)
    # A step, and what no limit is known for.
    step = Limits(5.0, np.full(Z.size, 5.0), np.where(Z < 1.0, 5.0, math.inf)).estimate()
    assert step.low == 5.0 and step.high == math.inf and step.tails(5.0) == (0.5, 0.5)


def test_widths_in_the_unit_of_an_effect() -> None:
    """A factor relative to its limit, from below by its inverse; the wider side counts."""
    wide = student(2.0, 0.1, math.inf)
    half = 0.1 * 1.959964
    assert power.half_width(finding("", wide, at_least=1.0, at_most=4.0)) == pytest.approx(
        1 / (2 - half) - 0.5, rel=1e-4
    )
    assert power.half_width(finding("", wide, at_least=1.0, unit="difference")) == pytest.approx(half, rel=1e-5)
    assert power.half_width(finding("", student(0.1, 0.1, 9), at_least=1.0)) == math.inf
    assert power.half_width(finding("", exact(-1.0), at_least=1.0)) == 0.0
    assert power.half_width(finding("", wide, at_most=-1.0)) == pytest.approx(half, rel=1e-5)
    errors = (1.959964 + 1.281552) / 1.959964
    seen = [power.smallest_seen(0.1, unit, 0.05) for unit in ("factor", "exponent", "logarithm")]
    assert seen == pytest.approx([1 + 0.1 * errors, 0.1 * errors, math.exp(0.1 * errors)])


def test_many_values_are_grouped() -> None:
    """300 of either end stay; 1,200 between them are 500 groups of two or three, with their means and shares."""
    values = np.arange(1800.0)[::-1]
    groups, shares = estimate._grouped(values)
    assert groups.size == 1100 and groups[:300].tolist() == list(range(300)) and groups[-1] == 1799.0
    assert shares.sum() == pytest.approx(1.0) and (groups * shares).sum() == pytest.approx(values.mean())
    assert set(np.round(shares * 1800)) == {1.0, 2.0, 3.0} and groups[300] == 300.5
    few, each = estimate._grouped(values[:1600])
    assert few.size == 1600 and set(each) == {1 / 1600}
    mean = estimate.average(
        [Limits(2.0, np.ones(1), np.full(1, 3.0)), Limits(6.0, np.full(1, 5.0), np.full(1, 7.0))]
    )
    assert (mean.value, mean.lower[0]) == pytest.approx((4.0, 4.0 - math.sqrt(0.5)))


def test_what_another_seed_may_do() -> None:
    """Three standard deviations of a difference of two estimates, in half-widths of an interval."""
    assert pytest.approx(2.16460, rel=1e-5) == declarations.ANOTHER_SEED
    assert smallest_bound.HORIZONS == (10**4, 10**6, 10**8, 10**10, 10**12) and smallest_bound.EXPERTS[-1] == 2**20


# --- kinds -----------------------------------------------------------------------------------------------


def test_errors_of_exponents_and_quotients() -> None:
    """Least squares of logarithms, Welch's degrees, and squares of relative errors."""
    table = pd.DataFrame(
        {"horizon": [10.0, 100.0, 1000.0], "mean": [2.0, 4.0, 8.0], "sd": [0.2, 0.8, 0.8], "runs": 4}
    )
    table = with_relative_errors(table)
    assert table["error"].tolist() == pytest.approx([0.05, 0.1, 0.05]) and set(table["degrees"]) == {3.0}
    found = fitted(table, "horizon")
    weight = 1 / (2 * math.log(10))
    error = weight * math.hypot(0.05, 0.05)
    # Two errors of the same size with three degrees each have six.
    assert found.value == pytest.approx(math.log(2) / math.log(10))
    assert found.high - found.value == pytest.approx(2.4469 * error, rel=1e-4)
    both = divided(table.assign(k=range(3)), table.assign(k=range(3), mean=2.0, degrees=1.0, error=0.12), ["k"])
    assert both["mean"].tolist() == [1.0, 2.0, 4.0] and both["error"].iloc[0] == pytest.approx(0.13)
    assert set(both["degrees"]) == {1.0}
    pair = ratio({"mean": 8.0, "sd": 0.8, "runs": 4}, {"mean": 4.0, "sd": 0.8, "runs": 16})
    relative = math.hypot(0.05, 0.05)
    # Welch: (a + a)^2/(a^2/3 + a^2/15) = 10 degrees.
    assert pair.value == 2.0 and math.log(pair.high / 2.0) == pytest.approx(2.2281 * relative, rel=1e-4)


def evidence(**given: Any) -> Evidence:
    return planted._evidence(**given)


def evaluated(kind: str, seen: Evidence, **options: Any) -> Any:
    criterion = claim_test(kind)
    return criterion.evaluate(seen, **criterion.resolve(options))


def aggregates(means: list[float], **columns: Any) -> pd.DataFrame:
    table = pd.DataFrame({"mean": means, "horizon": [10.0 ** (4 + k) for k in range(len(means))]})
    table = table.assign(sd=0.1 * table["mean"], runs=20, uniform=table["horizon"], algorithm="a", title="A")
    return table.assign(environment="e", epsilon=0.1, arms=2, experts=0).assign(**columns)


def test_an_exponent_decides_over_its_span() -> None:
    """From exactly so many times on, but for rounding; equal budgets and fewer than three points are no fit."""
    seen = evidence(aggregates=aggregates([1.0, 2.0, 4.0]))
    for span, cap in ((100.0, "holds"), (100.1, "open")):
        (found,) = evaluated("exponent", seen, over="horizon", at_most=1.0, span=span).findings
        assert found.cap == cap and found.estimate.value == pytest.approx(math.log10(2))
        assert found.part.endswith("T from 10,000 to 10⁶, local exponents 0.30, 0.30") or "0.30, 0.30" in found.part
    assert not evaluated("exponent", evidence(aggregates=aggregates([1.0, 2.0])), over="horizon").findings
    zero = evidence(aggregates=aggregates([0.0, 1.0, 2.0, 4.0]))
    (found,) = evaluated("exponent", zero, over="horizon", at_most=1.0).findings
    assert "from 100,000 to" in found.part


def test_trends_are_of_the_last_horizons() -> None:
    """Those that are up to so many times smaller than the largest count, but for rounding."""
    seen = evidence(aggregates=aggregates([9.0, 10.0, 20.0, 40.0]))
    for last, first in ((1000.0, "10,000"), (999.0, "100,000"), (100.0, "100,000")):
        (found,) = evaluated("trend", seen, sublinear=["a"], last=last).findings
        assert f"T from {first} to" in found.part, last
    assert not evaluated("trend", seen, sublinear=["a"], last=99.0).findings
    (linear,) = evaluated("trend", seen, linear=["a"], last=1000.0, flat=0.1).findings
    (slow,) = evaluated("trend", seen, sublinear=["a"], last=1000.0, flat=0.1).findings
    assert (linear.at_least, linear.at_most) == (-0.02, math.inf) and (slow.at_least, slow.at_most) == (
        -math.inf,
        -0.1,
    )


def test_growth_is_of_the_last_values() -> None:
    """Through the largest ratio at each value; at least two values, and all within the span of the last one."""
    n = [1.0, 10.0, 100.0, 1000.0]
    table = pd.DataFrame({"n": [*n, *n], "value": [1.0, 2.0, 4.0, 8.0, 0.5, 1.0, 2.0, 9.0]})
    seen = evidence(computed={"t": table})
    for span, ends, value in (
        (100.0, "n from 10 to", None),
        (99.0, "n from 100 to", math.log10(9 / 4)),
        (2.0, "n from 100", None),
    ):
        (found,) = evaluated("no-growth", seen, value="value", over="n", span=span).findings
        assert ends in found.part and "constant 9" in found.part and found.cap == "holds"
        assert value is None or found.estimate.value == pytest.approx(value)
    (lower,) = evaluated("no-growth", seen, value="value", over="n", span=99.0, lower=True, tolerance=0.1).findings
    assert lower.estimate.value == pytest.approx(math.log10(8 / 2)) and lower.at_least == -0.1
    short = evidence(computed={"t": table.assign(n=table["n"] ** 0.66)})
    assert evaluated("no-growth", short, value="value", over="n").findings[0].cap == "open"


def test_pairs_have_both_errors() -> None:
    """Relative ones, as squares; of exact pairs the largest ratio counts where it has an upper limit."""
    table = pd.DataFrame({"which": ["x", "y"] * 2, "k": [1, 1, 2, 2], "value": [8.0, 4.0, 2.0, 4.0]})
    common = {"value": "value", "column": "which", "one": "x", "other": "y", "match": ["k"]}
    seen = evidence(computed={"t": table.assign(error=[0.4, 0.4, 0.1, 0.1], runs=11)})
    (found,) = evaluated("paired-ratio", seen, **common, error="error", at_most=3.0).findings
    assert found.estimate.value == 2.0
    relative = math.hypot(0.05, 0.1)
    assert math.log(found.estimate.high / 2.0) == pytest.approx(2.2281 * relative, rel=1e-4)
    exactly = evidence(computed={"t": table})
    (largest,) = evaluated("paired-ratio", exactly, **common, at_most=3.0).findings
    (smallest,) = evaluated("paired-ratio", exactly, **common, at_least=0.1).findings
    assert (largest.estimate.value, smallest.estimate.value) == (2.0, 0.5)


def test_ratios_of_regret_leave_out_none() -> None:
    """A mean of 0 has no logarithm."""
    both = pd.concat([aggregates([0.0, 4.0]), aggregates([2.0, 2.0], algorithm="b", title="B")], ignore_index=True)
    found = evaluated(
        "regret-ratio", evidence(aggregates=both), of=["a"], against=["b"], match=["horizon"], at_most=1
    )
    assert [each.estimate.value for each in found.findings] == [2.0]


def test_a_change_of_regime_needs_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any nothing is vacuous; those at a twentieth of uniform play's regret have learned."""
    assert not evaluated("change-of-regime", evidence()).vacuous
    runs = [planted._run(np.full(50, 100.0), epsilon=epsilon) for epsilon in (0.5, 2.0)]
    monkeypatch.setattr(change_of_regime, "_uniform", lambda _: 2000.0)
    found = evaluated("change-of-regime", evidence(runs=runs))
    assert found.vacuous and len(found.findings) == 1
    multiples = [100.0 / lower_bound_slope(planted.MEANS, epsilon) for epsilon in (2.0, 0.5)]
    assert found.findings[0].estimate.value == pytest.approx(multiples[0] / multiples[1])
    monkeypatch.setattr(change_of_regime, "_uniform", lambda _: 1999.0)
    assert not evaluated("change-of-regime", evidence(runs=runs)).findings


def test_what_few_runs_show_of_a_multiple(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones, and sets that are drawn of all, in multiples of the bound; ends are inside."""
    bound = lower_bound_slope(planted.MEANS, 0.5) * math.log(10**6)
    run = planted._run(np.array([1.0] * 3 + [3.0] * 5) * bound, epsilon=0.5)
    asked: list[Any] = []

    def drawn(*call: Any) -> Any:
        asked.append(call)
        return np.array([1.0, 2.0, 2.1, 0.9])

    monkeypatch.setattr(lower_bound_multiple, "resampled", drawn)
    seen = evidence(runs=[run])._replace(published_runs=3)
    options = {"statistic": "mean", "at_least": 1.0 - 1e-12, "at_most": 2.0, "published": True}
    found = evaluated("lower-bound-multiple", seen, **options)
    assert found.published.shows == "3 runs show it in 1 of 1 cells" and found.published.share == 0.5
    assert asked[0][1] == pytest.approx([1.0] * 3 + [3.0] * 5) and asked[0][2] == 3
    assert found.findings[0].estimate.value == pytest.approx(2.25)
    four = evaluated("lower-bound-multiple", seen._replace(published_runs=8), **options)
    assert four.published.shows == "8 runs show it in 0 of 1 cells"


def test_tables_of_instances_and_runs() -> None:
    """Instances of a cell are as its runs; of cells that experiments share the one with the most runs counts."""
    table = pd.DataFrame(
        {"algorithm": ["a", "a", "b"], "horizon": 10, "epsilon": 0.1, "environment.draw": [1, 2, 1]}
    )
    table = table.assign(mean=[1.0, 3.0, 5.0], sd=9.0, runs=7)
    found = _tables.over_instances(table, "environment.draw")
    assert found[["mean", "runs"]].to_numpy().tolist() == [[2.0, 2], [5.0, 7]]
    assert found["sd"].tolist() == pytest.approx([math.sqrt(2.0), 9.0])
    few, many = (planted._run(np.full(size, 1.0)) for size in (3, 4))
    assert [run.regret.shape[0] for run in _tables.most_runs([few, many])] == [4]
    assert [run.regret.shape[0] for run in _tables.most_runs([many, few])] == [4]
    assert _tables.largest_regret(few.cell) == 0.25 * 10**6
    row = {"environment": "mu1", "epsilon": 0.1, "arms": math.nan, "horizon": 1000}
    assert _tables.named(row, row) == "mu1, ε = 0.1, T = 1,000"
    assert _tables.runs_text([20, 100]) == "20 to 100" and _tables.runs_text([20.0]) == "20"
    ends = pd.DataFrame({"v": [1.0], "low": [0.5], "high": [1.5], "runs": [11]})
    sampled = _tables.with_errors(ends, "v", ["low", "high"], "", "runs")
    assert sampled["error"].iloc[0] == pytest.approx(0.5 / 2.2281, rel=1e-4)
    assert _tables.with_errors(ends, "v", [], "", "runs")["runs"].tolist() == [math.inf]


# --- planted cases ---------------------------------------------------------------------------------------


def test_planted_numbers() -> None:
    """What is planted is what a case's name says."""
    assert [planted._jump(1.0, 3.0, epsilon) for epsilon in (0.9, 1.0, 1.1)] == [1.0, 1.0, 3.0]
    assert planted._share(4.0, -0.5, 16.0) == pytest.approx(0.15) and planted._power(2.0, 3.0) == 18.0
    points = planted._points(lambda _: 0.5, [100.0, 400.0], runs=2000)
    assert points["uniform"].tolist() == [25.0, 100.0]
    assert points["mean"].tolist() == pytest.approx([12.5, 50.0], rel=0.02)
    assert (points["sd"] / points["mean"]).tolist() == pytest.approx([0.1] * 2, rel=0.1)
    beside = planted._beside_bound(0.5, [1e9, 4e9], runs=2000)
    rate = beside["mean"] / np.sqrt(beside["horizon"])
    assert rate.iloc[1] / rate.iloc[0] == pytest.approx(2.0, rel=0.02)
    one, other = planted._counts(7, 3, 50).runs
    assert [(run.regret > 1e4).sum() for run in (one, other)] == [7, 3]
    scale = planted._over_budgets(lambda _: 2.0, [0.5], 4000, 1000).runs[0].regret.mean()
    assert scale == pytest.approx(2.0 * lower_bound_slope(planted.MEANS, 0.5) * math.log(1000), rel=0.05)
    rare = planted._rare(20_000, 1)
    assert rare.mean() == pytest.approx(100 * (1 + 77 / 220), rel=0.1) and (rare > 2000).mean() < 0.01


def test_small_words_and_ends() -> None:
    """Of linear regret over horizons alone; nothing is inside of a bound at 0; the largest is its own limit."""
    options = {"lower": False, "tolerance": 0.2, "over": "arms"}
    assert "Linear" not in no_growth.fails_if(
        options
    ) and "still grows as a power of 0.2 or more" in no_growth.fails_if(options)
    assert no_growth.fails_if({**options, "over": "horizon", "lower": True}).endswith("power of 1 of T")
    rows = pd.DataFrame(
        {"about": "constant", "estimate": [0.0, 2.0], "verdict": "holds", "at_most": 5.0, "at_least": 1.0}
    )
    assert judgement.slack(rows) == 2.0 and math.isnan(judgement.slack(rows[:1]))
    found = quantile_limits(np.arange(1.0, 6.0), 5, 0.0, 9.0)
    assert (found.value, found.lower[0]) == (5.0, 5.0)
    least = quantile_limits(np.arange(1.0, 6.0), 1, 0.0, 9.0)
    assert (least.value, least.lower[-1], least.upper[-1]) == (1.0, 0.0, 9.0)
