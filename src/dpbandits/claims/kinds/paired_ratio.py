"""Ratio of a quantity at one value of a column to the quantity at another value, all else equal."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from dpbandits.claims.declarations import (
    Asked,
    ClaimTest,
    Evidence,
    Expression,
    Finding,
    Outcome,
    Where,
    all_of,
    finding,
)
from dpbandits.claims.estimate import exact, student
from dpbandits.claims.expressions import Conditions
from dpbandits.claims.kinds._tables import SAMPLED, how, located, named, rows, runs_text, smallest, with_errors
from dpbandits.core.fields import Option, Options


def evaluate(
    evidence: Evidence,
    where: Conditions,
    value: str,
    interval: list[str],
    error: str,
    runs: str,
    column: str,
    one: str,
    other: str,
    match: list[str],
    by: list[str],
    at_least: float,
    at_most: float,
) -> Outcome:
    """Return a finding for each combination of ``by``: whether the ratios of all its pairs are within the limits.

    Pairs with a value <= 0 are left out. If some pair has no error, all pairs of the combination are compared as
    exact, and one is told: that with the largest ratio, or the smallest if ``at_most`` is infinite. With two finite
    limits it is the one of these two that is outside of them, or else nearer to its limit.

    Parameters
    ----------
    evidence
        Data of the test, which reads computed tables, or else the aggregates.
    where, value
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; the quantity, as an expression of columns.
    interval, error, runs
        Expressions of the ends of the quantity's 95 % interval, or of its standard error, and of the number of runs
        behind either. Without the first two it is exact.
    column, one, other
        The column, and its values, as text, above and below the fraction bar.
    match, by
        Columns in which both rows of a pair agree; columns whose combinations are the parts. A pair without a value
        in one of the latter is left out.
    at_least, at_most
        Smallest and largest ratio that are within the limits.
    """
    table = rows(evidence, where)
    if table.empty:
        return Outcome([])
    table = with_errors(table, value, interval, error, runs)
    first, second = (table[table[column].astype(str) == name] for name in (one, other))
    pairs = first.merge(second, on=match, suffixes=("", "_other"))
    pairs = pairs[(pairs["value"] > 0.0) & (pairs["value_other"] > 0.0)]
    pairs["ratio"] = pairs["value"] / pairs["value_other"]

    def sampled(row: pd.Series[Any]) -> Finding:
        parts = row["error"] / row["value"], row["error_other"] / row["value_other"]
        relative = math.sqrt(sum(part * part for part in parts))
        degrees = min(row["runs"], row["runs_other"]) - 1
        estimate = student(row["ratio"], row["ratio"] * relative, degrees, logarithmic=True)
        shown, cell = runs_text([row["runs"]]), located(row, match)
        return finding(named(row, match), estimate, at_least, at_most, shown, cell=cell)

    def tested(group: pd.DataFrame) -> Finding:
        if group[["error", "error_other"]].isna().any(axis=None):
            row = smallest(group, -group["ratio"] if math.isfinite(at_most) else group["ratio"])
            if math.isfinite(at_least) and math.isfinite(at_most):
                least = smallest(group, group["ratio"])
                # A ratio is above 0: no other limit below can be crossed.
                row = least if at_least > 0.0 and least["ratio"] / at_least < at_most / row["ratio"] else row
            return finding(named(row, match), exact(row["ratio"]), at_least, at_most, cell=located(row, match))
        return all_of([sampled(row) for _, row in group.iterrows()])

    groups = [group for _, group in pairs.groupby(by, sort=False)] if by else [pairs]
    return Outcome([tested(group) for group in groups if len(group)])


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return f"{{inside}} in each pair of settings that are alike in all else ({how(options)})"


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{one} ... {outside}`` becomes "one ... not at most 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    """
    return "{one} pair in which it is {outside}. Between two that do not differ it is 1"


TEST = ClaimTest(
    title="A quantity at one value of a column divided by that at another one",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda options: [Asked(options["at_least"], options["at_most"])],
    part="pair",
    nothing="no pairs",
    options={
        "where": Where(),
        "value": Expression("", "the quantity, as an expression of columns"),
        **SAMPLED,
        "column": Option("", "the column"),
        "one": Option("", "its value above the fraction bar, as text"),
        "other": Option("", "its value below, as text"),
        "match": Option([], "columns that tell a pair"),
        "by": Option([], "columns; each combination of their values is a part, which holds if all its pairs do"),
        "at_least": Option(-math.inf, "smallest ratio"),
        "at_most": Option(math.inf, "largest ratio"),
    },
    reads="computed",
)
