"""What functions of data draw: NumPy's generators, Python's `random` and `secrets`, scipy.stats."""

from __future__ import annotations

import importlib
import math
import random
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

import numpy as np

from noisetap.laws import Law
from noisetap.listen import REAL_GENERATOR, Stream, tape
from noisetap.mathematics import OF_MATH
from noisetap.noisy import Noisy, NoisyArray
from noisetap.path import Affine, Path
from noisetap.python_random import Python
from noisetap.roomy import HeardFloat, roomy
from noisetap.stand_ins import listening, replaced

_REAL_STATE = np.random.RandomState
# A library's sampler that makes one Laplace draw out of four uniform ones; others have copied it.
_SAMPLER = "_laplace_sampler"
_LIBRARY = "diffprivlib.mechanisms.laplace"
# A choice among more things than these is not summed over.
MOST_OPTIONS = 2_000


def _path() -> Path:
    found = tape()
    assert isinstance(found, Path)
    return found


def _filled(size: Any, make: Callable[[], Any]) -> Any:
    """Return one drawn number, or an array of this size of them, each made by a call of ``make``."""
    if size is None:
        return make()
    shape = (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)
    found: Any = np.empty(shape, object)
    for at in np.ndindex(shape):
        found[at] = make()
    return found.view(NoisyArray) if any(type(v) is Noisy for v in found.ravel()) else _numbers(found)


def _numbers(found: Any) -> Any:
    """Return an array of plain numbers for one of objects."""
    return np.array(found.tolist()).reshape(found.shape)


def _each(size: Any, make: Callable[..., Any], *parameters: Any) -> Any:
    """Draw for each element of parameters that are arrays."""
    if size is None and all(type(p) in (float, int) for p in parameters):
        return make(*parameters)
    shape: Any = np.broadcast_shapes(*map(np.shape, parameters)) if size is None else size
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
    if shape == () and size is None:
        return make(*parameters)
    rows = [np.broadcast_to(np.asarray(p, object), shape) for p in parameters]
    each = iter([tuple(row[at] for row in rows) for at in np.ndindex(shape)])
    return _filled(shape, lambda: make(*next(each)))


class Draws(Stream):
    """Stand in for a generator in functions of data."""

    def _standard(self, law: Law) -> int:
        """Return the number of a standard draw; under a seed that is used again, of the same draw as before."""
        if self._again:
            before: Any = self._again.pop(0)
            if _path().draws[before] != law:
                raise _path().refuse("a seed is used again for draws of another kind")
            return int(before)
        number: int = _path().draw(law)
        if self._seed is not None and self._again is None:
            _path().keep(self._seed, number)
        return number

    def _moved(self, law: Law, place: Any, scale: Any) -> Noisy:
        """Return ``place + scale * z`` for a standard draw z."""
        path = _path()
        # A scale with noise is let out: what is drawn then is moved by known numbers.
        width = float(scale)
        number = self._standard(law)
        at = place.of if type(place) is Noisy else Affine(float(place))
        return Noisy(path, at.plus(Affine(0.0, {number: width} if width else {})))

    def _many(self, kind: str, place: Any, scale: Any, size: Any, standard: Any) -> Any:  # noqa: ARG002
        return _each(size, partial(self._moved, Law(kind)), place, scale)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw binomial counts."""

        def one(n: Any, p: Any) -> Any:
            return self._moved(Law("binomial", more=(float(n), min(max(float(p), 0.0), 1.0))), 0.0, 1.0)

        return _each(size, one, n, p)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw numbers of trials."""
        return _each(size, lambda p: self._moved(Law("geometric", more=(float(p),)), 0.0, 1.0), p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Draw Poisson counts."""
        return _each(size, lambda lam: self._moved(Law("poisson", more=(float(lam),)), 0.0, 1.0), lam)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw gamma numbers: shares of noise that is made by many."""
        return _each(
            size, lambda shape, scale: self._moved(Law("gamma", more=(float(shape),)), 0.0, scale), shape, scale
        )

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        """Draw standard gamma numbers."""
        return self.gamma(shape, 1.0, size)

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, **_: Any) -> Any:
        """Draw normal vectors, by a Cholesky factor."""
        if size is not None:
            raise _path().refuse("multivariate_normal with a size")
        factor = np.linalg.cholesky(np.asarray(cov, float))
        return np.asarray(mean) + factor @ self.normal(size=len(factor))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:  # noqa: ARG002
        """Refuse: its law is not summed over."""
        raise _path().refuse("np.random's beta: its law cannot be integrated here")

    def _one_of(self, weights: Sequence[float]) -> int:
        """Draw a whole number with these weights: each is a path of its own."""
        if len(weights) > MOST_OPTIONS:
            raise _path().refuse(f"a choice among {len(weights):,} things is not summed over")
        return _path().coin(weights)

    def integers(self, low: Any, high: Any = None, size: Any = None, *_: Any, **more: Any) -> Any:
        """Draw whole numbers."""
        low, high = (0, low) if high is None else (low, high)
        first, end = int(low), int(high) + bool(more.get("endpoint"))
        if end <= first:
            raise ValueError("low >= high")
        return _filled(size, lambda: self._whole(first, end))

    def _whole(self, first: int, end: int) -> Any:
        """Draw a whole number: a path for each value, or one number of a law of its own if there are too many."""
        if end - first <= MOST_OPTIONS:
            return first + self._one_of([1.0] * (end - first))
        return self._moved(Law("integer", more=(float(first), float(end))), 0.0, 1.0)

    randint = integers

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *_: Any, **__: Any) -> Any:
        """Choose among things, with probabilities that may depend on data: each choice is a path of its own."""
        items: Any = np.arange(a) if np.ndim(a) == 0 else a
        weights = [1.0] * len(items) if p is None else [float(w) for w in p]
        if len(weights) != len(items):
            raise ValueError("'a' and 'p' must have same size")
        if size is None:
            return items[self._one_of(weights)]
        many = int(np.prod(size))
        taken: list[int] = []
        for _again in range(many):
            left = [w if replace or i not in taken else 0.0 for i, w in enumerate(weights)]
            taken.append(self._one_of(left))
        chosen = [items[i] for i in taken]
        return np.array(chosen).reshape(size) if not any(type(c) is Noisy for c in chosen) else chosen

    def permutation(self, x: Any) -> Any:
        """Permute: a sequence of choices."""
        items: Any = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        return items[self._order(len(items))]

    def _order(self, number: int) -> list[int]:
        """Draw an order of things, one thing after another."""
        left, order = list(range(number)), []
        while left:
            order.append(left.pop(self._one_of([1.0] * len(left))))
        return order

    def shuffle(self, x: Any, *_: Any) -> None:
        """Shuffle in place: a sequence of choices."""
        x[:] = [x[i] for i in self._order(len(x))]


Path.listener = Draws


class Random(Python):
    """Stand in for Python's `random` module, `random.Random` and `secrets`."""

    _draws: Draws

    def __init__(self, seed: Any = None) -> None:
        super().__init__(Draws(f"random {seed}" if isinstance(seed, int | str) else None))

    def _take(self, number: int, weights: Sequence[float] | None = None) -> int:
        return self._draws._one_of([1.0] * number if weights is None else weights)

    def gammavariate(self, alpha: Any, beta: Any) -> Any:
        """Draw a gamma number."""
        return self._draws.gamma(alpha, beta)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> Any:
        """Draw a whole number."""
        # Whole numbers that are floats are taken, as Python did before 3.12.
        start, stop = int(start), None if stop is None else int(stop)
        first, end = (0, start) if stop is None else (start, stop)
        return first + step * self._draws._whole(0, -((first - end) // step))

    randbelow = randrange

    def randint(self, a: int, b: int) -> Any:
        """Draw a whole number, both ends included."""
        return self.randrange(a, b + 1)

    def getrandbits(self, k: int) -> Any:
        """Draw bits."""
        return self.randrange(2**k)

    randbits = getrandbits

    def _none(self, name: str) -> Any:
        raise _path().refuse(f"random.{name}")

    def sample(self, population: Any, k: int, **_: Any) -> list[Any]:
        """Choose without replacement."""
        left = list(population)
        return [left.pop(self._take(len(left))) for _ in range(k)]

    def __getattr__(self, name: str) -> Any:
        """Refuse what is not heard."""
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: self._none(name)


# scipy.stats: our law, and its number of shape parameters.
_SCIPY: dict[str, tuple[str, int]] = {"laplace": ("laplace", 0), "norm": ("normal", 0), "gumbel_r": ("gumbel", 0)}
_SCIPY |= {"expon": ("exponential", 0), "logistic": ("logistic", 0), "uniform": ("uniform", 0)}
_SCIPY |= {"bernoulli": ("bernoulli", 1), "binom": ("binomial", 2), "geom": ("geometric", 1)}
_SCIPY |= {"poisson": ("poisson", 1), "dlaplace": ("dlaplace", 1), "randint": ("integers", 2)}


def _rvs(self: Any, *args: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, **more: Any) -> Any:
    """Draw as ``rvs`` of a scipy.stats law does: shape parameters, then loc, scale and size."""
    name, draws = getattr(self, "name", ""), Draws()
    if name not in _SCIPY:
        raise tape().refuse(f"scipy.stats.{name}")
    kind, shapes = _SCIPY[name]
    names = [s.strip() for s in (self.shapes or "").split(",")]
    values = [*args[:shapes], *(more[n] for n in names[len(args[:shapes]) :] if n in more)]
    rest = [*args[shapes:]]
    loc, scale, size = (rest + [loc, scale, size][len(rest) :])[:3]
    size = None if isinstance(size, int) and size == 1 and len(rest) < 3 and "size" not in more else size
    if kind == "bernoulli":
        return loc + draws.binomial(1, values[0], size)
    if kind == "dlaplace":
        law = Law("dlaplace", more=(float(values[0]),))
        return _filled(size, lambda: draws._moved(law, loc, 1.0))
    if shapes:
        return loc + getattr(draws, kind)(*values, size=size)
    return draws._many(kind, loc, scale, size, lambda _: 0.0)


def _frozen_rvs(self: Any, size: Any = None, **_: Any) -> Any:
    return _rvs(self.dist, *self.args, size=size, **self.kwds)


def _samples_laplace(held: Any) -> bool:
    """Tell whether something makes the same Laplace draw out of four uniform ones as diffprivlib does."""
    if not isinstance(held, staticmethod):
        return False
    points = [((7 * k + 3) % 11 / 11, k / 9, (5 * k + 1) % 13 / 13, (k + 0.5) / 9) for k in range(9)]
    for a, b, c, d in points:
        wanted = math.log(1 - a) * math.cos(math.pi * b) + math.log(1 - c) * math.cos(math.pi * d)
        try:
            said = float(held.__func__(a, b, c, d))
        except Exception:
            return False
        if not math.isclose(said, wanted, rel_tol=1e-9, abs_tol=1e-12):
            return False
    return True


def _sampled(kind: str, first: Any, *_: Any) -> Any:
    """Draw standard numbers in the place of a sampler, in the shape of its first parameter."""
    return getattr(Draws(), kind)(size=np.shape(first) or None)


@contextmanager
def hearing(path: Path, *modules: ModuleType, storing: bool = False, cells: Sequence[Any] = ()) -> Iterator[None]:
    """Listen to a function of data while it runs.

    Parameters
    ----------
    path
        What is written of the run.
    modules
        Modules whose names for NumPy's functions are replaced too.
    storing
        Whether new arrays of floats can hold numbers with noise, and `float` of the modules leaves them alone.
    cells
        Cells of closures whose generators and samplers are replaced too.
    """
    if any(_names_stats(getattr(module, "__file__", None)) for module in modules):
        # A library that is imported while the function runs would draw unheard.
        with suppress(ImportError):
            importlib.import_module("scipy.stats")
    with listening(path, *modules, stream=Draws, cells=cells):
        listed: list[tuple[Any, str, Any]] = []
        python = Random()
        names = [n for n in dir(random) if callable(getattr(random, n)) and n[0].islower()]
        listed += [(random, n, getattr(python, n)) for n in names]
        listed += [(random, n, Random) for n in ("Random", "SystemRandom")]
        listed += [(secrets, n, getattr(python, n)) for n in ("randbelow", "randbits", "choice")]
        listed += [(secrets, "SystemRandom", Random)]
        listed += [(math, name, heard) for name, heard in OF_MATH.items()]
        for module in {*modules, sys.modules.get(_LIBRARY)} - {None}:
            for owner in list(vars(module).values()):
                if isinstance(owner, type) and _samples_laplace(vars(owner).get(_SAMPLER)):
                    listed.append((owner, _SAMPLER, staticmethod(partial(_sampled, "laplace"))))
        makers = ("zeros", "empty", "ones", "full", "zeros_like", "empty_like") if storing else ()
        listed += [(np, name, roomy(getattr(np, name), name)) for name in makers]
        if storing:
            listed += [(module, "float", HeardFloat()) for module in modules if "float" not in vars(module)]
        stats = sys.modules.get("scipy.stats")
        if stats is not None:
            listed += [(cls, "rvs", _rvs) for cls in (stats.rv_continuous, stats.rv_discrete)]
            frozen = sys.modules.get("scipy.stats._distn_infrastructure")
            if frozen is not None:
                listed.append((frozen.rv_frozen, "rvs", _frozen_rvs))
        # Last, as it looks up what was listed.
        listed += list(_by_name(listed, modules))
        with replaced(listed):
            yield


@lru_cache(1024)
def _names_stats(file: str | None) -> bool:
    """Tell whether the text of a module names scipy.stats."""
    try:
        text = FilePath(file or "").read_bytes()
    except OSError:
        return False
    return b"scipy" in text and b"stats" in text


def listener_for(held: Any) -> Any:
    """Return what stands in for a generator, or ``None`` for what is none."""
    if isinstance(held, REAL_GENERATOR | _REAL_STATE):
        return Draws()
    return Random() if isinstance(held, _REAL["random"]["Random"]) else None


def _by_name(listed: list[tuple[Any, str, Any]], modules: Sequence[ModuleType]) -> Iterator[tuple[Any, str, Any]]:
    """Find what a module took by name: ``from random import gauss``, ``rng = random.Random()``."""
    stand_ins = {
        id(_REAL[owner.__name__][name]): new
        for owner, name, new in listed
        if getattr(owner, "__name__", "") in _REAL
    }
    for module in modules:
        for name, held in list(vars(module).items()):
            if id(held) in stand_ins:
                yield module, name, stand_ins[id(held)]
            elif isinstance(held, _REAL["random"]["Random"]):
                yield module, name, Random()
            elif getattr(held, "__self__", None) is _REAL["random"]["_inst"] and hasattr(Random, held.__name__):
                yield module, name, getattr(Random(), held.__name__)


_REAL: dict[str, dict[str, Any]] = {m.__name__: dict(vars(m)) for m in (random, secrets, math)}
# Python's functions ask a number for its float, and so would let it out.
