"""Robust arm elimination under model (M1), with what is printed repaired.

Source: charisopoulos2022, Algorithm 1 with Algorithm 2; `robust-elimination-m1-printed` is as printed.

Privacy: epsilon-LDP for rewards of any size. Neighbours differ in the reward of one round. The client clips it to
[-clip, clip], so that it changes by at most 2 clip, and reports it once with Lap(2 clip / epsilon); all else is
post-processing.

Deviations, each of which the register of discrepancies explains:

- line 7: the filter's threshold is the second moment of a clean report over n, from the known scales of mean,
  noise and Laplace noise, instead of one from the received reports;
- line 9: ``factor`` multiplies gamma_i, which has stated constants: `dpbandits.settings.linear.theory.known_width`;
- line 10: all active actions are compared and kept, not those of the coreset alone;
- line 12: the best active action is played to the end;
- eq. 15: Lap(2 clip / epsilon) of a clipped reward instead of Lap(2 / epsilon) of any.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.elimination import M1, Rules, eliminate, known_threshold, pulls_m1, stated_width
from dpbandits.settings.linear.elimination_declarations import ALPHA, CLIP, DELTA, FACTOR, PRIVACY_M1, B
from dpbandits.settings.linear.problem import Bandit


def simulate(
    runs: Runs, bandit: Bandit, *, epsilon: float, B: int, delta: float, alpha: float, clip: float, factor: float
) -> None:
    """Simulate private arm elimination by the robust spectral filter, with a report of each reward (M1).

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
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m1(power(runs.horizon, 1.0 / B)),
        width=stated_width(factor, delta, alpha),
        threshold=known_threshold,
        model=M1,
        clip=clip,
        scale=2.0 * clip / epsilon,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Robust elimination (M1)",
    source="charisopoulos2022, Algorithms 1 and 2 under (M1), repaired",
    decides="rounds",
    privacy=PRIVACY_M1,
    parameters=(B, DELTA, ALPHA, CLIP, FACTOR),
    simulate=simulate,
    deviations="threshold, width, kept actions and noise scale are repaired: see the register of discrepancies",
)
