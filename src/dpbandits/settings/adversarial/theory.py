"""Regret bounds of asi2025 for adversarial bandits, with their constants.

A bound is in losses, for losses in [0, 1], and holds for every oblivious sequence. Where a corollary is printed
with O(), the constant is that of its proof. ``horizon`` is n or T, the number of decisions or rounds, and ``arms``
is K. ``noise`` is lambda, the scale of the Laplace noise in each loss of a decision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from dpbandits.core.fields import Tuning


class Bound(NamedTuple):
    """An upper bound on regret.

    Attributes
    ----------
    source
        Paper and statement.
    formula
        The bound as it is printed, in TeX, without constants and lower-order terms.
    suppressed
        Value of the formula at a tuning, in losses.
    value
        The bound at a tuning, in losses, with the constants of its proof; ``None`` if these are not known.
    """

    source: str
    formula: str
    suppressed: Callable[[Tuning], float]
    value: Callable[[Tuning], float] | None


def budget(tuning: Tuning) -> float:
    """Return the privacy budget of a private algorithm's tuning."""
    assert tuning.epsilon is not None
    return tuning.epsilon


def htinf(horizon: float, arms: int, noise: float) -> float:
    """Return 30 sigma sqrt(K(n+1)), sigma^2 = 2 + 4 lambda^2, of HTINF (asi2025, proof of Corollary 2)."""
    return 30 * math.sqrt((2 + 4 * noise**2) * arms * (horizon + 1))


def exp3(horizon: float, arms: int, noise: float) -> float:
    """Return 2 sqrt(2nK log K (1 + 10 max(lambda, lambda^2) log^2(nK))) + 1 (asi2025, proof of Corollary 22)."""
    heavy = 1 + 10 * max(noise, noise**2) * math.log(horizon * arms) ** 2
    return 2 * math.sqrt(2 * horizon * arms * math.log(arms) * heavy) + 1


def ftpl(horizon: float, arms: int, noise: float) -> float:
    """Return 11 lambda sqrt(nK) log K log(nK) + 10 sqrt(nK), n decisions and noise lambda (asi2025, Lemma 25)."""
    root = math.sqrt(horizon * arms)
    return 11 * noise * root * math.log(arms) * math.log(horizon * arms) + 10 * root


def converted(base: Callable[[float, int, float], float], tuning: Tuning, tau: int) -> float:
    """Return tau R(T/tau, K, 1/(tau epsilon)) + tau: Theorem 1's bound for batches of ``tau`` rounds."""
    return tau * base(tuning.horizon / tau, tuning.arms, 1 / (tau * budget(tuning))) + tau


def _cor2(tuning: Tuning) -> float:
    return 2 / budget(tuning) * (htinf(budget(tuning) * tuning.horizon, tuning.arms, 1.0) + 1)


def _cor22(tuning: Tuning) -> float:
    size = tuning.horizon * tuning.arms
    root = math.sqrt(size * math.log(tuning.arms) / budget(tuning))
    return 36 * root * math.log(size) + 4 / budget(tuning)


def _cor24(tuning: Tuning) -> float:
    size = tuning.horizon * tuning.arms
    root = math.sqrt(size / budget(tuning))
    return 32 * root * math.log(tuning.arms) * math.log(size) + 2 / budget(tuning)


def _existing(tuning: Tuning) -> float:
    size = tuning.horizon * tuning.arms
    return math.sqrt(size * math.log(size)) / budget(tuning)


BOUNDS = {
    "existing": Bound(
        "asi2025, Table 1 (Agarwal & Singh 2017; Tossou & Dimitrakakis 2017)",
        r"\frac{\sqrt{KT\log(KT)}}{\varepsilon}",
        _existing,
        None,
    ),
    "cor2": Bound(
        "asi2025, Corollary 2",
        r"\frac{\sqrt{KT}}{\sqrt{\varepsilon}}",
        lambda tuning: math.sqrt(tuning.arms * tuning.horizon / budget(tuning)),
        _cor2,
    ),
    "cor22": Bound(
        "asi2025, Corollary 22",
        r"\frac{\sqrt{TK\log(K)}\log(KT)}{\sqrt{\varepsilon}}",
        lambda tuning: (_cor22(tuning) - 4 / budget(tuning)) / 36,
        _cor22,
    ),
    "cor24": Bound(
        "asi2025, Corollary 24",
        r"\frac{\sqrt{KT}\log(K)\log(KT)}{\sqrt{\varepsilon}}",
        lambda tuning: (_cor24(tuning) - 2 / budget(tuning)) / 32,
        _cor24,
    ),
}


def late_improvement(horizon: float, epsilon: float, gamma: float, tau: float, p: float) -> float:
    """Return Lemma 11's lower bound max(gamma T/4, (1 - e^(eps p)/2) p/(4 gamma) - tau/2) on the worst regret.

    Parameters
    ----------
    horizon, epsilon
        T and the privacy budget.
    gamma, tau, p
        Constants with which the algorithm satisfies the lemma's conditions (1) and (2).
    """
    return max(gamma * horizon / 4, (1 - math.exp(epsilon * p) / 2) * p / (4 * gamma) - tau / 2)


# KL of Bernoulli(1/2) from Bernoulli(1/2 - gap) is at most this times gap^2, for gaps up to LARGEST_GAP.
COIN = 8 * math.log(4 / 3)
LARGEST_GAP = 0.25


def conversion_floor(tuning: Tuning) -> float:
    """Return min(beta T/8, beta^2 sqrt(KT/epsilon)/3), beta = 1 - 1/K.

    No base algorithm and no batch size has a smaller worst regret in asi2025's conversion: Theorem D of
    docs/asi2025-conversion.md.
    """
    beta = 1 - 1 / tuning.arms
    root = math.sqrt(tuning.arms * tuning.horizon / budget(tuning))
    return min(beta * tuning.horizon / 8, beta**2 * root / 3)


class Hardest(NamedTuple):
    """The instances of Theorem D's proof for batches of one size.

    Attributes
    ----------
    gap
        Difference between the mean loss 1/2 of all arms but one and that of the best arm.
    coins
        Whether losses are 0 or 1, by one coin a batch; else they are their means.
    floor
        Lower bound of the worst regret over these instances, in losses, whatever the base.
    """

    gap: float
    coins: bool
    floor: float


def hardest_instance(tuning: Tuning, tau: int) -> Hardest:
    """Return the instances of docs/asi2025-conversion.md, Theorem D, for batches of ``tau`` rounds.

    Parameters
    ----------
    tuning
        T, K and the budget.
    tau
        Rounds in a batch, >= 1.
    """
    beta = 1 - 1 / tuning.arms
    hidden = (tau * budget(tuning)) ** 2 / 2
    told = min(COIN, hidden)
    finished = tuning.horizon // tau
    gap = min(LARGEST_GAP, beta / 2 * math.sqrt(2 * tuning.arms / (told * finished)) if finished else LARGEST_GAP)
    return Hardest(gap, hidden > COIN, gap * tuning.horizon * beta / 2)
