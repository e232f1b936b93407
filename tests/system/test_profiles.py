"""The profiles for schedulers know every rule that a scheduler sees."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import shipped
import yte  # type: ignore[import-untyped]


def rules(root: Path) -> dict[str, str]:
    """Return the text of each rule by its name."""
    return {
        match[1]: match[2]
        for file in (root / "workflow" / "rules").glob("*.smk")
        for match in re.finditer(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", file.read_text(encoding="utf-8"), re.M | re.S)
    }


def submitted(root: Path) -> set[str]:
    """Return the rules that are not run where Snakemake runs."""
    return {name for name, text in rules(root).items() if "\n    localrule: True\n" not in text}


@pytest.mark.parametrize("profile", ["slurm", "slurm-arrays", "generic"])
def test_no_rule_reaches_a_scheduler_job_by_job(root: Path, profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule without a group, or an array, would flood it with jobs of seconds."""
    monkeypatch.chdir(root)
    settings = yte.process_yaml(Path(f"profiles/{profile}/config.yaml").read_text(encoding="utf-8"))
    arrays = {settings["slurm-array-jobs"]} if "slurm-array-jobs" in settings else set()
    assert set(settings["groups"]) | arrays == submitted(root)
    assert not set(settings["groups"]) & arrays
    assert set(settings["group-components"]) == set(settings["groups"].values())


STATES = [
    ("COMPLETED", 0, "", "success"),
    ("PENDING", 0, "", "running"),
    ("COMPLETING", 0, "", "running"),
    ("OUT_OF_MEMORY", 0, "", "failed"),
    ("CANCELLED by 0", 0, "", "failed"),
    ("slurm_load_jobs error: Invalid job id specified", 1, "COMPLETED", "success"),
    ("slurm_load_jobs error: Invalid job id specified", 1, "CANCELLED+", "failed"),
    ("slurm_load_jobs error: Invalid job id specified", 1, "", "failed"),
    ("", 0, "TIMEOUT", "failed"),
    ("slurm_load_jobs error: Unable to contact slurm controller (connect failure)", 1, "", "running"),
]


@pytest.mark.parametrize(("queued", "status", "accounted", "said"), STATES)
def test_what_slurm_says_of_a_job(
    root: Path, tmp_path: Path, queued: str, status: int, accounted: str, said: str
) -> None:
    """A queue forgets; accounting may be missing; a controller that is down has not ended a job."""
    for name, text, code in (("squeue", queued, status), ("sacct", accounted, 0)):
        command = tmp_path / name
        command.write_text(f"#!/bin/sh\necho '{text}'\nexit {code}\n", encoding="utf-8")
        command.chmod(0o755)
    answer = subprocess.run(
        [root / "profiles/slurm/status", "17"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == f"{said}\n"


def test_what_is_submitted_asks_for_memory_and_time(root: Path) -> None:
    """In the rule, raised at each retry: a profile's defaults fit no rule in particular."""
    for name in submitted(root):
        assert re.search(r"mem_mb=with_retries\(\d+\),\n\s+runtime=with_retries\(\d+\)", rules(root)[name]), name


def test_no_wildcard_has_a_comma() -> None:
    """Snakemake hands wildcards to a submission as a list that it takes apart at commas."""
    files = [file for product in shipped.catalogue().values() for file in product.files.values()]
    files += [
        file for of_experiment in shipped.cells().values() for cell in of_experiment.values() for file in cell.files
    ]
    assert len(files) > 1000
    assert not [file for file in files if "," in file]
