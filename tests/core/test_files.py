"""Files are whole or absent, and damage is seen."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.cli.main import main
from dpbandits.core.errors import DamagedFile
from dpbandits.core.files import check, read_arrays, read_json, seal, whole, write_arrays, write_json
from dpbandits.core.tables import read_tables, write_table
from dpbandits.integrity.verify import examine
from dpbandits.runs.aggregate import statistics


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    """Nothing half-written stays, and the old file survives."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="half way"), whole(path) as aside:
        aside.write_text("new")
        raise RuntimeError("half way")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    """By the next writer of the same file, and of no other."""
    for name in (".fig4~abc.pdf", ".fig4-published~abc.pdf", ".fig4~abc.png"):
        (tmp_path / name).write_text("half")
    with whole(tmp_path / "fig4.pdf") as aside:
        aside.write_text("all")
    assert {file.name for file in tmp_path.iterdir()} == {"fig4.pdf", ".fig4-published~abc.pdf", ".fig4~abc.png"}


def test_arrays_come_back_and_equal_content_is_equal_bytes(tmp_path: Path) -> None:
    """A round trip, twice."""
    arrays = {"regret": np.linspace(0, 1, 7).reshape(1, 7), "seeds": np.arange(3)}
    for name in ("a.npz", "b.npz"):
        write_arrays(tmp_path / name, arrays, {"job": {"x": 1}})
    read, metadata = read_arrays(tmp_path / "a.npz")
    assert metadata == {"job": {"x": 1}}
    assert all((read[name] == arrays[name]).all() for name in arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize("damage", ["truncated", "altered", "empty", "text"])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    """No damage passes for a result."""
    path = tmp_path / "a.npz"
    write_arrays(path, {"regret": np.ones((50, 50))}, {"job": {}})
    content = bytearray(path.read_bytes())
    if damage == "altered":
        content[len(content) // 2] ^= 1
    path.write_bytes(
        {"truncated": content[: len(content) // 2], "altered": content, "empty": b"", "text": b"no zip"}[damage]
    )
    with pytest.raises(DamagedFile, match=r"a\.npz.*remove it and rerun"):
        read_arrays(path)


def test_no_flipped_bit_changes_what_is_read(tmp_path: Path) -> None:
    """Every byte of a file in turn: the file is refused, or what is read is what was written."""
    path = tmp_path / "a.npz"
    arrays = {"regret": np.linspace(0, 1, 6).reshape(2, 3), "seeds": np.arange(2)}
    write_arrays(path, arrays, {"job": {"x": 1}})
    content = path.read_bytes()
    refused = 0
    for i in range(len(content)):
        path.write_bytes(content[:i] + bytes([content[i] ^ (1 << i % 8)]) + content[i + 1 :])
        try:
            read, metadata = read_arrays(path)
        except DamagedFile as error:
            assert str(error).startswith(str(path))
            refused += 1
        else:
            assert metadata == {"job": {"x": 1}}
            assert all(np.array_equal(read[name], arrays[name]) for name in arrays)
    # What is left are fields of the zip format, such as times, that nobody reads.
    assert refused > 0.7 * len(content)


def test_parts_of_two_files_are_not_one(tmp_path: Path) -> None:
    """Each member has its own checksum; only the digest of all shows that they do not belong together."""
    for name, value in (("a.npz", 1.0), ("b.npz", 2.0)):
        write_arrays(tmp_path / name, {"regret": np.full(3, value)}, {"job": {"value": value}})
    with np.load(tmp_path / "a.npz") as a, np.load(tmp_path / "b.npz") as b:
        np.savez(tmp_path / "mixed.npz", regret=b["regret"], metadata=a["metadata"])
    with pytest.raises(DamagedFile, match=r"mixed\.npz.*altered content"):
        read_arrays(tmp_path / "mixed.npz")


def test_a_living_writer_is_left_in_peace(tmp_path: Path) -> None:
    """A job that outlived its killed workflow, and the same job started anew, write the same file."""
    path = tmp_path / "a.txt"
    with whole(path) as orphan:
        orphan.write_text("the same")
        with whole(path) as anew:
            anew.write_text("the same")
            assert orphan.exists()
        assert path.read_text() == "the same"
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "the same"


def test_locks_end_with_their_writer(tmp_path: Path) -> None:
    """Without the lock the leftover is a killed writer's."""
    left = tmp_path / ".a~x.txt"
    left.write_text("half")
    with left.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with whole(tmp_path / "a.txt") as aside:
            aside.write_text("all")
        assert left.exists()
    with whole(tmp_path / "a.txt") as aside:
        aside.write_text("all")
    assert not left.exists()


def sealed(folder: Path, name: str) -> Path:
    """Make a small sealed table."""
    path = folder / f"{name}.csv"
    write_table(pd.DataFrame({"x": [1.0, 2.0]}), path)
    seal([path], {"identity": name})
    return path


def test_a_seal_says_what_a_file_is_made_from_and_shows_damage(tmp_path: Path) -> None:
    """Truncation at a line's end is no fault to a CSV reader; a file and its seal from elsewhere are no damage."""
    path = sealed(tmp_path, "fig1")
    expected = "fig1"
    check(path, expected)
    content = json.loads((tmp_path / "fig1.json").read_text())
    assert content["made_from"] == {"identity": "fig1"}
    assert {"python", "numpy", "matplotlib", "dpbandits"} <= set(content["versions"])
    assert list(pd.read_csv(path)["x"]) == [1.0, 2.0]
    other = sealed(tmp_path, "fig4")
    with pytest.raises(DamagedFile, match=r"fig4\.csv: another result"):
        check(other, expected)
    path.write_text("x\n1.0\n")
    with pytest.raises(DamagedFile, match=r"fig1\.csv: altered content"):
        check(path, expected)
    altered = (tmp_path / "fig1.json").read_text().replace(content["versions"]["numpy"], "1.0")
    for damage in ("", "{}", "[1]", '{"files": 3}', '{"files": {}, "made_from": 1}', altered):
        (tmp_path / "fig1.json").write_text(damage)
        with pytest.raises(DamagedFile, match=r"fig1\.(json|csv): .*remove it and rerun"):
            check(path, expected)
    (tmp_path / "fig1.json").unlink()
    with pytest.raises(DamagedFile, match="without a seal"):
        check(path)


NAMELESS = "fig\0.csv"


@pytest.mark.parametrize("command", ["verify", "repair"])
@pytest.mark.parametrize(
    ("content", "damaged"),
    [
        ({"files": {"fig.csv": "0", NAMELESS: "0"}}, True),
        ({"made_from": {"arrays": {NAMELESS: {"job": "0", "runs": 3}}}}, False),
        ({"made_from": {"arrays": {"cells": {"job": 0, "runs": "3"}, "more": 1}}}, False),
        ({"made_from": {"arrays": [1]}}, False),
    ],
)
def test_a_seal_may_say_anything(
    tmp_path: Path, command: str, content: dict[str, object], damaged: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even names that no file has: it is refused, or says nothing of arrays."""
    write_json(tmp_path / "fig.json", content)
    assert main([command, str(tmp_path)]) == int(damaged and command == "verify")
    assert ("fig.json: a seal of files elsewhere" in capsys.readouterr().out) == damaged


def test_arrays_may_say_anything(tmp_path: Path) -> None:
    """What seals have is nothing to them."""
    write_arrays(tmp_path / "0-1.npz", {"seeds": np.arange(2)}, {"files": 3, "job": []})
    assert main(["verify", str(tmp_path)]) == 0


def test_all_files_are_examined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Arrays, JSON, sealed files and lost ones; what carries nothing to check it by is left out."""
    below = tmp_path / "azize2025"
    below.mkdir()
    write_arrays(below / "a.npz", {"regret": np.ones(3)}, {"job": {}})
    write_json(tmp_path / "b.json", {"loss": float("inf"), "of": ["a", 1]})
    path = sealed(below, "fig1")
    (tmp_path / "a.log").write_text("12 s")
    assert read_json(tmp_path / "b.json") == {"loss": float("inf"), "of": ["a", 1]}
    assert [(file.name, damage) for file, damage in examine([tmp_path]).damage.items()] == [
        ("a.npz", None),
        ("fig1.csv", None),
        ("fig1.json", None),
        ("b.json", None),
    ]
    assert main(["verify", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "4 files intact; 0 damaged, missing or unsealed\n"

    path.write_text("x\n1.0\n")
    (below / "a.npz").write_bytes((below / "a.npz").read_bytes()[:100])
    text = (tmp_path / "b.json").read_text()
    (tmp_path / "b.json").write_text(text.replace('"of"', '"if"'))
    assert main(["verify", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines[:3]] == [
        str(below / "a.npz"),
        str(below / "fig1.csv"),
        str(tmp_path / "b.json"),
    ]
    assert lines[3] == "1 files intact; 3 damaged, missing or unsealed"
    path.unlink()
    (below / "a.npz").unlink()
    (tmp_path / "b.json").unlink()
    assert main(["verify", str(below)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}: nothing, not the file that fig1.json describes")
    sealed(below, "fig1").with_suffix(".json").unlink()
    assert main(["verify", str(below)]) == 1
    assert capsys.readouterr().out.startswith(f"{path}: a file without a seal")


def test_verify_wants_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That are there."""
    assert main(["verify", str(tmp_path / "none")]) == 4
    assert capsys.readouterr().err == f"dpbandits: {tmp_path / 'none'}: No such file or directory\n"


def test_equal_products_have_equal_seals(tmp_path: Path) -> None:
    """Nothing of the machine, the folder or the time is in them."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        sealed(tmp_path / name, "fig1")
    assert (tmp_path / "one/fig1.json").read_bytes() == (tmp_path / "two/fig1.json").read_bytes()


def test_tables_keep_every_digit(tmp_path: Path) -> None:
    """Numbers read back as the same numbers."""
    table = pd.DataFrame(
        {"x": np.random.default_rng(0).random(1000) * 10.0 ** np.arange(-500, 500, 1).clip(-300, 300)}
    )
    write_table(table, tmp_path / "t.csv")
    assert (read_tables([tmp_path / "t.csv"])["x"] == table["x"]).all()


def test_statistics_are_numpys_and_the_interval_covers() -> None:
    """Against direct formulas; and the 95 % interval of a normal mean covers it in about 95 % of samples.

    With 4,000 intervals the count's standard deviation is 0.34 %: 1.5 % either way is a false alarm in 1e-5.
    """
    draws = np.random.default_rng(1).normal(3.0, 2.0, size=(20, 4000))
    table = statistics(draws, 0.95)
    assert np.allclose(table["mean"], draws.mean(axis=0))
    assert np.allclose(table["sd"] ** 2, draws.var(axis=0) * 20 / 19)
    assert np.allclose(table["q95"], np.quantile(draws, 0.95, axis=0))
    assert np.allclose(table["maximum"], draws.max(axis=0))
    covered = np.mean((table["mean_low"] < 3.0) & (table["mean_high"] > 3.0))
    assert abs(covered - 0.95) < 0.015
