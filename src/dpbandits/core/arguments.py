"""Arguments of Python functions and of commands: lists, run numbers and paths, checked; all raise `BadInput`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeGuard

from dpbandits.core.errors import BadInput, Keys
from dpbandits.core.fields import LARGEST, real, whole

# Threads that share runs, as of a configuration.
MOST_THREADS = 1024
# Run numbers are 63 bits wide; more runs than this at a time are surely a slip.
LAST_RUN, MOST_RUNS = 2**63 - 1, 10**9
MEANS = "at least two numbers in [0, 1], as [0.75, 0.7]"
SEEDS = "a number of runs, as 20, or run numbers without gaps, as range(100) or [0, 1, 2]"


def reals(key: Keys | str | int, value: object, allowed: str) -> list[float]:
    """Return a list of numbers, or an array of one dimension, as a list of floats.

    Parameters
    ----------
    key, allowed
        Name of the argument, and allowed values in words, for the error.
    value
        Value of the argument.

    Raises
    ------
    BadInput
        If ``value`` is no list, such as a text, or an element of it is not a finite number.
    """
    if not is_list(value):
        raise BadInput(key, value, allowed)
    return [float(real(key, each, -LARGEST, LARGEST, allowed)) for each in value]


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Return whether a value can be iterated over; a text does not count, nor does an array of no dimensions."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) > 0


def run_numbers(value: object) -> range:
    """Return run numbers as a range, or raise `BadInput`.

    They are given as a number of runs, as a range, or one by one in order and without gaps: ``3``, ``range(3)`` and
    ``[0, 1, 2]`` are the same.
    """
    if not is_list(value):
        return range(whole("seeds", value, 1, MOST_RUNS, SEEDS))
    if not isinstance(value, range):
        found = [whole("seeds", each, 0, LAST_RUN - 1, SEEDS) for each in value]
        value = range(found[0], found[0] + len(found)) if found else range(0)
        if list(value) != found:
            raise BadInput("seeds", found, SEEDS)
    if not value or value.step != 1 or value.start < 0 or value.stop > LAST_RUN or len(value) > MOST_RUNS:
        raise BadInput("seeds", value, SEEDS)
    return value


def path(name: str, value: object) -> Path:
    """Return an argument as a path, or raise `BadInput` with the argument's ``name``."""
    if not isinstance(value, str | os.PathLike) or "\0" in os.fspath(value):
        raise BadInput(name, value, "the name of a file or a folder")
    return Path(value)
