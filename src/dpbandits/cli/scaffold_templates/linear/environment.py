"""Newcomer: TODO what it is and where it comes from.

As `dpbandits new` writes it: orthogonal actions, one the best.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.linear.authoring import Floats, Parameters, complete, environment, integer, number


def check(given: Parameters) -> Parameters:
    """Return the number of arms and the gap, complete and in canonical form, or raise `BadInput`."""
    given = complete(given, "arms", gap=0.5)
    return {"arms": integer(given, "arms", 2, 1000), "gap": number(given, "gap", 0, 1)}


def instance(parameters: Parameters) -> tuple[Floats, Floats]:
    """Return the actions, shape (K, d), and theta, shape (d,): rewards have the means <a, theta>."""
    theta = np.zeros(parameters["arms"])
    theta[0] = parameters["gap"]
    return np.eye(parameters["arms"]), theta


ENVIRONMENT = environment(
    title="Newcomer",
    parameters={"arms": "K = d, from 2 to 1000", "gap": "the best mean reward, the others' is 0, in [0, 1] (0.5)"},
    check=check,
    instance=instance,
    size=lambda parameters: (parameters["arms"], parameters["arms"]),
)
