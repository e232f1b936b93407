"""What is changed in Snakemake answers as Snakemake does, and Snakemake still needs it."""

from __future__ import annotations

import sys

import pandas as pd
import pytest
from snakemake.persistence import PersistenceBase

from dpbandits.engine import lazy_imports, snakemake_patches


@pytest.mark.parametrize("imported", [False, True], ids=["without-pandas", "with-pandas"])
def test_parameters_are_compared_as_they_are(monkeypatch: pytest.MonkeyPatch, imported: bool) -> None:
    """As Snakemake does it, which has a look of its own for tables alone."""
    monkeypatch.setattr(PersistenceBase, "__abstractmethods__", frozenset())
    persistence = object.__new__(PersistenceBase)
    values: list[object] = [1, "text", {"a": [1.5, None]}, ("a", 2), object]
    if imported:
        values.append(pd.DataFrame({"a": [1, 2]}))
    expected = [persistence._serialize_param_pandas(value) for value in values]
    if not imported:
        monkeypatch.delitem(sys.modules, "pandas")
    found = [snakemake_patches.compared(persistence, value) for value in values]
    assert imported or "pandas" not in sys.modules
    assert found == expected


def test_snakemake_needs_no_lazy_pandas_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas that waits to be imported goes on waiting."""
    monkeypatch.setattr(PersistenceBase, "__abstractmethods__", frozenset())
    monkeypatch.delitem(sys.modules, "pandas")
    lazy_imports.begin()
    snakemake_patches.compared(object.__new__(PersistenceBase), {"a": 1})
    assert isinstance(sys.modules["pandas"], lazy_imports.Waiting)
