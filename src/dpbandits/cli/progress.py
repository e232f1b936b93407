"""Progress of `dpbandits simulate` and `dpbandits audit`, worded as in the workflow; summary of a simulation."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO

from dpbandits.core.errors import printable
from dpbandits.engine import terminal

if TYPE_CHECKING:
    from types import TracebackType

    from dpbandits.core.recording import Runs
    from dpbandits.runs.job import Job

# Seconds before anything is shown, on a terminal and in a file: what is over sooner needs no progress.
SECONDS_BEFORE_SHOWN, SECONDS_BEFORE_SHOWN_IN_FILES = 1.0, 10.0
# In a file: a line for each of these parts.
LINES_IN_FILES = 20
CONFIDENCE = 0.95
HOME, CLEAR = "\r", "\x1b[K"


class Progress:
    """Progress of some work, in one line of a terminal; in a file, a line for each twentieth of the work.

    Use it in ``with``, and call it with the number of things that are done, and optionally with words for what runs
    now. A line is such as ``40% · 8 of 20 runs · 20 s, about 30 s left · dp-imed``. Nothing is shown in the first
    second (in a file, ten seconds). At the end of the ``with`` block a terminal's line is removed, also after an
    error.

    Parameters
    ----------
    what
        Last words of the line, which say what runs.
    total, unit
        Number of things to do, and their name in plural, such as ``runs``. The attribute ``total`` may be changed.
    stream
        Stream that the line is written to; standard error by default.
    """

    def __init__(self, what: str, total: int, unit: str, stream: TextIO | None = None) -> None:
        """Begin to count the time; nothing is written yet."""
        self.what, self.total, self.unit = what, total, unit
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._begun = time.monotonic()
        self._first: tuple[float, int] | None = None
        self._part = 0
        self._written = False

    def __enter__(self) -> Progress:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Remove the line."""
        if self._written and self._is_terminal:
            self._write(HOME + CLEAR)

    def __call__(self, done: int, running: str = "") -> None:
        """Show that ``done`` of ``total`` things are done; ``running``, if given, takes the place of `what`."""
        elapsed, share = time.monotonic() - self._begun, min(1.0, done / max(1, self.total))
        if self._first is None:
            self._first = elapsed, done
        first, before = self._first
        if elapsed < (SECONDS_BEFORE_SHOWN if self._is_terminal else SECONDS_BEFORE_SHOWN_IN_FILES):
            return
        counted = f"{done:,} of {self.total:,} {self.unit}"
        # The first ones compile and say nothing of the others; nor do these of what is not counted and comes last.
        known = before < done < self.total
        left = (elapsed - first) * (self.total - done) / (done - before) if known else None
        if running and done >= self.total:
            # All that is counted is done: a share and an unknown time would say nothing of what still runs.
            line = printable(f"{self.unit} done · {running}")
        else:
            line = printable(terminal.line(share, counted, elapsed, left, running or self.what))
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"{HOME}{f'{terminal.bar(share)}  {line}'[:width]}{CLEAR}")
        elif (part := int(share * LINES_IN_FILES)) > self._part:
            self._part = part
            self._write(line + "\n")

    def _write(self, text: str) -> None:
        self._written = True
        self._stream.write(text)
        self._stream.flush()


def summary(job: Job, runs: Runs, seeds: range) -> str:
    """Return the regret at the horizon as lines of text: mean with interval, median, 95 % quantile, largest.

    Of a single run it is that run's regret alone. ``runs`` are the simulated runs of ``job``, and ``seeds`` their
    run numbers.
    """
    # Pandas is behind it, which no simulation of the pipeline imports.
    from dpbandits.runs.aggregate import statistics

    budget = "" if job.epsilon is None else f", epsilon = {job.epsilon:g}"
    number = f"run {seeds[0]}" if len(seeds) == 1 else f"{len(seeds):,} runs"
    lines = [f"{job.algorithm}{budget}, T = {job.horizon:,}, {number}; regret at T:"]
    last = runs.regret[:, -1:]
    if len(seeds) == 1:
        return "\n".join([*lines, f"  {last[0, 0]:,.6g}"])
    found = {name: float(values[0]) for name, values in statistics(last, CONFIDENCE).items()}
    rows = {
        "mean": f"{found['mean']:,.6g}, from {found['mean_low']:,.6g} to {found['mean_high']:,.6g} at 95 %, "
        "Student's t",
        "median": f"{found['q50']:,.6g}",
        "q95": f"{found['q95']:,.6g}",
        "largest": f"{found['maximum']:,.6g}",
    }
    return "\n".join([*lines, *(f"  {name:8}{text}" for name, text in rows.items())])
