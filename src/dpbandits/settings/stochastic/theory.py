"""Asymptotic regret of Bernoulli bandits: slopes of the lower bounds, and where the privacy regime changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dpbandits.settings.stochastic.divergences import budget, d_eps, kl


def _slope(means: Sequence[float], divergence: Callable[[float, float], float]) -> float:
    best = max(means)
    return sum((best - mean) / divergence(mean, best) for mean in means if mean < best)


def lower_bound_slope(means: Sequence[float], epsilon: float) -> float:
    """Return the sum of Delta_a / d_eps(mu_a, mu*) over suboptimal arms (azize2025, eq. 5).

    Here d_eps(x, y) is the least kl(z, y) + epsilon (z - x) over z in [x, y] (eq. 6). No consistent policy with
    global differential privacy ``epsilon`` has a smaller limit of regret / log T, if the largest mean is below 1.
    At 1 the paper states it too, but there the algorithm ``perfection-test`` has bounded regret.

    Parameters
    ----------
    means
        The arms' means, in [0, 1].
    epsilon
        The privacy budget, positive.
    """
    privacy = budget(epsilon)
    return _slope(means, lambda mean, best: d_eps(mean, best, privacy))


def azize2022_slope(means: Sequence[float], epsilon: float) -> float:
    """Return the sum of Delta_a / min{kl(mu_a, mu*), 6 epsilon Delta_a} (azize2025, eq. 7).

    This is the earlier lower bound (Azize & Basu 2022, Theorem 3). It is never above `lower_bound_slope`.

    Parameters
    ----------
    means
        The arms' means, in [0, 1].
    epsilon
        The privacy budget, positive.
    """
    return _slope(means, lambda mean, best: min(kl(mean, best), 6.0 * epsilon * (best - mean)))


def lai_robbins_slope(means: Sequence[float]) -> float:
    """Return the sum of Delta_a / kl(mu_a, mu*): the lower bound without privacy (Lai & Robbins 1985).

    Parameters
    ----------
    means
        The arms' means, in [0, 1].
    """
    return _slope(means, kl)


def regime_change(mean: float, best: float) -> float:
    """Return the budget from which on d_eps(mean, best) = kl(mean, best) (azize2025, eq. 8).

    d_eps takes the place of kl in the lower bound under privacy, and is at most kl. Below this budget, in the high
    privacy regime, privacy raises the lower bound; from it on privacy is free. The budget is infinite if ``mean``
    is 0 or ``best`` is 1.

    Parameters
    ----------
    mean, best
        Means of a suboptimal arm and of the best arm, in [0, 1], ``mean < best``.
    """
    odds = mean * (1.0 - best)
    return math.log(best * (1.0 - mean) / odds) if odds > 0.0 else math.inf
