"""Check a crate, on a machine that has run nothing: every file is described, and is what is described."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from dpbandits.core.errors import BadInput
from dpbandits.core.files import Json

METADATA = "ro-crate-metadata.json"
# Digests of the arrays, which are not in the crate.
MANIFEST = "arrays.json"
REMEDY = "download it again"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, which other programs know too."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def check(path: Path) -> tuple[int, list[BadInput]]:
    """Return how many files of a crate are what is described, and what is wrong with the others.

    Raises
    ------
    BadInput
        If it is no crate.
    OSError
        If it is not there or cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            described = {
                # Ids are addresses: characters such as = are quoted there.
                unquote(entity["@id"]): entity.get("sha256")
                for entity in json.loads(opened.read(METADATA))["@graph"]
                if "File" in _types(entity)
            }
            found = {info.filename for info in opened.infolist() if not info.is_dir()} - {METADATA}
            wrong = list(_compared(path, opened, described, found))
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError):
        raise BadInput(str(path), "no crate", f"a zip file with {METADATA}; {REMEDY}") from None
    return len(found | set(described)) - len(wrong), wrong


def _types(entity: Json) -> list[str]:
    kind = entity["@type"]
    return kind if isinstance(kind, list) else [kind]


def _compared(path: Path, opened: zipfile.ZipFile, described: Json, found: set[str]) -> Iterator[BadInput]:
    for name in sorted(found | set(described)):
        where = f"{path}:{name}"
        if name not in found:
            yield BadInput(where, "nothing", f"what the crate describes; {REMEDY}")
        elif not described.get(name):
            yield BadInput(where, "a file without a digest", f"one that the crate describes; {REMEDY}")
        else:
            try:
                with opened.open(name) as member:
                    same = hashlib.file_digest(member, "sha256").hexdigest() == described[name]  # type: ignore[arg-type]
            except (zipfile.BadZipFile, OSError, EOFError):
                same = False
            if not same:
                yield BadInput(where, "altered content", f"what the crate describes; {REMEDY}")
