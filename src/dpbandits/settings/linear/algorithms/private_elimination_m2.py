"""Private arm elimination under (M2), not robust: `robust-elimination-m2`, least squares in place of the filter.

Source: charisopoulos2022, Section 2.1, the naive way; Algorithm 1 with eq. 8 in place of lines 7 and 8.

Privacy: epsilon-DP, as `robust-elimination-m2`.

Deviations: those of `robust-elimination-m2` that concern it.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.design import support_bound
from dpbandits.settings.linear.elimination import M2, Rules, eliminate, no_filter, pulls_m2, stated_width
from dpbandits.settings.linear.elimination_declarations import CLIP, DELTA, FACTOR, NU, PRIVACY_M2, B
from dpbandits.settings.linear.problem import Bandit


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, nu: float, clip: float, factor: float
) -> None:
    """Simulate private arm elimination by plain least squares, with reports of actions' means (M2).

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta, nu
        Failure probability of one interval, and least weight of an action in a batch; both in (0, 1].
    clip, factor
        Bound to which clients clip rewards, and multiple of the widths gamma_i; both > 0. Actions are dropped whose
        estimate is more than 2 ``factor`` gamma_i below the best.
    """
    # T/(1 + nu k), k the largest support of a design: batches enlarged by nu then fit into T.
    rounds = runs.horizon / (1.0 + nu * support_bound(bandit.actions.shape[1]))
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m2(power(rounds, 1.0 / B), nu),
        width=stated_width(factor, delta, 0.0),
        threshold=no_filter,
        model=M2,
        clip=clip,
        scale=2.0 * clip / epsilon,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Private elimination (M2)",
    source="charisopoulos2022, Algorithm 1 under (M2) with least squares",
    decides="batches",
    privacy=PRIVACY_M2,
    parameters=(B, DELTA, NU, CLIP, FACTOR),
    simulate=simulate,
    deviations="width, kept actions, noise and batch sizes are repaired: see the register of discrepancies",
)
