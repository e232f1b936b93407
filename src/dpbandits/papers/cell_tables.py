"""Tables of cells: labels and statistics of the cells that the rows of a figure name.

A cell is an algorithm with its parameters in one environment, at one budget and horizon. Aggregates are statistics
of the regret of its runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from dpbandits.core.tables import read_tables
from dpbandits.runs.aggregate import labels, parameters

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

STATISTICS = ["mean", "mean_low", "mean_high", "q50", "q95", "q99", "maximum", "uniform"]


class CellTable(NamedTuple):
    """Cells of one or several experiments, numbered, with their labels and aggregates.

    A cell is an algorithm in one environment, at one budget and horizon. Aggregates are statistics of its regret.

    Attributes
    ----------
    cells
        The cells; a cell's number is its place here, from 0.
    labels
        A row for each cell, in order: ``experiment``, ``algorithm``, ``title``, ``environment``, ``epsilon``,
        ``horizon`` and more, then its parameters. ``cell`` is its number in its experiment.
    rows
        All rows of aggregates, one for each cell, ``version`` (``full`` or ``published``) and checkpoint ``round``.
        ``cell`` is the cell's number here.
    """

    cells: Sequence[Cell]
    labels: pd.DataFrame
    rows: pd.DataFrame


def cell_table(cells: Sequence[Cell], aggregates: Sequence[Path]) -> CellTable:
    """Return the table of ``cells``, with their aggregates from CSV files, whose paths are ``aggregates``.

    ``aggregates`` may be empty: then the table has no rows of aggregates.
    """
    rows = [{**labels(cell, "", cell.runs), **parameters(cell), "cell": i} for i, cell in enumerate(cells)]
    table = read_tables(aggregates) if aggregates else pd.DataFrame(columns=["cell", "version", "round"])
    number = {cell.name: i for i, cell in enumerate(cells)}
    return CellTable(cells, pd.DataFrame(rows), table.assign(cell=table["cell"].map(number)))


def joined(table: pd.DataFrame, known: CellTable, version: str) -> pd.DataFrame:
    """Return a figure's numbers, with further columns from the aggregates of the cells that they belong to.

    Parameters
    ----------
    table
        The numbers in a figure. If rows belong to cells, their column ``cell`` has the cells' names.
    known
        Cells of the figure's experiments.
    version
        Version of the aggregates, ``"full"`` (all runs) or ``"published"`` (as many as the paper has).

    Returns
    -------
    DataFrame
        The numbers in their order, with their row numbers ``line``. ``cell`` is the number of a row's cell, -1 if
        it has none. ``at`` is the row's ``round``; if the numbers have no such column, its cell's horizon, -1
        without a cell. Columns of aggregates at that round, but for ``paper`` and ``notes``, are added if the
        numbers lack them. Without a column ``cell``, or cells in ``known``, only ``line`` and ``cell`` are added.
    """
    table = table.assign(line=np.arange(len(table)))
    if known.labels.empty or "cell" not in table:
        return table.assign(cell=-1)
    number = {cell.name: i for i, cell in enumerate(known.cells)}
    found = table.assign(cell=table["cell"].map(number).fillna(-1).astype(int))
    found["at"] = found["round"] if "round" in table else found["cell"].map(known.labels["horizon"]).fillna(-1)
    of_cells = known.rows[known.rows["version"] == version].rename(columns={"round": "at"})
    further = [name for name in of_cells if name not in found and name not in ("paper", "notes")]
    found = found.merge(of_cells[["cell", "at", *further]], on=["cell", "at"], how="left")
    return found.sort_values("line").reset_index(drop=True)


def merged(known: Sequence[CellTable]) -> CellTable:
    """Return one table of the cells of several experiments, in order, numbered from 0 through all experiments.

    The column ``cell`` of ``labels`` keeps a cell's number in its own experiment; its row number is the new one.
    The column ``cell`` of ``rows`` has the new numbers.
    """
    starts = np.cumsum([0, *(len(part.cells) for part in known)])
    shifted = [
        (part.labels, part.rows.assign(cell=part.rows["cell"] + start))
        for part, start in zip(known, starts, strict=False)
    ]
    if not known:
        return cell_table([], [])
    return CellTable(
        cells=[cell for part in known for cell in part.cells],
        labels=pd.concat([labels_of for labels_of, _ in shifted], ignore_index=True),
        rows=pd.concat([rows for _, rows in shifted], ignore_index=True),
    )
