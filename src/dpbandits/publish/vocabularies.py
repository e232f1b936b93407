"""Words for the labels of a paper, as pages and the article show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpbandits.core import registry
from dpbandits.publish.spoken import Vocabulary, short_citation, vocabulary

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cells
    from dpbandits.runs.words import Words


def paper_vocabulary(config: Config, planned_cells: Cells, claims: Claims, paper: str, words: Words) -> Vocabulary:
    """Return the words that texts on a paper show in place of labels, by label, such as ``µ₁`` for ``mu1``.

    Labels are those of experiments, computations, environments, algorithms, columns, claims and papers. An
    algorithm without a word is called by its title, a claim by its id as code, a paper by its citation. Labels that
    are English words, such as ``sphere``, are left out: they stay as they are.

    Parameters
    ----------
    config, planned_cells
        The checked configuration and its cells, by paper and experiment.
    claims
        The claims of each paper.
    paper
        The paper's id.
    words
        The words for labels and columns that the paper's configuration gives.
    """
    content = config.papers[paper]
    found = {name: f"`{name}`" for name in (claims[paper].claims if paper in claims else ())}
    found |= {name: short_citation(other.authors, other.year) for name, other in config.papers.items()}
    if config.privacy.epsilons:
        found |= {name: registry.algorithm(name).title for name in registry.modules("algorithm")}
    for (of, _), cells in planned_cells.items():
        if of == paper:
            for cell in cells.values():
                found[cell.algorithm] = registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)
    for section in ("experiments", "computations", "environments", "algorithms"):
        for label in getattr(content, section):
            word = words.names.word(section, label)
            found |= {label: word} if word != label else {}
    return vocabulary(found | words.names.columns)
