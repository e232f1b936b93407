"""Python's `random` module in bandit policies: its functions draw as NumPy's do."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from noisetap.listen import Stream, _library
from noisetap.stand_ins import replaced

_INSTANCE = random._inst


class _Python:
    """Stand in for the functions of `random`."""

    def __init__(self) -> None:
        self._stream = Stream()

    def seed(self, a: Any = None, *_: Any) -> None:
        """Start again; under the same seed NumPy makes other draws."""
        self._stream.seed(f"random {a}" if isinstance(a, int | str) else None)

    def random(self) -> Any:
        """Draw a uniform number."""
        return self._stream.random()

    def uniform(self, a: Any, b: Any) -> Any:
        """Draw a uniform number."""
        return self._stream.uniform(a, b)

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Draw a normal number."""
        return self._stream.normal(mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1.0) -> Any:
        """Draw an exponential number."""
        return self._stream.exponential(1.0 / lambd)

    def betavariate(self, alpha: Any, beta: Any) -> Any:
        """Draw from a beta law."""
        return self._stream.beta(alpha, beta)

    def randint(self, a: int, b: int) -> Any:
        """Draw a whole number, both ends included."""
        return self._stream.integers(a, b + 1)

    def randrange(self, start: int, stop: int | None = None) -> Any:
        """Draw a whole number."""
        return self._stream.integers(start, stop)

    def choice(self, seq: Sequence[Any]) -> Any:
        """Choose one."""
        return seq[self._stream.choice(len(seq))]

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        """Choose with replacement, with probabilities that may depend on data."""
        if cum_weights is not None:
            weights = np.diff(np.asarray(cum_weights, float), prepend=0.0)
        p = None if weights is None else np.asarray(weights, float) / np.sum(np.asarray(weights, float))
        return [population[self._stream.choice(len(population), p=p)] for _ in range(k)]

    def shuffle(self, x: Any) -> None:
        """Shuffle in place."""
        self._stream.shuffle(x)


def _for_programs(heard: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    """Draw for the program; libraries get what they ask for."""

    @wraps(heard)
    def call(*args: Any, **more: Any) -> Any:
        return (real if _library(sys._getframe(1).f_code.co_filename) else heard)(*args, **more)

    return call


_NAMES = [name for name in vars(_Python) if not name.startswith("_")]
_REAL = {name: getattr(random, name) for name in _NAMES}


@contextmanager
def python_heard(*modules: ModuleType) -> Iterator[None]:
    """Hear Python's `random` while a policy runs.

    Parameters
    ----------
    modules
        Modules whose names for these functions are replaced too: ``from random import choices``.
    """
    python = _Python()
    listed = [(random, name, _for_programs(getattr(python, name), _REAL[name])) for name in _NAMES]
    for module in modules:
        for name, held in list(vars(module).items()):
            own = getattr(held, "__self__", None) is _INSTANCE and getattr(held, "__name__", "") in _NAMES
            if own:
                listed.append((module, name, getattr(python, held.__name__)))
    with replaced(listed):
        yield
