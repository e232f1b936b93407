"""Products of a paper: aggregates and computations, and the figures and tables that show them.

A product is files that are made together. Each has its ``files`` by suffix, ``modules`` that make them, the
``results`` folder, and ``cells`` and ``products`` that it reads. A cell is runs of one algorithm in one environment
at one budget. If a field ``Defines[...]`` changes, the product is made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core import declarations, registry
from dpbandits.core.files import seal
from dpbandits.core.origin import commit, origin
from dpbandits.core.streams import number_of
from dpbandits.products.product import Defines, MadeFrom, Products, SealedProduct, files_by_suffix
from dpbandits.runs import plan

if TYPE_CHECKING:
    from dpbandits.core.fields import Options
    from dpbandits.runs.models import Config, Exhibit
    from dpbandits.runs.plan import Cells


@dataclass(frozen=True, kw_only=True)
class Aggregate(SealedProduct):
    """A CSV file of statistics of an experiment's regret, such as its mean: a row for each cell and checkpoint.

    A cell is runs of one algorithm in one environment at one budget. The product is made again if a field
    ``Defines[...]`` changes.

    Attributes
    ----------
    published_runs, confidence
        Number of runs in the paper itself, and confidence level of intervals. There are rows in two versions:
        ``published``, of the first ``published_runs`` runs of each cell, and ``full``, of all its runs.
    """

    published_runs: Defines[int]
    confidence: Defines[float]

    def make(self) -> Sequence[Path]:
        """Compute the statistics from arrays of regret, and write the table; return no further files."""
        from dpbandits.core.tables import write_table
        from dpbandits.runs.aggregate import aggregate

        table = aggregate(self.cells, Path(self.results), self.published_runs, self.confidence)
        write_table(table, self.paths["csv"])
        return ()


@dataclass(frozen=True, kw_only=True)
class Computation(SealedProduct):
    """A table that is computed exactly, or from the runs of experiments.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    compute
        Name of the kind of computation: that of a file in ``papers/*/computations``.
    parameters
        Parameters that the configuration sets, by name; and ``seed``, from the root seed, if it draws random
        numbers and the configuration sets none.
    """

    compute: Defines[str]
    parameters: Defines[Options]

    def make(self) -> Sequence[Path]:
        """Compute the table, and write it; return no further files."""
        from dpbandits.core.tables import write_table
        from dpbandits.runs.aggregate import read_cell

        declared = declarations.computation(self.compute)
        runs = [read_cell(cell, Path(self.results)) for cell in self.cells]
        parameters = declared.resolve(self.parameters)
        write_table(declared.compute(*([runs] if declared.reads_runs else []), **parameters), self.paths["csv"])
        return ()


@dataclass(frozen=True, kw_only=True)
class Figure(SealedProduct):
    """One version of one figure, as files.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    draw
        Name of the kind of figure, such as ``mean-regret``: that of a file in ``papers/*/figures``.
    version
        ``full`` if it shows all runs, ``published`` if it shows as many as the paper has.
    options
        Options that the configuration sets, by name.
    confidence
        Confidence level of its intervals.
    aggregates, computed
        Paths of the tables that it shows: statistics of experiments; and computed tables, by computation.
    configfiles
        Paths that were given to Snakemake's ``--configfile``, for the command in the figure's metadata.
    """

    draw: Defines[str]
    version: Defines[str]
    options: Defines[Options]
    confidence: Defines[float]
    aggregates: Sequence[Path]
    computed: Mapping[str, Path]
    configfiles: tuple[str, ...] = ()

    def make(self, identity: str = "") -> Sequence[Path]:
        """Draw the figure, and return no further files.

        The files' metadata have the repository's commit, the command that makes the figure, and ``identity``: a
        digest of all that it is made from.
        """
        from dpbandits.papers.drawing import draw_figure

        outputs = list(self.paths.values())
        told = origin(outputs[0], self.configfiles, identity)
        read = self.aggregates, self.computed
        draw_figure(self.draw, self.version, self.options, *read, outputs, told, self.confidence)
        return ()

    def write(self, made_from: MadeFrom) -> None:
        """Draw the figure, and write its seal with digests, ``made_from`` (the provenance) and the commit."""
        self.make(made_from["identity"])
        seal(list(self.paths.values()), made_from, commit())


@dataclass(frozen=True, kw_only=True)
class Table(SealedProduct):
    """One table, as files.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    kind
        Name of the kind of table: that of a file in ``papers/*/tables``.
    options, caption
        Options that the configuration sets, by name, and the table's caption.
    aggregates, computed
        Paths of the tables that it is made from: statistics of experiments; and computed tables, by computation.
    """

    kind: Defines[str]
    options: Defines[Options]
    caption: Defines[str]
    aggregates: Sequence[Path]
    computed: Mapping[str, Path]

    def make(self) -> Sequence[Path]:
        """Make the table, and write it as CSV, Markdown and LaTeX; return no further files."""
        from dpbandits.papers.render import tabulate

        outputs = list(self.paths.values())
        tabulate(self.kind, self.options, self.caption, self.aggregates, self.computed, outputs)
        return ()


def paper_products(config: Config, planned_cells: Cells, paper: str) -> Products:
    """Return the products of a paper's results: statistics of experiments, computations, figures and tables.

    Keys are such as ``("aggregate", paper, experiment)``, ``("computation", paper, name)``, ``("table", paper,
    name)`` and ``("figure", paper, "fig4-published")``; a figure has one for each version.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    paper
        The paper's id.
    """
    content, results, figures = config.papers[paper], config.folders.results, config.folders.figures
    made: Products = {}
    for experiment in content.experiments:
        cells = tuple(planned_cells[paper, experiment].values())
        made["aggregate", paper, experiment] = Aggregate(
            files=files_by_suffix(f"{results}/{paper}/aggregates/{experiment}", "csv"),
            published_runs=content.published_runs,
            confidence=config.confidence,
            modules=(
                "dpbandits.runs.aggregate",
                *sorted({registry.module("environment", cell.job.environment["kind"]) for cell in cells}),
            ),
            results=results,
            cells=cells,
        )
    for name, computation in content.computations.items():
        made["computation", paper, name] = Computation(
            files=files_by_suffix(f"{results}/{paper}/computed/{name}", "csv"),
            compute=computation.compute,
            parameters=_parameters_with_seed(config, paper, name),
            modules=(registry.module("computation", computation.compute),),
            results=results,
            cells=tuple(cell for read in computation.experiments for cell in planned_cells[paper, read].values()),
        )
    for file in plan.figure_files(config, paper):
        figure = content.figures[file.figure]
        made["figure", paper, file.stem] = Figure(
            files=files_by_suffix(f"{figures}/{paper}/{file.stem}", "csv", "pdf", "png"),
            configfiles=config.configfiles,
            draw=figure.draw,
            version=file.version,
            options=figure.options,
            confidence=_confidence_of(config, figure),
            products=tuple(made[key] for key in _keys_read(paper, figure)),
            aggregates=_aggregates(made, paper, figure),
            computed=_computed(made, paper, figure),
            modules=("dpbandits.papers.drawing", registry.module("figure", figure.draw)),
            results=results,
        )
    for name, table in content.tables.items():
        made["table", paper, name] = Table(
            files=files_by_suffix(f"{results}/{paper}/tables/{name}", "csv", "md", "tex"),
            kind=table.make,
            options=table.options,
            caption=table.caption,
            products=tuple(made[key] for key in _keys_read(paper, table)),
            aggregates=_aggregates(made, paper, table),
            computed=_computed(made, paper, table),
            modules=("dpbandits.papers.render", registry.module("table", table.make)),
            results=results,
        )
    return made


def _confidence_of(config: Config, entry: Exhibit) -> float:
    """Return the confidence level of a figure's intervals: the configuration's for experiments, else 0.95."""
    from dpbandits.papers.described import CONFIDENCE

    return config.confidence if entry.experiments else CONFIDENCE


def _keys_read(paper: str, entry: Exhibit) -> list[tuple[str, ...]]:
    """Return the keys of the products that a figure or a table reads."""
    aggregates = [("aggregate", paper, name) for name in entry.experiments]
    return [*aggregates, *dict.fromkeys(("computation", paper, name) for name in entry.computations)]


def _aggregates(made: Products, paper: str, entry: Exhibit) -> list[Path]:
    """Return the tables of experiments that a figure or a table reads."""
    return [Path(made["aggregate", paper, name].main) for name in entry.experiments]


def _computed(made: Products, paper: str, entry: Exhibit) -> dict[str, Path]:
    """Return the tables of computations that a figure or a table reads, by id."""
    return {name: Path(made["computation", paper, name].main) for name in entry.computations}


def _parameters_with_seed(config: Config, paper: str, name: str) -> Options:
    """Return the parameters of a computation, with a number of the root seed where it draws random numbers."""
    entry = config.papers[paper].computations[name]
    if "seed" not in declarations.computation(entry.compute).parameters:
        return entry.parameters
    return {"seed": number_of(config.root_seed, f"{paper} {name}"), **entry.parameters}
