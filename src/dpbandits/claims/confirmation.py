"""Counts of verdicts that a run on a fresh root seed confirmed, from the committed docs/results/confirmed.csv."""

from __future__ import annotations

import csv
from typing import TypedDict

from dpbandits.core.provenance import ROOT

FILE = "docs/results/confirmed.csv"


class Confirmation(TypedDict):
    """Counts of verdicts.

    Attributes
    ----------
    total, movable, same
        All that were compared; those whose effect a seed can move; and those of them that came out the same.
    """

    total: int
    movable: int
    same: int


def confirmation() -> Confirmation | None:
    """Return the counts, or nothing where the file is not: it is part of a clone, not of a wheel."""
    file = ROOT.parents[1] / FILE
    if not file.is_file():
        return None
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    moved = [row["changed"] != "True" for row in rows if row["effect"] != row["effect_other"]]
    return {"total": len(rows), "movable": len(moved), "same": sum(moved)}
