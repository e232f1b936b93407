"""Given actions and a given theta."""

from __future__ import annotations

import numpy as np

from dpbandits.core.fields import Parameters, complete
from dpbandits.settings.linear.problem import Floats
from dpbandits.settings.linear.scenario import ACTIONS, actions, environment, vector


def check(given: Parameters) -> Parameters:
    """Return ``{"actions": [[...], ...], "theta": [...]}``, checked, or raise `BadInput`.

    All are lists of d numbers of norm at most 1, and not all actions are zero.
    """
    given = complete(given, "actions", "theta")
    theta = vector(given, "theta", None)
    return {"actions": actions(given, len(theta)), "theta": theta}


def instance(given: Parameters) -> tuple[Floats, Floats]:
    """Return actions, shape (K, d), and theta, shape (d,)."""
    return np.array(given["actions"]), np.array(given["theta"])


ENVIRONMENT = environment(
    title="Linear bandit on given actions",
    parameters={
        "actions": ACTIONS,
        "theta": "the parameter vector, d numbers of norm at most 1",
    },
    check=check,
    instance=instance,
    size=lambda given: (len(given["actions"]), len(given["theta"])),
)
