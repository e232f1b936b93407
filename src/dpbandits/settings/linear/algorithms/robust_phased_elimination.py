"""Robust phased elimination with a known corruption budget, not private.

Source: Bogunovic et al. 2021. Let C be the corruption budget, m_0 = 4 d (log log d + 18) and nu = 1 / m_0. The
first phase has m = m_0, and each next one doubles m. A phase plays each action a of the design
ceil(m max{pi(a), nu}) times. Then it drops actions whose estimate by least squares lies below the best by more than

    2 sqrt(4 d / m log(1 / delta)) + 2 C / (m nu) sqrt(4 d (1 + nu m_0)).

Privacy: none.

Deviations: none known. The register of discrepancies has an entry on delta. The source's adversary moves rewards by
at most 1, and by C in total. The default C = alpha T is the expected number of rewards that this setting's
adversary replaces. It may move a reward by more than 1.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core import mathematics
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.design import Design
from dpbandits.settings.linear.elimination import ENDLESS, Batch, Rules, eliminate, no_filter
from dpbandits.settings.linear.elimination_declarations import DELTA
from dpbandits.settings.linear.problem import Bandit, Counts


def _first_batch(d: int) -> float:
    """Return m_0, with log log d taken as 0 where it is negative."""
    return 4.0 * d * (mathematics.log(mathematics.log(max(d, math.e))) + 18.0)


def simulate(runs: Runs, bandit: Bandit, *, delta: float, C: float) -> None:
    """Simulate phased elimination with widths for a known corruption budget, and record it in ``runs``.

    Parameters
    ----------
    delta, C
        Failure probability of one interval, in (0, 1]; and corruption budget, >= 0, which the learner knows.
    """
    d = bandit.actions.shape[1]
    first = _first_batch(d)

    def pulls(number: int, design: Design) -> Counts:
        return np.ceil(first * power(2.0, number) * np.maximum(design.weights, 1.0 / first)).astype(np.int64)

    def width(batch: Batch) -> float:
        m = first * power(2.0, batch.number)
        return math.sqrt(4.0 * d / m * mathematics.log(1.0 / delta)) + C * first / m * math.sqrt(8.0 * d)

    eliminate(runs, bandit, Rules(batches=range(ENDLESS), pulls=pulls, width=width, threshold=no_filter))


def _corrupted_rounds(tuning: Tuning, _: Values) -> float:
    """alpha T"""
    return tuning.facts.get("corruption", 0.0) * tuning.horizon


ALGORITHM = Algorithm(
    title="Bogunovic et al.",
    source="Bogunovic et al. 2021, Algorithm 1",
    decides="rounds",
    privacy=None,
    parameters=(
        DELTA,
        Parameter("C", float, _corrupted_rounds, "corruption budget that the learner knows", at_least=0),
    ),
    simulate=simulate,
)
