"""Cells beside aggregates: finding the cell of a figure's row by labels and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core.tables import Row, read_tables
from dpbandits.runs.aggregate import labels, parameters

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

# What tells a row of an aggregate apart.
KEY = ["experiment", "algorithm", "environment", "horizon", "epsilon"]
LABELS = [*KEY, "title", "arms", "experts"]
STATISTICS = ["mean", "mean_low", "mean_high", "q50", "q95", "q99", "maximum", "uniform"]
# Columns of a figure that are never a cell's label: what was measured.
MEASURED = {*STATISTICS, "runs", "notes", "version", "round", "x", "low", "high", "value", "bound"}


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
    known = pd.DataFrame(rows, columns=None if rows else [*KEY, "cell", "title"])
    table = read_tables(aggregates) if aggregates else pd.DataFrame(columns=[*KEY, "version", "round", *STATISTICS])
    key = {tuple(row): i for i, row in enumerate(known[KEY].fillna(-1.0).itertuples(index=False, name=None))}
    named = [key[tuple(row)] for row in table[KEY].fillna(-1.0).itertuples(index=False, name=None)]
    return CellTable(cells, known, table.assign(cell=named))


def _fits(value: Any, column: str, known: CellTable) -> NDArray[np.bool_]:
    """Say which cells have a value of a label."""
    of_cells = known.labels[column]
    if column == "title":
        # Where several algorithms share a title, figures call them by their labels.
        return np.asarray((of_cells == value) | (known.labels["algorithm"] == value))
    if isinstance(value, str):
        return np.asarray(of_cells == value)
    if pd.isna(value):
        # Without a budget there is no privacy; of other labels a missing one tells nothing.
        return np.asarray(of_cells.isna() | (column != "epsilon"))
    numbers_of = pd.to_numeric(of_cells, errors="coerce").to_numpy(dtype=float)
    return np.asarray(np.isclose(numbers_of, float(value), rtol=1e-9, atol=0.0))


def cell_of(row: Row, columns: Sequence[str], known: CellTable) -> int:
    """Return the number of the cell that the labels of a row name, or -1 if none, or several that differ, do.

    What tells cells apart by itself comes first: a parameter is asked for only where that leaves several.
    """
    found = list(range(len(known.cells)))
    for column in sorted(columns, key=lambda name: name not in LABELS):
        if column not in LABELS and _same(found, known):
            break
        fit = _fits(row[column], column, known)
        found = [i for i in found if fit[i]]
    return found[0] if _same(found, known) else -1


def _same(found: Sequence[int], known: CellTable) -> bool:
    """Say whether all are the same job: experiments may share a cell."""
    return len({known.cells[i].job.identity for i in found}) == 1


def joined(table: pd.DataFrame, known: CellTable, version: str, fixed: Mapping[str, str]) -> pd.DataFrame:
    """Return a figure's numbers with their cells, and the labels and statistics of these that it has not.

    Parameters
    ----------
    table
        The numbers in a figure.
    known
        Cells of its experiments.
    version
        Of the aggregates.
    fixed
        Labels of all its rows that its options tell.
    """
    table = table.assign(line=np.arange(len(table)), **{k: v for k, v in fixed.items() if k not in table})
    if known.labels.empty or "runs" not in table:
        return table.assign(cell=-1)
    columns = [str(name) for name in known.labels if name in table and name not in MEASURED and name != "cell"]
    distinct = table.loc[table["runs"].notna(), columns].drop_duplicates()
    rows = distinct.itertuples(index=False, name=None)
    cells = distinct.assign(cell=[cell_of(dict(zip(columns, row, strict=True)), columns, known) for row in rows])
    found = table.merge(cells, on=columns, how="left")
    found["cell"] = found["cell"].where(found["runs"].notna()).fillna(-1).astype(int)
    of_cells = known.rows[known.rows["version"] == version]
    if "round" not in table:
        found["at"] = found["cell"].map(known.labels["horizon"]).fillna(-1)
    else:
        found["at"] = found["round"]
    further = [name for name in of_cells if name not in found and name not in ("paper", "notes")]
    found = found.merge(
        of_cells.rename(columns={"round": "at"})[["cell", "at", *(name for name in further if name != "round")]],
        on=["cell", "at"],
        how="left",
    )
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
