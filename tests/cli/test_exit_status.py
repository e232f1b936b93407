"""An exit status is a verdict's: whatever an algorithm does to the process, it is neither 0 nor 1."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from endings import ENDINGS, ENDLESS
from twins import registered

from dpbandits.auditing.audit import audit
from dpbandits.cli.apart import NO_VERDICT, STOPPED
from dpbandits.cli.commands import privacy
from dpbandits.cli.main import main
from dpbandits.core import registry
from dpbandits.core.files import Json, write_json

ORIGINAL = "rnm-ftnl-exponential"
NAME = f"{ORIGINAL}-twin"
PLACE = ["--epsilon", "1", "--environment", '{"kind": "bernoulli-losses", "means": [0.5, 0.4]}', "--horizon", "9"]
# Doors through which an algorithm is run.
DOORS = {
    "audit": ["audit", NAME, "--epsilon", "1", "--effort", "100"],
    "check": ["check", "witness.json"],
    "simulate": ["simulate", NAME, *PLACE, "--seeds", "0-1"],
    "simulate to a file": ["simulate", NAME, *PLACE, "--seeds", "0-1", "--output", "runs.npz"],
    "simulate a table": [
        *["simulate", NAME, "--epsilon", "1", "--horizon", "2", "--seeds", "0", "--environment"],
        '{"kind": "loss-vector-table", "losses": [[0.0, 1.0], [1.0, 0.0]]}',
    ],
    "simulate with a look before": ["simulate", NAME, *PLACE, "--seeds", "0-1", "--preflight"],
}


@pytest.fixture(scope="module")
def witness() -> Json:
    """Return a certificate against the twin."""
    found: Json = json.loads(json.dumps(audit(ORIGINAL, 1.0, effort=100).certificate))
    found["job"]["algorithm"] = NAME
    return found


@pytest.fixture(scope="module")
def ending() -> Iterator[Callable[[str], None]]:
    """Register an algorithm, and yield what gives it a way to end."""
    chosen = [""]

    def simulate(*_: object, **__: object) -> None:
        exec(chosen[0], {})

    declared = dataclasses.replace(registry.algorithm(ORIGINAL), simulate=simulate)
    with registered(ORIGINAL, declared, NAME):
        yield lambda text: chosen.__setitem__(0, text)


def said(
    door: str, witness: Json, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Return the status of a call from a shell, and what it prints."""
    write_json(folder / "witness.json", witness)
    patch.chdir(folder)
    patch.setattr(sys, "argv", ["dpbandits", *DOORS[door]])
    patch.setattr(sys, "stdin", None)
    status = main()
    told = capture.readouterr()
    return status, told.out + told.err


def of_tier() -> list[object]:
    """Return each way to end behind one door, in turn; every way behind every other door is slow."""
    return [
        pytest.param(way, door, marks=() if other == number % len(DOORS) else pytest.mark.slow, id=f"{way}-{door}")
        for number, way in enumerate(ENDINGS)
        for other, door in enumerate(DOORS)
    ]


@pytest.mark.parametrize(("way", "door"), of_tier())
def test_an_algorithm_that_ends_gives_no_status(
    door: str,
    way: str,
    ending: Callable[[str], None],
    witness: Json,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In each of 35 ways, in the slow tier behind each of 6 doors: one line, and no file; 2 is bad input."""
    # A process under nohup ignores it, and so do its children.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    ending(ENDINGS[way])
    status, told = said(door, witness, tmp_path, monkeypatch, capfd)
    assert status in (2, NO_VERDICT, *([STOPPED] if "interrupt" in way else [])), told
    if "prints" in way:
        # What it prints is its own.
        told = told[told.index("dpbandits: ") :]
    assert told.count("\n") == 1 or way == "reads beside its memory"
    assert told.startswith("dpbandits: ") or way == "reads beside its memory"
    assert "\x1b" not in told
    assert not (tmp_path / "runs.npz").exists()


@pytest.mark.parametrize("way", [*list(ENDLESS)[:2], pytest.param(list(ENDLESS)[2], marks=pytest.mark.slow)])
@pytest.mark.parametrize("door", ["audit", "check"])
def test_an_algorithm_that_does_not_return_is_stopped(
    door: str,
    way: str,
    ending: Callable[[str], None],
    witness: Json,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """By its processor time, or by the clock if it only waits."""
    ending(ENDLESS[way])
    monkeypatch.setattr(privacy, "longest_audit", lambda _: 0.2)
    monkeypatch.setattr(privacy, "LONGEST_CHECK", 0.2)
    status, told = said(door, witness, tmp_path, monkeypatch, capfd)
    assert status == NO_VERDICT, told
    assert told.count("\n") == 1


def test_a_child_goes_with_its_parent(tmp_path: Path) -> None:
    """A command that is killed leaves nothing that goes on."""
    script = (
        "import os, sys, time\nfrom dpbandits.cli.apart import run_in_child\n"
        f"def work():\n    open({str(tmp_path / 'child')!r}, 'w').write(str(os.getpid()))\n    time.sleep(100)\n"
        "run_in_child(work)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    file = tmp_path / "child"
    while not (file.exists() and file.read_text()):
        time.sleep(0.02)
    child = psutil.Process(int(file.read_text()))
    parent.kill()
    parent.wait()
    assert child.wait(timeout=60) is None or not child.is_running()
