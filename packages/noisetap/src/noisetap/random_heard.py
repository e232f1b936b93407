"""Python's `random` and `secrets` in functions of data.

Noise comes back as a number that records what is added to it. A whole number or a choice among at most 2,000
things comes back plain. The run takes one of several ways, and other runs take the others. Among more things a
choice is refused, and a whole number is noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from noisetap.known import current_path, released_parameter
from noisetap.path import Path
from noisetap.python_random import PythonRandom
from noisetap.seeds import python_start


class Random(PythonRandom):
    """Stand-in for Python's `random`, `random.Random` and `secrets` in functions of data, with their ``seed``."""

    _draws: Any

    def __init__(self, seed: Any = None) -> None:
        super().__init__(Path.generator_class(python_start(seed)))

    def _take(self, number: int, weights: Sequence[float] | None = None) -> int:
        return int(self._draws._choice([1.0] * number if weights is None else weights))

    def gammavariate(self, alpha: Any, beta: Any) -> Any:
        """Draw a gamma number of shape ``alpha`` and scale ``beta``, both > 0."""
        alpha, beta = released_parameter(alpha), released_parameter(beta)
        if not (alpha > 0.0 and beta > 0.0):
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        return self._draws._gamma(alpha, beta, None)

    def randrange(self, start: Any, stop: Any = None, step: int = 1) -> Any:
        """Draw a whole number from ``range(start, stop, step)``; from ``range(start)`` without ``stop``."""
        first, end = (0, _index(start)) if stop is None else (_index(start), _index(stop))
        if step == 0:
            raise ValueError("zero step for randrange()")
        number = -((first - end) // step)
        if number <= 0:
            raise ValueError(f"empty range for randrange() ({first}, {end}, {step})")
        return first + step * self._draws._whole(0, number)

    def randbelow(self, exclusive_upper_bound: Any) -> Any:
        """Draw a whole number from 0 to ``exclusive_upper_bound - 1``."""
        return self.randrange(exclusive_upper_bound)

    def randint(self, a: int, b: int) -> Any:
        """Draw a whole number from ``a`` to ``b``, both included."""
        return self.randrange(a, b + 1)

    def getrandbits(self, k: int) -> Any:
        """Draw a whole number of ``k`` bits, from 0 to ``2**k - 1``."""
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        return self.randrange(2**k)

    randbits = getrandbits

    def _none(self, name: str) -> Any:
        raise current_path().refuse(f"random.{name}")

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
        """Choose ``k`` things without replacement, and return them in the order in which they were drawn.

        ``counts`` says how often each thing is in the population, by default once.
        """
        if not isinstance(population, Sequence | np.ndarray):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        left = list(population)
        if counts is not None:
            if len(counts) != len(left):
                raise ValueError("The number of counts does not match the population")
            if any(n < 0 for n in counts):
                raise ValueError("Counts must be non-negative")
            left = [thing for thing, n in zip(left, counts, strict=True) for _ in range(n)]
        if not 0 <= k <= len(left):
            raise ValueError("Sample larger than population or is negative")
        return [left.pop(self._take(len(left))) for _ in range(k)]

    def __getattr__(self, name: str) -> Any:
        """Refuse what is not heard."""
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: self._none(name)


class System(Random):
    """Stand-in for `random.SystemRandom`, whose draws depend on no seed."""

    def __init__(self, seed: Any = None) -> None:  # noqa: ARG002
        super().__init__()

    def seed(self, *_: Any, **__: Any) -> None:
        """Do nothing, as Python does."""


def _index(value: Any) -> int:
    """Return a whole number; of floats those that are whole, as Python had it before 3.12."""
    if int(value) != value:
        raise ValueError("non-integer arg 1 for randrange()")
    return int(value)
