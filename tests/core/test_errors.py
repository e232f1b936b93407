"""Errors that a person reads come from other processes with their words, and show NumPy's numbers plainly."""

from __future__ import annotations

import pickle

import numpy as np
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


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.float64("inf"), "inf"),
        (np.int64(3), "3"),
        (np.bool_(True), "True"),
        (np.str_("a"), "'a'"),
        ([np.float64(0.5), (np.int64(2), None)], "[0.5, (2, None)]"),
        (np.array([0.5, 2.0]), "array([0.5, 2. ])"),
    ],
)
def test_numbers_of_numpy_are_shown_plainly(value: object, shown: str) -> None:
    """An error says 0.5, also within lists, where NumPy's own words for its numbers are np.float64(0.5)."""
    assert str(BadInput("gap", value, "a number")) == f"gap: {shown} is not allowed; allowed: a number"
