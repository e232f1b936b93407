"""DP-IMED with a long first batch: n0 is a multiple of 1/epsilon.

Source: azize2025, Algorithm 1, as `dp-imed`; ours is n0 = ceil(first/epsilon), so that an arm's mean has
few noise terms before its rewards outweigh them. The paper leaves n0 free and runs n0 = 1.

Privacy: epsilon-DP (azize2025, Proposition 4.2), for every n0. Neighbours differ in the reward of one round. A
reward enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_imed
from dpbandits.settings.stochastic.authoring import Bandit, Parameter, Probe, Runs, cumulative_pulls, schedule
from dpbandits.settings.stochastic.batches import long_start


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, first: float, alpha: float) -> None:
    """Simulate DP-IMED with first batches of ``first``/epsilon rewards, at most T, and record it in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    first, alpha
        Size of an arm's first batch in units of 1/epsilon, > 0, and ratio of its successive batches, > 1.
    """
    n0 = long_start(first, epsilon, runs.horizon)
    # 1: the weight of log n in the index, as in DP-IMED.
    dp_imed.follow(runs, bandit, epsilon, schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon), 1.0)


assert dp_imed.ALGORITHM.privacy is not None
ALGORITHM = replace(
    dp_imed.ALGORITHM,
    title="DP-IMED, long start",
    source="azize2025, Algorithm 1, eqs. 13 and 14; n0 proportional to 1/epsilon is ours",
    privacy=replace(
        dp_imed.ALGORITHM.privacy,
        # Short first batches: many decisions soon.
        probes=(
            Probe(12, 2, {"first": 0.3, "alpha": 1.0015}),
            Probe(6, 2, {"first": 0.1}),
        ),
    ),
    parameters=(
        Parameter("first", float, 10.0, "pulls of each arm in its first batch, in units of 1/epsilon", above=0),
        Parameter("alpha", float, 2.0, "ratio of an arm's successive batches", above=1),
    ),
    simulate=simulate,
)
