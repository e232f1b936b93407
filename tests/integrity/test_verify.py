"""What `verify` and `repair` do with files that are not ours: name them, and leave them."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dpbandits.cli.main import main
from dpbandits.core.files import seal, write_arrays, write_json
from dpbandits.integrity.verify import ASIDE, examine, repair


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, and work in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    """Return all files of a folder but those moved aside."""
    return {
        file.relative_to(folder): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ASIDE.name not in file.parts
    }


def random_json(chance: np.random.Generator) -> str:
    """Return JSON as people write it, in many layouts; or a text that is none."""
    value: object = {
        "files": {"a": int(chance.integers(9))},
        "digest": "mine",
        "n": [1.5] * int(chance.integers(4)),
    }
    text = json.dumps(value, indent=[None, 1, 2, 4][chance.integers(4)], sort_keys=bool(chance.integers(2)))
    # `seal` writes with one space; a person's who does so too begins otherwise.
    text = text.replace('"files"', '"Files"')
    return [text, text + "\n", text[: len(text) // 2], "[]", "", "3"][chance.integers(6)]


def random_npz(chance: np.random.Generator) -> bytes:
    """Return arrays as people save them, or what is none."""
    opened = io.BytesIO()
    save = [np.savez, np.savez_compressed][chance.integers(2)]
    save(opened, **{name: chance.random(int(chance.integers(1, 50))) for name in ("x", "metadata")})
    content = opened.getvalue()
    return [content, content[: len(content) // 2], b"", b"no zip"][chance.integers(4)]


def test_nothing_of_a_persons_is_touched(here: Path) -> None:
    """Whatever it is, wherever it lies, alone or among ours; ours, damaged, is moved and not lost."""
    chance = np.random.default_rng(29)
    ours = here / "results" / "mine.csv"
    ours.parent.mkdir()
    ours.write_text("x\n1\n")
    seal([ours], {"identity": "1"})
    write_json(here / "results" / "ours.json", {"a": 1})
    write_arrays(here / "results" / "0-1.npz", {"seeds": np.arange(2)}, {"job": {}})
    for number in range(150):
        folder = here / ["results", "deep/er", "config", "."][chance.integers(4)]
        folder.mkdir(parents=True, exist_ok=True)
        if chance.integers(2):
            (folder / f"{number}.json").write_text(random_json(chance))
        else:
            (folder / f"{number}.npz").write_bytes(random_npz(chance))
        (folder / f"{number}.csv").write_text("x\n")
    before = contents(here)
    assert len(repair([here])) > 150
    assert contents(here) == before
    damaged = [here / "results" / name for name in ("mine.csv", "ours.json", "0-1.npz")]
    for file in damaged:
        file.write_bytes(file.read_bytes().replace(b"1", b"2", 1))
    altered = contents(here)
    repair([here])
    gone = {file.relative_to(here) for file in (*damaged, damaged[0].with_suffix(".json"))}
    assert set(before) - set(contents(here)) == gone
    assert {file.relative_to(ASIDE / "1") for file in (ASIDE / "1").rglob("*") if file.is_file()} == gone
    assert all((ASIDE / "1" / file).read_bytes() == altered[file] for file in gone)


def test_a_clone_keeps_its_files(root: Path, here: Path) -> None:
    """Each tracked file that could be taken for a result, with a word that is damaged."""
    asked = ["git", "-C", str(root), "ls-files", "*.json", "*.npz", "*.csv", "*.html"]
    names = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(names) > 15
    for name in names:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, here / name)
    before = contents(here)
    assert main(["repair", "."]) == 0
    assert contents(here) == before


@pytest.mark.parametrize("answer", ["", "n", "y", None])
def test_a_person_is_asked(
    here: Path, answer: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal; a dry run lists the same and moves nothing."""
    file = here / "a.json"
    write_json(file, {"a": 1})
    file.write_text(file.read_text().replace("1", "2", 1))
    assert main(["repair", ".", "--dry-run"]) == 0
    assert "to be moved aside: a.json" in capsys.readouterr().out
    assert file.exists()
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    main(["repair", ".", *(["--yes"] if answer is None else [])])
    assert file.exists() == (answer in ("", "n"))


def test_a_folder_in_a_files_place_stops_nothing(here: Path) -> None:
    """Of a file, or of a seal: it is moved with all that is in it, and so is what else is damaged."""
    for name in ("a", "b", "c"):
        (here / f"{name}.csv").write_text("x\n")
        seal([here / f"{name}.csv"], {"identity": name})
    (here / "a.csv").unlink()
    (here / "a.csv").mkdir()
    (here / "a.csv" / "mine.txt").write_text("mine")
    (here / "b.json").unlink()
    (here / "b.json").mkdir()
    (here / "c.csv").write_text("y\n")
    assert {file.name for file, damage in examine([here]).damage.items() if damage} == {"a.csv", "b.csv", "c.csv"}
    repair([here])
    assert set(contents(here)) == {Path("b.csv")}
    assert (ASIDE / "1" / "a.csv" / "mine.txt").read_text() == "mine"


def test_a_file_that_its_seal_does_not_describe_loses_the_seal(here: Path) -> None:
    """A picture that came beside a table: both stay, and are made again for want of a seal."""
    for name in ("a.csv", "b.csv"):
        (here / name).write_text("x\n")
        seal([here / name], {"identity": name})
    (here / "a.png").write_bytes(b"a picture")
    damaged = {file.name for file, damage in examine([here]).damage.items() if damage}
    assert damaged == {"a.png"}
    repair([here])
    assert set(contents(here)) == {Path(name) for name in ("a.csv", "a.png", "b.csv", "b.json")}
    assert (ASIDE / "1" / "a.json").is_file()


def test_a_seal_names_nothing_through_a_link(here: Path, tmp_path: Path) -> None:
    """A link to a folder elsewhere leads to a person's files."""
    elsewhere = tmp_path / "home"
    elsewhere.mkdir()
    (elsewhere / "thesis.csv").write_text("years of work")
    (here / "link").symlink_to(elsewhere)
    (here / "a.csv").write_text("x\n")
    write_json(here / "a.json", {"files": {"a.csv": "0", "link/thesis.csv": "0"}})
    repair([here])
    assert (elsewhere / "thesis.csv").read_text() == "years of work"


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_names_do_not_steer_the_terminal(here: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences are spelled out."""
    (here / "\x1b[2J\x9b\u202e.csv").write_text("x\n")
    main([command, "."])
    out = capsys.readouterr().out
    assert "\\x1b[2J\\x9b\\u202e.csv" in out
    assert all(letter.isprintable() or letter == "\n" for letter in out)


def bombs(folder: Path) -> Iterator[Path]:
    """Yield files of a MB at most that hold far more: arrays that are deflated, metadata and members of a crate."""
    for name, member, size in (
        ("results/0-9.npz", "metadata.npy", 300),
        ("a.zip", "ro-crate-metadata.json", 300),
        ("b.zip", "results/claims.csv", 300),
    ):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            if name == "b.zip":
                graph = '{"@graph": [{"@id": "results/claims.csv", "@type": "File", "sha256": "0"}]}'
                archive.writestr("ro-crate-metadata.json", graph)
            with archive.open(member, "w") as opened:
                for _ in range(size):
                    opened.write(b" " * 10**6)
        yield file if file.suffix == ".zip" else file.parent
    (folder / "c").mkdir()
    (folder / "c" / "a.json").write_text("[" * 10**6, encoding="utf-8")
    yield folder / "c"
    write_json(
        folder / "c" / "a.json",
        {"made_from": {"arrays": {f"x{i}": {"job": "0", "runs": 10**6} for i in range(9000)}}},
    )
    yield folder / "c"


@pytest.mark.slow
def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    """Of a MB or less, whatever it unpacks to: 300 MB with the interpreter, and seconds."""
    # The largest memory of this program so far: what `getrusage` says counts that of the process that started it.
    measured = (
        "import re, sys, time\n"
        "from dpbandits.cli.main import main\n"
        "for place in iter(sys.stdin.readline, ''):\n"
        "    began = time.process_time()\n"
        "    main(['verify', place.rstrip()])\n"
        "    with open('/proc/self/status') as status:\n"
        "        largest = re.search(r'VmHWM:\\s+(\\d+) kB', status.read())\n"
        "    print('measured', int(largest[1]) // 1024, time.process_time() - began, flush=True)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    looked = 0
    with subprocess.Popen([sys.executable, "-c", measured], text=True, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        for place in bombs(tmp_path):
            print(place, file=process.stdin, flush=True)
            told = next(line for line in process.stdout if line.startswith(("measured", "Traceback")))
            _, megabytes, seconds = told.split()
            assert float(megabytes) <= 300, place
            assert float(seconds) <= 20, place
            looked += 1
        process.stdin.close()
        assert "Traceback" not in process.stdout.read()
    assert looked == 5
