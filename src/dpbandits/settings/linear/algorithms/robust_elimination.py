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
    """Fill ``runs`` with those of robust elimination without privacy.

    Parameters
    ----------
    B, delta, alpha, clip, factor
        As ``ALGORITHM.parameters`` declares them.
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
