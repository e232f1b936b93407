"""Newcomer: TODO what it is and where it comes from.

As `dpbandits new` writes it: losses at even distances.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.full_information.authoring import (
    Losses,
    Parameters,
    bernoulli,
    complete,
    environment,
    integer,
    number,
)


def check(given: Parameters) -> Parameters:
    """Return the number of actions and the largest gap, complete and in canonical form, or raise `BadInput`."""
    given = complete(given, "arms", gap=0.4)
    return {"arms": integer(given, "arms", 2, 10**6), "gap": number(given, "gap", 0, 1)}


def losses(parameters: Parameters) -> Losses:
    """Return Bernoulli losses whose means lie evenly around 1/2."""
    return bernoulli(0.5 + parameters["gap"] * np.linspace(-0.5, 0.5, parameters["arms"]))


ENVIRONMENT = environment(
    "Newcomer",
    {"arms": "K >= 2", "gap": "between the best and the worst mean loss, in [0, 1] (0.4)"},
    check,
    losses,
    lambda parameters: parameters["arms"],
)
