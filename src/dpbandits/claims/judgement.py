"""Verdicts of claims, from the verdicts of their parts; and what a reader is told of the parts.

``parts`` is a table as `dpbandits.claims.evaluate.corrected` returns it: a row for each part of each test, with the
place of its ``test`` in the claim, its ``verdict``, and the verdicts ``if_down`` and ``if_up``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dpbandits.claims.declarations import claim_test
from dpbandits.claims.kinds._tables import smallest
from dpbandits.core.numbers import bracket, number
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, VACUOUS, of_every, of_sentences, of_some

if TYPE_CHECKING:
    from dpbandits.claims.claim import Statements, Test

# What an effect of a unit is, in words.
EFFECTS = {
    "factor": "a factor of {}",
    "logarithm": "a factor of {}",
    "exponent": "{} in an exponent",
    "difference": "{} in the difference",
}


class Judged(NamedTuple):
    """A claim's verdict.

    Attributes
    ----------
    verdict
        Text of `dpbandits.core.verdicts`: ``holds``, ``holds in part``, ``does not hold``, ``not contradicted``,
        ``untested``, ``not decided`` or ``vacuous``.
    near
        Whether other seeds might change the verdict.
    """

    verdict: str
    near: bool


def judge(tests: Sequence[Test], parts: pd.DataFrame) -> Judged:
    """Return a claim's verdict from its corrected parts, and whether it is near a threshold.

    It is near if the verdict would be another one with all estimates a little lower, or all a little higher, as
    other seeds may have them. Beside an argument that is not *not decided*, other tests count only if they fail.
    """

    def verdict(column: pd.Series[str]) -> str:
        """Return the claim's verdict if parts have the verdicts in this column."""
        found = []
        for place, test in enumerate(tests):
            of_parts = list(column[parts["test"] == place])
            found.append(of_some(of_parts) if test.some else of_every(of_parts))
        # Beside a proof only a refutation counts: runs that decide nothing do not weaken it.
        argued = [each for test, each in zip(tests, found, strict=True) if test.test == "argument" and each != OPEN]
        return of_sentences([*argued, *(each for each in found if each == FAILS)] if argued else found)

    now = verdict(parts["verdict"])
    return Judged(now, any(verdict(parts[moved]) != now for moved in ("if_down", "if_up")))


def with_premises(stated: Statements, parts: pd.DataFrame) -> pd.DataFrame:
    """Return a paper's parts, where an argument with a premise has the verdict of the claim that is its premise.

    If that neither holds nor is *not contradicted*, the argument is *not decided*.
    """
    parts = parts.copy()
    for name, claim in stated.claims.items():
        for place, test in enumerate(claim.tests):
            if premise := test.options.get("premise"):
                judged = judge(stated.claims[premise].tests, parts[parts["claim"] == premise])
                # From what is false, or was not tested, an argument shows nothing.
                verdict = judged.verdict if judged.verdict in (HOLDS, UNREFUTED) else OPEN
                at = (parts["claim"] == name) & (parts["test"] == place)
                parts.loc[at, ["verdict", "if_down", "if_up"]] = verdict
    return parts


def contradicted(tests: Sequence[Test], parts: pd.DataFrame) -> str:
    """Return the name of a part that fails beside a proof that its claim holds; empty if there is none."""
    arguments = [place for place, test in enumerate(tests) if test.test == "argument"]
    own = parts["test"].isin(arguments)
    against = parts[~own & (parts["verdict"] == FAILS)]
    return str(against["part"].iloc[0]) if (parts["verdict"][own] == HOLDS).any() and len(against) else ""


def support(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> str:
    """Return what a verdict rests on: ``proved``, ``computed``, ``audited``, ``measured``; empty without parts."""
    # What is neither shown nor refuted rests on what was looked at.
    decided = verdict in (HOLDS, PART, FAILS)
    own = parts[parts["verdict"] == (FAILS if verdict == PART else verdict)] if decided else parts
    if decided and (own["runs"] == "proved").any():
        return "proved"
    own = own[(own["runs"] != "proved") & (own["part"].fillna("") != "")]
    if own.empty:
        return ""
    kinds = {claim_test(tests[int(place)].test).reads for place in own["test"]}
    if "audits" in kinds:
        return "audited"
    return "computed" if (own["runs"] == "exact").all() else "measured"


def margin(parts: pd.DataFrame) -> pd.Series[float]:
    """Return how far each part is inside its limits, relative to limit or estimate; negative outside.

    Distances are divided by the larger of limit and estimate. With a limit of 0 that would make each of them 1.
    There a distance d counts as d / (1 + d).
    """

    # A ratio to a count of none is infinite, and the clearest.
    parts = parts.assign(estimate=parts["estimate"].clip(-1e300, 1e300))

    def inside(low: str, high: str, limit: str) -> pd.Series[float]:
        scale = parts[[low, high]].abs().max(axis=1) + (parts[limit] == 0.0)
        return ((parts[high] - parts[low]) / scale.replace(0.0, 1.0)).fillna(math.inf)

    return pd.concat(
        [inside("at_least", "estimate", "at_least"), inside("estimate", "at_most", "at_most")], axis=1
    ).min(axis=1)


def most_informative_part(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> pd.Series[Any]:
    """Return the row of the part that tells most about a verdict: of those that have it, the nearest to a limit.

    If the verdict is *does not hold* or *holds in part*, it is the failing part furthest outside. If no part has
    the verdict, all parts count. Parts of a test about some part alone are taken in the opposite order.
    """
    wanted = parts[parts["verdict"] == (FAILS if verdict == PART else verdict)]
    wanted = wanted if len(wanted) else parts
    # Of what some part shows the clearest tells most, of what every part has to show the narrowest.
    some = wanted["test"].map(lambda number: tests[number].some)
    return smallest(wanted, margin(wanted).mask(some, -margin(wanted)))


def effects_seen(tests: Sequence[Test], parts: pd.DataFrame) -> str:
    """Return the smallest effect that the design of each test sees with 90 %, in words: ``a factor of 1.2``.

    For a claim about every part it is the effect that the least precise part sees. For a claim about some part it
    is that of the most precise one. Texts of several tests are joined by "; ", and an infinite effect is "none".
    """
    found = []
    for place, test in enumerate(tests):
        own = parts[(parts["test"] == place) & parts["power"].notna()]
        if own.empty:
            continue
        effect = own["power"].min() if test.some else own["power"].max()
        told = EFFECTS[own["unit"].iloc[0]].format(number(effect))
        found.append(told if math.isfinite(effect) else "none")
    return "; ".join(dict.fromkeys(found))


def slack(parts: pd.DataFrame) -> float:
    """Return by which factor the estimate nearest to its limit is inside, of parts about a constant.

    It is below 1 if that estimate is beyond its limit, and NaN if there is no part with a positive limit.
    """
    about = parts[(parts["about"] == "constant") & (parts["estimate"] > 0.0) & (parts["verdict"] != VACUOUS)]
    below = (about["at_most"] / about["estimate"])[about["at_most"] > 0.0]
    above = (about["estimate"] / about["at_least"])[about["at_least"] > 0.0]
    inside = pd.concat([below, above])
    return float(inside[inside < math.inf].min())


def rows_read(parts: pd.DataFrame) -> str:
    """Return how many of the rows that were run the tests read: ``20 of 40``; empty if no test leaves any out."""
    left = parts[parts["rows_read"] < parts["rows_run"]].drop_duplicates("test")
    return "; ".join(f"{row.rows_read:,.0f} of {row.rows_run:,.0f}" for row in left.itertuples())


class Effect(NamedTuple):
    """The measurement of the part that tells most.

    Attributes
    ----------
    quantity
        What was measured, in the words of its test.
    told
        The estimate with its interval as text, or why there is none.
    part
        The part's row; ``None`` if no test has one.
    """

    quantity: str
    told: str
    part: pd.Series[Any] | None = None

    @property
    def text(self) -> str:
        """Quantity, estimate and part in one, such as "regret: 1.2 [1.1, 1.3] (mu1, ε = 0.1)"."""
        where = f" ({self.part['part']})" if self.part is not None and self.part["part"] else ""
        return f"{self.quantity}{': ' if self.told else ''}{self.told}{where}"


def effect(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> Effect:
    """Return what was measured in the most informative part, and that part; or why a test has none."""
    shown = parts[parts["verdict"] != VACUOUS]
    # Of a claim that is proved the number that comes nearest to a limit tells more than the proof's name.
    measured = shown[(shown["runs"] != "proved") & shown["verdict"].isin([HOLDS, UNREFUTED])]
    if len(measured) and ((shown["runs"] == "proved") & (shown["verdict"] == HOLDS)).any() and verdict == HOLDS:
        shown = measured
    without = [test for number, test in enumerate(tests) if not (shown["test"] == number).any()]
    if (parts["side"] == "below").all() and len(parts):
        told = "what was run is below the scale at which it can be decided"
        seen_there = parts[parts["estimate"].notna()]
        if seen_there.empty:
            return Effect(tests[0].effect, told)
        part = most_informative_part(tests, seen_there, verdict)
        shown_there = bracket(part["estimate"], part["low"], part["high"])
        return Effect(tests[int(part["test"])].effect, f"{shown_there}; {told}", part)
    if shown.empty or (without and verdict in (OPEN, VACUOUS) and not (shown["verdict"] == OPEN).any()):
        reason = without[0].otherwise or claim_test(without[0].test).nothing
        return Effect(without[0].effect, reason)
    part = most_informative_part(tests, shown, verdict)
    test = tests[int(part["test"])]
    if claim_test(test.test).draws:
        # A share of what is settled is no estimate of the share: the count says what is known.
        return Effect(test.effect, str(part["part"]), part.drop("part").reindex(part.index, fill_value=""))
    told = "" if math.isnan(part["estimate"]) else bracket(part["estimate"], part["low"], part["high"])
    return Effect(test.effect, told, part)
