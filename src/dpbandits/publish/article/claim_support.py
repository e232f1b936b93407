"""Support of claims: for each experiment and computation its command, its cost, and the claims that read it.

The ledger is the table of the papers' claims with their verdicts; it says which experiments, computations and
audits of privacy each claim's tests read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from dpbandits.publish.article.context import Facts
from dpbandits.runs.resource_usage import disk


class ClaimData(NamedTuple):
    """Data that claims rest on, with their cost: an experiment, a computation, or all audits of privacy.

    Attributes
    ----------
    target
        The file by which Snakemake makes them, such as ``results/PAPER/computed/NAME.csv``.
    minutes
        Processor time of the jobs that make them, in minutes; for an experiment also that of its runs.
    megabytes
        Size of their files on disk, in units of 10^6 bytes; for an experiment with the arrays of its runs.
    claims
        Names of the claims whose tests read them, as ``paper/id``.
    """

    target: str
    minutes: float
    megabytes: float
    claims: Sequence[str]


def data_of_claims(facts: Facts) -> list[ClaimData]:
    """Return each experiment and computation that tests of claims read, sorted by paper, kind and name.

    All audits of privacy are one entry, the first. ``facts`` has the claims, and what jobs have used; without logs
    of these the minutes are 0.
    """
    readers: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for claim in facts.claims:
        for source in filter(None, claim.sources.split("; ")):
            readers[_paper_kind_and_name(source)].append(claim.name)
    seconds: dict[tuple[str, str, str], float] = defaultdict(float)
    for took in facts.usages:
        paper, kind, *rest = took.where
        if paper in facts.config["papers"] and rest:
            name = rest[0].removesuffix(".tsv")
            # An experiment is its cells and their aggregate.
            seconds[paper, "aggregates" if kind == "cells" else kind, name] += took.seconds
        elif paper == "privacy":
            seconds["", "", "privacy"] += took.seconds
    found = []
    for (paper, kind, name), claims in sorted(readers.items()):
        folder = facts.results / paper
        folders = [folder / "cells" / name] if kind == "aggregates" else [facts.results / "privacy"] * (not paper)
        size = sum(disk(each) for each in folders if each.is_dir())
        file = folder / kind / f"{name}.csv"
        size += file.stat().st_size if file.is_file() else 0
        target = (PurePosixPath(facts.results.as_posix()) / paper / kind / f"{name}.csv").as_posix()
        found.append(ClaimData(target, seconds[paper, kind, name] / 60, size / 1e6, claims))
    return found


def _paper_kind_and_name(source: str) -> tuple[str, str, str]:
    """Return paper, kind and name of what a claim reads; runs are those of an experiment."""
    paper, _, rest = source.rstrip("/").partition("/")
    if not rest:
        return "", "", PurePosixPath(paper).stem
    kind, _, name = rest.partition("/")
    return paper, "aggregates" if kind == "cells" else kind, name.removesuffix(".csv")
