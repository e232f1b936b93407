"""Words of a workflow on the terminal: how far it is, where results are, what goes on after a failure."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from dpbandits.core import escapes

# Mean processor seconds of a rule's jobs, measured at the full scale (docs/running.md); of other rules: OTHER.
SECONDS = {"simulate": 0.7, "aggregate": 0.4, "compute": 4.5, "figure": 1.6, "audit": 4.1}
OTHER = 1.0
# What SECONDS says counts as much as this number of finished jobs of a rule.
PRIOR = 2
# Letters of the bar.
WIDTH = 24
# Files that are named.
NAMED = 3
# Marks a record of Snakemake's logger as the workflow's last word, for `snakemake_logger_plugin_dpbandits`.
LAST = {"dpbandits_last": True}


class Pace:
    """How far a workflow is.

    Jobs of one rule count alike: at first as long as `SECONDS` says, then as long as those that are done took.

    Parameters
    ----------
    jobs
        How many jobs each rule has.
    clock
        Returns a time in seconds.
    """

    def __init__(self, jobs: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        self.total = sum(jobs.values())
        self._waiting = Counter(jobs)
        self._done: Counter[str] = Counter()
        self._took: dict[str, float] = defaultdict(float)
        self._clock = clock
        self._begun = clock()

    def finish(self, rule: str, seconds: float) -> None:
        """Count a job of a rule as done.

        Parameters
        ----------
        rule, seconds
            Whose job it was, and how long it took.
        """
        self._waiting[rule] -= 1
        self._done[rule] += 1
        self._took[rule] += seconds

    @property
    def done(self) -> int:
        """How many jobs are done."""
        return self._done.total()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._begun

    @property
    def share(self) -> float:
        """The share of the work that is done, from 0 to 1."""
        behind = sum(self._took.values())
        if not self.total - self.done:
            return 1.0
        # How much slower this machine is, or busier, than the one of SECONDS.
        slower = behind / (sum(number * _usual(rule) for rule, number in self._done.items()) or 1.0)
        ahead = sum(
            number * (PRIOR * slower * _usual(rule) + self._took[rule]) / (PRIOR + self._done[rule])
            for rule, number in self._waiting.items()
        )
        return behind / (behind + ahead) if behind else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left; None as long as nothing is done."""
        return self.elapsed * (1 / self.share - 1) if self.share else None

    def line(self, running: str = "") -> str:
        """Return a line: share, steps, time, and what runs."""
        left = "" if self.left is None else f", about {took(self.left)} left"
        words = [f"{self.share:.0%}", f"{self.done:,} of {self.total:,}", f"{took(self.elapsed)}{left}", running]
        return " · ".join(filter(None, words))

    def bar(self) -> str:
        """Return the share as a bar."""
        full = int(self.share * WIDTH)
        return "█" * full + "░" * (WIDTH - full)


def _usual(rule: str) -> float:
    return SECONDS.get(rule, OTHER)


def started(jobs: int, cores: int | None = None) -> str:
    """Return the line that a workflow begins with."""
    where = "" if cores is None else f" on {cores} core" + "s" * (cores != 1)
    return f"dpbandits: {jobs:,} steps{where}. Details: .snakemake/log. Ctrl-C is safe: the same command goes on."


def done(results: Path, begun: float, asked: Iterable[str] = ()) -> str:
    """Return where results are, in one line.

    Parameters
    ----------
    results
        The folder of results.
    begun
        When the workflow began, as `time.monotonic` has it.
    asked
        The files that were asked for, if not everything was.
    """
    pieces = [f"Done in {took(time.monotonic() - begun)}."]
    if files := sorted(map(str, asked)):
        return escapes.printable(f"{pieces[0]} Open {named(files)}")
    if (site := results / "site" / "index.html").is_file():
        pieces.append(f"Open {site}")
    if (ledger := results / "claims.csv").is_file():
        with ledger.open(encoding="utf-8", newline="") as file:
            pieces.append(f"· {len(escapes.read_rows(file))} claims: {results / 'claims.md'}")
    return escapes.printable(" ".join(pieces))


def failed(logs: Path) -> str:
    """Return where logs of failed jobs are, and the command that goes on."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return escapes.printable(f"Stopped. What is done stays. Logs of jobs: {logs}. To go on: {command}")


def named(files: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


def took(seconds: float) -> str:
    """Return a duration in words: seconds, then minutes, then hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
