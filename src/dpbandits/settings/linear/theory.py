"""Widths and regret bounds of charisopoulos2022, with 1 for every constant it leaves open.

A width gamma_i bounds the error of an estimated mean reward in batch i. Actions whose estimate is more than
2 gamma_i below the best are dropped. Every reward is reported under model (M1), and an action's mean under (M2).
"""

from __future__ import annotations

import math

from dpbandits.core import mathematics
from dpbandits.settings.linear.design import support_bound


def printed_width_m1(d: int, size: float, alpha: float, epsilon: float, delta: float) -> float:
    """Return the width gamma_i of Algorithm 1, line 9, under model (M1), in which each reward is reported.

    Parameters
    ----------
    d
        Dimension of the actions, >= 1.
    size
        Nominal size q^i of batch i, > 0; q = T^(1/B) for B batches.
    alpha
        Corruption probability, from 0 to 1.
    epsilon
        Privacy budget, > 0.
    delta
        Failure probability, above 0 and below 1.
    """
    log_size, log = mathematics.log(size / delta), mathematics.log(1.0 / delta)
    corrupted = (
        math.sqrt(d) * (math.sqrt(log_size) + log_size / epsilon) * (math.sqrt(alpha) + alpha * math.sqrt(d))
    )
    return corrupted + alpha + math.sqrt(d * log / size) * (1.0 + math.sqrt(log) / epsilon)


def printed_width_m2(
    d: int, support: int, size: float, alpha: float, epsilon: float, delta: float, nu: float
) -> float:
    """Return the width gamma_i of Algorithm 1, line 9, under model (M2), with q^i for the paper's m.

    Parameters
    ----------
    d, support
        Dimension of the actions, and number k of actions in the design's support.
    size, alpha, epsilon, delta
        Nominal size q^i of the batch, corruption probability, privacy budget and failure probability.
    nu
        Truncation, > 0: an action of the design is played at least nu q^i times.
    """
    log, log_support, pulls = mathematics.log(1.0 / delta), mathematics.log(support / delta), nu * size
    clean = math.sqrt(d * log / pulls) * (1.0 + math.sqrt(log / pulls) / epsilon)
    largest = 1.0 + math.sqrt(log_support / pulls) + log_support / (pulls * epsilon)
    return clean + 2.0 * d * largest * (math.sqrt(support * alpha) + math.sqrt(alpha * log)) + alpha


def derived_width_m1(d: int, n: float, alpha: float, epsilon: float, delta: float) -> float:
    """Return the width gamma_i that the proof of Theorem 3.4 arrives at, eq. 50, under model (M1).

    Parameters
    ----------
    d, alpha, epsilon, delta
        Dimension of the actions, corruption probability, privacy budget and failure probability.
    n
        Number of rewards in the batch.
    """
    log_n, log = mathematics.log(n / delta), mathematics.log(1.0 / delta)
    corrupted = d * (math.sqrt(alpha) + math.sqrt(alpha * log / n)) * (1.0 + math.sqrt(log_n) + log_n / epsilon)
    return corrupted + math.sqrt(d * log / n) * (1.0 + math.sqrt(log) / epsilon)


def theorem_3_4(T: float, d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return the regret bound of Theorem 3.4, eq. 19, under model (M1).

    Parameters
    ----------
    T
        Horizon.
    d, alpha, epsilon, delta
        Dimension of the actions, corruption probability, privacy budget and failure probability.
    """
    log = mathematics.log(T / delta)
    clean = math.sqrt(T * d * log) * (1.0 + math.sqrt(log) / epsilon)
    return clean + T * math.sqrt(log) * max(math.sqrt(alpha * d), alpha * d) * (1.0 + log / epsilon)


def theorem_3_9(T: float, d: int, alpha: float, epsilon: float, delta: float, nu: float) -> float:
    """Return the regret bound of Theorem 3.9, eq. 24, under model (M2), with `support_bound` for d log log d.

    Eq. 24 prints sqrt((T d log log d/delta)/nu) and has lost a logarithm there. Here it is
    sqrt(T log(d log log d/delta)/nu), as eq. 61 of the proof has it. All else is as printed. The proof arrives at
    `theorem_3_9_derived`.

    Parameters
    ----------
    T
        Horizon.
    d, alpha, epsilon, delta, nu
        Dimension of the actions, corruption probability, privacy budget, failure probability and truncation.
    """
    return _theorem_3_9(T, d, alpha, epsilon, delta, nu, math.sqrt(nu))


def theorem_3_9_derived(T: float, d: int, alpha: float, epsilon: float, delta: float, nu: float) -> float:
    """Return the regret bound that the proof of Theorem 3.9 arrives at.

    It is eq. 24 but for the term of privacy noise without corruption: it is divided by nu, as in eq. 60, and not by
    the root of nu.

    Parameters
    ----------
    T, d, alpha, epsilon, delta, nu
        Horizon, dimension of the actions, corruption probability, privacy budget, failure probability, truncation.
    """
    return _theorem_3_9(T, d, alpha, epsilon, delta, nu, nu)


def _theorem_3_9(T: float, d: int, alpha: float, epsilon: float, delta: float, nu: float, divisor: float) -> float:
    support, log = support_bound(d), mathematics.log(1.0 / delta)
    log_support, log_T = mathematics.log(support / delta), mathematics.log(T)
    clean = math.sqrt(d * T * log / nu) + log * log_T * math.sqrt(d) / (epsilon * divisor)
    corrupted = math.sqrt(alpha * support) + math.sqrt(alpha * log)
    largest = T + math.sqrt(T * log_support / nu) + log_support * log_T / (nu * epsilon)
    return (1.0 + nu * support) * clean + 2.0 * d * corrupted * largest + alpha * T


def proposition_2_1(reach: float, n: float, square: float, sigma: float, alpha: float, delta: float) -> float:
    """Return the right side of eq. 14, a bound on the error of the filter's estimate of an action's mean reward.

    Eq. 14 contains a weighted sum of noises. Here an upper bound takes its place, which the sum exceeds with
    probability at most ``delta``.

    Parameters
    ----------
    reach
        Largest a^T M_n^-1 a over the actions a; M_n is the sum of a a^T over the rewards' actions.
    n, square
        Number of rewards, >= 1, and mean of their squares before corruption.
    sigma
        Subgaussian constant of the noise, >= 0.
    alpha, delta
        Corruption probability, and failure probability of the upper bound.
    """
    log, length = mathematics.log(1.0 / delta), math.sqrt(n * square)
    corrupted = reach * math.sqrt(n) * length * math.sqrt(alpha + log / n) + reach * length + math.sqrt(alpha * log)
    return corrupted + sigma * math.sqrt(2.0 * reach * log) + alpha


def known_width(
    reach: float, n: float, second_moment: float, variance: float, scale: float, alpha: float, delta: float
) -> float:
    """Return a width gamma_i of the filter's estimate <a, theta~> of a mean reward, with every constant stated.

    The filter's threshold lambda is ``second_moment`` / n.

    In a clean batch <a, theta~ - theta> is a sum of noises with weights <a, M^-1 a_i>. No weight exceeds reach, and
    their squares sum to a^T M^-1 a <= reach. Laplace noise of scale b is sub-gamma. By Bernstein's inequality the
    sum is, with probability 1 - delta, at most sqrt(2 variance L reach) + b L reach, where L = log(2/delta).

    Corruption that the filter leaves moves the mean of the points by C sqrt(lambda alpha) (Prasad et al. 2019,
    Theorem 4), so <a, theta~> by C sqrt(reach n second_moment alpha). C is open there, and 1 here.

    Parameters
    ----------
    reach
        Largest a^T M^-1 a over the actions a in question; M is the sum of a a^T over the reports' actions.
    n
        Number of reports.
    second_moment, variance
        Upper bound of E r^2 of a clean report r, and upper bound of its variance.
    scale
        Scale b of the Laplace noise in a report, 0 for none.
    alpha, delta
        Corruption probability, and failure probability.
    """
    log = mathematics.log(2.0 / delta)
    clean = math.sqrt(2.0 * variance * log * reach) + scale * log * reach
    return clean + math.sqrt(reach * n * second_moment * alpha)


def clipping_level(log: float, clip: float, scale: float) -> float:
    """Return the level Y at which Theorem J of docs/charisopoulos2022-clipping.md cuts reports, to [-Y, Y].

    Parameters
    ----------
    log
        log(1/p) >= 0. The size of an uncorrupted report exceeds the level with probability at most 3 p.
    clip
        Unit of rewards: means lie in [-clip, clip], and their noise is ``clip`` times 1-subgaussian.
    scale
        Scale of the Laplace noise in a report.
    """
    return clip * (1.0 + math.sqrt(2.0 * log)) + scale * log


def clipped_width(
    reach: float, n: float, variance: float, scale: float, alpha: float, delta: float, level: float, bias: float
) -> float:
    """Return a width gamma_i of the estimate <a, theta~> by least squares on reports cut to [-level, level].

    It is that of Theorem J of docs/charisopoulos2022-clipping.md, for one batch and with ``reach`` for 2d/m. Noise
    adds sqrt(2 variance L reach) + scale L reach, where L = log(2/delta). To this come the shift by replaced
    reports (steps 1 and 3 there), and the shift by cutting uncorrupted ones (step 6).

    Parameters
    ----------
    reach, n, variance, scale, alpha, delta
        Largest a^T M^-1 a of an action a; number of reports; bound of a clean report's variance; scale of its
        Laplace noise; corruption probability; failure probability.
    level
        Bound to which reports are cut, to [-level, level].
    bias
        Bound of how far cutting shifts the mean of an uncorrupted report.
    """
    log, weights = mathematics.log(2.0 / delta), math.sqrt(n * reach)
    clean = math.sqrt(2.0 * variance * log * reach) + scale * log * reach
    replaced = alpha * weights + math.sqrt(2.0 * alpha * reach * log) + reach * log / 3.0
    return clean + 2.0 * level * replaced + bias * weights
