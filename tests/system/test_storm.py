"""Snakemake's scheduler asks itself to look again once a second, not ever more often."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from snakemakes import Snakemake

WORKFLOW = """
import threading
from dpbandits.engine.snakemake_patches import apply

apply()

rule all:
    input: expand("made/{i}", i=range(60))

rule one:
    output: touch("made/{i}")
    shell: "true"

onsuccess:
    print("timers:", sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()))
"""


def timers(folder: Path, workflow: str, *arguments: str) -> int:
    """Return how many timers wait at the end of sixty jobs of nothing."""
    (folder / "Snakefile").write_text(workflow, encoding="utf-8")
    given = ("--cores", "2", "--scheduler", "greedy", "--quiet", "all", *arguments)
    return int(Snakemake(folder, given, os.environ).end().split("timers:")[1])


@pytest.mark.parametrize("arguments", [[], ["--max-jobs-per-timespan", "20/1s"]])
def test_one_timer_waits_however_many_jobs_have_run(tmp_path: Path, arguments: list[str]) -> None:
    """With the limit that Snakemake has by default, and with one that holds jobs back."""
    assert timers(tmp_path, WORKFLOW, *arguments) <= 1


def test_snakemake_needs_the_change(tmp_path: Path) -> None:
    """When this fails, Snakemake has been mended: remove ``look_again``."""
    assert timers(tmp_path, WORKFLOW.replace("\napply()\n", "\n")) > 10
