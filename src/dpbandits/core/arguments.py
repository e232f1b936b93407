"""Arguments of the Python interface: what a person passes, as what is computed with, or `BadInput`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Real
from pathlib import Path
from typing import TypeGuard, cast

import numpy as np

from dpbandits.core.errors import BadInput

# The largest root seed, of configurations, of jobs, and of the command line.
MOST_ROOT_SEED = 2**64 - 1
# Threads that share runs, as of a configuration.
MOST_THREADS = 1024
MEANS = "at least two numbers in [0, 1], as [0.75, 0.7]"
SEEDS = "a number of runs, as 20, or run numbers without gaps, as range(100) or [0, 1, 2]"


def number(name: str, value: object, least: float, most: float, allowed: str) -> float:
    """Return a number from ``least`` to ``most``; no text, and neither True nor False, is one."""
    # Of NumPy, an array of no dimensions too.
    found = value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value
    if isinstance(found, bool) or not isinstance(found, Real) or not least <= cast(float, found) <= most:
        raise BadInput(name, value, allowed)
    return cast(float, found)


def integer(name: str, value: object, least: int, most: float, allowed: str) -> int:
    """Return an integer, perhaps given as 1e5: equal numbers are one identity, so one stream."""
    found = number(name, value, least, most, allowed)
    if found % 1:
        raise BadInput(name, value, allowed)
    return int(found)


def numbers(name: str, value: object, allowed: str) -> list[float]:
    """Return a list of finite numbers; neither a text nor an array of two dimensions is one."""
    if not _is_list(value):
        raise BadInput(name, value, allowed)
    return [float(number(name, each, -1e308, 1e308, allowed)) for each in value]


def _is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Say whether a value has several: NumPy's arrays of no dimension cannot be iterated."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def run_numbers(value: object) -> range:
    """Return run numbers, given as how many, as a range, or one by one, in order and without gaps."""
    if not _is_list(value):
        return range(integer("seeds", value, 1, 10**9, SEEDS))
    if not isinstance(value, range):
        found = [integer("seeds", each, 0, 2**63 - 2, SEEDS) for each in value]
        value = range(found[0], found[0] + len(found)) if found else range(0)
        if list(value) != found:
            raise BadInput("seeds", found, SEEDS)
    if not value or value.step != 1 or value.start < 0 or value.stop > 2**63 - 1 or len(value) > 10**9:
        raise BadInput("seeds", value, SEEDS)
    return value


def path(name: str, value: object) -> Path:
    """Return the path of a file or a folder."""
    if not isinstance(value, str | os.PathLike) or "\0" in os.fspath(value):
        raise BadInput(name, value, "the name of a file or a folder")
    return Path(value)
