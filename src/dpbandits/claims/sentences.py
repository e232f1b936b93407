"""Sentences of tests, failures and verdicts, all made from the limits that are compared.

A kind of test writes its sentences around marks. Only `filled` puts words for limits in their place, and the limits
are those of `ClaimTest.limits`, by which parts are decided. So no sentence can ask for what a test does not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.claims.declarations import Asked, claim_test
from dpbandits.claims.expressions import Conditions, constant
from dpbandits.core.numbers import number
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS

if TYPE_CHECKING:
    from dpbandits.claims.claim import Test

# A limit that is nearer to a number of six digits than this is that number, but for rounding.
ROUNDING = 2e-9
# Control play, in words.
CONTROLS = {
    "uniform": "A learner that plays at random does not pass it.",
    "perfect": "A learner without any regret does not pass it.",
    "none": "",
}
# What is said of a test that decides one way alone.
LIMITED = {
    "both": [],
    "holds": ["This can support the claim and not refute it"],
    "fails": ["This can refute the claim and not prove it"],
}


def _end(way: str, limit: float | str) -> str:
    """Return one limit in words: an expression next to a number is strict, or that number up to rounding."""
    if isinstance(limit, float | int):
        return f"{way} {number(limit, 4)}"
    value = constant(limit)
    near = float(f"{value:.6g}")
    if _is_number(limit):
        return f"{way} {number(value, 6)}"
    if near == value or not abs(value - near) <= ROUNDING * abs(near):
        return f"{way} {limit}"
    if (value > near) == (way == "at least"):
        return f"{'above' if way == 'at least' else 'below'} {number(near, 6)}"
    return f"{way} {number(near, 6)} up to rounding"


def _is_number(text: str) -> bool:
    """Say whether an expression is a number alone, such as ``1e-7``."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def inside(asked: Asked) -> str:
    """Return limits in words.

    Examples
    --------
    >>> inside(Asked(at_most=1.0)), inside(Asked(0.5, 3.0)), inside(Asked(0.8, 1.25))
    ('at most 1', 'from 0.5 to 3', 'within a factor 1.25 of 1')
    >>> inside(Asked("1 + 1e-12")), inside(Asked(at_most="1 + 1e-12")), inside(Asked("0.79", "0.81"))
    ('above 1', 'at most 1 up to rounding', 'at least 0.79 and at most 0.81')
    """
    low, high = asked.at_least, asked.at_most
    if isinstance(low, str) or isinstance(high, str):
        ends = (("at least", low), ("at most", high))
        told = " and ".join(_end(way, limit) for way, limit in ends if isinstance(limit, str))
    elif math.isinf(high) or math.isinf(low):
        told = _end("at least", low) if math.isinf(high) else _end("at most", high)
    elif low > 0.0 and math.isclose(low * high, 1.0):
        told = f"within a factor {number(high)} of 1"
    else:
        told = f"from {number(low, 4)} to {number(high, 4)}"
    return f"{told} of {asked.of}" if asked.of else told


def beyond(asked: Asked) -> str:
    """Return what is outside of limits, in words.

    Examples
    --------
    >>> beyond(Asked(at_most=1.0)), beyond(Asked(10.0)), beyond(Asked(0.5, 3.0)), beyond(Asked("1 + 1e-12"))
    ('above 1', 'below 10', 'not from 0.5 to 3', 'not above 1')
    """
    told = inside(Asked(asked.at_least, asked.at_most))
    for way, opposite in (("at least ", "below "), ("at most ", "above ")):
        if told.startswith(way) and " and " not in told:
            return opposite + told.removeprefix(way)
    return f"not {told}"


def filled(text: str, asked: Sequence[Asked], some: bool) -> str:
    """Return a sentence of a kind of test with words in place of its marks.

    Parameters
    ----------
    text
        Sentence with marks. ``{inside}`` is what is asked ("at most 1"). Its opposites are ``{beyond}`` ("above
        1"), ``{outside}`` ("not at most 1") and ``{way}`` ("above"). ``{one}`` and ``{a}`` become "no" if ``some``.
    asked
        Limits that are put into words.
    some
        Whether only some part has to be within the limits: then the claim fails if no part is.
    """
    within = " and ".join(map(inside, asked))
    marks = {
        "{inside}": within,
        "{one}": "no" if some else "one",
        "{a}": "no" if some else "a",
        "{outside}": within if some else f"not {within}",
        "{beyond}": within if some else " or ".join(map(beyond, asked)),
        "{way}": "below" if all(each.at_most == math.inf for each in asked) else "above",
    }
    for mark, words in marks.items():
        text = text.replace(mark, words)
    return text


def of_test(given: Test) -> str:
    """Return a test in words: the quantity, what is asked of it, of which rows, and which way it can decide.

    An example is "mean regret: at most 1 wherever it is measured (t test). Rows with epsilon at most 1".
    """
    kind = claim_test(given.test)
    options = kind.resolve(given.options)
    pieces = [f"{given.effect}: {filled(kind.words(options), kind.limits(options), given.some)}"]
    pieces += [f"Rows with {conditions_in_words(options['where'])}"] if options.get("where") else []
    pieces += [f"Only rows with {conditions_in_words(options['wide'])} decide"] if options.get("wide") else []
    pieces += ["Asked in at least one part, not in every one"] if given.some else []
    pieces += LIMITED[given.decides]
    return ". ".join(pieces)


def of_failure(given: Test) -> str:
    """Return in words what would fail a test, and which negative control does not pass it, if it has one.

    An example is "one pair in which it is above 1. A learner that plays at random does not pass it."
    """
    kind = claim_test(given.test)
    options = kind.resolve(given.options)
    if given.decides == "holds":
        return f"Nothing that runs show: a test of {given.effect} can support, and not refute"
    told, asked = kind.fails_if(options), kind.limits(options)
    # A failure that is told without limits is one of each part.
    every = given.some and asked and not any(mark in told for mark in ("{beyond}", "{outside}"))
    said = ("in every part " if every else "") + filled(told, asked, given.some)
    judged = kind.reads in ("aggregates", "runs") and given.experiments
    control = CONTROLS[given.control] if judged else ""
    return f"{said}. {control}".strip().replace("..", ".")


def conditions_in_words(where: Conditions) -> str:
    """Return conditions in words: ``epsilon at most 1, algorithm htinf or exp3``."""

    def values(given: object) -> str:
        if isinstance(given, list):
            return " or ".join(map(values, given))
        if isinstance(given, float | int) and not isinstance(given, bool):
            return number(given, 6)
        return str(given)

    def one(on: str, given: object) -> str:
        if not isinstance(given, dict):
            return f"{on} {values(given)}"
        return " and ".join(f"{on} {name.replace('_', ' ')} {values(value)}" for name, value in given.items())

    return ", ".join(one(on, given) for on, given in where.items())


def of_parts(tests: Sequence[Test], parts: pd.DataFrame) -> str:
    """Return what was found, in words: for each test how many parts are within limits, and what was asked.

    An example is "Regret: at most 1 in 3 of 4 settings, above 1 in 1; asked: at most 1 in every setting".

    A test without limits is an argument: the verdict of its only part is put into words. A test without parts is
    left out, and the text is empty if none has any.

    Parameters
    ----------
    tests
        Tests of a claim.
    parts
        Rows of the claim's parts, with verdicts after the correction for the number of tests.
    """
    told = []
    for place, given in enumerate(tests):
        own = parts[(parts["test"] == place) & (parts["part"].fillna("") != "")]
        kind = claim_test(given.test)
        asked = kind.limits(kind.resolve(given.options))
        if not asked and len(own):
            verdict = own["verdict"].iloc[0]
            shown = {HOLDS: "Shown", FAILS: "Refuted"}.get(verdict, f"Follows from what is {verdict}:")
            by = " by argument:" if verdict in (HOLDS, FAILS) else ""
            told.append(f"{shown}{by} {given.effect} ({own['part'].iloc[0]})")
        elif len(own):
            told.append(_counted(given, list(own["verdict"]), leaning(own), asked, kind.part))
    return ". ".join(dict.fromkeys(told)) + "." if told else ""


def leaning(parts: pd.DataFrame) -> int:
    """Return how many open parts have an interval that is outside of the limits: they lean against the claim."""
    if "low" not in parts:
        return 0
    outside = (parts["low"] > parts["at_most"]) | (parts["high"] < parts["at_least"])
    return int((outside & (parts["verdict"] == OPEN)).sum())


def _counted(given: Test, verdicts: Sequence[str], against: int, asked: Sequence[Asked], part: str) -> str:
    """Return how many parts of a test are within limits, and how many are not.

    Parameters
    ----------
    given
        The test.
    verdicts, against
        Verdicts of its parts, and how many of the open ones lean against the claim.
    asked
        Limits that the parts are compared with.
    part
        What a part is called.
    """
    counts, number = Counter(verdicts), len(verdicts)
    within, outside = " and ".join(map(inside, asked)), " or ".join(map(beyond, asked))
    kinds = (
        (within, counts[HOLDS]),
        (f"{within} as far as was looked", counts[UNREFUTED]),
        (f"{within}, as linear regret would be too", counts[UNTESTED]),
        (outside, counts[FAILS]),
        (OPEN.value, counts[OPEN]),
        ("without a say", counts[VACUOUS]),
    )
    seen = [(words, count) for words, count in kinds if count]
    (first, count), *others = seen
    parts = part if number == 1 else f"{part}s"
    of = f"{count} of {number} {parts}" if number > 1 else f"the one {part}"
    rest = "".join(f", {words} in {count}" for words, count in others)
    claimed = f"in at least one {part}" if given.some else f"in every {part}"
    lean = f", of which {against} {'leans' if against == 1 else 'lean'} against it" if against else ""
    return f"{given.effect[:1].upper()}{given.effect[1:]}: {first} in {of}{rest}{lean}; asked: {within} {claimed}"


def disagreements(tests: Sequence[Test], parts: pd.DataFrame) -> list[str]:
    """Return a message for each row of ``parts`` whose limits are not those that readers are told of its test.

    Each row has the limits ``at_least`` and ``at_most`` that it was compared with. Its ``test`` is the place of its
    test in ``tests``, from 0. Rows whose ``runs`` is ``proved``, or that lack a limit, are skipped. A limit that is
    an expression of columns differs from row to row, and is not checked.
    """
    found = []
    for place, given in enumerate(tests):
        kind = claim_test(given.test)
        known = [
            tuple(limit if isinstance(limit, float | int) else constant(limit) for limit in (each[0], each[1]))
            for each in kind.limits(kind.resolve(given.options))
        ]
        own = parts[(parts["test"] == place) & ~(parts["at_least"].isna() | parts["at_most"].isna())]
        for _, row in own[own["runs"] != "proved"].iterrows():
            compared = float(row["at_least"]), float(row["at_most"])
            if not any(all(map(_alike, each, compared)) for each in known):
                found.append(f"{given.effect}, {row['part']}: compared with {compared}, told as {known}")
    return found


def _alike(told: float, compared: float) -> bool:
    return math.isnan(told) or told == compared or math.isclose(told, compared, rel_tol=1e-5)
