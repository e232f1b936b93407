"""DP-IMED with a weight on log n: rare runs become rarer, and the leading constant grows.

Source: azize2025, Algorithm 1 with the index of eq. 13; ours is the weight, n d_eps + (1 + kappa) log n. Suboptimal
pulls then have a tail of exponent (1 + kappa) times DP-IMED's, and the leading constant is 1 + kappa times as large
(docs/azize2025-tails.md, Theorem I). kappa = 0 is `dp-imed`. The trade-off is that of Fan & Glynn for algorithms
without privacy.

Privacy: epsilon-DP (azize2025, Proposition 4.2), whatever the index. Neighbours differ in the reward of one round.
A reward enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none. Ties of the index are broken uniformly at random.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_imed
from dpbandits.settings.stochastic.authoring import Bandit, Parameter, Probe, Runs, cumulative_pulls, schedule


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, alpha: float, kappa: float) -> None:
    """Simulate DP-IMED with the weight 1 + ``kappa`` on log n, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, alpha
        Size of an arm's first batch, >= 1, and ratio of its successive batches, > 1.
    kappa
        What is added to DP-IMED's weight 1 of log n in the index, from 0 to 100.
    """
    dp_imed.follow(runs, bandit, epsilon, schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon), 1.0 + kappa)


assert dp_imed.ALGORITHM.privacy is not None
ALGORITHM = replace(
    dp_imed.ALGORITHM,
    title="DP-IMED, trade-off",
    source="azize2025, Algorithm 1, eqs. 13 and 14; the weight is ours",
    privacy=replace(
        dp_imed.ALGORITHM.privacy,
        probes=(Probe(12, 2, {"n0": 3, "alpha": 1.0015}), Probe(12, 2), Probe(6, 2)),
    ),
    parameters=(
        *dp_imed.ALGORITHM.parameters,
        Parameter("kappa", float, 0.5, "1 + kappa is the weight of log n in the index", at_least=0, at_most=100),
    ),
    simulate=simulate,
)
