"""Given actions and a given theta."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbandits.environment import only_keys
from dpbandits.errors import BadInput
from dpbandits.linear.bandit import Floats
from dpbandits.linear.scenario import environment

# A norm of 1 may be computed as a little more.
ROUNDING = 1.0 + 1e-12


def _vector(given: Any, where: str, d: int | None) -> list[float]:
    """Return a vector of norm at most 1 (and dimension d, if given), or raise `BadInput`."""
    allowed = f"a list of {'' if d is None else f'{d} '}numbers of norm at most 1"
    if not isinstance(given, list) or not given or (d is not None and len(given) != d):
        raise BadInput(where, given, allowed)
    if any(isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x) for x in given):
        raise BadInput(where, given, allowed)
    if math.hypot(*given) > ROUNDING:
        raise BadInput(where, given, f"{allowed}; its norm is {math.hypot(*given):g}")
    return [float(x) for x in given]


def check(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return actions and theta as lists of numbers, or raise `BadInput`."""
    only_keys(given, ("actions", "theta"), where)
    theta = _vector(given["theta"], f"{where}.theta", None)
    if not isinstance(given["actions"], list) or not given["actions"]:
        raise BadInput(f"{where}.actions", given["actions"], "a list of at least one action")
    actions = [_vector(a, f"{where}.actions.{i}", len(theta)) for i, a in enumerate(given["actions"])]
    if not any(any(a) for a in actions):
        raise BadInput(f"{where}.actions", given["actions"], "at least one action that is not zero")
    return {"actions": actions, "theta": theta}


def instance(given: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Return actions and theta as arrays."""
    return np.array(given["actions"]), np.array(given["theta"])


ENVIRONMENT = environment(
    title="Linear bandit on given actions",
    parameters={
        "actions": "the actions, lists of d numbers of norm at most 1, not all zero",
        "theta": "the parameter vector, d numbers of norm at most 1",
    },
    check=check,
    instance=instance,
    size=lambda given: (len(given["actions"]), len(given["theta"])),
)
