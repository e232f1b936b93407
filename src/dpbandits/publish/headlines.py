"""Headlines of the first page: each sentence is chosen by the verdict that it tells.

What is said of a paper's claims stands in its ``paper.yaml``. A sentence says what one verdict means and is used
with no other. Where a result differs, another sentence is there, or the claim's own words with its verdict. Nothing
is told of claims that were not tested. The ledger is the table of the papers' claims with their verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dpbandits.claims.counting import Tally, by_reading
from dpbandits.claims.false_privacy import false_privacy
from dpbandits.core import escapes
from dpbandits.core.numbers import number
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, UNTESTED, VACUOUS, Verdict
from dpbandits.publish.spoken import Vocabulary, measured, with_words
from dpbandits.runs.words import Headline, Sentence, Words

Claim = Mapping[str, str]
# By paper and id.
Ledger = Mapping[tuple[str, str], Claim]
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# A sentence with one of these is of one quantity.
OF_A_QUANTITY = ("{estimate}", "{interval}", "{low}", "{where}")


class SupportingClaim(NamedTuple):
    """A claim that a headline of the first page rests on.

    Attributes
    ----------
    claim
        The claim's row of the ledger (the table of claims with verdicts), by column.
    title
        The claim in short, as ``paper.yaml`` has it; else its statement.
    """

    claim: Claim
    title: str


class ShownHeadline(NamedTuple):
    """A headline of the site's first page: a finding, in the texts that fit the verdicts of this run.

    Attributes
    ----------
    name
        Its id on the page.
    heading, text
        Heading, and the sentences below it.
    claims
        Claims that it rests on.
    paper
        Id of the paper that it is about; empty for a headline on all papers.
    picture
        Name of its small picture; empty without one, and for a headline on all papers.
    decided
        Whether the heading states a finding. It is false if there is no heading for the verdict of the claim that
        decides; then the heading leaves the matter open.
    """

    name: str
    heading: str
    text: str
    claims: Sequence[SupportingClaim]
    paper: str = ""
    picture: str = ""
    decided: bool = True


def in_words(count: int) -> str:
    """Return a count as text: a word up to ten, else digits."""
    return NUMBERS[count] if count < len(NUMBERS) else number(count)


def has_number(sentence: str) -> bool:
    """Tell whether a sentence has the gap of a number, such as ``{estimate}``, or ``{where}`` it was measured."""
    return any(gap in sentence for gap in OF_A_QUANTITY)


def sentence_for(sentences: Mapping[Any, str], claim: Claim, quantity: str = "") -> str | None:
    """Return the sentence that was written for a claim's verdict; ``None`` if there is none that fits.

    Parameters
    ----------
    sentences
        Sentences by verdict: ``holds``, ``part``, ``fails``, ``open``, ``vacuous``, ``unrefuted`` or ``untested``.
        Their gaps, such as ``{estimate}``, are not filled here.
    claim
        The claim's row of the ledger (the table of claims with verdicts), by column.
    quantity
        The quantity that numbers in the sentences are of, in the words of the claim's test. If the row's numbers
        are of another quantity, a sentence with a number would be wrong, and is not returned.
    """
    own = sentences.get(Verdict(claim["verdict"]).name.lower())
    return None if own is None or (has_number(own) and claim["quantity"] != quantity) else own


def sentence_or_statement(sentence: Sentence, claim: Claim, words: Vocabulary) -> str:
    """Return the sentence for a claim's verdict, gaps filled; without one, the statement and the verdict.

    Parameters
    ----------
    sentence
        The paper's sentences on the claim, by verdict, and the quantity that their numbers are of.
    claim
        The claim's row of the ledger (the table of claims with verdicts), by column.
    words
        Words by label of the paper's configuration, such as those for the environment ``mu1``.
    """
    own = sentence_for(sentence.says, claim, sentence.of)
    if own is None:
        # Claims are in our words: marks would say that they are the paper's.
        return f"{with_words(claim['statement'], words).rstrip('.')}: {claim['verdict']}."
    return escapes.filled(own, measured(claim, words))


def _supporting_claim(sentence: Sentence, claim: Claim, words: Vocabulary) -> SupportingClaim:
    return SupportingClaim(claim, sentence.title or with_words(claim["statement"], words))


def _shown_headline(paper: str, headline: Headline, ledger: Ledger, words: Vocabulary) -> list[ShownHeadline]:
    """Return a headline of a paper, if a claim of it was tested."""
    told = [(each, ledger[paper, each.claim]) for each in headline.sentences if (paper, each.claim) in ledger]
    if not told:
        return []
    decided = ledger.get((paper, headline.decided_by))
    finding = decided and sentence_for(headline.headings, decided)
    text = " ".join(sentence_or_statement(sentence, claim, words) for sentence, claim in told)
    rests = [_supporting_claim(sentence, claim, words) for sentence, claim in told]
    return [
        ShownHeadline(
            headline.name,
            finding or headline.otherwise,
            text,
            rests,
            paper,
            headline.picture,
            decided=bool(finding),
        )
    ]


def verdict_counts(claims: Sequence[Claim], *, follows_heading: bool = False) -> str:
    """Return text that counts claims by verdict: sentences of papers, our statements and questions, each apart.

    It may begin "Of 9 sentences of the papers, 5 hold (5 proved), 1 holds in part and 3 do not hold."

    Parameters
    ----------
    claims
        Rows of the ledger (the table of claims with verdicts).
    follows_heading
        Whether the heading above the text gives the number of the papers' sentences; then "Of 9 sentences of the
        papers" is left out.
    """
    found = by_reading(claims)
    whose = {"paper": "sentences of the papers", "ours": "statements of ours"}
    pieces = []
    for key, name in whose.items():
        if key in found:
            start = "" if follows_heading and key == "paper" else f"Of {found[key].total} {name}, "
            pieces.append(f"{start}{_verdicts_of(found[key])}.")
    if asked := found.get("asked"):
        if asked.total == 1:
            pieces.append(f"One more claim is a question that a paper asks; the answer is {asked.answers[0]}.")
        else:
            answers = ", ".join(asked.answers)
            more = f"{in_words(asked.total).capitalize()} more claims are questions that papers ask"
            pieces.append(f"{more}; the answers are {answers}.")
    return " ".join([*pieces, "Each has a test that says what would make it fail."])


def _verdicts_of(found: Tally) -> str:
    """Return how many have each verdict, in words."""
    counts = found.verdicts
    hold, part = (f"{counts[kind]} {'holds' if counts[kind] == 1 else 'hold'}" for kind in (HOLDS, PART))
    kinds, against = (found.supports(each) for each in (HOLDS, FAILS))
    if found.boundary:
        only = f"{found.boundary} of these only in a boundary case"
        against = f"{against}; {only}" if against else only
    kinds, against = (f" ({said})" if said else "" for said in (kinds, against))
    rest = counts[UNREFUTED]
    # If nothing else is left over, a reader need not look for others.
    remaining = sum(counts[each] for each in (HOLDS, PART, FAILS, UNREFUTED)) == found.total
    those = f"the remaining {in_words(rest)}" if remaining else f"{rest} more"
    others = [
        f"Against {those} we found nothing" if rest else "",
        f"Linear regret would keep {counts[UNTESTED]} too, which we call untested" if counts[UNTESTED] else "",
        f"What we measured cannot decide {counts[OPEN]}" if counts[OPEN] else "",
        f"Of {counts[VACUOUS]} no data of this kind could show it" if counts[VACUOUS] else "",
    ]
    return (
        f"{hold}{kinds}, {part} in part and {counts[FAILS]} {_do_or_does(counts[FAILS])} not hold{against}"
        + "".join(f". {each}" for each in others if each)
    )


def _do_or_does(count: int) -> str:
    return "does" if count == 1 else "do"


def _verdicts(claims: Sequence[Claim]) -> ShownHeadline:
    """Return how many sentences of the papers, and statements of ours, have each verdict."""
    papers = by_reading(claims).get("paper", Tally())
    fail = papers.verdicts[FAILS]
    heading = f"Of {papers.total} sentences of the papers, {fail or 'none'} {_do_or_does(fail or 1)} not hold"
    return ShownHeadline(
        "verdicts", heading, verdict_counts(claims, follows_heading="paper" in by_reading(claims)), []
    )


def _privacy(
    claims: Sequence[Claim], words: Mapping[str, Words], vocabularies: Mapping[str, Vocabulary]
) -> ShownHeadline | None:
    """Return how many papers print a false statement of privacy; nothing without words on such statements."""
    ledger = {(claim["paper"], claim["id"]): claim for claim in claims}
    sentences = {(paper, each.claim): each for paper, own in words.items() for each in own.privacy}
    false = [(claim["paper"], claim["id"]) for claim in false_privacy(claims)]
    shown = [ledger[name] for name in false or sentences if name in ledger]
    if not shown:
        return None
    few, papers = len({paper for paper, _ in false}), len({claim["paper"] for claim in claims})
    of = f"{in_words(few)} of the {in_words(papers)} papers"
    heading = f"In {of} a sentence about privacy is false as worded"
    about = [
        (
            sentences.get((claim["paper"], claim["id"]), Sentence(claim=claim["id"])),
            claim,
            vocabularies.get(claim["paper"], {}),
        )
        for claim in shown
    ]
    told = [sentence_or_statement(*each) for each in about]
    witness = ["Each has a counterexample that can be checked by hand."] if false else []
    return ShownHeadline(
        "privacy", heading, " ".join([*told, *witness]), [_supporting_claim(*each) for each in about]
    )


def shown_headlines(
    claims: Sequence[Claim], words: Mapping[str, Words], vocabularies: Mapping[str, Vocabulary]
) -> list[ShownHeadline]:
    """Return the headlines of the site's first page in order: on all verdicts, on each paper, on privacy.

    A headline on a paper is left out if none of its claims was tested. That on privacy is left out if no sentence
    about privacy is false, and no tested one has a text in ``paper.yaml``. Without claims there are none.

    Parameters
    ----------
    claims
        Rows of the ledger (the table of claims with verdicts).
    words, vocabularies
        By paper: its texts from ``paper.yaml``, and words for labels of its configuration, such as ``mu1``.
    """
    if not claims:
        return []
    ledger = {(claim["paper"], claim["id"]): claim for claim in claims}
    of_papers = [
        shown
        for paper, own in words.items()
        for headline in own.headlines
        for shown in _shown_headline(paper, headline, ledger, vocabularies.get(paper, {}))
    ]
    privacy = _privacy(claims, words, vocabularies)
    return [_verdicts(claims), *of_papers, *([] if privacy is None else [privacy])]
