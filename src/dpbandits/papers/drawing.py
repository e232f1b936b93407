"""Figures are drawn here by their kind. Apart from tables: an edit of colours remakes figures alone."""

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
    """Return a figure of a kind and the table of the numbers in it, from tables that are read.

    Parameters
    ----------
    draw
        The kind of figure.
    options
        What the configuration sets of it; all else has its default.
    aggregates
        Regret of all cells, as a table.
    computed
        Tables of computations, by name.
    confidence
        Level of its intervals.
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
        A kind of figure of `dpbandits list`.
    version
        Which rows of the aggregates are shown, ``"full"`` or ``"published"``.
    options
        Options of the kind.
    aggregates
        Tables of experiments.
    computed
        Tables of computations, by id.
    outputs
        Where to; a ``.csv`` gets the numbers, other suffixes the figure.
    told
        The figure's origin in words, which is put into the picture's metadata.
    confidence
        Level of its intervals.
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
