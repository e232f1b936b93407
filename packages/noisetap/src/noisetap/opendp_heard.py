"""OpenDP's measurements in functions of data: their noise is drawn in compiled code, and so is made here.

A constructor says which noise a measurement adds. What it returns is marked with that, and with the transformations
that are chained before it. When a function calls a measurement, OpenDP computes the transformations, and noise is
added that is heard. Other measurements are refused.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from noisetap.draws import DataGenerator
from noisetap.laws import Law
from noisetap.listen import current_run
from noisetap.stand_ins import replaced

# Attribute of a measurement: transformations before it, then its noise and scale; ``None`` if these are not known.
_MARK = "_noisetap_steps"
# Constructors whose noise is heard.
_NOISES = {"make_laplace": "laplace", "make_gaussian": "normal"}


def import_if_named(text: str) -> None:
    """Import OpenDP if ``text``, the source of a file that is loaded next, has the word ``opendp``.

    It has to be imported before `marking_constructors`, which replaces its constructors. If OpenDP is not
    installed, nothing happens.
    """
    if "opendp" in text:
        try:
            for name in ("measurements", "combinators"):
                importlib.import_module(f"opendp.{name}")
        except ImportError:
            return


def _marking_constructor(kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a constructor that marks what it returns with its noise, or as unknown with a granularity."""

    @wraps(real)
    def make(input_domain: Any, input_metric: Any, scale: float, *args: Any, **more: Any) -> Any:
        found = real(input_domain, input_metric, scale, *args, **more)
        # A granularity that is asked for is coarser than doubles are.
        plain = not args and more.get("k") is None
        setattr(found, _MARK, [(kind, float(scale))] if plain else None)
        return found

    return make


def _marking_combinator(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a combinator that marks what it returns with the transformation and the measurement's marks."""

    @wraps(real)
    def chain(measurement1: Any, transformation0: Any) -> Any:
        found = real(measurement1, transformation0)
        steps = getattr(measurement1, _MARK, None)
        setattr(found, _MARK, None if steps is None else [transformation0, *steps])
        return found

    return chain


def _called(measurement: Any, arg: Any) -> Any:
    """Call a measurement: make its transformations, and add noise that is heard; refuse one without marks."""
    steps = getattr(measurement, _MARK, None)
    if steps is None:
        raise current_run().refuse(
            "an OpenDP measurement: it draws in compiled code, and its noise is not known here"
        )
    value = arg
    for step in steps[:-1]:
        value = step(value)
    kind, scale = steps[-1]
    draws, many = DataGenerator(), isinstance(value, list)
    whole = all(isinstance(v, int | np.integer) for v in (value if many else [value]))
    if whole and kind == "normal":
        raise current_run().refuse("OpenDP's noise of whole numbers that are nearly normal")
    law = Law("dlaplace", params=(1.0 / scale,)) if whole else Law(kind)
    noisy = [draws._affine_draw(law, v, 1.0 if whole else scale) for v in (value if many else [value])]
    return noisy if many else noisy[0]


@contextmanager
def marking_constructors() -> Iterator[None]:
    """Let OpenDP's constructors, inside the ``with`` block, mark measurements with the noise that these add.

    The marks are read when a measurement is called. Measurements of ``make_laplace`` and ``make_gaussian`` are
    marked, and chains that end in one. Modules of OpenDP that are imported later mark nothing.
    """
    listed: list[tuple[Any, str, Any]] = []
    module, combinators = sys.modules.get("opendp.measurements"), sys.modules.get("opendp.combinators")
    if module is not None:
        listed += [
            (module, name, _marking_constructor(kind, getattr(module, name))) for name, kind in _NOISES.items()
        ]
    if combinators is not None:
        listed.append((combinators, "make_chain_mt", _marking_combinator(combinators.make_chain_mt)))
    with replaced(listed):
        yield


@contextmanager
def hearing_calls() -> Iterator[None]:
    """Replace calls of OpenDP's measurements inside the ``with`` block: noise is recorded, or the call is refused.

    A measurement is refused if `marking_constructors` has not marked it with its noise.
    """
    module = sys.modules.get("opendp.mod")
    if module is None:
        yield
        return
    with replaced([(module.Measurement, name, _called) for name in ("__call__", "invoke")]):
        yield
