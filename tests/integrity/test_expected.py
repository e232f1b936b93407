"""What seals name, and blocks of arrays that a cell may have, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dpbandits.core.errors import DamagedFile
from dpbandits.integrity import expected
from dpbandits.integrity.expected import Expected, SealedArrays


@pytest.mark.parametrize(
    ("name", "possible"),
    [
        ("a/b", True),
        ("a" * 255, True),
        ("a" * 256, False),
        ("/".join(["a" * 199] * 5), True),
        ("/".join(["a" * 199] * 5) + "/b", False),
        ("a\0b", False),
        ("\ud800", False),
        ("ä" * 127, True),
        ("ä" * 128, False),
    ],
)
def test_names_that_files_can_have(name: str, possible: bool) -> None:
    """255 bytes between slashes, 1,000 in all."""
    assert expected.is_file_name(name) == possible


def test_arrays_that_a_seal_names() -> None:
    """Digests of jobs and numbers of runs, from 1 to a million; all else is somebody else's."""
    seal = Path("r/p/a.json")
    right: dict[str, Any] = {"one": {"job": "j", "runs": 1}, "../b/most": {"job": "j", "runs": 10**6}}
    wrong: dict[str, Any] = {"no": {"job": "j", "runs": 0}, "many": {"job": "j", "runs": 10**6 + 1}, "list": []}
    wrong |= {
        "text": {"job": "j", "runs": "1"},
        "number": {"job": 1, "runs": 1},
        "a" * 256: {"job": "j", "runs": 1},
    }
    found = expected.read_arrays_of(seal, {"made_from": {"arrays": right | wrong}})
    assert found == {Path("r/p/one"): SealedArrays("j", 1), Path("r/b/most"): SealedArrays("j", 10**6)}
    for content in ({}, {"made_from": []}, {"made_from": {"arrays": []}}):
        assert expected.read_arrays_of(seal, content) == {}


def test_a_file_is_what_was_planned() -> None:
    """By its content, its runs, and the files that it describes."""
    planned = Expected({"a": 1}, range(2), ("x",))
    planned.check(Path("f"), {"a": 1, "files": {"x": "", "y": ""}}, range(2))
    for content, runs in (
        ({"a": 2, "files": {"x": ""}}, range(2)),
        ({"a": 1, "files": {"x": ""}}, range(3)),
        ({"a": 1, "files": {"x": ""}}, None),
        ({"a": 1, "files": {"y": ""}}, range(2)),
        ({"a": 1}, range(2)),
    ):
        with pytest.raises(DamagedFile, match="another place"):
            planned.check(Path("f"), content, runs)
    expected.ANY_CONTENT.check(Path("f"), {"a": 1}, range(9))


def test_blocks_that_are_missing() -> None:
    """Of as many runs as the largest that is there, before, between and after."""
    folder, ten = Path("f"), SealedArrays("j", 10)

    def missing(*names: str) -> list[str]:
        return [file.stem for file in ten.missing([Path(f"{name}.npz") for name in names], folder)]

    assert missing() == ["0-9"] and missing("0-9") == [] and missing("0-3") == ["4-7", "8-9"]
    assert (
        missing("4-7") == ["0-3", "8-9"]
        and missing("8-9", "0-3") == ["4-7"]
        and missing("2-3") == ["0-1", "4-5", "6-7", "8-9"]
    )
    assert missing("0-3", "2-9") == [] and missing("x") == ["0-9"]
    with pytest.raises(DamagedFile):
        ten.check(Path("0-2.npz"), {"job": {}}, range(2))
    with pytest.raises(DamagedFile):
        ten.check(Path("0-1.npz"), {"job": {}}, range(2))
    own = SealedArrays(expected.record_digest({"a": 1}), 2)
    own.check(Path("3-4.npz"), {"job": {"a": 1}}, range(3, 5))
    for content, runs in (({"job": 1}, range(3, 5)), ({"job": {"a": 1}}, None), ({"job": {"a": 1}}, range(3, 3))):
        with pytest.raises(DamagedFile):
            own.check(Path("3-4.npz"), content, runs)
