"""Draws in functions of data: NumPy's generators, Python's `random` and `secrets`, scipy.stats.

Methods that NumPy has too take its parameters, and raise its errors. Noise comes back as a `Noisy` number, or an
array of these, which records what is added to it. A choice among at most 2,000 things comes back as a plain value.
The run takes one of several ways, and other runs take the others, so that all are summed over.
"""

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

from noisetap.affine import Affine
from noisetap.asked import _between, _shape
from noisetap.known import current_path, released_parameter
from noisetap.laws import Law
from noisetap.laws import standard as standard_law
from noisetap.listen import REAL_GENERATOR, HeardGenerator
from noisetap.mathematics import OF_MATH
from noisetap.noisy import Noisy, NoisyArray
from noisetap.path import Path
from noisetap.random_heard import Random, System
from noisetap.scipy_heard import frozen_rvs_with_noise, rvs_with_noise
from noisetap.stand_ins import DEFINED, INERT, listening, replaced, stand_in_for
from noisetap.stored_noise import HeardFloat, noise_holding

_REAL_STATE = np.random.RandomState
# A library's sampler that makes one Laplace draw out of four uniform ones; others have copied it.
_SAMPLER = "_laplace_sampler"
_LIBRARY = "diffprivlib.mechanisms.laplace"
# A choice among more things than these is not summed over.
MOST_OPTIONS = 2_000


def _filled(size: Any, make: Callable[[], Any]) -> Any:
    """Return one drawn number, or an array of this size of them, each made by a call of ``make``."""
    if size is None:
        return make()
    shape = _shape(released_parameter(size))
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
    shape = np.broadcast_shapes(*map(np.shape, parameters)) if size is None else _shape(released_parameter(size))
    if shape == () and size is None:
        return make(*parameters)
    rows = [np.broadcast_to(np.asarray(p, object), shape) for p in parameters]
    each = iter([tuple(row[at] for row in rows) for at in np.ndindex(shape)])
    return _filled(shape, lambda: make(*next(each)))


class DataGenerator(HeardGenerator):
    """Stand-in for a NumPy generator in functions of data.

    A draw of noise is a `Noisy` number, which records what is done with it. A random choice comes back plain: the
    current run takes one way, and other runs take the other ways.
    """

    of_data = True

    def _standard(self, law: Law) -> int:
        """Make a standard draw; return its number in the run, under a seed used before that of the draw there."""
        return int(self._read(law, lambda: current_path().draw(law)))

    def _affine_draw(self, law: Law, place: Any, scale: Any) -> Any:
        """Return ``place + scale * z`` for a standard draw z."""
        path = current_path()
        # A scale with noise is released: what is drawn then is moved by known numbers.
        width = float(scale)
        number = self._standard(law)
        at = place.affine if type(place) is Noisy else Affine(float(place))
        if not (math.isfinite(width) and math.isfinite(at.offset)):
            if math.isinf(width):
                raise path.refuse("a draw of infinite scale")
            return float(at.offset + width)
        return Noisy(path, at.plus(Affine(0.0, {number: width} if width else {})))

    def _noise(self, kind: str, place: Any, scale: Any, size: Any, standard: Any) -> Any:  # noqa: ARG002
        return _each(size, partial(self._affine_draw, standard_law(kind)), place, scale)

    def _parameter(self, value: Any) -> Any:
        return released_parameter(value)

    def _by_law(self, kind: str, size: Any, *parameters: Any) -> Any:
        """Draw from the law ``kind`` with these parameters, as NumPy's draw of this name does."""
        checked = self._check(kind, *parameters)
        plain = checked if isinstance(checked, tuple) else (checked,)

        def one(*p: Any) -> Any:
            more = tuple(map(float, p))
            more = (more[0], min(max(more[1], 0.0), 1.0)) if kind == "binomial" else more
            return self._affine_draw(Law(kind, params=more), 0.0, 1.0)

        return _each(size, one, *plain)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Draw binomial counts, which the audit regards as noise, as it does Laplace draws.

        An ``n`` that was itself drawn is released, and so counts as seen. Its fraction is cut off.
        """
        n = released_parameter(n)
        return self._by_law("binomial", size, n if isinstance(n, int) else np.asarray(n).astype(int), p)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """Draw numbers of trials up to the first success, which counts: 1, 2, and so on."""
        return self._by_law("geometric", size, p)

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Draw Poisson counts."""
        return self._by_law("poisson", size, lam)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """Draw from gamma laws; sums and differences of such draws can be exponential or Laplace noise."""
        shape, scale = self._check("gamma", shape, scale)
        return self._gamma(shape, scale, size)

    def _gamma(self, shape: Any, scale: Any, size: Any) -> Any:
        def one(shape: Any, scale: Any) -> Any:
            return self._affine_draw(Law("gamma", params=(float(shape),)), 0.0, scale)

        return _each(size, one, shape, scale)

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draw from gamma laws of scale 1."""
        return self._into("standard_gamma", lambda n: self.gamma(shape, 1.0, n), size, dtype, out)

    def dlaplace(self, a: float, loc: Any, size: Any) -> Any:
        """Draw discrete Laplace noise around ``loc``: one number, or an array of the shape ``size``.

        The probability of ``loc + k`` is proportional to ``exp(-a |k|)``, for whole numbers k.
        """
        return _filled(size, partial(self._affine_draw, Law("dlaplace", params=(float(a),)), loc, 1.0))

    def integers_between(self, low: Any, high: Any, size: Any) -> Any:
        """Draw whole numbers from ``low`` to ``high - 1``; from more than 2,000 values they are numbers with noise.

        From at most 2,000 values each comes back plain, as a choice: other runs take the other values.
        """
        return self._integers(low, high, size, np.dtype(int), False)

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Any:
        """Draw one normal vector, by a Cholesky factor whatever the ``method``: the law is the same.

        A ``size`` is refused, and so is a covariance without an inverse. A covariance with noise is released: it
        becomes plain numbers, which count as seen.
        """
        more = {} if self.legacy else {"method": method}
        spread, middle = released_parameter(cov), np.zeros(np.shape(mean))
        self._by_numpy(self.legacy, "multivariate_normal", middle, spread, None, check_valid, tol, **more)
        if size is not None:
            raise current_path().refuse("multivariate_normal with a size")
        try:
            factor = np.linalg.cholesky(np.asarray(spread, float))
        except np.linalg.LinAlgError:
            raise current_path().refuse("multivariate_normal whose covariance has no inverse") from None
        return np.asarray(mean) + factor @ self.normal(size=len(factor))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:  # noqa: ARG002
        """Refuse beta draws: their law is not integrated."""
        raise current_path().refuse("np.random's beta: its law cannot be integrated here")

    def _choice(self, weights: Sequence[float]) -> int:
        """Draw an index with these weights; for each index there is a path of its own."""
        if len(weights) > MOST_OPTIONS:
            raise current_path().refuse(f"a choice among {len(weights):,} things is not summed over")
        shares = tuple(weights)
        if len(shares) == 1:
            return current_path().coin(shares)
        return int(self._read(shares, lambda: current_path().coin(shares)))

    def _integers(self, low: Any, high: Any, size: Any, dtype: np.dtype[Any], endpoint: bool) -> Any:
        """Draw whole numbers of a type."""
        first, end = _between(low, high, endpoint)
        found = _filled(size, lambda: self._whole(first, end))
        if dtype == np.int64:
            return found
        if type(found) is Noisy or isinstance(found, NoisyArray):
            raise current_path().refuse(f"whole numbers among {end - first:,} as {dtype}")
        return dtype.type(found) if size is None else found.astype(dtype)

    def _whole(self, first: int, end: int) -> Any:
        """Draw a whole number: a path for each value, or one number of a law of its own if there are too many."""
        if end - first <= MOST_OPTIONS:
            return first + self._choice([1.0] * (end - first))
        return self._affine_draw(Law("integer", params=(float(first), float(end))), 0.0, 1.0)

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

        Parameters are those of NumPy's ``choice``. For each thing that is drawn, the run takes one way, and other
        runs take the others. A choice among more than 2,000 things is refused.
        """
        a, p, size = (
            released_parameter(a) if type(a) is Noisy else a,
            released_parameter(p),
            released_parameter(size),
        )
        items: Any = np.arange(a) if np.ndim(a) == 0 else a
        self._check_choice(a, size, replace, p, axis, shuffle, None if np.ndim(a) == 0 else len(items))
        weights = [1.0] * len(items) if p is None else [float(w) for w in p]
        if size is None:
            return items[self._choice(weights)]
        many = math.prod(_shape(size))
        taken: list[int] = []
        for _again in range(many):
            left = [w if replace or i not in taken else 0.0 for i, w in enumerate(weights)]
            taken.append(self._choice(left))
        chosen = [items[i] for i in taken]
        return np.array(chosen).reshape(size) if not any(type(c) is Noisy for c in chosen) else chosen

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return ``x``, or the numbers below ``x``, in a random order: the run chooses one thing after another."""
        self._check_axis("permutation", axis)
        items: Any = np.arange(x) if np.ndim(x) == 0 else np.asarray(x)
        return items[self._order(len(items))]

    def _order(self, number: int) -> list[int]:
        """Draw an order of things, one thing after another."""
        left, order = list(range(number)), []
        while left:
            order.append(left.pop(self._choice([1.0] * len(left))))
        return order

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Shuffle ``x`` in place along its first axis: the run chooses one thing after another."""
        self._check_axis("shuffle", axis)
        x[:] = [x[i] for i in self._order(len(x))]


Path.generator_class = DataGenerator


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
    return getattr(DataGenerator(), kind)(size=np.shape(first) or None)


@contextmanager
def listening_to_function(
    path: Path, *modules: ModuleType, stores_noise: bool = False, cells: Sequence[Any] = ()
) -> Iterator[None]:
    """Record what a function of data draws inside the ``with`` block.

    Parameters
    ----------
    path
        Record of the run; for a later run `listen_with` puts another in its place.
    modules
        Modules of the program, in which the program's own names for random functions are replaced too.
    stores_noise
        Whether arrays that the program makes by ``np.zeros`` and the like can hold numbers with noise. If so,
        ``float`` in the modules leaves such numbers as they are.
    cells
        Cells of the function's closures (``cell`` objects); NumPy's generators and functions in them are replaced
        too.

    Raises
    ------
    Refused
        If a module has code that numba compiled: its noise cannot be recorded.
    """
    if any(_names_stats(getattr(module, "__file__", None)) for module in modules):
        # A library that is imported while the function runs would draw unheard.
        with suppress(ImportError):
            importlib.import_module("scipy.stats")
    with listening(path, *modules, generator_class=DataGenerator, cells=cells):
        listed: list[tuple[Any, str, Any]] = []
        python = Random()
        names = [n for n in dir(random) if callable(getattr(random, n)) and n[0].islower()]
        listed += [(random, n, getattr(python, n)) for n in names]
        listed += [(random, "Random", Random), (random, "SystemRandom", System)]
        listed += [(secrets, n, getattr(python, n)) for n in ("randbelow", "randbits", "choice")]
        listed += [(secrets, "SystemRandom", System)]
        listed += [(math, name, heard) for name, heard in OF_MATH.items()]
        for module in {*modules, sys.modules.get(_LIBRARY)} - {None}:
            for owner in list(vars(module).values()):
                if isinstance(owner, type) and _samples_laplace(vars(owner).get(_SAMPLER)):
                    listed.append((owner, _SAMPLER, staticmethod(partial(_sampled, "laplace"))))
        makers = ("zeros", "empty", "ones", "full", "zeros_like", "empty_like") if stores_noise else ()
        listed += [(np, name, noise_holding(getattr(np, name), name)) for name in makers]
        if stores_noise:
            listed += [(module, "float", HeardFloat()) for module in modules if "float" not in vars(module)]
        stats = sys.modules.get("scipy.stats")
        if stats is not None:
            listed += [(cls, "rvs", rvs_with_noise) for cls in (stats.rv_continuous, stats.rv_discrete)]
            frozen = sys.modules.get("scipy.stats._distn_infrastructure")
            if frozen is not None:
                listed.append((frozen.rv_frozen, "rvs", frozen_rvs_with_noise))
        # Modules' own names come last, because they are looked up among those listed before.
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


def stand_in_or_none(value: Any) -> Any:
    """Return a stand-in for ``value``, a random generator of NumPy or Python; ``None`` if it is no such thing."""
    if isinstance(value, REAL_GENERATOR | _REAL_STATE):
        return stand_in_for(value, DataGenerator)
    if isinstance(value, _REAL["random"]["SystemRandom"]):
        return System()
    return Random(value) if isinstance(value, _REAL["random"]["Random"]) else None


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
            elif type(held) in INERT or type(held) in DEFINED:
                continue
            elif isinstance(held, _REAL["random"]["Random"]):
                yield module, name, stand_in_or_none(held)
            elif getattr(held, "__self__", None) is _REAL["random"]["_inst"] and hasattr(Random, held.__name__):
                yield module, name, getattr(Random(), held.__name__)


_REAL: dict[str, dict[str, Any]] = {m.__name__: dict(vars(m)) for m in (random, secrets, math)}
