"""Bernoulli losses and one good expert among many.

In each of ``period`` contexts one action, drawn independently, has the mean ``level`` - ``gap``, all others
``level``. The first expert advises that action with probability 1 - ``nu``, and else any other. Advice of the
others is random: a point drawn uniformly from the simplex (dense), or probability 1 - ``nu`` for one random action
(near-deterministic). It is drawn once, from ``seed``: it belongs to the environment, not to a run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameters, Tuning, choice, complete, integer, number
from dpbandits.core.mathematics import log
from dpbandits.settings.experts.problem import Bandit, make_bandit

Advice = NDArray[np.float64]
# Most numbers in the advice: they take 0.8 GB.
LARGEST = 10**8
NEEDED = ("experts", "actions")
DEFAULTS: dict[str, Any] = {"advice": "dense", "nu": 0.1, "level": 0.5, "period": 10, "seed": 0}
LEAST = {"experts": 1, "actions": 2, "period": 1, "seed": 0}
WORDS = {
    "experts": "N >= 1",
    "actions": "K >= 2",
    "advice": "of the other experts: dense or near-deterministic (dense)",
    "nu": "the probability that deterministic advice leaves to other actions, in [0, 1] (0.1)",
    "level": "mean loss of all but the best action, in [0, 1] (0.5)",
    "period": "rounds after which losses and advice repeat (10)",
    "seed": "from which best actions and advice are drawn (0)",
}


def concentrated(actions: NDArray[np.int64], number: int, nu: float) -> Advice:
    """Return advice that gives one action the probability 1 - ``nu``, and lets the others share ``nu`` equally.

    ``actions``, shape (...), are the likely actions, one for each piece of advice; the result has shape
    (..., number), for ``number`` actions in all.
    """
    chosen = np.equal.outer(actions, np.arange(number))
    return np.where(chosen, 1 - nu, nu / (number - 1))


@kernel
def _to_simplex(points: Advice) -> None:
    """Turn uniform numbers in [0, 1) into points drawn uniformly from the simplex, in place: a row is a point."""
    for row in range(points.shape[0]):
        total = 0.0
        for i in range(points.shape[1]):
            points[row, i] = -log(1.0 - points[row, i])
            total += points[row, i]
        for i in range(points.shape[1]):
            points[row, i] /= total


def _dense(rng: np.random.Generator, shape: tuple[int, int], actions: int, _: float) -> Advice:
    # Not by NumPy's laws: their logarithms are the platform's.
    points = rng.random((shape[0] * shape[1], actions))
    _to_simplex(points)
    return points.reshape(*shape, actions)


def _near_deterministic(rng: np.random.Generator, shape: tuple[int, int], actions: int, nu: float) -> Advice:
    return concentrated(rng.integers(actions, size=shape), actions, nu)


KINDS = {"dense": _dense, "near-deterministic": _near_deterministic}


def check_advice(given: Parameters) -> Parameters:
    """Return the parameters of losses and advice, all but ``gap``, checked; or raise `BadInput`.

    ``advice`` is "dense" or "near-deterministic", ``nu`` and ``level`` are in [0, 1], and ``experts``, ``actions``,
    ``period`` and ``seed`` are integers from 1, 2, 1 and 0 on. The product of the first three is at most 10^8. None
    may be missing: `check` fills in defaults.
    """
    checked: dict[str, Any] = {"advice": choice(given, "advice", KINDS)}
    checked |= {key: integer(given, key, low, 2**32) for key, low in LEAST.items()}
    checked |= {key: number(given, key, 0, 1) for key in ("nu", "level")}
    if checked["experts"] * checked["actions"] * checked["period"] > LARGEST:
        allowed = f"at most {LARGEST:.0e} numbers of advice: experts times actions times period"
        raise BadInput("experts", checked["experts"], allowed)
    return checked


def check(given: Parameters) -> Parameters:
    """Return all parameters, with defaults filled in, or raise `BadInput`.

    They are ``experts``, ``actions``, ``advice``, ``nu``, ``level``, ``period``, ``seed``, and ``gap``, a number
    from 0 to ``level``.
    """
    given = complete(given, *NEEDED, "gap", **DEFAULTS)
    checked = check_advice(given)
    gap = number(given, "gap", 0, 1)
    if gap > checked["level"]:
        raise BadInput("gap", gap, f"at most the level, {checked['level']:g}")
    return {**checked, "gap": gap}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit with losses and advice drawn from ``seed``, as arrays for compiled code."""
    experts, actions, period = (parameters[key] for key in ("experts", "actions", "period"))
    rng = np.random.default_rng(parameters["seed"])
    best = rng.integers(actions, size=period)
    advice = KINDS[parameters["advice"]](rng, (period, experts), actions, parameters["nu"])
    advice[:, 0] = concentrated(best, actions, parameters["nu"])
    means = np.full((period, actions), parameters["level"])
    means[np.arange(period), best] -= parameters["gap"]
    return make_bandit(advice, means)


ENVIRONMENT = Environment(
    title="one good expert",
    parameters={**WORDS, "gap": "how much smaller the best action's mean loss is, in [0, level]"},
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["actions"],
    experts=lambda parameters: parameters["experts"],
    instance="seed",
)
