"""Origin of a picture, written into it: a picture that was mailed can be traced without its seal."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.core.files import Json, read_json, seal_of
from dpbandits.core.provenance import DRAWING_PACKAGES, RECORDED_PACKAGES, ROOT, package_versions

MARK = "dpbandits origin: "
# As PNG and PDF hold a text: JSON of one level, in ASCII, whose parentheses PDF would escape.
_MARKED = re.compile(re.escape(MARK.encode()) + rb"(\{[^()\\\0]{1,4000}?\}\})")
# A picture of ours has its origin in front or at its end.
LOOKED_AT = 2**20
OUTSIDE = "not in a repository"


@functools.cache
def commit() -> str:
    """Return the hash of this repository's current commit, which pictures carry as part of their origin.

    ", changed since" follows the hash if tracked files of code, configuration or workflow differ from the commit.
    Outside of a repository, or without the program git, the text is "not in a repository".
    """
    if not (ROOT.parents[1] / ".git").exists():
        return OUTSIDE
    asked = ["git", "-C", str(ROOT.parents[1])]
    try:
        head = subprocess.run(
            [*asked, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            [
                *asked,
                "status",
                "--porcelain",
                "--untracked-files=no",
                "--",
                "src",
                "packages",
                "config",
                "workflow",
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return OUTSIDE
    return f"{head}, changed since" if changed else head


def origin(file: Path, configfiles: Sequence[str], identity: str) -> str:
    """Return the text that is written into a picture: "dpbandits origin: " and JSON data.

    The data are ``command``, ``identity``, ``commit``, and ``versions`` by package.

    Parameters
    ----------
    file
        Path of the picture, as Snakemake is asked for it.
    configfiles
        Files that were given by ``--configfile``.
    identity
        Digest of all that the picture is made from, as in the picture's seal (the JSON file beside it).
    """
    told = {
        "command": shlex.join(
            ["snakemake", file.as_posix(), "--cores", "2", *(["--configfile", *configfiles] if configfiles else [])]
        ),
        "identity": identity,
        "commit": commit(),
        "versions": package_versions((*RECORDED_PACKAGES, *DRAWING_PACKAGES)),
    }
    return MARK + json.dumps(told)


def origin_of(file: Path) -> Json:
    """Return the origin that a file names: a picture, its seal (the JSON file beside it), or other JSON of ours.

    Returns
    -------
    dict
        ``identity``, ``commit`` and ``versions``. From a picture also the ``command`` that makes it. From a JSON
        file, which may lack ``commit`` and ``versions``, also what else it was made from, such as ``definition``
        and ``sources``.

    Raises
    ------
    BadInput
        If the file names no origin.
    DamagedFile
        If the file is a damaged JSON file of ours.
    OSError
        If the file cannot be read.
    """
    if file.suffix == ".json":
        content = read_json(file)
        made_from = content.get("made_from")
        if isinstance(made_from, dict) and "identity" in made_from:
            return {key: content[key] for key in ("commit", "versions") if key in content} | made_from
    else:
        with file.open("rb") as opened:
            begin = opened.read(LOOKED_AT)
            opened.seek(max(0, file.stat().st_size - LOOKED_AT))
            found = _MARKED.search(begin) or _MARKED.search(opened.read(LOOKED_AT))
        if found:
            try:
                told: Json = json.loads(found[1])
            except ValueError:
                told = {}
            if {"command", "identity", "commit", "versions"} <= told.keys():
                return told
    raise BadInput("FILE", str(file), "a picture of ours (.png or .pdf), or its .json")


def sealed(file: Path, told: Json) -> Json:
    """Return what a picture was made from, by the picture's seal: the JSON file beside it.

    ``definition`` is the picture's part of the configuration. ``sources`` are the modules that made it, with a
    digest of each. ``told`` is the origin that is written in the picture (`origin_of`). The seal is looked for
    beside ``file``, then where the origin's command makes the picture. Without a seal that has the origin's
    identity the result is empty.
    """
    words = shlex.split(str(told.get("command", "")))
    for picture in (file, *map(Path, words[1:2])):
        with contextlib.suppress(BadInput, DamagedFile, OSError):
            found = origin_of(seal_of(picture))
            if found.get("identity") == told["identity"]:
                return {key: found[key] for key in ("definition", "sources") if key in found}
    return {}
