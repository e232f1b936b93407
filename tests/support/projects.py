"""Copies of the repository with a configuration of seconds, for tests that run whole workflows."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
import yaml

ROOT = Path(__file__).parents[2]
COPIED = ("CITATION.cff", "Snakefile", "workflow", "config", "profiles", "environment.yml", "src", "packages")
# Two private algorithms, one of them twice, and one without privacy; one figure in two versions.
TINY = """\
root_seed: 5
papers:
  azize2025:
    title: a tiny one
    published_runs: 3
    runs: {batches: 6, rounds: 4}
    environments:
      near: {kind: bernoulli, means: [0.75, 0.7, 0.2]}
    algorithms:
      dp-imed: {}
      dp-imed-1.5: {algorithm: dp-imed, parameters: {alpha: 1.5}}
      dp-se: {}
      imed: {}
    experiments:
      small:
        environments: [near]
        algorithms: [dp-imed, dp-imed-1.5, dp-se, imed]
        epsilons: [0.5]
        horizon: 2000
        checkpoints: 20
    figures:
      curves:
        draw: regret-over-time
        experiments: [small]
        versions: [published, full]
        caption: Regret over time.
"""


def tiny(**changes: object) -> dict[str, Any]:
    """Return the tiny configuration, some of its top level changed."""
    return {**yaml.safe_load(TINY), **changes}


def copied(folder: Path, configuration: Mapping[str, Any]) -> Path:
    """Make ``folder`` a copy of the repository with this configuration alone, in ``mine.yaml``; return it."""
    folder.mkdir()
    for part in COPIED:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    # What is shipped would be merged with it, and the papers' folders are found by being there.
    shutil.rmtree(folder / "config")
    (folder / "config").mkdir()
    (folder / "config" / "config.yaml").write_text("{}", encoding="utf-8")
    (folder / "mine.yaml").write_text(yaml.safe_dump(dict(configuration)), encoding="utf-8")
    return folder


def sources(folder: Path) -> list[str]:
    """Return where the packages of a copy of the repository lie."""
    return [str(folder / "src"), *map(str, sorted(folder.glob("packages/*/src")))]


def _path(folder: Path) -> str:
    return os.pathsep.join((*sources(folder), str(Path(__file__).with_name("without_linker"))))


def environment(folder: Path, **changes: str) -> dict[str, str]:
    """Return the environment in which the copy's own package is imported, and no kernel is made for browsers."""
    return {**os.environ, "PYTHONPATH": _path(folder), **changes}


def left(folder: Path) -> list[psutil.Process]:
    """Return the processes that a workflow in the copy started and that still run."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("PYTHONPATH") == _path(folder) and process.is_running():
                found.append(process)
    return found


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that one worker of a session makes, and that all others wait for.

    Its tests look at it, or copy it: what they changed would be there for the tests of other workers.
    """
    base = factory.getbasetemp()
    # The folder of a session is above those of its workers.
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, made = base / name, base / f"{name}.made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            made.touch()
    return folder


# Beside the project's files: what its workflow said.
SAID = "said.txt"


class Finished(NamedTuple):
    """A project whose workflow has run to its end, and what that said."""

    folder: Path
    said: str


def finished(folder: Path) -> Finished:
    """Run the workflow in a copy, by the command that a user types."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "mine.yaml"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout
    assert not left(folder)
    (folder / SAID).write_text(done.stdout, encoding="utf-8")
    return Finished(folder, done.stdout)
