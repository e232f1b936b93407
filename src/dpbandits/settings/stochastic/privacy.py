"""The exact privacy loss of one decision: which arm has the largest private mean, if all have n rewards.

The indices of DP-KLUCB, DP-IMED, AdaP-UCB and AdaP-KLUCB grow with an arm's noisy reward sum s_k + Z_k, Z_k ~
Lap(1/epsilon). Let all arms have the same number n of rewards, so large that noise cannot reach clipping or a
saturated index. Then the arm of the largest noisy sum is chosen. If the other K - 1 arms have the sum s, arm 1 is
chosen with probability

    P(d) = integral over x of f(x) F(x + d)^(K-1), d = epsilon (s_1 - s).

One reward replaced moves one sum by at most 1. So the loss is at most epsilon, that of one noisy sum. It tends to
epsilon as arm 1 falls behind.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Worst
from dpbandits.core.fields import Values

Floats = NDArray[np.float64]
# Numbers of arms, and the farthest that an arm is behind or ahead, in units of the noise.
ARMS = (2, 3, 10, 100)
FARTHEST = 40.0
# Beyond this many units Laplace noise has no mass in double precision.
END = 80.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def chosen(d: float, arms: int) -> float:
    """Return the probability that arm 1 has the largest noisy reward sum of ``arms`` arms, exact to some 1e-14.

    The noise is Laplace, and all other arms have equal sums before it. ``d`` is the lead of arm 1's sum over these,
    in scales of the noise; it may be negative.
    """
    # Gauss-Legendre panels, at most 1 long, between the kinks at 0 and -d.
    kinks = np.array([-END - abs(d), *sorted((0.0, -d)), END + abs(d)])
    edges = np.concatenate([np.linspace(a, b, 1 + max(1, math.ceil(b - a))) for a, b in itertools.pairwise(kinks)])
    half = np.diff(edges)[:, None] / 2.0
    x = edges[:-1, None] + half * (NODES + 1.0)
    y = x + d
    below = np.where(y < 0.0, 0.5 * np.exp(np.minimum(y, 0.0)), 1.0 - 0.5 * np.exp(-np.maximum(y, 0.0)))
    return float(np.sum(half * WEIGHTS * 0.5 * np.exp(-np.abs(x)) * below ** (arms - 1)))


def worst(epsilon: float, _: Values) -> Worst:
    """Return the worst privacy loss of the decision which of several arms has the largest noisy reward sum.

    It is searched over 2, 3, 10 and 100 arms, and over the lead of an arm's reward sum over all others. Leads are
    whole numbers from -40/epsilon to 40/epsilon: all of size up to 99, and beyond that up to 100 of each sign.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0: reward sums have noise Lap(1/epsilon).

    Returns
    -------
    Worst
        The loss log(p/q), two neighbouring inputs as numbers by name, and the event with its probabilities p and q.
    """
    farthest = math.floor(FARTHEST / epsilon)
    # Whole numbers of rewards: all up to 100, then geometrically.
    steps = np.unique(np.rint(np.append(np.arange(100), np.geomspace(100, max(farthest, 100), 100))))
    leads = np.concatenate([-steps[::-1], steps[1:]])[np.abs(np.concatenate([-steps[::-1], steps[1:]])) <= farthest]
    best = (0.0, 2, 0, 0.0, 0.0)
    for arms in ARMS:
        for lead in leads:
            p, q = chosen(epsilon * lead, arms), chosen(epsilon * (lead - 1), arms)
            best = max(best, (math.log(p / q), arms, int(lead), p, q))
    loss, arms, lead, p, q = best
    return Worst(
        loss=loss,
        of=f"a decision among up to {ARMS[-1]} arms of equally many rewards",
        one={"arms": arms, "reward sum of arm 1": lead, "of each other": 0, "beyond": "a common number"},
        other={"arms": arms, "reward sum of arm 1": lead - 1, "of each other": 0, "beyond": "a common number"},
        event="arm 1 is chosen",
        probabilities=(p, q),
    )
