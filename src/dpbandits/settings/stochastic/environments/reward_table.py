"""A fixed table of rewards, one row a round: what audits of privacy run algorithms on.

Regret is against the arm of largest mean reward over the table's rounds, with that mean for each round's reward.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.stochastic.authoring import (
    Bandit,
    Environment,
    Fixed,
    Neighbours,
    Parameters,
    Tuning,
    complete,
    first_rows,
    neighbouring,
    table,
)
from dpbandits.settings.stochastic.problem import fixed_bandit

# Ratio of successive leads of an arm.
LEADS = 1.08


def check(given: Parameters) -> Parameters:
    """Return ``{"rewards": [[...], ...]}``, rows of at least two numbers in [0, 1], or raise `BadInput`."""
    return {"rewards": table(complete(given, "rewards"), "rewards", 2)}


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit that pays by the table; `BadInput` if it has fewer rows than the horizon."""
    return fixed_bandit(first_rows(parameters["rewards"], tuning.horizon))


def neighbours(horizon: int, arms: int, rng: np.random.Generator) -> Iterator[Neighbours]:
    """Yield pairs of tables of rewards for an audit, without end; the tables of a pair differ in one row.

    A table has ``horizon`` rows and ``arms`` columns. Tables that saturate indices or make ties come first, then
    random ones that ``rng`` draws; two random ones can be equal. With each pair comes the row's round, from 1.
    """
    pair = functools.partial(neighbouring, "rewards")
    first = np.eye(arms)[0]
    for level in (1.0, 0.0):
        # All arms equal, at either end, where clipping and saturated indices make ties.
        for t in range(min(arms + 1, horizon)):
            yield pair(np.full((horizon, arms), level), t, np.full(arms, 1.0 - level))
    for behind in range(min(arms, horizon)):
        # In the middle, out of reach of clipping: the first round pays 1, or 0 for the neighbour, the next pay 0.
        table = np.full((horizon, arms), 0.5)
        table[0], table[1 : behind + 1] = 1.0, 0.0
        yield pair(table, 0, np.zeros(arms))
    lead = 1
    while lead <= horizon:
        # The first arm pays in ``lead`` rounds, or fails in them: near a tie, and far from one.
        table = np.outer(np.arange(horizon) < lead, first)
        yield pair(table, 0, 1.0 - first) if lead % 2 else pair(1.0 - table, 0, first)
        lead = max(lead + 1, int(LEADS * lead))
    while True:
        table = (rng.random((horizon, arms)) < rng.random(arms)).astype(np.float64)
        t = int(rng.integers(horizon))
        yield pair(table, t, 1.0 - table[t] if rng.random() < 0.5 else rng.integers(0, 2, arms).astype(np.float64))


def behind(table: NDArray[np.float64], horizon: int) -> Parameters:
    """Return the parameters, with ``kind``, of the environment to put under an audit's replay.

    In a replay the recorder supplies the rewards, so only the number of arms matters. ``table``, shape (rounds,
    arms), has rewards 0 and 1. The environment is the table itself, if that has ``horizon`` rows or more; otherwise
    it is Bernoulli, with the means of the table's columns.
    """
    if len(table) < horizon:
        return {"kind": "bernoulli", "means": table.mean(axis=0).tolist()}
    return {"kind": "reward-table", "rewards": table.tolist()}


ENVIRONMENT = Environment(
    title="Table of rewards",
    parameters={"rewards": "a list of rows, one for each round: each arm's reward in [0, 1]"},
    check=check,
    problem=problem,
    arms=lambda parameters: len(parameters["rewards"][0]),
    fixed=Fixed(neighbours, sizes=((3, 2), (6, 2), (12, 2), (8, 3)), effort=10**6, behind=behind),
)
