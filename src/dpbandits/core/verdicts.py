"""Verdicts of claims, and their algebra: the one place that spells them, and that puts them together.

Parts that together neither show nor refute a claim make it `OPEN`, if one of them is or there are none. Else they
make it `UNREFUTED` if one is that or holds, else `UNTESTED` if one is, else `VACUOUS`. docs/verdicts.md is the same
in words.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Verdict(StrEnum):
    """Verdict on a claim, or on a part of it.

    Only `HOLDS`, `PART` and `FAILS` decide about the claim. The others say why it is not decided:

    - `UNREFUTED`: a search, an audit or a grid found nothing against it.
    - `UNTESTED`: what was run cannot tell it from linear regret.
    - `OPEN`: the data are too few.
    - `VACUOUS`: no data of this kind could show it.
    """

    HOLDS = "holds"
    PART = "holds in part"
    FAILS = "does not hold"
    UNREFUTED = "not contradicted"
    UNTESTED = "untested"
    OPEN = "not decided"
    VACUOUS = "vacuous"


HOLDS, PART, FAILS, UNREFUTED, UNTESTED, OPEN, VACUOUS = Verdict


def answer(verdict: str) -> str:
    """Return a verdict as the answer to a question: yes for *holds*, no for *does not hold*, others as they are.

    Examples
    --------
    >>> answer("holds"), answer("does not hold"), answer("not decided")
    ('yes', 'no', 'not decided')
    """
    return {HOLDS.value: "yes", FAILS.value: "no"}.get(verdict, str(verdict))


def _undecided(known: Collection[str]) -> Verdict:
    """Return what is left where nothing fails and not all holds."""
    if OPEN in known or not known:
        return OPEN
    if UNREFUTED in known or HOLDS in known:
        return UNREFUTED
    return UNTESTED if UNTESTED in known else VACUOUS


def of_every(parts: Collection[str]) -> Verdict:
    """Return the verdict on "every part holds": one part that fails refutes it, and undecided parts never do.

    Parameters
    ----------
    parts
        Verdicts of the parts; none of them is `PART`.
    """
    if FAILS in parts:
        return FAILS
    return HOLDS if set(parts) == {HOLDS} else _undecided(parts)


def of_some(parts: Collection[str]) -> Verdict:
    """Return the verdict on "some part holds": one part that holds proves it, and it fails only if all parts fail.

    Parameters
    ----------
    parts
        Verdicts of the parts; none of them is `PART`.
    """
    if HOLDS in parts:
        return HOLDS
    return FAILS if set(parts) == {FAILS} else _undecided(parts)


def of_sentences(verdicts: Collection[str]) -> Verdict:
    """Return the verdict on a claim of several sentences: `PART` if one of them fails and another one holds.

    Else it is the verdict on "every sentence holds" (`of_every`).

    Parameters
    ----------
    verdicts
        Verdicts of the tests, one for each sentence; none of them is `PART`.
    """
    if FAILS in verdicts:
        return PART if HOLDS in verdicts else FAILS
    return of_every(verdicts)
