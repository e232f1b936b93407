"""Phased elimination with G-optimal design, neither private nor robust.

Source: Lattimore & Szepesvari 2020, Chapter 22, with the approximate designs of Chapter 21 (c = 2). Let K be the
number of active actions, d the dimension of their span, and e = 2^-l. Phase l plays action a
ceil(2 c d pi(a) / e^2 log(K l (l + 1) / delta)) times. Then it drops actions whose estimate is more than 2 e below
the best.

Privacy: none.

Deviations: none.
"""

from __future__ import annotations

import numpy as np

from dpbandits.core import mathematics
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Parameter, one_over_horizon
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.design import Design
from dpbandits.settings.linear.elimination import ENDLESS, Rules, eliminate, no_filter
from dpbandits.settings.linear.problem import Bandit, Counts


def simulate(runs: Runs, bandit: Bandit, *, delta: float) -> None:
    """Simulate phased elimination with G-optimal designs and failure probability ``delta``, in (0, 1].

    Pulls and regret are recorded in ``runs``.
    """

    def pulls(number: int, design: Design) -> Counts:
        log = mathematics.log(design.coordinates.shape[0] * number * (number + 1) / delta)
        return np.ceil(4.0 * design.rank * design.weights * power(4.0, number) * log).astype(np.int64)

    rules = Rules(
        batches=range(1, ENDLESS),
        pulls=pulls,
        width=lambda batch: power(0.5, batch.number),
        threshold=no_filter,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Phased elimination",
    source="Lattimore & Szepesvari 2020, Chapters 21 and 22",
    decides="rounds",
    privacy=None,
    parameters=(Parameter("delta", float, one_over_horizon, "failure probability", above=0, at_most=1),),
    simulate=simulate,
)
