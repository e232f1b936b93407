"""Verdicts of claims: the one place that spells them."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """Verdict of the runs on a claim.

    The last three are of claims that finite data cannot decide: no measurement could show it; a search found no
    counterexample; a limit that the runs did not support.
    """

    HOLDS = "holds"
    PART = "holds in part"
    FAILS = "does not hold"
    OPEN = "not decided"
    VACUOUS = "vacuous"
    UNREFUTED = "only refutable"
    UNSUPPORTED = "only supportable"


HOLDS, PART, FAILS, OPEN, VACUOUS, UNREFUTED, UNSUPPORTED = Verdict
