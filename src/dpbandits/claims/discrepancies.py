"""The register of discrepancies: what is wrong, left open or asked in the printed texts, and what stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from dpbandits.runs.config import Layer, conforming, placed
from dpbandits.runs.models import Config
from dpbandits.runs.safe_yaml import parsed
from dpbandits.runs.values import Model, Text

Kind = Literal[
    "false as stated",
    "gap in a proof, the result stands",
    "misprint",
    "left open, our choice",
    "asked by the paper, answered",
]
DISCREPANCY_KINDS: tuple[Kind, ...] = get_args(Kind)
HEAD = """\
# Register

What a replication found in the printed text: each entry says what is printed, why it is here, and what stands.
There are five kinds: *false as stated*; *gap in a proof, the result stands*; *misprint*; *left open, our choice*;
and *asked by the paper, answered*. The last two are no faults of a paper: something had to be chosen, and this says
what; or the paper asks, and this says what the answer is.
"""


class Discrepancy(Model):
    """One entry of the register, as a paper's file of discrepancies has it."""

    id: Text = Field(description="Its name, by which pages link to it.")
    kind: Kind = Field(description="What it is, the strongest first in a paper's file.")
    place: Text = Field(description="Where the statement stands in the paper.")
    printed: Text = Field(description="What is printed, in our words.")
    why: Text = Field(description="Why it is on the register.")
    stands: Text = Field(description="What of the statement stands.")
    done: Text = Field(description="What was done.")
    test: Text = Field(description="The test that shows it: file and function, as pytest takes them.")
    certificate: str = Field("", description="What proves it: a name of `dpbandits certify`.")


# Of each paper that has any, in the order of its file.
Entries = Mapping[str, Sequence[Mapping[str, str]]]
Register = Mapping[str, Sequence[Discrepancy]]


def load(config: Config) -> Register:
    """Return the register's entries, by paper, of all papers of a configuration that have a file of them.

    Raises
    ------
    BadInput
        For the first fault, with file, key path, value, and what is allowed.
    """
    found: dict[str, list[Discrepancy]] = {}
    for name, paper in config.papers.items():
        if paper.discrepancies is not None:
            content = parsed(Path(paper.discrepancies))
            with placed([Layer(paper.discrepancies, content)]):
                found[name] = conforming(list[Discrepancy], content)
    return found


def entries(config: Config) -> Entries:
    """Return the entries of each paper, by its id, as JSON data: the fields of `Discrepancy` by name."""
    return {
        paper: [entry.model_dump(mode="json") for entry in of_paper] for paper, of_paper in load(config).items()
    }


def markdown(
    register: Mapping[str, Sequence[Mapping[str, str]]], titles: Mapping[str, str], kinds: Sequence[str]
) -> str:
    """Return the register as Markdown: counts, then a section for each paper, its strongest kinds first.

    Parameters
    ----------
    register
        The entries of each paper, as JSON data of `Discrepancy`.
    titles
        Titles of the papers, by id.
    kinds
        All kinds of entries, the strongest first.
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
