"""Planted cases get fair words; and a word never gets weaker by more runs, better data, or data nobody reads."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiers import core

from dpbandits.claims import evaluate, planted
from dpbandits.claims.declarations import Evidence, finding
from dpbandits.claims.estimate import student
from dpbandits.claims.power import INTEREST, half_width, smallest_seen, spread
from dpbandits.core import registry
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS

CASES = {case.name: case for case in planted.catalogue()}
# Cases of which the ledger's word is not fair: what is not mended.
UNFAIR = {"ratio: equal means of 20 runs, of which one in 220 makes one"}
# The strength of words. Untested and not contradicted differ in what was looked at; neither is support.
RANK = {FAILS: 0, OPEN: 1, VACUOUS: 1, UNTESTED: 2, UNREFUTED: 2, HOLDS: 3}


@functools.cache
def scores() -> dict[str, planted.Score]:
    """Return what our ledger says of each case."""
    return {score.case.name: score for score in planted.score()}


def test_planted_cases_get_fair_words() -> None:
    """Nine of ten at least, of forty at least, true and false; what is unfair is known."""
    unfair = {name for name, score in scores().items() if not score.fair}
    assert unfair == UNFAIR
    assert len(unfair) <= 0.1 * len(CASES)
    assert len(CASES) >= 40
    assert {case.true for case in CASES.values()} == {True, False}
    # Truth is never refuted, and what is false never holds, but for what is known.
    assert not [name for name, score in scores().items() if score.case.true and score.word == FAILS]
    assert not [
        name for name, score in scores().items() if not score.case.true and score.word == HOLDS and score.fair
    ]


def test_cases_tell_ledgers_apart() -> None:
    """A ledger that always says the same is fair of few."""
    for word in (HOLDS, FAILS, OPEN, UNREFUTED):
        assert sum(score.fair for score in planted.score(lambda _, word=word: word)) < 0.6 * len(CASES)


def test_every_kind_is_planted() -> None:
    """Of each kind of test there is a case, and of each that samples decide a true and a false one."""
    kinds = {test["test"] for case in CASES.values() for test in case.tests}
    # Without data of its own; and one that reads pairs of computed rows as another one does.
    assert set(registry.modules("test")) - kinds == {"smallest-bound", "paired-ratio"}


AGGREGATED = [name for name, case in CASES.items() if len(case.data().aggregates)]
RUN = [name for name, case in CASES.items() if case.data().runs]


def word(name: str, change: Callable[[Evidence], Evidence]) -> str:
    """Return the word of a case whose data are changed."""
    case = CASES[name]
    changed = planted.Case(case.name, case.tests, lambda: change(case.data()), case.true, case.fair)
    return planted.our_word(changed)


@pytest.mark.parametrize("name", AGGREGATED)
def test_more_runs_never_weaken(name: str) -> None:
    """The same mean and spread, of ten and a hundred times as many runs."""
    before = scores()[name].word
    for times in (10, 100):

        def more(evidence: Evidence, times: int = times) -> Evidence:
            return evidence._replace(
                aggregates=evidence.aggregates.assign(runs=evidence.aggregates["runs"] * times)
            )

        after = word(name, more)
        assert before not in (HOLDS, FAILS) or after == before
        assert RANK.get(after, 0) >= RANK.get(before, 0) or not CASES[name].true


@pytest.mark.parametrize("name", AGGREGATED)
def test_less_regret_never_weakens(name: str) -> None:
    """Regret times 0.9, of which every claim here that is of one algorithm is the better."""
    if "ratio: equal" in name or name.startswith("linear"):
        pytest.skip("less regret is not better for it")

    def less(evidence: Evidence) -> Evidence:
        table = evidence.aggregates
        return evidence._replace(aggregates=table.assign(mean=0.9 * table["mean"], sd=0.9 * table["sd"]))

    before, after = scores()[name].word, word(name, less)
    assert RANK.get(after, 0) >= RANK.get(before, 0)


@pytest.mark.parametrize("name", AGGREGATED + RUN)
def test_data_that_no_row_reads_change_nothing(name: str) -> None:
    """Aggregates of another algorithm beside a test that names its own; runs of a third title beside two."""
    case = CASES[name]
    if any({"bound", "statistic"} & set(test["options"]) and "ours" not in test["options"] for test in case.tests):
        pytest.skip("it reads all algorithms")

    def beside(evidence: Evidence) -> Evidence:
        other = evidence.aggregates.assign(algorithm="z", title="Z", mean=1e12, horizon=1e15)
        more = [planted._run(np.full(50, 1e5), "dp-se")] if evidence.runs and "smooth" not in name else []
        return evidence._replace(aggregates=pd.concat([evidence.aggregates, other]), runs=[*evidence.runs, *more])

    assert word(name, beside) == scores()[name].word


QUANTITIES = [("constant", "factor"), ("exponent", "exponent"), ("order", "factor")]


def part(value: float, error: float, about: str, unit: Any, **limits: float) -> str:
    """Return the word of one sampled part."""
    found = finding("", student(value, error, 50), unit=unit, **limits)
    row: dict[str, Any] = dict.fromkeys(("paper", "claim", "part"), "")
    row |= {
        "test": 0,
        "decides": "both",
        "some": False,
        "complete": False,
        "about": about,
        "half": half_width(found),
        **dict(zip(("spread", "spread_unit"), spread(found), strict=True)),
    }
    row |= {"unit": unit, "cap": "holds", "side": found.decision.side, "p": found.decision.p}
    for i, way in enumerate(("down", "up")):
        row |= {f"side_{way}": found.moved[i].side, f"p_{way}": found.moved[i].p}
    return str(evaluate.corrected(pd.DataFrame([row]), 0.05)["verdict"].iloc[0])


@pytest.mark.parametrize(
    ("about", "unit", "upper"),
    core(
        [(*kind, upper) for kind in QUANTITIES for upper in (True, False)],
        lambda case: case[2] == (case[0] != "exponent"),
    ),
)
def test_words_are_monotone_in_estimate_and_error(about: str, unit: Any, upper: bool) -> None:
    """Of a part a smaller error never weakens what is decided, nor does a value that is better, at equal errors."""
    limits = {"at_most": 1.0} if upper else {"at_least": 1.0}
    values = [0.01, 0.1, 0.3, 0.6, 0.9, 1.1, 1.7, 3.0, 10.0]
    errors = [0.001, 0.01, 0.03, 0.1, 0.2, 0.5]
    words = {pair: part(*pair, about, unit, **limits) for pair in itertools.product(values, errors)}
    for (value, error), (other, smaller) in itertools.product(words, words):
        better = other <= value if upper else other >= value
        before, after = words[value, error], words[other, smaller]
        if better and smaller <= error and before == HOLDS:
            assert after == HOLDS, (value, error, other, smaller)
        if better and smaller == error:
            assert RANK[after] >= RANK[before], (value, error, other)


def test_half_widths_are_those_next_to_the_threshold() -> None:
    """An end that is far off on the other side tells nothing against a claim."""
    wide = student(2.0, 0.1, 50)
    low, high = wide.low, wide.high
    above = finding("", wide, at_most=4.0)
    assert half_width(above) == pytest.approx((high - 2.0) / 4.0)
    assert half_width(finding("", wide, at_least=1.0)) == pytest.approx(1.0 / low - 0.5)
    assert half_width(finding("", wide, at_most=4.0, unit="exponent")) == pytest.approx(high - 2.0)
    assert math.isnan(half_width(finding("", wide)))
    assert INTEREST["exponent"] == 0.1


@pytest.mark.parametrize("limits", [{"at_most": 1.0}, {"at_least": 1.0}], ids=["at most", "at least"])
def test_the_effect_that_is_seen_is_the_same_wherever_a_ratio_is(limits: dict[str, float]) -> None:
    """Logarithms with one error: how far the ratio is from the threshold says nothing of what the design sees."""
    of_ratios = [finding("", student(ratio, 0.05 * ratio, 50, True), **limits) for ratio in (0.06, 1.0, 17.8)]
    seen = [smallest_seen(*spread(each), 0.05) for each in of_ratios]
    assert seen == pytest.approx([seen[0]] * 3)
    assert 1.17 < seen[0] < 1.19


def test_the_effect_that_is_seen_is_seen() -> None:
    """Of 2,000 samples whose truth is beyond the threshold by the printed effect, nine of ten are refuted.

    Wrong with a probability below 1e-6 for a correct implementation.
    """
    rng = np.random.default_rng(11)
    error = 0.02
    half = half_width(finding("", student(0.9, error, math.inf), at_most=1.0, unit="exponent"))
    effect = smallest_seen(half, "exponent", 0.05)
    estimates = 1.0 + effect + error * rng.standard_normal(2000)
    seen = [finding("", student(value, error, math.inf), at_most=1.0).decision for value in estimates]
    share = np.mean([decision.side == "fails" and decision.p <= 0.05 for decision in seen])
    assert 0.865 < share < 0.93
