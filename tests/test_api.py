"""The Python interface gives what the command line gives, as objects."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import dpbandits
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.products.make import make
from dpbandits.products.product import files_by_suffix
from dpbandits.products.site import Register

MEANS = [0.75, 0.7]


def test_three_lines_from_nothing_to_a_frame() -> None:
    """Every number that the arrays have is in the tidy table."""
    runs = dpbandits.simulate("dp-imed", means=MEANS, epsilon=0.25, horizon=10**4, seeds=range(3), n0=40)
    frame = runs.to_frame()
    assert len(frame) == runs.regret.size
    np.testing.assert_array_equal(frame["regret"].to_numpy().reshape(runs.regret.shape), runs.regret)
    assert (frame["run"].unique() == runs.seeds).all()
    assert runs.pulls.sum(axis=1).tolist() == [10**4] * 3
    assert runs.job["parameters"]["n0"] == 40
    assert runs.summary()["mean"].iloc[-1] == runs.regret[:, -1].mean()
    axes = runs.plot()
    assert runs.plot(axes) is axes
    assert len(axes.lines) == 2


def test_bytes_are_the_command_lines(tmp_path: Path) -> None:
    """Written, and loaded again."""
    mine, theirs = tmp_path / "mine.npz", tmp_path / "theirs.npz"
    words = ["dp-imed", "--means", "0.75,0.7", "--epsilon", "0.25", "--horizon", "1e4", "--seeds", "2-4"]
    assert main(["simulate", *words, "--param", "n0=40", "--output", str(theirs)]) in (None, 0)
    runs = dpbandits.simulate(
        "dp-imed", means=MEANS, epsilon=0.25, horizon=10_000, seeds=range(2, 5), n0=40, output=mine
    )
    assert mine.read_bytes() == theirs.read_bytes()
    again = dpbandits.load(theirs)
    for name in ("regret", "rounds", "pulls", "seeds"):
        np.testing.assert_array_equal(getattr(again, name), getattr(runs, name))
    assert again.job == runs.job


def test_other_settings_and_their_environments() -> None:
    """By their kinds."""
    runs = dpbandits.simulate(
        "rnm-ftnl-laplace",
        environment={"kind": "bernoulli-losses", "means": [0.2, 0.7]},
        epsilon=1.0,
        horizon=1000,
        seeds=range(2),
    )
    assert runs.regret.shape[0] == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "dp-imde"}, "dp-imed"),
        ({"means": None}, "one of the two"),
        ({"environment": {"kind": "bernoulli", "means": MEANS}}, "one of the two"),
        ({"seeds": range(0, 10, 2)}, "without gaps"),
        ({"horizon": 0.5}, "horizon"),
        ({"n1": 3}, "n1"),
        ({"epsilon": None}, "epsilon"),
        ({"output": "x.csv"}, "npz"),
    ],
)
def test_what_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    """By name, and before or after the runs nothing is written."""
    given = {"algorithm": "dp-imed", "means": MEANS, "epsilon": 1.0, "horizon": 100, "seeds": range(2), **change}
    with pytest.raises(BadInput, match=message):
        dpbandits.simulate(given.pop("algorithm"), **given)  # type: ignore[arg-type]


def test_lower_bound_and_unknown_names() -> None:
    """The bound grows as log T; a slip is an AttributeError."""
    at = [dpbandits.lower_bound(MEANS, 0.25, 10.0**power) for power in (3, 6)]
    assert at[1] == pytest.approx(2 * at[0])
    with pytest.raises(AttributeError, match="simulat"):
        _ = dpbandits.simulat
    assert {"simulate", "results", "audit"} <= set(dir(dpbandits))


def test_audit_stays_a_function() -> None:
    """Whatever of the package is imported: no module has its name."""
    importlib.import_module("dpbandits.auditing.replay")
    assert inspect.isfunction(dpbandits.audit)
    assert not isinstance(sys.modules.get("dpbandits.audit"), types.ModuleType)


def test_a_folder_without_results_is_refused() -> None:
    """By name."""
    with pytest.raises(BadInput, match="folder of results"):
        dpbandits.results("no/such/folder")


def test_the_register_is_a_table(tmp_path: Path) -> None:
    """As its product writes it: a row for each entry, with its paper's id."""
    entry = dict.fromkeys(("id", "kind", "place", "printed", "why", "stands", "done", "test", "certificate"), "gap")
    register = Register(
        files=files_by_suffix(str(tmp_path / "discrepancies"), "md"),
        register={"one2026": [entry, entry], "other2026": [entry]},
        titles={"one2026": "One", "other2026": "Other"},
        kinds=["gap"],
        modules=("dpbandits.claims.discrepancies",),
        results=str(tmp_path),
    )
    make(register.request)
    found = dpbandits.results(tmp_path).discrepancies
    assert found["paper"].tolist() == ["one2026", "one2026", "other2026"]
    assert found.drop(columns="paper").to_dict("records") == [entry] * 3


def test_importing_is_cheap() -> None:
    """Nothing heavy comes with the package alone."""
    code = "import sys, dpbandits; dir(dpbandits); print({'numpy', 'numba', 'pandas'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "set()\n"


def test_the_page_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python block of docs/notebook.md but those on a finished run's results, one after another."""
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "notebook.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 4
    known: dict[str, object] = {}
    for block in blocks:
        # Other backends have a test of their own, and Ray is in no lock.
        if "results(" not in block and "parallel_config" not in block:
            exec(block, known)
    assert (tmp_path / "regret.png").exists()
