"""Counts of verdicts that a run on a fresh root seed confirmed, from the committed docs/results/confirmed.csv."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from dpbandits.core import escapes
from dpbandits.core.provenance import ROOT

FILE = "docs/results/confirmed.csv"


class Confirmation(TypedDict):
    """Counts of verdicts.

    Attributes
    ----------
    total
        All that were compared.
    movable
        Those whose numbers a seed can move.
    same
        Those of the movable ones that came out the same.
    """

    total: int
    movable: int
    same: int


class SecondVerdict(TypedDict):
    """A verdict beside that of a run on a fresh root seed.

    Attributes
    ----------
    verdict
        The verdict in the ledger.
    again
        The verdict on the fresh root seed.
    movable
        Whether a seed can move the numbers that it rests on.
    """

    verdict: str
    again: str
    movable: bool


def _rows() -> list[dict[str, str]]:
    """Return the rows of the file; none where it is not: it is part of a clone, not of a wheel."""
    file = ROOT.parents[1] / FILE
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as opened:
        return escapes.read_rows(opened)


def second_verdicts() -> Mapping[str, Mapping[str, SecondVerdict]]:
    """Return each verdict with that on a fresh root seed, by the ids of paper and claim; empty without the file."""
    found: dict[str, dict[str, SecondVerdict]] = {}
    for row in _rows():
        found.setdefault(row["paper"], {})[row["id"]] = {
            "verdict": row["verdict"],
            "again": row["verdict_other"],
            "movable": _movable(row),
        }
    return found


def _movable(row: Mapping[str, str]) -> bool:
    return row["could_change"] == "True"


def confirmation() -> Confirmation | None:
    """Return the counts, or ``None`` without the file."""
    rows = _rows()
    if not rows:
        return None
    same = [row["changed"] != "True" for row in rows if _movable(row)]
    return {"total": len(rows), "movable": len(same), "same": sum(same)}
