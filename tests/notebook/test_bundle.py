"""Bundles: what was packed is made again to the byte, and what was altered is told."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endings import ENDINGS
from tiers import core

import dpbandits
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput, BrokenFile, DamagedFile
from dpbandits.core.files import read_arrays, write_arrays
from dpbandits.core.provenance import ROOT
from dpbandits.notebook import bundle as bundles
from dpbandits.runs.again import again

pytest.importorskip("rocrate")
pytest.importorskip("matplotlib").use("Agg")
SOURCE = "settings/stochastic/algorithms/dp_imed.py"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a file of 40 runs."""
    job: dict[str, Any] = {"means": [0.9, 0.8], "epsilon": 1.0, "horizon": 500, "seeds": range(3, 43)}
    dpbandits.simulate("dp-imed", **job, root_seed=2**63 + 5, output=tmp_path / "runs.npz")
    return tmp_path / "runs.npz"


def packed(runs: Path, name: str = "bundle.zip") -> Path:
    """Return a bundle of a file of runs."""
    bundles.bundle([runs], runs.parent / name)
    return runs.parent / name


def altered(runs: Path) -> Path:
    """Return a file with one number of each run changed, and right digests."""
    arrays, metadata = read_arrays(runs)
    arrays["regret"][:, 0] += 1e-9
    write_arrays(runs, arrays, metadata)
    return runs


def test_drawn_runs_are_made_again(runs: Path) -> None:
    """By their definitions alone, at the rounds and with the seeds of the file."""
    given = bundles.open_bundle(packed(runs), 0.2)
    (drawn,) = given.drawn
    assert (given.total, given.foreign_sources) == (40, {})
    assert 1 <= len(drawn.request["run_numbers"]) < 25
    assert again(drawn.request) == drawn.expected
    (wrong,) = bundles.open_bundle(packed(altered(runs), "altered.zip"), 1).drawn
    assert not set(again(wrong.request)) & set(wrong.expected)


def test_nobody_chooses_what_is_drawn(runs: Path) -> None:
    """The arrays' bytes do. At least one run of each file is drawn."""
    one, same = (
        bundles.open_bundle(packed(runs, name), 0.2).drawn[0].request["run_numbers"] for name in ("a.zip", "b.zip")
    )
    other = bundles.open_bundle(packed(altered(runs), "c.zip"), 0.2).drawn[0].request["run_numbers"]
    assert one == same != other
    assert len(bundles.open_bundle(packed(runs, "d.zip"), 1e-9).drawn[0].request["run_numbers"]) == 1


def test_what_is_refused(runs: Path, tmp_path: Path) -> None:
    """A file that is there, two of one name, no share, no bundle, and an altered one."""
    whole = packed(runs)
    with pytest.raises(BadInput, match="not there yet"):
        bundles.bundle([runs], whole)
    with pytest.raises(BadInput, match="different names"):
        bundles.bundle([runs, runs], tmp_path / "b.zip")
    with pytest.raises(BadInput, match="a share"):
        bundles.open_bundle(whole, 0)
    with pytest.raises(DamagedFile, match="no crate"):
        bundles.open_bundle(runs, 1)
    content = bytearray(whole.read_bytes())
    content[len(content) // 3] ^= 1
    whole.write_bytes(content)
    with pytest.raises(DamagedFile, match="altered content"):
        bundles.open_bundle(whole, 1)


def with_code(runs: Path, code: str) -> Path:
    """Return a bundle whose algorithm's file has other code, with right digests."""
    from dpbandits.publish.crate import digests

    whole, strange = packed(runs), runs.parent / "strange.zip"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(strange, "w") as new:
        members = {name: old.read(name) for name in old.namelist()}
        name = next(name for name in members if name.endswith(".py"))
        before, members[name] = members[name], code.encode()
        sha = [digests.digest_of_text(text) for text in (before.decode(), code)]
        members[digests.METADATA] = members[digests.METADATA].replace(*(each.encode() for each in sha))
        for member, content in members.items():
            new.writestr(member, content)
    return strange


@pytest.mark.slow
def test_a_strangers_code_runs_only_when_allowed(
    runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a terminal it is refused; with ``--yes`` it runs, without this process's environment."""
    monkeypatch.setenv("A_SECRET", "of this user")
    code = (ROOT / SOURCE).read_text(encoding="utf-8")
    strange = with_code(runs, f"{code}\nimport os\nassert 'A_SECRET' not in os.environ\n")
    assert main(["review", str(strange)]) == 2
    told = capsys.readouterr().err
    assert f"not installed here: {SOURCE}" in told
    assert "whose code you have read" in told
    assert main(["review", str(strange), "--yes"]) == 0
    assert "same    runs/runs.npz" in capsys.readouterr().out


FURTHER = {"divides by zero": "1 / 0", "prints": "print(7)", "prints deeply": "print('[' * 10**5)"}
SHOWN = "leaves a child behind"


@pytest.mark.budget(6)
@pytest.mark.parametrize("way", core(ENDINGS | FURTHER, SHOWN.__eq__))
def test_code_that_ends_is_no_verdict(way: str, runs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a status of its own nor what it prints counts: one line, in each of 38 ways."""
    strange = with_code(runs, f"{(ENDINGS | FURTHER)[way]}\n")
    capfd.readouterr()
    assert main(["review", str(strange), "--yes", "--sample", "0.01"]) == 4
    first, said = capfd.readouterr().err.splitlines()
    assert "may compile" in first
    assert said.startswith("dpbandits: the bundle's runs: cannot be made again: ")
    assert said.isprintable()
    assert len(said) < 500


def test_code_that_does_not_return_is_no_verdict(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LONGEST_WAIT", 3)
    strange = with_code(runs, "import threading; threading.Event().wait()\n")
    with pytest.raises(BrokenFile, match="do not return within 3 s"):
        bundles.review(bundles.open_bundle(strange, 0.01))


@pytest.mark.slow
def test_the_command(runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Status 1 and DIFFERS for altered numbers; `verify` knows the crate."""
    monkeypatch.chdir(runs.parent)
    assert main(["bundle", "runs.npz", "--output", "bundle.zip"]) == 0
    assert main(["verify", "bundle.zip"]) == 0
    assert main(["review", "bundle.zip", "--sample", "0.1"]) == 0
    altered(runs)
    assert main(["bundle", "runs.npz", "--output", "other.zip"]) == 0
    assert main(["review", "other.zip", "--sample", "0.1"]) == 1
    assert "DIFFERS" in capsys.readouterr().out


def test_numbers_of_other_root_seeds(runs: Path) -> None:
    """A root seed of 64 bits comes back whole."""
    assert bundles.open_bundle(packed(runs), 1).drawn[0].request["root_seed"] == 2**63 + 5
    assert np.all(read_arrays(runs)[0]["seeds"] == range(3, 43))
