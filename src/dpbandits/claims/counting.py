"""Counts of verdicts, made in this one place: by whose sentences they are on, and by what supports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dpbandits.core.verdicts import FAILS, HOLDS, Verdict, answer

# Whose a sentence is (`Claim.reading`), and what several of them are called.
READINGS = {
    "paper": "sentences of the papers",
    "ours": "statements of ours",
    "asked": "question of a paper (*holds* means yes)",
}
# What a verdict rests on, the strongest first: a proof; exact computation; an audit of privacy; samples.
SUPPORTS = ("proved", "computed", "audited", "measured")


@dataclass
class Tally:
    """Counts of some claims.

    Attributes
    ----------
    verdicts
        Number of claims with each verdict.
    kinds
        Number of claims with each pair of a verdict and what it rests on: ``proved``, ``computed``, ``audited``,
        ``measured``, or empty text.
    boundary
        Number of claims that fail in a boundary case alone.
    restated
        Number of claims that hold with conditions that the paper does not print.
    answers
        The verdict of each claim as the answer to a question, in the order of the claims: ``yes`` for *holds*,
        ``no`` for *does not hold*, else the verdict.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    boundary: int = 0
    restated: int = 0
    answers: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Number of all claims."""
        return self.verdicts.total()

    def supports(self, verdict: str) -> str:
        """Return what the claims with a verdict rest on, in words: ``16 proved, 2 computed``; empty if unknown."""
        of = {kind: self.kinds[verdict, kind] for kind in SUPPORTS}
        return ", ".join(f"{number} {kind}" for kind, number in of.items() if number)


def tally(claims: Iterable[Mapping[str, str]]) -> Tally:
    """Return the counts of rows of the ledger, which have at least the key ``verdict``.

    ``support``, ``boundary`` and ``printed`` may be missing: then they count as empty.
    """
    found = Tally()
    for claim in claims:
        found.verdicts[claim["verdict"]] += 1
        found.answers.append(answer(claim["verdict"]))
        found.boundary += claim["verdict"] == FAILS and bool(claim.get("boundary"))
        found.restated += claim["verdict"] == HOLDS and bool(claim.get("printed"))
        found.kinds[claim["verdict"], claim.get("support", "")] += 1
    return found


def by_reading(claims: Iterable[Mapping[str, str]]) -> dict[str, Tally]:
    """Return the counts of rows of the ledger by ``reading``: ``paper``, ``ours`` and ``asked``, if any."""
    known = list(claims)
    of_each = {reading: [claim for claim in known if claim["reading"] == reading] for reading in READINGS}
    return {reading: tally(own) for reading, own in of_each.items() if own}


def table(claims: Iterable[Mapping[str, str]], names: Mapping[str, str] = READINGS) -> list[Sequence[str]]:
    """Return counts as a table for readers, its heads first: a row for each reading, a column for each verdict.

    First come a reading's name and number. A verdict that no claim has gets no column, but for *holds*. ``names``
    says what the sentences of each reading are called. Cells of *holds* and *does not hold* say what that rests on,
    such as ``18: 16 proved, 2 computed``.
    """
    readings = by_reading(claims)
    # Nobody reads a column of noughts.
    others_of = [each for each in Verdict if each != HOLDS and any(own.verdicts[each] for own in readings.values())]
    rows: list[Sequence[str]] = [["claims", "number", HOLDS.value, *others_of]]
    for reading, found in readings.items():
        rows.append([names[reading], str(found.total), *(_cell(found, each) for each in (HOLDS, *others_of))])
    return rows


def _cell(found: Tally, verdict: Verdict) -> str:
    """Return how many have a verdict; of what is decided, with what that rests on."""
    rests = found.supports(verdict) if verdict in (HOLDS, FAILS) else ""
    return f"{found.verdicts[verdict]}{': ' if rests else ''}{rests}"


def conditions(claims: Iterable[Mapping[str, str]]) -> str:
    """Return how many of the papers' sentences hold with added conditions, or fail in a boundary case alone."""
    found = tally(claim for claim in claims if claim["reading"] == "paper")
    return (
        f"Of the papers' {found.verdicts[HOLDS]} sentences that hold, {found.restated} need conditions that are "
        f"not printed. Of the {found.verdicts[FAILS]} that do not hold, {found.boundary} fail in a boundary case "
        "alone."
    )
