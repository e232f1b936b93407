"""What an algorithm declares about itself. One algorithm is one file that defines ``ALGORITHM``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from dpbandits.errors import BadInput, suggest

Value = int | float


def one_over_horizon(horizon: int) -> float:
    """1/T"""
    return 1.0 / horizon


@dataclass(frozen=True)
class Parameter:
    """A number that an algorithm takes.

    Attributes
    ----------
    name, description
        The paper's name, and what it means, with its unit.
    type
        ``int`` or ``float``.
    default
        The paper's value, used when a configuration is silent: a number, or a function of the horizon whose
        docstring is the formula.
    above
        The value must be > ``above``.
    at_most
        The value must be <= ``at_most``.
    """

    name: str
    type: type[int] | type[float]
    default: Value | Callable[[int], Value]
    description: str
    above: float
    at_most: float = math.inf

    def check(self, value: object, where: str) -> Value:
        """Return ``value`` in the parameter's type, or raise `BadInput` naming ``where``."""
        allowed = f"{'an integer' if self.type is int else 'a number'} {self.range}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(where, value, allowed)
        if not (math.isfinite(value) and self.above < value <= self.at_most):
            raise BadInput(where, value, allowed)
        if self.type is int and value != int(value):
            raise BadInput(where, value, allowed)
        return self.type(value)

    def at(self, horizon: int) -> Value:
        """Return the default at a horizon."""
        return self.default(horizon) if callable(self.default) else self.default

    @property
    def default_text(self) -> str:
        """The default in words."""
        return str(self.default.__doc__) if callable(self.default) else f"{self.default:g}"

    @property
    def range(self) -> str:
        """The allowed range in words."""
        upper = "" if math.isinf(self.at_most) else f" and <= {self.at_most:g}"
        return f"> {self.above:g}{upper}"


@dataclass(frozen=True)
class Privacy:
    """A privacy statement, next to the code that makes it.

    Attributes
    ----------
    definition
        ``"pure"``: (epsilon, 0)-differential privacy of the action sequence.
    neighbours
        The neighbouring relation.
    mechanism
        Sensitivity, noise and how the releases compose.
    """

    definition: Literal["pure"]
    neighbours: str
    mechanism: str


@dataclass(frozen=True)
class Algorithm:
    """An algorithm's declaration.

    Attributes
    ----------
    title
        Its name in figures and tables, as its authors write it.
    source
        Paper, algorithm and equations it is implemented from.
    decides
        ``"batches"``: a run costs as many steps as decisions; ``"rounds"``: it costs rounds.
    privacy
        The privacy statement, or ``None`` for an algorithm without privacy: it takes no budget.
    parameters
        What it takes beside the budget and the environment.
    simulate
        ``simulate(block, **parameters)``, with ``epsilon`` among them if private; fills the block's regret
        and pulls.
    deviations
        Where the code differs from its source, and why.
    """

    title: str
    source: str
    decides: Literal["batches", "rounds"]
    privacy: Privacy | None
    simulate: Callable[..., None]
    parameters: tuple[Parameter, ...] = ()
    deviations: str = "none"

    def resolve(self, given: Mapping[str, object], horizon: int, where: str) -> dict[str, Value]:
        """Return all parameters, checked, with defaults filled in.

        Parameters
        ----------
        given
            Values by name.
        horizon
            T, on which defaults may depend.
        where
            The key path that error messages start with.

        Raises
        ------
        BadInput
            For an unknown name or a value out of its range.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                allowed = suggest(name, known, empty=f"{self.title} takes no parameters")
                raise BadInput(f"{where}.{name}", given[name], allowed)
        return {
            name: parameter.check(given.get(name, parameter.at(horizon)), f"{where}.{name}")
            for name, parameter in known.items()
        }

    def check_epsilon(self, epsilon: object, where: str) -> float | None:
        """Return the budget as a number (``None`` without privacy), or raise `BadInput`."""
        if self.privacy is None:
            if epsilon is not None:
                raise BadInput(where, epsilon, f"no budget: {self.title} is not private")
            return None
        if isinstance(epsilon, bool) or not isinstance(epsilon, int | float):
            raise BadInput(where, epsilon, f"a number > 0: {self.title} needs a privacy budget")
        # Beyond these the noise, or its inverse, leaves double precision.
        if not 1e-100 <= epsilon <= 1e100:
            raise BadInput(where, epsilon, "a number > 0, from 1e-100 to 1e100")
        return float(epsilon)

    def declaration(self) -> dict[str, Any]:
        """Return what `dpbandits list` prints, as plain data."""
        return {
            "title": self.title,
            "source": self.source,
            "decides": self.decides,
            "privacy": None if self.privacy is None else vars(self.privacy),
            "parameters": {
                p.name: f"{p.type.__name__} {p.range}, default {p.default_text}: {p.description}"
                for p in self.parameters
            },
            "deviations": self.deviations,
        }
