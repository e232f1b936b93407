"""Put stand-ins in the place of random generators while a program runs; refuse other randomness."""

from __future__ import annotations

import gc
import os
import random
import secrets
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import compress
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from noisetap.listen import (
    HeardGenerator,
    _current,
    _global,
    _library,
    _listener,
    current_run,
    generator_classes,
    make_global_generator,
)
from noisetap.seeds import OURS
from noisetap.tape import OWN_FILES, Refused, source_line

_INHERITED = object()
# Of these a module holds most, and none draws.
INERT = {ModuleType, type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset}
# Of others most are these. They are no generators and no methods, and numba compiles to none of them.
DEFINED = {FunctionType, type}
_METHODS = ("random", "getrandbits")
_FUNCTIONS = ("random", "getrandbits", "uniform", "gauss", "expovariate", "shuffle", "choice", "randint", "sample")
_UNHEARD = (
    *((os, name) for name in ("urandom", "getrandom")),
    *((secrets, name) for name in ("token_bytes", "token_hex", "token_urlsafe")),
    *((uuid, name) for name in ("uuid1", "uuid4")),
)
_TORCH = ("rand", "randn", "normal", "randint", "randperm")
_real_generator, _real_state = np.random.Generator, np.random.RandomState
_REAL_KINDS = (_real_generator, _real_state)
_real_default_rng, _real_random = np.random.default_rng, random.Random
# What `numpy.random` offers as functions; those that no listener has are refused.
_LEGACY = """
    laplace normal standard_normal randn exponential standard_exponential gumbel logistic uniform random rand
    random_sample ranf sample binomial randint random_integers choice permutation shuffle seed set_state get_state
    beta gamma standard_gamma poisson geometric negative_binomial dirichlet multinomial multivariate_normal
    standard_cauchy standard_t rayleigh weibull pareto power triangular vonmises wald zipf hypergeometric
    lognormal logseries f chisquare noncentral_chisquare noncentral_f bytes
"""


# Owner, name, and what it is called in a refusal.
_REFUSED: tuple[tuple[Any, str, str], ...] = (
    *((_real_random, name, f"random.{name}") for name in _METHODS),
    *((random, name, f"random.{name}") for name in _FUNCTIONS),
    (subprocess, "Popen", "a subprocess"),
    *((owner, name, f"{owner.__name__}.{name}") for owner, name in _UNHEARD if hasattr(owner, name)),
)


# A run puts a hundred stand-ins in their places. Those that know nothing of the run are made once.
@lru_cache(256)
def _refusing(what: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses calls from the program, and passes those of libraries on to the real one."""

    def call(*args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename == random.__file__:
            frame = frame.f_back
        if not _current or _library(frame.f_code.co_filename) or frame.f_code.co_filename.startswith(OWN_FILES):
            return real(*args, **kwargs)
        raise current_run().refuse(what, source_line(frame))

    return call


def _stand_ins(legacy: HeardGenerator, stream: type[HeardGenerator]) -> list[tuple[Any, str, Any]]:
    """List what is replaced: owner, name, stand-in."""
    generator, state = generator_classes(stream)
    listed: list[tuple[Any, str, Any]] = [
        (np.random, "Generator", generator),
        (np.random, "RandomState", state),
        (np.random, "default_rng", partial(_default_rng, generator)),
    ]
    kind: Any = type(legacy)
    for name, heard in _offered(kind):
        listed.append((np.random, name, getattr(legacy, name) if heard else _unheard(name)))
    listed += [(owner, name, _refusing(what, getattr(owner, name))) for owner, name, what in _REFUSED]
    stats = sys.modules.get("scipy.stats")
    if stats is not None:
        listed += [(cls, "rvs", _refused("scipy.stats")) for cls in (stats.rv_continuous, stats.rv_discrete)]
    torch = sys.modules.get("torch")
    if torch is not None:
        listed += [(torch, name, _torch(name, getattr(torch, name, None))) for name in _TORCH]
    return listed


@lru_cache
def _offered(stream: type[HeardGenerator]) -> tuple[tuple[str, bool], ...]:
    """Return functions that `numpy.random` offers, each with whether a class of listeners has it."""
    return tuple((name, hasattr(stream, name)) for name in _LEGACY.split() if hasattr(np.random, name))


def _default_rng(stream: type[HeardGenerator], seed: Any = None) -> Any:
    """Return a listener; a library, which may draw when it is imported, gets a real generator."""
    if _library(sys._getframe(1).f_code.co_filename):
        return _real_default_rng(seed)
    return seed if isinstance(seed, HeardGenerator) else stream(seed)


@lru_cache(256)
def _unheard(name: str) -> Callable[..., Any]:
    """Return a function that the listener of the run answers, or that is refused if it has none of this name."""

    def call(*args: Any, **more: Any) -> Any:
        if not hasattr(type(_global[-1]), name):
            raise current_run().refuse(f"np.random.{name}")
        return getattr(_global[-1], name)(*args, **more)

    return call


def _refused(what: str) -> Callable[..., Any]:
    """Return a function that refuses each call."""

    def call(*_: Any, **__: Any) -> Any:
        raise current_run().refuse(what)

    return call


def _torch(name: str, real: Any) -> Callable[..., Any]:
    """Return a function that is refused in policies; in functions of data `torch_heard` hears the real one."""

    def call(*args: Any, **more: Any) -> Any:
        if _listener() is None:
            raise current_run().refuse(f"torch.{name}")
        return real(*args, **more)

    return call


@contextmanager
def replaced(replacements: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    """Replace attributes by stand-ins inside the ``with`` block, and put the old values back at its end.

    Parameters
    ----------
    replacements
        Owner, name of the attribute, and stand-in, for each. An inherited attribute is inherited again afterwards.
    """
    before = [(owner, name, owner.__dict__.get(name, _INHERITED)) for owner, name, _ in replacements]
    for owner, name, new in replacements:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in reversed(before):
            if old is _INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, old)


@contextmanager
def listening(
    run: Any, *modules: ModuleType, generator_class: type[HeardGenerator] | None = None, cells: Sequence[Any] = ()
) -> Iterator[None]:
    """Record the random draws of a program that runs inside the ``with`` block, by stand-ins for generators.

    Parameters
    ----------
    run
        Record of the run: a `Tape` for a policy, a `Path` for a function of data.
    modules
        Modules of the program, in which names for NumPy's functions and generators are replaced too.
    generator_class
        Class of the stand-ins for generators, by default `HeardGenerator`.
    cells
        Cells of closures (``cell`` objects); NumPy's generators and random functions in them are replaced too.

    Raises
    ------
    Refused
        If a module has code compiled by numba, whose noise cannot be recorded. Other draws that cannot be recorded
        are refused when the program makes them.
    """
    _current.append(run)
    legacy = make_global_generator(generator_class or HeardGenerator)
    _global.append(legacy)
    listed = _stand_ins(legacy, generator_class or HeardGenerator)
    # Names that a module had before: ``from numpy.random import laplace``, or a generator that it made.
    numpy_names = {name: new for owner, name, new in listed if owner is np.random}
    by_id = {id(getattr(np.random, name)): new for name, new in numpy_names.items()}
    for module in modules:
        for name, held in list(vars(module).items()):
            kind = type(held)
            if kind in INERT:
                continue
            if id(held) in by_id:
                listed.append((module, name, by_id[id(held)]))
            elif kind in DEFINED:
                continue
            elif isinstance(held, _REAL_KINDS):
                listed.append((module, name, stand_in_for(held, generator_class or HeardGenerator)))
            elif getattr(held, "__self__", None) is np.random.mtrand._rand and held.__name__ in numpy_names:
                listed.append((module, name, numpy_names[held.__name__]))
            elif kind.__module__.startswith("numba"):
                _current.pop()
                _global.pop()
                raise Refused(f"{name} is compiled by numba: its noise cannot be heard; stub numba")
    kept = [(cell, cell.cell_contents) for cell in cells]
    for cell, held in kept:
        if isinstance(held, _REAL_KINDS):
            cell.cell_contents = stand_in_for(held, generator_class or HeardGenerator)
        elif id(held) in by_id:
            cell.cell_contents = by_id[id(held)]
    try:
        with replaced(listed):
            yield
    finally:
        for cell, held in kept:
            cell.cell_contents = held
        _current.pop()
        _global.pop()


def stand_in_for(generator: Any, generator_class: type[HeardGenerator]) -> HeardGenerator:
    """Return a stand-in, an instance of ``generator_class``, for a generator of NumPy.

    Generators that are in the same state now get stand-ins that make the same draws.
    """
    made = generator_classes(generator_class)[isinstance(generator, _real_state)](generator)
    made._made = None
    return made


def _state_of_torch(unmoved: bool = False) -> Any:
    """Return the state of torch's generator, or what it was before any draw; ``None`` if torch is not imported.

    Torch has many ways to draw, of which few are refused by name. It may be imported while a program runs.
    """
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "default_generator"):
        return None
    own = torch.default_generator
    return (torch.Generator().manual_seed(own.initial_seed()) if unmoved else own).get_state().tolist()


def _comparable(state: Any) -> Any:
    """Return the state of a generator as texts, numbers and bytes, which compare at once."""
    if isinstance(state, dict):
        return tuple((name, _comparable(part)) for name, part in state.items())
    return (state.dtype.str, state.shape, state.tobytes()) if isinstance(state, np.ndarray) else repr(state)


class GeneratorWatch:
    """Watch over NumPy's real generators that exist when the watch is made, and torch's default one.

    A draw from one of them is not recorded, so it has to be noticed. The generators ``ours`` are not watched, nor
    are noisetap's own.
    """

    def __init__(self, *ours: Any) -> None:
        # Frozen objects, as before a fork, are not listed by the garbage collector.
        gc.unfreeze()
        every = gc.get_objects()
        # By types, of which there are few: a million objects are looked through, and a proxy of one that is gone
        # raises if it is asked.
        generators = {kind for kind in set(map(type, every)) if issubclass(kind, _REAL_KINDS)}
        among = compress(every, map(generators.__contains__, map(type, every)))
        self._found = [x for x in among if all(x is not y for y in (*ours, *OURS))]
        self._found.append(np.random.mtrand._rand)
        self._before = [self._state(x) for x in self._found]
        self._torch = _state_of_torch()

    @staticmethod
    def _state(x: Any) -> Any:
        bits = x.bit_generator if isinstance(x, _real_generator) else x._bit_generator
        return _comparable(bits.state)

    def any_drawn_from(self) -> bool:
        """Return whether any watched generator has changed its state, by a draw or a seed, since the beginning."""
        if _state_of_torch() != (self._torch or _state_of_torch(unmoved=True)):
            return True
        return any(self._state(x) != old for x, old in zip(self._found, self._before, strict=True))
