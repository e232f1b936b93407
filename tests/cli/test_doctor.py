"""dpbandits doctor: every check can fail, says what to do, and never breaks off."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import costs
import pytest

from dpbandits.cli import doctor
from dpbandits.cli import main as cli


def test_this_machine_is_fit(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All checks, in a line each at least; none has broken off."""
    monkeypatch.chdir(root)
    status = cli.main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    assert [line[6:19].strip() for line in lines if "->" not in line] == list(doctor.CHECKS)
    assert status == any(line.startswith("fail") for line in lines)
    assert "Error" not in "".join(lines)


@pytest.fixture(autouse=True)
def known_arrays(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take it that this machine makes our bytes, but where that is tested: it takes two seconds."""
    if "bytes" not in request.node.name:
        monkeypatch.setattr(doctor, "differing_golden_arrays", list)


@pytest.mark.slow
def test_bytes_of_this_machine() -> None:
    """Ten known arrays are made and found the same."""
    assert doctor.same_bytes().status == "ok"


def test_other_bytes_are_noticed(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: one digest changed, in a copy of what is known, is a failure that names the array."""
    known = root / "src" / "dpbandits" / "runs" / "golden.json"
    cells = json.loads(known.read_text())
    cells["cells"][3]["digest"] = "0" * 16
    changed = tmp_path / "golden.json"
    changed.write_text(json.dumps(cells))
    program = f"from dpbandits.runs import golden; import pathlib; golden.FILE = pathlib.Path({str(changed)!r}); "
    program += "print(*(cell.label for cell in golden.changed(golden.known()[:golden.QUICK])), sep='\\n')"
    real = subprocess.run
    monkeypatch.setattr(doctor.subprocess, "run", lambda _, **given: real([sys.executable, "-c", program], **given))
    found = doctor.same_bytes()
    assert found.status == "fail"
    assert cells["cells"][3]["algorithm"] in found.found
    assert "lock" in found.remedy


def fake_version(package: str, version: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a change that makes a package look as if it had another version, or none."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        real = list(importlib.metadata.distributions())
        others = [found for found in real if found.name.lower() != package]
        fake = [SimpleNamespace(name=package, version=version)] if version else []
        monkeypatch.setattr(importlib.metadata, "distributions", lambda: others + fake)

    return change


def full_disk(free: float) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a change that leaves ``free`` bytes."""
    return lambda monkeypatch: monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))


def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every folder refuse files; changing rights would not hinder root."""

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)


def old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run Python 3.9."""
    monkeypatch.setattr(doctor.platform, "python_version", lambda: "3.9.1")


def locked(_: pytest.MonkeyPatch) -> None:
    """Leave the lock of a killed run."""
    Path(".snakemake/locks").mkdir(parents=True)
    Path(".snakemake/locks/0.input.lock").touch()


def cluster(plugin: bool, command: bool) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a change to a machine with half of SLURM."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda _: plugin or None)
        monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/sbatch" if command else None)

    return change


BROKEN: list[tuple[str, str, str, Callable[[pytest.MonkeyPatch], None]]] = [
    ("interpreter", "fail", "make an environment", old_python),
    ("packages", "fail", "pip install", fake_version("scipy", "")),
    ("packages", "warn", "numbers may differ", fake_version("numpy", "1.0")),
    ("packages", "warn", "pip install", fake_version("pygments", "1.0")),
    ("compiled code", "fail", "unset", lambda change: change.setenv("NUMBA_DISABLE_JIT", "1")),
    ("compiled code", "warn", "NUMBA_CACHE_DIR", unwritable),
    ("write access", "fail", "rights", unwritable),
    ("write access", "fail", "XDG_CACHE_HOME", lambda change: change.setenv("XDG_CACHE_HOME", "/proc/none")),
    ("lock", "warn", "--unlock", locked),
    ("cores", "warn", "unset OMP_NUM_THREADS", lambda change: change.setenv("OMP_NUM_THREADS", "64")),
    ("memory", "fail", "more memory", lambda change: change.setattr(doctor, "available_memory", lambda: 1e8)),
    ("memory", "warn", "--cores 1", lambda change: change.setattr(doctor, "available_memory", lambda: 1.5e9)),
    ("disk", "fail", "make room", full_disk(1e6)),
    ("disk", "warn", "small.yaml", full_disk(1e9)),
    ("snakemake", "warn", "root", lambda _: None),
    ("snakemake", "warn", "activate", lambda change: change.setattr(shutil, "which", lambda _: None)),
    ("slurm", "warn", "profiles/generic", cluster(plugin=False, command=True)),
    ("slurm", "warn", "uninstall", cluster(plugin=True, command=False)),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("folders: {results: /proc/none}", ["/proc/none", "figures"]),
        ("folders: {results: results/mine, figures: /proc/none}", ["results/mine", "/proc/none"]),
        ("folders: 3", ["results", "figures"]),
        ("seed: [", ["results", "figures"]),
    ],
)
def test_folders_of_the_configuration_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, names: list[str]
) -> None:
    """Those that config/config.yaml names; what is wrong with it is Snakemake's to say."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Path("config").mkdir()
    Path("config/config.yaml").write_text(text)
    assert doctor.write_access().status == ("fail" if "/proc/none" in names else "ok")
    assert doctor.output_folders() == [tmp_path / name for name in names]


@pytest.mark.parametrize(("name", "status", "remedy", "change"), BROKEN)
def test_what_is_wrong_is_said_with_its_remedy(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    status: str,
    remedy: str,
    change: Callable[[pytest.MonkeyPatch], None],
) -> None:
    """Each fault, made on purpose; the exit status follows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "cores", lambda: 2)
    # As if the environment were activated.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    change(monkeypatch)
    # All checks are run above, of a machine without faults.
    monkeypatch.setattr(doctor, "CHECKS", {name: doctor.CHECKS[name]})
    code = cli.main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found[name]["status"] == status, found
    assert remedy in found[name]["remedy"]
    assert code == any(finding["status"] == "fail" for finding in found.values())


def test_a_check_that_breaks_has_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback, whatever is wrong."""

    def broken() -> doctor.Finding:
        raise RuntimeError("no such thing")

    monkeypatch.setitem(doctor.CHECKS, "disk", broken)
    assert cli.main(["doctor"]) == 1
    assert "fail  disk           RuntimeError: no such thing" in capsys.readouterr().out


def test_it_starts_without_what_it_examines() -> None:
    """A broken numpy must not stop the command that would say so."""
    code = (
        "import sys; from dpbandits.cli import main as cli; cli.main(['doctor']); "
        "print([m for m in ('numpy', 'numba', 'pandas', 'snakemake') if m in sys.modules])"
    )
    # With the child's, which the clock of this process alone would not count.
    with costs.within(4.0):
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[-1] == "[]"
