"""Content of the site and the article that the configuration decides, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from dpbandits.claims.confirmation import Confirmation


class CitedPaper(TypedDict):
    """A paper as it is cited."""

    title: str
    authors: str
    year: str


class ItemContent(TypedDict):
    """A figure or a table in one version.

    Attributes
    ----------
    kind
        ``"figure"`` or ``"table"``.
    name, title
        Its id in the configuration, and what it is called.
    version
        ``"full"`` or ``"published"``.
    answers
        Whether it has curves that a reader can move.
    caption, scale
        What to see, and how it was made.
    files
        Paths by suffix.
    """

    kind: str
    name: str
    title: str
    version: str
    answers: bool
    caption: str
    scale: str
    files: Mapping[str, str]


class PaperContent(CitedPaper):
    """A paper on the site.

    Attributes
    ----------
    items
        Its figures and tables.
    discrepancies
        The register's entries.
    story
        The ids of the claims that come first.
    findings
        The file in which its claims are tested, ``""`` without claims.
    words, vocabulary
        Its words, as `dpbandits.runs.words.Words` takes them, and those for its labels.
    """

    items: Sequence[ItemContent]
    discrepancies: Sequence[Mapping[str, str]]
    story: Sequence[str]
    findings: str
    words: Mapping[str, object]
    vocabulary: Mapping[str, str]


class ExploredPaper(TypedDict):
    """A paper on the page *Explore*.

    Attributes
    ----------
    title
        Its title.
    experiments
        Their numbers of cells.
    first
        The experiment to show first.
    names
        Words for experiments and environments.
    """

    title: str
    experiments: Mapping[str, int]
    first: str
    names: Mapping[str, str]


class SiteContent(TypedDict):
    """The whole site.

    Attributes
    ----------
    version, root_seed
        The package's version, and the root of all random streams.
    kinds
        Kinds of discrepancies, the strongest first.
    papers, explored
        Content by paper.
    effects
        What each test of a claim measures, by paper and claim.
    """

    version: str
    root_seed: int
    kinds: Sequence[str]
    papers: Mapping[str, PaperContent]
    effects: Mapping[str, Mapping[str, Sequence[str]]]
    explored: Mapping[str, ExploredPaper]


class ArticlePaper(CitedPaper):
    """A paper in the article.

    Attributes
    ----------
    published_runs
        Runs behind its own figures.
    know
        What to know before its algorithms are used.
    discrepancies, vocabulary
        The register's entries, and words for its labels.
    """

    published_runs: int
    know: str
    discrepancies: Sequence[Mapping[str, str]]
    vocabulary: Mapping[str, str]


class ArticleContent(TypedDict):
    """The article.

    Attributes
    ----------
    papers
        Papers by id.
    scales
        Runs and horizons of each figure shown, by paper and figure.
    kinds
        Kinds of discrepancies, the strongest first.
    level, confidence
        The chance of any false decision in a paper, and the confidence of audits.
    epsilons
        The audited budgets.
    version, root_seed
        The package's version, and the root of all random streams.
    runs, cells
        Their numbers in the whole grid.
    confirmed
        How many verdicts came out the same on a fresh root seed, if that is known.
    """

    papers: Mapping[str, ArticlePaper]
    scales: Mapping[str, str]
    kinds: Sequence[str]
    level: float
    confidence: float
    epsilons: Sequence[float]
    version: str
    root_seed: int
    runs: int
    cells: int
    confirmed: Confirmation | None
