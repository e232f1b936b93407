"""A basis with one direction nearly collinear: e_1, ..., e_(d-1) and cos(angle) e_1 + sin(angle) e_d.

theta = length e_1. So the last action is almost as good as the first, and its rewards say little that those of the
first do not. The condition number of the action set's second moments is about 1 / angle^2.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core import mathematics
from dpbandits.core.fields import Parameters, complete, integer, number
from dpbandits.settings.linear.problem import Floats
from dpbandits.settings.linear.scenario import LEAST, RANDOM, environment

PARAMETERS = {
    "dimension": "d, an integer from 2 to 1000; K = d",
    "angle": "angle between the first and the last action, in (0, pi/2]",
    "length": RANDOM["length"].replace(", whose direction is random", ""),
}


def check(given: Parameters) -> Parameters:
    """Return the parameters ``dimension``, ``angle`` and ``length``, checked, or raise `BadInput`."""
    given = complete(given, "dimension", "angle", length=1.0)
    return {
        "dimension": integer(given, "dimension", 2, 1000, PARAMETERS["dimension"]),
        "angle": number(given, "angle", LEAST, math.pi / 2, PARAMETERS["angle"]),
        "length": number(given, "length", LEAST, 1, PARAMETERS["length"]),
    }


def instance(given: Parameters) -> tuple[Floats, Floats]:
    """Return the basis, shape (d, d), and theta, shape (d,)."""
    actions = np.eye(given["dimension"])
    actions[-1, 0], actions[-1, -1] = mathematics.cos(given["angle"]), mathematics.sin(given["angle"])
    return actions, given["length"] * actions[0]


ENVIRONMENT = environment(
    title="Linear bandit on a nearly collinear basis",
    parameters=PARAMETERS,
    check=check,
    instance=instance,
    size=lambda given: (given["dimension"], given["dimension"]),
)
