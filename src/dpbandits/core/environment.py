"""Declarations of environments. One environment is one file that defines ``ENVIRONMENT``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Tuning
from dpbandits.core.errors import BadInput, suggest, within

if TYPE_CHECKING:
    from dpbandits.core.recording import Runs

# Parameters of an environment by name, as JSON data: only its kind knows what each is.
Parameters = Mapping[str, Any]


class Problem(Protocol):
    """Facts of an environment for the kernels of a setting: a named tuple with fields of the setting's own."""

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return unfilled runs on it, one for each row of ``streams``, with room for ``kept`` actions each."""
        ...


class Neighbours(NamedTuple):
    """Two neighbouring inputs: parameters of a fixed environment that differ in one round.

    Attributes
    ----------
    one, other
        The parameters.
    round
        The round that they differ in, from 1.
    """

    one: Parameters
    other: Parameters
    round: int


@dataclass(frozen=True)
class Fixed:
    """Declaration of an environment with fixed inputs, one row for each round, on which audits run algorithms.

    Local privacy protects the report of each round. There runs may keep ``action + arms * report`` for each action.
    The report is 0, 1 or 2 if the noisy number is at most 0, in (0, 1), or at least 1.

    Attributes
    ----------
    neighbours
        ``neighbours(horizon, arms, rng)`` yields pairs of inputs that differ in one row: adversarial pairs
        first, then random ones without end.
    sizes
        Pairs (rounds, arms) at which to audit.
    effort
        Runs on each of two inputs for the final bound of an audit.
    behind
        ``behind(table, horizon)`` returns an environment, with its kind, for runs with a
        `dpbandits.core.recorder`: with the inputs of ``table``, 0 or 1, shape (rounds, arms), where it has that
        many rounds, else any of that many arms.
    together
        Whether a round has inputs of all arms at once, and a neighbour differs in all of them.
    counts
        Whether runs count the pulls of the arms that are played. With expert advice they count followed experts.
    """

    neighbours: Callable[[int, int, np.random.Generator], Iterator[Neighbours]]
    sizes: Sequence[tuple[int, int]]
    effort: int
    behind: Callable[[NDArray[np.float64], int], Parameters] | None = None
    together: bool = False
    counts: bool = True


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
        ``check(given)`` returns the parameters in canonical form or raises `BadInput`.
    problem
        ``problem(parameters, tuning)`` returns what the setting's kernels read.
    arms
        ``arms(parameters)`` returns the number of arms.
    experts
        ``experts(parameters)`` returns the number of experts, 0 in a setting without.
    facts
        ``facts(parameters)`` returns what else everyone knows, by name: defaults of parameters may depend on it.
    fixed
        For an environment that is a fixed table of inputs: its neighbouring inputs.
    instance
        Of an environment with a random instance, the parameter that numbers it. In a configuration equal numbers
        are equal instances, and each root seed has other ones.
    """

    title: str
    parameters: Mapping[str, str]
    check: Callable[[Parameters], Parameters]
    problem: Callable[[Parameters, Tuning], Any]
    arms: Callable[[Parameters], int]
    experts: Callable[[Parameters], int] = lambda _: 0
    facts: Callable[[Parameters], Mapping[str, float]] = lambda _: {}
    fixed: Fixed | None = None
    instance: str = ""

    def tuning(self, parameters: Parameters, horizon: int, epsilon: float | None) -> Tuning:
        """Return what tuned constants may depend on."""
        return Tuning(
            horizon, self.arms(parameters), epsilon, self.experts(parameters), facts=self.facts(parameters)
        )


def complete(given: Parameters, *keys: str, **defaults: Any) -> dict[str, Any]:
    """Return ``given`` with defaults filled in; `BadInput` if a key is not known, or one of ``keys`` not there."""
    found = defaults | dict(given)
    for key in given:
        if key not in (*keys, *defaults):
            raise BadInput(key, given[key], suggest(key, (*keys, *defaults)))
    for key in keys:
        if key not in given:
            raise BadInput((), found, f"a mapping with the key {key!r}")
    return found


# Each of these checks ``given[key]`` of a mapping or a list and returns it, or raises `BadInput` with that key.


def choice(given: Parameters, key: str, known: Iterable[str]) -> str:
    """Return one of the ``known`` names.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    names = list(known)
    if given[key] not in names:
        raise BadInput(key, given[key], suggest(given[key], names))
    return str(given[key])


def number(given: Any, key: str | int, low: float, high: float, allowed: str | None = None) -> float:
    """Return a number in [low, high]; ``allowed`` says in words what is, where that is more than the range.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadInput(key, value, allowed or f"a number in [{low:g}, {high:g}]")
    return float(value)


def integer(given: Any, key: str | int, low: int, high: int, allowed: str | None = None) -> int:
    """Return an integer from ``low`` to ``high``; ``allowed`` as of `number`.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    value = given[key]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadInput(key, value, allowed or f"an integer in [{low:g}, {high:g}]")
    return value


def numbers(given: Any, key: str | int, least: int, low: float = 0, high: float = 1) -> list[float]:
    """Return a list of at least ``least`` numbers in [low, high].

    Raises
    ------
    BadInput
        If it is no such value.
    """
    row = given[key]
    if not isinstance(row, list) or len(row) < least:
        raise BadInput(key, row, f"a list of at least {least} numbers in [{low:g}, {high:g}]")
    with within(key):
        return [number(row, i, low, high) for i in range(len(row))]


def table(given: Any, key: str | int, least: int, low: float = 0, high: float = 1) -> list[list[float]]:
    """Return rows of at least ``least`` numbers in [low, high], as many in each.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    rows = given[key]
    if not isinstance(rows, list) or not rows:
        raise BadInput(key, rows, "a list of rows, one for each round")
    if _is_table(rows, least, low, high):
        return [list(row) for row in rows]
    with within(key):
        found = [numbers(rows, t, least, low, high) for t in range(len(rows))]
        for t, row in enumerate(found):
            if len(row) != len(found[0]):
                raise BadInput(t, rows[t], f"{len(found[0])} numbers, as in the first row")
    return found


def _is_table(rows: list[Any], least: int, low: float, high: float) -> bool:
    """Say at a glance whether nothing is wrong: audits check tables of thousands of rows, thousands of times."""
    if any(type(row) is not list or len(row) != len(rows[0]) for row in rows) or len(rows[0]) < max(least, 1):
        return False
    if set(map(type, chain.from_iterable(rows))) != {float}:
        return False
    values = np.array(rows)
    return bool(low <= values.min() and values.max() <= high)


def neighbouring(
    name: str, table: NDArray[np.float64], t: int, row: NDArray[np.float64], **public: Any
) -> Neighbours:
    """Return inputs whose parameter ``name`` is ``table``, and the same with its row ``t`` replaced by ``row``.

    ``table`` has shape (rounds, columns), and ``public`` are the parameters that both have.
    """
    other = table.copy()
    other[t] = row
    one, two = ({name: rows.tolist(), **public} for rows in (table, other))
    return Neighbours(one, two, t + 1)


def first_rows(table: list[list[float]], horizon: float) -> NDArray[np.float64]:
    """Return the first rows of a table, one for each round.

    Parameters
    ----------
    table
        At least ``horizon`` rows.
    horizon
        T, a whole number.

    Returns
    -------
    ndarray of float64, shape (horizon, columns)
        The rows.

    Raises
    ------
    BadInput
        If there are fewer rows than rounds.
    """
    if len(table) < horizon:
        raise BadInput("horizon", int(horizon), f"at most {len(table)}, the rows of the table")
    return np.array(table[: int(horizon)])
