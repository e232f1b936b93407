"""Confirmation of verdicts by a second run on a fresh root seed, and whether it used the tests of today.

Verdicts of both runs are in the committed docs/results/confirmed.csv. Digests that were frozen before that run are
in config/frozen.json, and root seeds that were drawn in config/seeds.csv. tools/confirm.py writes all three.
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
    """Counts of verdicts that were compared with those of the second run.

    Attributes
    ----------
    total
        Number of verdicts that were compared.
    movable
        Number of verdicts that rest on numbers which a seed can move.
    same
        Number of movable verdicts that came out the same.
    today
        Whether the second run used the tests of today.
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
        The verdict of the first run.
    again
        The verdict on the fresh root seed.
    movable
        Whether a seed can move the numbers that the verdict rests on.
    """

    verdict: str
    again: str
    movable: bool


def digest(content: object) -> str:
    """Return the SHA-256 digest, in hexadecimal, of bytes, or of other content written as JSON."""
    text = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True, default=str).encode()
    return hashlib.sha256(text).hexdigest()


def fresh_seed(decides: Mapping[str, str]) -> int:
    """Return the root seed of the second run: 48 bits of the digest of ``decides``, the frozen digests by name."""
    return int(digest(dict(decides))[:12], 16)


def tests(claims: Claims) -> dict[str, str]:
    """Return the digest of each claim's tests, without their words, by names ``tests/<paper>/<claim>``.

    Words are the keys ``effect`` and ``otherwise``, and the options ``what`` and ``readings``.
    """
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


def files() -> list[Path]:
    """Return paths of the committed files of the second run, as far as they exist; a wheel has none of them."""
    root = ROOT.parents[1]
    return [file for file in (root / FILE, root / "config" / FROZEN, root / "config" / SEEDS) if file.is_file()]


def logged(folder: Path) -> list[dict[str, str]]:
    """Return the rows of ``seeds.csv`` in a folder, one for each root seed that was drawn, in order.

    Their keys are ``seed``, ``drawn`` (when), ``why`` and ``result``, which is empty before there is one.
    """
    with (folder / SEEDS).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def of_today(claims: Claims, folder: Path) -> bool:
    """Return whether the last root seed that was drawn confirmed the tests of today.

    It did if that seed has a result and follows from the frozen digests, and tests of claims have the same digests.

    Parameters
    ----------
    claims
        All claims.
    folder
        Folder of ``seeds.csv`` and ``frozen.json``; without both the answer is no.
    """
    if not ((folder / FROZEN).is_file() and (folder / SEEDS).is_file()):
        return False
    frozen = json.loads((folder / FROZEN).read_text(encoding="utf-8"))["decides"]
    last, then = logged(folder)[-1], {name: each for name, each in frozen.items() if name.startswith("tests/")}
    return bool(last["result"]) and last["seed"] == str(fresh_seed(frozen)) and then == tests(claims)


def today(claims: Claims) -> bool:
    """Return whether the committed log confirms the tests of today (`of_today`); false without a log."""
    return of_today(claims, ROOT.parents[1] / "config")


def _rows() -> list[dict[str, str]]:
    """Return the rows of the file; none where it is not: it is part of a clone, not of a wheel."""
    file = ROOT.parents[1] / FILE
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as opened:
        return escapes.read_rows(opened)


def second_verdicts() -> Mapping[str, Mapping[str, SecondVerdict]]:
    """Return each verdict with that of the second run, by ids of paper and claim; empty without confirmed.csv."""
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
    """Return the counts of the second run, and whether it used these tests; ``None`` without confirmed.csv."""
    rows = _rows()
    if not rows:
        return None
    same = [row["changed"] != "True" for row in rows if _movable(row)]
    return {"total": len(rows), "movable": len(same), "same": sum(same), "today": today(claims)}
