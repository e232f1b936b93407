"""Forgetting DP-IMED: the index of DP-IMED on geometric batches that forget.

Source: ours, for azize2025, Section 5: the index of DP-IMED and the batches of eq. 14, but an arm's mean is that of
its last batch alone, as in Azize & Basu (2022). With DP-IMED it shows what not forgetting does.

Privacy: epsilon-DP, as DP-IMED. Neighbours differ in the reward of one round. A reward enters exactly one batch
sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_imed
from dpbandits.settings.stochastic.authoring import Bandit, Runs, cumulative_pulls, schedule


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, alpha: float) -> None:
    """Simulate DP-IMED with means of an arm's last batch alone, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, alpha
        Size of an arm's first batch, >= 1, and ratio of its successive batches, > 1.
    """
    batches = schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon, forgets=True)
    # 1: the weight of log n in the index, as in DP-IMED.
    dp_imed.follow(runs, bandit, epsilon, batches, 1.0)


ALGORITHM = replace(
    dp_imed.ALGORITHM,
    title="Forgetting DP-IMED",
    source="ours: DP-IMED (azize2025, Algorithm 1) with forgetting",
    simulate=simulate,
)
