"""Stand-ins for NumPy's random generators, whose draws record what the program does with them.

Methods take NumPy's parameters, and raise NumPy's errors. Noise comes back as a number or array that records what
it is added to or compared with. A coin, which is a random choice and not added to data, comes back as a plain
value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from noisetap.asked import CheckedParameters, _between, _shape
from noisetap.asked import _current as _current
from noisetap.asked import current_run as current_run
from noisetap.heard import DrawnInteger, NoiseArray, NoiseNumber
from noisetap.laws import Law
from noisetap.seeds import StreamStart, start_of
from noisetap.tape import Draw

# What stands in for the generator of ``np.random``'s functions, innermost listening last.
_global: list[HeardGenerator] = []
_KINDS: dict[Any, tuple[type[HeardGenerator], type[HeardGenerator]]] = {}
REAL_GENERATOR = np.random.Generator


def listen_with(run: Any) -> None:
    """Record all further draws in ``run``, the record of one run: a policy's `Tape`, or a data function's `Path`.

    It has to be called inside of a ``with listening(...)`` block, which puts stand-ins in the place of generators.
    """
    _current[-1] = run


def _permutation_law(number: int) -> Law:
    """Return the law of a permutation of ``number`` things."""
    return Law("order", 0.0, number, (0.0, float(number)))


class HeardGenerator(CheckedParameters):
    """Stand-in for a NumPy generator in policies; its draws record what the program does with them.

    Draws are noise, to be added to a number or compared; or coins, which choose and are not added.

    Parameters
    ----------
    seed : object
        Seed that the program gave; two generators with the same seed make the same draws. With ``None`` no other
        generator makes the same.
    """

    def __init__(self, seed: Any = None) -> None:
        # Whether its seed holds in one run alone, and whether it stands for the generator of ``np.random``.
        self._passing = self._shared = False
        self._begin(start_of(seed, self.legacy))

    def _begin(self, start: StreamStart) -> None:
        self._start, self._made = start, _current[-1] if _current else None

    def seed(self, seed: Any = None) -> None:
        """Begin again from a seed; if it was used before in this run, the same draws come again."""
        self._begin(start_of(seed, True))
        # The generator of ``np.random`` outlives a run; a seed that a run gives it does not.
        self._passing = True

    def _read(self, what: Any, make: Callable[[], Any]) -> Any:
        """Return the next draw, made by ``make``; under a seed that was used before, the same draw as there."""
        to = current_run()
        own = self._made is to
        if self._start.key is None or (self._passing and not own):
            return make()
        return to.next_draw(self._start, (self.legacy, what), make, own)

    def _draw(self, law: Law, sample: Callable[[Any], Any], asked: Any = None) -> Draw:
        """Return a draw of a law; under a seed that is used again, the same draw as before.

        Parameters
        ----------
        law, sample
            The law, and the function that draws from it with a generator of NumPy.
        asked
            Kind of the draw, which has to be the same for each generator of this seed; by default the law.
        """
        drawn: Draw = self._read(law if asked is None else asked, lambda: current_run().draw(law, sample))
        return drawn

    def _noise(self, kind: str, place: Any, scale: Any, size: Any, standard: Callable[[Any], float]) -> Any:
        """Draw noise of one kind: one number, or an array.

        Parameters
        ----------
        kind, place, scale, size
            Name of the law, location and scale (numbers or arrays), and shape; ``None`` for the shape of these.
        standard
            Function that draws once from the standard law, with a generator of NumPy.
        """
        if isinstance(place, NoiseNumber | NoiseArray) or isinstance(scale, NoiseNumber | NoiseArray):
            raise current_run().refuse("a draw is the parameter of a draw")

        def one(at: float, width: float) -> tuple[Draw, float]:
            if not (math.isfinite(at) and 0 <= width < math.inf):
                raise current_run().refuse(f"a draw of {kind} noise at {at} of scale {width}")
            law = Law(kind, float(at), float(width))
            draw = self._draw(law, lambda g: float(at + width * standard(g)), kind)
            if draw.law == law:
                return draw, 1.0
            # The same draw as under this seed before, and of another scale: a multiple of it.
            if draw.law.location or at or not draw.law.scale:
                raise current_run().refuse("a seed is used again for draws at another place")
            return draw, width / draw.law.scale

        if size is None and _single(place) and _single(scale):
            return NoiseNumber(current_run(), *one(place, scale))
        shape = np.broadcast_shapes(np.shape(place), np.shape(scale)) if size is None else _shape(size)
        places: Any = np.broadcast_to(place, shape)
        scales: Any = np.broadcast_to(scale, shape)
        draws: Any = np.empty(shape, object)
        factors = np.ones(shape)
        for at in np.ndindex(shape):
            draws[at], factors[at] = one(places[at], scales[at])
        return NoiseArray(current_run(), draws, factors)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Laplace noise."""
        loc, scale = self._check("laplace", loc, scale, free=1)
        return self._noise("laplace", loc, scale, size, lambda g: g.laplace())

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw normal noise."""
        loc, scale = self._check("normal", loc, scale, free=1)
        return self._noise("normal", loc, scale, size, lambda g: g.standard_normal())

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw standard normal noise."""
        return self._into("standard_normal", lambda n: self.normal(size=n), size, dtype, out)

    def randn(self, *size: int) -> Any:
        """Draw standard normal noise."""
        return self.normal(size=size or None)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw exponential noise."""
        scale = self._check("exponential", scale)
        return self._noise("exponential", 0.0, scale, size, lambda g: g.standard_exponential())

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Draw standard exponential noise, by either of NumPy's methods."""
        if method not in ("zig", "inv"):
            raise current_run().refuse(f"standard_exponential with method={method!r}")
        return self._into("standard_exponential", lambda n: self.exponential(size=n), size, dtype, out)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw Gumbel noise."""
        loc, scale = self._check("gumbel", loc, scale, free=1)
        return self._noise("gumbel", loc, scale, size, lambda g: g.gumbel())

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw logistic noise."""
        loc, scale = self._check("logistic", loc, scale, free=1)
        return self._noise("logistic", loc, scale, size, lambda g: g.logistic())

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw uniform numbers on [low, high)."""
        return self._noise("uniform", low, self._width(low, high), size, lambda g: g.random())

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
        """Draw binomial counts: noise if the program adds them to a number, else coins (random choices)."""
        n, p = self._check("binomial", n, p)
        shape = np.broadcast_shapes(np.shape(n), np.shape(p)) if size is None else _shape(size)
        if shape == () and _single(n) and _single(p):
            m, q = int(n), float(p)
            draw = self._draw(Law("binomial", 0.0, 1.0, (float(m), q)), partial(_binomial, m, q))
            return NoiseNumber(current_run(), draw)
        counts, chances = np.broadcast_to(n, shape), np.broadcast_to(p, shape)
        draws: Any = np.empty(shape, object)
        for at in np.ndindex(shape):
            m, q = int(counts[at]), float(chances[at])
            draws[at] = self._draw(Law("binomial", 0.0, 1.0, (float(m), q)), partial(_binomial, m, q))
        return NoiseArray(current_run(), draws, np.ones(shape))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        """Draw from beta laws; numbers come back plain, and count as random choices, as in Thompson sampling."""
        a, b = self._check("beta", a, b)
        shape = np.broadcast_shapes(np.shape(a), np.shape(b)) if size is None else _shape(size)
        first, second = np.broadcast_to(a, shape), np.broadcast_to(b, shape)
        drawn = np.empty(shape)
        for at in np.ndindex(shape):
            p, q = float(first[at]), float(second[at])
            drawn[at] = self._draw(Law("beta", params=(p, q)), partial(_beta, p, q)).value
        return float(drawn[()]) if shape == () else drawn

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Draw whole numbers, which count as coins (random choices), and not as added noise."""
        low, high = self._parameter(low), self._parameter(high)
        self._by_numpy(self.legacy, "integers", low, high, dtype=dtype, endpoint=endpoint)
        return self._integers(low, high, size, np.dtype(dtype), endpoint)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Draw whole numbers, which count as coins (random choices), and not as added noise."""
        low, high = self._parameter(low), self._parameter(high)
        self._by_numpy(self.legacy, "randint", low, high, dtype=dtype)
        return self._integers(low, high, size, np.dtype(dtype), False)

    def _integers(self, low: Any, high: Any, size: Any, dtype: np.dtype[Any], endpoint: bool) -> Any:
        """Draw whole numbers of a type between two others that NumPy takes."""
        first, end = _between(low, high, endpoint)
        law = Law("integer", float(first), float(end))
        if size is None:
            draw = self._draw(law, lambda g: int(g.integers(first, end)))
            if dtype == np.int64:
                return DrawnInteger(draw, draw.value)
            draw.unheard_use = "arithmetic"
            return dtype.type(draw.value)
        shape = _shape(size)
        values = [self._draw(law, lambda g: int(g.integers(first, end))) for _ in range(math.prod(shape))]
        for draw in values:
            draw.unheard_use = "arithmetic"
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
        """Choose among things at random, with probabilities that may depend on data.

        Each draw counts as a coin: a random choice that is not added to data. ``p`` together with ``size`` is
        refused.

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
                raise current_run().refuse("np.random.choice with p and size")
            n, shape = len(items), _shape(size)
            number, replace = math.prod(shape), bool(replace)
            law = Law("order", 0.0, n, (float(replace), float(number)))
            order = self._draw(law, lambda g: g.choice(n, number, replace=replace))
            return np.asarray(items)[order.value].reshape(shape)
        several = len(items)
        weights = np.full(several, 1.0 / several) if p is None else np.asarray(p, float)
        law = Law("choice", params=tuple(float(w) for w in weights))
        draw = self._draw(law, lambda g: int(g.choice(several, p=weights / weights.sum())))
        if int(draw.value) >= several:
            raise current_run().refuse("np.random.choice among fewer things on the neighbour")
        found = items[draw.value]
        return DrawnInteger(draw, int(found)) if isinstance(found, int | np.integer) else found

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return ``x``, or the numbers below ``x``, in a random order.

        The order is one draw, which counts as a coin: randomness that is not added to data. Another ``axis`` than 0
        is refused.
        """
        self._check_axis("permutation", axis)
        items: Any = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        several = len(items)
        draw = self._draw(_permutation_law(several), lambda g: g.permutation(several))
        return items[draw.value]

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle ``x`` in place by one draw, which counts as a coin: randomness that is not added to data.

        Another ``axis`` than 0 is refused.
        """
        self._check_axis("shuffle", axis)
        several = len(x)
        draw = self._draw(_permutation_law(several), lambda g: g.permutation(several))
        x[:] = [x[i] for i in draw.value]

    def __deepcopy__(self, memo: Any = None) -> HeardGenerator:
        """Refuse a copy: it would make the same draws."""
        raise current_run().refuse("a generator is copied: make another one")

    __copy__ = __reduce__ = __deepcopy__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Refuse draws that are not heard."""
        if name.startswith("_"):
            raise AttributeError(name)
        heir = self._heir()
        if heir is not self and hasattr(type(heir), name):
            return getattr(heir, name)
        raise current_run().refuse(f"np.random's {name}")

    def _heir(self) -> HeardGenerator:
        """Return the generator that draws in the current run, if this one was made for another way to listen.

        A file that says ``from numpy.random import laplace`` keeps what it took while it was loaded, for all runs.
        """
        if self._shared and not self.of_data and _global:
            return _global[-1]
        other = _listener()
        if other is None or self.of_data:
            return self
        heir: HeardGenerator = generator_classes(other)[self.legacy]()
        # On the same stream, and at the same place on it.
        heir._start, heir._made, heir._passing = self._start, self._made, self._passing
        return heir


def generator_classes(generator_class: type[HeardGenerator]) -> tuple[type[HeardGenerator], type[HeardGenerator]]:
    """Return two subclasses of ``generator_class``: stand-ins for NumPy's `Generator` and for its `RandomState`.

    Each call for the same class returns the same two.
    """
    if generator_class not in _KINDS:
        _KINDS[generator_class] = (
            type("Generator", (generator_class,), {}),
            type("RandomState", (generator_class,), {"legacy": True}),
        )
    return _KINDS[generator_class]


def make_global_generator(generator_class: type[HeardGenerator]) -> HeardGenerator:
    """Return a stand-in, of this class, for the generator behind ``np.random.laplace`` and the like."""
    made = generator_classes(generator_class)[True]()
    made._passing = made._shared = True
    return made


def _listener() -> Any:
    """Return the class of stand-ins of the current run, if it is not `HeardGenerator`; else ``None``."""
    return getattr(_current[-1], "generator_class", None) if _current else None


def _handed_on(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that draws by the listener of the current run."""

    @wraps(method)
    def call(self: HeardGenerator, *args: Any, **more: Any) -> Any:
        heir = self._heir()
        if heir is self:
            return method(self, *args, **more)
        found = getattr(heir, name)(*args, **more)
        if name == "seed" and not heir._shared:
            self._start, self._made, self._passing = heir._start, heir._made, heir._passing
        return found

    return call


for _name, _method in list(vars(HeardGenerator).items()):
    if callable(_method) and not _name.startswith("_"):
        setattr(HeardGenerator, _name, _handed_on(_name, _method))


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
