"""Draws of scipy.stats in functions of data: ``rvs`` of its laws, plain and frozen.

Noise comes back as a number, or an array, that records what is added to it. Heard are ``laplace``, ``norm``,
``gumbel_r``, ``expon``, ``logistic``, ``uniform``, ``bernoulli``, ``binom``, ``geom``, ``poisson``, ``dlaplace``
and ``randint``.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from noisetap.asked import current_run
from noisetap.known import released_parameter
from noisetap.listen import HeardGenerator, _global, generator_classes
from noisetap.stand_ins import stand_in_for

_REAL = np.random.Generator | np.random.RandomState
_GLOBAL = np.random.mtrand._rand
# Our law, and its number of shape parameters.
_LAWS: dict[str, tuple[str, int]] = {"laplace": ("laplace", 0), "norm": ("normal", 0), "gumbel_r": ("gumbel", 0)}
_LAWS |= {"expon": ("exponential", 0), "logistic": ("logistic", 0), "uniform": ("uniform", 0)}
_LAWS |= {"bernoulli": ("bernoulli", 1), "binom": ("binomial", 2), "geom": ("geometric", 1)}
_LAWS |= {"poisson": ("poisson", 1), "dlaplace": ("dlaplace", 1), "randint": ("integers", 2)}


def _generator(law: Any, asked: Any) -> Any:
    """Return the generator that a law draws with, as scipy chooses it."""
    own = getattr(law, "_random_state", None) if asked is None else asked
    if isinstance(own, HeardGenerator):
        return own
    if own is None or own is _GLOBAL or own is np.random:
        return _global[-1]
    if isinstance(own, _REAL):
        return stand_in_for(own, current_run().generator_class)
    if not isinstance(own, Integral):
        raise ValueError(f"'{own}' cannot be used to seed a numpy.random.RandomState instance")
    return generator_classes(current_run().generator_class)[True](own)


def rvs_with_noise(self: Any, *args: Any, **more: Any) -> Any:
    """Draw from a law of scipy.stats, ``self``, in the place of its method ``rvs``; the noise is recorded.

    Arguments are shape parameters, then loc, scale (not of discrete laws) and size. Other laws than twelve, such as
    ``laplace``, ``norm`` and ``binom``, are refused. Wrong arguments raise scipy's `TypeError` or `ValueError`.
    """
    name, draws = getattr(self, "name", ""), _generator(self, more.pop("random_state", None))
    if name not in _LAWS:
        raise current_run().refuse(f"scipy.stats.{name}")
    kind, shapes = _LAWS[name]
    discrete = hasattr(self, "pmf")
    names = [s.strip() for s in (self.shapes or "").split(",") if s.strip()]
    names += ["loc", "size"] if discrete else ["loc", "scale", "size"]
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or more.keys() - names or more.keys() & given:
        raise TypeError(f"_parse_args_rvs() got other arguments than {', '.join(names)}")
    given = {"loc": 0, "scale": 1, "size": None} | given | more
    if any(n not in given for n in names):
        raise TypeError(f"_parse_args_rvs() missing a required argument of {', '.join(names)}")
    values = [released_parameter(given[n]) for n in names[:shapes]]
    loc, scale, size = given["loc"], released_parameter(given["scale"]), given["size"]
    if not (np.all(self._argcheck(*map(np.asarray, values))) and np.all(np.asarray(scale) >= 0)):
        raise ValueError(f"Domain error in arguments of scipy.stats.{name}")
    if kind == "bernoulli":
        return loc + draws.binomial(1, values[0], size)
    if kind == "dlaplace":
        return draws.dlaplace(values[0], loc, size)
    if shapes:
        return loc + (draws.integers_between if kind == "integers" else getattr(draws, kind))(*values, size=size)
    return draws._noise(kind, loc, scale, size, lambda _: 0.0)


def frozen_rvs_with_noise(self: Any, size: Any = None, random_state: Any = None) -> Any:
    """Draw from a law of scipy.stats with fixed parameters, such as ``norm(0, 2)``, in the place of its ``rvs``."""
    return rvs_with_noise(self.dist, *self.args, **self.kwds | {"size": size, "random_state": random_state})
