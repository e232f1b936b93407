"""Captions of figures and tables: the words of the configuration, and the scale of the data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dpbandits.core import declarations, escapes, registry
from dpbandits.core.labels import SYMBOLS
from dpbandits.core.numbers import number

if TYPE_CHECKING:
    from dpbandits.runs.models import Config, Exhibit
    from dpbandits.runs.plan import Cells

DIAGRAM = "A diagram: nothing is simulated or computed."


def _span(values: Iterable[int]) -> str:
    low, high = min(values := sorted(values)), max(values)
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _simulated(config: Config, known: Cells, paper: str, entry: Exhibit, version: str) -> str:
    """Return the sentence on runs and horizons of the experiments of a figure or table."""
    chosen = [cell for name in entry.experiments for cell in known[paper, name].values()]
    if not chosen:
        return ""
    first = config.papers[paper].published_runs if version == "published" else math.inf
    runs: dict[str, set[int]] = {"batches": set(), "rounds": set()}
    for cell in chosen:
        runs[registry.algorithm(cell.job.algorithm).decides].add(int(min(cell.runs, first)))
    if runs["rounds"] <= runs["batches"] or not runs["batches"]:
        runs_said = f"{_span(runs['batches'] | runs['rounds'])} runs of each algorithm"
    else:
        runs_said = f"{_span(runs['batches'])} runs of batched algorithms, "
        runs_said += f"{_span(runs['rounds'])} of those that decide every round"
    return f"{runs_said}; T = {_span(cell.job.horizon for cell in chosen)}."


def _computed(config: Config, paper: str, entry: Exhibit) -> str:
    """Return the sentence on the computations of a figure or table, with those parameters that have a symbol."""
    parts = []
    for name in entry.computations:
        given = config.papers[paper].computations[name]
        values = declarations.computation(given.compute).resolve(given.parameters)
        told = {SYMBOLS[key]: value for key, value in values.items() if key in SYMBOLS}
        numbers = {symbol: value for symbol, value in told.items() if type(value) in (int, float)}
        settings = ", ".join(f"{symbol} = {number(value)}" for symbol, value in numbers.items())
        parts.append(f"{name} ({settings})" if settings else name)
    return f"Computed: {'; '.join(parts)}." if parts else ""


def scale(config: Config, known: Cells, paper: str, entry: Exhibit, version: str = "full") -> str:
    """Return in words the runs, the horizons and the computations that a figure or table is made from.

    An example is "1,000 runs of each algorithm; T = 10⁷. Computed: lower-bound (K = 2)." Without runs and
    computations the text is "A diagram: nothing is simulated or computed."

    Parameters
    ----------
    config, known
        The checked configuration, and its cells by paper and experiment. A cell is an algorithm in one environment
        at one budget and horizon.
    paper
        The paper's id.
    entry
        The configuration of a figure or table.
    version
        ``"full"``, or ``"published"`` for as many runs as the paper has.
    """
    sentences = (_simulated(config, known, paper, entry, version), _computed(config, paper, entry))
    return " ".join(sentence for sentence in sentences if sentence) or DIAGRAM


def restructured(config: Config, known: Cells, paper: str, entry: Exhibit, version: str = "full") -> str:
    """Return the caption of a figure or table for Snakemake's report, with sentences on runs and computations.

    Parameters
    ----------
    config, known, paper, entry, version
        Configuration, its cells, the paper's id, the figure or table, and its version, as `scale` takes them.

    Returns
    -------
    str
        Two paragraphs of reStructuredText.
    """
    texts = (entry.caption_of(version), scale(config, known, paper, entry, version))
    return "\n\n".join(map(escapes.restructured, texts))
