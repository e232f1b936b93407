"""What the site says: verdicts, discrepancies, figures and tables, read from configuration and results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import yaml
from markupsafe import Markup
from PIL import Image

from dpbandits.runs.caption import scale
from dpbandits.runs.plan import Cells, all_cells, figure_files

if TYPE_CHECKING:
    from dpbandits.runs.models import Config, Figure, Table
    from dpbandits.site.register import Discrepancy, Register


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
    Sign("not decided", "?", "open"),
)
PRIVACY = (Sign("consistent", "✓", "good"), Sign("violated", "✗", "bad"))
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

    @property
    def body(self) -> Markup:
        """The table itself, from its page."""
        found = re.search("<table.*</table>", self.files["html"].read_text(encoding="utf-8"), re.DOTALL)
        return Markup(found[0] if found else "")

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
    discrepancies: Sequence[Discrepancy]
    figures: Sequence[Item]
    published: Mapping[str, Item] = field(default_factory=dict)
    tables: Sequence[Item] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many claims have each verdict."""
        return Counter(claim["verdict"] for claim in self.claims)

    @property
    def notable(self) -> list[Mapping[str, str]]:
        """The claims whose verdict a reader of the paper would not expect."""
        order = ["does not hold", "holds in part", "not decided"]
        unexpected = [claim for claim in self.claims if claim["verdict"] in order]
        return sorted(unexpected, key=lambda claim: order.index(claim["verdict"]))

    @property
    def emblem(self) -> Item | None:
        """The figure that shows the most claims."""
        return max(self.figures, key=lambda item: len(item.claims), default=None)


def authors(citation: Path, title: str) -> tuple[str, str]:
    """Return authors and year of a paper from the citation file, empty if it does not name the paper."""
    for reference in yaml.safe_load(citation.read_text(encoding="utf-8"))["references"]:
        if reference["title"] == title:
            names = [author["family-names"] for author in reference["authors"]]
            return ", ".join(names[:-1]) + f" & {names[-1]}", str(reference["year"])
    return "", ""


def _item(
    config: Config,
    known: Cells,
    claims: Sequence[Mapping[str, str]],
    entry: Figure | Table,
    kind: str,
    paper: str,
    name: str,
    version: str,
    files: Sequence[Path],
) -> Item:
    return Item(
        paper=paper,
        name=name,
        kind=kind,
        version=version,
        caption=entry.caption,
        scale=scale(config, known, paper, entry, version),
        files={file.suffix[1:]: file for file in files},
        claims=[claim for claim in claims if claim["shown"] == f"{paper}/{kind}/{name}"],
    )


def read_papers(
    config: Config, claims: Sequence[Mapping[str, str]], register: Register, citation: Path
) -> list[Paper]:
    """Return all papers of a configuration, in its order."""
    figures, results = Path(config.folders.figures), Path(config.folders.results)
    known = all_cells(config)
    drawn = [
        _item(
            config,
            known,
            claims,
            config.papers[file.paper].figures[file.figure],
            "figure",
            file.paper,
            file.figure,
            file.version,
            [figures / file.paper / f"{file.stem}.{suffix}" for suffix in ("pdf", "png", "csv")],
        )
        for file in figure_files(config)
    ]
    made = [
        _item(
            config,
            known,
            claims,
            entry,
            "table",
            paper,
            table,
            "full",
            [results / paper / "tables" / f"{table}.{suffix}" for suffix in ("md", "html", "tex", "csv")],
        )
        for paper, content in config.papers.items()
        for table, entry in content.tables.items()
    ]
    found = []
    for name, content in config.papers.items():
        who, year = authors(citation, content.title)
        found.append(
            Paper(
                name=name,
                title=content.title,
                authors=who,
                year=year,
                claims=[claim for claim in claims if claim["paper"] == name],
                discrepancies=register.get(name, []),
                figures=[item for item in drawn if item.paper == name and item.version == "full"],
                published={item.name: item for item in drawn if item.paper == name and item.version == "published"},
                tables=[item for item in made if item.paper == name],
            )
        )
    return found
