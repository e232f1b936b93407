"""Words of a workflow on the terminal: how far it is, where results are, what goes on after a failure."""

from __future__ import annotations

import math
import shlex
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from dpbandits.core import escapes

# Mean processor seconds of a rule's jobs, measured at the full scale (docs/running.md); of other rules: OTHER.
SECONDS = {
    "simulate": 0.7,
    "aggregate": 0.4,
    "compute": 4.2,
    "figure": 1.6,
    "audit": 4.4,
    "table": 0.2,
    "claim": 0.2,
    "kernel_group": 13.0,
}
OTHER = 1.0
# The same of an earlier run, from its logs; and which rule has logs below which folder of them.
EARLIER: dict[str, float] = {}
LOGGED = {
    "cells": "simulate",
    "aggregates": "aggregate",
    "computed": "compute",
    "figures": "figure",
    "tables": "table",
    "claims": "claim",
    "kernels": "kernel_group",
    "privacy": "audit",
}
# What is known of a rule counts as much as this number of finished jobs of it.
PRIOR = 2
# By how much the total of what is known counts, beside the mean of what is done: the last jobs of a rule may be its
# longest. And this share of all work, as fast as was known, steadies how fast this machine is found to be, if that
# is within these factors.
KNOWN, STEADY, ALIKE = 0.8, 0.2, (0.5, 2.0)
# Of the mean of what is done, what waits takes this share at least.
LEAST = 0.3
# The estimate of this machine's speed forgets: a job counts by 1/e after this share of all work. Jobs of a rule
# that ran before are scaled by it, within these factors.
MEMORY, SCALED = 0.15, (1 / 3, 3.0)
# A rule that has at least this share of what is left is heavy. As long as fewer than these of its jobs are done,
# and no earlier run tells, no time is said: on a first run such a rule decides how long it takes.
HEAVY, KNOWN_FROM = 0.1, 2
# Nor before this share of the work is done.
EARLY = 0.05
# Letters of the bar.
WIDTH = 20
# Files that are named.
NAMED = 3
# Marks a record of Snakemake's logger as the workflow's last word, for `snakemake_logger_plugin_dpbandits`.
LAST = {"dpbandits_last": True}


class Pace:
    """Progress of a workflow: the share of its work that is done, and the time that is left.

    All jobs of a rule count alike. At first their mean seconds are those of an earlier run, or of `SECONDS`, which
    were measured at the full scale. Then the finished jobs tell.

    Parameters
    ----------
    jobs
        Number of jobs of each rule, by the rule's name.
    clock
        Function that returns a time in seconds.
    """

    def __init__(self, jobs: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        self.total = sum(jobs.values())
        self._jobs = dict(jobs)
        self._waiting = Counter(jobs)
        self._done: Counter[str] = Counter()
        self._took: dict[str, float] = defaultdict(float)
        # Seconds of jobs lately, and what is usual for them.
        self._lately, self._usually = 0.0, 0.0
        self._whole = sum(number * _usual(rule) for rule, number in jobs.items()) or 1.0
        self._clock = clock
        self._begun = clock()
        self._shown = 0.0

    def finish(self, rule: str, seconds: float) -> None:
        """Count a job of a rule as done.

        Parameters
        ----------
        rule, seconds
            Name of the job's rule, and the seconds that the job took.
        """
        self._waiting[rule] -= 1
        self._done[rule] += 1
        self._took[rule] += seconds
        # Both sums forget alike, see `MEMORY`: their ratio is how slow this machine is lately.
        kept = math.exp(-_usual(rule) / (MEMORY * self._whole))
        self._lately = kept * self._lately + seconds
        self._usually = kept * self._usually + _usual(rule)

    @property
    def done(self) -> int:
        """The number of jobs that are done."""
        return self._done.total()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._begun

    @property
    def share(self) -> float:
        """The estimated share of the work that is done, from 0 to 1; work is measured in seconds of jobs."""
        behind = sum(self._took.values())
        if not self.total - self.done:
            return 1.0
        ahead = sum(self._ahead().values())
        return behind / (behind + ahead) if behind else 0.0

    def _ahead(self) -> dict[str, float]:
        """Return the seconds that each rule's jobs will take that are not done."""
        behind = sum(self._took.values())
        expected = sum(number * _usual(rule) for rule, number in self._done.items())
        # How much slower this machine is, or busier, than the one of what is known: all the time, and lately.
        always, lately = behind / (expected or 1.0), self._lately / (self._usually or 1.0)
        scale = min(max(lately / (always or 1.0), SCALED[0]), SCALED[1])
        if ALIKE[0] <= lately <= ALIKE[1]:
            steady = STEADY * self._whole
            lately = (lately * expected + steady) / (expected + steady)
        return {
            rule: self._of_rule(rule, lately or 1.0, scale) for rule, number in self._waiting.items() if number > 0
        }

    def _of_rule(self, rule: str, slower: float, scale: float) -> float:
        waiting, usual, took = self._waiting[rule], slower * _usual(rule), scale * self._took[rule]
        by_mean = waiting * (PRIOR * usual + took) / (PRIOR + self._done[rule])
        by_total = max(self._jobs[rule] * usual - took, LEAST * by_mean)
        return KNOWN * by_total + (1.0 - KNOWN) * by_mean

    @property
    def left(self) -> float | None:
        """Estimated seconds until the end, or ``None`` while too little is known for an estimate.

        That is before 5 % of the work is done. It is also while a rule with a tenth of the work left has fewer than
        two finished jobs, and no earlier run tells how long they take.
        """
        share = self.share
        if share in (0.0, 1.0):
            return None if share == 0.0 else 0.0
        ahead = self._ahead()
        unknown = [
            rule
            for rule, seconds in ahead.items()
            if seconds >= HEAVY * sum(ahead.values()) and self._done[rule] < min(KNOWN_FROM, self._jobs[rule])
        ]
        if (unknown and not all(rule in EARLIER for rule in unknown)) or share < EARLY:
            return None
        return self.elapsed * (1 / share - 1)

    @property
    def shown(self) -> float:
        """The largest `share` so far: estimates may fall, but the bar does not go back."""
        self._shown = max(self._shown, self.share)
        return self._shown

    def line(self, running: str = "") -> str:
        """Return the progress in one line: share, steps, times, and ``running``, the job that runs, in words."""
        return line(self.shown, f"{self.done:,} of {self.total:,}", self.elapsed, self.left, running)

    def bar(self) -> str:
        """Return the largest share so far as a bar of 20 letters (`WIDTH`), ``█`` for what is done and ``░``."""
        return bar(self.shown)


def line(share: float, counted: str, elapsed: float, left: float | None, running: str = "") -> str:
    """Return the progress of some work in one line, such as ``40% · 4 of 10 · 20 s, about 30 s left``.

    Parameters
    ----------
    share, counted
        Share of the work that is done, from 0 to 1, and the count of what is done, in words.
    elapsed, left
        Seconds since the start, and seconds that are left, ``None`` if unknown.
    running
        Name of what runs now; empty to leave it out.
    """
    ahead = "time left unknown" if left is None else f"about {took(left)} left"
    return " · ".join(filter(None, [f"{share:.0%}", counted, f"{took(elapsed)}, {ahead}", running]))


def bar(share: float) -> str:
    """Return a share, from 0 to 1, as a bar of 20 letters (`WIDTH`), ``█`` for what is done and ``░``."""
    full = int(share * WIDTH)
    return "█" * full + "░" * (WIDTH - full)


def _usual(rule: str) -> float:
    return EARLIER.get(rule, SECONDS.get(rule, OTHER))


def remember(logs: Path) -> None:
    """Take the mean seconds of each rule's jobs from the logs of an earlier run, for the estimates of `Pace`.

    ``logs`` is the folder of logs; without any, nothing changes.
    """
    from dpbandits.runs.resource_usage import logged

    found: dict[str, list[float]] = defaultdict(list)
    for (part, kind, *_), seconds, _ in logged(logs):
        if rule := LOGGED.get(part, LOGGED.get(kind)):
            found[rule].append(seconds)
    EARLIER.update({rule: sum(took) / len(took) for rule, took in found.items()})


def started(jobs: int, cores: int | None = None) -> str:
    """Return the line that a workflow begins with: its number of ``jobs``, and of ``cores`` if that is given."""
    where = "" if cores is None else f" on {cores} core" + "s" * (cores != 1)
    return f"dpbandits: {jobs:,} steps{where}. Details: .snakemake/log. Ctrl-C is safe: the same command goes on."


def done(results: Path, begun: float, asked: Iterable[str] = ()) -> str:
    """Return the last line of a workflow, on where results are: ``Done in 5 min. Open results/site/index.html``.

    The number of claims and the file ``claims.md`` follow, if there is a ledger of claims. With ``asked`` the line
    names the files that were asked for instead.

    Parameters
    ----------
    results
        The folder of results.
    begun
        Time at which the workflow began, in seconds of `time.monotonic`.
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
    """Return the last line of a failed workflow: where the jobs' logs are, and the command to go on with.

    ``logs`` is the folder of logs. The command is that of this process.
    """
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return escapes.printable(f"Stopped. What is done stays. Logs of jobs: {logs}. To go on: {command}")


def named(files: Sequence[str]) -> str:
    """Return the first three of some files' names (`NAMED`), and how many more: "a, b, c and 2 more"."""
    more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
    return ", ".join(files[:NAMED]) + more


def took(seconds: float) -> str:
    """Return ``seconds`` in words: ``"90 s"`` below two minutes, ``"5 min"`` below two hours, else ``"2.5 h"``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
