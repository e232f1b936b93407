"""`diff`, `list` and `load` under fuzz: what a stranger sends ends well, or as `BadInput`, or as `MissingFile`."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hostile
import numpy as np
import pytest

import dpbandits
from dpbandits.cli import exhibits
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.core.files import write_arrays
from dpbandits.integrity.compare import differences, markdown, text
from dpbandits.notebook.simulated import ARRAYS

SEAL = {
    "files": {"fig1.csv": "00", "fig1.png": "11"},
    "made_from": {"definition": {"runs": 20}, "sources": "dpbandits.a 00, dpbandits.b 11"},
    "versions": {"numpy": "2.0"},
    "commit": "abc",
}
RUN = {
    "results/config.json": {
        "configuration": {
            "root_seed": 0,
            "folders": {"results": "results", "figures": "figures"},
            "papers": {"p": {"experiments": {"a": {"horizon": 9}}}},
        }
    },
    "results/claims.csv": 'paper,id,verdict,effect,near_threshold,runs\np,one,holds,3,,20\np,two,fails,"a, b",,9\n',
    "results/privacy.csv": "algorithm,base,epsilon,verdict,audited,witness\ndp-se,,1,consistent,0.9,\n",
    "results/p/claims/one.json": SEAL,
    "figures/p/fig1.json": SEAL,
    "figures/privacy.json": SEAL,
}
# Files that are none, and bytes that are no text.
ODD: list[Callable[[Path], object]] = [
    lambda file: os.mkfifo(file),
    lambda file: file.mkdir(),
    lambda file: file.symlink_to(file.name),
    lambda file: file.symlink_to("/nowhere"),
    lambda file: file.symlink_to("/dev/zero"),
    lambda file: file.write_bytes(b"\xff\xfe\x00"),
    lambda file: file.write_bytes(b"\n"),
    lambda file: file.write_text("[" * 100_000),
    lambda file: file.write_text('"' + "a" * 200_000),
    lambda _: None,
]
CELLS = ["", "\n", '"', "\x00", "=1", "\x1b", "é"]


def run_of(chance: np.random.Generator, folder: Path, changes: int) -> Path:
    """Write a run with a few changes, in a folder or as a crate, and return its place."""
    chosen = set(chance.choice(list(RUN), size=changes).tolist())
    for name, content in RUN.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        told = content if isinstance(content, str) else json.dumps(content)
        match int(chance.integers(4)) if name in chosen else -1:
            case 0:
                ODD[int(chance.integers(len(ODD)))](file)
            case 1:
                file.write_bytes(hostile.mutated_bytes(chance, told.encode()))
            case 2 | 3 if not isinstance(content, str):
                changed = hostile.mutated_json(chance, content)
                file.write_text(hostile.json_text(chance, changed), "utf-8", "replace")
            case 2 | 3:
                cells = told.replace("\n", ",\n").split(",")
                cells[int(chance.integers(len(cells)))] = str(chance.choice(CELLS))
                file.write_text(",".join(cells), encoding="utf-8")
            case _:
                file.write_text(told, encoding="utf-8")
    if chance.random() < 0.3:
        with zipfile.ZipFile(folder / "crate.zip", "w") as archive:
            archive.writestr("ro-crate-metadata.json", "{}")
            for name in RUN:
                if (folder / name).is_file() and not (folder / name).is_symlink():
                    archive.write(folder / name, name)
        if chance.random() < 0.5:
            (folder / "crate.zip").write_bytes(hostile.mutated_bytes(chance, (folder / "crate.zip").read_bytes()))
        return folder / "crate.zip"
    return folder / "results"


def faults_of(number: int, call: Callable[[int], object]) -> list[str]:
    """Return what is wrong with calls: each other error than the two, with its number."""
    faults = []
    for seed in range(number):
        try:
            call(seed)
        except (BadInput, MissingFile) as error:
            if "\n" in str(error) or "Error: " in str(error).partition("allowed: ")[2]:
                faults.append(f"{seed}: {error}")
        except Exception as error:
            faults.append(f"{seed}: {type(error).__name__}: {error}"[:200])
    return faults


@pytest.mark.parametrize("number", [100, pytest.param(3000, marks=pytest.mark.slow)])
def test_differences_of_strangers_runs(number: int, tmp_path: Path) -> None:
    """Folders and crates; both ways in which they are shown."""

    def call(seed: int) -> None:
        chance = np.random.default_rng(seed)
        shutil.rmtree(tmp_path / "runs", ignore_errors=True)
        first, second = (run_of(chance, tmp_path / "runs" / name, number) for name, number in (("a", 0), ("b", 2)))
        given = (first, second) if seed % 2 else (second, first)
        found = differences(*given)
        text(found), markdown(found, *map(str, given))

    assert faults_of(number, call) == []


@pytest.mark.parametrize("number", [100, pytest.param(4000, marks=pytest.mark.slow)])
def test_loading_strangers_files(number: int, tmp_path: Path) -> None:
    """Flipped bits, other arrays, other metadata, with a digest made anew; things that are no file."""
    whole = tmp_path / "whole.npz"
    dpbandits.simulate("dp-imed", means=[0.9, 0.5], epsilon=1.0, horizon=50, seeds=3, output=whole)
    content = whole.read_bytes()
    with np.load(whole) as opened:
        arrays = {name: opened[name] for name in opened.files if name != "metadata"}
        metadata = json.loads(str(opened["metadata"]))
    file = tmp_path / "one.npz"

    def call(seed: int) -> None:
        chance = np.random.default_rng(seed)
        if file.is_dir() and not file.is_symlink():
            file.rmdir()
        file.unlink(missing_ok=True)
        match seed % 4:
            case 0:
                file.write_bytes(hostile.mutated_bytes(chance, content))
            case 1:
                file.write_bytes(hostile.arrays(chance, content))
            case 2:
                ODD[int(chance.integers(len(ODD)))](file)
            case 3:
                changed: dict[str, Any] = dict(arrays)
                told = {key: value for key, value in metadata.items() if key != "digest"}
                name = str(chance.choice(ARRAYS))
                match int(chance.integers(5)):
                    case 0:
                        del changed[name]
                    case 1:
                        changed[name] = changed[name][..., :1]
                    case 2:
                        changed[name] = np.array(chance.choice(["x", "1"]))
                    case 3:
                        changed[name] = changed[name].astype(np.complex128)
                    case 4:
                        told = hostile.mutated_json(chance, told)
                if isinstance(told, dict):
                    write_arrays(file, changed, told)
        runs = dpbandits.load(file)
        # What is taken can be looked at.
        runs.summary(), repr(runs), runs.to_frame()

    assert "\n".join(faults_of(number, call)) == ""


class Stream(io.TextIOWrapper):
    """A stream of an encoding, which a pipe has, and which is closed early or is a terminal."""

    def __init__(self, encoding: str, errors: str, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors=errors)
        self.terminal = terminal

    def isatty(self) -> bool:
        """Say whether it is a terminal."""
        return self.terminal


def test_lists_on_any_stream(known: exhibits.Configuration, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each thing, in each encoding; names that nobody has are one line."""
    chance, faults = random.Random(5), []
    names = ["thm9", "dp-imed", "mu2", "azize2025", "fig4", "bernoulli", "\udcff", "é\x1b[2J", "", "a" * 5000]
    for encoding in ("ascii", "latin-1", "cp1252", "utf-8", "utf-16", "cp037"):
        for words in chance.sample([[], ["--json"], *([name] for name in names)], 3):
            out, error = (Stream(encoding, "strict", chance.random() < 0.5) for _ in range(2))
            monkeypatch.setattr(exhibits, "configuration", lambda: known)
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(sys, "stderr", error)
            try:
                status = main(["list", *words])
                out.flush(), error.flush()
            except Exception as fault:
                faults.append(f"{encoding} {words!r:.40}: {type(fault).__name__}: {fault}"[:200])
            else:
                told = error.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
                if status not in (0, 2) or "\x1b" in told or (status and told.strip().count("\n")):
                    faults.append(f"{encoding} {words!r:.40}: {status} {told!r:.100}")
            monkeypatch.undo()
    assert "\n".join(faults) == ""
