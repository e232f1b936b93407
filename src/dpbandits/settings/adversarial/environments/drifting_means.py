"""The stochastically constrained adversary: Bernoulli losses whose means drift while the gap stays.

In phases whose lengths grow by the factor ``growth``, the means are in turn as low as can be (best arm 0, others
``gap``) and as high as can be (1 - ``gap`` and 1), as Zimmert & Seldin 2021 use it: algorithms that average an
arm's losses over time are misled by when they pulled it.
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
    """Return ``arms``, ``gap`` and ``growth``, or raise `BadInput`."""
    given = complete(given, "arms", "gap", growth=1.6)
    return {
        "arms": integer(given, "arms", 2, LARGEST),
        "gap": number(given, "gap", 0, 1),
        "growth": number(given, "growth", 1.01, 100),
    }


def phases(horizon: int, growth: float) -> list[int]:
    """Return the lengths of the phases up to the horizon."""
    lengths: list[int] = []
    length, left = 1.0, horizon
    while left > 0:
        lengths.append(min(left, round(length)))
        left -= lengths[-1]
        length *= growth
    return lengths


def problem(parameters: Parameters, tuning: Tuning) -> Bandit:
    """Return the bandit."""
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
