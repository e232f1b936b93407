"""Logger plugin for Snakemake: one line that tells how far the workflow is, instead of nine for each job.

``profiles/default`` chooses it. On a terminal the line is kept up to date; elsewhere there is a line each 5 %.
Snakemake's own words are in its log file as ever. ``--logger-dpbandits-every-line``, ``--verbose`` and
``--printshellcmds`` bring them to the terminal. A dry run is left to Snakemake.

Snakemake finds this package by its name and imports it at each start of any workflow. So it imports nothing of ours
before it is chosen.
"""

import logging
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

if TYPE_CHECKING:
    from dpbandits.engine.terminal import Pace

# Off a terminal: a line for each of these parts of the work.
PARTS = 20
# The last lines of a failed job's log that are shown.
SHOWN = 20
HOME, CLEAR = "\r", "\x1b[K"
# A message of Snakemake's that a person needs.
NEEDED = "Nothing to be done"
STOPPING = "Terminating processes on user request"
# Errors of Snakemake's that are left out, because what failed has been said.
SAID = ("RuleException", "Exiting because a job execution failed", "At least one job did not complete")


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options: ``every_line`` (``--logger-dpbandits-every-line``) leaves all lines to Snakemake's own logger."""

    every_line: bool = field(default=False, metadata={"help": "Print every line of Snakemake's, not one for all."})


class LogHandler(LogHandlerBase):
    """Handler of Snakemake's log records that shows one line: how much is done, the time left, and what runs."""

    settings: LogHandlerSettings
    has_filter = True
    has_formatter = True
    needs_rulegraph = False
    writes_to_file = False

    def __post_init__(self) -> None:
        """Begin with nothing known of the workflow."""
        from dpbandits.core.escapes import printable
        from dpbandits.engine import terminal

        self.words, self.printable = terminal, printable
        self.stream = sys.stderr
        self.pace: Pace | None = None
        self.cores: int | None = None
        # Jobs by number: rule and message.
        self.jobs: dict[int, tuple[str, str]] = {}
        # When each job that runs began.
        self.running: dict[int, float] = {}
        self.part = 0
        self.is_stopping = False
        self.over = threading.Event()
        self.is_terminal = self.stream.isatty()

    @property
    def writes_to_stream(self) -> bool:
        """Whether this handler writes to the terminal; if not, as in a dry run, Snakemake's own handler does."""
        common = self.common_settings
        # Of --quiet all, which is no word.
        silent = "ALL" in {getattr(word, "name", "") for word in common.quiet or ()}
        own = common.dryrun or common.verbose or common.debug_dag or common.printshellcmds or silent
        return not (own or self.settings.every_line)

    def emit(self, record: logging.LogRecord) -> None:
        """Note what a log record says of jobs, and update the line of progress.

        An error in this is printed, and never stops the workflow.
        """
        if not self.writes_to_stream or self.over.is_set():
            return
        try:
            self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the handler: remove the line of progress from a terminal, and ignore later records."""
        self.over.set()
        self._say()
        super().close()

    def _take(self, record: logging.LogRecord) -> None:
        """Note what a record says of the workflow, and say what a reader should know at once."""
        facts: dict[str, Any] = record.__dict__
        event = facts.get("event")
        if event == LogEvent.RESOURCES_INFO:
            self.cores = facts.get("cores", self.cores)
        elif event == LogEvent.RUN_INFO:
            self._begin(facts["stats"])
        elif event == LogEvent.JOB_INFO:
            self.jobs[facts["jobid"]] = facts["rule_name"], facts["rule_msg"] or facts["rule_name"]
        elif event == LogEvent.JOB_STARTED:
            self.running |= dict.fromkeys(facts["jobs"], record.created)
            self._show()
        elif event == LogEvent.JOB_FINISHED:
            self._finish(facts["job_id"], record.created)
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            for failed in facts.get("job_error_info") or (facts,):
                self._say(*() if self.is_stopping else self._failed(failed))
        elif facts.get("dpbandits_last"):
            self._say(record.getMessage())
            self.over.set()
        elif str(facts["msg"]).startswith(STOPPING):
            # What is killed now has not failed.
            self.is_stopping = True
            self._say("Stopping, as you asked: running jobs are ended.")
        elif str(facts["msg"]).startswith(NEEDED) or (record.levelno >= logging.WARNING and not _is_said(facts)):
            self._say(record.getMessage())

    def _begin(self, stats: dict[str, int]) -> None:
        jobs = {rule: number for rule, number in stats.items() if rule != "total"}
        self.pace = self.words.Pace(jobs)
        self._say(self.words.started(self.pace.total, self.cores))
        if self.is_terminal:
            threading.Thread(target=self._tick, daemon=True).start()

    def _tick(self) -> None:
        """Keep the time right while a job takes long."""
        while not self.over.wait(1):
            with self.lock:  # type: ignore[union-attr]
                self._show()

    def _finish(self, job: int, now: float) -> None:
        began = self.running.pop(job, now)
        if self.pace:
            self.pace.finish(self.jobs.pop(job, ("", ""))[0], now - began)
            self._show()

    def _failed(self, facts: dict[str, Any]) -> Iterator[str]:
        """Yield what failed, and the end of its log."""
        rule, message = self.jobs.get(facts["jobid"], (facts["rule_name"], facts["rule_name"]))
        self.running.pop(facts["jobid"], None)
        yield f"Failed: {message} ({rule})"
        for log in facts["log"]:
            yield f"  log: {log}"
            if self.common_settings.show_failed_logs and Path(log).is_file():
                text = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
                yield from (f"    {line}" for line in text[-SHOWN:])
        if files := facts["output"]:
            yield f"  would have made {self.words.named(files)}"

    def _show(self) -> None:
        """Bring the line up to date; off a terminal, write one if a twentieth is done."""
        if not self.pace or self.over.is_set():
            return
        _, running = self.jobs.get(next(reversed(self.running), -1), ("", ""))
        if self.is_terminal:
            line = self.printable(f"{self.pace.bar()}  {self.pace.line(running)}")
            self.stream.write(f"{HOME}{line[: shutil.get_terminal_size().columns - 1]}{CLEAR}")
            self.stream.flush()
        elif (part := int(self.pace.shown * PARTS)) > self.part:
            self.part = part
            self._say(self.pace.line())

    def _say(self, *lines: str) -> None:
        """Write lines that stay; the line that changes goes below them."""
        if self.is_terminal:
            self.stream.write(HOME + CLEAR)
        for line in lines:
            self.stream.write(self.printable(line) + "\n")
        self.stream.flush()


def _is_said(facts: dict[str, Any]) -> bool:
    """Whether an error of Snakemake's repeats that a job failed."""
    return str(facts["msg"]).startswith(SAID)
