"""Arrays of `numpy.empty` that know which of their numbers were written, for short runs in Python.

A compiled kernel that reads a number before it has written one gets what was in memory: another number each time,
or a run's result that depends on the run before. Here it is an error at its line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

READ = "a number of an array of `np.empty` is read before one was written there"


class Fresh(np.ndarray[Any, Any]):
    """An array of `numpy.empty` that knows which of its numbers were written; so does each view of it.

    Attributes
    ----------
    unwritten
        Mask of the numbers that were not written; ``None`` for an array of which this is not known.
    """

    unwritten: NDArray[np.bool_] | None

    def __array_finalize__(self, of: object) -> None:
        """Claim nothing of an array that NumPy makes of another one."""
        self.unwritten = None

    def __getitem__(self, key: Any) -> Any:
        """Return a number, which must have been written, or a part of the array."""
        found, missing = super().__getitem__(key), self.unwritten
        if missing is None:
            return found
        part = missing[key]
        if isinstance(found, Fresh) and np.may_share_memory(plain(found), plain(self)):
            found.unwritten = part
            return found
        _refuse(part)
        return plain(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write numbers."""
        if isinstance(value, Fresh):
            _refuse(value.unwritten)
        # By a plain view: NumPy asks a subclass again for each part.
        plain(self)[key] = plain(value)
        if self.unwritten is not None:
            self.unwritten[key] = False

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **named: Any) -> Any:
        """Compute with numbers that were written."""
        for each in inputs if method != "at" else inputs[1:]:
            if isinstance(each, Fresh):
                _refuse(each.unwritten)
        outputs: tuple[Any, ...] = named.get("out") or ()
        if outputs:
            named["out"] = tuple(plain(each) for each in outputs)
        result = getattr(ufunc, method)(*(plain(each) for each in inputs), **named)
        for each in outputs:
            _written(each)
        return outputs[0] if len(outputs) == 1 else result

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        """Claim nothing of what a function of NumPy may have written to."""
        for each in (*args, *named.values()):
            _written(each)
        return super().__array_function__(function, types, args, named)

    def fill(self, value: Any) -> None:
        """Write one number everywhere."""
        self[...] = value


def plain(value: Any) -> Any:
    """Return a `Fresh` array as a plain NumPy array, and anything else as it is."""
    return value.view(np.ndarray) if isinstance(value, Fresh) else value


def settled(value: Any) -> Any:
    """Return a value with its `Fresh` arrays, also in tuples, made plain if all of their numbers were written."""
    if isinstance(value, Fresh):
        return value if value.unwritten is not None and value.unwritten.any() else plain(value)
    if isinstance(value, tuple):
        parts = [settled(part) for part in value]
        return value._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value


def _refuse(unwritten: Any) -> None:
    if unwritten is not None and np.any(unwritten):
        raise ValueError(READ)


def _written(value: Any) -> None:
    if isinstance(value, Fresh) and value.unwritten is not None:
        value.unwritten[...] = False


def _fresh(made: NDArray[Any]) -> Fresh:
    found = made.view(Fresh)
    found.unwritten = np.ones(made.shape, dtype=bool)
    return found


@contextlib.contextmanager
def remembered(applies: Callable[[], bool]) -> Iterator[None]:
    """Let `numpy.empty` and `numpy.empty_like` return `Fresh` arrays in a ``with`` block.

    They do so only where ``applies()`` is true.
    """
    empty, empty_like = np.empty, np.empty_like
    numpy: Any = np
    numpy.empty = lambda *args, **named: _fresh(empty(*args, **named)) if applies() else empty(*args, **named)
    numpy.empty_like = lambda of, *args, **named: (
        _fresh(empty_like(plain(of), *args, **named)) if applies() else empty_like(of, *args, **named)
    )
    try:
        yield
    finally:
        numpy.empty, numpy.empty_like = empty, empty_like
