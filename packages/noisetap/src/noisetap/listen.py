"""Listeners that stand in the place of NumPy's generators: what they draw is heard."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from noisetap.asked import Asked, _between, _shape
from noisetap.asked import _current as _current
from noisetap.asked import tape as tape
from noisetap.heard import HeardInt, Noise, Noises
from noisetap.laws import Law
from noisetap.seeds import Start, start_of
from noisetap.tape import Draw

# What stands in for the generator of ``np.random``'s functions, innermost listening last.
_global: list[Stream] = []
_KINDS: dict[Any, tuple[type[Stream], type[Stream]]] = {}
REAL_GENERATOR = np.random.Generator


def current(to: Any) -> None:
    """Listen to the run ``to``, a tape or a path, from now on."""
    _current[-1] = to


def _order(number: int) -> Law:
    """Return the law of a permutation: each thing once, and all of them."""
    return Law("order", 0.0, number, (0.0, float(number)))


class Stream(Asked):
    """Stand in for a NumPy generator; its draws note what the program does with them.

    Parameters
    ----------
    seed : object
        Seed that the program gave; two streams of one seed make the same draws.
    """

    def __init__(self, seed: Any = None) -> None:
        # Whether its seed ends with the run that sets it, and whether it is the one of ``np.random``.
        self._passing = self._shared = False
        self._begin(start_of(seed, self.legacy))

    def _begin(self, start: Start) -> None:
        self._start, self._made = start, _current[-1] if _current else None

    def seed(self, seed: Any = None) -> None:
        """Start again; under a seed that was used before in this run the same draws come again."""
        self._begin(start_of(seed, True))
        # What draws for ``np.random`` outlives a run, and its seed does not.
        self._passing = True

    def _read(self, what: Any, make: Callable[[], Any]) -> Any:
        """Return what is drawn next; under a seed that was used before, the same draw as there."""
        to = tape()
        own = self._made is to
        if self._start.key is None or (self._passing and not own):
            return make()
        return to.read(self._start, (self.legacy, what), make, own)

    def _one(self, law: Law, sample: Callable[[Any], Any], asked: Any = None) -> Draw:
        """Return a draw of a law; under a seed that is used again, the same draw as before.

        Parameters
        ----------
        law, sample
            The law, and what draws from it with a generator.
        asked
            What another generator of this seed has to ask for; the law, if it is not given.
        """
        drawn: Draw = self._read(law if asked is None else asked, lambda: tape().draw(law, sample))
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

        def one(at: float, width: float) -> tuple[Draw, float]:
            if not (math.isfinite(at) and 0 <= width < math.inf):
                raise tape().refuse(f"a draw of {kind} noise at {at} of scale {width}")
            law = Law(kind, float(at), float(width))
            draw = self._one(law, lambda g: float(at + width * standard(g)), kind)
            if draw.law == law:
                return draw, 1.0
            # The same draw as under this seed before, and of another scale: a multiple of it.
            if draw.law.place or at or not draw.law.size:
                raise tape().refuse("a seed is used again for draws at another place")
            return draw, width / draw.law.size

        if size is None and _single(place) and _single(scale):
            return Noise(tape(), *one(place, scale))
        shape = np.broadcast_shapes(np.shape(place), np.shape(scale)) if size is None else _shape(size)
        places: Any = np.broadcast_to(place, shape)
        scales: Any = np.broadcast_to(scale, shape)
        draws: Any = np.empty(shape, object)
        factors = np.ones(shape)
        for at in np.ndindex(shape):
            draws[at], factors[at] = one(places[at], scales[at])
        return Noises(tape(), draws, factors)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Laplace noise."""
        loc, scale = self._check("laplace", loc, scale, free=1)
        return self._many("laplace", loc, scale, size, lambda g: g.laplace())

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw normal noise."""
        loc, scale = self._check("normal", loc, scale, free=1)
        return self._many("normal", loc, scale, size, lambda g: g.standard_normal())

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw standard normal noise."""
        return self._into("standard_normal", lambda n: self.normal(size=n), size, dtype, out)

    def randn(self, *size: int) -> Any:
        """Draw standard normal noise."""
        return self.normal(size=size or None)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw exponential noise."""
        scale = self._check("exponential", scale)
        return self._many("exponential", 0.0, scale, size, lambda g: g.standard_exponential())

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Draw standard exponential noise, by either of NumPy's methods."""
        if method not in ("zig", "inv"):
            raise tape().refuse(f"standard_exponential with method={method!r}")
        return self._into("standard_exponential", lambda n: self.exponential(size=n), size, dtype, out)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Gumbel noise."""
        loc, scale = self._check("gumbel", loc, scale, free=1)
        return self._many("gumbel", loc, scale, size, lambda g: g.gumbel())

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw logistic noise."""
        loc, scale = self._check("logistic", loc, scale, free=1)
        return self._many("logistic", loc, scale, size, lambda g: g.logistic())

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw uniform numbers."""
        return self._many("uniform", low, self._width(low, high), size, lambda g: g.random())

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self._into("random", lambda n: self.uniform(size=n), size, dtype, out)

    def random_sample(self, size: Any = None) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self.uniform(size=size)

    ranf = sample = random_sample

    def rand(self, *size: int) -> Any:
        """Draw uniform numbers on [0, 1)."""
        return self.uniform(size=size or None)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw binomial counts."""
        n, p = self._check("binomial", n, p)
        shape = np.broadcast_shapes(np.shape(n), np.shape(p)) if size is None else _shape(size)
        if shape == () and _single(n) and _single(p):
            m, q = int(n), float(p)
            return Noise(tape(), self._one(Law("binomial", 0.0, 1.0, (float(m), q)), partial(_binomial, m, q)))
        counts, chances = np.broadcast_to(n, shape), np.broadcast_to(p, shape)
        draws: Any = np.empty(shape, object)
        for at in np.ndindex(shape):
            m, q = int(counts[at]), float(chances[at])
            draws[at] = self._one(Law("binomial", 0.0, 1.0, (float(m), q)), partial(_binomial, m, q))
        return Noises(tape(), draws, np.ones(shape))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        """Draw from beta laws; the numbers are coins, as in Thompson sampling, and no noise that is added."""
        a, b = self._check("beta", a, b)
        shape = np.broadcast_shapes(np.shape(a), np.shape(b)) if size is None else _shape(size)
        first, second = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
        drawn = np.empty(shape)
        for at in np.ndindex(shape):
            p, q = float(first[at]), float(second[at])
            drawn[at] = self._one(Law("beta", more=(p, q)), partial(_beta, p, q)).value
        return float(drawn[()]) if shape == () else drawn

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Draw whole numbers; they are coins, and no noise that is added."""
        low, high = self._parameter(low), self._parameter(high)
        self._by_numpy(self.legacy, "integers", low, high, dtype=dtype, endpoint=endpoint)
        return self._integers(low, high, size, np.dtype(dtype), endpoint)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Draw whole numbers; they are coins, and no noise that is added."""
        low, high = self._parameter(low), self._parameter(high)
        self._by_numpy(self.legacy, "randint", low, high, dtype=dtype)
        return self._integers(low, high, size, np.dtype(dtype), False)

    def _integers(self, low: Any, high: Any, size: Any, dtype: np.dtype[Any], endpoint: bool) -> Any:
        """Draw whole numbers of a type between two others that NumPy takes."""
        first, end = _between(low, high, endpoint)
        law = Law("integer", float(first), float(end))
        if size is None:
            draw = self._one(law, lambda g: int(g.integers(first, end)))
            if dtype == np.int64:
                return HeardInt(draw, draw.value)
            draw.plain = "arithmetic"
            return dtype.type(draw.value)
        shape = _shape(size)
        values = [self._one(law, lambda g: int(g.integers(first, end))) for _ in range(math.prod(shape))]
        for draw in values:
            draw.plain = "arithmetic"
        return np.array([d.value for d in values], dtype).reshape(shape)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Choose among things, with probabilities that may depend on data.

        Parameters
        ----------
        a, size, replace, p, axis, shuffle
            As NumPy's ``choice`` takes them.
        """
        items: Any = np.arange(a) if np.ndim(a) == 0 else a
        p = self._parameter(p)
        self._check_choice(a, size, replace, p, axis, shuffle, None if np.ndim(a) == 0 else len(items))
        if size is not None:
            if p is not None:
                raise tape().refuse("np.random.choice with p and size")
            n, shape = len(items), _shape(size)
            number = math.prod(shape)
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

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return ``x``, or the numbers below ``x``, in a random order.

        The order is one draw, which counts as a coin: randomness that is not added to data. ``axis`` is 0.
        """
        self._check_axis("permutation", axis)
        items: Any = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        draw = self._one(_order(len(items)), lambda g: g.permutation(len(items)))
        return items[draw.value]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle ``x`` in place by one draw, a coin."""
        self._check_axis("shuffle", axis)
        draw = self._one(_order(len(x)), lambda g: g.permutation(len(x)))
        x[:] = [x[i] for i in draw.value]

    def __deepcopy__(self, memo: Any = None) -> Stream:
        """Refuse a copy: it would make the same draws."""
        raise tape().refuse("a generator is copied: make another one")

    __copy__ = __reduce__ = __deepcopy__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Refuse draws that are not heard."""
        if name.startswith("_"):
            raise AttributeError(name)
        heir = self._heir()
        if heir is not self and hasattr(type(heir), name):
            return getattr(heir, name)
        raise tape().refuse(f"np.random's {name}")

    def _heir(self) -> Stream:
        """Return the generator that draws in the current run, if this one was made for another way to listen.

        A file that says ``from numpy.random import laplace`` keeps what it took while it was loaded, for all runs.
        """
        if self._shared and not self.of_data and _global:
            return _global[-1]
        other = _listener()
        if other is None or self.of_data:
            return self
        heir: Stream = kinds_of(other)[self.legacy]()
        # On the same stream, and at the same place on it.
        heir._start, heir._made, heir._passing = self._start, self._made, self._passing
        return heir


def kinds_of(stream: type[Stream]) -> tuple[type[Stream], type[Stream]]:
    """Return two subclasses of ``stream``: stand-ins for NumPy's `Generator` and for its `RandomState`."""
    if stream not in _KINDS:
        _KINDS[stream] = type("Generator", (stream,), {}), type("RandomState", (stream,), {"legacy": True})
    return _KINDS[stream]


def made_global(stream: type[Stream]) -> Stream:
    """Make the stand-in, of the class ``stream``, for the generator of ``np.random``'s functions."""
    made = kinds_of(stream)[True]()
    made._passing = made._shared = True
    return made


def _listener() -> Any:
    """Return the class of generators of the run that is listened to, if it is not `Stream`."""
    return getattr(_current[-1], "listener", None) if _current else None


def _handed_on(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that draws by the listener of the current run."""

    @wraps(method)
    def call(self: Stream, *args: Any, **more: Any) -> Any:
        heir = self._heir()
        if heir is self:
            return method(self, *args, **more)
        found = getattr(heir, name)(*args, **more)
        if name == "seed" and not heir._shared:
            self._start, self._made, self._passing = heir._start, heir._made, heir._passing
        return found

    return call


for _name, _method in list(vars(Stream).items()):
    if callable(_method) and not _name.startswith("_"):
        setattr(Stream, _name, _handed_on(_name, _method))


def _single(value: Any) -> bool:
    """Tell whether a parameter is one number, and no array of them."""
    return type(value) in (float, int) or np.ndim(value) == 0


def _binomial(n: int, p: float, generator: Any) -> int:
    return int(generator.binomial(n, p))


def _beta(a: float, b: float, generator: Any) -> float:
    return float(generator.beta(a, b))


def _library(file: str) -> bool:
    """Tell whether a file is Python's own or was installed, and is no part of the program."""
    return file.startswith((sys.base_prefix + "/lib", "<frozen")) or "site-packages" in file
