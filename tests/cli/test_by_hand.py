"""Progress, summaries, filters, reviews and checks of a machine by hand, at the ends of what they say."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.cli import doctor, exhibits, listing, progress, review
from dpbandits.cli.progress import Progress
from dpbandits.cli.review import RemadeResult
from dpbandits.core.errors import BadInput


class Stream:
    """Keeps what is written."""

    def __init__(self, terminal: bool) -> None:
        self.terminal, self.text = terminal, list[str]()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> None:
        self.text.append(text)

    def flush(self) -> None:
        pass


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what is asked for in lines of progress: share, elapsed, left."""
    asked: list[Any] = []
    lines = SimpleNamespace(
        line=lambda share, counted, elapsed, left, what: (
            asked.append((share, elapsed, left)) or f"{counted} · {what}"
        ),
        bar=lambda share: f"[{share:g}]",
    )
    monkeypatch.setattr(progress, "terminal", lines)
    return asked


def test_progress_on_a_terminal(said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first second on; times by what came after the first; the line is removed."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    stream: Any = Stream(terminal=True)
    with Progress("w", 10, "runs", stream) as shown:
        for at, done in ((0.5, 1), (0.99, 2), (1.0, 3), (2.5, 5), (9.0, 10), (9.0, 12)):
            now[0] = at
            shown(done)
        shown(10, "more")
    assert said == [(0.3, 1.0, 0.5 * 7 / 2), (0.5, 2.5, 2.0 * 5 / 4), (1.0, 9.0, None), (1.0, 9.0, None)]
    assert stream.text[0].startswith("\r[0.3]  3 of 10 runs · w") and "runs done · more" in stream.text[-2]
    assert stream.text[-1] == progress.HOME + progress.CLEAR
    monkeypatch.setattr(progress.shutil, "get_terminal_size", lambda: SimpleNamespace(columns=9))
    narrow: Any = Stream(terminal=True)
    now[0] = 0.0
    short = Progress("w", 0, "runs", narrow)
    now[0] = 2.0
    short(0)
    assert narrow.text == ["\r[0]  0 o\x1b[K"]


def test_progress_in_a_file(said: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """From ten seconds on, a line for each twentieth; nothing is removed, or written before."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    stream: Any = Stream(terminal=False)
    with Progress("w", 100, "runs", stream) as shown:
        for at, done in ((9.9, 50), (10.0, 54), (11.0, 54), (12.0, 55), (13.0, 59), (14.0, 60)):
            now[0] = at
            shown(done)
    assert stream.text == [f"{done} of 100 runs · w\n" for done in (54, 55, 60)]
    quiet: Any = Stream(terminal=True)
    with Progress("w", 1, "runs", quiet):
        pass
    assert quiet.text == [] and len(said) == 5


def test_summaries_of_runs() -> None:
    """Of one run its regret; of several the statistics."""
    job: Any = SimpleNamespace(algorithm="a", epsilon=0.5, horizon=1000)
    runs: Any = SimpleNamespace(regret=np.array([[1.0, 10.0], [1.0, 20.0], [1.0, 33.0]]))
    text = progress.summary(job, runs, range(3))
    assert text.startswith("a, epsilon = 0.5, T = 1,000, 3 runs; regret at T:\n  mean    21, from ")
    assert "\n  median  20\n" in text and text.endswith("\n  largest 33")
    job.epsilon = None
    runs.regret = runs.regret[:1]
    assert progress.summary(job, runs, range(7, 8)) == "a, T = 1,000, run 7; regret at T:\n  10"


def test_filters_of_lists() -> None:
    """An entry has all values that are given; one of several words is enough."""
    both = listing.Filters(setting="s", paper="p")
    assert both.matches(setting="s", paper="q p") and not both.matches(setting="s") and listing.Filters().matches()
    assert not both.matches(setting="t", paper="p")
    for key, value in (("setting", "x"), ("paper", "x"), ("privacy", "x")):
        with pytest.raises(BadInput, match=f"--{key}"):
            listing.Filters(**{key: value}).check()
    listing.Filters(privacy="none").check()
    assert listing._letters_and_digits("DP-IMED (ε_1)") == "dpimedε1"


def test_where_things_are_defined(tmp_path: Path) -> None:
    """Lines are counted from 1; what a section does not have is somewhere in the file."""
    file = tmp_path / "a.yaml"
    file.write_text("figures:\n  a:\n    x: 1\n  b: {}\n", encoding="utf-8")
    assert [
        exhibits._line(file, *of) for of in (("figures", "a"), ("figures", "b"), ("figures", "c"), ("x", "a"))
    ] == [*(f"{file}, line 2", f"{file}, line 4", str(file), str(file))]
    assert exhibits.source_path("dpbandits.core.files") == "src/dpbandits/core/files.py"
    assert exhibits._listed("runs", ["a", "b"]) == "runs a, b" and exhibits._listed("runs", []) == ""
    entry = SimpleNamespace(experiments=["e"])
    paper: Any = SimpleNamespace(figures={"f": entry}, tables={"t": SimpleNamespace()}, computations={"c": entry})
    assert exhibits._users(paper, "experiments", "e") == "computations c, figures f"
    assert exhibits._users(paper, "experiments", "x") == "claims alone"


def test_reviews_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many are the same; what differs is shown twice."""
    results = [RemadeResult("one", "a", "a", 1.26), RemadeResult("other", "a", "b", 2.0)]
    text = review.as_text(results, 5)
    assert "drawn with seed 5: 1 of 2 the same again" in text
    assert (
        "same  one (1.3 s)\n    committed: a\nDIFFERS  other (2.0 s)\n    committed: a\n    made here: b\n" in text
    )
    clock = iter([1.0, 3.5])
    monkeypatch.setattr(review.time, "process_time", lambda: next(clock))
    assert review._timed(lambda: "x") == ("x", 2.5)
    outcome = SimpleNamespace(fault="f", title="t", seconds=2.0)
    monkeypatch.setattr("dpbandits.products.certify.certify", lambda _: [outcome])
    (failed,) = review.review_certificate(random.Random(1))
    assert failed.remade == "FAILED: f" and not failed.same
    outcome.fault = None
    (proved,) = review.review_certificate(random.Random(1))
    assert proved.same and proved.name.endswith(": t")


@pytest.mark.parametrize(
    ("gigabytes", "status"), [(0.99, "fail"), (1.0, "warn"), (3.99, "warn"), (4.0, "ok"), (50.0, "ok")]
)
def test_memory_for_jobs(gigabytes: float, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One on every core, of four."""
    monkeypatch.setattr(doctor, "available_memory", lambda: gigabytes * 1e9)
    monkeypatch.setattr(doctor, "cores", lambda: 4)
    found = doctor.memory()
    assert found.status == status and found.found.startswith(f"{gigabytes:.1f} GB")
    assert status != "warn" or found.remedy == f"snakemake --cores {int(gigabytes)}"


@pytest.mark.parametrize(("gigabytes", "status"), [(0.19, "fail"), (0.2, "warn"), (1.99, "warn"), (2.0, "ok")])
def test_room_for_results(gigabytes: float, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a gigabyte for anything, two for the full scale."""
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: SimpleNamespace(free=gigabytes * 1e9))
    found = doctor.disk()
    assert found.status == status and found.found == f"{gigabytes:.1f} GB free, the full scale needs 2"


def test_plugins_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin without SLURM is slow, SLURM without one submits nothing; a job has one thread."""
    there, plugins = [True], {"slurm"}
    monkeypatch.setattr(doctor.shutil, "which", lambda _: "x" if there[0] else None)
    monkeypatch.setattr(
        doctor.importlib.util, "find_spec", lambda name: name.split("plugin_")[1] in plugins or None
    )
    found = {}
    for sbatch in (True, False):
        for names in ((), ("slurm",), ("cluster_generic",), ("slurm", "cluster_generic")):
            there[0], plugins = sbatch, set(names)
            found[sbatch, names] = doctor.slurm().status
    wrong = {(True, ()), (False, ("slurm",)), (False, ("slurm", "cluster_generic"))}
    assert {key for key, status in found.items() if status == "warn"} == wrong
    for name in doctor.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert doctor.threads().status == "ok"
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert doctor.threads().status == "ok"
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert doctor.threads().status == "warn" and doctor.threads().remedy.startswith("unset OMP_NUM_THREADS:")


def test_versions_of_a_lock(tmp_path: Path) -> None:
    """Hashes, options and other platforms are left out."""
    lock = tmp_path / "lock"
    lines = [
        "# a comment",
        "--option",
        "Num_Py==2.1 \\",
        "    --hash=x",
        "",
        'win==1.0 ; sys_platform == "nowhere"',
        "bare",
    ]
    lock.write_text("\n".join(lines), encoding="utf-8")
    assert doctor.pinned_versions(lock) == {"num-py": "2.1"}
    assert doctor.pinned_versions(lock, all_platforms=True) == {"num-py": "2.1", "win": "1.0"}
