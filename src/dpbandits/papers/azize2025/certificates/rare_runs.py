"""The tail of DP-IMED's rare runs (docs/azize2025-tails.md, Theorem H) in balls, up to T = 10^15.

The noise is discrete Laplace here, P[Y = k] in proportion to e^(-epsilon |k|), which is epsilon-DP too; sums are
whole numbers. Let S_m be the best arm's private sum after n_m rewards, and y the largest mean of the other arms;
[.] clips to [0, 1]. With X = max over m with [S_m/n_m] < y of n_m exp(n_m d_eps([S_m/n_m], y)),

    X < x  if and only if  S_m > k_m(x) for every m,

k_m(x) the largest S below n_m y with n_m d_eps([S/n_m], y) + log n_m >= log x; none where 0 does not reach it.
The law of S_m on the event that nothing happened before is followed from stage to stage: a convolution with a
binomial law and that of the noise. What is at most k_m is taken off and counted. So P[X >= x] is a sum of
positive numbers.

*What is left out is bounded.* Noise beyond R = 150/epsilon; states at both ends of less than 2^-300 each;
and all stages after the last one, by Chernoff's bound at lambda = 9 epsilon/10,

    P[S_m <= n y] <= e^(lambda n y) (1 - mu + mu e^-lambda)^n (E e^(lambda Y))^(m + 1),

whose terms fall by half or more from then on. The upper ends have all of it.

Without the factor n_m in X the same is DP-KLUCB's.

Trusted: this derivation, and python-flint's balls.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from flint import arb, arb_poly, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import NotProvedError, greater

PRECISION = 384
# States of less than 2^FAINT are left out at both ends of a law.
FAINT = -300
# R in units of 1/epsilon; the share of epsilon in Chernoff's bound.
NOISE, SHARE = 150, Fraction(9, 10)
# Stages are followed up to this n_m.
FOLLOWED = 8000
# Significant digits of printed bounds.
DIGITS = 3


class Setting(NamedTuple):
    """Quantities that determine the law of X = max over m with [S_m/n_m] < y of n_m exp(n_m d_eps([S_m/n_m], y)).

    S_m is the best arm's private sum after n_m rewards, at the end of its batch m, and [.] clips to [0, 1].

    Attributes
    ----------
    name
        Name of the setting, in words.
    best, other
        Mean of the best arm, mu_1, and the largest mean of the others, y.
    epsilon
        Privacy budget, > 0.
    n0
        Size of the first batch; each later one is twice as long as the one before.
    plain
        Whether X has no factor n_m, as for DP-KLUCB.
    """

    name: str
    best: Fraction
    other: Fraction
    epsilon: Fraction
    n0: int
    plain: bool = False


# Environment mu2's best and second mean, and the budget.
MU2 = Fraction(3, 4), Fraction(5, 8), Fraction(1, 10)
SETTINGS = (
    Setting("DP-IMED, n0 = 1", *MU2, 1),
    Setting("DP-IMED, n0 = 10", *MU2, 10),
    Setting("DP-IMED, n0 = 10/epsilon", *MU2, 100),
    Setting("DP-KLUCB, n0 = 1", *MU2, 1, plain=True),
)
# The tail is bounded at x = 10 to these powers.
LEVELS = (3, 6, 9, 12, 15)


def level(setting: Setting, n: int, total: int) -> arb:
    """Return n d_eps(total/n, y) + log n, the log of a term of X, for 0 <= total/n < y = ``setting.other``.

    The term log n is missing if ``setting.plain``.
    """
    x, y, epsilon = ball(Fraction(total, n)), ball(setting.other), ball(setting.epsilon)
    weight = y * (-epsilon).exp()
    # d_eps is linear in x up to weight/(1 - y + weight), and kl(x, y) from there on.
    left = x * (1 - y + weight)
    if left < weight:
        divergence = -(1 - y * (1 - (-epsilon).exp())).log() - epsilon * x
    elif left > weight:
        divergence = x * (x / y).log() + (1 - x) * ((1 - x) / (1 - y)).log()
    else:
        raise NotProvedError("the branch of d_eps is not decided")
    found: arb = n * divergence
    return found if setting.plain else found + arb(n).log()


def threshold(setting: Setting, n: int, log_level: arb) -> int | None:
    """Return the largest sum s of ``n`` rewards with n d_eps(s/n, y) + log n >= ``log_level``.

    Here y is ``setting.other``. The result is ``None`` if not even s = 0 reaches the level. The term log n is
    missing if ``setting.plain``.
    """

    def reached(total: int) -> bool:
        found = level(setting, n, total)
        if not (found >= log_level or found < log_level):
            raise NotProvedError(f"whether {total} of {n} reaches the level is not decided")
        return bool(found >= log_level)

    if not reached(0):
        return None
    # The level falls as the sum grows, so bisection finds the last sum that reaches it.
    low, high = 0, math.ceil(n * setting.other)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return low


class Law(NamedTuple):
    """The law of a whole number.

    Attributes
    ----------
    first
        The smallest value.
    weights
        Probabilities of ``first`` and of the whole numbers after it.
    """

    first: int
    weights: list[arb]


def trimmed(law: Law) -> tuple[Law, arb]:
    """Return a law without the values at both ends that have less than 2^-300 each, and a bound on their sum."""
    faint = arb(2) ** FAINT
    low, high = 0, len(law.weights)
    while low < high - 1 and law.weights[low] < faint:
        low += 1
    while high > low + 1 and law.weights[high - 1] < faint:
        high -= 1
    return Law(law.first + low, law.weights[low:high]), faint * (len(law.weights) - high + low)


def noise(setting: Setting) -> tuple[Law, arb]:
    """Return the law of discrete Laplace noise from -R to R = ceil(150/epsilon), and the probability of the rest.

    The probability of k is in proportion to e^(-epsilon abs(k)).
    """
    q = (-ball(setting.epsilon)).exp()
    reach = math.ceil(NOISE / setting.epsilon)
    # Probabilities of 0, 1, ..., R.
    half = [(1 - q) / (1 + q)]
    for _ in range(reach):
        half.append(half[-1] * q)
    return Law(-reach, half[:0:-1] + half), 2 * half[-1] * q / (1 - q)


def later_stages(setting: Setting, n: int, noises: int) -> arb:
    """Return an upper bound on the probability that the best arm's private mean is below y at some later stage.

    Stages are the ends of batches; later ones have ``n`` rewards or more, and y is ``setting.other``.

    Parameters
    ----------
    setting
        Means of the rewards, and the privacy budget that sets the noise.
    n
        Number of rewards at the first of these stages.
    noises
        Number of noise terms in the sum at the first of these stages; later sums have more.
    """
    q, tilt = (-ball(setting.epsilon)).exp(), ball(setting.epsilon * SHARE)
    # Factors of Chernoff's bound: of each noise, and of each reward.
    of_noise = (1 - q) ** 2 / ((1 - q * tilt.exp()) * (1 - q * (-tilt).exp()))
    mu = ball(setting.best)
    of_reward = (tilt * ball(setting.other)).exp() * (1 - mu + mu * (-tilt).exp())
    # n_(m+1) - n_m is at least n_m: terms fall by half or more from here on, and add up to twice the first.
    if not of_reward**n * of_noise < arb(1) / 2:
        raise NotProvedError("later stages are not bounded")
    bound: arb = 2 * of_reward**n * of_noise**noises
    return bound


def tail(setting: Setting, exponent: int) -> tuple[arb, arb]:
    """Return a lower and an upper bound of P[X >= 10^``exponent``], X about the number of pulls of suboptimal arms.

    X is the maximum over stages m of n_m exp(n_m d_eps(private mean of the best arm, y)), y = ``setting.other``.
    Stage by stage the law of the best arm's private sum is convolved with a batch's rewards and noise. Sums that
    bring X to the level are counted and taken off. The upper bound has all that is left out, too.
    """
    mu, log_level = ball(setting.best), exponent * arb(10).log()
    noise_law, left_out = noise(setting)
    law, error, counted = Law(0, [arb(1)]), arb(0), arb(0)
    n, before, stage = setting.n0, 0, 0
    while n <= FOLLOWED:
        # Generating polynomials: a product of two is the law of a sum.
        step = arb_poly([1 - mu, mu]) ** (n - before) * arb_poly(noise_law.weights)
        weights = (arb_poly(law.weights) * step).coeffs()
        law, faint = trimmed(Law(law.first + noise_law.first, weights))
        error += left_out + faint
        limit = threshold(setting, n, log_level)
        if limit is not None:
            cut = max(0, limit + 1 - law.first)
            if cut >= len(law.weights):
                raise NotProvedError("nothing is left of a law")
            counted += sum(law.weights[:cut], arb(0))
            law = Law(law.first + cut, law.weights[cut:])
        # The next batch is twice as long as the last one: n_m = n0 (2^(m + 1) - 1).
        before, n, stage = n, 2 * n + setting.n0, stage + 1
    return counted, counted + error + later_stages(setting, n, stage + 1)


def decimal(value: arb, down: bool) -> Decimal:
    """Return a decimal number of three digits that is below a ball if ``down``, above it if not."""
    middle, radius = Decimal(value.mid().str(30, radius=False)), Decimal(value.rad().str(5, radius=False))
    end = middle - 2 * radius if down else middle + 2 * radius
    return Context(prec=DIGITS, rounding=ROUND_FLOOR if down else ROUND_CEILING).plus(end)


def prove() -> list[Row]:
    """Return two proved rows for each setting and level: a lower and an upper bound, ``P[X >= 10^3] > 0.01``, say.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    rows = []
    with ctx.workprec(PRECISION):
        for setting in SETTINGS:
            for exponent in LEVELS:
                low, high = tail(setting, exponent)
                where = f"{setting.name}, mu2, epsilon = 1/10, discrete Laplace noise"
                least, most = decimal(low, True), decimal(high, False)
                rows.append(greater(where, f"P[X >= 10^{exponent}] > {least}", low, arb(str(least))))
                rows.append(greater(where, f"P[X >= 10^{exponent}] < {most}", arb(str(most)), high))
    return rows


CERTIFICATE = Certificate(
    title="The tail of DP-IMED's rare runs up to T = 10^15",
    source="docs/azize2025-tails.md, Theorem H",
    statement=(
        "P[X >= x] for x = 10^3 to 10^15 to three digits, for DP-IMED with three first batches and for DP-KLUCB, "
        "in environment mu2 at epsilon = 1/10: where no simulation reaches."
    ),
    arithmetic="balls of python-flint, by a killed recursion on whole numbers",
    prove=prove,
)
