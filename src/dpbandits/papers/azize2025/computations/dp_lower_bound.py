"""azize2025, Theorem 3.1: d_eps in closed form, its two regimes, and what it gains on the earlier bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.settings.stochastic.divergences import budget, d_eps, kl
from dpbandits.settings.stochastic.theory import regime_change

Floats = NDArray[np.float64]

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def infimum(x: Floats, y: Floats, epsilon: Floats) -> Floats:
    """Return inf over z in [x, y] of kl(z, y) + epsilon (z - x), x <= y, elementwise (eq. 6), by golden section.

    It shares nothing with the closed form: SciPy's kl, no derivative and no candidate for the minimiser.
    """

    from scipy.special import kl_div

    def objective(z: Floats) -> Floats:
        divergence: Floats = kl_div(z, y) + kl_div(1.0 - z, 1.0 - y) + epsilon * (z - x)
        return divergence

    low, high = x, y
    # 0.618^80 < 2^-53: after that many steps there is nothing left between the ends.
    for _ in range(80):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        lower = objective(left) <= objective(right)
        low, high = np.where(lower, low, left), np.where(lower, right, high)
    ends = np.minimum(objective(x), objective(y))
    return np.minimum(ends, objective((low + high) / 2.0))


def divergences(mu_a: Floats, mu_star: Floats, epsilon: Floats) -> pd.DataFrame:
    """Return a row for each triple: d_eps in closed form and by search, kl, and the earlier bound's divergence.

    d_eps is the divergence of Theorem 3.1; the earlier bound is eq. 7.

    Parameters
    ----------
    mu_a, mu_star, epsilon : ndarray of float64, shape (triples,)
        A suboptimal mean, a larger best mean, and a budget > 0.

    Returns
    -------
    DataFrame
        ``mu_a, mu_star, epsilon``, ``threshold`` (the budget from which on d_eps is kl), ``regime``, ``kl`` and
        ``epsilon_delta``. Then ``d_eps`` (closed form), ``infimum`` (searched), ``error`` (their difference),
        ``earlier`` (min{kl, 6 epsilon Delta}) and ``improvement`` (earlier / d_eps).
    """
    divergence = np.vectorize(kl, otypes=[float])(mu_a, mu_star)
    # The kernel takes a budget with its exponentials, which NumPy would take apart.
    closed = np.array([d_eps(x, y, budget(e)) for x, y, e in zip(mu_a, mu_star, epsilon, strict=True)])
    earlier = np.minimum(divergence, 6.0 * epsilon * (mu_star - mu_a))
    searched = infimum(mu_a, mu_star, epsilon)
    change = np.vectorize(regime_change, otypes=[float])(mu_a, mu_star)
    return pd.DataFrame(
        {
            "mu_a": mu_a,
            "mu_star": mu_star,
            "epsilon": epsilon,
            "threshold": change,
            "regime": np.where(epsilon >= change, "low privacy", "high privacy"),
            "kl": divergence,
            "epsilon_delta": epsilon * (mu_star - mu_a),
            "d_eps": closed,
            "infimum": searched,
            "error": closed - searched,
            "earlier": earlier,
            "improvement": earlier / closed,
        }
    )


def compute(points: int, epsilons: Sequence[float], pairs: Sequence[Sequence[float]]) -> pd.DataFrame:
    """Compute Theorem 3.1's divergence on a grid, along the budget, and where it gains most on the earlier eq. 7.

    Parameters
    ----------
    points
        Number of evenly spaced means from 0 to 1; three closer to each end are added.
    epsilons
        Budgets of the grid.
    pairs
        Pairs (mu_a, mu*), each followed over 0.01 to 10 times the budget at which its regime changes.

    Returns
    -------
    DataFrame
        ``part``: ``grid``, ``profile`` (of ``pairs``, along the budget) or ``peak``. A ``peak`` is a pair of the
        grid with mu* < 1, at the budget kl/(6 Delta) where it gains most. Below that budget eq. 7 has 6 epsilon
        Delta and d_eps/epsilon decreases; above it eq. 7 has kl and d_eps increases. Then ``mu_a, mu_star,
        epsilon``, the ``threshold`` (budget) between the two values of ``regime``, ``high privacy`` and ``low
        privacy``, and ``kl, epsilon_delta, d_eps`` (closed form, eq. 8), ``infimum`` (eq. 6, searched), ``error``
        (their difference), ``earlier`` (the divergence min{kl, 6 epsilon Delta} of eq. 7) and ``improvement``:
        earlier / d_eps, the factor by which an arm's term of the lower bound grows.
    """
    close = np.array([1e-6, 1e-4, 1e-2])
    means = np.unique(np.concatenate([np.linspace(0.0, 1.0, points), close, 1.0 - close]))
    first, second = np.triu_indices(means.size, k=1)
    mu_a, mu_star = means[first], means[second]
    parts = [divergences(mu_a, mu_star, np.full(mu_a.size, epsilon)).assign(part="grid") for epsilon in epsilons]
    for x, y in pairs:
        # 120 and not 121: none of them falls on the threshold, where rounding would choose the regime.
        profile = regime_change(x, y) * np.geomspace(0.01, 10.0, 120)
        parts.append(divergences(np.full(120, x), np.full(120, y), profile).assign(part="profile"))
    # At mu* = 1 eq. 7 always has 6 epsilon Delta: the factor is 6 at every budget.
    inner = mu_star < 1.0
    mu_a, mu_star = mu_a[inner], mu_star[inner]
    divergence = np.vectorize(kl, otypes=[float])(mu_a, mu_star)
    parts.append(divergences(mu_a, mu_star, divergence / (6.0 * (mu_star - mu_a))).assign(part="peak"))
    table = pd.concat(parts, ignore_index=True)
    return table[["part", *table.columns.drop("part")]]


DEFAULT_PAIRS: list[Any] = [[0.25, 0.75], [0.5, 0.75], [0.70, 0.75]]

COMPUTATION = Computation(
    title="The divergence d_eps of the lower bound: closed form, regimes, gain on the earlier bound",
    source="azize2025, Theorem 3.1, eqs. 5-8",
    compute=compute,
    parameters={
        "points": Option(61, "means from 0 to 1 on the grid, before those close to 0 and 1"),
        "epsilons": Option([0.1, 0.5, 2.0], "budgets of the grid"),
        "pairs": Option(DEFAULT_PAIRS, "pairs (mu_a, mu*) followed over the budget"),
    },
)
