"""Stand-ins for Python's `random` in bandit policies, and their base, which functions of data share.

Methods take the parameters of Python's functions. Noise comes back as a number that records what it is added to,
and a choice as what was chosen.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from noisetap.asked import current_run
from noisetap.listen import HeardGenerator, _library
from noisetap.seeds import python_start
from noisetap.stand_ins import DEFINED, INERT, replaced

_INSTANCE = random._inst
_CHECKING = random.Random(0)


class PythonRandom:
    """Base of two stand-ins for Python's `random`: in policies, and in functions of data (`random_heard.Random`).

    It has the methods that both share.

    Parameters
    ----------
    draws
        The stand-in for NumPy's generator that makes the draws.
    """

    def __init__(self, draws: HeardGenerator) -> None:
        self._draws = draws

    def seed(self, a: Any = None, version: int = 2) -> None:
        """Begin again from a seed, with the parameters of `random.seed`.

        A seed that was used before in this run gives the same draws again. They are not those of NumPy's generator
        with the same seed.
        """
        self._draws._begin(python_start(a, version))
        self._draws._passing = True

    def __deepcopy__(self, memo: Any = None) -> PythonRandom:
        """Refuse a copy: it would make the same draws."""
        raise current_run().refuse("a generator is copied: make another one")

    __copy__ = __reduce__ = __deepcopy__  # type: ignore[assignment]

    def _take(self, number: int, weights: Sequence[float] | None = None) -> int:
        """Draw a whole number below another, with these weights or with equal ones."""
        p = None if weights is None else np.asarray(weights) / np.sum(weights)
        return int(self._draws.choice(number, p=p))

    # Python's functions take any parameters, where NumPy raises.
    def random(self) -> Any:
        """Draw a uniform number on [0, 1)."""
        return self._draws.random()

    def uniform(self, a: Any, b: Any) -> Any:
        """Draw a uniform number between ``a`` and ``b``."""
        return self._draws._noise("uniform", a, b - a, None, lambda g: g.random())

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Draw a normal number."""
        return self._draws._noise("normal", mu, sigma, None, lambda g: g.standard_normal())

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1.0) -> Any:
        """Draw an exponential number of rate ``lambd``."""
        return self._draws._noise("exponential", 0.0, 1.0 / lambd, None, lambda g: g.standard_exponential())

    def choice(self, seq: Sequence[Any]) -> Any:
        """Choose one element of a sequence."""
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._take(len(seq))]

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        """Choose ``k`` things with replacement, with probabilities that may depend on data; return them as a list.

        Parameters
        ----------
        population
            Things that are chosen from.
        weights, cum_weights
            Weights of the things, or running sums of weights, not both; by default weights are equal.
        k
            Number of choices.
        """
        if cum_weights is not None:
            if weights is not None:
                raise TypeError("Cannot specify both weights and cumulative weights")
            weights = np.diff(np.asarray(cum_weights, float), prepend=0.0)
        shares = None if weights is None else [float(w) for w in weights]
        if shares is not None:
            # Python's own errors: of their number, and of a sum that is not above 0 or not finite.
            _CHECKING.choices(range(len(population)), shares, k=0)
        return [population[self._take(len(population), shares)] for _ in range(k)]

    def shuffle(self, x: Any) -> None:
        """Shuffle the list ``x`` in place."""
        self._draws.shuffle(x)


class _OfPolicies(PythonRandom):
    """Stand in for functions of `random` in bandit policies."""

    def betavariate(self, alpha: Any, beta: Any) -> Any:
        """Draw from a beta law."""
        return self._draws.beta(alpha, beta)

    def randint(self, a: int, b: int) -> Any:
        """Draw a whole number, both ends included."""
        return self._draws.integers(a, b + 1)

    def randrange(self, start: int, stop: int | None = None) -> Any:
        """Draw a whole number."""
        return self._draws.integers(start, stop)


def _for_programs(heard: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    """Draw for the program; libraries get what they ask for."""

    def call(*args: Any, **more: Any) -> Any:
        return (real if _library(sys._getframe(1).f_code.co_filename) else heard)(*args, **more)

    # Not by `functools.wraps`, which takes as long as all else that a run replaces.
    call.__name__ = heard.__name__
    return call


_NAMES = [name for name in dir(_OfPolicies) if not name.startswith("_")]
_REAL = {name: getattr(random, name) for name in _NAMES}


@contextmanager
def listening_to_python(*modules: ModuleType) -> Iterator[None]:
    """Record what a policy draws by functions of Python's `random` inside the ``with`` block.

    The block has to lie inside one of `stand_ins.listening`, which says in which run draws are recorded.

    Parameters
    ----------
    modules
        Modules whose own names for these functions are replaced too, as after ``from random import choices``.
    """
    python = _OfPolicies(HeardGenerator())
    listed = [(random, name, _for_programs(getattr(python, name), _REAL[name])) for name in _NAMES]
    for module in modules:
        for name, held in list(vars(module).items()):
            if type(held) in INERT or type(held) in DEFINED:
                continue
            own = getattr(held, "__self__", None) is _INSTANCE and getattr(held, "__name__", "") in _NAMES
            if own:
                listed.append((module, name, getattr(python, held.__name__)))
    with replaced(listed):
        yield
