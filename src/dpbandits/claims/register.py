"""The register as one text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

HEAD = """\
# Register

What a replication found in the printed text: each entry says what is printed, why it is here, and what stands.
There are four kinds: *false as stated*; *gap in a proof, the result stands*; *misprint*; and *left open, our
choice*, which is no fault of a paper: something had to be chosen, and this says what.
"""


def markdown(
    register: Mapping[str, Sequence[Mapping[str, str]]], titles: Mapping[str, str], kinds: Sequence[str]
) -> str:
    """Return the register as Markdown: counts, then a section for each paper, its strongest kinds first.

    Parameters
    ----------
    register
        The entries of each paper, as JSON data of `dpbandits.runs.register.Discrepancy`.
    titles
        Of the papers.
    kinds
        All kinds, the strongest first.
    """
    lines = [HEAD, f"| paper | {' | '.join(kinds)} |", f"|---|{'---:|' * len(kinds)}"]
    for paper, entries in register.items():
        counts = Counter(entry["kind"] for entry in entries)
        lines.append(f"| `{paper}` | {' | '.join(str(counts[kind]) for kind in kinds)} |")
    for paper, entries in register.items():
        lines += ["", f"## {paper}: {titles[paper]}"]
        for kind in kinds:
            own = [entry for entry in entries if entry["kind"] == kind]
            lines += ["", f"### {kind.capitalize()}"] if own else []
            for entry in own:
                lines += ["", f"#### {entry['place']}", "", f"*Printed.* {entry['printed'].strip()}", ""]
                lines += [f"*Why.* {entry['why'].strip()}", "", f"*What stands.* {entry['stands'].strip()}", ""]
                lines += [f"*Done.* {entry['done'].strip()}", "", f"*Test.* `{entry['test']}`"]
                lines += (
                    [f"*Certificate.* `dpbandits certify {entry['certificate']}`"] if entry["certificate"] else []
                )
    return "\n".join(lines) + "\n"
