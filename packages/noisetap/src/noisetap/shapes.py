"""Shapes of JSON data that anybody may have written: each is a test, a function that tells whether a value has it.

Certificates of noisetap and of dpbandits are read by these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

Shape = Callable[[Any], bool]
# Numbers of a certificate are smaller than this in size.
MOST = 10**15


def finite(x: Any) -> bool:
    """Tell whether a value is a number (no truth value) of at most the size of the largest double; NaN is none."""
    return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= sys.float_info.max


def number(x: Any) -> bool:
    """Tell whether a value is a number of less than 10^15 in size."""
    return finite(x) and abs(x) < MOST


def text(x: Any) -> bool:
    """Tell whether a value is a text of less than 1,000 characters."""
    return isinstance(x, str) and len(x) < 1000


def flag(x: Any) -> bool:
    """Tell whether a value is true or false."""
    return isinstance(x, bool)


def anything(_: Any) -> bool:
    """Accept any value."""
    return True


def whole(least: int = 0, most: int = MOST - 1) -> Shape:
    """Return a test for whole numbers from ``least`` to ``most``, both included; truth values fail it."""
    return lambda x: isinstance(x, int) and not isinstance(x, bool) and least <= x <= most


def one_of(*values: Any) -> Shape:
    """Return a test of whether a value equals one of ``values``."""
    return lambda x: x in values


def many(entry: Shape) -> Shape:
    """Return a test for lists, of any length, whose entries all pass the test ``entry``."""
    return lambda x: isinstance(x, list) and all(map(entry, x))


def row(*entries: Shape) -> Shape:
    """Return a test for lists (or tuples) with an entry for each test, which passes it, in order."""
    return lambda x: (
        isinstance(x, list | tuple)
        and len(x) == len(entries)
        and all(shape(entry) for shape, entry in zip(entries, x, strict=True))
    )


def table(value: Shape) -> Shape:
    """Return a test for JSON objects whose values, under any keys, all pass the test ``value``."""
    return lambda x: isinstance(x, dict) and all(map(value, x.values()))


def record(**fields: Shape) -> Shape:
    """Return a test for JSON objects with these keys and no others, whose values pass their keys' tests."""
    return lambda x: isinstance(x, dict) and x.keys() == fields.keys() and unfit(x, fields) is None


def unfit(data: Mapping[str, Any], fields: Mapping[str, Shape]) -> str | None:
    """Return the first key of ``fields`` that ``data`` lack, or whose value in ``data`` fails the key's test.

    It is ``None`` if there is none. Further keys of ``data`` are allowed.
    """
    return next((name for name, shape in fields.items() if name not in data or not shape(data[name])), None)


def fault(data: Any, fields: Mapping[str, Shape]) -> str | None:
    """Return in words why ``data`` are no JSON object with the keys of ``fields`` alone, or fail a key's test.

    It is ``None`` if they pass. ``fields`` has the test of each key's value.
    """
    if not isinstance(data, dict):
        return "it is no JSON object"
    name = unfit(data, fields)
    if name is not None:
        return f"its field {name!r} is missing or not as it has to be"
    more = sorted(data.keys() - fields.keys(), key=str)
    return f"it has a field {more[0]!r} that no certificate has" if more else None
