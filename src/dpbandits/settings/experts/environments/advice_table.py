"""A fixed table of losses and advice, one row a round, repeated: what audits of privacy run algorithms on.

Losses are drawn with the table's means, so losses of 0 and 1 are fixed. Neighbours differ in the losses of one
round; advice is public.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import within
from dpbandits.settings.experts.authoring import (
    BadInput,
    Bandit,
    Environment,
    Fixed,
    Neighbours,
    Parameters,
    Tuning,
    complete,
    make_bandit,
    neighbouring,
    table,
)

# How far the probabilities of one expert's advice may sum to something else than 1.
ROUNDING = 1e-9


def check(given: Parameters) -> Parameters:
    """Return the parameters ``losses`` and ``advice``, checked, or raise `BadInput`.

    ``losses[t][i]`` is the loss in [0, 1] of action i in round t, and ``advice[t][j][i]`` the probability of action
    i in expert j's advice. There are at least two actions, and as many tables of advice as rows of losses.
    """
    given = complete(given, "losses", "advice")
    losses, advice = table(given, "losses", 2), given["advice"]
    if not isinstance(advice, list) or len(advice) != len(losses):
        raise BadInput("advice", advice, f"a list of {len(losses)} tables, as many as rows of losses")
    with within("advice"):
        tables = [table(advice, t, 2) for t in range(len(advice))]
        for t, rows in enumerate(tables):
            if len(rows) != len(tables[0]):
                raise BadInput(t, rows, f"advice of {len(tables[0])} experts, as in the first round")
            for j, row in enumerate(rows):
                if len(row) != len(losses[0]) or abs(sum(row) - 1) > ROUNDING:
                    raise BadInput((t, j), row, f"probabilities of {len(losses[0])} actions, of sum 1")
    return {"losses": losses, "advice": tables}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit with these losses and advice, as arrays for compiled code."""
    advice, losses = np.array(parameters["advice"]), np.array(parameters["losses"])
    return make_bandit(advice, losses)


def advice_of(chosen: NDArray[np.int64], actions: int) -> NDArray[np.float64]:
    """Return advice with probability 1 for one action: shape (..., actions) for actions ``chosen``, shape (...)."""
    return np.eye(actions)[chosen]


def neighbours(horizon: int, actions: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Yield pairs of inputs for an audit, without end: equal advice, and tables of losses that differ in one round.

    There are ``horizon`` rounds, and as many experts as ``actions``. First come chosen pairs, then random ones that
    ``rng`` draws. With each pair comes the number of the round, from 1, in which its tables differ.
    """

    def pair(losses: NDArray[np.float64], advice: NDArray[np.float64], t: int) -> Neighbours:
        return neighbouring("losses", losses, t, 1.0 - losses[t], advice=advice.tolist())

    # Every action is one expert's advice, so actions tell the expert; and all lose alike.
    each = advice_of(np.tile(np.arange(actions), (horizon, 1)), actions)
    for level in (0.0, 1.0):
        for t in range(horizon - 1):
            yield pair(np.full((horizon, actions), level), each, t)
    while True:
        losses = (rng.random((horizon, actions)) < rng.random()).astype(np.float64)
        mixed = advice_of(rng.integers(actions, size=(horizon, actions)), actions)
        yield pair(losses, each if rng.random() < 0.5 else mixed, int(rng.integers(horizon)))


def behind(table: NDArray[np.float64], _: int) -> Parameters:
    """Return the parameters, with ``kind``, of the environment to put under an audit's replay.

    Expert j always advises action j, and the losses repeat ``table``, shape (rounds, actions). In a replay, though,
    the audit's recorder gives all losses, so only the advice matters.
    """
    rounds, actions = table.shape
    each = advice_of(np.tile(np.arange(actions), (rounds, 1)), actions)
    return {"kind": "advice-table", "losses": table.tolist(), "advice": each.tolist()}


ENVIRONMENT = Environment(
    title="table of losses and advice",
    parameters={
        "losses": "a list of rounds, each a list of the actions' losses in [0, 1]; repeated",
        "advice": "a list of rounds, each a list of experts, each a list of the actions' probabilities",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: len(parameters["losses"][0]),
    experts=lambda parameters: len(parameters["advice"][0]),
    fixed=Fixed(neighbours, sizes=((2, 2), (3, 2), (4, 3), (8, 2)), effort=3 * 10**6, behind=behind, counts=False),
)
