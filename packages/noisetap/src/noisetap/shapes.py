"""Shapes of JSON data that anybody may have written: each is a function that tells whether a value has it.

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
    """Tell whether a value is a finite number; a truth value or a whole one with a thousand digits is none."""
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
    """Return the shape of whole numbers from ``least`` to ``most``."""
    return lambda x: isinstance(x, int) and not isinstance(x, bool) and least <= x <= most


def one_of(*values: Any) -> Shape:
    """Return the shape of values that equal one of ``values``."""
    return lambda x: x in values


def many(of: Shape) -> Shape:
    """Return the shape of lists, of any length, of values of a shape."""
    return lambda x: isinstance(x, list) and all(of(e) for e in x)


def row(*of: Shape) -> Shape:
    """Return the shape of lists (or tuples) of as many entries as there are shapes, each with its own."""
    return lambda x: (
        isinstance(x, list | tuple) and len(x) == len(of) and all(t(e) for t, e in zip(of, x, strict=True))
    )


def table(of: Shape) -> Shape:
    """Return the shape of JSON objects with any keys, whose values all have one shape."""
    return lambda x: isinstance(x, dict) and all(map(of, x.values()))


def record(**of: Shape) -> Shape:
    """Return the shape of JSON objects with these keys and no others, whose values have the shapes given."""
    return lambda x: isinstance(x, dict) and x.keys() == of.keys() and unfit(x, of) is None


def unfit(data: Mapping[str, Any], of: Mapping[str, Shape]) -> str | None:
    """Return the first key of ``of`` that is missing in ``data`` or whose value has not its shape, or ``None``."""
    return next((name for name, shape in of.items() if name not in data or not shape(data[name])), None)


def fault(data: Any, of: Mapping[str, Shape]) -> str | None:
    """Return in words why data are no JSON object with these keys, and no others, and values of these shapes.

    It is ``None`` if they are.
    """
    if not isinstance(data, dict):
        return "it is no JSON object"
    name = unfit(data, of)
    if name is not None:
        return f"its field {name!r} is missing or not as it has to be"
    more = sorted(data.keys() - of.keys(), key=str)
    return f"it has a field {more[0]!r} that no certificate has" if more else None
