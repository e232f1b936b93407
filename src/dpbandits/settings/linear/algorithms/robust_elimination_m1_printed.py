"""Robust arm elimination under model (M1), as printed.

Source: charisopoulos2022, Algorithm 1 with Algorithm 2 and eq. 15.

Privacy: epsilon-LDP is claimed, and holds for rewards in an interval of length 2, such as [-1, 1]. Neighbours
differ in the reward of one round, which is reported once with Lap(2/epsilon). For unbounded rewards, as eq. 1
allows, the claim does not hold.

Deviations: none from Algorithm 1 where it says what to do. "max over A" in line 7 is over the active actions. In
line 12 the coreset of the last active set is formed, which the loop does not do, and its best action by the last
estimate is played to the end. ``factor`` multiplies gamma_i: the paper leaves its constant open.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import M1, Rules, eliminate, printed_threshold, pulls_m1
from dpbandits.settings.linear.elimination_declarations import ALPHA, DELTA, PRINTED_FACTOR, PRIVACY_M1_PRINTED, B
from dpbandits.settings.linear.problem import Bandit
from dpbandits.settings.linear.theory import printed_width_m1


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, alpha: float, factor: float
) -> None:
    """Simulate private, robust arm elimination as Algorithm 1 prints it, with a report of each reward (M1).

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta, alpha
        Failure probability of one interval, in (0, 1], and upper bound of the corruption probability, in [0, 0.25).
    factor
        Multiple of the paper's widths gamma_i, > 0. An action whose estimate is more than 2 ``factor`` gamma_i
        below the best is dropped.
    """
    growth = power(runs.horizon, 1.0 / B)
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m1(growth),
        width=lambda batch: (
            factor * printed_width_m1(batch.dimension, power(growth, batch.number), alpha, epsilon, delta)
        ),
        threshold=printed_threshold,
        model=M1,
        scale=2.0 / epsilon,
        support_only=True,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Robust elimination (M1), printed",
    source="charisopoulos2022, Algorithms 1 and 2 under (M1)",
    decides="rounds",
    privacy=PRIVACY_M1_PRINTED,
    parameters=(B, DELTA, ALPHA, PRINTED_FACTOR),
    simulate=simulate,
)
