"""The pipeline as a user runs it: same bytes for every grouping, reruns of what changed, resume after a kill.

Tests share finished projects, and change copies of them.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from projects import Finished, copied, environment, once, tiny
from snakemakes import Snakemake

# Two versions of one figure, whose data are made from the aggregates.
FIGURES = ("figures/azize2025/curves.csv", "figures/azize2025/curves-published.csv")
CELLS = "results/azize2025/cells"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that makes a copy of the repository with a tiny configuration."""
    return lambda name, **changes: copied(tmp_path_factory.mktemp(name) / "copy", tiny(**changes))


def start(folder: Path, *arguments: str) -> Snakemake:
    """Start the workflow in a copy, on two cores or as ``arguments`` say."""
    cores = () if "--cores" in arguments else ("--cores", "2")
    given = (*arguments, *cores, "--configfile", "mine.yaml")
    return Snakemake(folder, given, environment(folder))


def run(folder: Path, *arguments: str) -> str:
    """Run the workflow in a copy, to its end, and return what it said."""
    return start(folder, *arguments).end()


def products(folder: Path) -> dict[str, bytes]:
    """Return what a reader sees, by path: aggregates, figures, the numbers in them, and the seals of all."""
    files = [*folder.glob("results/*/aggregates/*.*"), *folder.glob("figures/*/*.*")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(files)}


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose figures are drawn, with each run in a block of its own, made on one core."""

    def make(folder: Path) -> None:
        run(copied(folder, tiny(seeds_per_job=1)), *FIGURES, "--cores", "1")

    return once(tmp_path_factory, "single", make)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with blocks of some runs and two threads; one of its figures is not asked for."""
    papers: dict[str, Any] = tiny()["papers"]
    paper = papers["azize2025"]
    paper["experiments"]["other"] = {**paper["experiments"]["small"], "environments": ["near"], "horizon": 3000}
    paper["figures"]["another"] = {**paper["figures"]["curves"], "experiments": ["other"]}

    def make(folder: Path) -> None:
        run(
            copied(folder, tiny(papers=papers, seeds_per_job={"batches": 4, "rounds": 3}, threads=2)),
            *FIGURES,
            "--cores",
            "8",
        )

    return once(tmp_path_factory, "blocks", make)


@pytest.mark.slow
def test_every_grouping_gives_the_same_bytes_and_a_second_run_does_nothing(
    tiny_run: Finished, single: Path, blocks: Path, tmp_path: Path
) -> None:
    """Blocks of 1, of 4 and of all runs; one core, two and eight; one thread and two."""
    whole = tiny_run.folder
    expected = products(whole)
    assert {Path(name).suffix for name in expected} == {".csv", ".json", ".pdf", ".png"}
    assert len(expected) == 2 + 2 * 4
    assert len(list(single.glob(f"{CELLS}/small/dp-imed/near/T=2000/eps=0.5/*.npz"))) == 6
    assert products(single) == expected
    assert products(blocks) == expected
    # Other workers look at the project.
    assert "Nothing to be done" in run(shutil.copytree(whole, tmp_path / "again"))


@pytest.mark.slow
def test_editing_an_algorithm_reruns_its_cells_and_what_hangs_on_them(tiny_run: Finished, tmp_path: Path) -> None:
    """A change in an imported module is not Snakemake's to see: the digest in the parameters shows it."""
    folder = shutil.copytree(tiny_run.folder, tmp_path / "edited")

    def planned() -> list[str]:
        """Return the jobs of a dry run, as (rule, algorithm) where there is one."""
        text = run(folder, "--dry-run", "--quiet", "host", "reason")
        messages = [line.split(": ", 1)[1] for line in text.splitlines() if re.match(r"Job \d+: ", line)]
        return sorted(" ".join(message.split()[:2]) for message in messages)

    assert planned() == []
    source = folder / "src" / "dpbandits" / "settings" / "stochastic" / "algorithms"
    with (source / "dp_imed.py").open("a", encoding="utf-8") as file:
        file.write("EDITED = 1\n")
    # Its digest too is another now; nothing here imports it.
    with (source.parent / "doubling.py").open("a", encoding="utf-8") as file:
        file.write("UNUSED_HERE = 1\n")

    def all_of(groups: int, *algorithms: str) -> list[str]:
        """Return what hangs on these algorithms, whose kernels browsers have in so many groups."""
        drawn = ["Aggregating azize2025", *["Compiling kernels"] * groups, *["Drawing azize2025"] * 2]
        return [*drawn, "Linking the", "Making the", *(f"Simulating {name}" for name in algorithms), "Writing the"]

    assert planned() == all_of(1, "dp-imed", "dp-imed-1.5")
    with (source.parent / "problem.py").open("a", encoding="utf-8") as file:
        file.write("IMPORTED_BY_ALL = 1\n")
    # Their environments import it too, and so what goes along with all of them.
    assert planned() == all_of(2, "dp-imed", "dp-imed-1.5", "dp-se", "imed")


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_bytes(project: Callable[..., Path], single: Path) -> None:
    """SIGKILL of the workflow and all its jobs, wherever it stands, loses nothing that was finished."""
    killed = project("killed", seeds_per_job=1)
    # What is being written has a name that starts with a dot.
    cells = f"{CELLS}/*/*/*/*/*/[!.]*.npz"
    started = start(killed, *FIGURES)
    deadline = time.monotonic() + 600
    while len(list(killed.glob(cells))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(started.pid, signal.SIGKILL)
    started.end(status=None)
    done = {file: file.stat().st_mtime_ns for file in killed.glob(cells)}
    assert 3 <= len(done) < len(list(single.glob(cells)))
    run(killed, *FIGURES, "--unlock")
    run(killed, *FIGURES)
    assert products(killed) == products(single)
    assert not [file for file in killed.glob("results/**/.*") if file.is_file()]
    kept = [file for file, when in done.items() if file.stat().st_mtime_ns == when]
    # Jobs that Snakemake had not yet recorded as finished are done again: at most those in flight.
    assert len(kept) >= len(done) - 2


def test_a_bad_configuration_starts_no_job(project: Callable[..., Path], tiny: dict[str, Any]) -> None:
    """The message has file, key path, value and what is allowed, and no traceback."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["horizon"] = 0
    folder = project("bad", papers=tiny["papers"])
    text = start(folder).end(status=1)
    assert "mine.yaml: papers.azize2025.experiments.small.horizon: 0 is not allowed; allowed: a number >= 1" in text
    assert "Traceback" not in text
    assert not (folder / "results").exists()


@pytest.mark.slow
def test_one_figure_reruns_only_what_it_needs(blocks: Path) -> None:
    """A figure's target builds its own experiment and no other."""
    assert (blocks / "figures/azize2025/curves-published.pdf").read_bytes().startswith(b"%PDF")
    assert not (blocks / CELLS / "other").exists()
    assert not list(blocks.glob("figures/azize2025/another*"))


@pytest.mark.slow
def test_a_mistyped_figure_is_told_its_nearest_match(tiny_run: Finished, tmp_path: Path) -> None:
    """As a mistyped key of the configuration is."""
    wanted = ("-n", "figures/azize2025/curvs.pdf", "--configfile", "mine.yaml")
    folder = shutil.copytree(tiny_run.folder, tmp_path / "mistyped")
    said = Snakemake(folder, wanted, environment(folder)).end(status=2)
    assert "did you mean 'azize2025/curves'?" in said
