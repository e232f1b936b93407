"""Citations, as the site shows and `dpbandits cite` prints them: names, version and BibTeX, from CITATION.cff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

from dpbandits.core.errors import MissingFile
from dpbandits.core.home import home
from dpbandits.core.provenance import package_version

FILE = "CITATION.cff"


# A paper as CITATION.cff describes it; those without a conference have only been on arXiv.
Work = TypedDict(
    "Work",
    {
        "type": str,
        "title": str,
        "authors": list[dict[str, str]],
        "year": int,
        "conference": dict[str, str],
        "collection-title": str,
        "volume": int,
        "doi": str,
        "identifiers": list[dict[str, str]],
        "notes": str,
    },
    total=False,
)
# CITATION.cff as far as it is printed.
Citation = TypedDict(
    "Citation",
    {
        "title": str,
        "authors": list[dict[str, str]],
        "license": str,
        "doi": str,
        "date-released": str,
        "repository-code": str,
        "references": list[Work],
    },
    total=False,
)


def file(folder: Path) -> Path:
    """Return the path of a folder's CITATION.cff, or raise `MissingFile`."""
    found = folder / FILE
    if not found.is_file():
        raise MissingFile(str(found), "install again, as README says")
    return found


def citation(folder: Path) -> Citation:
    """Return the content of a folder's CITATION.cff, or raise `MissingFile`."""
    from dpbandits.runs.safe_yaml import read

    return cast("Citation", read(file(folder)))


def _names(authors: Sequence[Mapping[str, str]]) -> list[str]:
    """Return authors as BibTeX wants them; an organisation in braces stays whole."""
    return [
        f"{author['family-names']}, {author['given-names']}"
        if "family-names" in author
        else f"{{{author['name']}}}"
        for author in authors
    ]


def _key(entry: Work) -> str:
    """Return family name, year and first long word of the title."""
    family = str(entry["authors"][0]["family-names"]).lower()
    first = next(word for word in re.findall(r"[a-z]+", str(entry["title"]).lower()) if len(word) > 3)
    return f"{family}{entry['year']}{first}"


def _bibtex(entry_type: str, key: str, fields: Sequence[tuple[str, object]]) -> str:
    """Return an entry; fields without a value are left out."""
    lines = [f"  {name} = {{{value}}}," for name, value in fields if value]
    return "\n".join([f"@{entry_type}{{{key},", *lines, "}"])


def _paper(entry: Work) -> str:
    """Return the entry of a replicated paper."""
    conference = entry.get("conference", {}).get("name")
    return _bibtex(
        "inproceedings" if conference else "misc",
        _key(entry),
        [
            ("author", " and ".join(_names(entry["authors"]))),
            ("title", f"{{{entry['title']}}}"),
            ("booktitle", conference),
            ("series", entry.get("collection-title")),
            ("volume", entry.get("volume")),
            ("year", entry["year"]),
            ("doi", entry["doi"]),
            ("note", ". ".join(filter(None, [entry["identifiers"][0]["value"], entry.get("notes")]))),
        ],
    )


def cite(folder: Path | None = None) -> str:
    """Return text that cites this package and the papers that it replicates.

    A line in words comes first, then the package as BibTeX, and an entry of BibTeX for each paper.

    Parameters
    ----------
    folder
        Folder of CITATION.cff; by default that of the clone, or of the installed package.

    Raises
    ------
    MissingFile
        If CITATION.cff is not there.
    """
    found = citation(folder or home())
    names = [name.strip("{}") for name in _names(found["authors"])]
    released, url = str(found["date-released"]), found.get("repository-code")
    # A style that knows no version, or entries of its kind, prints the note.
    note = f"Version {package_version()}, released {released}" + ("" if url else "; it has no public address yet")
    fields = [
        ("author", " and ".join(_names(found["authors"]))),
        ("title", f"{{{found['title']}}}"),
        ("year", released[:4]),
        ("version", package_version()),
        ("license", found["license"]),
        ("doi", found.get("doi")),
        ("url", url),
        ("note", note),
    ]
    own = _bibtex("software", "dpbandits", fields)
    head = f"{found['title']}, version {package_version()}, by {', '.join(names)}"
    return "\n\n".join([head, own, "The papers that it replicates:", *map(_paper, found["references"])])
