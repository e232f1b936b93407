"""Newcomer: TODO what it is and where it comes from.

As `dpbandits new` writes it: the best arm changes once.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.adversarial.authoring import (
    Bandit,
    Environment,
    Parameters,
    Tuning,
    complete,
    integer,
    make_losses,
    number,
)


def check(given: Parameters) -> Parameters:
    """Return the number of arms and the gap, complete and in canonical form, or raise `BadInput`."""
    given = complete(given, "arms", gap=0.2)
    return {"arms": integer(given, "arms", 2, 10**6), "gap": number(given, "gap", 0, 0.5)}


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit: Bernoulli losses, arm 1 the better one in the first quarter of the rounds, then arm 2."""
    first = max(1, int(tuning.horizon) // 4)
    means = np.full((2, parameters["arms"]), 0.5)
    means[0, 0] -= parameters["gap"]
    means[1, 1] -= parameters["gap"]
    return Bandit(make_losses([first, max(1, int(tuning.horizon) - first)], means, True))


ENVIRONMENT = Environment(
    title="Newcomer",
    parameters={"arms": "K >= 2", "gap": "by how much the better arm's loss is smaller, in [0, 1/2] (0.2)"},
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["arms"],
)
