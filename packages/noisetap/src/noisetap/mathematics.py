"""Functions of Python's ``math`` for numbers with noise too."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from noisetap.noisy import ELEMENTWISE, Noisy


def _by_element(name: str) -> Callable[..., Any]:
    """Return a function of ``math`` that takes numbers with noise too."""
    plain, heard = getattr(math, name), getattr(Noisy, ELEMENTWISE[name])

    def function(x: Any, *base: Any) -> Any:
        if type(x) is not Noisy:
            return plain(x, *base)
        return heard(x) / plain(*base) if base else heard(x)

    return function


_copysign = math.copysign


def _with_sign(x: Any, y: Any) -> Any:
    """Return ``math.copysign(x, y)``, also of numbers with noise."""
    if Noisy not in (type(x), type(y)):
        return _copysign(x, y)
    return abs(x) * (-1.0 if y < 0 else 1.0)


OF_MATH = {name: _by_element(name) for name in ("log", "log1p", "log2", "log10", "fabs")}
OF_MATH["copysign"] = _with_sign
