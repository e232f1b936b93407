"""Selections from aggregates that figures and tables share."""

from __future__ import annotations

import pandas as pd


def worst(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return, for each group of ``by``, the row of the environment with the largest mean regret."""
    largest = table.groupby(by, dropna=False)["mean"].idxmax()
    return table.loc[largest].sort_values(by).reset_index(drop=True)
