"""Regrets that a computation simulates within its own job, and means over random instances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.environment import Problem
from dpbandits.core.fields import Values
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import streams
from dpbandits.core.tables import Row


def final_regrets(
    algorithm: Algorithm, given: Values, problem: Problem, horizon: int, runs: int, seed: int, identity: str
) -> NDArray[np.float64]:
    """Simulate runs of an algorithm, and return each run's regret at the horizon.

    Parameters
    ----------
    algorithm, given
        The algorithm, and all of its parameters by name, with the budget ``epsilon`` if it is private.
    problem
        The environment, as the algorithm's kernel reads it.
    horizon
        Number T of rounds.
    runs, seed, identity
        Number of runs, root seed, and a text that names this job: algorithm, parameters, environment, horizon.
        Random streams follow from seed and text: calls with the same two draw the same random numbers.

    Returns
    -------
    ndarray of float64, shape (runs,)
        The regrets.
    """
    filled = problem.runs(streams(seed, identity, np.arange(runs)), checkpoints(horizon, 1))
    algorithm.simulate(filled, problem, **given)
    found: NDArray[np.float64] = filled.regret[:, -1]
    return found


def over_draws(values: Sequence[float] | NDArray[np.float64]) -> Row:
    """Return the mean of a quantity over instances, with its standard error.

    Parameters
    ----------
    values
        The quantity in each instance.

    Returns
    -------
    dict
        The number of ``instances``, the mean ``value`` of the quantity, and its standard ``error``, which is NaN
        for a single instance.
    """
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return {"instances": len(values), "value": float(np.mean(values)), "error": error}
