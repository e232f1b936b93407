"""Bernoulli losses with a gap: the best arm has mean ``level`` - ``gap``, all others ``level``."""

from __future__ import annotations

import numpy as np

from dpbandits.settings.adversarial.authoring import (
    BadInput,
    Bandit,
    Environment,
    Parameters,
    Tuning,
    complete,
    integer,
    make_losses,
    number,
)

LARGEST = 10**6


def check(given: Parameters) -> Parameters:
    """Return the parameters ``arms``, ``gap`` and ``level``, checked, or raise `BadInput`."""
    given = complete(given, "arms", "gap", level=0.5)
    level, gap = number(given, "level", 0, 1), number(given, "gap", 0, 1)
    if gap > level:
        raise BadInput("gap", gap, f"at most the level, {level:g}")
    return {"arms": integer(given, "arms", 2, LARGEST), "gap": gap, "level": level}


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit with this gap between its first arm and the others, as arrays for compiled code."""
    means = np.full((1, parameters["arms"]), parameters["level"])
    means[0, 0] -= parameters["gap"]
    return Bandit(make_losses([int(tuning.horizon)], means, True))


ENVIRONMENT = Environment(
    title="Bernoulli losses with a gap",
    parameters={
        "arms": "K >= 2",
        "gap": "how much smaller the best arm's mean loss is, in [0, level]",
        "level": "mean loss of the other arms, in [0, 1] (0.5)",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["arms"],
)
