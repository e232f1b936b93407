"""Register, ledger and privacy table as tables for readers: sortable pages of Snakemake's report, and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.site.pages import sortable
from dpbandits.site.words import short

if TYPE_CHECKING:
    from dpbandits.site.register import Register

REGISTER = {
    "place": "place",
    "printed": "printed",
    "why": "why it cannot stand",
    "done": "what was done",
    "test": "test that shows it",
}
PRIVACY = {
    "setting": "setting",
    "algorithm": "algorithm",
    "parameters": "parameters",
    "definition": "claim",
    "epsilon": "ε",
    "delta": "δ",
    "audited": "shown loss",
    "verdict": "verdict",
    "method": "method",
    "witness": "witness",
}
LEDGER = {
    "paper": "paper",
    "id": "claim",
    "place": "place",
    "statement": "statement",
    "verdict": "verdict",
    "near_threshold": "near its threshold",
    "effect": "effect",
    "runs": "runs",
    "test": "test",
    "shown": "shown by",
    "remark": "remark",
    "revised": "test revised",
}


def read_text(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, all cells as they are written."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def register_page(register: Register) -> str:
    """Return the register as a sortable page."""
    rows = [
        {
            "paper": paper,
            **{head: getattr(entry, key) for key, head in REGISTER.items()},
            REGISTER["test"]: f"`{entry.test}`",
        }
        for paper, entries in register.items()
        for entry in entries
    ]
    return sortable(pd.DataFrame(rows), "Where a printed statement cannot be right, or cannot be run as printed.")


def register_markdown(register: Register, titles: Mapping[str, str]) -> str:
    """Return the register as Markdown: a section for each paper, a paragraph for each entry."""
    lines = ["# Discrepancies", "", "Where a printed statement cannot be right, or cannot be run as printed."]
    for paper, entries in register.items():
        lines += ["", f"## {paper}: {titles[paper]}"] if entries else []
        for entry in entries:
            lines += ["", f"### {entry.place}", "", f"*Printed.* {entry.printed}", ""]
            lines += [f"*Why it cannot stand.* {entry.why.strip()}", "", f"*Done.* {entry.done}", ""]
            lines += [f"*Test.* `{entry.test}`"]
    return "\n".join(lines) + "\n"


def ledger_page(ledger: Path) -> str:
    """Return the claims ledger as a sortable page."""
    rows = [{head: row[key] for key, head in LEDGER.items()} for row in read_text(ledger)]
    return sortable(pd.DataFrame(rows, columns=list(LEDGER.values())), "Claims and the verdicts of their tests.")


def privacy_page(privacy: Path) -> str:
    """Return the privacy table as a sortable page."""
    rows = [{head: short(row[key]) for key, head in PRIVACY.items()} for row in read_text(privacy)]
    return sortable(
        pd.DataFrame(rows, columns=list(PRIVACY.values())), "Claimed and shown privacy loss of every algorithm."
    )
