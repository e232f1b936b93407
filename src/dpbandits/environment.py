"""What an environment declares about itself. One environment is one file that defines ``ENVIRONMENT``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from dpbandits.algorithm import Setting
from dpbandits.errors import BadInput, suggest


class Block(Protocol):
    """Runs of one algorithm in one environment: a named tuple with at least these fields."""

    @property
    def streams(self) -> NDArray[np.uint64]:
        """Random streams, shape (runs, 4)."""
        ...

    @property
    def regret(self) -> NDArray[np.float64]:
        """Regret, shape (runs, checkpoints)."""
        ...

    @property
    def pulls(self) -> NDArray[np.int64]:
        """Pulls at the horizon, shape (runs, arms)."""
        ...

    def _replace(self, **fields: Any) -> Self: ...


def runs_of(block: Block, first: int, last: int) -> Block:
    """Return the block's runs ``first`` to ``last - 1`` as views: threads fill disjoint rows."""
    return block._replace(
        streams=block.streams[first:last],
        regret=block.regret[first:last],
        pulls=block.pulls[first:last],
    )


@dataclass(frozen=True)
class Environment:
    """An environment's declaration.

    Attributes
    ----------
    title
        Its name in figures and tables.
    parameters
        What it takes, in words, by name.
    check
        ``check(given, where)`` returns the parameters in canonical form or raises `BadInput`.
    block
        ``block(parameters, streams, rounds, setting)`` returns an unfilled block of runs.
    arms
        ``arms(parameters)`` returns the number of arms.
    experts
        ``experts(parameters)`` returns the number of experts, 0 in a setting without.
    facts
        ``facts(parameters)`` returns what else everyone knows, by name: defaults of parameters may depend on it.
    """

    title: str
    parameters: Mapping[str, str]
    check: Callable[[Mapping[str, Any], str], dict[str, Any]]
    block: Callable[..., Any]
    arms: Callable[[Mapping[str, Any]], int]
    experts: Callable[[Mapping[str, Any]], int] = lambda _: 0
    facts: Callable[[Mapping[str, Any]], Mapping[str, float]] = lambda _: {}

    def setting(self, parameters: Mapping[str, Any], horizon: int, epsilon: float | None) -> Setting:
        """Return what tuned constants may depend on."""
        return Setting(
            horizon, self.arms(parameters), epsilon, self.experts(parameters), facts=self.facts(parameters)
        )


def only_keys(given: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    """Raise `BadInput` unless ``given`` has exactly ``keys``."""
    for key in given:
        if key not in keys:
            raise BadInput(f"{where}.{key}", given[key], suggest(key, keys))
    for key in keys:
        if key not in given:
            raise BadInput(where, dict(given), f"a mapping with the key {key!r}")


def checked_number(
    given: Any, where: str, low: float, high: float, integer: bool = False, allowed: str | None = None
) -> float:
    """Return ``given`` if it is a number, or an integer, in [low, high], or raise `BadInput` naming ``where``.

    ``allowed`` says in words what is allowed, where that is more than the range.
    """
    number = isinstance(given, int) or (isinstance(given, float) and not integer)
    if isinstance(given, bool) or not number or not low <= given <= high:
        words = f"{'an integer' if integer else 'a number'} in [{low:g}, {high:g}]"
        raise BadInput(where, given, allowed or words)
    return given if integer else float(given)


def checked_numbers(given: Any, where: str, least: int) -> list[float]:
    """Return a list of at least ``least`` numbers in [0, 1], or raise `BadInput` naming ``where``."""
    if not isinstance(given, list) or len(given) < least:
        raise BadInput(where, given, f"a list of at least {least} numbers in [0, 1]")
    return [checked_number(number, f"{where}.{i}", 0, 1) for i, number in enumerate(given)]
