"""Robust arm elimination without privacy: `robust-elimination-m1` on rewards that carry no Laplace noise.

Source: charisopoulos2022, Algorithm 1 with Algorithm 2 and epsilon infinite.

Privacy: none.

Deviations: those of `robust-elimination-m1` that concern it.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import Rules, eliminate, known_threshold, pulls_m1, stated_width
from dpbandits.settings.linear.elimination_declarations import ALPHA, CLIP, DELTA, FACTOR, B
from dpbandits.settings.linear.problem import Bandit


def simulate(runs: Runs, bandit: Bandit, *, B: int, delta: float, alpha: float, clip: float, factor: float) -> None:
    """Simulate arm elimination by the robust spectral filter, without privacy.

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta, alpha
        Failure probability of one interval, in (0, 1], and upper bound of the corruption probability, in [0, 0.25).
    clip, factor
        Bound to which rewards are clipped, and multiple of the widths gamma_i; both > 0. Actions are dropped whose
        estimate is more than 2 ``factor`` gamma_i below the best.
    """
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m1(power(runs.horizon, 1.0 / B)),
        width=stated_width(factor, delta, alpha),
        threshold=known_threshold,
        clip=clip,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Robust elimination",
    source="charisopoulos2022, Algorithms 1 and 2 without privacy, repaired",
    decides="rounds",
    privacy=None,
    parameters=(B, DELTA, ALPHA, CLIP, FACTOR),
    simulate=simulate,
    deviations="threshold, width and kept actions are repaired: see the register of discrepancies",
)
