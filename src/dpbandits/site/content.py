"""What the site says: verdicts, discrepancies, figures and tables, read from results."""

from __future__ import annotations

import csv
import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from dpbandits.core.files import Json
from dpbandits.core.tables import read_markdown


class Sign(NamedTuple):
    """How a verdict looks: a mark and a colour, so that either is enough.

    Attributes
    ----------
    verdict
        The word of the ledger or the privacy table.
    mark
        One letter or sign.
    colour
        Class of the style sheet.
    """

    verdict: str
    mark: str
    colour: str


CLAIMS = (
    Sign("holds", "✓", "good"),
    Sign("holds in part", "≈", "part"),
    Sign("does not hold", "✗", "bad"),
    Sign("vacuous", "○", "open"),
    Sign("only refutable", "◔", "open"),
    Sign("only supportable", "◑", "open"),
    Sign("not decided", "?", "open"),
)
PRIVACY = (Sign("consistent", "✓", "good"), Sign("violated", "✗", "bad"), Sign("refused", "?", "open"))
NO_CLAIM = Sign("no claim", "–", "open")
SIGNS = {sign.verdict: sign for sign in (*CLAIMS, *PRIVACY, NO_CLAIM)}


@dataclass(frozen=True)
class Item:
    """A figure or a table, in one version.

    Attributes
    ----------
    paper, name
        Its paper and its id.
    kind
        ``"figure"`` or ``"table"``.
    version
        ``"full"`` or ``"published"``.
    caption, scale
        What to see, and how it was made.
    files
        Where its files lie, by suffix.
    claims
        The claims that it shows.
    """

    paper: str
    name: str
    kind: str
    version: str
    caption: str
    scale: str
    files: Mapping[str, Path]
    claims: Sequence[Mapping[str, str]] = ()

    @property
    def stem(self) -> str:
        """The files' name without suffix."""
        return next(iter(self.files.values())).stem

    @functools.cached_property
    def columns(self) -> list[str]:
        """The headings of a table."""
        return [str(column) for column in read_markdown(self.files["md"]).columns]

    @functools.cached_property
    def rows(self) -> list[list[str]]:
        """The rows of a table."""
        return [list(map(str, row)) for row in read_markdown(self.files["md"]).to_numpy()]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture: a page that knows them does not jump while pictures are loaded."""
        with Image.open(self.files["png"]) as opened:
            return opened.size

    @property
    def target(self) -> str:
        """What Snakemake is asked for to make it."""
        return str(next(iter(self.files.values())))


@dataclass(frozen=True)
class Paper:
    """A paper and all that was found about it."""

    name: str
    title: str
    authors: str
    year: str
    claims: Sequence[Mapping[str, str]]
    discrepancies: Sequence[Mapping[str, str]]
    figures: Sequence[Item]
    published: Mapping[str, Item] = field(default_factory=dict)
    tables: Sequence[Item] = ()
    story: Sequence[Mapping[str, str]] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many claims have each verdict."""
        return Counter(claim["verdict"] for claim in self.claims)

    @property
    def notable(self) -> list[Mapping[str, str]]:
        """The claims whose verdict a reader of the paper would not expect."""
        order = ["does not hold", "holds in part", "not decided", "vacuous", "only supportable", "only refutable"]
        unexpected = [claim for claim in self.claims if claim["verdict"] in order]
        return sorted(unexpected, key=lambda claim: order.index(claim["verdict"]))

    @property
    def emblem(self) -> Item | None:
        """The figure that shows the most claims."""
        return max(self.figures, key=lambda item: len(item.claims), default=None)


def read_text(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, all cells as they are written."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_papers(told: Mapping[str, Json], claims: Sequence[Mapping[str, str]]) -> list[Paper]:
    """Return all papers.

    Parameters
    ----------
    told
        By paper: ``title``, ``authors``, ``year``, ``discrepancies``, the register's entries, ``story``, the ids of
        claims that are told first, and ``items``, each with ``kind``, ``name``, ``version``, ``caption``, ``scale``
        and ``files``, the paths by suffix.
    claims
        Rows of the ledger.
    """
    found = []
    for name, content in told.items():
        own = [claim for claim in claims if claim["paper"] == name]
        items = [
            Item(
                paper=name,
                **{key: item[key] for key in ("name", "kind", "version", "caption", "scale")},
                files={suffix: Path(file) for suffix, file in item["files"].items()},
                claims=[claim for claim in own if claim["shown"] == f"{name}/{item['kind']}/{item['name']}"],
            )
            for item in content["items"]
        ]
        figures = [item for item in items if item.kind == "figure"]
        found.append(
            Paper(
                name=name,
                **{key: content[key] for key in ("title", "authors", "year", "discrepancies")},
                claims=own,
                figures=[item for item in figures if item.version == "full"],
                published={item.name: item for item in figures if item.version == "published"},
                tables=[item for item in items if item.kind == "table"],
                story=[claim for told_first in content["story"] for claim in own if claim["id"] == told_first],
            )
        )
    return found
