"""The story of the first page: no sentence can say what a verdict does not; pictures are of the numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import pytest
import shipped

from dpbandits.core import registry
from dpbandits.core.pictures import Lines, Pairs
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, Verdict
from dpbandits.publish.headlines import (
    OF_A_QUANTITY,
    ShownHeadline,
    in_words,
    sentence_or_statement,
    shown_headlines,
)
from dpbandits.publish.html import svg
from dpbandits.runs import words
from dpbandits.runs.words import Headline, Sentence, Words

CONFIG = shipped.configuration()
WORDS = words.load(CONFIG)
SENTENCES = [
    (paper, sentence)
    for paper, own in WORDS.items()
    for sentence in (*(each for headline in own.headlines for each in headline.sentences), *own.privacy)
]
PRIVACY = [(paper, sentence) for paper, own in WORDS.items() for sentence in own.privacy]
NUMBERS = {"estimate": "3", "low": "2", "high": "4", "parts_hold": "4", "parts_fail": "15", "parts_open": "1"}
VERDICTS = list(Verdict)


def row(paper: str, sentence: Sentence, verdict: str) -> dict[str, str]:
    """Return the row of the ledger of a claim that is told."""
    of = sentence.of or "effect"
    about = {
        "paper": paper,
        "id": sentence.claim,
        "statement": "a statement",
        "reading": "paper",
        "subject": "privacy" if (paper, sentence) in PRIVACY else "",
        "quantity": of,
        "environment": "mu1",
    }
    return {**about, "effect": f"{of}: 3 [2, 4] (mu1)", "verdict": verdict, **NUMBERS}


def ledger(verdicts: Mapping[str, str], otherwise: str) -> list[dict[str, str]]:
    """Return a claim for each that is told, with its verdict."""
    return [row(paper, each, verdicts.get(each.claim, otherwise)) for paper, each in SENTENCES]


def told(claims: list[dict[str, str]]) -> list[ShownHeadline]:
    """Return the headlines of claims."""
    return shown_headlines(claims, WORDS, {})


def text_of(claims: list[dict[str, str]]) -> str:
    """Return all that is told."""
    return " ".join(f"{point.heading} {point.text}" for point in told(claims))


@pytest.mark.parametrize(("paper", "sentence"), SENTENCES, ids=lambda part: getattr(part, "claim", part))
def test_a_sentence_is_of_its_verdict(paper: str, sentence: Sentence) -> None:
    """The one that a verdict has, alone; where it has none, the claim's own words with the verdict."""
    own = {Verdict[key.upper()]: words for key, words in sentence.says.items()}
    assert len(set(own.values())) == len(own)
    for verdict in VERDICTS:
        now = sentence_or_statement(sentence, row(paper, sentence, verdict), {})
        plain = f"a statement: {verdict}."
        assert (now == plain) == (verdict not in own), verdict
        assert "{" not in now


@pytest.mark.parametrize(("paper", "sentence"), SENTENCES, ids=lambda part: getattr(part, "claim", part))
def test_a_number_is_of_the_quantity_that_the_sentence_names(paper: str, sentence: Sentence) -> None:
    """If another quantity tells most now, the claim's own words stand there."""
    for key, words_of in sentence.says.items():
        verdict = Verdict[key.upper()]
        other = {**row(paper, sentence, verdict), "quantity": "something else"}
        plain = sentence_or_statement(sentence, other, {}) == f"a statement: {verdict}."
        assert plain == any(name in words_of for name in OF_A_QUANTITY)


def test_a_place_does_not_repeat_the_algorithms() -> None:
    """A sentence names them; of where it was measured the environment, the horizon and the budget are told."""
    sentence = Sentence(claim="c", of="ratio", says={"fails": "At least {low} times ({where})."})
    claim = {**row("p", sentence, FAILS), "algorithm": "DP-IMED, long start", "epsilon": "0.1"}
    assert sentence_or_statement(sentence, claim, {"mu1": "µ₁"}) == "At least 2 times (µ₁, ε = 0.1)."


def test_what_is_told_exists() -> None:
    """Claims, quantities and pictures are those of the paper."""
    stated = shipped.claims()
    for paper, sentence in SENTENCES:
        effects = [test.effect for test in stated[paper].claims[sentence.claim].tests]
        assert not sentence.of or sentence.of in effects, sentence.claim
    for paper, own in WORDS.items():
        for headline in own.headlines:
            assert headline.decided_by in [each.claim for each in headline.sentences]
            if headline.picture:
                assert registry.module("picture", headline.picture).split(".")[2] == paper


def test_claims_under_a_headline_have_short_titles() -> None:
    """That of the sentence, or the claim's own words."""
    titles = {(each.claim, each.title) for _, each in SENTENCES}
    shown = [(each.claim["id"], each.title) for point in told(ledger({}, FAILS)) for each in point.claims]
    assert set(shown) <= titles
    assert all(title for _, title in shown)
    bare = {"p": Words(privacy=[Sentence(claim="c")])}
    claim = {**row("p", Sentence(claim="c"), FAILS), "subject": "privacy"}
    assert [each.title for point in shown_headlines([claim], bare, {}) for each in point.claims] == ["a statement"]


def test_headings_follow_verdicts() -> None:
    """What a heading says of a claim is true of its verdict, whatever it is."""
    found = {verdict: text_of(ledger({}, verdict)) for verdict in VERDICTS}
    assert [verdict for verdict in VERDICTS if "A conjectured bound is refuted" in found[verdict]] == [FAILS]
    assert [verdict for verdict in VERDICTS if "reaches an open problem's rate" in found[verdict]] == [HOLDS]
    assert [verdict for verdict in VERDICTS if "What 20 runs show depends" in found[verdict]] == [FAILS]
    # What is not decided is no finding, and no title of the front page.
    open_ = [point for point in told(ledger({}, OPEN)) if point.paper]
    assert open_
    assert not any(point.decided for point in open_)
    assert all(re.search(r"\bis open$|\bis not (?:decided|settled)|\bWhether\b", point.heading) for point in open_)
    assert [verdict for verdict in VERDICTS if "sentences of the papers, none does not hold" in found[verdict]] == [
        verdict for verdict in VERDICTS if verdict != FAILS
    ]


@pytest.mark.parametrize("refuted", range(4))
def test_false_privacy_statements_are_counted(refuted: int) -> None:
    """As many papers as there are, and only their sentences."""
    verdicts = {each.claim: FAILS if i < refuted else HOLDS for i, (_, each) in enumerate(PRIVACY)}
    (point,) = (point for point in told(ledger(verdicts, HOLDS)) if point.name == "privacy")
    word = ("None", "One", "Two", "Three")[refuted]
    assert re.match(
        f"In {word.lower()} of the four papers a sentence about privacy is false as worded", point.heading
    )
    assert ("Each has a counterexample" in point.text) == (refuted > 0)
    assert len(point.claims) == (refuted or len(PRIVACY))


def test_a_false_statement_without_words_is_told_in_its_own() -> None:
    """Whatever audits refute is counted and said, foreseen or not."""
    other = {**ledger({}, FAILS)[-1], "paper": "p", "id": "new", "statement": "It is private"}
    (point,) = (
        point for point in told([*ledger({}, HOLDS), {**other, "subject": "privacy"}]) if point.name == "privacy"
    )
    assert point.heading == "In one of the five papers a sentence about privacy is false as worded"
    assert point.text.startswith("It is private: does not hold. Each has")


def test_another_paper_has_headlines_by_its_words() -> None:
    """Nothing else has to know it: a heading and a sentence in its file are on the page."""
    sentence = Sentence(claim="toy-claim", of="largest", says={"holds": "It is {estimate}."})
    headline = Headline(
        name="toy",
        decided_by="toy-claim",
        headings={"holds": "The toy works"},
        otherwise="Open",
        sentences=[sentence],
    )
    claim = {**row("toy2026", sentence, HOLDS), "quantity": "largest"}
    (_, point) = shown_headlines([claim], {"toy2026": Words(headlines=[headline])}, {})
    assert (point.heading, point.text, point.paper) == ("The toy works", "It is 3.", "toy2026")


def test_counts_are_of_the_claims() -> None:
    """Every claim is counted once."""
    names = [each.claim for _, each in SENTENCES]
    claims = ledger({names[0]: PART, names[1]: "vacuous"}, HOLDS)
    (first, *_) = told(claims)
    count = len(names)
    assert first.heading == f"Of {count} sentences of the papers, none does not hold"
    assert first.text.startswith(f"{count - 2} hold, 1 holds in part and 0 do not hold. Of 1 no data")
    # Ours are counted apart, and so is what a paper asks.
    (first, *_) = told([*claims[:-2], {**claims[-2], "reading": "ours"}, {**claims[-1], "reading": "asked"}])
    assert first.text.startswith(f"{count - 4} hold")
    assert first.heading.startswith(f"Of {count - 2} sentences of the papers")
    assert "Of 1 statements of ours, 1 holds" in first.text
    assert "One more claim is a question that a paper asks; the answer is yes." in first.text
    # Those that nothing was found against are the rest, or some of the rest.
    rest = {each: told(ledger({names[0]: UNREFUTED, names[1]: each}, HOLDS))[0].text for each in (HOLDS, OPEN)}
    assert "Against the remaining one we found nothing. Each" in rest[HOLDS]
    assert "Against 1 more we found nothing. What we measured cannot decide 1. Each" in rest[OPEN]
    assert told([]) == []
    assert [point.name for point in told([{"paper": "p", "id": "c", "verdict": HOLDS, "reading": "ours"}])] == [
        "verdicts"
    ]


def test_pictures_are_of_the_numbers() -> None:
    """Medians and means of the worst case, from 0 on; without the numbers there is no picture."""
    declared = registry.load("picture", "mean-and-median")
    rows = [
        {"environment": place, "epsilon": "0.1", "title": title, "statistic": statistic, "value": str(value)}
        for place, factor in (("mu1", 3.0), ("mu2", 1.0))
        for title, of in (("DP-IMED", factor), ("DP-KLUCB", 1.0))
        for statistic, value in (("mean", 900.0 * of), ("median", 500.0))
    ]
    drawn = declared.draw(rows)
    assert isinstance(drawn, Pairs)
    assert {row.name: (row.first, row.second) for row in drawn.rows} == {
        "DP-KLUCB": (500.0, 900.0),
        "DP-IMED": (500.0, 2700.0),
    }
    assert "µ₁, ε = 0.1" in drawn.said
    assert "mean 2,700" in svg.picture(drawn)
    assert declared.draw([]) is None
    rates = [{"part": "arms", "arms": str(k), "regret": "4", "lower_rate": "2", "new_rate": str(k)} for k in (2, 4)]
    lines = registry.load("picture", "two-rates").draw(rates)
    assert isinstance(lines, Lines)
    assert [list(line.points) for line in lines.drawn] == [[(2.0, 2.0), (4.0, 2.0)], [(2.0, 2.0), (4.0, 1.0)]]
    assert "by log² K/ε" in svg.picture(lines)


def test_places_on_an_axis() -> None:
    """In order, logarithmic where numbers are far apart, within the line even if infinite."""
    even, wide = svg.Axis([0.0, 1.0, 2.0], 0.0, 100.0), svg.Axis([1.0, 10.0, 100.0], 0.0, 100.0)
    assert even(1.0) == wide(10.0) == 50.0
    assert even(math.inf) == 100.0
    assert even(-math.inf) == wide(0.0) == 0.0


def test_words_in_pictures_are_escaped() -> None:
    """A name is no markup."""
    assert "<b>" not in svg.multiples("a <b>", [("<b>", 2.0)], "claimed <b>")
    assert in_words(3) == "three"


def test_a_question_is_answered() -> None:
    """What a paper asks is answered yes or no, and a verdict that decides nothing stays as it is."""
    claims = [
        {"paper": "p", "id": str(i), "verdict": each, "reading": "asked"}
        for i, each in enumerate([HOLDS, FAILS, OPEN])
    ]
    (first, *_) = told(claims)
    assert "Three more claims are questions that papers ask; the answers are yes, no, not decided." in first.text
