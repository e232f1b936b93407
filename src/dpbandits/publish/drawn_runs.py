"""New runs that pages draw: the front page's comparison, and the bandits that the page *Try* offers.

A cell is runs of one algorithm in one environment at one budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dpbandits.core import registry

if TYPE_CHECKING:
    from dpbandits.publish.content import DrawnRunsContent, PresetContent
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cell, Cells
    from dpbandits.runs.words import Words


def front_page_runs(config: Config, planned_cells: Cells, paper: str, words: Words) -> DrawnRunsContent | None:
    """Return the settings of the front page's comparison of algorithms: a bandit, budget, horizon and cells.

    In the browser the page draws new runs of these. A cell is an algorithm with its parameters.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment.
    paper, words
        The paper's id, and its words for readers, which name the algorithms to compare.

    Returns
    -------
    DrawnRunsContent or None
        ``None`` if the paper's words ask for no comparison, or not all of its cells are configured.
    """
    asked = words.play
    if asked is None:
        return None
    cells = {
        cell.algorithm: cell
        for cell in planned_cells[paper, asked.experiment].values()
        if cell.environment == asked.environment and cell.job.epsilon == asked.epsilon
    }
    labels = {asked.against: "", **{label: word for word, label in asked.choices.items()}}
    if not labels.keys() <= cells.keys():
        return None
    own = {label: cells[label].job for label in labels}
    first = own[asked.against]
    return {
        "paper": paper,
        "claim": asked.claim,
        "environment": words.names.word("environments", asked.environment),
        "arms": first.environment["means"],
        "epsilon": asked.epsilon,
        "horizon": first.horizon,
        "runs": config.papers[paper].published_runs,
        "total": min(cells[label].runs for label in labels),
        "choice": asked.choice,
        "cells": [
            {
                "title": registry.algorithm(job.algorithm).title,
                "word": labels[label],
                "algorithm": job.algorithm,
                "parameters": dict(job.parameters),
            }
            for label, job in own.items()
        ],
    }


def presets(config: Config, planned_cells: Cells, paper: str, words: Words) -> Iterator[PresetContent]:
    """Yield each Bernoulli bandit of a paper once, with the budget and horizon of its first cell with a budget.

    Each has ``title`` (the bandit's name for readers, and the paper's first author), ``arms`` (their means),
    ``epsilon`` and ``horizon``. A bandit on which no private algorithm is run is left out.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    paper, words
        The paper's id, and its words for readers, which name its bandits.
    """
    seen: set[str] = set()
    for cell in cells_of(config, planned_cells, paper):
        job, label = cell.job, cell.environment
        if job.environment["kind"] != "bernoulli" or job.epsilon is None or label in seen:
            continue
        seen.add(label)
        title = f"{words.names.word('environments', label)}, {config.papers[paper].authors.split(',')[0]}"
        yield {"title": title, "arms": job.environment["means"], "epsilon": job.epsilon, "horizon": job.horizon}


def cells_of(config: Config, planned_cells: Cells, paper: str) -> Iterator[Cell]:
    """Yield all cells of a paper, one experiment after another.

    A cell is runs of one algorithm in one environment at one budget.
    """
    for experiment in config.papers[paper].experiments:
        yield from planned_cells[paper, experiment].values()
