"""What a reader must learn within a minute: five points, each sentence chosen by the verdict that it tells.

A sentence says what one verdict means and is used with no other: where a result differs, another sentence is there,
or the claim's own words with its verdict. Nothing is told of claims that were not tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpbandits.claims.false_privacy import false_privacy
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, VACUOUS

Claim = Mapping[str, str]
# By paper and id.
Ledger = Mapping[tuple[str, str], Claim]
NUMBERS = dict(enumerate(("none", "one", "two", "three", "four", "five")))


class Headline(NamedTuple):
    """What is said of a claim.

    Attributes
    ----------
    paper, name
        The claim.
    words
        A sentence for each verdict; ``{effect}`` is what was measured, ``{parts_hold}`` of ``{parts}`` parts hold.
    """

    paper: str
    name: str
    words: Mapping[str, str]

    def sentence(self, ledger: Ledger) -> str:
        """Return the sentence of the claim's verdict, or its statement with the verdict; nothing if not tested."""
        claim = ledger.get((self.paper, self.name))
        if claim is None:
            return ""
        said = self.words.get(claim["verdict"])
        if said is None:
            return f"“{claim['statement']}”: {claim['verdict']}."
        parts = sum(int(claim[f"parts_{side}"]) for side in ("hold", "fail", "open"))
        return said.format(**claim, parts=parts)


class Point(NamedTuple):
    """A point of the story.

    Attributes
    ----------
    name
        What its picture is found by.
    heading, text
        In words.
    claims
        What it rests on.
    """

    name: str
    heading: str
    text: str
    claims: Sequence[Claim]


RUNS = (
    Headline(
        "azize2025",
        "imed-klucb-median",
        {
            HOLDS: "In the median run DP-IMED, with the paper's n0 = 1, has less regret than DP-KLUCB everywhere.",
            PART: "In the median run DP-IMED, with the paper's n0 = 1, has less regret than DP-KLUCB in places.",
            FAILS: "In the median run DP-IMED, with the paper's n0 = 1, has less regret than DP-KLUCB in {parts_hold} of "
            "{parts} cases.",
        },
    ),
    Headline(
        "azize2025",
        "imed-klucb-mean",
        {
            HOLDS: "So it has in the mean.",
            FAILS: "In the mean it has so in {parts_hold} of {parts} cases, and more in {parts_fail} ({effect}).",
        },
    ),
    Headline(
        "azize2025",
        "imed-klucb-far",
        {
            HOLDS: "Runs far above the median are no more frequent with it.",
            PART: "In places it is far above its median more often ({effect}).",
            FAILS: "A few of its runs are far above the median, more often than DP-KLUCB's ({effect}).",
        },
    ),
    Headline(
        "azize2025",
        "cure-mean",
        {
            HOLDS: "A first batch of n0 = 10/ε cures it: its mean is then the lowest of both everywhere.",
            PART: "A first batch of n0 = 10/ε makes its mean the lowest of both, with either n0, in places.",
            FAILS: "A first batch of n0 = 10/ε does not make its mean the lowest of both, with either n0.",
        },
    ),
)
# What is said of statements about privacy; which of them are false the ledger knows.
PRIVACY = (
    Headline(
        "asi2025",
        "sensitive-advice",
        {
            FAILS: "If the advice is sensitive too, the conversion to experts is not private at all.",
            HOLDS: "With sensitive advice the conversion to experts stays private.",
        },
    ),
    Headline(
        "wu2025",
        "table2",
        {
            FAILS: "RNM-FTNL is not ε-private with every printed scale of noise ({effect}).",
            HOLDS: "RNM-FTNL is ε-private with every printed scale of noise.",
        },
    ),
    Headline(
        "charisopoulos2022",
        "lemma3.5-printed",
        {
            FAILS: "Robust elimination as printed clips no rewards, and its noise covers an interval of length 2: "
            "it loses more than ε.",
            PART: "Robust elimination as printed is private in one of its two models only.",
            HOLDS: "Robust elimination as printed is private.",
        },
    ),
)
RATE = (
    Headline(
        "wu2025",
        "thm2",
        {
            HOLDS: "RNM-FTNL as printed has regret of order log K/Δ + log K/ε, without the paper's second log K: "
            "Theorem B, ours, proves it, and nothing measured contradicts it ({effect}).",
            PART: "Theorem B, ours, says so of RNM-FTNL as printed; not all that was measured keeps it ({effect}).",
            FAILS: "Theorem B, ours, says so of RNM-FTNL; what was measured does not keep it ({effect}).",
        },
    ),
    Headline(
        "wu2025",
        "table1",
        {
            HOLDS: "Measured exponents of K lie between the lower and the new upper bounds.",
            PART: "Some measured exponents of K lie outside of the bounds of Table 1 ({effect}).",
            FAILS: "A measured exponent of K lies outside of the bounds of Table 1 ({effect}).",
            UNREFUTED: "No measured exponent of K contradicts the bounds of Table 1.",
        },
    ),
)
CONJECTURE = (
    Headline(
        "wu2025",
        "conjecture",
        {
            HOLDS: "Remark 4 conjectures a soft-max bound with universal constants: what was computed agrees.",
            FAILS: "Remark 4 conjectures a soft-max bound with universal constants: there are none, and "
            "`dpbandits certify conjecture` proves it again.",
        },
    ),
    Headline(
        "wu2025",
        "conjecture-two-constants",
        {
            HOLDS: "With a larger constant above the fraction bar than below it holds.",
            UNREFUTED: "With a larger constant above the fraction bar than below no search contradicts it.",
            FAILS: "With a larger constant above the fraction bar than below it fails too.",
        },
    ),
)


def _point(
    name: str, told: Sequence[Headline], ledger: Ledger, headings: Mapping[str, str], otherwise: str
) -> list[Point]:
    """Return a point whose heading is chosen by the verdict of its first claim that was tested."""
    claims = [ledger[each.paper, each.name] for each in told if (each.paper, each.name) in ledger]
    if not claims:
        return []
    text = " ".join(filter(None, (each.sentence(ledger) for each in told)))
    return [Point(name, headings.get(claims[0]["verdict"], otherwise), text, claims)]


def counted(claims: Sequence[Claim]) -> str:
    """Return how many claims have each verdict, in words: sentences of the papers, and apart from them ours."""

    def told(reading: str) -> tuple[int, str]:
        own = [claim["verdict"] for claim in claims if claim["reading"] == reading]
        counts = Counter(own)
        rest = counts[OPEN] + counts[VACUOUS]
        return len(own), (
            f"{counts[HOLDS]} hold, {counts[PART]} hold in part, {counts[FAILS]} do not hold, "
            f"{counts[UNREFUTED]} are not contradicted, and {rest} cannot be decided by what was measured"
        )

    (papers, of_papers), (ours, of_ours) = told("paper"), told("ours")
    asked = sum(claim["reading"] == "asked" for claim in claims)
    pieces = [f"Of {papers} sentences of the papers {of_papers}."]
    pieces += [f"Of {ours} readings of ours {of_ours}."] if ours else []
    pieces += (
        [f"{asked} more {'is a question' if asked == 1 else 'are questions'} of the papers, answered."]
        if asked
        else []
    )
    return " ".join([*pieces, "Each has a test that says what would fail it."])


def points(claims: Sequence[Claim]) -> list[Point]:
    """Return the points that the claims tell, in their order."""
    if not claims:
        return []
    ledger = {(claim["paper"], claim["id"]): claim for claim in claims}
    counts = Counter(claim["verdict"] for claim in claims if claim["reading"] == "paper")
    total = sum(counts.values())
    verb = "does" if counts[FAILS] < 2 else "do"
    heading = f"Of {total} sentences of the papers {counts[FAILS] or 'none'} {verb} not hold"
    found = [Point("verdicts", heading, counted(claims), [])]
    far = (RUNS[2], *RUNS[:2], RUNS[3])
    hidden: dict[str, str] = {
        FAILS: "Twenty runs hide DP-IMED's rare large regrets",
        PART: "In places twenty runs hide DP-IMED's rare large regrets",
        HOLDS: "DP-IMED's large regrets are no rarer than others'",
    }
    of_runs = _point("runs", far, ledger, hidden, "Means and medians of DP-IMED differ")
    # Told in another order than the one that chooses the heading.
    text = " ".join(filter(None, (each.sentence(ledger) for each in RUNS)))
    found += [point._replace(text=text) for point in of_runs]
    papers = {claim["paper"] for claim in claims}
    false = [(claim["paper"], claim["id"]) for claim in false_privacy(claims)]
    words = {(each.paper, each.name): each for each in PRIVACY}
    told = [words.get(name, Headline(*name, {})) for name in false] or PRIVACY
    few = len({paper for paper, _ in false})
    number, all_papers = (NUMBERS.get(count, str(count)) for count in (few, len(papers)))
    verb = "prints" if few == 1 else "print"
    heading = f"{number.capitalize()} of the {all_papers} papers {verb} a privacy statement that is false"
    witness = " Each has a witness." if false else ""
    found += [point._replace(text=point.text + witness) for point in _point("privacy", told, ledger, {}, heading)]
    found += _point(
        "rate",
        RATE,
        ledger,
        {HOLDS: "The open problem's rate is reached by the algorithm as printed"},
        "Whether the open problem's rate is reached is not settled by what was measured",
    )
    found += _point(
        "conjecture",
        CONJECTURE,
        ledger,
        {FAILS: "The conjecture of Remark 4 fails", HOLDS: "The conjecture of Remark 4 is not contradicted"},
        "The conjecture of Remark 4 is open",
    )
    return found
