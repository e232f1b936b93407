"""Newcomer: TODO what it is and where it comes from.

As `dpbandits new` writes it: one arm is better than the others.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    Bandit,
    Environment,
    Parameters,
    Tuning,
    complete,
    integer,
    make_bandit,
    number,
)


def check(given: Parameters) -> Parameters:
    """Return the number of arms and the gap, complete and in canonical form, or raise `BadInput`."""
    given = complete(given, "arms", gap=0.2)
    return {"arms": integer(given, "arms", 2, 10**6), "gap": number(given, "gap", 0, 1)}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit, whose rewards are Bernoulli with these means."""
    means = np.full(parameters["arms"], 0.5 - parameters["gap"] / 2)
    means[0] = 0.5 + parameters["gap"] / 2
    return make_bandit(means)


ENVIRONMENT = Environment(
    title="Newcomer",
    parameters={"arms": "K >= 2", "gap": "by how much the best mean is larger, in [0, 1] (0.2)"},
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["arms"],
)
