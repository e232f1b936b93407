"""Actions on the unit sphere, uniformly at random."""

from __future__ import annotations

import functools

from dpbandits.settings.linear.scenario import RANDOM, check_random, environment, on_sphere, random_instance

ENVIRONMENT = environment(
    title="Linear bandit with actions on the sphere",
    parameters=RANDOM,
    check=check_random,
    instance=functools.partial(random_instance, points=on_sphere),
    size=lambda given: (given["arms"], given["dimension"]),
    random="draw",
)
