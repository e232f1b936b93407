"""Products of a paper: aggregates and computations, and the figures and tables that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from dpbandits.core import declarations, registry
from dpbandits.core.streams import number_of
from dpbandits.products.product import Products, SealedProduct, beside
from dpbandits.runs import plan, uniform_play

if TYPE_CHECKING:
    from dpbandits.core.options import Options
    from dpbandits.runs.models import Config, Exhibit
    from dpbandits.runs.plan import Cells


class Statistics(TypedDict):
    """How runs are summarized: arguments of `dpbandits.runs.aggregate.aggregate`."""

    published_runs: int
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Aggregate(SealedProduct):
    """A tidy table of an experiment's regret arrays."""

    rerun_if_changed: Statistics

    def make(self) -> Sequence[Path]:
        """Aggregate the arrays."""
        from dpbandits.core.tables import write_table
        from dpbandits.runs.aggregate import aggregate

        table = aggregate(self.cells, Path(self.results), **self.rerun_if_changed)
        write_table(table, self.paths["csv"])
        return ()


class ComputationSettings(TypedDict):
    """A computation by name, and its parameters."""

    compute: str
    parameters: Options


@dataclass(frozen=True, kw_only=True)
class Computation(SealedProduct):
    """A table that is computed exactly, or from the runs of experiments."""

    rerun_if_changed: ComputationSettings

    def make(self) -> Sequence[Path]:
        """Compute the table."""
        from dpbandits.core import declarations
        from dpbandits.core.tables import write_table
        from dpbandits.runs.aggregate import read_cell

        declared = declarations.computation(self.rerun_if_changed["compute"])
        runs = [read_cell(cell, Path(self.results)) for cell in self.cells]
        parameters = declared.resolve(self.rerun_if_changed["parameters"])
        write_table(declared.compute(*([runs] if declared.reads_runs else []), **parameters), self.paths["csv"])
        return ()


class TableFiles(TypedDict):
    """The tables that a figure or a table reads: of experiments, and of computations by id."""

    aggregates: Sequence[Path]
    computed: Mapping[str, Path]


class FigureSettings(TypedDict):
    """A kind of figure, its version ``"full"`` or ``"published"``, and its options."""

    draw: str
    version: str
    options: Options


@dataclass(frozen=True, kw_only=True)
class Figure(SealedProduct):
    """One version of one figure."""

    rerun_if_changed: FigureSettings
    inputs_for_maker: TableFiles

    def make(self) -> Sequence[Path]:
        """Draw the figure."""
        from dpbandits.papers.drawing import draw_figure

        draw_figure(**self.rerun_if_changed, **self.inputs_for_maker, outputs=list(self.paths.values()))
        return ()


class TableSettings(TypedDict):
    """A kind of table, its options, and the caption."""

    make: str
    options: Options
    caption: str


@dataclass(frozen=True, kw_only=True)
class Table(SealedProduct):
    """One table."""

    rerun_if_changed: TableSettings
    inputs_for_maker: TableFiles

    def make(self) -> Sequence[Path]:
        """Make the table."""
        from dpbandits.papers.render import tabulate

        tabulate(**self.rerun_if_changed, **self.inputs_for_maker, outputs=list(self.paths.values()))
        return ()


def of_paper(config: Config, known: Cells, paper: str) -> Products:
    """Return the aggregates, computations, figures and tables of a paper."""
    content, results, figures = config.papers[paper], config.folders.results, config.folders.figures
    made: Products = {}
    for experiment in content.experiments:
        cells = tuple(known[paper, experiment].values())
        made["aggregate", paper, experiment] = Aggregate(
            files=beside(f"{results}/{paper}/aggregates/{experiment}", "csv"),
            rerun_if_changed={"published_runs": content.published_runs, "confidence": config.confidence},
            modules=("dpbandits.runs.aggregate", *sorted({uniform_play.module(cell.job) for cell in cells})),
            results=results,
            cells=cells,
        )
    for name, computation in content.computations.items():
        made["computation", paper, name] = Computation(
            files=beside(f"{results}/{paper}/computed/{name}", "csv"),
            rerun_if_changed={"compute": computation.compute, "parameters": _seeded(config, paper, name)},
            modules=(registry.module("computation", computation.compute),),
            results=results,
            cells=tuple(cell for read in computation.experiments for cell in known[paper, read].values()),
        )
    for file in plan.figure_files(config, paper):
        figure = content.figures[file.figure]
        made["figure", paper, file.stem] = Figure(
            files=beside(f"{figures}/{paper}/{file.stem}", "csv", "pdf", "png"),
            rerun_if_changed={"draw": figure.draw, "version": file.version, "options": figure.options},
            modules=("dpbandits.papers.drawing", registry.module("figure", figure.draw)),
            results=results,
            products=tuple(made[key] for key in _read(paper, figure)),
            inputs_for_maker=_tables(made, paper, figure),
        )
    for name, table in content.tables.items():
        made["table", paper, name] = Table(
            files=beside(f"{results}/{paper}/tables/{name}", "csv", "md", "tex"),
            rerun_if_changed={"make": table.make, "options": table.options, "caption": table.caption},
            modules=("dpbandits.papers.render", registry.module("table", table.make)),
            results=results,
            products=tuple(made[key] for key in _read(paper, table)),
            inputs_for_maker=_tables(made, paper, table),
        )
    return made


def _read(paper: str, entry: Exhibit) -> list[tuple[str, ...]]:
    """Return the keys of the products that a figure or a table reads."""
    aggregates = [("aggregate", paper, name) for name in entry.experiments]
    return [*aggregates, *dict.fromkeys(("computation", paper, name) for name in entry.computations)]


def _tables(made: Products, paper: str, entry: Exhibit) -> TableFiles:
    """Return the files that a figure or a table reads."""
    return {
        "aggregates": [Path(made["aggregate", paper, name].main) for name in entry.experiments],
        "computed": {name: Path(made["computation", paper, name].main) for name in entry.computations},
    }


def _seeded(config: Config, paper: str, name: str) -> Options:
    """Return the parameters of a computation, with a number of the root seed where it draws random numbers."""
    entry = config.papers[paper].computations[name]
    if "seed" not in declarations.computation(entry.compute).parameters:
        return entry.parameters
    return {"seed": number_of(config.root_seed, f"{paper} {name}"), **entry.parameters}
