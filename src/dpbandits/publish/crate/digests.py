"""Check of a crate, on a machine that has run nothing: its files are those of its metadata, by their digests.

A crate is a zip file of a finished run, or of a bundle of runs, with its metadata in ``ro-crate-metadata.json``.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from dpbandits.core.errors import DamagedFile
from dpbandits.core.escapes import is_within

METADATA = "ro-crate-metadata.json"
# Digests of the arrays, which are not in the crate.
MANIFEST = "arrays.json"
REMEDY = "download it again"
# Beyond its own size, how many bytes the metadata of a crate may unpack to: ours take one MB.
LARGEST = 8 * 2**20
# What a damaged archive's reader raises: of another password, method or version too.
DAMAGE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError, LookupError, TypeError)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def check(path: Path) -> tuple[int, list[DamagedFile]]:
    """Compare the files in a crate, a zip file of a run or bundle, with the digests in its metadata.

    Returns
    -------
    intact : int
        Number of files that are as described.
    wrong : list of DamagedFile
        An error, which is not raised, for each other file.

    Raises
    ------
    DamagedFile
        If the zip file is no crate, or cannot be read.
    FileNotFoundError
        If there is no file at ``path``.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            size = path.stat().st_size
            members = [info for info in opened.infolist() if not info.is_dir()]
            # Members that share their bytes make any size of any file.
            if sum(info.compress_size for info in members) > size:
                raise DamagedFile(str(path), "more than its size", "a crate", REMEDY)
            described = {
                # Ids are addresses: characters such as = are quoted there.
                unquote(entity["@id"]): entity.get("sha256")
                for entity in json.loads(read_member(opened, METADATA, size))["@graph"]
                if "File" in _types(entity)
            }
            times = Counter(info.filename for info in members)
            if times[METADATA] > 1:
                raise DamagedFile(str(path), f"{METADATA} {times[METADATA]} times", "one", REMEDY)
            wrong = list(
                _compared(path, opened, described, {name: times[name] for name in times if name != METADATA})
            )
    except DamagedFile:
        raise
    except FileNotFoundError:
        raise
    except (*DAMAGE, RecursionError, AttributeError):
        raise DamagedFile(str(path), "no crate", f"a zip file with {METADATA}", REMEDY) from None
    return len((times.keys() | described.keys()) - {METADATA}) - len(wrong), wrong


def read_member(opened: zipfile.ZipFile, name: str, size: int) -> bytes:
    """Return the content of the file ``name`` in an open zip file of ``size`` bytes.

    `ValueError` is raised for content of more than ``size`` bytes and 8 MiB, as a zip bomb has.
    """
    with opened.open(name) as member:
        content = member.read(size + LARGEST + 1)
    if len(content) > size + LARGEST:
        raise ValueError(name)
    return content


def _types(entity: Mapping[str, object]) -> list[object]:
    kind = entity["@type"]
    return kind if isinstance(kind, list) else [kind]


def _compared(
    path: Path, opened: zipfile.ZipFile, described: Mapping[str, object], times_in_archive: Mapping[str, int]
) -> Iterator[DamagedFile]:
    """Yield an error for each file of a crate that differs from its description in the crate's metadata.

    Parameters
    ----------
    path, opened
        The crate's path, and the open archive.
    described
        Digests that the metadata has, by name.
    times_in_archive
        How many files of the archive have a name.
    """
    for name in sorted(times_in_archive.keys() | described.keys() - {METADATA}):
        where = f"{path}:{name}"
        if not is_within(name):
            yield DamagedFile(where, "a name that leads elsewhere", "files below the crate", REMEDY)
        elif times_in_archive.get(name, 1) > 1:
            yield DamagedFile(where, f"{times_in_archive[name]} files of one name", "one", REMEDY)
        elif name not in times_in_archive:
            yield DamagedFile(where, "nothing", "what the crate describes", REMEDY)
        elif not described.get(name):
            yield DamagedFile(where, "a file without a digest", "one that the crate describes", REMEDY)
        else:
            try:
                if opened.getinfo(name).compress_type not in METHODS:
                    raise ValueError("a method that no crate of ours has")
                with opened.open(name) as member:
                    same = hashlib.file_digest(member, "sha256").hexdigest() == described[name]  # type: ignore[arg-type]
            except DAMAGE:
                same = False
            if not same:
                yield DamagedFile(where, "altered content", "what the crate describes", REMEDY)
