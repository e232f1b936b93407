"""Errors that a person reads come from other processes with their words."""

from __future__ import annotations

import pickle

import pytest

from dpbandits.core.errors import BadInput, BrokenFile, ChangedSources, DamagedFile, MissingExtra, MissingFile


@pytest.mark.parametrize(
    "error",
    [
        BadInput(("a", 1), 2, "3"),
        MissingExtra("A plot", "matplotlib", "notebook"),
        MissingFile("a.yaml", "No such file"),
        DamagedFile("a.npz", "b", "c"),
        BrokenFile("a.py", 3, "NameError: b"),
        ChangedSources("this worker", ["core.streams"]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_another_process_says_the_same(error: Exception) -> None:
    """Joblib's workers, and those of Dask, send errors as pickles; one that cannot be read ends them all."""
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert str(found) == str(error)
