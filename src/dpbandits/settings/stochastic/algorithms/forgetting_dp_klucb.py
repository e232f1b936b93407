"""Forgetting DP-KLUCB: the index of DP-KLUCB on geometric batches that forget.

Source: ours, for azize2025, Section 5: the index of DP-KLUCB and the batches of eq. 14, but an arm's mean is
that of its last batch alone, as in Azize & Basu (2022). With DP-KLUCB it shows what not forgetting does.

Privacy: epsilon-DP, as DP-KLUCB. Neighbours differ in the reward of one round. A reward enters exactly one
batch sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_klucb
from dpbandits.settings.stochastic.authoring import Bandit, Runs, cumulative_pulls, schedule


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, alpha: float) -> None:
    """Simulate DP-KLUCB with means of an arm's last batch alone, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, alpha
        Size of an arm's first batch, >= 1, and ratio of its successive batches, > 1.
    """
    batches = schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon, forgets=True)
    dp_klucb.follow(runs, bandit, epsilon, batches)


ALGORITHM = replace(
    dp_klucb.ALGORITHM,
    title="Forgetting DP-KLUCB",
    source="ours: DP-KLUCB (azize2025, Algorithm 1) with forgetting",
    simulate=simulate,
)
