"""Parameters of draws as known numbers: a number with noise is released where another draw needs it."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisetap.asked import current_run
from noisetap.noisy import Noisy
from noisetap.path import Path


def current_path() -> Path:
    """Return the `Path` that records the current run of a function of data; raise `Refused` outside of a run."""
    found = current_run()
    assert isinstance(found, Path)
    return found


def released_parameter(value: Any) -> Any:
    """Return a parameter of a draw as plain numbers: those with noise are released, and so count as seen.

    A single number with noise comes as an int if it is whole, else as a float. A tuple comes as a list, and an
    array of objects as one of floats.
    """
    if type(value) is Noisy:
        found = float(value)
        return int(found) if found.is_integer() else found
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([float(v) for v in value.ravel()]).reshape(value.shape)
    return [released_parameter(v) for v in value] if isinstance(value, list | tuple) else value
