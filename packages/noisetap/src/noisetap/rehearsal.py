"""Tests of whether a function behaves as in recorded runs: with its own randomness, and again with equal draws."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from noisetap.function import Function, OutOfTime, TooManyPaths
from noisetap.path import Path
from noisetap.records import Data, as_result, same
from noisetap.tape import Refused

# Runs by the function's own randomness, and under equal draws on each input of a proof.
_REAL, _EQUAL = 8, 40
_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?")


class NotRepeatable(Refused):
    """Two runs of a function with equal random draws differ, so that the function cannot be audited."""


def kinds_in(result: Any) -> frozenset[str]:
    """Return in words the kinds of a result's parts, such as ``{"number", "text"}``.

    The result is numbers, texts and nested tuples of them. A text with digits is a kind of its own, with 0 in the
    places of its numbers: ``text such as 'at 0 m'``. Names of collections, such as the ``"list"`` in
    ``("list", (1.0, "a"))``, do not count. An exception, ``("raised", CLASS, MESSAGE)``, gives
    ``{"an exception of class ValueError"}``.
    """
    if isinstance(result, tuple) and len(result) == 3 and result[0] == "raised":
        return frozenset((f"an exception of class {result[1]}",))
    return frozenset(map(_kind_of_part, _parts(result)))


def _parts(result: Any) -> Iterator[Any]:
    """Yield the numbers and texts of a result, without names of collections: an array of one number is a number."""
    if not isinstance(result, tuple):
        yield result
    for part in result[isinstance(result[0], str) :] if isinstance(result, tuple) and result else ():
        yield from _parts(part)


def _kind_of_part(leaf: Any) -> str:
    if isinstance(leaf, str) and any(map(str.isdigit, leaf)):
        return f"text such as {_NUMBER.sub('0', leaf)[:60]!r}"
    return "number" if isinstance(leaf, int | float) else "text" if isinstance(leaf, str) else type(leaf).__name__


def unheard_kind(function: Function, data: Data, heard_kinds: set[frozenset[str]]) -> str | None:
    """Run a function by its own randomness; return in words a kind of result that no recorded run has, or ``None``.

    Such a kind, ``number, text`` or ``an exception of class TypeError``, shows that recorded runs are not like real
    ones. In a recorded run a number with noise is no float, so that ``Decimal(v)`` raises an error, which the
    function may catch. The function is run 8 times. A kind that is new is looked for among all recorded runs of
    this input too; if these are too many, it counts as found there.

    Parameters
    ----------
    function
        Function of data, with its own generators.
    data
        Input of the function.
    heard_kinds
        Kinds of the results of recorded runs so far, such as ``{"number", "text"}`` for one result.
    """
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        for _ in range(_REAL):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = as_result(function.call_unheard(data))
            except Refused:
                return None
            except Exception as error:
                result = ("raised", type(error).__name__, str(error))
            found = kinds_in(result)
            if found not in heard_kinds and found not in _kinds_of(function, data, found):
                return ", ".join(sorted(found))
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
    return None


def _kinds_of(function: Function, data: Data, wanted: frozenset[str]) -> set[frozenset[str]]:
    """Return a kind of result if some path leads to it, or if there are too many paths to say so."""
    try:
        with function:
            return {wanted} if any(kinds_in(result) == wanted for _, result in function.paths(data)) else set()
    except (TooManyPaths, OutOfTime, Refused):
        return {wanted}


def check_repeats(
    function: Function, data: Data, path: Path, outputs: Sequence[float], times: int = _EQUAL
) -> None:
    """Refuse a function whose runs on an input, under equal draws, differ in results or in kinds of draws.

    Parameters
    ----------
    function, data
        Function of data, and the input.
    path, outputs
        Run whose choices all runs follow, on this input or its neighbour; and values of the released numbers.
    times
        Number of runs, >= 2.

    Raises
    ------
    NotRepeatable
        If a run differs from the first one.
    """
    script = [choice.taken for choice in path.choices]
    first, result = function.run(data, script, outputs)
    for _ in range(times - 1):
        again, other = function.run(data, script, outputs)
        check_equal_runs(first, result, again, other)


def check_equal_runs(path: Path, result: Any, again: Path, other: Any) -> None:
    """Refuse a function of which two runs under equal draws differ.

    Parameters
    ----------
    path, result
        Record of one run, and what the function returned.
    again, other
        Record of the other run, and what the function returned.

    Raises
    ------
    NotRepeatable
        If the results differ, or the kinds of the draws in order, such as ``laplace``; scales may differ.
    """
    if not same(result, other) or [d.kind for d in again.draws] != [d.kind for d in path.draws]:
        rest = "keeps a memory or draws unheard: pass its generator as a parameter rng="
        raise NotRepeatable(f"two runs with the same draws differ: the function {rest}")
