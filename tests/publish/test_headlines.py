"""The story of the first page: no sentence can say what a verdict does not; pictures are of the numbers."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping

import pytest

from dpbandits.publish import headlines
from dpbandits.publish.headlines import CONJECTURE, FAILS, HOLDS, PART, PRIVACY, RATE, RUNS, Headline, points
from dpbandits.publish.html import svg
from dpbandits.publish.html.view_models import CLAIMS

ALL = (*RUNS, *PRIVACY, *RATE, *CONJECTURE)
EFFECT = "largest privacy loss"
PARTS = {"parts_hold": "4", "parts_fail": "15", "parts_open": "1"}
VERDICTS = [sign.verdict for sign in CLAIMS]


def ledger(verdicts: Mapping[str, str], otherwise: str) -> list[dict[str, str]]:
    """Return a claim for each that is told, with its verdict."""
    return [
        {
            **{"paper": told.paper, "id": told.name, "statement": f"statement of {told.name}"},
            **{"effect": f"{EFFECT if told in PRIVACY else 'effect'} of {told.name}", "reading": "paper"},
            **{"verdict": verdicts.get(told.name, otherwise), **PARTS},
        }
        for told in ALL
    ]


def text_of(claims: list[dict[str, str]]) -> str:
    """Return all that is told."""
    return " ".join(f"{point.heading} {point.text}" for point in points(claims))


@pytest.mark.parametrize(("told", "verdict"), list(itertools.product(ALL, VERDICTS)))
def test_a_sentence_is_of_its_verdict(told: Headline, verdict: str) -> None:
    """The one that a verdict has, alone; where it has none, the claim's own words with the verdict."""
    claim = {"statement": "A holds", "effect": "x: 3", "verdict": verdict, **PARTS}
    said = told.sentence({(told.paper, told.name): claim})
    own = {word: words.format(effect="x: 3", parts=20, **PARTS) for word, words in told.words.items()}
    assert said == own.get(verdict, f"“A holds”: {verdict}.")
    assert [word for word, words in own.items() if words == said] == [verdict][: verdict in own]
    assert told.sentence({}) == ""


def test_sentences_differ_by_verdict() -> None:
    """Nothing is said alike of two verdicts, and every word is a verdict's."""
    for told in ALL:
        assert len(set(told.words.values())) == len(told.words)
        assert set(told.words) <= set(VERDICTS)


def test_headings_follow_verdicts() -> None:
    """What a heading says of a claim is true of its verdict, whatever it is."""
    found = {verdict: text_of(ledger({}, verdict)) for verdict in VERDICTS}
    assert [verdict for verdict in VERDICTS if "The conjecture of Remark 4 fails" in found[verdict]] == [FAILS]
    assert [verdict for verdict in VERDICTS if "rate is reached by" in found[verdict]] == [HOLDS]
    assert [verdict for verdict in VERDICTS if "Twenty runs hide" in found[verdict]] == [FAILS]
    assert [verdict for verdict in VERDICTS if "sentences of the papers none does not hold" in found[verdict]] == [
        verdict for verdict in VERDICTS if verdict != FAILS
    ]


@pytest.mark.parametrize("refuted", range(4))
def test_false_privacy_statements_are_counted(refuted: int) -> None:
    """As many papers as there are, and only their sentences."""
    verdicts = {told.name: FAILS if i < refuted else HOLDS for i, told in enumerate(PRIVACY)}
    (point,) = (point for point in points(ledger(verdicts, HOLDS)) if point.name == "privacy")
    word = ("None", "One", "Two", "Three")[refuted]
    assert re.match(f"{word} of the four papers prints? a privacy statement that is false", point.heading)
    assert ("Each has a witness." in point.text) == (refuted > 0)
    assert len(point.claims) == (refuted or len(PRIVACY))


def test_a_false_statement_without_words_is_told_in_its_own() -> None:
    """Whatever audits refute is counted and said, foreseen or not."""
    other = {**ledger({}, FAILS)[-1], "paper": "p", "id": "new", "statement": "It is private"}
    (point,) = (
        point
        for point in points([*ledger({}, HOLDS), {**other, "effect": f"{EFFECT}: 3"}])
        if point.name == "privacy"
    )
    assert point.heading == "One of the five papers prints a privacy statement that is false"
    assert point.text == "“It is private”: does not hold. Each has a witness."


def test_counts_are_of_the_claims() -> None:
    """Every claim is counted once."""
    claims = ledger({RUNS[0].name: PART, RUNS[1].name: "vacuous"}, HOLDS)
    (first, *_) = points(claims)
    told = f"Of {len(ALL)} sentences of the papers {len(ALL) - 2} hold, 1 hold in part, 0 do not hold, 0 are not "
    assert first.text.startswith(f"{told}contradicted, and 1 ")
    # Ours are counted apart, and so is what a paper asks.
    (first, *_) = points([*claims[:-2], {**claims[-2], "reading": "ours"}, {**claims[-1], "reading": "asked"}])
    assert first.text.startswith(f"Of {len(ALL) - 2} sentences of the papers {len(ALL) - 4} hold")
    assert "Of 1 readings of ours 1 hold" in first.text
    assert "1 more is a question of the papers, answered." in first.text
    assert points([]) == []
    assert [point.name for point in points([{"paper": "p", "id": "c", "verdict": HOLDS, "reading": "ours"}])] == [
        "verdicts"
    ]


def test_every_point_has_a_picture() -> None:
    """By its name."""
    from dpbandits.publish.html.pictures import PICTURES

    assert {point.name for point in points(ledger({}, HOLDS))} == set(PICTURES)


def test_places_on_an_axis() -> None:
    """In order, logarithmic where numbers are far apart, within the line even if infinite."""
    even, wide = svg.Axis([0.0, 1.0, 2.0], 0.0, 100.0), svg.Axis([1.0, 10.0, 100.0], 0.0, 100.0)
    assert even(1.0) == wide(10.0) == 50.0
    assert even(math.inf) == 100.0
    assert even(-math.inf) == wide(0.0) == 0.0
    assert [svg.number(value) for value in (math.inf, 1234567.0, 0.5, -2.0, 1200.0, 3e-5)] == [
        *("∞", "1.23 · 10^6", "0.5", "−2", "1,200", "3 · 10^−5")
    ]


def test_words_in_pictures_are_escaped() -> None:
    """A name is no markup."""
    assert "<b>" not in svg.multiples("a <b>", [("<b>", 2.0)], "claimed <b>")
    assert headlines.NUMBERS[3] == "three"
