"""A quantity of computed rows, or of mean regrets, is at most or at least something, in every part."""

from __future__ import annotations

import math
from typing import Any, get_args

import pandas as pd

from dpbandits.claims.declarations import (
    Asked,
    ClaimTest,
    Evidence,
    Expression,
    Finding,
    Outcome,
    Unit,
    Where,
    all_of,
    finding,
)
from dpbandits.claims.estimate import exact, student
from dpbandits.claims.expressions import Conditions, chosen, quantity
from dpbandits.claims.kinds._tables import (
    SAMPLED,
    how,
    located,
    named,
    rows,
    runs_in,
    smallest,
    with_errors,
)
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options


def _nearest(table: pd.DataFrame) -> pd.Series[Any]:
    """Return the row that is furthest outside its range, or nearest to its end."""
    room = pd.concat([table["value"] - table["at_least"], table["at_most"] - table["value"]], axis=1).min(axis=1)
    return smallest(table, room)


def evaluate(
    evidence: Evidence,
    where: Conditions,
    value: str,
    interval: list[str],
    error: str,
    runs: str,
    at_least: str,
    at_most: str,
    by: list[str],
    label: list[str],
    unit: Unit,
    wide: Conditions,
    **_: str,
) -> Outcome:
    """Return a finding for each group of ``by``: whether all of its rows are within the limits.

    Rows without a value are left out. Rows that cannot decide (``wide``) are groups of their own, which stay open.
    `BadInput` is raised for an unknown ``unit``.

    Parameters
    ----------
    evidence
        Data of the test, which reads computed tables, or else the aggregates.
    where, wide
        Conditions such as ``{"epsilon": {"at_most": 1}}``: on rows that count, and on rows that can decide. Empty
        ones are met by all rows.
    value, at_least, at_most
        The quantity and its limits, as expressions of columns such as ``mean / uniform``; an empty limit is none.
    interval, error, runs
        Expressions of the ends of the quantity's 95 % interval, or of its standard error, and of the number of runs
        behind either. Without the first two it is exact.
    by, label
        Columns whose combinations are the groups, and further columns that name the row shown.
    unit
        How an effect, for the power of the test, would change the quantity: as a ``factor``, or as an ``exponent``,
        ``logarithm`` or ``difference`` that is added.
    **_
        Options that only the ledger's words need.
    """
    if unit not in get_args(Unit):
        raise BadInput(("options", "unit"), unit, suggest(unit, get_args(Unit)))
    table = rows(evidence, where)
    if table.empty:
        return Outcome([])
    table = with_errors(table, value, interval, error, runs)
    table = table.assign(
        at_least=quantity(table, at_least) if at_least else -math.inf,
        at_most=quantity(table, at_most) if at_most else math.inf,
    ).dropna(subset=["value"])
    # Rows that span too little to decide are told, and leave it open.
    enough = set(chosen(table.assign(_place=range(len(table))), wide)["_place"]) if wide else set(range(len(table)))
    table = table.assign(cap=["holds" if place in enough else "open" for place in range(len(table))])
    groups = [group for _, group in table.groupby([*by, "cap"], dropna=False, sort=False)]

    def tested(group: pd.DataFrame) -> Finding:
        """Test the rows of one group: without errors the nearest to a limit, with errors all of them."""
        if group["error"].isna().all():
            row = _nearest(group)
            return finding(
                named(row, [*by, *label]),
                exact(row["value"]),
                row["at_least"],
                row["at_most"],
                unit=unit,
                cap=row["cap"],
                cell=located(row, [*by, *label]),
            )
        return all_of(
            [
                finding(
                    named(row, [*by, *label]),
                    student(row["value"], row["error"], row["runs"] - 1),
                    row["at_least"],
                    row["at_most"],
                    runs_in(group),
                    unit,
                    row["cap"],
                    located(row, [*by, *label]),
                )
                for _, row in group.iterrows()
            ]
        )

    return Outcome([tested(group) for group in groups if len(group)])


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return f"{{inside}} wherever it is measured ({how(options)})"


def limits(options: Options) -> list[Asked]:
    """Return the limits as the claims file has them: expressions, or infinity where there is none."""
    return [Asked(options["at_least"] or -math.inf, options["at_most"] or math.inf)]


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{one} ... {outside}`` becomes "one ... not at most 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    """
    return "{one} place where it is {outside}"


TEST = ClaimTest(
    title="A quantity of computed rows or of mean regrets within limits",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    nothing="no row meets the condition of the test",
    options={
        "what": Option("", "the quantity in words"),
        "where": Where(),
        "value": Expression("mean", "the quantity, as an expression of columns"),
        **SAMPLED,
        "at_least": Expression("", "lower limit, as an expression; none if empty"),
        "at_most": Expression("", "upper limit, as an expression; none if empty"),
        "by": Option([], "columns; each combination of their values is a part, which holds if all its rows do"),
        "unit": Option("factor", f"how an effect is planted: {', '.join(get_args(Unit))}"),
        "wide": Where(description="which rows can decide, as conditions; all others are told, and leave it open"),
        "label": Option([], "columns that tell the row shown: the one that the decision rests on"),
    },
)
