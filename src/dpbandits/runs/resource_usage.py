"""Resource usage of a finished workflow: processor time and memory from its logs, and disk."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class JobUsage(NamedTuple):
    """Time and memory of one job.

    Attributes
    ----------
    where
        Parts of the path of its log, below the folder of logs.
    seconds
        Processor time, in seconds.
    megabytes
        Peak memory, in megabytes.
    """

    where: tuple[str, ...]
    seconds: float
    megabytes: float


def logged(logs: Path) -> Iterator[JobUsage]:
    """Yield what each job took whose log is below a folder. Of one that was over before the first look: nothing."""
    for file in sorted(logs.glob("*/**/*.tsv")):
        with file.open(encoding="utf-8", newline="") as opened:
            (row,) = csv.DictReader(opened, delimiter="\t")
        seconds, memory = (
            float(row[key]) if row[key] not in ("-", "NA") else 0.0 for key in ("cpu_time", "max_rss")
        )
        yield JobUsage(file.relative_to(logs).parts, seconds, memory)


def disk(folder: Path, without: Collection[str] = ()) -> int:
    """Return the bytes of a folder's files, but of those in folders of some names."""
    return sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and not set(without) & set(file.relative_to(folder).parts)
    )


def cost(results: Path, papers: Collection[str]) -> dict[str, Any]:
    """Return what everything took: seconds of processor and MB of memory by part and kind of job, bytes of disk."""
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
