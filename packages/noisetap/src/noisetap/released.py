"""Operators of a number with noise that release it: remainders and whole quotients, and those of bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

# Several numbers may lead to one result of these: see `Path.release_for_modulo`.
QUOTIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "mod": operator.mod,
    "floordiv": operator.floordiv,
    "divmod": divmod,
}
# Only whole numbers have these.
BITS: dict[str, Callable[[Any, Any], Any]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}


def _whole(noisy: Any) -> Any:
    """Release a number with whole draws as an int; return ``NotImplemented`` of another, as a float has no bits."""
    whole = noisy.path.is_discrete(noisy.affine) and noisy.affine.offset.is_integer()
    return int(noisy.path.release_for_modulo(noisy.affine)) if whole else NotImplemented


def _operation(function: Callable[[Any, Any], Any], of_bits: bool, reflected: bool) -> Callable[[Any, Any], Any]:
    """Return the method of an operator, for the number on its right side if ``reflected``."""

    def operation(self: Any, other: Any) -> Any:
        mine = _whole(self) if of_bits else np.float64(self.path.release_for_modulo(self.affine))
        if mine is NotImplemented:
            return mine
        return function(other, mine) if reflected else function(mine, other)

    return operation


def _inverted(self: Any) -> Any:
    """Return ``~n``, which is ``-n - 1`` and keeps the noise; raise `TypeError` for a number that is not whole."""
    if not self.path.is_discrete(self.affine):
        raise TypeError("bad operand type for unary ~: 'float'")
    return -self - 1.0


def add_releasing_operators(cls: Any) -> None:
    """Give a class of numbers, with ``path`` and ``affine``, these operators, plain and reflected."""
    for of_bits, functions in ((False, QUOTIENTS), (True, BITS)):
        for name, function in functions.items():
            setattr(cls, f"__{name}__", _operation(function, of_bits, False))
            setattr(cls, f"__r{name}__", _operation(function, of_bits, True))
    cls.__invert__ = _inverted
