"""Claimed against audited privacy of every registered algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Made, Table


def make(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Made:
    """Return the table of claimed and audited privacy: a row for each algorithm and claimed budget.

    An algorithm without a claim has one row. ``computed`` has one table, of audits. All its columns are in
    ``numbers``, sorted by setting, title and budget.
    """
    (table,) = computed.values()
    numbers = table.sort_values(["setting", "title", "epsilon"], kind="stable").reset_index(drop=True)

    def text(column: str) -> pd.Series[str]:
        return (
            numbers[column].map(lambda value: "–" if pd.isna(value) else f"{value:.3g}").replace("inf", "infinite")
        )

    return Made(
        numbers,
        pd.DataFrame(
            {
                "setting": numbers["setting"].str.replace("_", " "),
                "algorithm": numbers["title"],
                "claim": numbers["definition"].fillna("none"),
                "claimed ε": text("epsilon"),
                "δ": text("delta"),
                "audited ε": text("audited"),
                "exact": text("exact"),
                "replayed": text("replayed"),
                "sampled, at least": text("sampled"),
                "verdict": numbers["verdict"],
                "witness": numbers["witness"].fillna("–"),
            }
        ),
    )


TABLE = Table(title="Privacy: claimed against audited, with the witness", make=make)
