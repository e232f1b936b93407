"""Newcomer: TODO what it is and where it comes from.

As `dpbandits new` writes it: every action is one expert's advice.
"""

from __future__ import annotations

import numpy as np

from dpbandits.settings.experts.authoring import (
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
    """Return the number of experts and the gap, complete and in canonical form, or raise `BadInput`."""
    given = complete(given, "experts", gap=0.2)
    return {"experts": integer(given, "experts", 2, 1000), "gap": number(given, "gap", 0, 0.5)}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit: one context, advice of shape (contexts, experts, actions), losses (contexts, actions)."""
    losses = np.full((1, parameters["experts"]), 0.5)
    losses[0, 0] -= parameters["gap"]
    return make_bandit(np.eye(parameters["experts"])[None], losses)


ENVIRONMENT = Environment(
    title="Newcomer",
    parameters={
        "experts": "N >= 2, as many as actions",
        "gap": "by how much the best expert's loss is smaller, in [0, 1/2] (0.2)",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["experts"],
    experts=lambda parameters: parameters["experts"],
)
