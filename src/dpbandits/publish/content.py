"""Content of the site and the article that the configuration decides, as JSON data.

A cell is runs of one algorithm in one environment at one budget. The register of discrepancies has an entry for
each statement of a paper that is false, unproved, misprinted or left open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from dpbandits.claims.confirmation import Confirmation, SecondVerdict


class CitedPaper(TypedDict):
    """Citation of a paper: title, authors as one text, and year."""

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
        Its id in the configuration, and its title for readers.
    version
        ``"full"``: with all our runs; ``"published"``: with as many as the paper has.
    is_interactive
        Whether it has curves that a reader can move.
    caption, scale
        Text on what to see, and text on the runs and horizons behind it.
    files
        Paths of its files, by suffix such as ``png``.
    """

    kind: str
    name: str
    title: str
    version: str
    is_interactive: bool
    caption: str
    scale: str
    files: Mapping[str, str]


class DrawnCell(TypedDict):
    """A cell whose runs the front page draws.

    Attributes
    ----------
    title
        Title of its algorithm.
    word
        Label of the algorithm on the front page's switch; empty for the algorithm that is always drawn.
    algorithm, parameters
        Name of the algorithm that is simulated, and its parameters.
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
        Ids of the paper and of the claim that the section is about.
    environment, arms
        The environment in words, and the mean reward of each arm.
    epsilon, horizon
        Privacy budget and horizon of all cells.
    runs
        Number of runs that one press of the button draws.
    total
        Number of runs that each cell has in the results; of the cell with the fewest.
    choice
        Label of the switch between the second algorithms.
    cells
        The cell that is always drawn, then the cells of which the switch chooses one.
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
    """A setting of a paper that the page *Try* offers.

    Attributes
    ----------
    title
        The environment in words, and the paper's first author.
    arms
        Mean reward of each arm.
    epsilon, horizon
        Privacy budget and number of rounds.
    """

    title: str
    arms: Sequence[float]
    epsilon: float
    horizon: int


class PaperContent(CitedPaper):
    """A paper on the site.

    Attributes
    ----------
    items
        Its figures, each in all its versions, then its tables.
    discrepancies
        Its entries in the register of discrepancies, each with ``id``, ``kind``, ``place``, ``printed`` and so on.
    story
        The ids of the claims that its page shows first.
    findings
        Path of the CSV file of its claims' tests; ``""`` without claims.
    words, vocabulary
        Its texts, as `dpbandits.runs.words.Words` takes them, and the words for labels of its configuration.
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
        Number of cells of each experiment, by its label.
    first
        Label of the experiment to show first: the first that a figure shows, else the first of all; may be empty.
    names
        Words by label of experiments and environments; a label without a word stands for itself.
    """

    title: str
    experiments: Mapping[str, int]
    first: str
    names: Mapping[str, str]


class SiteContent(TypedDict):
    """Content of the whole site.

    Attributes
    ----------
    version, root_seed
        The package's version, and the root of all random streams.
    released, repository, citation
        The version's date, where the code lies in public if it does, and how to cite it.
    configfile
        The files of configuration, such as ``config/small.yaml``, behind these results, quoted for a shell; empty
        for the full scale.
    kinds
        Kinds of discrepancies, the strongest first.
    play
        Section of the front page that draws new runs; ``None`` if there is none.
    algorithms, simulated
        Ids of all algorithms in settings that experiments run in; and of those that some experiment runs.
    presets
        Settings of papers that the page *Try* offers.
    again
        By paper and claim: ``verdict``, that of a run on a fresh root seed, ``again``, and whether a seed can move
        the numbers behind it, ``movable``. Empty without such a run.
    again_today
        Whether the run on a fresh root seed used the tests of today.
    papers, explored
        Content of each paper's page, and of its part of the page *Explore*, by paper.
    effects
        By paper and claim: the quantity that each of its tests measures, in words.
    audited
        The algorithms whose audits test a claim, by paper and claim.
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
    again_today: bool
    papers: Mapping[str, PaperContent]
    effects: Mapping[str, Mapping[str, Sequence[str]]]
    audited: Mapping[str, Mapping[str, Sequence[str]]]
    explored: Mapping[str, ExploredPaper]


class ArticlePaper(CitedPaper):
    """A paper in the article.

    Attributes
    ----------
    published_runs
        Number of runs behind the figures in the paper.
    know
        Text on what to know before its algorithms are used.
    discrepancies, vocabulary
        Its entries in the register of discrepancies, and the words for labels of its configuration.
    """

    published_runs: int
    know: str
    discrepancies: Sequence[Mapping[str, str]]
    vocabulary: Mapping[str, str]


class ArticleContent(TypedDict):
    """Content of the article.

    Attributes
    ----------
    papers
        Papers by id.
    scales
        Runs and horizons of each figure shown, in words, by ``paper/figure``.
    kinds
        Kinds of discrepancies, the strongest first.
    level, confidence
        The chance of any false decision in a paper, and the confidence of audits.
    epsilons
        The audited budgets.
    version, root_seed
        The package's version, and the root of all random streams.
    runs, cells
        Number of runs and of cells in the whole grid.
    confirmed
        Numbers of verdicts that a run on a fresh root seed compared (``total``), that a seed can move
        (``movable``), and of these the ``same``; whether it used the tests of ``today``. ``None`` without such a
        run.
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
