"""The pipeline as a user runs it: same bytes for every grouping, reruns of what changed, resume after a kill."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

COPIED = ("Snakefile", "workflow", "config", "profiles", "environment.yml", "src")


def snakemake(folder: Path, *arguments: str) -> list[str]:
    """Return the command of a workflow run in a copy of the repository."""
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "2",
        *arguments,
        "--configfile",
        str(folder / "mine.yaml"),
    ]


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which the copy's own package is imported."""
    return {**os.environ, "PYTHONPATH": str(folder / "src")}


@pytest.fixture
def project(root: Path, tmp_path: Path, tiny: dict[str, Any]) -> Callable[..., Path]:
    """Return a function that makes a copy of the repository with a tiny configuration."""

    def make(name: str, **changes: object) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        for part in COPIED:
            copy = shutil.copytree if (root / part).is_dir() else shutil.copy
            copy(root / part, folder / part)
        # The whole configuration is the tiny one; what is shipped would only be merged with it.
        shutil.rmtree(folder / "config")
        (folder / "config").mkdir()
        (folder / "config" / "config.yaml").write_text("{}", encoding="utf-8")
        (folder / "mine.yaml").write_text(yaml.safe_dump({**tiny, **changes}), encoding="utf-8")
        return folder

    return make


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the workflow in a copy, to its end."""
    return subprocess.run(
        snakemake(folder, *arguments),
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def products(folder: Path) -> dict[str, bytes]:
    """Return what a reader sees, by path: aggregates, figures, the numbers in them, and the seals of all."""
    files = [*folder.glob("results/*/aggregates/*.*"), *folder.glob("figures/*/*.*")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(files)}


def test_every_grouping_gives_the_same_bytes_and_a_second_run_does_nothing(project: Callable[..., Path]) -> None:
    """Blocks of 1, of 4 and of all runs; one core, two and eight; one thread and two."""
    whole = project("whole")
    first = run(whole)
    assert first.returncode == 0, first.stderr
    expected = products(whole)
    assert {Path(name).suffix for name in expected} == {".csv", ".json", ".pdf", ".png"}
    assert len(expected) == 2 + 2 * 4
    single = project("single", seeds_per_job=1)
    assert run(single, "--cores", "1").returncode == 0
    assert len(list(single.glob("results/azize2025/cells/small/dp-imed/near/T=2000/eps=0.5/*.npz"))) == 6
    blocks = project("blocks", seeds_per_job={"batches": 4, "rounds": 3}, threads=2)
    assert run(blocks, "--cores", "8").returncode == 0
    assert products(single) == expected
    assert products(blocks) == expected
    again = run(whole)
    assert "Nothing to be done" in again.stdout + again.stderr


def test_editing_an_algorithm_reruns_its_cells_and_what_hangs_on_them(project: Callable[..., Path]) -> None:
    """A change in an imported module is not Snakemake's to see: the digest in the parameters shows it."""
    folder = project("edited")
    assert run(folder).returncode == 0

    def planned() -> list[str]:
        """Return the jobs of a dry run, as (rule, algorithm) where there is one."""
        shown = run(folder, "--dry-run", "--quiet", "host", "reason")
        text = shown.stdout + shown.stderr
        assert shown.returncode == 0, text
        messages = [line.split(": ", 1)[1] for line in text.splitlines() if re.match(r"Job \d+: ", line)]
        return sorted(" ".join(message.split()[:2]) for message in messages)

    assert planned() == []
    source = folder / "src" / "dpbandits" / "settings" / "stochastic" / "algorithms"
    with (source / "dp_imed.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    both = ["Aggregating azize2025", "Drawing azize2025", "Drawing azize2025", "Making the"]
    assert planned() == [*both, "Simulating dp-imed", "Simulating dp-imed-1.5"]
    with (source.parent / "doubling.py").open("a", encoding="utf-8") as file:
        file.write("# no algorithm here imports this\n")
    assert planned() == [*both, "Simulating dp-imed", "Simulating dp-imed-1.5"]
    with (source.parent / "problem.py").open("a", encoding="utf-8") as file:
        file.write("# all do\n")
    names = ("dp-imed", "dp-imed-1.5", "dp-se", "imed")
    assert planned() == [*both, *(f"Simulating {name}" for name in names)]


def test_a_killed_run_resumes_to_the_same_bytes(project: Callable[..., Path]) -> None:
    """SIGKILL of the workflow and all its jobs, wherever it stands, loses nothing that was finished."""
    calm, killed = project("calm", seeds_per_job=1), project("killed", seeds_per_job=1)
    assert run(calm).returncode == 0
    # What is being written has a name that starts with a dot.
    cells = "results/azize2025/cells/*/*/*/*/*/[!.]*.npz"
    started = subprocess.Popen(
        snakemake(killed),
        cwd=killed,
        env=environment(killed),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(list(killed.glob(cells))) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    done = {file: file.stat().st_mtime_ns for file in killed.glob(cells)}
    assert 3 <= len(done) < len(list(calm.glob(cells)))
    assert run(killed, "--unlock").returncode == 0
    resumed = run(killed)
    assert resumed.returncode == 0, resumed.stderr
    assert products(killed) == products(calm)
    assert not [file for file in killed.glob("results/**/.*") if file.is_file()]
    kept = [file for file, when in done.items() if file.stat().st_mtime_ns == when]
    # Jobs that Snakemake had not yet recorded as finished are done again: at most those in flight.
    assert len(kept) >= len(done) - 2


def test_a_bad_configuration_starts_no_job(project: Callable[..., Path], tiny: dict[str, Any]) -> None:
    """The message has file, key path, value and what is allowed, and no traceback."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["horizon"] = 0
    folder = project("bad", papers=tiny["papers"])
    refused = run(folder)
    text = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "mine.yaml: papers.azize2025.experiments.small.horizon: 0 is not allowed; allowed: a number >= 1" in text
    assert "Traceback" not in text
    assert not (folder / "results").exists()


def test_one_figure_reruns_only_what_it_needs(project: Callable[..., Path], tiny: dict[str, Any]) -> None:
    """A figure's target builds its own experiment and no other."""
    paper = tiny["papers"]["azize2025"]
    paper["experiments"]["other"] = {**paper["experiments"]["small"], "environments": ["near"], "horizon": 3000}
    folder = project("one", papers=tiny["papers"])
    assert run(folder, "figures/azize2025/curves-published.pdf").returncode == 0
    assert (folder / "figures/azize2025/curves-published.pdf").read_bytes().startswith(b"%PDF")
    assert not (folder / "results/azize2025/cells/other").exists()
    assert not (folder / "figures/azize2025/curves.pdf").exists()
