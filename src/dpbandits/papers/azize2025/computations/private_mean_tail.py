"""azize2025, Proposition 4.1: the exact tails of a private sum, beside the paper's bounds on them.

A private sum is S_n + Z_m: n Bernoulli(mu) rewards and m Laplace(1/epsilon) variables. Everything is kept as a
logarithm, since tails of e^-20000 occur. Sums have positive terms only, so nothing cancels. The logarithm of a tail
is right to about 1e-16 of its largest term, n log 2 or n epsilon. For n = 10^5 the tail itself is right to 10
digits (tested against mpmath).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.stochastic.batches import cumulative_pulls
from dpbandits.settings.stochastic.divergences import budget, d_eps, kl

Floats = NDArray[np.float64]


def log_binomial(n: int, mu: float) -> Floats:
    """Return log P[S_n = s] for s = 0 to n, shape (n + 1,), where S_n is binomial of ``n`` trials with mean ``mu``.

    0 < mu < 1. The form is Loader's (saddle-point): log n! is 1e6 for n = 10^5 and would leave nine digits, and
    deviances take its place.
    """

    from scipy.special import kl_div

    s = np.arange(n + 1.0)
    log_probability = np.empty(n + 1)
    log_probability[[0, n]] = n * np.log1p(-mu), n * np.log(mu)
    s = s[1:-1]
    deviance = kl_div(s, n * mu) + kl_div(n - s, n * (1.0 - mu))
    shape = 0.5 * np.log(n / (2.0 * np.pi * s * (n - s)))
    log_probability[1:-1] = shape - deviance + stirling_error(n) - stirling_error(s) - stirling_error(n - s)
    return log_probability


def stirling_error(n: ArrayLike) -> Floats:
    """Return the error of Stirling's formula, log n! - log(sqrt(2 pi n) (n/e)^n), to 1e-14; n >= 1, elementwise."""

    from scipy.special import gammaln

    n = np.asarray(n, dtype=float)
    inverse = 1.0 / (n * n)
    series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / n
    # The series is right from n = 16 on; smaller n are computed directly.
    few = np.minimum(n, 16.0)
    direct = gammaln(few + 1.0) - (few + 0.5) * np.log(few) + few - 0.5 * np.log(2.0 * np.pi)
    return np.where(n < 16.0, direct, series)


def log_polynomial(m: int, u: ArrayLike) -> Floats:
    """Return log p_m(u), u >= 0, for which P[Z_m >= u/epsilon] = p_m(u) e^-u; Z_m is a sum of m Laplace(1/epsilon).

    Z_m is also the difference of two Gamma(m) times. The second ends after k of the first's m steps with a negative
    binomial probability, and a Gamma(m - k) time remains. Hence p_m(u) is the sum over i < m of b_i u^i / i! with
    b_i = P[NegativeBinomial(m, 1/2) <= m - 1 - i]: positive, increasing, p_m(0) = 1/2.
    """

    from scipy.special import betainc, gammaln, logsumexp, xlogy

    i = np.arange(m)
    weights = np.log(betainc(m, m - i, 0.5)) - gammaln(i + 1.0)
    found: Floats = logsumexp(weights + xlogy(i, np.asarray(u, dtype=float)[..., None]), axis=-1)
    return found


def log_laplace_tail(m: int, u: ArrayLike) -> Floats:
    """Return log P[Z_m >= u/epsilon] for any real u; Z_m is the sum of m Laplace(1/epsilon) variables."""
    u = np.asarray(u, dtype=float)
    outside = log_polynomial(m, np.abs(u)) - np.abs(u)
    return np.where(u >= 0.0, outside, np.log1p(-np.exp(outside)))


def oriented(n: int, mu: float, x: float) -> tuple[Floats, Floats]:
    """Return, for each sum s of n rewards, log P[S_n = s] and how much noise s needs to reach n x.

    Sums that need most stand first. For x >= mu the noisy sum has to be at least n x, and sums ascend. For x < mu
    it has to be at most n x, and sums descend.

    Returns
    -------
    log_probability, missing : ndarray of float64, shape (n + 1,)
        ``missing`` is n x - s in the upper tail and s - n x in the lower one; <= 0 where rewards alone reach n x.
    """
    s = np.arange(n + 1.0)
    log_probability = log_binomial(n, mu)
    return (log_probability, n * x - s) if x >= mu else (log_probability[::-1], (s - n * x)[::-1])


def log_private_tail(n: int, m: int, mu: float, x: float, epsilon: float) -> float:
    """Return log P[S_n + Z_m >= n x] for x >= mu, or log P[S_n + Z_m <= n x] for x < mu, by convolution.

    S_n is the sum of n Bernoulli rewards, Z_m that of m Laplace draws.

    Parameters
    ----------
    n, m
        Number of rewards, and number of Laplace draws.
    mu, x
        Mean reward, in (0, 1), and threshold of the private mean, in [0, 1].
    epsilon
        Privacy budget, > 0: noise has scale 1/epsilon.
    """

    from scipy.special import logsumexp

    log_probability, missing = oriented(n, mu, x)
    return float(logsumexp(log_probability + log_laplace_tail(m, epsilon * missing)))


def log_split(n: int, m: int, mu: float, x: float, epsilon: float) -> float:
    """Return the log of min over c of P[S_n >= n x - c] + P[Z_m >= c], a bound that treats noise and rewards apart.

    Both probabilities are exact and c is the best one, so that no separate treatment does better. The first
    is a step function of c: the candidates are the c just before its steps. For x < mu it is the same of lower
    tails. S_n is the sum of n rewards, Z_m that of m Laplace draws.

    Parameters
    ----------
    n, m, mu, x, epsilon
        Rewards, Laplace draws, mean reward, threshold of the private mean, and privacy budget.
    """
    log_probability, missing = oriented(n, mu, x)
    # Log probability of each sum or one that needs less noise; ``beyond`` leaves the sum itself out.
    reaching = np.logaddexp.accumulate(log_probability[::-1])[::-1]
    beyond = np.append(reaching[1:], -np.inf)
    return float(np.min(np.logaddexp(beyond, log_laplace_tail(m, epsilon * missing))))


def split_rate(mu: float, x: float, epsilon: float) -> float:
    """Return the decay rate of `log_split`: max over z of min{kl(z, mu), epsilon |x - z|}."""

    from scipy.optimize import brentq

    if x == mu:
        return 0.0

    def excess(z: float) -> float:
        return kl(z, mu) - epsilon * abs(x - z)

    return kl(float(brentq(excess, min(mu, x), max(mu, x), xtol=1e-15)), mu)


def log_lemma_d1(m: int, u: ArrayLike) -> Floats:
    """Return Lemma D.1's bound on log P[Z_m >= u/epsilon], u > 0: 1 + m log(1 + m u) - u."""
    u = np.asarray(u, dtype=float)
    return np.asarray(1.0 + m * np.log1p(m * u) - u)


def log_factor_d3(n: float, m: int, mu: float, x: float, epsilon: float) -> float:
    """Return log A_eps of Lemma D.3, as printed in its statement (the lemma's x is our n x).

    The lemma bounds the tail by A_eps e^(-n d_eps). Its maximum over y in [mu, x/n] is at y = mu.

    Parameters
    ----------
    n, m, mu, x, epsilon
        Rewards, Laplace draws, mean reward, threshold of the private mean, and budget; n need not be whole.
    """

    from scipy.special import logsumexp

    distance = n * abs(x - mu)
    power = 1.0 + m * np.log1p(m * epsilon * distance)
    entropy = -np.log(mu) if x >= mu else -np.log1p(-mu)
    with np.errstate(divide="ignore"):
        return float(logsumexp([np.log(distance) + power + np.log(entropy), power, 0.0]))


def log_chernoff(n: float, m: int, mu: float, x: float, epsilon: float) -> float:
    """Return Chernoff's bound on the logarithm of the tail, of rewards and noise together.

    For x >= mu it is min over 0 <= v < epsilon of n log(1 - mu + mu e^v) - n v x - m log(1 - v^2/epsilon^2). The
    paper bounds the two sums instead, and then convolves. Without the noise's term the infimum is -n d_eps, so that
    any v close to epsilon proves Proposition 4.1 wherever m/n tends to 0.

    Parameters
    ----------
    n, m, mu, x, epsilon
        Rewards, Laplace draws, mean reward, threshold of the private mean, and budget; n need not be whole.
    """

    from scipy.optimize import brentq

    if x < mu:
        mu, x = 1.0 - mu, 1.0 - x
    if x == mu:
        return 0.0

    # The derivative in v, times positive factors, is 0 at the minimum. Its variable is the gap from v to epsilon,
    # since that may be smaller than epsilon's last digit.
    def slope(gap: float) -> float:
        v = epsilon - gap
        tilted = mu / (mu + (1.0 - mu) * np.exp(-v))
        return 2.0 * m * v + n * (tilted - x) * gap * (epsilon + v)

    gap = float(brentq(slope, 0.0, epsilon, xtol=1e-300))
    v = epsilon - gap
    rewards = np.log1p(mu * np.expm1(v)) - v * x
    return float(n * rewards - m * np.log(gap * (epsilon + v) / epsilon**2))


def compute(
    cases: Sequence[Sequence[float]], epsilons: Sequence[float], n0: int, alpha: float, largest: int
) -> pd.DataFrame:
    """Compute exact tails of a private mean, and bounds on them, for n as after each of Algorithm 1's batches.

    S_n is the sum of n Bernoulli rewards, Z_m that of m Laplace(1/epsilon) draws.

    Parameters
    ----------
    cases
        Pairs (mu, x) of a mean reward in (0, 1) and a threshold in [0, 1]. The tail is P[S_n + Z_m >= n x] for x >=
        mu, and P[S_n + Z_m <= n x] for x < mu.
    epsilons
        Privacy budgets, each > 0.
    n0, alpha
        Size of the first batch, and ratio of the sizes of successive batches (eq. 14).
    largest
        Largest number of rewards.

    Returns
    -------
    DataFrame
        One row for each case, budget, n and number of noise terms. The case: ``mu, x, epsilon``, the ``tail``
        (``upper`` or ``lower``) and the ``regime`` (``low privacy`` where d_eps is kl, else ``high privacy``).
        ``n`` rewards have ``m`` noise terms, as ``noises`` says: ``one``, or one for each of the ``batches``.
        Logarithms: ``log_tail`` (exact), ``log_d3`` (Lemma D.3), ``log_chernoff``, ``log_split`` (noise and rewards
        apart) and ``log_rewards`` (no noise at all, exact). Rates of decay for each reward: ``d_eps``, ``kl``, and
        ``split``, that of ``log_split``.
    """

    from scipy.special import logsumexp

    counts = [int(n) for n in cumulative_pulls(n0, alpha, largest)[:-1]]
    rows: list[Row] = []
    for mu, x in cases:
        for epsilon in epsilons:
            rate = d_eps(x, mu, budget(epsilon))
            fixed = {
                "mu": mu,
                "x": x,
                "epsilon": epsilon,
                "tail": "upper" if x >= mu else "lower",
                "regime": "low privacy" if rate == kl(x, mu) else "high privacy",
            }
            rates = {"d_eps": rate, "kl": kl(x, mu), "split": split_rate(mu, x, epsilon)}
            for batches, n in enumerate(counts, start=1):
                log_probability, missing = oriented(n, mu, x)
                rewards = float(logsumexp(log_probability[missing <= 0.0]))
                for noises, m in (("one", 1), ("batches", batches)):
                    of = (n, m, mu, x, epsilon)
                    logs = {
                        "log_tail": log_private_tail(*of),
                        "log_d3": log_factor_d3(*of) - n * rate,
                        "log_chernoff": log_chernoff(*of),
                        "log_split": log_split(*of),
                        "log_rewards": rewards,
                    }
                    rows.append(fixed | {"noises": noises, "n": n, "m": m} | logs | rates)
    return pd.DataFrame(rows)


DEFAULT_CASES: list[Any] = [[0.5, 0.75], [0.75, 0.5]]

COMPUTATION = Computation(
    title="Exact tails of a private mean, beside the bounds on them",
    source="azize2025, Proposition 4.1, Lemmas D.1 and D.3, discussion (c)",
    compute=compute,
    parameters={
        "cases": Option(DEFAULT_CASES, "pairs (mu, x): the upper tail for x >= mu, the lower one for x < mu"),
        "epsilons": Option([0.1, 0.5, 2.0], "budgets"),
        "n0": Option(1, "size of the first batch"),
        "alpha": Option(2.0, "ratio of batches"),
        "largest": Option(200000, "bound on the number of rewards"),
    },
)
