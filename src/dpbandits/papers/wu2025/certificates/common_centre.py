"""Theorem L of docs/wu2025-regret.md: its laws exactly, and its sum in balls, without asymptotics.

*Laws.* For small K and s the mean losses under each instance are summed over all sets of s actions, in fractions.
With sigma = s/K the gap Delta is sigma (1 - sigma) K/(K - 1) for each action but the instance's best one, l.

*Sum.* By step 5 the mean regret is at least Delta times the sum over n of 1 - e^(epsilon m/2)/K - P[M > m], for
any m. M, binomial of n trials with sigma, has P[M > m] <= exp(-n kl(m/n, sigma)) for m > n sigma (Chernoff).
P[I_t = l] of the proof is at most 1, so terms can be left out. The best bound does not grow with n, because M
does: so a block of rounds has at least the bound at its end. The m are found in floating point, and any m is
valid.

Trusted: this derivation, and python-flint's balls.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import equal, greater

PRECISION = 128
# Blocks of rounds that the sum is taken over.
BLOCKS = 400
# K, 1/epsilon, and what is proved of the regret over log K/epsilon, for sigma = 1/K.
SUMS = ((100, 100, "1.39"), (100, 10_000, "1.54"), (10_000, 100, "1.65"), (10_000, 10_000, "1.76"))


def means(actions: int, size: int, best: int) -> list[Fraction]:
    """Return the mean loss of each of K = ``actions`` actions in the instance with best action l = ``best``.

    A set of ``size`` actions is drawn evenly. Its actions share one loss, and all others have 1 minus this loss. It
    is 0 if l is in the set, else 0 or 1 with probability 1/2 each. Actions are numbered from 0.
    """
    sets = list(itertools.combinations(range(actions), size))
    total = [Fraction(0)] * actions
    for chosen in sets:
        direct = Fraction(0) if best in chosen else Fraction(1, 2)
        for action in range(actions):
            total[action] += direct if action in chosen else 1 - direct
    return [each / len(sets) for each in total]


def good_m(n: int, sigma: float, half: float, actions: int) -> int:
    """Return a whole m at which e^(epsilon m/2)/K plus Chernoff's bound on P[M > m] is small.

    M is binomial, of ``n`` trials with probability ``sigma``. The search is ternary, in floating point: the proof
    holds for any m, and a good one gives a large bound.

    Parameters
    ----------
    n
        Number of rounds, >= 1.
    sigma
        Share s/K of actions in a set, in (0, 1).
    half
        Half of the privacy budget, epsilon/2.
    actions
        Number K of actions.
    """

    def value(m: float) -> float:
        p = m / n
        rest = (1 - p) * math.log((1 - p) / (1 - sigma)) if p < 1 else 0.0
        return math.exp(half * m) / actions + math.exp(-n * (p * math.log(p / sigma) + rest))

    # Beyond log(K)/half the first term is above 1.
    low, high = n * sigma, min(float(n), max(n * sigma, math.log(actions) / half))
    for _ in range(100):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, right) if value(left) < value(right) else (left, high)
    return max(math.ceil((low + high) / 2), math.floor(n * sigma) + 1)


def wrong_probability(n: int, actions: int, epsilon: arb) -> arb:
    """Return a lower bound of the probability of a wrong action in round n + 1, averaged over the K instances.

    Instance l has the best action l, and every other action is wrong there. The bound holds for every private
    algorithm with budget ``epsilon``, for sets of one action (sigma = 1/K), K = ``actions`` and n >= 2. It may be
    negative.
    """
    sigma = 1 / arb(actions)
    m = min(good_m(n, 1.0 / actions, float(epsilon.mid()) / 2, actions), n - 1)
    # Step 5: 1 - e^(epsilon m/2)/K - P[M > m]; m < n keeps the divergence finite.
    p = arb(m) / n
    kl = p * (p / sigma).log() + (1 - p) * ((1 - p) / (1 - sigma)).log()
    return 1 - (epsilon * m / 2).exp() / actions - (-n * kl).exp()


def regret_bound(actions: int, inverse: int) -> arb:
    """Return a lower bound of regret divided by log K/epsilon, for K = ``actions`` and epsilon = 1/``inverse``.

    It holds for every private algorithm, averaged over instances that differ in their best action (sigma = 1/K).
    """
    epsilon = 1 / arb(inverse)
    # Rounds that the sum goes over. Any number is valid; past 2 K log K/epsilon the terms add next to nothing.
    rounds = math.ceil(2 * math.log(actions) * actions * inverse)
    block = max(1, rounds // BLOCKS)
    total = arb(0)
    for number in range(1, BLOCKS):
        probability = wrong_probability(number * block, actions, epsilon)
        if probability > 0:
            total += block * probability
    # Delta = 1/K.
    return total / actions * epsilon / arb(actions).log()


def prove() -> list[Row]:
    """Return proved rows on Theorem L (docs/wu2025-regret.md): its instances' gaps, and regret for four K, epsilon.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    rows = []
    for actions in range(3, 8):
        for size in range(1, (actions + 1) // 2):
            sigma = Fraction(size, actions)
            gap = sigma * (1 - sigma) * Fraction(actions, actions - 1)
            for best, action in ((0, 1), (0, actions - 1), (1, 0)):
                mean = means(actions, size, best)
                name = f"K = {actions}, sigma = {sigma}, action {action} of instance {best}"
                rows.append(equal(name, "gap", mean[action] - mean[best], gap))
    with ctx.workprec(PRECISION):
        for actions, inverse, bound in SUMS:
            name = f"K = {actions}, epsilon = 1/{inverse}"
            rows.append(
                greater(name, f"regret > {bound} log K/epsilon", regret_bound(actions, inverse), arb(bound))
            )
    return rows


CERTIFICATE = Certificate(
    title="Theorem L: the gap of its instances, and its sum for four K and epsilon",
    source="docs/wu2025-regret.md, Theorem L",
    statement=(
        "Step 2 in fractions for K up to 7; steps 5 and 6 in balls: every private algorithm has regret above 1.39 "
        "to 1.76 log K/epsilon at finite K and epsilon."
    ),
    arithmetic="fractions, and balls of python-flint",
    prove=prove,
)
