"""Widths and regret bounds of charisopoulos2022, with 1 for every constant it leaves open."""

from __future__ import annotations

import math

from dpbandits.core import mathematics
from dpbandits.settings.linear.design import support_bound


def printed_width_m1(d: int, size: float, alpha: float, epsilon: float, delta: float) -> float:
    """Return gamma_i of Algorithm 1, line 9, under model (M1).

    Parameters
    ----------
    d
        Dimension.
    size
        q^i.
    alpha
        Corruption probability.
    epsilon
        Privacy budget.
    delta
        Failure probability.
    """
    log_size, log = mathematics.log(size / delta), mathematics.log(1.0 / delta)
    corrupted = (
        math.sqrt(d) * (math.sqrt(log_size) + log_size / epsilon) * (math.sqrt(alpha) + alpha * math.sqrt(d))
    )
    return corrupted + alpha + math.sqrt(d * log / size) * (1.0 + math.sqrt(log) / epsilon)


def printed_width_m2(
    d: int, support: int, size: float, alpha: float, epsilon: float, delta: float, nu: float
) -> float:
    """Return gamma_i of Algorithm 1, line 9, under model (M2), with m = q^i.

    Parameters
    ----------
    d, support
        Dimension, and size k of the design's support.
    size, alpha, epsilon, delta
        As for `printed_width_m1`.
    nu
        Truncation parameter.
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
        As for `printed_width_m1`.
    n
        Number of rewards in the batch, ``size`` there.
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
        As for `printed_width_m1`.
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
        As for `printed_width_m2`.
    """
    return _theorem_3_9(T, d, alpha, epsilon, delta, nu, math.sqrt(nu))


def theorem_3_9_derived(T: float, d: int, alpha: float, epsilon: float, delta: float, nu: float) -> float:
    """Return the regret bound that the proof of Theorem 3.9 arrives at.

    It is `theorem_3_9` with privacy's clean term divided by nu, as eq. 60 has it, in place of its root.

    Parameters
    ----------
    T, d, alpha, epsilon, delta, nu
        As for `theorem_3_9`.
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
    """Return the right side of eq. 14, with a bound of its sum of noises that holds with probability 1 - delta.

    Parameters
    ----------
    reach
        Largest ||a||^2 in M_n^-1.
    n, square
        Number of rewards, and their mean square before corruption.
    sigma
        Subgaussian constant of the noise.
    alpha, delta
        As for `printed_width_m1`.
    """
    log, length = mathematics.log(1.0 / delta), math.sqrt(n * square)
    corrupted = reach * math.sqrt(n) * length * math.sqrt(alpha + log / n) + reach * length + math.sqrt(alpha * log)
    return corrupted + sigma * math.sqrt(2.0 * reach * log) + alpha


def known_width(
    reach: float, n: float, second_moment: float, variance: float, scale: float, alpha: float, delta: float
) -> float:
    """Return a width gamma_i of the filter's estimate <a, theta~>, with every constant stated.

    The filter's threshold is ``second_moment`` / n.

    Of a clean batch <a, theta~ - theta> is a sum of noises with weights <a, M^-1 a_i>, whose squares sum to
    ||a||^2 <= reach and none of which exceeds reach. With L = log(2/delta) Bernstein's inequality (Laplace noise of
    scale b is sub-gamma) bounds it with probability 1 - delta by sqrt(2 variance L reach) + b L reach.

    What corruption the filter leaves moves the mean of the points by C sqrt(lambda alpha) (Prasad et al. 2019,
    Theorem 4), so <a, theta~> by C sqrt(reach n second_moment alpha). C is open there, and 1 here.

    Parameters
    ----------
    reach
        Largest ||a||^2 in M^-1 of the actions in question, M the sum of a a^T over reports.
    n
        Number of reports.
    second_moment, variance
        Bounds of E r^2 and of the variance of a clean report.
    scale
        Scale b of the Laplace noise in a report.
    alpha, delta
        As for `printed_width_m1`.
    """
    log = mathematics.log(2.0 / delta)
    clean = math.sqrt(2.0 * variance * log * reach) + scale * log * reach
    return clean + math.sqrt(reach * n * second_moment * alpha)


def clipping_level(log: float, clip: float, scale: float) -> float:
    """Return the level at which Theorem J cuts reports; an honest one is beyond it with probability <= 3 e^-log.

    Parameters
    ----------
    log
        Logarithm of one over a probability.
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

    Theorem J of docs/charisopoulos2022-clipping.md, one batch, with ||a||^2 <= reach for 2d/m: the noise of
    `known_width`, what replaced reports move (steps 1 and 3), and what cutting honest ones does (step 6).

    Parameters
    ----------
    reach, n, variance, scale, alpha, delta
        As for `known_width`.
    level
        Reports are cut to [-level, level].
    bias
        Bound of the shift of an honest report's mean by cutting.
    """
    log, weights = mathematics.log(2.0 / delta), math.sqrt(n * reach)
    clean = math.sqrt(2.0 * variance * log * reach) + scale * log * reach
    replaced = alpha * weights + math.sqrt(2.0 * alpha * reach * log) + reach * log / 3.0
    return clean + 2.0 * level * replaced + bias * weights
