"""Copies of public repositories at a commit, stand-ins for what they import, and tables put into a page."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def copy_at(copies: Path, source: tuple[str, str], folder: Path, files: Sequence[str] = ()) -> Path:
    """Unpack a repository at a commit, and return where; once in a folder.

    Parameters
    ----------
    copies
        Folder with a Git directory ``OWNER+NAME/repo`` for each repository.
    source
        Repository, as ``OWNER/NAME``, and commit.
    folder
        Where it is unpacked.
    files
        Paths of the files to unpack; all by default.
    """
    repository, commit = source
    name = repository.replace("/", "+")
    place = folder / name
    if not place.exists():
        place.mkdir()
        git = ["git", "-C", str(copies / name / "repo"), "archive", commit, *files]
        packed = subprocess.run(git, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(place)], input=packed, check=True)
    return place


@contextmanager
def standing_in(**modules: Any) -> Iterator[None]:
    """Put given modules in the place of others while something is imported."""
    kept = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, old in kept.items():
            if old is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old


def put_table(page: Path, table: str, name: str = "table") -> None:
    """Put a table between the marks of a page that have its name, if the page is there."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    if page.exists():
        before, rest = page.read_text(encoding="utf-8").split(start)
        page.write_text(before + start + table + end + rest.split(end)[1], encoding="utf-8")
