"""Private arm elimination under (M1), not robust: `robust-elimination-m1`, least squares in place of the filter.

Source: charisopoulos2022, Section 2.1, the naive way; Algorithm 1 with eq. 8 in place of lines 7 and 8.

Privacy: epsilon-LDP, as `robust-elimination-m1`.

Deviations: those of `robust-elimination-m1` that concern it. Line 7 as printed never removes a point, so this is
also Algorithm 1 with line 10 alone repaired.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import M1, Rules, eliminate, no_filter, pulls_m1, stated_width
from dpbandits.settings.linear.elimination_declarations import CLIP, DELTA, FACTOR, PRIVACY_M1, B
from dpbandits.settings.linear.problem import Bandit


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, clip: float, factor: float
) -> None:
    """Simulate private arm elimination by plain least squares, with a report of each reward (M1).

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta
        Failure probability of one interval, in (0, 1].
    clip, factor
        Bound to which clients clip rewards, and multiple of the widths gamma_i; both > 0. Actions are dropped whose
        estimate is more than 2 ``factor`` gamma_i below the best.
    """
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m1(power(runs.horizon, 1.0 / B)),
        width=stated_width(factor, delta, 0.0),
        threshold=no_filter,
        model=M1,
        clip=clip,
        scale=2.0 * clip / epsilon,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Private elimination (M1)",
    source="charisopoulos2022, Algorithm 1 under (M1) with least squares",
    decides="rounds",
    privacy=PRIVACY_M1,
    parameters=(B, DELTA, CLIP, FACTOR),
    simulate=simulate,
    deviations="width, kept actions and noise scale are repaired: see the register of discrepancies",
)
