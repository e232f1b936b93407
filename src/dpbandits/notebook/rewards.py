"""Rewards of a person's own, as an environment."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from dpbandits.calls import check_call
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameters, whole

ALLOWED = "numbers in [0, 1], a row for each round and a column for each arm, at least two"


@check_call
def rewards(given: Any, *, rounds: int | None = None, arms: int | None = None) -> Parameters:
    """Return an environment that pays given rewards: a table, the values of a function, or draws with given means.

    Parameters
    ----------
    given
        An array or frame of shape (rounds, arms): what each arm pays in each round. Or one row alone: each arm's
        mean, of a Bernoulli bandit. Or a function of round (from 0) and arm. Or the path of a CSV file with
        a column for each arm and a header.
    rounds
        Number of rounds. A function needs it; a table has its own, which this must equal if it is given.
    arms
        Number of arms. If it is left out, a function has those arms for which it raises no IndexError or KeyError.
        A table has its own, which this must equal if it is given.

    Returns
    -------
    dict
        Environment for `dpbandits.simulate(environment=...)` and `dpbandits.grid`: ``{"kind": "bernoulli", "means":
        ...}`` of means, else ``{"kind": "reward-table", "rewards": ...}``.

    Raises
    ------
    BadInput
        If the shape is another, an entry is no number from 0 to 1, a function comes without ``rounds``, or one row
        has zeros and ones alone: that is taken for a log of rewards.

    Notes
    -----
    A table needs what *every* arm would have paid. A log of one policy has one reward a round, and cannot tell what
    another policy would have earned. For that there are estimators for logged bandit feedback, such as inverse
    propensity weights and doubly robust ones in Open Bandit Pipeline.
    """
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        import pandas as pd

        try:
            given = pd.read_csv(given)
        except (OSError, ValueError) as error:
            raise BadInput("rewards", str(given), "a CSV file with a header and a column for each arm") from error
    if callable(given):
        given = _table(given, rounds, arms)
    try:
        table = np.asarray(given)
        if table.dtype.kind == "c":
            raise TypeError
        table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput("rewards", type(given).__name__, ALLOWED) from error
    if table.ndim == 1:
        if table.size and np.isin(table, (0.0, 1.0)).all():
            # One reward a round would be taken for as many arms, each with a mean of 0 or 1.
            raise BadInput("rewards", f"shape {table.shape} of zeros and ones", f"{ALLOWED}; a log is none")
        table = table[None]
    if table.ndim != 2 or table.shape[1] < 2 or not table.size:
        raise BadInput("rewards", f"shape {table.shape}", ALLOWED)
    for name, asked, has in (("rounds", rounds, table.shape[0]), ("arms", arms, table.shape[1])):
        if asked is not None and asked != has:
            raise BadInput(name, asked, f"{has}, as the table has; leave it out")
    wrong = ~((table >= 0.0) & (table <= 1.0))
    if wrong.any():
        row, arm = map(int, np.argwhere(wrong)[0])
        raise BadInput(("rewards", row, arm), float(table[row, arm]), ALLOWED)
    if len(table) == 1:
        return {"kind": "bernoulli", "means": table[0].tolist()}
    return {"kind": "reward-table", "rewards": table.tolist()}


def _table(function: Callable[[int, int], float], rounds: int | None, arms: int | None) -> list[list[float]]:
    """Return a function's values, a row for each round.

    Without ``arms``, the function has those arms for which it raises no IndexError or KeyError in round 0.
    """
    try:
        signature(function).bind(0, 0)
    except (TypeError, ValueError):
        raise BadInput("given", function, "a function of round and arm") from None
    if rounds is None:
        raise BadInput("rounds", None, "a number of rounds, for a function")
    if arms is not None:
        arms = whole("arms", arms, 2, 10_000, "a number of arms, from 2 to 10,000")
        return [[function(t, arm) for arm in range(arms)] for t in range(rounds)]
    arms = 0
    # A function knows its arms by refusing the next one.
    while True:
        try:
            function(0, arms)
        except (IndexError, KeyError):
            break
        arms += 1
        if arms > 10_000:
            raise BadInput("arms", None, "a number of arms, for a function that raises no IndexError")
    return [[function(t, arm) for arm in range(arms)] for t in range(rounds)]
