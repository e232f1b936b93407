"""Products of curves: the data of a paper's figures, for interactive pages.

A product is files that are made together. Each has its ``files`` by suffix, ``modules`` that make them, the
``results`` folder, and ``cells`` and ``products`` that it reads. A cell is runs of one algorithm in one environment
at one budget. If a field ``Defines[...]`` changes, the product is made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dpbandits.core import declarations, registry
from dpbandits.core.interactive import PlottedFigure
from dpbandits.products.exhibits import Figure
from dpbandits.products.product import Defines, Products, SealedProduct, files_by_suffix
from dpbandits.runs import plan

if TYPE_CHECKING:
    from dpbandits.papers.page_data import CurveSettings, DrawnFigure
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cell, Cells


@dataclass(frozen=True, kw_only=True)
class Curves(SealedProduct):
    """The data of a paper's curves as JavaScript, from which the site draws interactive figures.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    settings
        Of the paper: ``title``, ``published_runs`` and ``figures``, which has each figure's settings by its file
        name without suffix, such as ``fig4-published``.
    paper
        The paper's id.
    experiments, aggregates
        By experiment: its cells (each is runs of one algorithm in one environment at one budget), and the path of
        the CSV file of their regret's statistics.
    figure_tables
        Path of the CSV file of each figure that the site draws in the browser, by the figure's file name without
        suffix.
    """

    settings: Defines[CurveSettings]
    paper: str
    experiments: Mapping[str, Sequence[Cell]]
    aggregates: Mapping[str, str]
    figure_tables: Mapping[str, str]

    def make(self) -> Sequence[Path]:
        """Write the scripts, and return paths of all but the first, the index ``index.js``.

        Other scripts in their folder, left from before, are deleted.
        """
        from dpbandits.papers.curves import write

        tables = self.aggregates, self.figure_tables
        return write(self.settings, self.paper, self.results, self.experiments, *tables, self.paths["js"])


def line_figures(config: Config, paper: str) -> list[plan.FigureFile]:
    """Return a paper's figures that the site can draw in the browser: those whose kind is a `PlottedFigure`.

    Each version of a figure is returned, with the figure's id ``figure``, its ``version`` (``full`` or
    ``published``), and its file name without suffix, ``stem``.
    """
    figures = config.papers[paper].figures
    return [
        file
        for file in plan.figure_files(config, paper)
        if isinstance(declarations.figure(figures[file.figure].draw), PlottedFigure)
    ]


def curve_products(config: Config, planned_cells: Cells, paper: str, earlier: Products) -> Products:
    """Return the product with the data of a paper's curves, under the key ``("curves", paper)``.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    paper
        The paper's id.
    earlier
        The products before this one, with the paper's figures and aggregates.
    """
    content, results = config.papers[paper], config.folders.results
    drawn: dict[str, Figure] = {}
    figures: dict[str, DrawnFigure] = {}
    for file in line_figures(config, paper):
        figure = drawn[file.stem] = cast(Figure, earlier["figure", paper, file.stem])
        entry = content.figures[file.figure]
        read = [name for made in entry.computations for name in content.computations[made].experiments]
        figures[file.stem] = {
            "draw": figure.draw,
            "version": figure.version,
            "options": figure.options,
            "experiments": list(dict.fromkeys([*entry.experiments, *read])),
            "confidence": figure.confidence,
        }
    aggregates = {name: earlier["aggregate", paper, name] for name in content.experiments}
    cells = {name: tuple(planned_cells[paper, name].values()) for name in content.experiments}
    kinds = sorted({registry.module("figure", figure["draw"]) for figure in figures.values()})
    made = Curves(
        files=files_by_suffix(f"{results}/{paper}/curves/index", "js"),
        settings={
            "title": content.title,
            "published_runs": content.published_runs,
            "figures": figures,
        },
        modules=("dpbandits.papers.curves", *kinds),
        results=results,
        cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
        products=(*drawn.values(), *aggregates.values()),
        paper=paper,
        experiments=cells,
        aggregates={name: product.main for name, product in aggregates.items()},
        figure_tables={stem: product.main for stem, product in drawn.items()},
    )
    return {("curves", paper): made}
