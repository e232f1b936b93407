"""Resource usage of a finished workflow: processor time and memory from its logs, and disk."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, TypedDict


class JobUsage(NamedTuple):
    """Time and memory of one job.

    Attributes
    ----------
    where
        Parts of the path of its log below the folder of logs, such as ``("smith2026", "figures", "fig4.tsv")``.
    seconds
        Processor time, in seconds.
    megabytes
        Peak memory, in megabytes.
    """

    where: tuple[str, ...]
    seconds: float
    megabytes: float


class PartCost(TypedDict):
    """Number of jobs of a paper, or another part of the workflow, and their processor time in seconds."""

    jobs: int
    seconds: int


class KindCost(PartCost):
    """Number of jobs of a kind, such as ``cells`` or ``figures``, and their processor time in seconds.

    ``longest`` is the processor time of the longest job, in seconds. ``memory`` and ``largest`` are the median and
    the largest peak memory of a job, in megabytes.
    """

    longest: float
    memory: int
    largest: int


class Cost(TypedDict):
    """Cost of a workflow by part and by kind of job, and the bytes of its results.

    Site, article and crate (the zip file of all results) are left out of the bytes.

    Parts are papers, by id, and ``privacy`` or ``kernels``, which are of no paper. Kinds are these two, and folders
    of a paper's logs such as ``cells`` and ``figures``.
    """

    parts: dict[str, PartCost]
    kinds: dict[str, KindCost]
    bytes: int


def logged(logs: Path) -> Iterator[JobUsage]:
    """Yield the usage of each job with a table by Snakemake, ``*.tsv``, in a folder of ``logs`` or below it.

    A job that ended before it was first measured has 0 seconds and 0 megabytes.
    """
    for file in sorted(logs.glob("*/**/*.tsv")):
        with file.open(encoding="utf-8", newline="") as opened:
            (row,) = csv.DictReader(opened, delimiter="\t")
        seconds, memory = (
            float(row[key]) if row[key] not in ("-", "NA") else 0.0 for key in ("cpu_time", "max_rss")
        )
        yield JobUsage(file.relative_to(logs).parts, seconds, memory)


def disk(folder: Path, without: Collection[str] = ()) -> int:
    """Return the bytes of a folder's files, without the files and folders whose names are in ``without``."""
    return sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and not set(without) & set(file.relative_to(folder).parts)
    )


def cost(results: Path, papers: Collection[str]) -> Cost:
    """Return the cost of a finished workflow, from logs and files below ``results``, its folder of results.

    Each of ``papers``, given by id, is a part of the cost, even if it has no logs.
    """
    parts: dict[str, list[float]] = {paper: [] for paper in papers}
    kinds: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (part, kind, *_), seconds, memory in logged(results / "logs"):
        parts.setdefault(part, []).append(seconds)
        kinds[kind if part in papers else part].append((seconds, memory))
    return {
        "parts": {name: {"jobs": len(found), "seconds": round(sum(found))} for name, found in parts.items()},
        "kinds": {
            name: {
                "jobs": len(found),
                "seconds": round(sum(seconds for seconds, _ in found)),
                "longest": round(max(seconds for seconds, _ in found), 1),
                "memory": round(statistics.median(memory for _, memory in found)),
                "largest": round(max(memory for _, memory in found)),
            }
            for name, found in sorted(kinds.items())
        },
        "bytes": disk(results, without=("site", "article", "crate.zip")),
    }
