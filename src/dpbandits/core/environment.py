"""Declarations of environments. One environment is one file that defines ``ENVIRONMENT``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameters, Tuning

if TYPE_CHECKING:
    from dpbandits.core.recording import Runs


class Problem(Protocol):
    """An environment as the kernels of a setting read it: a named tuple with fields of the setting's own."""

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return runs for a kernel to fill, one for each row of ``streams``, which has shape (runs, 4).

        ``rounds``, shape (checkpoints,), are the rounds at which regret is recorded. Each run keeps the actions of
        its first ``kept`` rounds.
        """
        ...

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the exact expected regret of uniform play, which draws each arm alike, at each of ``rounds``.

        ``rounds`` and the result have shape (checkpoints,).
        """
        ...


class Neighbours(NamedTuple):
    """Two neighbouring inputs of an algorithm: tables of rewards or losses that differ in one round.

    Attributes
    ----------
    one, other
        The first input and the second, as parameters of an environment that is a fixed table.
    round
        Number of the round in which the inputs differ, from 1.
    """

    one: Parameters
    other: Parameters
    round: int


@dataclass(frozen=True)
class Fixed:
    """How audits of privacy run algorithms in an environment that is a fixed table of inputs, a row for each round.

    Local privacy protects the report of each round, its noisy reward or loss. To audit it, runs may keep
    ``action + arms * r`` in place of an action. Here r is 0 if the report is at most 0, 1 if it is in (0, 1), and
    2 if it is at least 1.

    Attributes
    ----------
    neighbours
        ``neighbours(horizon, arms, rng)`` yields pairs of inputs that differ in one row, as `Neighbours`:
        adversarial pairs first, then random ones without end.
    sizes
        Pairs (rounds, arms) at which to audit.
    effort
        Number of runs on each of two inputs for the final bound of an audit.
    behind
        ``behind(table, horizon)`` returns parameters of the environment behind a replay, with its ``kind``. In a
        replay a recorder pays the rewards in its place. ``table`` has inputs 0 or 1, shape (rounds, arms). If it
        has ``horizon`` rows, they are the inputs of the environment; else any environment with as many arms is
        returned. ``None``: there are no replays.
    together
        Whether a round has inputs of all arms at once, as with full information. A neighbour then differs in all
        of them in one round, else in the reward of one pull.
    counts
        Whether `Runs.pulls` counts the arms that are played. With expert advice it counts followed experts.
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
        Name of the environment in figures and tables.
    parameters
        Meaning of each parameter, in words, by its name.
    check
        ``check(given)`` returns the parameters in canonical form or raises `BadInput`; no key is ``kind``.
    problem
        ``problem(parameters, tuning)`` returns the `Problem` that the setting's kernels read.
    arms
        ``arms(parameters)`` returns the number of arms.
    experts
        ``experts(parameters)`` returns the number of experts, 0 in a setting without.
    facts
        ``facts(parameters)`` returns further public facts, by name: defaults of parameters may depend on them.
    fixed
        For an environment that is a fixed table of inputs: how audits run on it. Else ``None``.
    instance
        Name of the parameter that numbers the random instance; empty without one. In a configuration, equal
        numbers give equal instances, and each root seed gives other ones.
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
        """Return the facts on which an algorithm's tuned constants may depend: T, K, N, the budget and others.

        ``parameters`` are those of the environment, ``horizon`` is T, ``epsilon`` the budget, ``None`` without.
        """
        return Tuning(
            horizon, self.arms(parameters), epsilon, self.experts(parameters), facts=self.facts(parameters)
        )


def neighbouring(
    name: str, table: NDArray[np.float64], t: int, row: NDArray[np.float64], **public: Any
) -> Neighbours:
    """Return two inputs of an environment that differ in one row of the parameter ``name``.

    Parameters
    ----------
    name
        Name of the environment's parameter that holds the inputs.
    table : ndarray of float64, shape (rounds, columns)
        The first inputs; they are not changed.
    t
        Index of the row that differs, from 0 to rounds - 1.
    row : ndarray of float64, shape (columns,)
        Row ``t`` of the second inputs.
    **public
        Further parameters of the environment, the same in both.

    Returns
    -------
    Neighbours
        The parameters with the first inputs, those with the second, and the round t + 1 of row ``t``.
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
        Rows of equal length, at least ``horizon`` of them.
    horizon
        Number T of rounds, a whole number.

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
