"""Parameters of draws as known numbers: a number with noise is let out where another draw needs it."""

from __future__ import annotations

from typing import Any

import numpy as np

from noisetap.asked import current_run
from noisetap.noisy import Noisy
from noisetap.path import Path


def current_path() -> Path:
    """Return the path of the run that is listened to."""
    found = current_run()
    assert isinstance(found, Path)
    return found


def plain_value(value: Any) -> Any:
    """Return a parameter of a draw, or a whole number, as plain numbers: noise in it is let out."""
    if type(value) is Noisy:
        found = float(value)
        return int(found) if found.is_integer() else found
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([float(v) for v in value.ravel()]).reshape(value.shape)
    return [plain_value(v) for v in value] if isinstance(value, list | tuple) else value
