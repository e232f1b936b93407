"""Options of computations and figures: named, with a default, and refused when unknown or of another type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbandits.errors import BadInput, suggest


@dataclass(frozen=True)
class Option:
    """An option.

    Attributes
    ----------
    default
        Its value when not given; a given value has the same type (an integer may stand for a float).
    description
        What it means.
    """

    default: bool | int | float | str | list[Any]
    description: str


def resolve(options: Mapping[str, Option], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return all options, checked, with defaults filled in.

    Raises
    ------
    BadInput
        For an unknown name or a value of another type.
    """
    values: dict[str, Any] = {name: option.default for name, option in options.items()}
    for name, value in given.items():
        if name not in options:
            raise BadInput(f"{where}.{name}", value, suggest(name, options, empty="no options"))
        expected = type(options[name].default)
        if expected is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not expected:
            words = {"str": "text", "float": "a number", "int": "an integer", "bool": "true or false"}
            raise BadInput(f"{where}.{name}", value, words.get(expected.__name__, "a list"))
        values[name] = value
    return values
