"""Content of the site and the article that the configuration decides, as JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from dpbandits.claims.confirmation import Confirmation, SecondVerdict


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


class DrawnCell(TypedDict):
    """A cell whose runs the front page draws.

    Attributes
    ----------
    title
        What its algorithm is called.
    word
        Its name on the switch; empty for the algorithm that always runs.
    algorithm, parameters
        What is simulated.
    """

    title: str
    word: str
    algorithm: str
    parameters: Mapping[str, object]


class DrawnRunsContent(TypedDict):
    """Section of the front page in which a reader draws new runs of two algorithms, side by side.

    ``play.js`` draws them in the browser.

    Attributes
    ----------
    paper, claim
        The paper and the claim that it is about.
    environment, arms
        The environment in words, and its mean rewards.
    epsilon, horizon
        Privacy budget and horizon of all cells.
    runs
        How many runs one press of the button draws.
    total
        How many runs each cell has in the results.
    choice
        Label of the switch between the second algorithms.
    cells
        The first algorithm, which always runs, then the second ones, of which the switch chooses one.
    """

    paper: str
    claim: str
    environment: str
    arms: Sequence[float]
    epsilon: float
    horizon: int
    runs: int
    total: int
    choice: str
    cells: Sequence[DrawnCell]


class PresetContent(TypedDict):
    """A setting of a paper on the page *Try*: the environment in words and its mean rewards, budget and horizon."""

    title: str
    arms: Sequence[float]
    epsilon: float
    horizon: int


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
    released, repository, citation
        The version's date, where the code lies in public if it does, and how to cite it.
    configfile
        The files, such as ``config/small.yaml``, that these results need; empty for the full scale.
    kinds
        Kinds of discrepancies, the strongest first.
    play
        The game of the front page, if there is one.
    algorithms, simulated
        Ids of those that are there, in the settings of what is run; and of those that an experiment runs.
    presets
        Settings of papers that the page *Try* offers.
    again
        What a run on a fresh root seed made of each verdict, by paper and claim, if that is known.
    papers, explored
        Content by paper.
    effects
        What each test of a claim measures, by paper and claim.
    """

    version: str
    root_seed: int
    released: str
    repository: str
    citation: str
    configfile: str
    kinds: Sequence[str]
    play: DrawnRunsContent | None
    algorithms: Sequence[str]
    simulated: Sequence[str]
    presets: Sequence[PresetContent]
    again: Mapping[str, Mapping[str, SecondVerdict]]
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
