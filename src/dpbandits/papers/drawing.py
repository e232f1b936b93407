"""Drawing of figures by their kind, apart from tables: so an edit of colours remakes figures alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.core import declarations
from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.fields import Options
from dpbandits.core.files import whole
from dpbandits.core.interactive import PlottedFigure
from dpbandits.core.tables import write_table
from dpbandits.papers import plot
from dpbandits.papers.described import CONFIDENCE, described
from dpbandits.papers.render import DOTS_PER_INCH, fit_titles, read


def drawing(
    draw: str, options: Options, aggregates: Any, computed: Mapping[str, Any], confidence: float = CONFIDENCE
) -> Drawing:
    """Draw a figure of a kind from tables in memory; return it with the table of the numbers in it.

    Parameters
    ----------
    draw
        Name of the kind of figure.
    options
        Options that the configuration sets, by name; all others have their defaults.
    aggregates
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``.
    computed
        Tables of computations, by id.
    confidence
        Confidence level of the figure's intervals, from 0 to 1.
    """
    declared = declarations.figure(draw)
    resolved = declared.resolve(options)
    if isinstance(declared, PlottedFigure):
        numbers = declared.numbers(aggregates, computed, **resolved)
        return plot.draw(described(declared, numbers, resolved, confidence)), declared.written(numbers)
    assert isinstance(declared, Figure), draw
    return declared.draw(aggregates, computed, **resolved)


def draw_figure(
    draw: str,
    version: str,
    options: Options,
    aggregates: Sequence[Path],
    computed: Mapping[str, Path],
    outputs: Sequence[Path],
    told: str = "",
    confidence: float = CONFIDENCE,
) -> None:
    """Draw a figure of a kind and save it.

    Parameters
    ----------
    draw
        Name of the kind of figure, as `dpbandits list` shows it.
    version
        Version of the aggregates: ``"full"`` for all runs, ``"published"`` for as many as the paper has.
    options
        Options that the configuration sets, by name.
    aggregates
        Paths of the experiments' tables.
    computed
        Paths of the computations' tables, by id.
    outputs
        Paths to write; a ``.csv`` gets the numbers, other suffixes get the figure.
    told
        The figure's origin in words, which is put into the picture's metadata.
    confidence
        Confidence level of the figure's intervals, from 0 to 1.
    """
    # Nothing is drawn on a screen.
    import matplotlib as mpl

    mpl.use("agg")
    figure, numbers = drawing(draw, options, *read(version, aggregates, computed), confidence)
    fit_titles(figure)
    for output in outputs:
        if output.suffix == ".csv":
            write_table(numbers, output)
        else:
            # Without dates, equal figures are equal files.
            metadata = {"CreationDate": None, "Subject": told} if output.suffix == ".pdf" else {"Description": told}
            with whole(output) as aside:
                figure.savefig(aside, dpi=DOTS_PER_INCH, metadata=metadata)
