"""Folders of results: where a configuration may let a run write.

A configuration may come from somebody else. It can name any place, and what a run writes there replaces what was
there. So a folder outside of the project counts only if the person who starts the run names it too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from dpbandits.core.errors import BadInput
from dpbandits.runs.models import Folders

# The second place where a person names a folder outside; no configuration can set it.
OUTSIDE = "DPBANDITS_OUTSIDE"
# Parts of a clone, that no run replaces.
KEPT = ("benchmarks", "config", "docs", "packages", "profiles", "report", "src", "tests", "tools", "workflow")


def check_here() -> None:
    """Raise `BadInput` if the working directory's path has braces, which Snakemake takes for wildcards."""
    if set(str(Path.cwd())) & set("{}"):
        allowed = "a folder whose name has no braces, which Snakemake takes for wildcards; rename it"
        raise BadInput("working directory", str(Path.cwd()), allowed)


def check(folders: Folders) -> None:
    """Check that results go to folders of their own in the working directory, or below one that a person named.

    A person names others in the environment variable ``DPBANDITS_OUTSIDE``, separated as in ``PATH``.

    Raises
    ------
    BadInput
        If a folder is outside, hidden, or part of a clone such as ``src``, and that variable does not name it. Also
        if its name has braces or control characters.
    """
    here = Path.cwd()
    named = [Path(os.path.normpath(here / name)) for name in os.environ.get(OUTSIDE, "").split(os.pathsep) if name]
    for key, folder in folders.model_dump().items():
        # Snakemake takes braces for a wildcard.
        if not folder.isprintable() or set(folder) & set("{}"):
            raise BadInput(("folders", key), folder, "a name without braces and control characters")
        # Links are not followed: a link in the project was made by its user, and leads where the user wants.
        place = Path(os.path.normpath(here / folder))
        is_inside = place.is_relative_to(here) and ".." not in Path(folder).parts
        first = place.relative_to(here).parts[:1] if is_inside else ()
        is_own = first and first[0] not in KEPT and not first[0].startswith(".")
        if not is_own and not any(place.is_relative_to(each) for each in named):
            allowed = f"a folder in the project, such as results/mine; for this one also set {OUTSIDE}={place}"
            raise BadInput(("folders", key), folder, allowed)


def check_room(files: Iterable[str]) -> None:
    """Raise `BadInput` if a file stands where one of ``files``, paths to be written, needs a folder."""
    places = {Path(file).parent for file in files}
    for folder in places.union(*(place.parents for place in places)):
        if folder.exists() and not folder.is_dir():
            raise BadInput("folders", str(folder), "a folder, and this is a file; move it away")
