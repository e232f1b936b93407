"""Lasting AdaP-KLUCB: AdaP-KLUCB's index on doubling episodes that forget nothing.

Source: ours, for azize2025, Section 5: the index of AdaP-KLUCB (Azize & Basu 2022), but an arm's mean is that of
all its finished episodes. With AdaP-KLUCB it shows what not forgetting does without azize2025's indexes.

Privacy: epsilon-DP, as AdaP-KLUCB. Neighbours differ in the reward of one round. A reward enters exactly one
episode sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition, and all else is
post-processing.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import adap_klucb
from dpbandits.settings.stochastic.authoring import Bandit, Runs


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, alpha: float) -> None:
    """Simulate AdaP-KLUCB with means of all of an arm's episodes, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    alpha
        Exploration, > 0: log t is multiplied by it in the index.
    """
    # False: an arm's mean is that of all its episodes.
    adap_klucb.follow(runs, bandit, epsilon, alpha, False)


ALGORITHM = replace(
    adap_klucb.ALGORITHM,
    title="Lasting AdaP-KLUCB",
    source="ours: AdaP-KLUCB (Azize & Basu 2022, Algorithm 1) without forgetting",
    simulate=simulate,
)
