"""Grids: the bytes of `simulate` on every backend, a cache that is never wrong, and what is finished is kept."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import psutil
import pytest
from joblib.externals.loky import get_reusable_executor
from plain_policies import Beyond, DiesOnce, Uniform

import dpbandits
from dpbandits.core import compiled, registry
from dpbandits.core.errors import BadInput, BrokenFile, ChangedSources
from dpbandits.notebook import cells
from dpbandits.notebook import grid as grids
from dpbandits.notebook.grid import Grid, grid, plan_cells

MEANS = {"close": [0.9, 0.85, 0.3]}
SMALL: dict[str, Any] = {
    "environments": MEANS,
    "epsilons": [0.3, 1.0],
    "horizon": 2000,
    "runs": 8,
    "progress": False,
}
NAMES = ["dp-imed", ("dp-imed", {"n0": 20}), "kl-ucb"]


def digest(found: Grid) -> str:
    """Return the digest of all cells' arrays and labels."""
    return str(
        joblib.hash(
            [(c.algorithm, c.job.epsilon, r.regret, r.pulls) for c, r in zip(found.cells, found.runs, strict=True)]
        )
    )


@pytest.fixture
def one(tmp_path: Path) -> Grid:
    """Return a small grid."""
    return grid(NAMES, **SMALL, cache=tmp_path / "cache", n_jobs=1)


def test_a_cell_is_what_simulate_gives(one: Grid) -> None:
    """The same bytes, by the same streams. Without privacy there is one cell for all budgets."""
    assert [(cell.algorithm, cell.job.epsilon) for cell in one.cells] == [
        *(
            ("dp-imed", 0.3),
            ("dp-imed", 1.0),
            ("dp-imed, n0 = 20", 0.3),
            ("dp-imed, n0 = 20", 1.0),
            ("kl-ucb", None),
        )
    ]
    alone = dpbandits.simulate("dp-imed", means=MEANS["close"], epsilon=1.0, horizon=2000, seeds=8, n0=20)
    np.testing.assert_array_equal(one.runs[3].regret, alone.regret)
    assert one.missing == 0
    assert len(one.to_frame()) == sum(runs.regret.size for runs in one.runs)


@pytest.mark.parametrize(
    "backend",
    ["threading", *(pytest.param(name, marks=pytest.mark.slow) for name in ("loky", "dask"))],
)
def test_every_backend_gives_the_same_bytes(one: Grid, backend: str) -> None:
    """Of joblib: threads, processes, and two workers of a Dask cluster on this machine."""
    if backend == "dask":
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
            assert digest(grid(NAMES, **SMALL, cache=False)) == digest(one)
        return
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert digest(grid(NAMES, **SMALL, cache=False, n_jobs=2)) == digest(one)


ON_RAY = """
import joblib, ray
from ray.util.joblib import register_ray
import test_grid
ray.init(num_cpus=2, include_dashboard=False, object_store_memory=10**8)
register_ray()
with joblib.parallel_config(backend="ray"):
    print(test_grid.digest(test_grid.grid(test_grid.NAMES, **test_grid.SMALL, cache=False)))
"""


@pytest.mark.slow
def test_ray_gives_the_same_bytes(one: Grid) -> None:
    """On two worker processes of this machine. Ray is in no lock: this runs where it is installed beside."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("no Ray: pip install ray")
    here = Path(__file__).parent
    path = os.pathsep.join(map(str, (here, here.parent / "support")))
    said = subprocess.run(
        [sys.executable, "-c", ON_RAY],
        env={**os.environ, "PYTHONPATH": path, "RAY_raylet_start_wait_time_s": "400"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split()[-1] == digest(one)


def test_threads_of_a_cell_give_the_same_bytes() -> None:
    """Whatever backend is chosen around it: runs are filled in place."""
    job: dict[str, Any] = {"means": [0.9, 0.1], "epsilon": 1.0, "horizon": 3000, "seeds": 50}
    one = dpbandits.simulate("dp-imed", **job).regret
    with joblib.parallel_config(backend="loky"):
        np.testing.assert_array_equal(dpbandits.simulate("dp-imed", **job, threads=3).regret, one)


def test_the_second_call_computes_nothing(one: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells come from the cache; other runs, parameters and sources do not."""

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(cells, "run", refuse)
    again = grid(NAMES, **SMALL, cache=tmp_path / "cache", n_jobs=1)
    assert digest(again) == digest(one)
    for change in ({"runs": 9}, {"horizon": 2001}, {"root_seed": 1}, {"checkpoints": 7}):
        with pytest.raises(AssertionError, match="computed again"):
            grid(NAMES, **{**SMALL, **change}, cache=tmp_path / "cache", n_jobs=1)


def test_changed_sources_are_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key has the digest of the sources, as a job of the workflow has."""
    grid(["dp-imed"], **SMALL, cache=tmp_path, n_jobs=1)
    computed = []
    monkeypatch.setattr("dpbandits.runs.job.source_digest", lambda *_: "0" * 16)
    monkeypatch.setattr(grids, "replaced_values", lambda *_: [])
    real = cells.run
    monkeypatch.setattr(cells, "run", lambda *given: computed.append(given) or real(*given))
    grid(["dp-imed"], **SMALL, cache=tmp_path, n_jobs=1)
    assert len(computed) == 2


def test_replaced_values_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """A number that a process changed is in no source: its runs are kept nowhere, and written to no file."""
    registry.algorithm("dp-imed")
    module = sys.modules["dpbandits.settings.stochastic.algorithms.dp_imed"]
    name = next(name for name, value in vars(module).items() if isinstance(value, compiled.Kernel))
    monkeypatch.setattr(module, name, compiled.Kernel(vars(module)[name].function))
    grid(["dp-imed"], **SMALL, cache=tmp_path / "kept", n_jobs=1)
    assert f"nothing is kept: {module.__name__}.{name} was replaced" in capsys.readouterr().err
    assert not list(tmp_path.rglob("output.pkl"))
    job: dict[str, Any] = {"means": [0.9, 0.1], "epsilon": 1.0, "horizon": 100, "seeds": 2}
    with pytest.raises(BrokenFile, match="no source says what runs"):
        dpbandits.simulate("dp-imed", **job, output=tmp_path / "runs.npz")
    assert not (tmp_path / "runs.npz").exists()


def test_a_worker_with_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one of a Dask cluster that was started before an edit."""
    (cell,) = plan_cells(["kl-ucb"], MEANS, [None], 100, 1, 10, 0)
    asked = cells.code_of(cell)
    assert any(each.startswith("settings.stochastic.algorithms.kl_ucb ") for each in asked)
    cells.check_worker(cell, asked)
    edited = [f"{each}0" if each.startswith("core.streams ") else each for each in asked]
    with pytest.raises(ChangedSources, match=r"or a worker of it began \(core\.streams\); start it again"):
        grids._compute_indexed(0, cell, None, edited)
    monkeypatch.setattr("dpbandits.core.streams.uniform", 1)
    with pytest.raises(ChangedSources, match=r"\(dpbandits\.core\.streams\.uniform\)"):
        cells.check_worker(cell, asked)


def test_damaged_entries_are_made_again(one: Grid, tmp_path: Path) -> None:
    """Whatever byte is flipped, and whatever is cut: the arrays are the same."""
    random = np.random.default_rng(0)
    outputs = sorted((tmp_path / "cache").rglob("output.pkl"))
    assert len(outputs) == 5
    for file in outputs:
        content = bytearray(file.read_bytes())
        content[int(random.integers(len(content)))] ^= 255
        file.write_bytes(bytes(content) if random.random() < 0.7 else b"")
    with warnings.catch_warnings(action="ignore"):
        assert digest(grid(NAMES, **SMALL, cache=tmp_path / "cache", n_jobs=1)) == digest(one)


def test_two_processes_at_once_lose_nothing(one: Grid, tmp_path: Path) -> None:
    """On one cache, which is empty when both begin."""
    together = tmp_path / "together"
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        found = pool.map(partial(_digest_of_a_grid, together), range(2))
    assert found == [digest(one)] * 2
    assert digest(grid(NAMES, **SMALL, cache=together, n_jobs=1)) == digest(one)


def _digest_of_a_grid(place: Path, _: int) -> str:
    return digest(grid(NAMES, **SMALL, cache=place, n_jobs=1))


@pytest.mark.usefixtures("one")
def test_clear_removes_all(tmp_path: Path) -> None:
    """And the next call computes; what else is in the folder stays."""
    assert list((tmp_path / "cache").rglob("output.pkl"))
    own = tmp_path / "cache" / "own" / "thesis.txt"
    own.parent.mkdir()
    own.write_text("mine", encoding="utf-8")
    cells.clear(tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("output.pkl"))
    assert own.read_text(encoding="utf-8") == "mine"


def test_interrupts_return_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Ctrl-C after two cells of five."""
    real = cells.compute_cell
    seen = []

    def computed(cell: cells.Cell, place: Path | None) -> cells.Arrays:
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(cell)
        return real(cell, place)

    monkeypatch.setattr(cells, "compute_cell", computed)
    found = grid(NAMES, **SMALL, cache=tmp_path, n_jobs=1)
    assert (len(found.runs), found.missing) == (2, 3)
    assert "2 of 5 cells are finished" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The cells that are left are tried again, in new processes."""
    # Workers that are there already would not see the variable.
    get_reusable_executor().shutdown(wait=True)
    monkeypatch.setenv("DPBANDITS_TEST_MARK", str(tmp_path / "mark"))
    given = {**SMALL, "epsilons": [0.3], "horizon": 100}
    with joblib.parallel_config(backend="loky"):
        found = grid(["dp-imed", DiesOnce, Uniform], **given, cache=tmp_path / "cache", n_jobs=2)
    assert (len(found.runs), found.missing) == (3, 0)
    assert "a worker died" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_dask_worker_that_is_killed_loses_nothing(one: Grid, tmp_path: Path) -> None:
    """One of two worker processes is killed when half of the cells are finished; those are computed once."""
    distributed = pytest.importorskip("distributed")
    place = tmp_path / "kept"
    given = {**SMALL, "runs": 8}

    def killed(scheduler: Any) -> None:
        while len(list(place.rglob("output.pkl"))) < 2:
            time.sleep(0.01)
        psutil.Process(scheduler.workers[0].process.pid).kill()

    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        killing = threading.Thread(target=killed, args=(cluster,))
        killing.start()
        found = grid(NAMES, **given, cache=place)
        killing.join()
        finished = {file: file.stat().st_mtime_ns for file in place.rglob("output.pkl")}
        assert (len(found.runs), found.missing) == (5, 0)
        assert digest(found) == digest(one)
        # What was finished is not computed again.
        assert digest(grid(NAMES, **given, cache=place)) == digest(one)
    assert {file: file.stat().st_mtime_ns for file in place.rglob("output.pkl")} == finished


def test_a_policy_in_plain_python(tmp_path: Path) -> None:
    """Its regret is that of its pulls; a bad arm is refused by the policy's name."""
    given = {**SMALL, "epsilons": [0.3], "horizon": 200}
    found = grid([Uniform], **given, cache=tmp_path, n_jobs=1)
    (runs,) = found.runs
    gaps = np.array([0.0, 0.05, 0.6])
    np.testing.assert_allclose(runs.regret[:, -1], runs.pulls @ gaps)
    assert (runs.pulls.sum(axis=1) == 200).all()
    assert len({tuple(row) for row in runs.pulls.tolist()}) > 1
    with pytest.raises(BadInput, match=r"Beyond.*no arm from 0 to 2"):
        grid([Beyond], **given, cache=False, n_jobs=1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"environments": ["mu-2"]}, "did you mean 'mu2'"),
        ({"environments": {"x": [0.5, 1.5]}}, "in \\[0, 1\\]"),
        ({"horizon": 0}, "horizon"),
        ({"epsilons": [-1.0]}, "epsilon"),
        ({"runs": 0}, "seeds"),
        ({"epsilons": [None]}, "epsilons is missing"),
        ({"environments": {"kind": "bernoulli", "means": [0.1, 0.2]}}, "by a label of your own"),
        ({"environments": [{"kind": "bernoulli", "means": [0.1, 0.2]}]}, "by a label of your own"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(
    change: dict[str, Any], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, with what is allowed."""
    monkeypatch.setattr(grids, "_compute_all", None)
    with pytest.raises(BadInput, match=match):
        grid(["dp-imed"], **{**SMALL, **change}, cache=False)


def test_comparison_and_picture(one: Grid) -> None:
    """Each algorithm against the first, and a curve for each cell."""
    table = one.compare()
    assert table["against"].unique().tolist() == ["dp-imed"]
    assert len(table) == 2
    pytest.importorskip("matplotlib").use("Agg")
    assert len(one.plot().lines) == 5
    with pytest.raises(BadInput, match="one of dp-imed"):
        one.compare("other")
