"""The register of discrepancies: read, and as one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml


def read(registers: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the entries of all papers' files, each with its paper; within a paper the order is the file's."""
    return [
        {"paper": paper, **entry}
        for paper, file in registers.items()
        for entry in yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    ]


def markdown(register: Sequence[Mapping[str, str]], titles: Mapping[str, str]) -> str:
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
