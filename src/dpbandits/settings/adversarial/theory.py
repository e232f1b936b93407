"""Regret bounds of asi2025 for adversarial bandits, with their constants.

An upper bound is in losses, for losses in [0, 1], and holds for every oblivious sequence. Where a corollary is
printed with O(), the constant is that of its proof. ``horizon`` is n or T, the number of decisions or rounds, and
``arms`` is K. ``noise`` is lambda, the scale of the Laplace noise in each loss of a decision.
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
        Paper and number of the statement.
    formula
        The bound as it is printed, in TeX, without constants and lower-order terms.
    suppressed
        Function from a `Tuning` (T, K, epsilon) to the formula's value, in losses: constants are suppressed.
    value
        Function from a `Tuning` to the bound with its proof's constants, in losses; ``None`` if they are unknown.
    """

    source: str
    formula: str
    suppressed: Callable[[Tuning], float]
    value: Callable[[Tuning], float] | None


def budget(tuning: Tuning) -> float:
    """Return the privacy budget epsilon in ``tuning``, which a private algorithm always has."""
    assert tuning.epsilon is not None
    return tuning.epsilon


def htinf(horizon: float, arms: int, noise: float) -> float:
    """Return HTINF's regret bound 30 sigma sqrt(K(n+1)), sigma^2 = 2 + 4 lambda^2 (asi2025, proof of Corollary 2).

    n is ``horizon``, the number of decisions; K is ``arms``; lambda is ``noise``, the scale of the losses' noise.
    """
    return 30 * math.sqrt((2 + 4 * noise**2) * arms * (horizon + 1))


def exp3(horizon: float, arms: int, noise: float) -> float:
    """Return EXP3's regret bound 2 sqrt(2nK log K (1 + 10 max(lambda, lambda^2) log^2(nK))) + 1.

    n is ``horizon``, the number of decisions; K is ``arms``; lambda is ``noise``, the scale of the losses' noise.
    Source: asi2025, proof of Corollary 22.
    """
    heavy = 1 + 10 * max(noise, noise**2) * math.log(horizon * arms) ** 2
    return 2 * math.sqrt(2 * horizon * arms * math.log(arms) * heavy) + 1


def ftpl(horizon: float, arms: int, noise: float) -> float:
    """Return FTPL's regret bound 11 lambda sqrt(nK) log K log(nK) + 10 sqrt(nK) (asi2025, Lemma 25).

    n is ``horizon``, the number of decisions; K is ``arms``; lambda is ``noise``, the scale of the losses' noise.
    """
    root = math.sqrt(horizon * arms)
    return 11 * noise * root * math.log(arms) * math.log(horizon * arms) + 10 * root


def converted(base: Callable[[float, int, float], float], tuning: Tuning, tau: int) -> float:
    """Return Theorem 1's regret bound tau R(T/tau, K, 1/(tau epsilon)) + tau for batches of ``tau`` rounds.

    ``base`` is R, the base's regret bound as a function of decisions, arms and noise, such as `htinf`.
    ``tuning`` has T, K and epsilon.
    """
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

    Let arm 1 always lose 1/2, and arm 2 always 1. The bound is for private algorithms for which two events then
    have a probability of at least 1/2 each. (1) Arm 2 is pulled in at least gamma T rounds. (2) It is pulled in at
    most p of the p/gamma rounds after round tau.

    Parameters
    ----------
    horizon, epsilon
        Number T of rounds, and the privacy budget, at most 1.
    gamma, tau, p
        The constants in (1) and (2): gamma in (0, 1/2], tau < T/2, and 2 gamma tau <= p <= gamma (T - tau).
    """
    return max(gamma * horizon / 4, (1 - math.exp(epsilon * p) / 2) * p / (4 * gamma) - tau / 2)


# KL of Bernoulli(1/2) from Bernoulli(1/2 - gap) is at most this times gap^2, for gaps up to LARGEST_GAP.
COIN = 8 * math.log(4 / 3)
LARGEST_GAP = 0.25


def conversion_floor(tuning: Tuning) -> float:
    """Return min(beta T/8, beta^2 sqrt(KT/epsilon)/3), beta = 1 - 1/K: a lower bound of a conversion's regret.

    It is of the worst regret over loss sequences, and holds for asi2025's conversion with every base algorithm and
    every batch size: Theorem D of docs/asi2025-conversion.md. ``tuning`` has T, K and epsilon.
    """
    beta = 1 - 1 / tuning.arms
    root = math.sqrt(tuning.arms * tuning.horizon / budget(tuning))
    return min(beta * tuning.horizon / 8, beta**2 * root / 3)


class Hardest(NamedTuple):
    """The instances on which a conversion with batches of one size has large regret, whatever its base.

    They are those in the proof of docs/asi2025-conversion.md, Theorem D.

    Attributes
    ----------
    gap
        Difference between 1/2, the mean loss of all other arms, and the mean loss of the best arm.
    coins
        True if each arm's losses in a batch are all 0 or all 1, by one coin. False if each loss is its mean.
    floor
        Lower bound of the worst regret over these instances, in losses. It holds for every base algorithm.
    """

    gap: float
    coins: bool
    floor: float


def hardest_instance(tuning: Tuning, tau: int) -> Hardest:
    """Return instances on which a conversion with batches of ``tau`` rounds has large regret, whatever its base.

    They are those in the proof of docs/asi2025-conversion.md, Theorem D.

    Parameters
    ----------
    tuning
        Facts of the problem: horizon T, number K of arms, and privacy budget.
    tau
        Number of rounds in a batch, >= 1.
    """
    beta = 1 - 1 / tuning.arms
    hidden = (tau * budget(tuning)) ** 2 / 2
    told = min(COIN, hidden)
    finished = tuning.horizon // tau
    gap = min(LARGEST_GAP, beta / 2 * math.sqrt(2 * tuning.arms / (told * finished)) if finished else LARGEST_GAP)
    return Hardest(gap, hidden > COIN, gap * tuning.horizon * beta / 2)
