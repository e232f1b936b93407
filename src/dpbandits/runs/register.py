"""The register of discrepancies: where a printed statement cannot be right, or cannot be run as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from dpbandits.runs.config import Layer, conforming, parsed, placed
from dpbandits.runs.models import Config, Model, Text

Kind = Literal["false as stated", "gap in a proof, the result stands", "misprint", "left open, our choice"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Discrepancy(Model):
    """One entry."""

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
Register = Mapping[str, Sequence[Discrepancy]]


def load(config: Config) -> Register:
    """Return the entries of each paper of a configuration that has a file of them.

    Raises
    ------
    BadInput
        For the first thing found wrong: file, key path, value, and what is allowed.
    """
    found: dict[str, list[Discrepancy]] = {}
    for name, paper in config.papers.items():
        if paper.discrepancies is not None:
            content = parsed(Path(paper.discrepancies))
            with placed([Layer(paper.discrepancies, content)]):
                found[name] = conforming(list[Discrepancy], content)
    return found
