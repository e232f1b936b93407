"""A fixed table of losses, one vector a round: what audits of privacy run algorithms on.

Regret is that of losses which equal the table's means in every round.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.full_information.authoring import (
    Environment,
    Fixed,
    Losses,
    Neighbours,
    Parameters,
    Tuning,
    complete,
    first_rows,
    neighbouring,
    table,
)
from dpbandits.settings.full_information.problem import fixed


def check(given: Parameters) -> Parameters:
    """Return ``{"losses": [[...], ...]}``, rows of at least two numbers in [0, 1], or raise `BadInput`."""
    return {"losses": table(complete(given, "losses"), "losses", 2)}


def problem(given: Parameters, tuning: Tuning) -> Losses:
    """Return the table's losses as arrays for compiled code; `BadInput` if it has fewer rows than the horizon."""
    return fixed(first_rows(given["losses"], tuning.horizon))


def neighbours(horizon: int, arms: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Yield pairs of tables of losses for an audit, without end; they differ in all entries of one round's row.

    A table has ``horizon`` rows and ``arms`` columns. First come chosen pairs, then random ones that ``rng`` draws.
    With each pair comes the number of the round, from 1, in which its tables differ.
    """
    pair = functools.partial(neighbouring, "losses")
    first = np.eye(arms)[0]
    # In the first table one action loses in all rounds and no other does, or the other way round. The second table
    # has the opposite row in the last round of an epoch. Epochs double: counted from 0, that round is 2^k - 2.
    for row in (first, 1.0 - first):
        for length in range(horizon.bit_length() - 1, 0, -1):
            yield pair(np.tile(row, (horizon, 1)), 2**length - 2, 1.0 - row)
    while True:
        t = int(rng.integers(horizon))
        # In other rounds all actions may lose, or none; or everything is drawn.
        alone = rng.choice(np.stack([first, np.zeros(arms), np.ones(arms)]), horizon)
        alone[t] = first
        drawn = rng.integers(0, 2, (horizon, arms)).astype(np.float64)
        for losses in (alone, drawn):
            yield pair(losses, t, 1.0 - losses[t])


def behind(table: NDArray[np.float64], horizon: int) -> Parameters:
    """Return the parameters, with ``kind``, of the environment to put under an audit's replay.

    In a replay the audit's recorder gives all losses, so only the number of actions matters. ``table``, shape
    (rounds, actions), has losses 0 and 1, which the environment itself would give too. For a horizon beyond the
    table they would always equal the means of its columns.
    """
    if len(table) < horizon:
        return {"kind": "deterministic-losses", "means": table.mean(axis=0).tolist()}
    return {"kind": "loss-vector-table", "losses": table.tolist()}


ENVIRONMENT = Environment(
    title="Table of losses",
    parameters={"losses": "a list of rows, one for each round: each action's loss in [0, 1]"},
    check=check,
    problem=problem,
    arms=lambda parameters: len(parameters["losses"][0]),
    fixed=Fixed(
        neighbours,
        sizes=((4, 3), (4, 16)),
        effort=3 * 10**6,
        behind=behind,
        together=True,
    ),
)
