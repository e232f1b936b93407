"""A periodic deterministic loss sequence, given as a table of one period.

With a row for each round it is a fixed table of losses: what audits of privacy run algorithms on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.adversarial.authoring import (
    Bandit,
    Environment,
    Fixed,
    Neighbours,
    Parameters,
    Tuning,
    complete,
    make_losses,
    neighbouring,
    table,
)


def check(given: Parameters) -> Parameters:
    """Return the parameter ``losses``, checked: rows, all of one length >= 2, of numbers in [0, 1].

    Raises
    ------
    BadInput
        If they are not.
    """
    return {"losses": table(complete(given, "losses"), "losses", 2)}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit that repeats the table of losses, as arrays for compiled code."""
    means = np.array(parameters["losses"])
    return Bandit(make_losses([1] * len(means), means, False))


def neighbours(horizon: int, arms: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Yield pairs of tables of losses for an audit, without end; the tables of a pair differ in one round.

    A table has ``horizon`` rows and ``arms`` columns. First come chosen pairs, then random ones that ``rng`` draws.
    With each pair comes the number of the round, from 1, in which its tables differ.
    """

    def pair(losses: NDArray[np.float64], t: int) -> Neighbours:
        return neighbouring("losses", losses, t, 1.0 - losses[t])

    # All arms lose alike, so whichever is played tells; the earlier it does, the more decisions follow.
    for level in (0.0, 1.0):
        for t in range(horizon - 1):
            yield pair(np.full((horizon, arms), level), t)
    while True:
        yield pair(rng.integers(0, 2, (horizon, arms)).astype(np.float64), int(rng.integers(horizon)))


def behind(table: NDArray[np.float64], _: int) -> Parameters:
    """Return the parameters, with ``kind``, of the environment to put under an audit's replay.

    It repeats ``table``, losses of shape (rounds, arms). In a replay, though, the audit's recorder gives all
    losses, so only the number of arms matters.
    """
    return {"kind": "periodic", "losses": table.tolist()}


ENVIRONMENT = Environment(
    title="periodic deterministic losses",
    parameters={"losses": "a list of rounds, each a list of the arms' losses in [0, 1]; repeated"},
    check=check,
    problem=problem,
    arms=lambda parameters: len(parameters["losses"][0]),
    fixed=Fixed(neighbours, sizes=((2, 2), (3, 2), (4, 3), (8, 2)), effort=3 * 10**6, behind=behind),
)
