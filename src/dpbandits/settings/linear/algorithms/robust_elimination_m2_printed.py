"""Robust arm elimination under model (M2), as printed.

Source: charisopoulos2022, Algorithm 1 with Algorithm 2 and eq. 20.

Privacy: epsilon-DP is claimed, and holds for rewards in an interval of length 2, such as [-1, 1]. Neighbours
differ in the reward of one round, which enters the mean of one batch's n rewards of one action, reported once with
Lap(2/(n epsilon)); batches are disjoint (parallel composition). For unbounded rewards, as eq. 1 allows, the claim
does not hold.

Deviations: those of `robust-elimination-m1-printed`. A batch that does not fit into T any more is cut, and no
estimate is made of it: with line 2's q the batches of line 5 can exceed T.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import M2, Rules, eliminate, printed_threshold, pulls_m2
from dpbandits.settings.linear.elimination_declarations import (
    ALPHA,
    DELTA,
    NU,
    PRINTED_FACTOR,
    PRIVACY_M2_PRINTED,
    B,
)
from dpbandits.settings.linear.problem import Bandit
from dpbandits.settings.linear.theory import printed_width_m2


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, alpha: float, nu: float, factor: float
) -> None:
    """Simulate private, robust arm elimination as Algorithm 1 prints it, with reports of actions' means (M2).

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta, nu
        Failure probability of one interval, and least weight of an action in a batch; both in (0, 1].
    alpha
        Upper bound of the corruption probability, in [0, 0.25).
    factor
        Multiple of the paper's widths gamma_i, > 0. An action whose estimate is more than 2 ``factor`` gamma_i
        below the best is dropped.
    """
    growth = power(runs.horizon, 1.0 / B)
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m2(growth, nu),
        width=lambda batch: (
            factor
            * printed_width_m2(
                batch.dimension, batch.support, power(growth, batch.number), alpha, epsilon, delta, nu
            )
        ),
        threshold=printed_threshold,
        model=M2,
        scale=2.0 / epsilon,
        support_only=True,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Robust elimination (M2), printed",
    source="charisopoulos2022, Algorithms 1 and 2 under (M2)",
    decides="batches",
    privacy=PRIVACY_M2_PRINTED,
    parameters=(B, DELTA, ALPHA, NU, PRINTED_FACTOR),
    simulate=simulate,
)
