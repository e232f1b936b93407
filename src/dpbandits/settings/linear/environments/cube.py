"""Actions in the cube inscribed in the unit ball, uniformly at random: of different lengths."""

from __future__ import annotations

import functools

from dpbandits.settings.linear.scenario import RANDOM, check_random, environment, in_cube, random_instance

ENVIRONMENT = environment(
    title="Linear bandit with actions in the cube",
    parameters=RANDOM,
    check=check_random,
    instance=functools.partial(random_instance, points=in_cube),
    size=lambda given: (given["arms"], given["dimension"]),
    random="draw",
)
