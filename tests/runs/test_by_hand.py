"""Statistics of runs, durations, costs, captions and blocks of runs, by hand."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.runs import again, caption, duration, plan, resource_usage, values
from dpbandits.runs import job as job_module
from dpbandits.runs.aggregate import flat, read_cell, statistics


def test_statistics_of_runs() -> None:
    """Student's t: of three runs 4.303 standard errors, of 20 runs 2.093."""
    found = statistics(np.array([[1.0, 0.0], [2.0, 0.0], [6.0, 3.0]]), 0.95)
    sd = math.sqrt(7.0)
    assert found["mean"].tolist() == [3.0, 1.0] and found["sd"][0] == pytest.approx(sd)
    assert found["mean_high"][0] - 3.0 == pytest.approx(4.302653 * sd / math.sqrt(3), rel=1e-6)
    assert 3.0 - found["mean_low"][0] == pytest.approx(4.302653 * sd / math.sqrt(3), rel=1e-6)
    many = statistics(np.arange(101.0)[:, None], 0.9)
    names = {"q05": 5.0, "q25": 25.0, "q50": 50.0, "q75": 75.0, "q95": 95.0, "q99": 99.0, "maximum": 100.0}
    assert {name: many[name][0] for name in names} == pytest.approx(names)


def test_columns_of_nested_data() -> None:
    """Elements are numbered from 1; long lists and missing values are left out."""
    assert flat("a", {"b": [1, None, {"c": 2}], "d": None}) == {"a.b.1": 1, "a.b.3.c": 2}
    assert len(flat("a", [0] * 20)) == 20 and flat("a", [0] * 21) == {}


def test_a_cell_is_read_as_it_was_planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its job's record, its runs and checkpoints."""
    job: Any = SimpleNamespace(horizon=8, checkpoints=4, record={"job": "j"})
    cell: Any = SimpleNamespace(job=job, files=["a", "b"], run_numbers=[range(2), range(2, 3)])
    files = {"a": [0, 1], "b": [2]}
    wrong: dict[str, Any] = {}

    def read(path: Path) -> Any:
        arrays = {"seeds": np.array(files[path.name]), "rounds": np.array([1, 2, 4, 8])}
        arrays["regret"] = arrays["seeds"][:, None] * np.ones(4)
        return {**arrays, **wrong.get("arrays", {})}, {"job": "j", **wrong.get("metadata", {})}

    monkeypatch.setattr("dpbandits.runs.aggregate.read_arrays", read)
    assert read_cell(cell, tmp_path).regret[:, 0].tolist() == [0.0, 1.0, 2.0]
    for change, words in (
        ({"metadata": {"job": "k"}}, "job k, not the job j"),
        ({"arrays": {"seeds": np.array([0, 2])}}, "the runs of its name"),
        ({"arrays": {"rounds": np.array([1, 2, 3, 8])}}, "4 checkpoints"),
    ):
        wrong = change
        with pytest.raises(DamagedFile, match=words):
            read_cell(cell, tmp_path)


def test_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10^12 rounds and more; by the second of two short runs; in units of which there are two at least."""

    @dataclasses.dataclass(frozen=True)
    class Short:
        algorithm: str
        horizon: int

    clock = iter([10.0, 12.5])
    asked: list[tuple[int, range]] = []
    monkeypatch.setattr(duration, "run", lambda job, seeds: asked.append((job.horizon, seeds)))
    monkeypatch.setattr(duration.time, "process_time", lambda: next(clock))
    kind = SimpleNamespace(decides="rounds")
    monkeypatch.setattr(duration.registry, "algorithm", lambda _: kind)
    job: Any = Short("a", 10**9)
    assert duration.seconds(job, 1000, 4) == 2.5 * 5000 * 1000 / 4
    assert asked == [(200_000, range(1))] * 2
    assert duration.seconds(job, 999) == 0.0
    kind.decides = "batches"
    assert duration.seconds(job, 10**6) == 0.0
    year = 365.25 * 86400
    told = [duration.words(value) for value in (2 * year, 1.9 * year, 2 * 86400, 1.9 * 86400, 1800, 4000 * year)]
    assert told == [
        "about 2 years",
        "about 694 days",
        "about 2 days",
        "about 46 hours",
        "about 0 hours",
        "about 4,000 years",
    ]


def test_costs(tmp_path: Path) -> None:
    """By part and by kind; what was not measured is 0; what is made for readers is no result."""
    logs = {
        "p/simulate/a": ("10.26", "100"),
        "p/simulate/b": ("-", "NA"),
        "p/audit/c": ("1", "7"),
        "site/x": ("3", "9"),
    }
    for name, (seconds, memory) in logs.items():
        file = tmp_path / "logs" / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"cpu_time\tmax_rss\n{seconds}\t{memory}\n", encoding="utf-8")
    size = sum(file.stat().st_size for file in tmp_path.rglob("*.tsv"))
    for name in ("site/a", "article/b", "crate.zip", "p/c"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("12345", encoding="utf-8")
    found = resource_usage.cost(tmp_path, ["p", "q"])
    assert found["parts"] == {
        "p": {"jobs": 3, "seconds": 11},
        "q": {"jobs": 0, "seconds": 0},
        "site": {"jobs": 1, "seconds": 3},
    }
    assert found["kinds"]["simulate"] == {"jobs": 2, "seconds": 10, "longest": 10.3, "memory": 50, "largest": 100}
    assert list(found["kinds"]) == ["audit", "simulate", "site"]
    assert found["bytes"] == size - (tmp_path / "logs" / "site" / "x.tsv").stat().st_size + 5


def test_spans_in_captions(monkeypatch: pytest.MonkeyPatch) -> None:
    """One number, or the least and the largest; batched algorithms apart from others."""
    assert caption._span([7]) == caption._span({7}) == "7" and caption._span([9, 7, 8]) == "7 to 9"
    monkeypatch.setattr(caption.registry, "algorithm", lambda name: SimpleNamespace(decides=name))

    def told(*cells: tuple[str, int, int], version: str = "full") -> str:
        made = {
            i: SimpleNamespace(runs=runs, job=SimpleNamespace(algorithm=decides, horizon=horizon))
            for i, (decides, runs, horizon) in enumerate(cells)
        }
        config: Any = SimpleNamespace(papers={"p": SimpleNamespace(published_runs=20)})
        known: Any = {("p", "e"): made}
        entry: Any = SimpleNamespace(experiments=["e"] if cells else [], computations=[])
        return caption.scale(config, known, "p", entry, version)

    assert told() == caption.DIAGRAM
    assert told(("batches", 100, 10), ("rounds", 100, 30)) == "100 runs of each algorithm; T = 10 to 30."
    assert told(("rounds", 100, 10), ("rounds", 50, 10)) == "50 to 100 runs of each algorithm; T = 10."
    assert told(("batches", 100, 10), ("rounds", 50, 10)) == (
        "100 runs of batched algorithms, 50 of those that decide every round; T = 10."
    )
    assert (
        told(("batches", 100, 10), ("rounds", 50, 10), version="published") == "20 runs of each algorithm; T = 10."
    )


def test_blocks_of_a_cell() -> None:
    """All but the last have as many runs; numbers read back as they were."""
    job: Any = SimpleNamespace(horizon=9)
    cell = plan.Cell("p", "e", "a", "v", "none", job, 25, 10)
    assert cell.blocks == ["0-9", "10-19", "20-24"] and cell.files[2] == "p/cells/e/a/v/T=9/eps=none/20-24.npz"
    assert dataclasses.replace(cell, runs=20).blocks == ["0-9", "10-19"]
    shown = [plan.number(value) for value in (0.25, 1.0, 1e-5, 1e15, 999999999999999.0, -2.0, "a")]
    assert shown == ["0.25", "1", "1e-05", "1000000000000000.0", "999999999999999", "-2", "a"]
    assert (plan.FigureFile("f", "full").stem, plan.FigureFile("f", "published").stem) == ("f", "f-published")


def test_values_of_a_configuration() -> None:
    """Whole numbers written with a point; lists without repetitions; numbers and texts; True is neither."""
    assert [values._whole(value) for value in (2.0, 2.5, "2")] == [2, 2.5, "2"] and type(values._whole(2.0)) is int
    assert values._distinct([1, 2]) == [1, 2] and values._number_or_text("a") == "a" and values._given(0) == 0
    for check, value in ((values._distinct, [1, 2, 1]), (values._number_or_text, True), (values._given, None)):
        with pytest.raises(BadInput):
            check(value)  # type: ignore[operator]
    assert values.listed([1]) == values.listed(1) == [1] and values.empty("") and values.empty({})
    assert not values.empty([1]) and values.left_out(None) and not values.left_out(0)


def test_a_digest_is_of_one_run() -> None:
    """Of its regret and its pulls."""
    regret, pulls = np.array([[1.0], [1.0], [2.0]]), np.array([[1], [1], [1]])
    one, same, other = again.digests(regret, pulls)
    assert one == same != other and len(one) == 32
    assert again.digests(regret, pulls + 1)[0] != one


@pytest.mark.parametrize(
    ("runs", "threads", "lanes", "ends"),
    [
        (120, 1, 1, [*range(3, 121, 3)]),
        (100, 1, 1, [*range(2, 101, 2)]),
        (101, 1, 1, [*range(3, 100, 3), 101]),
        (10, 1, 8, [8, 10]),
        (5, 1, 8, [5]),
        (10, 2, 8, [5, 10]),
        (11, 2, 1, [*range(1, 12)]),
    ],
)
def test_pieces_of_runs(
    runs: int, threads: int, lanes: int, ends: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty of a thread's share, but of as many runs as go together, if there are so many."""
    filled: list[tuple[int, int]] = []
    monkeypatch.setattr(job_module, "prepare", lambda *_: (None, None))
    monkeypatch.setattr(job_module, "part", lambda _, first, last: (first, last))
    monkeypatch.setattr(job_module, "fill", lambda _, piece, __: filled.append(piece))
    monkeypatch.setattr(job_module, "_check_account", lambda *_: None)
    monkeypatch.setattr(job_module.registry, "algorithm", lambda _: SimpleNamespace(lanes=lanes))
    told: list[int] = []
    job: Any = SimpleNamespace(algorithm="a")
    job_module.run(job, range(runs), threads=threads, report=told.append)
    assert told == ends and sorted(filled) == list(zip([0, *ends], ends, strict=False))
