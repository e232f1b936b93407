"""DP-KLUCB with a long first batch: n0 is a multiple of 1/epsilon.

Source: azize2025, Algorithm 1, as `dp-klucb`; ours is n0 = ceil(first/epsilon), so that an arm's mean has
few noise terms before its rewards outweigh them. The paper leaves n0 free and runs n0 = 1.

Privacy: epsilon-DP (azize2025, Proposition 4.2), for every n0. Neighbours differ in the reward of one round. A
reward enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); parallel composition.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_klucb
from dpbandits.settings.stochastic.authoring import Bandit, Parameter, Probe, Runs, cumulative_pulls, schedule
from dpbandits.settings.stochastic.batches import long_start


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, first: float, alpha: float) -> None:
    """Simulate DP-KLUCB with first batches of ``first``/epsilon rewards, at most T, and record it in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    first, alpha
        Size of an arm's first batch in units of 1/epsilon, > 0, and ratio of its successive batches, > 1.
    """
    n0 = long_start(first, epsilon, runs.horizon)
    dp_klucb.follow(runs, bandit, epsilon, schedule(cumulative_pulls(n0, alpha, runs.horizon), epsilon))


assert dp_klucb.ALGORITHM.privacy is not None
ALGORITHM = replace(
    dp_klucb.ALGORITHM,
    title="DP-KLUCB, long start",
    source="azize2025, Algorithm 1, eqs. 12 and 14; n0 proportional to 1/epsilon is ours",
    privacy=replace(
        dp_klucb.ALGORITHM.privacy,
        # Short first batches: many decisions soon.
        probes=(
            Probe(38, 2, {"first": 0.6, "alpha": 1.01}),
            Probe(38, 2, {"first": 6.0, "alpha": 1.01}),
        ),
    ),
    parameters=(
        Parameter("first", float, 10.0, "pulls of each arm in its first batch, in units of 1/epsilon", above=0),
        Parameter("alpha", float, 2.0, "ratio of an arm's successive batches", above=1),
    ),
    simulate=simulate,
)
