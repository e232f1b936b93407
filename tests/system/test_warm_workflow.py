"""Warm starts in Snakemake: the same files, failures and measurements, and nothing left of a killed workflow."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from projects import Finished, copied, environment, left, tiny
from snakemakes import Snakemake

# Jobs of both kinds: one that is long, one that is short, one that fails.
WORKFLOW = """
from dpbandits.engine.snakemake_patches import apply

apply()

rule all:
    input: expand("made/{i}", i=range(4))

rule one:
    output: "made/{i}"
    log: "logs/{i}.log"
    benchmark: "logs/{i}.tsv"
    script: "one.py"
"""
SCRIPT = """
import os, pathlib, sys, time
job = snakemake.wildcards.i
pathlib.Path(f"started.{job}").write_text(str(os.getppid()))
if job == str(snakemake.config.get("fails")):
    sys.exit("no more")
time.sleep(float(snakemake.config.get("seconds", 0)))
pathlib.Path(snakemake.output[0]).write_text(job)
"""


class Run(Snakemake):
    """A workflow that runs in a folder; the processes that it starts carry a mark."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.mark = uuid.uuid4().hex
        given = {**os.environ, **environment, "MARK": self.mark}
        super().__init__(folder, ("--cores", "2", "--scheduler", "greedy", *arguments), given)

    def family(self) -> list[psutil.Process]:
        """Return the processes that are of it, itself first."""
        found = [psutil.Process(self.pid)] if self.process.is_alive() else []
        for process in psutil.process_iter():
            try:
                if process.environ().get("MARK") == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found


@pytest.fixture
def simple(tmp_path: Path) -> Path:
    """Return a folder with a workflow of four jobs."""
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    (tmp_path / "one.py").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is so, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def begun(folder: Path) -> int:
    """Return how many jobs have said that they started: a file is there before what is in it."""
    return sum(file.stat().st_size > 0 for file in folder.glob("started.*"))


def starters(folder: Path) -> set[str]:
    """Return the numbers of the processes that started jobs."""
    return {file.read_text("utf-8") for file in folder.glob("started.*")}


def test_jobs_start_warm_unless_a_person_says_no(simple: Path) -> None:
    """One parent for all, which is not the workflow; with ``DPBANDITS_COLD`` Snakemake starts each job itself."""
    warm = Run(simple)
    warm.end()
    assert len(starters(simple)) == 1
    assert starters(simple) != {str(warm.pid)}
    shutil.rmtree(simple / "made")
    cold = Run(simple, DPBANDITS_COLD="1")
    cold.end()
    # By way of a shell, which may be gone by then.
    assert starters(simple) == {str(cold.pid)} or len(starters(simple)) == 4


def test_a_job_that_fails_is_a_job_that_fails(simple: Path) -> None:
    """Its output is not there, what does not depend on it is, and the workflow says so."""
    said = Run(simple, "--keep-going", "--config", "fails=2").end(status=1)
    assert "Error in rule one" in said
    assert "no more" in said
    assert sorted(file.name for file in simple.glob("made/*")) == ["0", "1", "3"]


def test_measurements_are_those_of_the_job(simple: Path) -> None:
    """Seconds on the clock and of the processor, and memory; of a longer one also what Snakemake looks at."""
    Run(simple, "--config", "seconds=0.8", "--", "made/0").end()
    (row,) = csv.DictReader((simple / "logs/0.tsv").read_text("utf-8").splitlines(), delimiter="\t")
    assert 0.8 <= float(row["s"]) < 5
    assert 0 < float(row["cpu_time"]) < 2
    assert 10 < float(row["max_rss"]) < 500
    assert 0 < float(row["mean_load"]) < 150
    assert float(row["max_uss"]) < float(row["max_rss"]) < float(row["max_vms"])


@pytest.mark.slow
@pytest.mark.parametrize("whom", ["workflow", "group", "parent", "job"])
def test_a_kill_leaves_nothing_that_runs(simple: Path, whom: str) -> None:
    """Whatever is killed; and then the same command does what is left."""
    run = Run(simple, "--config", "seconds=30")
    wait_for(lambda: begun(simple) == 2)
    before = run.family()
    assert len(before) == 4
    (parent,) = map(int, starters(simple))
    if whom == "workflow":
        run.process.kill()
    elif whom == "group":
        os.killpg(run.pid, signal.SIGKILL)
    elif whom == "parent":
        psutil.Process(parent).kill()
    else:
        for job in psutil.Process(parent).children():
            job.kill()
    said = run.end(status=None)
    assert run.process.exitcode != 0
    wait_for(lambda: not run.family())
    assert not list(simple.glob("made/*"))
    if whom in ("parent", "job"):
        assert "died with <Signals.SIGKILL: 9>" in said
    shutil.rmtree(simple / ".snakemake" / "locks", ignore_errors=True)
    Run(simple, "--rerun-incomplete").end()
    assert len(list(simple.glob("made/*"))) == 4


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_workflow_and_its_jobs(simple: Path, number: int) -> None:
    """Ctrl-C goes to the whole group, as from a terminal. SIGTERM lets running jobs finish, as Snakemake has it."""
    run = Run(simple, "--config", "seconds=3")
    wait_for(lambda: begun(simple) == 2)
    if number == signal.SIGINT:
        os.killpg(run.pid, number)
    else:
        os.kill(run.pid, number)
    run.end(status=1)
    assert not run.family()
    assert len(list(simple.glob("made/*"))) == (0 if number == signal.SIGINT else 2)
    assert len(list(simple.glob("started.*"))) == 2


@pytest.mark.slow
def test_cold_and_warm_workflows_make_the_same_bytes(tiny_run: Finished, tmp_path: Path) -> None:
    """Arrays, aggregates, figures, site and seals of two workflows, and neither leaves a process."""
    cold = copied(tmp_path / "cold", tiny())
    arguments = ("--cores", "2", "--configfile", "mine.yaml")
    said = Snakemake(cold, arguments, environment(cold, DPBANDITS_COLD="1")).end()
    assert not left(cold)
    assert "start cold" not in said + tiny_run.said
    made = [
        {
            str(file.relative_to(folder)): file.read_bytes()
            for top in ("results", "figures")
            for file in folder.glob(f"{top}/**/*")
            if file.is_file() and "logs" not in file.parts
        }
        for folder in (cold, tiny_run.folder)
    ]
    assert len(made[0]) > 15
    assert made[0] == made[1]
