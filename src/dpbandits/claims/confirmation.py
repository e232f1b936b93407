"""Confirmation on a fresh root seed: counts of its verdicts, and whether it was with the tests of today.

Counts are of the committed docs/results/confirmed.csv. What was frozen before that run is in config/frozen.json.
The root seeds that were drawn are in config/seeds.csv. tools/confirm.py writes all three.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from dpbandits.claims import claim
from dpbandits.claims.claim import Claims
from dpbandits.core import escapes
from dpbandits.core.provenance import ROOT

FILE = "docs/results/confirmed.csv"
FROZEN, SEEDS = "frozen.json", "seeds.csv"
# Options of tests that are words for readers.
WORDS = ("what", "readings")


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
    today
        Whether they were made by the tests of today.
    """

    total: int
    movable: int
    same: int
    today: bool


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


def digest(content: object) -> str:
    """Return the SHA-256 digest of bytes, or of what JSON says of other content."""
    text = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True, default=str).encode()
    return hashlib.sha256(text).hexdigest()


def fresh_seed(decides: Mapping[str, str]) -> int:
    """Return the root seed of the second run: 48 bits of the digest of all that decides."""
    return int(digest(dict(decides))[:12], 16)


def tests(claims: Claims) -> dict[str, str]:
    """Return the digest of each claim's tests, without words of theirs."""
    return {
        f"tests/{name}/{key}": digest(_tests(each))
        for name, stated in claims.items()
        for key, each in stated.claims.items()
    }


def _tests(stated: claim.Claim) -> list[dict[str, Any]]:
    return [
        {**test, "options": {key: value for key, value in test["options"].items() if key not in WORDS}}
        for test in claim.definition(stated)
    ]


def logged(folder: Path) -> list[dict[str, str]]:
    """Return the root seeds that were drawn, the first one first."""
    with (folder / SEEDS).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def of_today(claims: Claims, folder: Path) -> bool:
    """Return whether the last root seed that was drawn confirmed the tests of today.

    It did if that seed has a result, is of what is frozen, and all tests of claims are as they were frozen.

    Parameters
    ----------
    claims
        All claims.
    folder
        The folder of the log and of what is frozen.
    """
    if not ((folder / FROZEN).is_file() and (folder / SEEDS).is_file()):
        return False
    frozen = json.loads((folder / FROZEN).read_text(encoding="utf-8"))["decides"]
    last, then = logged(folder)[-1], {name: each for name, each in frozen.items() if name.startswith("tests/")}
    return bool(last["result"]) and last["seed"] == str(fresh_seed(frozen)) and then == tests(claims)


def today(claims: Claims) -> bool:
    """Return `of_today` of the committed log; false where there is none, as in a wheel."""
    return of_today(claims, ROOT.parents[1] / "config")


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


def confirmation(claims: Claims) -> Confirmation | None:
    """Return the counts, and whether they are of these claims' tests; or ``None`` without the file."""
    rows = _rows()
    if not rows:
        return None
    same = [row["changed"] != "True" for row in rows if _movable(row)]
    return {"total": len(rows), "movable": len(same), "same": sum(same), "today": today(claims)}
