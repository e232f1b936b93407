"""The stochastically constrained adversary: Bernoulli losses whose means drift while the gap stays.

Low and high phases alternate, and each is ``growth`` times as long as the last. In a low phase the best arm has
mean 0 and the others ``gap``. In a high phase the best has 1 - ``gap`` and the others 1. Source: Zimmert & Seldin
2021. An algorithm that averages an arm's losses over time is misled by the times at which it pulled the arm.
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
from dpbandits.settings.adversarial.environments.bernoulli_gap import LARGEST


def check(given: Parameters) -> Parameters:
    """Return the parameters ``arms``, ``gap`` and ``growth``, checked, or raise `BadInput`."""
    given = complete(given, "arms", "gap", growth=1.6)
    return {
        "arms": integer(given, "arms", 2, LARGEST),
        "gap": number(given, "gap", 0, 1),
        "growth": number(given, "growth", 1.01, 100),
    }


def phases(horizon: int, growth: float) -> list[int]:
    """Return the lengths of the phases in rounds; they sum to the horizon, which cuts the last one."""
    lengths: list[int] = []
    length, left = 1.0, horizon
    while left > 0:
        lengths.append(min(left, round(length)))
        left -= lengths[-1]
        length *= growth
    return lengths


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit with alternating low and high phases, as arrays for compiled code."""
    lengths = phases(int(tuning.horizon), parameters["growth"])
    gap = parameters["gap"]
    means = np.full((len(lengths), parameters["arms"]), gap)
    means[:, 0] = 0.0
    means[1::2] += 1.0 - gap
    return Bandit(make_losses(lengths, means, True))


ENVIRONMENT = Environment(
    title="stochastically constrained adversary",
    parameters={
        "arms": "K >= 2",
        "gap": "how much smaller the best arm's mean loss is, in [0, 1]",
        "growth": "factor by which phases grow, from 1.01 on (1.6)",
    },
    check=check,
    problem=problem,
    arms=lambda parameters: parameters["arms"],
)
