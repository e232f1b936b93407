"""A fixed table of rewards, one row a round, on given actions: what audits of privacy run algorithms on.

Rewards may be any numbers: as eq. 1 of charisopoulos2022 has them, they are not bounded. An action's mean reward is
its mean over the table's rounds. Regret is against the action of largest mean, and counts means for rewards.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from dpbandits.core import arrays
from dpbandits.core.environment import Environment, Fixed, Neighbours, first_rows, neighbouring
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameters, Tuning, complete, table
from dpbandits.settings.linear.algebra import squared_lengths
from dpbandits.settings.linear.problem import Bandit, Floats, fixed_bandit
from dpbandits.settings.linear.scenario import ACTIONS, LARGEST, actions

# Rewards that an algorithm which trusts them to lie in [-1, 1] is audited with, and larger ones.
SIZES = (1.0, 3.0)


def check(given: Parameters) -> Parameters:
    """Return ``actions``, lists of norm at most 1, and ``rewards``, a row for each round; or raise `BadInput`.

    A row has a number for each action, of size at most 1e100.
    """
    given = complete(given, "actions", "rewards")
    known, rewards = actions(given, None), table(given, "rewards", 1, -LARGEST, LARGEST)
    if len(rewards[0]) != len(known):
        raise BadInput(("rewards", 0), rewards[0], f"{len(known)} numbers, one for each action")
    return {"actions": known, "rewards": rewards}


def problem(given: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit that pays by the table, or raise `BadInput` if the horizon is longer than the table."""
    return fixed_bandit(np.array(given["actions"]), first_rows(given["rewards"], tuning.horizon))


def crossed(arms: int) -> Floats:
    """Return ``arms`` actions, one a row: unit vectors and their negatives; if ``arms`` is odd, all but -e_1.

    A design plays one action of each pair, and estimates both. So the largest estimate stays away from zero, where
    a single Laplace variable tells its scale less well.
    """
    unit = np.eye((arms + 1) // 2)
    actions: Floats = np.concatenate([unit, 0.0 - unit[arms % 2 :]])
    return actions


def neighbours(horizon: int, arms: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Yield pairs of inputs for an audit, without end: equal actions, and tables of rewards that differ in one row.

    A table has ``horizon`` rows and ``arms`` columns. First come chosen pairs, then random ones that ``rng`` draws.
    With each pair comes the number of the round, from 1, in which its tables differ.
    """

    def pair(actions: Floats, table: Floats, t: int) -> Neighbours:
        return neighbouring("rewards", table, t, -table[t], actions=actions.tolist())

    # One reward is low among high ones, and then as high as they are.
    for size, t in itertools.product(SIZES, range(horizon - 1)):
        table = np.full((horizon, arms), max(SIZES))
        table[t] = -size
        yield pair(crossed(arms), table, t)
    shape = (arms, (arms + 1) // 2)
    while True:
        # Of normal numbers, whose direction is uniform (Box & Muller 1958).
        radii, angles = -2.0 * arrays.log(1.0 - rng.random(shape)), 2.0 * math.pi * rng.random(shape)
        actions = np.sqrt(radii) * arrays.cos(angles)
        actions /= 1.001 * np.sqrt(squared_lengths(actions))[:, None]
        table = rng.choice(SIZES) * rng.choice([-1.0, 1.0], (horizon, arms))
        t = int(rng.integers(horizon))
        yield pair(actions, table, t)


def behind(table: Floats, horizon: int) -> Parameters:
    """Return the parameters, with ``kind``, of the environment to put under an audit's replay.

    In a replay a recorder pays all rewards, so only the actions matter: those of `crossed`, unit vectors and their
    negatives. ``table`` has inputs 0 and 1, shape (rounds, arms), for which the environment itself would pay -1
    and 1. For a horizon beyond the table its rewards would be random, with mean 0.
    """
    actions = crossed(table.shape[1]).tolist()
    if len(table) < horizon:
        return {"kind": "actions", "actions": actions, "theta": [0.0] * len(actions[0])}
    return {"kind": "linear-reward-table", "actions": actions, "rewards": (2.0 * table - 1.0).tolist()}


ENVIRONMENT = Environment(
    title="Table of rewards of actions",
    parameters={"actions": ACTIONS, "rewards": "a list of rows, one for each round: each action's reward"},
    check=check,
    problem=problem,
    arms=lambda given: len(given["actions"]),
    facts=lambda given: {"dimension": float(len(given["actions"][0])), "corruption": 0.0, "bound": 1.0},
    fixed=Fixed(neighbours, sizes=((4, 2), (4, 3), (4, 5), (8, 3)), effort=10**6, behind=behind),
)
