"""Robust arm elimination under model (M2), with what is printed repaired.

Source: charisopoulos2022, Algorithm 1 with Algorithm 2; `robust-elimination-m2-printed` is as printed.

Privacy: epsilon-DP for rewards of any size. Neighbours differ in the reward of one round. The action's client clips
rewards to [-clip, clip], and averages the n rewards of a batch. One reward moves this mean by at most 2 clip / n,
and the mean is reported once with Lap(2 clip / (n epsilon)). Batches are disjoint (parallel composition). All else
is post-processing.

Deviations, each of which the register of discrepancies explains: those of `robust-elimination-m1`, with eq. 20 for
eq. 15; and

- line 2: q = (T / (1 + nu k))^(1/B), k the largest support of a design, so that batches enlarged by nu fit into T.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.design import support_bound
from dpbandits.settings.linear.elimination import M2, Rules, eliminate, known_threshold, pulls_m2, stated_width
from dpbandits.settings.linear.elimination_declarations import ALPHA, CLIP, DELTA, FACTOR, NU, PRIVACY_M2, B
from dpbandits.settings.linear.problem import Bandit


def simulate(
    runs: Runs,
    bandit: Bandit,
    *,
    epsilon: float,
    B: int,
    delta: float,
    alpha: float,
    nu: float,
    clip: float,
    factor: float,
) -> None:
    """Simulate private arm elimination by the robust spectral filter, with reports of actions' means (M2).

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
    clip, factor
        Bound to which clients clip rewards, and multiple of the widths gamma_i; both > 0. Actions are dropped whose
        estimate is more than 2 ``factor`` gamma_i below the best.
    """
    rounds = runs.horizon / (1.0 + nu * support_bound(bandit.actions.shape[1]))
    rules = Rules(
        batches=range(1, B),
        pulls=pulls_m2(power(rounds, 1.0 / B), nu),
        width=stated_width(factor, delta, alpha),
        threshold=known_threshold,
        model=M2,
        clip=clip,
        scale=2.0 * clip / epsilon,
    )
    eliminate(runs, bandit, rules)


ALGORITHM = Algorithm(
    title="Robust elimination (M2)",
    source="charisopoulos2022, Algorithms 1 and 2 under (M2), repaired",
    decides="batches",
    privacy=PRIVACY_M2,
    parameters=(B, DELTA, ALPHA, NU, CLIP, FACTOR),
    simulate=simulate,
    deviations="threshold, width, kept actions, noise, batch sizes are repaired: see the register of discrepancies",
)
