"""Cells beside aggregates: what is known of the cell that a row of a figure names."""

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
    """The cells of a paper, with their labels and aggregates.

    Attributes
    ----------
    cells
        By number.
    labels
        A row for each: its labels and parameters, as in aggregates.
    rows
        All rows of aggregates, with the number of their ``cell``.
    """

    cells: Sequence[Cell]
    labels: pd.DataFrame
    rows: pd.DataFrame


def cell_table(cells: Sequence[Cell], aggregates: Sequence[Path]) -> CellTable:
    """Return what is known of cells from their configuration and from tables of aggregates."""
    rows = [{**labels(cell, "", cell.runs), **parameters(cell), "cell": i} for i, cell in enumerate(cells)]
    table = read_tables(aggregates) if aggregates else pd.DataFrame(columns=["cell", "version", "round"])
    number = {cell.name: i for i, cell in enumerate(cells)}
    return CellTable(cells, pd.DataFrame(rows), table.assign(cell=table["cell"].map(number)))


def joined(table: pd.DataFrame, known: CellTable, version: str) -> pd.DataFrame:
    """Return a figure's numbers with their cells, and the labels and statistics of these that it has not.

    Parameters
    ----------
    table
        The numbers in a figure, with the name of the ``cell`` of each row that is of one.
    known
        Cells of its experiments.
    version
        Of the aggregates.
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


def together(known: Sequence[CellTable]) -> CellTable:
    """Return what is known of the cells of several experiments."""
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
