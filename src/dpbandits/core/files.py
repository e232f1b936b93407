"""Files that are whole or absent, and that show damage: npz for arrays, CSV for tables.

A file is written aside, then renamed. Arrays and JSON carry a digest of their content inside. Other files have a
seal: a JSON file of the same name beside them, which says what they were made from and has their digests.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import hashlib
import json
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import DamagedFile
from dpbandits.core.provenance import DRAWING_PACKAGES, RECORDED_PACKAGES, package_versions, record_digest

# Modes of files: of results, before the umask; of those that are as confidential as rewards.
SHARED, PRIVATE = 0o666, 0o600


@contextlib.contextmanager
def whole(path: Path, mode: int = SHARED) -> Iterator[Path]:
    """Give a ``with`` block a temporary path to write to, so that ``path`` gets a whole file or none.

    On success the temporary file is renamed to ``path``; on an error it is removed. It lies beside ``path`` and has
    the same suffix, since writers choose a format by it. ``mode`` has the permissions of the file, such as 0o666,
    less those that the umask takes away.

    Temporary files of ``path`` that a killed writer left behind are removed. Those of a living one, such as a job
    that outlived its killed workflow, are locked and stay.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.stem)}~*{glob.escape(path.suffix)}"):
        with contextlib.suppress(OSError), left.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()
    handle, aside = _locked_aside(path)
    try:
        yield aside
        # mkstemp makes files private; results are shared. Some file systems, such as exFAT, have no modes.
        with _said(path, "its mode is not set"):
            aside.chmod(mode & ~_umask())
        # A name must not survive a crash of the machine without its content.
        with _said(path, "it may be lost if this machine crashes now"):
            os.fsync(handle)
        aside.replace(path)
    except OSError as error:
        # For a full disk the system's error names no file, and a user does not know the temporary one.
        if error.filename in (None, str(aside)):
            error.filename = str(path)
        raise
    finally:
        aside.unlink(missing_ok=True)
        os.close(handle)


@contextlib.contextmanager
def _said(path: Path, meaning: str) -> Iterator[None]:
    """Say in one line what a file system refuses that can be done without; a full disk cannot."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise
        print(f"dpbandits: {path}: {error.strerror}: {meaning}", file=sys.stderr)


def _umask() -> int:
    """Return the umask, which can be asked for by setting it alone, or on Linux without."""
    with contextlib.suppress(OSError, StopIteration), open("/proc/self/status", encoding="ascii") as opened:  # noqa: PTH123
        return int(next(line for line in opened if line.startswith("Umask:")).split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _locked_aside(path: Path) -> tuple[int, Path]:
    """Return a new file beside ``path``, open and locked."""
    while True:
        try:
            handle, name = tempfile.mkstemp(prefix=f".{path.stem}~", suffix=path.suffix, dir=path.parent)
        except OSError as error:
            # The caller does not know the temporary name.
            error.filename = str(path)
            raise
        # A file system without locks leaves nothing to respect.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        # Before it was locked another writer could take it for a dead one's, and remove it.
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)


# What a JSON file holds.
Json = Mapping[str, Any]


def _content_digest(arrays: Mapping[str, NDArray[Any]], metadata: Json) -> str:
    """Return a digest of names, types, shapes and values: members of two files cannot be mixed unnoticed."""
    digest = hashlib.blake2b(json.dumps(metadata, sort_keys=True).encode(), digest_size=16)
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.tobytes() if array.dtype.kind == "U" else array.data)
    return digest.hexdigest()


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], metadata: Json) -> None:
    """Write arrays with their metadata as an uncompressed npz; equal content gives equal bytes.

    Parameters
    ----------
    path
        The file to write.
    arrays
        Arrays by name, none called ``metadata``.
    metadata
        JSON data without the key ``digest``; it is stored, with the digest of everything, as text in the array
        ``metadata``.
    """
    with whole(path) as aside:
        _save(aside, arrays, metadata)


def _save(file: Path | BytesIO, arrays: Mapping[str, NDArray[Any]], metadata: Json) -> None:
    text = np.array(json.dumps({**metadata, "digest": _content_digest(arrays, metadata)}, sort_keys=True))
    np.savez(file, allow_pickle=False, metadata=text, **arrays)


def read_arrays(path: Path, *, strictly: bool = False) -> tuple[dict[str, NDArray[Any]], Json]:
    """Return the arrays by name and the metadata of a file of `write_arrays`, without the ``digest``.

    Parameters
    ----------
    path
        The file to read.
    strictly
        Whether all bytes are checked, also those that mean nothing to a reader, such as a time in an archive.

    Raises
    ------
    DamagedFile
        If the file is damaged: its content does not have the digest it had when it was written.
    """
    try:
        _refuse_packed(path)
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
            metadata = json.loads(str(arrays.pop("metadata")))
        intact = metadata.pop("digest") == _content_digest(arrays, metadata)
        if strictly:
            _save(again := BytesIO(), arrays, metadata)
            intact &= again.getbuffer() == path.read_bytes()
    except (FileNotFoundError, PermissionError):
        raise
    except Exception as error:
        # What readers of zip files and of npy headers raise on damage has no common class.
        raise DamagedFile(str(path), f"{type(error).__name__}: {error}", "an undamaged file") from None
    if not intact:
        raise DamagedFile(str(path), "altered content", "what was written")
    return arrays, metadata


def _refuse_packed(path: Path) -> None:
    """Raise `ValueError` for an archive that unpacks to more than itself: ours are never compressed."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ValueError("a compressed archive")
    if sum(member.file_size for member in members) > path.stat().st_size:
        raise ValueError("an archive of more than its size")


# How files of `write_json` end, how the two kinds that nothing else tells begin, what arrays have in front.
_END = re.compile(rb'\n "digest": "[0-9a-f]{16}"\n\}\n?$')
_BEGINNINGS = (b'{\n "files": {', b'{\n "configuration": {')
_FRONT, _DIGEST = b"metadata.npy", '"digest": "'.encode("utf-32-le")


def is_ours(path: Path) -> bool:
    """Tell whether an npz or JSON file, even a damaged one, still looks as if `dpbandits` wrote it."""
    try:
        # A link may lead to a device, which has no end.
        if not path.is_file():
            return False
        with path.open("rb") as opened:
            begin = opened.read(1 << 16)
            opened.seek(max(0, path.stat().st_size - 100))
            end = opened.read(100)
    except OSError:
        return False
    if path.suffix == ".npz":
        return _FRONT in begin[:64] and _DIGEST in begin
    return path.suffix == ".json" and (begin.startswith(_BEGINNINGS) or _END.search(end) is not None)


def _text(content: Json, digest: str) -> str:
    """Return the one text of JSON data with its digest."""
    return json.dumps({**content, "digest": digest}, indent=1) + "\n"


def write_json(path: Path, content: Json, mode: int = SHARED) -> None:
    """Write JSON data, and its digest under the key ``digest``, which ``content`` must not have.

    ``mode`` has the permissions of the file, as `whole` takes them.
    """
    with whole(path, mode) as aside:
        aside.write_text(_text(content, record_digest(content)), encoding="utf-8")


def read_json(path: Path) -> Json:
    """Return the content of a file of `write_json`, without the ``digest``.

    Raises
    ------
    DamagedFile
        If the file is damaged.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content: dict[str, Any] = json.loads(text)
        digest = content.pop("digest")
        intact = digest == record_digest(content) and text == _text(content, digest)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise DamagedFile(str(path), "damaged content", "an undamaged file") from None
    if not intact:
        raise DamagedFile(str(path), "altered content", "what was written")
    return content


def file_digest(path: Path) -> str:
    """Return the digest of a file's bytes, 32 hexadecimal digits."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def seal_of(path: Path) -> Path:
    """Return the path of a file's seal: beside it, with the suffix ``.json`` in place of its own."""
    return path.with_suffix(".json")


def seal(paths: Sequence[Path], made_from: Json, commit: str | None = None) -> None:
    """Write the seal of files beside the first: a JSON file with their digests and what they were made from.

    Parameters
    ----------
    paths
        The files, complete; all lie beside the first or in folders there.
    made_from
        JSON data that the files were made from; its ``identity`` is a digest of all of it.
    commit
        Commit of the repository, if the files have it in them too; by default the seal has none.
    """
    content = {
        "files": {path.relative_to(paths[0].parent).as_posix(): file_digest(path) for path in paths},
        "made_from": made_from,
        # Nothing here depends on the machine or the time, so equal files have equal seals.
        "versions": package_versions((*RECORDED_PACKAGES, *DRAWING_PACKAGES)),
        **({} if commit is None else {"commit": commit}),
    }
    write_json(seal_of(paths[0]), content)


def differing(content: Json, planned: Json) -> str | None:
    """Return the first key of ``planned`` that ``content`` lacks, or has with another value.

    Parameters
    ----------
    content
        Content of a JSON file, or the metadata of arrays.
    planned
        Values by key; a key with dots, such as ``made_from.identity``, is ``identity`` inside ``made_from``.

    Returns
    -------
    str or None
        The key; ``None`` if all keys have the planned values.

    Examples
    --------
    >>> differing({"made_from": {"identity": "a"}, "runs": 2}, {"made_from.identity": "a", "runs": 3})
    'runs'
    """
    # Through JSON, since ``content`` was read from it: tuples become lists.
    for key, value in json.loads(json.dumps(planned)).items():
        found: object = content
        for name in key.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        if found != value:
            return str(key)
    return None


def check(path: Path, identity: str | None = None) -> None:
    """Check a file against its seal: the JSON file beside it, which has its digest and what it was made from.

    Parameters
    ----------
    path
        The file to check. A JSON file has no other seal: it is checked by the digest inside it.
    identity
        If given, the identity that the seal must have: a digest of all that the file should be made from.

    Raises
    ------
    DamagedFile
        If the file is not the one that was sealed, or was made from something else.
    """
    place = seal_of(path)
    try:
        content = read_json(place)
    except FileNotFoundError:
        if place == path:
            raise
        raise DamagedFile(str(path), "a file without a seal", f"one with {place.name} beside it") from None
    files = content.get("files")
    described = isinstance(files, dict) and files.get(path.name)
    if place != path and file_digest(path) != described:
        raise DamagedFile(str(path), "altered content", f"the file that {place.name} describes")
    if identity is not None and differing(content, {"made_from.identity": identity}):
        raise DamagedFile(str(path), "another result", "what the configuration and the sources say")
