"""Rates and bounds of wu2025 on regret, and further bounds of ours.

Rates are O- or Omega-terms, written without their constants. Logarithms are natural, and losses are in [0, 1]. K is
the number of actions ``arms``, T the ``horizon``, and Delta_min the smallest ``gap``.
"""

from __future__ import annotations

import math

# Titles of the noises at the paper's scales, and of the repair of Exp(1/epsilon).
TITLES = {
    "laplace": "Lap(2/ε)",
    "exponential": "Exp(1/ε)",
    "gumbel": "Gumbel(2/ε)",
    "permute-and-flip": "Exp(2/ε)",
}


def lower_rate(arms: float, epsilon: float, gap: float) -> float:
    """Return the lower regret rate log K/Delta_min + log K/epsilon (Hu et al. 2021; wu2025, eq. 2).

    ``arms`` is K, and ``gap`` is Delta_min, the smallest gap.
    """
    return math.log(arms) / gap + math.log(arms) / epsilon


def earlier_rate(arms: float, epsilon: float, gap: float, horizon: float) -> float:
    """Return the earlier regret rate log K/Delta_min + log K log T/epsilon (Hu et al. 2021; wu2025, Theorem 1).

    Parameters
    ----------
    arms, epsilon, gap, horizon
        Number K of actions, privacy budget, smallest gap Delta_min in (0, 1], and horizon T.
    """
    return math.log(arms) / gap + math.log(arms) * math.log(horizon) / epsilon


def new_rate(arms: float, epsilon: float, gap: float) -> float:
    """Return the new regret rate log K/Delta_min + log^2 K/epsilon (wu2025, Theorem 2).

    ``arms`` is K, and ``gap`` is Delta_min, the smallest gap.
    """
    return math.log(arms) / gap + math.log(arms) ** 2 / epsilon


def independent_lower_rate(arms: float, epsilon: float, horizon: float) -> float:
    """Return the gap-independent lower rate sqrt(T log K) + log K/epsilon (wu2025, Table 1)."""
    return math.sqrt(horizon * math.log(arms)) + math.log(arms) / epsilon


def independent_rate_jain(arms: float, epsilon: float, horizon: float) -> float:
    """Return the gap-independent rate sqrt(T log K) + K log K log^2 T/epsilon.

    Source: Jain & Thakurta 2014, as in wu2025, Table 1.
    """
    return math.sqrt(horizon * math.log(arms)) + arms * math.log(arms) * math.log(horizon) ** 2 / epsilon


def independent_rate_asi(arms: float, epsilon: float, horizon: float) -> float:
    """Return the gap-independent rate sqrt(T log K) + log K log T/epsilon.

    Source: Asi et al. 2023 and Hu et al. 2021, as in wu2025, Table 1.
    """
    return math.sqrt(horizon * math.log(arms)) + math.log(arms) * math.log(horizon) / epsilon


def independent_rate(arms: float, epsilon: float, horizon: float) -> float:
    """Return the gap-independent rate sqrt(T log K) + log^2 K/epsilon (wu2025, Corollary 1)."""
    return math.sqrt(horizon * math.log(arms)) + math.log(arms) ** 2 / epsilon


def deterministic_rate(arms: float, epsilon: float) -> float:
    """Return the rate log K/epsilon for deterministic losses (wu2025, Theorems 3 and 4)."""
    return math.log(arms) / epsilon


def deterministic_earlier_rate(arms: float, epsilon: float) -> float:
    """Return the earlier rate log^2 K/epsilon for deterministic losses (wu2025, Corollary 2)."""
    return math.log(arms) ** 2 / epsilon


def deterministic_lower_bound_printed(arms: float, epsilon: float) -> float:
    """Return log((K - 5)/3)/epsilon - 1, the lower bound on regret at which wu2025's proof of Theorem 3 ends.

    It is for deterministic losses of K = ``arms`` actions. For K <= 5 it is -inf.
    """
    return math.log((arms - 5.0) / 3.0) / epsilon - 1.0 if arms > 5.0 else -math.inf


def deterministic_lower_bound(arms: float, epsilon: float, horizon: float = math.inf) -> float:
    """Return log((K - 2)/(3 + (K - 5) e^(-T epsilon)))/epsilon, K >= 6: a lower bound on the regret at T.

    Source: wu2025, proof of Theorem 3, corrected. The proof counts t losses that were seen before round t; there
    are t - 1. So the sum over rounds is at least an integral from 0, not from 1, and no term is lost.
    """
    return math.log((arms - 2.0) / (3.0 + (arms - 5.0) * math.exp(-horizon * epsilon))) / epsilon


def few_actions_lower_bound(arms: int, epsilon: float) -> float:
    """Return the lower bound of wu2025's Theorem 3 for 3, 4 or 5 actions and T = infinity, whatever Delta_min.

    The losses are permutations of (0, Delta, 1) for K = 3, and else of the printed (0, Delta, Delta, 1, ...).
    Before round t the algorithm has seen t - 1 loss vectors. So P[I_t = i] is at least e^(-(t-1) epsilon) times its
    value on any other input. The share s of actions with loss 1 is 1/3 or 1 - 3/K. Averaged over permutations, the
    action of round t has loss 1 with probability at least e^(-(t-1) epsilon) s. The sum over t,
    s/(1 - e^-epsilon), is returned. For two actions no such bound holds, because Delta_min is the only gap.

    Raises
    ------
    ValueError
        For other numbers of actions; `deterministic_lower_bound` is for six and more.
    """
    if arms not in (3, 4, 5):
        raise ValueError(f"{arms} actions; 3, 4 or 5 are meant")
    share = 1.0 / 3.0 if arms == 3 else 1.0 - 3.0 / arms
    return share / -math.expm1(-epsilon)


def spread_gumbel(arms: float) -> float:
    """Return E max Q_i - E Q_1 of K Gumbel noises of scale 1: log K."""
    return math.log(arms)


def spread_exponential(arms: float) -> float:
    """Return E max Q_i - E Q_1 of K Exponential noises of scale 1: the harmonic number, less 1.

    From K = 100 on it is exact to 1e-10.
    """
    if arms < 100.0:
        return math.fsum(1.0 / k for k in range(2, int(arms) + 1))
    return math.log(arms) + 0.5772156649015329 - 1.0 + 1.0 / (2.0 * arms) - 1.0 / (12.0 * arms**2)


def spread_laplace(arms: float) -> float:
    """Return E max Q_i of K Laplace noises of scale 1: sum over k <= K of (1 - 2^-k)/k, less 2^-K/K."""
    halves = math.fsum(2.0**-k / k for k in range(1, int(min(arms, 100.0)) + 1))
    return spread_exponential(arms) + 1.0 - halves - 2.0 ** -min(arms, 1000.0) / arms


SPREADS = {
    "laplace": spread_laplace,
    "exponential": spread_exponential,
    "gumbel": spread_gumbel,
    "permute-and-flip": spread_exponential,
}


def deterministic_bounds(spread: float, scale: float) -> tuple[float, float]:
    """Return the lower bound 2 b s - 1 and the upper bound 4 b s + 1 of RNM-FTNL's regret for deterministic losses.

    Both hold without resampling (wu2025's B = 0), for any noise with a mean. The lower one is for T = infinity and
    every instance with one best action, the upper one for every T and instance. Proof: docs/wu2025-regret.md,
    Theorem A. It answers a question that wu2025 leaves open for Laplace noise.

    Parameters
    ----------
    spread
        s = E max Q_i - E Q_1 for K noises of scale 1.
    scale
        b, the noise's scale.
    """
    return 2.0 * scale * spread - 1.0, 4.0 * scale * spread + 1.0


def random_phase_bound(spread: float, scale: float, ratio: float) -> float:
    """Return an upper bound on RNM-FTNL's expected regret with epochs of random phase and deterministic losses.

    It is (ratio b s + log^+(b s) + 1)/log(ratio) + ratio + 1, with log^+ x = log max(1, x). It holds without
    resampling (wu2025's B = 0), at every T, on every instance, for any noise with a mean. Proof:
    docs/wu2025-regret.md, Theorem F.

    Parameters
    ----------
    spread, scale
        s = E max Q_i - E Q_1 for K noises of scale 1, and the noise's scale b.
    ratio
        Ratio of successive epochs' lengths; e is the best one.
    """
    size = scale * spread
    return (ratio * size + math.log(max(1.0, size)) + 1.0) / math.log(ratio) + ratio + 1.0


def stochastic_bound(spread: float, scale: float, arms: float, gap: float) -> float:
    """Return the upper bound 8 b s + (55 log K + 41)/Delta_min + 5 of RNM-FTNL's expected regret, at every T.

    It holds for any noise with a mean, with or without resampling, if one action alone is best. Loss vectors must
    be independent and of one law, in [0, 1]^K. It has the rate of the lower bound, eq. 2, at scales b of order
    1/epsilon. Proof: docs/wu2025-regret.md, Theorem B.

    Parameters
    ----------
    spread, scale
        s = E max Q_i - E Q_1 for K noises of scale 1, and the noise's scale b.
    arms, gap
        Number K of actions, and smallest gap Delta_min.
    """
    return 8.0 * scale * spread + (55.0 * math.log(arms) + 41.0) / gap + 5.0


def independent_bound(spread: float, scale: float, arms: float, horizon: float) -> float:
    """Return the upper bound 4 b s + 7 sqrt(T log K) + 3 of RNM-FTNL's regret, whatever the gaps.

    It holds for any noise with a mean, with or without resampling. Loss vectors must be independent and of one law,
    in [0, 1]^K. Proof: docs/wu2025-regret.md, Theorem C.

    Parameters
    ----------
    spread, scale
        s = E max Q_i - E Q_1 for K noises of scale 1, and the noise's scale b.
    arms, horizon
        Number K of actions, and horizon T.
    """
    return 4.0 * scale * spread + 7.0 * math.sqrt(horizon * math.log(arms)) + 3.0
