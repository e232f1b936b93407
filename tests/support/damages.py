"""Random damages to files, as disks, networks and hands do them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from dpbandits.integrity.verify import examine

KINDS = ("flip", "truncate", "delete", "swap", "edit")


def state(folders: Sequence[Path]) -> dict[Path, bytes]:
    """Return the files that a run of the workflow answers for: all but logs and what is hidden."""
    return {
        file: file.read_bytes()
        for folder in folders
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.startswith(".") and file.suffix not in (".log", ".tsv")
    }


def one(path: Path, kind: str, others: Sequence[Path], chance: np.random.Generator) -> None:
    """Damage a file: flip a bit, cut the end, remove it, exchange it with one of its kind, or edit it by hand."""
    content, times = bytearray(path.read_bytes()), path.stat()
    place = int(chance.integers(len(content)))
    alike = [other for other in others if other.suffix == path.suffix and other.read_bytes() != content]
    if kind == "delete":
        path.unlink()
    elif kind == "swap" and alike:
        other = alike[chance.integers(len(alike))]
        path.write_bytes(other.read_bytes())
        other.write_bytes(content)
    elif kind in ("truncate", "swap"):
        path.write_bytes(content[:place])
    else:
        content[place] ^= 1 << int(chance.integers(8))
        path.write_bytes(content)
        if kind == "flip":
            # A disk does not say when.
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def damage(
    folders: Sequence[Path], number: int, chance: np.random.Generator, always: Sequence[Path] = ()
) -> list[Path]:
    """Damage so many files, some of them always, and return those that differ, or are missing, afterwards."""
    before = state(folders)
    for path in always:
        one(path, KINDS[chance.integers(len(KINDS))], list(before), chance)
    for _ in range(number - len(always)):
        present = [file for file in before if file.is_file() and file.stat().st_size]
        path = present[chance.integers(len(present))]
        one(path, KINDS[chance.integers(len(KINDS))], present, chance)
    after = state(folders)
    return [file for file, content in before.items() if after.get(file) != content]


def named(folders: Sequence[Path]) -> set[Path]:
    """Return the files with which `dpbandits verify` finds something wrong."""
    return {path for path, damage in examine(folders).damage.items() if damage is not None}


def unnoticed(damaged: Sequence[Path], named: Collection[Path], seals: Mapping[Path, Path]) -> list[Path]:
    """Return the damaged files of which neither themselves, nor their seal, nor what they seal is named."""
    described = {seal: {path for path, of in seals.items() if of == seal} for seal in seals.values()}
    return [file for file in damaged if not {file, seals.get(file), *described.get(file, ())} & set(named)]
