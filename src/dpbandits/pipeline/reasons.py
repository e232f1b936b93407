"""Why a job runs again, in words: what Snakemake knows of changed parameters is their texts before and after."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any


def changed(before: Collection[str], now: Collection[str]) -> str:
    """Return in words how a job's parameters differ.

    Parameters
    ----------
    before, now
        The parameters that only one of them has, as Python's text of the values: a definition is a mapping, a
        command a list, sources are text as `dpbandits.core.provenance.sources` gives it.

    Examples
    --------
    >>> changed(["{'draw': 'x', 'options': {}}"], ["{'draw': 'y', 'options': {}}"])
    'definition changed: draw'
    >>> changed(["'core.errors 1f2e, core.files 77aa'"], ["'core.errors 1f2e, core.files 0b1c'"])
    'sources changed: core.files'
    """
    old, new = ([ast.literal_eval(text) for text in texts] for texts in (before, now))
    return "; ".join(_differences(old, new)) or "parameters changed"


def _differences(old: list[Any], new: list[Any]) -> Iterator[str]:
    """Yield in words how values of each kind differ."""
    kinds: list[tuple[type, Callable[[Any, Any], str]]] = [(dict, _definition), (list, _command), (str, _sources)]
    for kind, say in kinds:
        was, now = ([value for value in values if isinstance(value, kind)] for values in (old, new))
        if was or now:
            yield say(was[0] if was else kind(), now[0] if now else kind())


def _definition(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    return f"definition changed: {', '.join(map(str, keys))}"


def _command(old: list[str], new: list[str]) -> str:
    return f"command changed: {' '.join(map(str, _only(old, new)))} -> {' '.join(map(str, _only(new, old)))}"


def _sources(old: str, new: str) -> str:
    entries = [*_only(old.split(", "), new.split(", ")), *_only(new.split(", "), old.split(", "))]
    return f"sources changed: {', '.join(dict.fromkeys(entry.split(' ')[0] for entry in entries if entry))}"


def _only(one: list[str], other: list[str]) -> list[str]:
    """Return the elements of one list that the other does not have."""
    return [element for element in one if element not in other]
