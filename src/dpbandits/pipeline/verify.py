"""What `dpbandits verify` looks at: whether files are what was written, by the digests written with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dpbandits.core.errors import BadInput
from dpbandits.core.files import check, read_arrays, read_json, seal_of

# What products consist of; the site has copies of them.
SEALED, SITE = (".csv", ".pdf", ".png", ".tex"), "site"


def _is_sealed(file: Path) -> bool:
    """Say whether the JSON file beside a file is its seal; a damaged one is named for itself."""
    try:
        return file.name in read_json(seal_of(file)).get("files", {})
    except (BadInput, FileNotFoundError):
        return False


def _check(file: Path) -> bool:
    """Check a file, and say whether there was something to check it by."""
    if file.suffix == ".npz":
        read_arrays(file)
    elif file.suffix == ".json":
        for name in read_json(file).get("files", {}):
            if not (file.parent / name).is_file():
                raise BadInput(str(file.parent / name), "nothing", f"the file that {file.name} describes; rerun")
    elif file.suffix in SEALED or _is_sealed(file):
        check(file)
    else:
        return False
    return True


def examine(folder: Path) -> Iterator[tuple[Path, BadInput | None]]:
    """Yield the files below a folder, and what is wrong with each, if anything is.

    Logs and the site carry no digests and have no seals: they are left out, since nothing is known of them.

    Raises
    ------
    OSError
        If there is no such folder.
    """
    folder.stat()
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith(".") and SITE not in file.relative_to(folder).parts:
            try:
                known, damage = _check(file), None
            except BadInput as error:
                known, damage = True, error
            if known:
                yield file, damage
