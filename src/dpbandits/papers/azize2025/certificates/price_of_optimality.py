"""The Lemma of Theorem K (docs/azize2025-tails.md) in balls, for a private policy and twelve instances.

The policy plays arm 1 for n rounds, adds discrete Laplace noise to the sum of its rewards, and never plays it
again if the noisy sum is below a threshold, two deviations above nc. This is epsilon-private, as one reward
moves the sum by one at most. So N_1(T) <= n has a probability that is a finite sum. The Lemma says that

    P_1[N_1 <= n] >= (P_c[N_1 <= n] - P[D > x] - P[Lambda > y]) e^(-epsilon x - y).

Both sides are computed, with z the mean between c and mu_1 of d_epsilon, and with x and y 1.5 deviations above
their means. The rows also say that rho(c) > rho(0), rho(c) being d_epsilon(c, mu_1) / d_epsilon(c, mu_2).

Trusted: this derivation, and python-flint's balls. The rows check the Lemma. They do not prove it.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import greater

PRECISION = 300
# n.
ROUNDS = 200
# mu_1, mu_2 and c in tenths; each triple has every budget.
MEANS = ((9, 8, 4), (6, 5, 1), (8, 4, 2))
BUDGETS = (Fraction(1, 10), Fraction(1, 4), Fraction(1), Fraction(2))
# Standard deviations that x and y are above the means of D and Lambda.
DEVIATIONS = 1.5


def binomial(n: int, p: arb) -> list[arb]:
    """Return the probabilities of 0, ..., n successes in ``n`` trials that succeed with probability ``p``."""
    return [arb(math.comb(n, k)) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]


def stays_away(p: arb, epsilon: arb, threshold: int) -> arb:
    """Return the probability that a policy never plays arm 1 again after its first n = 200 rounds.

    It plays arm 1 in these rounds, and never again if the sum of its rewards, with discrete Laplace noise, is below
    ``threshold``. Rewards are Bernoulli of mean ``p``.
    """
    r = (-epsilon).exp()
    total = arb(0)
    for k, mass in enumerate(binomial(ROUNDS, p)):
        gap = threshold - k
        # P[noise < gap] of a law proportional to r^|i|.
        total += mass * (1 - r**gap / (1 + r) if gap > 0 else r ** (1 - gap) / (1 + r))
    return total


def kl(z: arb, v: arb) -> arb:
    """Return kl(z, v), the divergence of the Bernoulli laws with these means."""
    divergence: arb = z * (z / v).log() + (1 - z) * ((1 - z) / (1 - v)).log()
    return divergence


def minimiser(c: arb, v: arb, epsilon: arb) -> arb:
    """Return the z in [c, v] at which epsilon (z - c) + kl(z, v) is least (azize2025, eq. 8); 0 < c < v < 1."""
    free = v / (v + (1 - v) * epsilon.exp())
    return free if free > c else c


def d_epsilon(c: arb, v: arb, epsilon: arb) -> arb:
    """Return d_epsilon(c, v), the least epsilon (z - c) + kl(z, v) over z in [c, v], for c < v."""
    z = minimiser(c, v, epsilon)
    return epsilon * (z - c) + kl(z, v)


def floor(value: arb) -> int:
    """Return the middle of a ball, rounded down: one of the whole numbers at which the Lemma is checked.

    The Lemma holds at any whole numbers, so an error of rounding does no harm.
    """
    return math.floor(float(value.mid()))


def lemma(first: arb, c: arb, epsilon: arb, group: arb) -> tuple[arb, arb]:
    """Return both sides of Theorem K's Lemma (docs/azize2025-tails.md), as balls.

    It says that P_1[N_1 <= n] >= (P_c[N_1 <= n] - P[D > x] - P[Lambda > y]) e^(-epsilon x - y). Here N_1 is the
    number of pulls of arm 1, and P_c has c in place of arm 1's mean. D is the number of rewards that change when
    their mean moves from c to z. Lambda is the log-likelihood ratio of n rewards of mean z against mean mu_1.

    Parameters
    ----------
    first
        mu_1, the larger mean, in (0, 1).
    c
        A mean below ``first``.
    epsilon
        Privacy budget, > 0.
    group
        Exponent that each changed reward costs, equal to ``epsilon``. A test shows that less would break the Lemma.
    """
    z = minimiser(c, first, epsilon)
    moved = z - c
    threshold = floor(ROUNDS * c + 2 * (ROUNDS * c * (1 - c)).sqrt() + 2 / epsilon)
    x = floor(moved * ROUNDS + DEVIATIONS * (moved * (1 - moved) * ROUNDS).sqrt())
    beyond = sum(binomial(ROUNDS, moved)[x + 1 :], arb(0))
    # Of one reward: what a success and a failure add to Lambda.
    success, failure = (z / first).log(), ((1 - z) / (1 - first)).log()
    # Lambda falls in the number of successes, so it is above y if there are fewer than these.
    fewest = floor(z * ROUNDS - DEVIATIONS * (z * (1 - z) * ROUNDS).sqrt())
    y = fewest * success + (ROUNDS - fewest) * failure
    beyond += sum(binomial(ROUNDS, z)[:fewest], arb(0))
    right = (stays_away(c, epsilon, threshold) - beyond) * (-group * x - y).exp()
    return stays_away(first, epsilon, threshold), right


def prove() -> list[Row]:
    """Prove Theorem K's Lemma and rho(c) > rho(0) on twelve instances, in 24 rows.

    Here rho(c) is d_epsilon(c, mu_1) / d_epsilon(c, mu_2), of the means of both arms. A row has ``instance``,
    ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    rows = []
    with ctx.workprec(PRECISION):
        for (one, two, low), budget in itertools.product(MEANS, BUDGETS):
            first, second, c = (arb(mean) / 10 for mean in (one, two, low))
            epsilon = ball(budget)
            name = f"means 0.{one} and 0.{two}, c = 0.{low}, epsilon = {budget}"
            rows.append(greater(name, "the Lemma", *lemma(first, c, epsilon, epsilon)))
            # d_epsilon(0, v) = -log(1 - v (1 - e^-epsilon)).
            rho_0 = (1 - first * (1 - (-epsilon).exp())).log() / (1 - second * (1 - (-epsilon).exp())).log()
            rho_c = d_epsilon(c, first, epsilon) / d_epsilon(c, second, epsilon)
            rows.append(greater(name, "rho(c) > rho(0)", rho_c, rho_0))
    return rows


CERTIFICATE = Certificate(
    title="Theorem K's Lemma for one private policy and twelve instances",
    source="docs/azize2025-tails.md, Theorem K",
    statement=(
        "The change of measure with group privacy along each path, with all probabilities as finite sums, and that "
        "rho(c) is above rho(0)."
    ),
    arithmetic="balls of python-flint",
    prove=prove,
)
