"""Sentences of the papers about privacy that are false: one count, of the ledger, for README, ledger and site.

Sentences are counted, not audits: a sentence about all bases is false in many audits, one for each base and budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dpbandits.core.verdicts import Verdict

FALSE = (Verdict.FAILS, Verdict.PART)


def false_privacy(claims: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return the rows of the ledger that are a paper's sentences about privacy, and false, wholly or in part."""
    return [
        claim
        for claim in claims
        if claim["reading"] == "paper" and claim["subject"] == "privacy" and claim["verdict"] in FALSE
    ]


def summary(claims: Iterable[Mapping[str, str]]) -> str:
    """Return how many sentences about privacy are false, and which, in words, or that none is found false."""
    found = [f"{claim['paper']}, {claim['place']}" for claim in false_privacy(claims)]
    if not found:
        return "No sentence of the papers about privacy is found false."
    sentences = "sentence" if len(found) == 1 else "sentences"
    return f"{len(found)} {sentences} of the papers about privacy found false: {'; '.join(found)}."
