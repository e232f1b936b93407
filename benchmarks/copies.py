"""Copies of public repositories at a commit, and tables of what was found in them, put into a page."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path


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


def put_table(page: Path, table: str, name: str = "table") -> None:
    """Put a table between the marks of a page that have its name, if the page is there."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    if page.exists():
        before, rest = page.read_text(encoding="utf-8").split(start)
        page.write_text(before + start + table + end + rest.split(end)[1], encoding="utf-8")
