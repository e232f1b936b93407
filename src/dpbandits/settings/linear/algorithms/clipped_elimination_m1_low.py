"""Clipped arm elimination under model (M1): `clipped-elimination-m1`, cut at a lower level that alpha sets.

Source: ours, docs/charisopoulos2022-clipping.md, Theorem J, part J2.

Privacy: epsilon-LDP, as `robust-elimination-m1`. What the server cuts is post-processing.

Deviations: those of `clipped-elimination-m1`, but reports are cut at a lower level. In units of the clip it is
`1 + sqrt(2 log(1/A)) + (2/epsilon) log(1/A)`, where A is the larger of 1/T and alpha. Honest reports are cut with a
probability of order A, and gamma_i allows for the shift of their mean.
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
    """Simulate private arm elimination by least squares on reports of rewards (M1), cut at a level set by alpha.

    Pulls and regret are recorded in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    B
        Number of batches, from 1 to log2 T; the last one plays the best action.
    delta, alpha
        Failure probability of one interval, in (0, 1], and upper bound of the corruption probability, in [0, 0.25).
    clip, factor
        Bound to which clients clip rewards, and multiple of the widths gamma_i; both > 0. Actions are dropped whose
        estimate is more than 2 ``factor`` gamma_i below the best.
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
