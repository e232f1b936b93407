"""Tables: written and read, selected from, and as text for readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.core import escapes
from dpbandits.core.files import whole

# A row of a table that is made row by row: cells by column.
Row = dict[str, Any]
# Significant digits of findings and audits: more than any interval of theirs tells, and far above what rounding in
# the computations before them can reach. Aggregates keep all of theirs.
DIGITS = 7


def shortened(x: float) -> float:
    """Return a number with 7 significant digits (`DIGITS`); a whole number keeps all of its own."""
    return x if x % 1.0 == 0.0 else float(f"{x:.{DIGITS}g}")


def rounded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose floating-point numbers have 7 significant digits (`DIGITS`), but for whole numbers."""
    return table.assign(**{str(name): table[name].map(shortened) for name in table.select_dtypes("float64")})


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, whole or not at all; numbers have all digits that reading them back needs.

    Text that a spreadsheet would compute, such as ``=1+1``, has ``'`` before it in the file.
    """
    with whole(path) as aside:
        _texts(table, escapes.to_cell).to_csv(aside, index=False, lineterminator="\n")


def read_tables(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the tables in files of `write_table` as one table, one below the other."""
    return pd.concat([_texts(pd.read_csv(path), escapes.from_cell) for path in paths], ignore_index=True)


def _texts(table: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    """Return a table with its texts changed; numbers stay."""
    return table.assign(**{str(name): table[name].map(change) for name in table.select_dtypes(exclude="number")})


def worst(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the row with the largest ``mean`` regret of each group of rows that are equal in the columns ``by``.

    The rows are sorted by these columns.
    """
    largest = table.groupby(by, dropna=False)["mean"].idxmax()
    return table.loc[largest].sort_values(by).reset_index(drop=True)


def learned(table: pd.DataFrame, share: float) -> pd.DataFrame:
    """Return the rows in which an algorithm has learned: ``mean`` is at most ``share`` times ``uniform``.

    These columns are its mean regret, and the regret of uniform play. Regret nearer to that of uniform play grows
    about linearly, and says nothing of a rate of learning.
    """
    return table[table["mean"] <= share * table["uniform"]]


def matching(table: pd.DataFrame, fixed: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows of a table in which each column named in ``fixed`` has the value given there."""
    for column, value in fixed.items():
        table = table[table[column] == value]
    return table


def means_of(row: pd.Series[Any]) -> list[float]:
    """Return the arms' means in a row of an aggregate, its columns ``environment.means.1`` and so on.

    Without these columns, as in environments that have no such parameter, the list is empty.
    """
    known = row[[column for column in row.index if str(column).startswith("environment.means.")]]
    return [float(mean) for mean in known.dropna()]


def markdown(text: pd.DataFrame, caption: str) -> str:
    """Return a table as Markdown, with its caption below.

    Cells are Markdown already. A bar in a cell would end it, so each becomes TeX's ``\\vert``.
    """
    # A bar would end the cell, even inside a formula.
    cells = text.replace(r"\|", r"\\vert ", regex=True)
    return f"{cells.to_markdown(index=False, disable_numparse=True)}\n\n{escapes.markdown(caption)}\n"


def latex(text: pd.DataFrame, caption: str, columns: str = "", environment: str | None = None) -> str:
    """Return a table as LaTeX for the package booktabs; text outside formulas is escaped.

    Parameters
    ----------
    text
        The table: a string in each place, column names as headings.
    caption
        Caption of the table.
    columns
        TeX's letters of alignment, one a column; all to the left if empty.
    environment
        TeX's environment around caption and rows, such as ``longtable``; ``table`` by default.
    """
    escaped = text.map(escapes.latex).rename(columns=escapes.latex)
    body = escaped.style.hide(axis="index").to_latex(
        hrules=True,
        caption=escapes.latex(caption),
        column_format=columns or "l" * text.shape[1],
        environment=environment,
    )
    return f"% needs \\usepackage{{booktabs}}\n{body}"


def read_markdown(path: Path) -> pd.DataFrame:
    """Return the table in a file of `markdown`, all cells text."""
    lines = [line[1:-1] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.split("|")] for line in lines)
    return pd.DataFrame(rows, columns=head)
