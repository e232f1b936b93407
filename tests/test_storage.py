"""Files are whole or absent, and damage is seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.aggregate import read_tables, statistics, write_table
from dpbandits.errors import BadInput
from dpbandits.storage import read_arrays, whole, write_arrays


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
    with pytest.raises(BadInput, match=r"a\.npz.*remove it and rerun"):
        read_arrays(path)


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
