"""Selections from aggregates that figures and tables share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def worst(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return, for each group of ``by``, the row of the environment with the largest mean regret."""
    largest = table.groupby(by, dropna=False)["mean"].idxmax()
    return table.loc[largest].sort_values(by).reset_index(drop=True)


def matching(table: pd.DataFrame, fixed: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have the given values in the given columns."""
    for column, value in fixed.items():
        table = table[table[column] == value]
    return table
