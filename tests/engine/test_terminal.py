"""A workflow's terminal: how far it is in few lines, then where results are, or what goes on."""

from __future__ import annotations

import io
import logging
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from dpbandits.engine import terminal
from snakemake_logger_plugin_dpbandits import LogHandler, LogHandlerSettings

SHOWN = {"quiet": (), "dryrun": False, "verbose": False, "debug_dag": False, "printshellcmds": False}
# Of the full scale.
JOBS = {"simulate": 2094, "aggregate": 69, "compute": 28, "figure": 46, "audit": 84, "table": 5}


class Terminal(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def test_the_end_names_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site and the ledger, each only if it is there; or the files that were asked for."""
    # A clock that stands: a pause of half a second would be told as one.
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=lambda: 10_000.0))
    assert terminal.done(tmp_path, 10_000.0) == "Done in 0 s."
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").touch()
    (tmp_path / "claims.csv").write_text("id\na\nb\n", encoding="utf-8")
    said = terminal.done(tmp_path, 10_000.0 - 24 * 60)
    assert said == f"Done in 24 min. Open {tmp_path}/site/index.html · 2 claims: {tmp_path}/claims.md"
    assert terminal.done(tmp_path, 10_000.0, ["b.pdf", "a.pdf"]) == "Done in 0 s. Open a.pdf, b.pdf"


def test_a_failure_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its options; and nothing that steers a terminal."""
    monkeypatch.setattr(sys, "argv", ["/bin/snakemake", "--cores", "2", "a b", "\x1b[2J"])
    said = terminal.failed(Path("results/logs"))
    assert "results/logs" in said
    assert "snakemake --cores 2 'a b'" in said
    assert said.isprintable()


def test_the_time_left_is_right_after_the_first_fifth() -> None:
    """Within 25 % of the whole, on a machine three times as slow, in which one rule takes longer than usual."""
    draw = random.Random(0)
    rules = [rule for rule, number in JOBS.items() for _ in range(number)]
    draw.shuffle(rules)
    mean = {rule: 3 * terminal.SECONDS.get(rule, terminal.OTHER) for rule in JOBS} | {"figure": 20.0}
    took = [draw.expovariate(1 / mean[rule]) for rule in rules]
    now, whole = 0.0, sum(took)
    pace = terminal.Pace(JOBS, lambda: now)
    assert pace.left is None
    for rule, seconds in zip(rules, took, strict=True):
        now += seconds
        pace.finish(rule, seconds)
        assert now < whole / 5 or abs((pace.left or 0.0) - (whole - now)) < whole / 4
    assert (pace.share, pace.left) == (1.0, 0.0)


def test_a_first_run_says_no_time_before_its_heavy_rules_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits are a third, begin after half, and the machine has become three times slower: then it is told."""
    monkeypatch.setattr(terminal, "EARLIER", {})
    jobs = {"kernel_group": 9, "simulate": 900, "audit": 44}
    took = [("kernel_group", 13.0)] * 9 + [("simulate", 0.6)] * 200 + [("simulate", 1.8)] * 500
    took += [one for pair in zip([("audit", 13.0)] * 44, [("simulate", 1.8)] * 44, strict=True) for one in pair]
    took += [("simulate", 1.8)] * 156
    now, whole = 0.0, sum(seconds for _, seconds in took)
    pace = terminal.Pace(jobs, lambda: now)
    said, shares = [], []
    for rule, seconds in took[:-1]:
        now += seconds
        pace.finish(rule, seconds)
        said.append(pace.left)
        shares.append(pace.shown)
        assert "time left unknown" in pace.line() or pace.left is not None
    first = next(i for i, left in enumerate(said) if left is not None)
    assert took[: first + 1].count(("audit", 13.0)) == 2
    times = [sum(seconds for _, seconds in took[: i + 1]) for i in range(len(said))]
    assert all(
        abs((left or 0.0) - (whole - at)) < whole / 4 for left, at in zip(said[first:], times[first:], strict=True)
    )
    assert shares == sorted(shares)
    # An earlier run of the same tells from the beginning.
    monkeypatch.setattr(terminal, "EARLIER", {"audit": 13.0, "simulate": 1.8})
    pace = terminal.Pace(jobs, lambda: 100.0)
    for _ in range(100):
        pace.finish("simulate", 1.8)
    assert pace.left is not None


def test_an_earlier_run_says_how_long_rules_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within 25 % of the whole from the first fifth on, though the long jobs of a rule are its last."""
    monkeypatch.setattr(terminal, "EARLIER", {})
    for i in range(40):
        for place, seconds in ((f"paper/cells/{i}.tsv", 0.1 if i < 30 else 2.0), (f"paper/tables/{i}.tsv", 1.0)):
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).write_text(f"s\tcpu_time\tmax_rss\n9\t{seconds}\t-\n", encoding="utf-8")

    def worst() -> float:
        took = [
            (rule, long if i >= 30 else short)
            for rule, short, long in (("table", 1.0, 1.0), ("simulate", 0.1, 2.0))
            for i in range(40)
        ]
        now, whole, errors = 0.0, sum(seconds for _, seconds in took), []
        pace = terminal.Pace({"simulate": 40, "table": 40}, lambda: now)
        for rule, seconds in took[:-1]:
            now += seconds
            pace.finish(rule, seconds)
            errors.append(0.0 if now < whole / 5 else abs((pace.left or 0.0) - (whole - now)) / whole)
        return max(errors)

    assert worst() > 0.25
    terminal.remember(tmp_path)
    assert pytest.approx({"simulate": (30 * 0.1 + 10 * 2.0) / 40, "table": 1.0}) == terminal.EARLIER
    assert worst() < 0.25
    terminal.remember(tmp_path / "nowhere")
    assert set(terminal.EARLIER) == {"simulate", "table"}


def workflow(is_terminal: bool, *, interrupted: bool = False) -> str:
    """Return what the handler writes of the full scale, in which one job fails."""
    handler = LogHandler(SimpleNamespace(**SHOWN, show_failed_logs=True), LogHandlerSettings())
    handler.stream = Terminal(is_terminal=is_terminal)
    handler.is_terminal = is_terminal

    def tell(event: LogEvent | None, message: str = "", level: int = logging.INFO, **facts: Any) -> None:
        record = logging.LogRecord("", level, "", 0, message, (), None)
        record.__dict__.update(facts, event=event)
        handler.handle(record)

    tell(LogEvent.RESOURCES_INFO, cores=2)
    tell(LogEvent.RUN_INFO, stats=JOBS | {"total": sum(JOBS.values())})
    for job, rule in enumerate(rule for rule, number in JOBS.items() for _ in range(number)):
        tell(None, "Select jobs to execute...")
        tell(LogEvent.JOB_INFO, jobid=job, rule_name=rule, rule_msg=f"Making {job}", reason="x" * 200_000)
        tell(LogEvent.JOB_STARTED, jobs=[job])
        if job == 7:
            if interrupted:
                tell(None, "Terminating processes on user request, this might take some time.")
            files = [f"{number}.csv" for number in range(100_000)]
            tell(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=job, rule_name=rule, log=["a.log"], output=files)
            tell(LogEvent.ERROR, "RuleException:\nCalledProcessError", level=logging.ERROR)
        else:
            tell(LogEvent.JOB_FINISHED, job_id=job)
    tell(None, "Stopped.", **terminal.LAST)
    tell(LogEvent.ERROR, "At least one job did not complete successfully.", level=logging.ERROR)
    handler.close()
    return handler.stream.getvalue()


def test_a_file_gets_a_line_for_each_twentieth() -> None:
    """With what failed, where its log is, and the last word at the end."""
    lines = workflow(is_terminal=False).splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) < 200
    assert (
        lines[0] == f"dpbandits: {sum(JOBS.values()):,} steps on 2 cores. " + terminal.started(1).partition(". ")[2]
    )
    assert lines[1:4] == [
        "Failed: Making 7 (simulate)",
        "  log: a.log",
        "  would have made 0.csv, 1.csv, 2.csv and 99997 more",
    ]
    assert lines[-1] == "Stopped."


def test_a_terminal_keeps_one_line() -> None:
    """Few lines stay; what is killed on request has not failed."""
    text = workflow(is_terminal=True, interrupted=True)
    stays = [line.rpartition("\r")[2] for line in text.split("\n")]
    assert [line.removeprefix("\x1b[K") for line in stays] == [
        terminal.started(sum(JOBS.values()), 2),
        "Stopping, as you asked: running jobs are ended.",
        "Stopped.",
        "\x1b[K"[3:],
    ]
    assert "Making 100" in text
    assert "left" in text


@pytest.mark.parametrize(
    "asked", [*({name: True} for name in SHOWN if name != "quiet"), {"quiet": [SimpleNamespace(name="ALL")]}]
)
def test_snakemake_speaks_where_it_is_asked_to(asked: dict[str, Any]) -> None:
    """A dry run, --verbose and the like; and by the option that turns this off."""
    assert LogHandler(SimpleNamespace(**SHOWN), LogHandlerSettings()).writes_to_stream
    assert not LogHandler(SimpleNamespace(**SHOWN), LogHandlerSettings(every_line=True)).writes_to_stream
    assert not LogHandler(SimpleNamespace(**SHOWN | asked), LogHandlerSettings()).writes_to_stream
