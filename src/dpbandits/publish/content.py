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
    """A figure or a table of a paper's page, in one version.

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
        Text on what to see, and text on the runs and horizons that it was made with.
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
    """An algorithm of which the front page draws runs.

    Attributes
    ----------
    title
        Its title for readers.
    word
        Its label on the front page's switch; empty for the algorithm that is always drawn.
    algorithm, parameters
        Its name, such as ``dp-imed``, and its parameters.
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
        Privacy budget and number of rounds of all runs.
    runs
        Number of runs that one press of the button draws.
    total
        Number of runs that the results have of each of these algorithms; the least, if they differ.
    choice
        Label of the switch that chooses the second algorithm.
    cells
        The algorithm that is always drawn, then those of which the switch chooses one.
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
    """A bandit of a paper that the page *Try* offers, with a budget and a horizon.

    Attributes
    ----------
    title
        The bandit in words, and the paper's first author.
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
        Its entries in the register of discrepancies (statements that are false, unproved, misprinted or left open),
        each with ``id``, ``kind``, ``place``, ``printed`` and so on.
    story
        Ids of the claims that its page shows first.
    findings
        Path of the CSV file with what its claims' tests found; ``""`` without claims.
    words
        Its texts for readers, as the fields of `dpbandits.runs.words.Words`.
    vocabulary
        Words by label of its configuration, such as "µ₁" for ``mu1``.
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
        Label of the experiment to show first: the first that a figure shows, else the first of all. Empty without
        experiments.
    names
        Name for readers of each experiment and environment, by label; the label itself if there is no other.
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
        The package's version, and the root seed of all random streams.
    released, repository, citation
        Date of that version, address of the public code (empty without one), and text on how to cite it.
    configfile
        Further files of configuration that the run was made with, such as ``config/small.yaml``, quoted for a
        shell; empty if there were none (the full scale).
    kinds
        Kinds of discrepancies, the strongest first.
    play
        Section of the front page that draws new runs; ``None`` if there is none.
    algorithms, simulated
        Ids of all algorithms in the settings (such as linear bandits) that experiments are in; and of those that
        some experiment runs.
    presets
        Bandits of papers that the page *Try* offers.
    again
        Comparison with a second run, on a fresh root seed, by paper and claim. It has the first run's ``verdict``,
        the second run's, ``again``, and ``movable``: whether the verdict rests on random numbers. Empty without a
        second run.
    again_today
        Whether the second run used the tests of today.
    papers, explored
        Content of each paper's page, and of its part of the page *Explore*, by the paper's id.
    effects
        The quantity that each test of a claim measures, in words, by paper and claim.
    audited
        Names of the algorithms whose audits test a claim, by paper and claim.
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
        Number of runs behind the figures in the paper itself.
    know
        Text on what one should know before using its algorithms.
    discrepancies
        Its entries in the register of discrepancies (statements that are false, unproved, misprinted or left open).
    vocabulary
        Words by label of its configuration, such as "µ₁" for ``mu1``.
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
        Content of each paper's part, by the paper's id.
    scales
        Runs and horizons that each shown figure was made with, in words, by ``paper/figure``.
    kinds
        Kinds of discrepancies, the strongest first.
    level, confidence
        Largest chance of any false decision in a paper, and confidence level of audits.
    epsilons
        Privacy budgets at which algorithms are audited.
    version, root_seed
        The package's version, and the root seed of all random streams.
    runs, cells
        Number of all runs, and of cells. A cell is runs of one algorithm in one environment at one budget.
    confirmed
        Comparison with a second run, on a fresh root seed; ``None`` without one. It has numbers of verdicts: all
        that were compared (``total``), those that rest on random numbers (``movable``), and how many of these came
        out the ``same``. ``today`` is whether the second run used the tests of today.
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
