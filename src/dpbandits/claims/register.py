"""The register of discrepancies as one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def markdown(register: Mapping[str, Sequence[Mapping[str, str]]], titles: Mapping[str, str]) -> str:
    """Return the register as Markdown: a section for each paper, a paragraph for each entry.

    Parameters
    ----------
    register
        The entries of each paper, as JSON data of `dpbandits.runs.register.Discrepancy`.
    titles
        Of the papers.
    """
    lines = ["# Discrepancies", "", "Where a printed statement cannot be right, or cannot be run as printed."]
    for paper, entries in register.items():
        lines += ["", f"## {paper}: {titles[paper]}"] if entries else []
        for entry in entries:
            lines += ["", f"### {entry['place']}", "", f"*Printed.* {entry['printed']}", ""]
            lines += [f"*Why it cannot stand.* {entry['why'].strip()}", "", f"*Done.* {entry['done']}", ""]
            lines += [f"*Test.* `{entry['test']}`"]
    return "\n".join(lines) + "\n"
