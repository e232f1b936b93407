"""View models of the site: verdicts, discrepancies, figures and tables, read from results.

The ledger is the table of the papers' claims with their verdicts, ``claims.csv``, a row for each.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image

from dpbandits.core import escapes
from dpbandits.core.tables import read_markdown
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.spoken import Vocabulary, short_citation
from dpbandits.runs.words import Words

if TYPE_CHECKING:
    from dpbandits.publish.content import PaperContent


class Sign(NamedTuple):
    """Sign of a verdict on pages: a mark and a colour, so that either is enough.

    Attributes
    ----------
    verdict
        The verdict, as tables of claims and of audits have it.
    mark
        One letter or sign.
    colour
        Class of the style sheet: ``"good"``, ``"part"``, ``"bad"`` or ``"open"``.
    """

    verdict: str
    mark: str
    colour: str


CLAIM_SIGNS = (
    Sign(Verdict.HOLDS, "✓", "good"),
    Sign(Verdict.PART, "≈", "part"),
    Sign(Verdict.FAILS, "✗", "bad"),
    Sign(Verdict.VACUOUS, "○", "open"),
    Sign(Verdict.UNREFUTED, "◔", "open"),
    Sign(Verdict.UNTESTED, "◌", "open"),
    Sign(Verdict.OPEN, "?", "open"),
)
# What a reader would not expect comes first.
UNEXPECTED_FIRST: list[str] = [
    *(Verdict.FAILS, Verdict.PART, Verdict.OPEN),
    *(Verdict.VACUOUS, Verdict.UNTESTED, Verdict.UNREFUTED, Verdict.HOLDS),
]
PRIVACY_SIGNS = (
    Sign("consistent", "✓", "good"),
    Sign("violated", "✗", "bad"),
    Sign("suspicious", "!", "open"),
    Sign("refused", "?", "open"),
    Sign("unfinished", "…", "open"),
)
NO_CLAIM = Sign("no claim", "–", "open")
SIGNS = {sign.verdict: sign for sign in (*CLAIM_SIGNS, *PRIVACY_SIGNS, NO_CLAIM)}


@dataclass(frozen=True)
class Item:
    """A figure or a table on a paper's page, in one version.

    Attributes
    ----------
    paper, name
        Id of its paper, and its own id.
    title
        Its title for readers.
    kind
        ``"figure"`` or ``"table"``.
    version
        ``"full"``: with all our runs; ``"published"``: with as many as the paper has.
    caption, scale
        Text on what to see, and text on the runs and horizons that it was made with.
    files
        Its files, by suffix such as ``png``.
    claims
        Claims that it shows, as rows of the ledger (the table of claims with verdicts).
    is_interactive
        Whether it has curves that a reader can move.
    """

    paper: str
    name: str
    title: str
    kind: str
    version: str
    caption: str
    scale: str
    files: Mapping[str, Path]
    claims: Sequence[Mapping[str, str]] = ()
    is_interactive: bool = False

    @property
    def stem(self) -> str:
        """Name of its files without suffix, such as ``fig4-published``."""
        return next(iter(self.files.values())).stem

    @property
    def place(self) -> str:
        """Place of its files below the site's folder ``files``, without suffix, such as ``PAPER/tables/table1``."""
        # A figure and a table may have the same name.
        return f"{self.paper}/{'' if self.kind == 'figure' else 'tables/'}{self.stem}"

    @functools.cached_property
    def columns(self) -> list[str]:
        """The headings of a table, read from its ``md`` file. For a figure `KeyError` is raised."""
        return [str(column) for column in read_markdown(self.files["md"]).columns]

    @functools.cached_property
    def rows(self) -> list[list[str]]:
        """The rows of a table as texts, in the order of `columns`, read from its ``md`` file; not for figures."""
        return [list(map(str, row)) for row in read_markdown(self.files["md"]).to_numpy()]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a figure's PNG in pixels, so that a page does not jump while pictures load."""
        with Image.open(self.files["png"]) as opened:
            return opened.size

    @property
    def target(self) -> str:
        """Path of its first file, a figure's PDF or a table's Markdown: the target by which Snakemake makes it."""
        return str(next(iter(self.files.values())))


@dataclass(frozen=True)
class Paper:
    """A paper on the site, with its texts, claims, figures and tables.

    Attributes
    ----------
    name, title, authors, year
        Its id; its title, authors and year.
    claims, story
        Rows of the ledger (the table of claims with verdicts): all of its claims, and those that come first on its
        page.
    discrepancies
        Its entries in the register of discrepancies (statements that are false, unproved, misprinted or left open).
    figures, published, tables
        Figures with all our runs; figures with as many runs as the paper's, by id; tables.
    words, vocabulary
        Its texts for readers, and words by label of its configuration, such as "µ₁" for ``mu1``.
    findings
        Path of the CSV file with what its claims' tests found; ``""`` without claims.
    """

    name: str
    title: str
    authors: str
    year: str
    claims: Sequence[Mapping[str, str]]
    discrepancies: Sequence[Mapping[str, str]]
    figures: Sequence[Item]
    words: Words = field(default_factory=Words)
    vocabulary: Vocabulary = field(default_factory=dict)
    published: Mapping[str, Item] = field(default_factory=dict)
    tables: Sequence[Item] = ()
    story: Sequence[Mapping[str, str]] = ()
    findings: str = ""

    def measurements_file(self, claim: str) -> str:
        """Return the path of the file with what a claim's tests measured: ``.../claims/thm1.json`` for ``thm1``."""
        return Path(self.findings).with_name("claims").joinpath(f"{claim}.json").as_posix()

    @property
    def short(self) -> str:
        """Citation of its authors and year, such as ``Asi et al. (2025)``."""
        return short_citation(self.authors, self.year)

    @property
    def sorted_claims(self) -> list[Mapping[str, str]]:
        """All claims: first sentences of the paper, then the others. In both, those that do not hold come first."""
        return [*self.sentences, *self.other_claims]

    @property
    def sentences(self) -> list[Mapping[str, str]]:
        """Claims that are sentences of the paper; those that do not hold come first."""
        return _unexpected_first(claim for claim in self.claims if claim["reading"] == "paper")

    @property
    def other_claims(self) -> list[Mapping[str, str]]:
        """Claims that are statements of ours or questions of the paper; those that do not hold come first."""
        return _unexpected_first(claim for claim in self.claims if claim["reading"] != "paper")

    @property
    def unexpected_sentences(self) -> list[Mapping[str, str]]:
        """The paper's sentences with another verdict than *holds*, which a reader would not expect."""
        return [claim for claim in self.sentences if claim["verdict"] != Verdict.HOLDS]

    @property
    def figure_groups(self) -> list[list[Item]]:
        """Figures in groups: neighbours with the same caption, of which a page shows one at a time."""
        return [list(own) for _, own in itertools.groupby(self.figures, key=lambda item: item.caption)]

    @property
    def main_figure(self) -> Item | None:
        """The figure that shows the most claims, used to represent the paper; ``None`` without figures."""
        return max(self.figures, key=lambda item: len(item.claims), default=None)


def count_verdicts(claims: Iterable[Mapping[str, str]]) -> Mapping[str, int]:
    """Return the number of claims by verdict; for a verdict that no claim has it is 0.

    ``claims`` are rows of the ledger, the table of claims with verdicts.
    """
    return Counter(claim["verdict"] for claim in claims)


def _unexpected_first(claims: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    return sorted(claims, key=lambda claim: UNEXPECTED_FIRST.index(claim["verdict"]))


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, each a dictionary of texts by column.

    Where a text begins with a ``'`` that keeps spreadsheets from computing it, this is removed.
    """
    with path.open(encoding="utf-8", newline="") as file:
        return escapes.read_rows(file)


def read_papers(contents: Mapping[str, PaperContent], claims: Sequence[Mapping[str, str]]) -> list[Paper]:
    """Return each paper as its page shows it, with figures, tables, and claims with verdicts.

    Parameters
    ----------
    contents
        Content of each paper's page that needs no results, by the paper's id.
    claims
        Rows of the ledger (the table of claims with verdicts) on all papers.
    """
    found = []
    for name, content in contents.items():
        own = [claim for claim in claims if claim["paper"] == name]
        items = [
            Item(
                paper=name,
                name=item["name"],
                title=item["title"],
                kind=item["kind"],
                version=item["version"],
                caption=item["caption"],
                scale=item["scale"],
                is_interactive=item["is_interactive"],
                files={suffix: Path(file) for suffix, file in item["files"].items()},
                claims=[claim for claim in own if claim["shown"] == f"{name}/{item['kind']}/{item['name']}"],
            )
            for item in content["items"]
        ]
        figures = [item for item in items if item.kind == "figure"]
        found.append(
            Paper(
                name=name,
                title=content["title"],
                authors=content["authors"],
                year=content["year"],
                discrepancies=content["discrepancies"],
                claims=own,
                figures=[item for item in figures if item.version == "full"],
                published={item.name: item for item in figures if item.version == "published"},
                tables=[item for item in items if item.kind == "table"],
                findings=content["findings"],
                words=Words.model_validate(content["words"]),
                vocabulary=content["vocabulary"],
                story=[claim for told_first in content["story"] for claim in own if claim["id"] == told_first],
            )
        )
    return found
