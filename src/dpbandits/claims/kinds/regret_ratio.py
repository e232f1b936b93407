"""The mean regret of some algorithms divided by that of others, cell by cell."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pandas as pd

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Labels, Outcome, Where, finding
from dpbandits.claims.estimate import Estimate, student
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._tables import WORDS, located, named, only, runs_text
from dpbandits.core.fields import Option, Options
from dpbandits.core.tables import worst


def ratio(one: Any, other: Any) -> Estimate:
    """Return the ratio of two independent means, on a logarithmic scale, with Welch's degrees of freedom.

    Parameters
    ----------
    one, other
        Rows of aggregates, with ``mean``, ``sd`` and ``runs``.
    """
    squares = [(row["sd"] / row["mean"]) * (row["sd"] / row["mean"]) / row["runs"] for row in (one, other)]
    total = sum(squares)
    parts = sum(square * square / (row["runs"] - 1) for square, row in zip(squares, (one, other), strict=True))
    degrees = total * total / parts if parts > 0.0 else math.inf
    value = one["mean"] / other["mean"]
    return student(value, value * math.sqrt(total), degrees, logarithmic=True)


def evaluate(
    evidence: Evidence,
    of: list[str],
    against: list[str],
    match: list[str],
    where: Conditions,
    at_least: float,
    at_most: float,
) -> Outcome:
    """Return a finding for each pair of algorithms at each combination of ``match``: the ratio of mean regrets.

    In all other columns each algorithm is taken at its worst. Means <= 0, and combinations that one of the two
    lacks, have no finding.

    Parameters
    ----------
    evidence
        Data of the test, which reads the aggregates.
    of, against
        Labels of the algorithms above and below the fraction bar; each is paired with each.
    match
        Columns in which both agree. Where ``against`` has no value, such as a budget, its one row serves all.
    where
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``.
    at_least, at_most
        Smallest and largest ratio with which a part holds.
    """
    table = chosen(evidence.aggregates, where)
    table = table[table["mean"] > 0.0]
    findings = []
    for one, other in itertools.product(of, against):
        upper = worst(only(table, "algorithm", [one]), match)
        lower = only(table, "algorithm", [other])
        # Without a budget there is one for all.
        keys = [key for key in match if not lower[key].isna().any()]
        lower = worst(lower, keys) if keys else lower.nlargest(1, "mean")
        findings += [
            finding(
                f"{first['title']} / {second['title']}, {named(first, match)}",
                ratio(first, second),
                at_least,
                at_most,
                runs_text([first["runs"], second["runs"]]),
                cell=located(first, ["title", *match]),
            )
            for first, second in _pairs(upper, lower, keys)
        ]
    return Outcome(findings)


def _pairs(upper: pd.DataFrame, lower: pd.DataFrame, keys: list[str]) -> list[tuple[Any, Any]]:
    """Return the pairs of rows that agree in ``keys``."""
    found = {tuple(row[keys]): row for _, row in lower.iterrows()}
    rows = [(row, found.get(tuple(row[keys]))) for _, row in upper.iterrows()]
    return [(row, other) for row, other in rows if other is not None]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    same = " and ".join(WORDS.get(column, column) for column in options["match"])
    return f"{{inside}} at the same {same}, each in its worst environment (Welch's t test of logarithms)"


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{one} ... {outside}`` becomes "one ... not at most 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    """
    return "{one} pair in which it is {outside}"


TEST = ClaimTest(
    title="Ratio of mean regrets of two algorithms",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda options: [Asked(options["at_least"], options["at_most"])],
    part="pair",
    nothing="no pairs",
    options={
        "of": Labels([], "labels of the algorithms"),
        "against": Labels([], "labels of those that they are compared with"),
        "match": Option(["epsilon"], "columns in which both agree; over all else the worst of each is taken"),
        "where": Where(),
        "at_least": Option(-math.inf, "smallest ratio"),
        "at_most": Option(math.inf, "largest ratio"),
    },
)
