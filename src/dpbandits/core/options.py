"""Options of computations and figures. Values are checked against the default."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpbandits.core.errors import BadInput, suggest, within

# Values of options by name: each is of the kind of its default.
Options = Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """An option.

    Attributes
    ----------
    default
        Its value when not given. A given value is checked against it. It must have the same type, where an integer
        may stand for a float. Elements of a list must have types of the default's elements, if there are any.
        Numbers must be finite. They must be positive if all numbers in the default are, and non-negative if one of
        them is 0.
    description
        Its meaning, with the unit.
    """

    default: bool | int | float | str | list[Any] | dict[str, Any]
    description: str


def resolve(options: Mapping[str, Option], given: Options) -> Options:
    """Return all options, checked, with defaults filled in.

    Raises
    ------
    BadInput
        For an unknown name or a value of another type.
    """
    values: dict[str, Any] = {name: option.default for name, option in options.items()}
    for name, value in given.items():
        if name not in options:
            raise BadInput(name, value, suggest(name, options, empty="no options"))
        default = options[name].default
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(default):
            raise BadInput(name, value, "an integer" if type(default) is int else _kind(default))
        with within(name):
            _check_built_like([default], value)
        values[name] = value
    return values


def _kind(value: object) -> str:
    """Return in words what kind of data a value is."""
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), "nothing")


def _numbers(value: object) -> Iterator[float]:
    """Yield the numbers in a value, at every depth of lists."""
    if isinstance(value, list):
        for element in value:
            yield from _numbers(element)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _check_built_like(examples: Sequence[Any], value: Any) -> None:
    """Raise `BadInput` unless a value of the examples' kind is built like them."""
    if isinstance(value, list):
        inner = [element for example in examples if isinstance(example, list) for element in example]
        known = sorted({_kind(element) for element in inner})
        for i, element in enumerate(value):
            if known and _kind(element) not in known:
                raise BadInput(i, element, " or ".join(known))
            with within(i):
                _check_built_like(inner, element)
    elif isinstance(value, int | float):
        least = min((number for example in examples for number in _numbers(example)), default=-math.inf)
        sign = " > 0" if least > 0 else " >= 0" if least == 0 else ""
        if not math.isfinite(value) or (least > 0 and value <= 0) or (least == 0 and value < 0):
            raise BadInput((), value, f"a finite number{sign}")
