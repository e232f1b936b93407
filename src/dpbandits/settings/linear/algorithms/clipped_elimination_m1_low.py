"""Clipped arm elimination under model (M1) with a low level: `clipped-elimination-m1`, cut where alpha says.

Source: ours, docs/charisopoulos2022-clipping.md, Theorem J, part J2.

Privacy: epsilon-LDP, as `robust-elimination-m1`. What the server cuts is post-processing.

Deviations: those of `clipped-elimination-m1`, but reports are cut at a lower level. It is
`1 + sqrt(2 log(1/A)) + (2/epsilon) log(1/A)`, where A is the larger of alpha and 1/T. An honest report is cut with
a probability of order A, and what that moves is in gamma_i.
"""

from __future__ import annotations

from dpbandits.core import mathematics
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import M1, Rules, clipping_width, eliminate, no_filter, pulls_m1
from dpbandits.settings.linear.elimination_declarations import ALPHA, CLIP, DELTA, FACTOR, PRIVACY_M1, B
from dpbandits.settings.linear.problem import Bandit
from dpbandits.settings.linear.theory import clipping_level


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, alpha: float, clip: float, factor: float
) -> None:
    """Fill ``runs`` with those of clipped elimination under (M1), cut at a level that follows alpha.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B, delta, alpha, clip, factor
        As ``ALGORITHM.parameters`` declares them.
    """
    scale, share = 2.0 * clip / epsilon, max(alpha, 1.0 / runs.horizon)
    level = clipping_level(mathematics.log(1.0 / share), clip, scale)
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m1(mathematics.power(runs.horizon, 1.0 / B)),
        width=clipping_width(factor, delta, alpha, level, (2.0 * clip + scale) * share),
        threshold=no_filter,
        model=M1,
        clip=clip,
        scale=scale,
        level=level,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Clipped elimination (M1), low level",
    source="ours, Theorem J2; charisopoulos2022, Algorithm 1 under (M1) with clipped reports and least squares",
    decides="rounds",
    privacy=PRIVACY_M1,
    parameters=(B, DELTA, ALPHA, CLIP, FACTOR),
    simulate=simulate,
    deviations="reports are cut and not filtered; width, kept actions and noise scale as for the repaired ones",
)
