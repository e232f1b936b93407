"""What a run on a fresh root seed made of the verdicts, as it was committed (docs/results/confirmed.csv)."""

from __future__ import annotations

import csv
from typing import TypedDict

from dpbandits.core.provenance import ROOT

FILE = "docs/results/confirmed.csv"


class Confirmation(TypedDict):
    """Counts of verdicts.

    Attributes
    ----------
    same, total
        Those that came out the same, and all that were compared.
    """

    same: int
    total: int


def confirmation() -> Confirmation | None:
    """Return the counts, or nothing where the file is not: it is part of a clone, not of a wheel."""
    file = ROOT.parents[1] / FILE
    if not file.is_file():
        return None
    with file.open(encoding="utf-8", newline="") as opened:
        changed = [row["changed"] == "True" for row in csv.DictReader(opened)]
    return {"same": changed.count(False), "total": len(changed)}
