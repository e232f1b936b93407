"""Tests of a claim as its page shows them: parts with strips, limits in words, and reasons why some are open.

A test has parts, such as one environment at one budget; a paper's findings are a CSV file with a row for each. A
strip is a small picture of a part: its estimate, its interval, and the limits of the test on one line.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from dpbandits.core.numbers import bracket, number
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.html import svg
from dpbandits.publish.html.view_models import SIGNS, UNEXPECTED_FIRST
from dpbandits.publish.spoken import Vocabulary, with_words


class ShownPart(NamedTuple):
    """A part of a claim's test, such as one environment at one budget, as the claim's page shows it.

    Attributes
    ----------
    name
        The part in words.
    verdict
        The part's own verdict, such as *not decided*.
    effect
        Estimate and interval, such as ``"3.03 [2.97, 3.10]"``.
    runs
        Number of runs behind the estimate, such as ``"20 to 200"``; without runs ``"exact"`` or ``"proved"``.
    strip
        Small picture of the part, as SVG: estimate, interval, and the limits of the test on one line.
    """

    name: str
    verdict: str
    effect: str
    runs: str
    strip: Markup


class ShownTest(NamedTuple):
    """A test of a claim, as the claim's page shows it.

    Attributes
    ----------
    effect, limits
        The quantity that is measured, and the limits that it must keep, such as ``"at most 1.1"``.
    parts
        The parts of the test, such as one environment at one budget; those that do not hold come first.
    axis
        Axis, as SVG, that the small pictures of all parts share; empty if no part has a number.
    reasons_open
        Reasons why some parts are not decided, a sentence for each.
    near_threshold
        Sentence on the parts whose verdict might change with other random seeds; empty if there are none.
    """

    effect: str
    limits: str
    parts: Sequence[ShownPart]
    axis: Markup
    reasons_open: Sequence[str]
    near_threshold: str


def _float(text: str) -> float:
    return float(text) if text else math.nan


def shown_tests(
    rows: Sequence[Mapping[str, str]], vocabulary: Vocabulary, effects: Sequence[str]
) -> list[ShownTest]:
    """Return the tests of a claim for the claim's page, each with its limits and its parts.

    A part is, for example, one environment at one budget. It has a strip: a small picture of estimate and interval.

    Parameters
    ----------
    rows
        What was found about the claim: a row for each part of a test, from the paper's CSV file of findings.
    vocabulary
        Words by label of the paper's configuration, such as those for the environment ``mu1``.
    effects
        The quantity that each test measures, in words: as many tests are returned, in this order.
    """
    found = []
    for i, effect in enumerate(effects):
        own = sorted(
            (row for row in rows if int(row["test"]) == i), key=lambda row: UNEXPECTED_FIRST.index(row["verdict"])
        )
        drawn = [
            svg.Bar(
                estimate=_float(row["estimate"]),
                low=_float(row["low"]),
                high=_float(row["high"]),
                at_least=_float(row["at_least"]),
                at_most=_float(row["at_most"]),
                colour=SIGNS[row["verdict"]].colour,
            )
            for row in own
        ]
        parts = [
            ShownPart(
                with_words(row["part"], vocabulary), row["verdict"], _estimate_in_words(bar), row["runs"], strip
            )
            for row, bar, strip in zip(own, drawn, svg.strips(drawn), strict=True)
        ]
        asked = dict.fromkeys(filter(None, (_limits_in_words(bar) for bar in drawn)))
        limits = " or ".join(list(asked)[:3]) + ("; …" if len(asked) > 3 else "")
        numbers = any(not math.isnan(bar.estimate) for bar in drawn)
        axis = svg.strip_axis(drawn) if numbers else Markup()
        found.append(
            ShownTest(
                with_words(effect, vocabulary),
                limits,
                parts,
                axis,
                _reasons_open(own),
                _near_threshold(own, vocabulary),
            )
        )
    return found


def _near_threshold(rows: Sequence[Mapping[str, str]], vocabulary: Vocabulary) -> str:
    """Return which parts other seeds might decide otherwise, in a sentence.

    A part is one if its verdict is another with its estimate a little lower or higher (`if_down`, `if_up`).
    """
    others = {
        i: other
        for i, row in enumerate(rows)
        for other in (row.get("if_down", ""), row.get("if_up", ""))
        if other and other != row["verdict"]
    }
    if not others:
        return ""
    which = " or ".join(f"“{other}”" for other in dict.fromkeys(others.values()))
    first = rows[min(others)]
    runs = f", of {first['runs']} runs" if first["runs"] else ""
    some = f"{len(others)} of {len(rows)} parts" if len(rows) > 1 else "the only part"
    name = f", such as {with_words(first['part'], vocabulary)}{runs}" if len(rows) > 1 else ""
    return f"Then {some} might be {which}{name}."


def _reasons_open(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return why parts of a test are not decided, a sentence for each reason, with the number of such parts."""
    own = [row for row in rows if row["verdict"] == Verdict.OPEN]
    reasons = Counter(reason for row in own if (reason := _reason(row)))
    return [f"{count} part{'s are' if count > 1 else ' is'} not decided: {why}" for why, count in reasons.items()]


def _reason(row: Mapping[str, str]) -> str:
    """Return why a part is not decided, as `dpbandits.claims.evaluate.verdict_of` has it; nothing if unknown."""
    side, some, complete = (row.get(key, "") for key in ("side", "some", "complete"))
    if side == "below":
        return "fewer runs, or a shorter horizon, than the scale asks for (see below)."
    if row.get("cap") == "open":
        return "what is computed here is over too short a range to decide it."
    if not row.get("p_corrected"):
        exists = side == "fails" and some == "True" and complete != "True"
        return "the claim is that there is one part; one that fails leaves others." if exists else ""
    if side == "open":
        return "the claim is about a limit, which these runs do not show."
    if _excludes_limit(row):
        return (
            "an interval beyond the limit is of one part alone. With all parts of the paper taken "
            "together (Holm’s correction), chance might explain it."
        )
    return "the limit is inside the interval, so that more runs might go either way."


def _excludes_limit(row: Mapping[str, str]) -> bool:
    """Say whether an interval lies wholly on one side of a limit."""
    low, high = _float(row["low"]), _float(row["high"])
    limits = (_float(row["at_least"]), _float(row["at_most"]))
    return any(math.isfinite(limit) and (low > limit or high < limit) for limit in limits)


def _estimate_in_words(bar: svg.Bar) -> str:
    """Return an estimate in words, with its interval unless the interval is the estimate alone."""
    return bracket(bar.estimate, bar.low, bar.high)


def _limits_in_words(bar: svg.Bar) -> str:
    limits = (("at least", bar.at_least), ("at most", bar.at_most))
    return " and ".join(f"{words} {number(limit)}" for words, limit in limits if math.isfinite(limit))
