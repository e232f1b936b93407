"""Listeners that stand in the place of NumPy's generators: what they draw is heard."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from noisetap.heard import HeardInt, Noise, Noises
from noisetap.laws import Law
from noisetap.tape import Draw, Refused

_current: list[Any] = []
REAL_GENERATOR = np.random.Generator


def tape() -> Any:
    """Return the tape (or path) of the run that is listened to."""
    if not _current:
        raise Refused("a listener draws while nobody listens: a generator outlived its run")
    return _current[-1]


def current(to: Any) -> None:
    """Listen to another run from now on."""
    _current[-1] = to


def _order(number: int) -> Law:
    """Return the law of a permutation: each thing once, and all of them."""
    return Law("order", 0.0, number, (0.0, float(number)))


class Stream:
    """Stand in for a generator: draws that hear.

    Parameters
    ----------
    seed : object
        What the program seeded it with; two streams of one seed make the same draws.
    """

    def __init__(self, seed: Any = None, *_: Any) -> None:
        self._seed: Any = None
        self._again: list[Draw] | None = None
        if seed is not None:
            self.seed(seed)

    def seed(self, seed: Any = None, *_: Any) -> None:
        """Start again; under a seed that was used before in this run the same draws come again."""
        self._seed = seed if isinstance(seed, int | str | np.integer) else None
        before = tape().reseeded(self._seed) if self._seed is not None else None
        self._again = list(before) if before is not None else None

    def _one(self, law: Law, sample: Callable[[Any], Any]) -> Draw:
        """Return a draw of a law; under a seed that is used again, the same draw as before."""
        if self._again:
            draw = self._again.pop(0)
            if draw.law.kind != law.kind:
                raise tape().refuse("a seed is used again for draws of another kind")
            return draw
        drawn: Draw = tape().draw(law, sample)
        if self._seed is not None and self._again is None:
            tape().keep(self._seed, drawn)
        return drawn

    def _many(self, kind: str, place: Any, scale: Any, size: Any, standard: Callable[[Any], float]) -> Any:
        """Draw noise of a kind, of one place and scale or of an array of them.

        Parameters
        ----------
        kind, place, scale, size
            Law, location and scale, and the array's shape; ``None`` for the shape of these.
        standard
            Draws once from the standard law, with a generator.
        """
        if isinstance(place, Noise | Noises) or isinstance(scale, Noise | Noises):
            raise tape().refuse("a draw is the parameter of a draw")

        def one(at: float, width: float) -> Draw:
            return self._one(Law(kind, float(at), float(width)), lambda g: float(at + width * standard(g)))

        if size is None and np.ndim(place) == 0 and np.ndim(scale) == 0:
            return Noise(tape(), one(place, scale))
        shape = np.broadcast_shapes(np.shape(place), np.shape(scale)) if size is None else _shape(size)
        places: Any = np.broadcast_to(place, shape)
        scales: Any = np.broadcast_to(scale, shape)
        draws: Any = np.empty(shape, object)
        for at in np.ndindex(shape):
            draws[at] = one(places[at], scales[at])
        return Noises(tape(), draws, np.ones(shape))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Laplace noise."""
        return self._many("laplace", loc, scale, size, lambda g: g.laplace())

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw normal noise."""
        return self._many("normal", loc, scale, size, lambda g: g.standard_normal())

    def standard_normal(self, size: Any = None, **_: Any) -> Any:
        """Draw standard normal noise."""
        return self.normal(size=size)

    def randn(self, *size: int) -> Any:
        """Draw standard normal noise."""
        return self.normal(size=size or None)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw exponential noise."""
        return self._many("exponential", 0.0, scale, size, lambda g: g.standard_exponential())

    def standard_exponential(self, size: Any = None, **_: Any) -> Any:
        """Draw standard exponential noise."""
        return self.exponential(size=size)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Gumbel noise."""
        return self._many("gumbel", loc, scale, size, lambda g: g.gumbel())

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw logistic noise."""
        return self._many("logistic", loc, scale, size, lambda g: g.logistic())

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw uniform numbers."""
        return self._many("uniform", low, np.subtract(high, low), size, lambda g: g.random())

    def random(self, size: Any = None, **_: Any) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self.uniform(size=size)

    def random_sample(self, size: Any = None) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self.uniform(size=size)

    ranf = sample = random_sample

    def rand(self, *size: int) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self.uniform(size=size or None)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw binomial counts."""
        if isinstance(n, Noise | Noises) or isinstance(p, Noise | Noises):
            raise tape().refuse("a draw is the parameter of a draw")
        shape = np.broadcast_shapes(np.shape(n), np.shape(p)) if size is None else _shape(size)
        counts, chances = np.broadcast_to(n, shape), np.broadcast_to(p, shape)
        draws: Any = np.empty(shape, object)
        for at in np.ndindex(shape):
            m, q = int(counts[at]), min(max(float(chances[at]), 0.0), 1.0)
            draws[at] = self._one(Law("binomial", 0.0, 1.0, (float(m), q)), partial(_binomial, m, q))
        return Noise(tape(), draws[()]) if shape == () else Noises(tape(), draws, np.ones(shape))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        """Draw from beta laws: coins, such as those of Thompson sampling."""
        if isinstance(a, Noise | Noises) or isinstance(b, Noise | Noises):
            raise tape().refuse("a draw is the parameter of a draw")
        shape = np.broadcast_shapes(np.shape(a), np.shape(b)) if size is None else _shape(size)
        first, second = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
        drawn = np.empty(shape)
        for at in np.ndindex(shape):
            p, q = float(first[at]), float(second[at])
            drawn[at] = self._one(Law("beta", more=(p, q)), partial(_beta, p, q)).value
        return float(drawn[()]) if shape == () else drawn

    def integers(self, low: int, high: int | None = None, size: Any = None, *_: Any, **more: Any) -> Any:
        """Draw whole numbers: coins."""
        if high is None:
            low, high = 0, low
        high = high + 1 if more.get("endpoint") else high
        law = Law("integer", float(low), float(high))
        if size is None:
            draw = self._one(law, lambda g: int(g.integers(low, high)))
            return HeardInt(draw, draw.value)
        values = [self._one(law, lambda g: int(g.integers(low, high))) for _ in range(int(np.prod(_shape(size))))]
        for draw in values:
            draw.plain = "arithmetic"
        return np.array([d.value for d in values]).reshape(_shape(size))

    randint = integers

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, *_: Any, **__: Any) -> Any:
        """Choose among things, with probabilities that may depend on data.

        Parameters
        ----------
        a, size, replace, p
            As NumPy's ``choice`` takes them.
        """
        items: Any = np.arange(a) if np.ndim(a) == 0 else a
        if size is not None:
            if p is not None:
                raise tape().refuse("np.random.choice with p and size")
            n, shape = len(items), _shape(size)
            number = int(np.prod(shape))
            law = Law("order", 0.0, n, (float(replace), float(number)))
            order = self._one(law, lambda g: g.choice(n, number, replace=replace))
            return np.asarray(items)[order.value].reshape(shape)
        weights = np.full(len(items), 1.0 / len(items)) if p is None else np.asarray(p, float)
        law = Law("choice", more=tuple(float(w) for w in weights))
        draw = self._one(law, lambda g: int(g.choice(len(items), p=weights / weights.sum())))
        if int(draw.value) >= len(items):
            raise tape().refuse("np.random.choice among fewer things on the neighbour")
        found = items[draw.value]
        return HeardInt(draw, int(found)) if isinstance(found, int | np.integer) else found

    def permutation(self, x: Any) -> Any:
        """Permute: a coin."""
        items: Any = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        draw = self._one(_order(len(items)), lambda g: g.permutation(len(items)))
        return items[draw.value]

    def shuffle(self, x: Any, *_: Any) -> None:
        """Shuffle in place: a coin."""
        draw = self._one(_order(len(x)), lambda g: g.permutation(len(x)))
        x[:] = [x[i] for i in draw.value]

    def __deepcopy__(self, memo: Any) -> Stream:
        """Refuse a copy: it would make the same draws."""
        raise tape().refuse("a generator is copied")

    __copy__ = __reduce__ = __deepcopy__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Refuse draws that are not heard."""
        if name.startswith("_"):
            raise AttributeError(name)
        other = _listener()
        if other is not None and type(self) is Stream and hasattr(other, name):
            return getattr(other(), name)
        raise tape().refuse(f"np.random's {name}")


def _listener() -> Any:
    """Return the class of generators of the run that is listened to, if it is not `Stream`."""
    return getattr(_current[-1], "listener", None) if _current else None


def _handed_on(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that draws by the listener of the current run.

    A file that says ``from numpy.random import default_rng`` keeps what it took while it was loaded, for all runs.
    """

    @wraps(method)
    def call(self: Stream, *args: Any, **more: Any) -> Any:
        other = _listener() if type(self) is Stream else None
        return method(self, *args, **more) if other is None else getattr(other(), name)(*args, **more)

    return call


for _name, _method in list(vars(Stream).items()):
    if callable(_method) and not _name.startswith("_"):
        setattr(Stream, _name, _handed_on(_name, _method))


def _binomial(n: int, p: float, generator: Any) -> int:
    return int(generator.binomial(n, p))


def _beta(a: float, b: float, generator: Any) -> float:
    return float(generator.beta(a, b))


def _shape(size: Any) -> tuple[int, ...]:
    return (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)


def _library(file: str) -> bool:
    """Tell whether a file is Python's own or was installed, and is no part of the program."""
    return file.startswith((sys.base_prefix + "/lib", "<frozen")) or "site-packages" in file
