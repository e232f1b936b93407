"""Register, ledger and privacy table as tables for readers: sortable pages of Snakemake's report, and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import yaml

from dpbandits.site.pages import sortable
from dpbandits.site.words import short

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


def read_register(path: Path, papers: Sequence[str]) -> list[dict[str, str]]:
    """Return the register's entries on papers, sorted by paper; within a paper the order is the file's."""
    register: list[dict[str, str]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [entry for paper in papers for entry in register if entry["paper"] == paper]


def register_page(register: Sequence[Mapping[str, str]]) -> str:
    """Return the register as a sortable page."""
    rows = [
        {
            "paper": entry["paper"],
            **{REGISTER[key]: entry[key] for key in REGISTER},
            REGISTER["test"]: f"`{entry['test']}`",
        }
        for entry in register
    ]
    return sortable(pd.DataFrame(rows), "Where a printed statement cannot be right, or cannot be run as printed.")


def register_markdown(register: Sequence[Mapping[str, str]], titles: Mapping[str, str]) -> str:
    """Return the register as Markdown: a section for each paper, a paragraph for each entry."""
    lines = ["# Discrepancies", "", "Where a printed statement cannot be right, or cannot be run as printed."]
    for paper, title in titles.items():
        own = [entry for entry in register if entry["paper"] == paper]
        lines += ["", f"## {paper}: {title}"] if own else []
        for entry in own:
            lines += ["", f"### {entry['place']}", "", f"*Printed.* {entry['printed']}", ""]
            lines += [f"*Why it cannot stand.* {entry['why'].strip()}", "", f"*Done.* {entry['done']}", ""]
            lines += [f"*Test.* `{entry['test']}`"]
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
