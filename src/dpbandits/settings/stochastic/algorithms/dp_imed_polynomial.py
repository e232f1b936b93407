"""DP-IMED with polynomial batches: batch m of an arm has n0 (m + 1)^degree rewards.

Source: azize2025, end of Appendix F, which says that such batches make the regret asymptotically optimal, and
Algorithm 1 with the index of eq. 13. The degree is left open there.

Privacy: epsilon-DP (azize2025, Proposition 4.2), whatever the batches. Neighbours differ in the reward of one
round. A reward enters exactly one batch sum, of sensitivity 1, released once with Lap(1/epsilon); parallel
composition.

Deviations: none.
"""

from __future__ import annotations

from dataclasses import replace

from dpbandits.settings.stochastic.algorithms import dp_imed
from dpbandits.settings.stochastic.authoring import Bandit, Parameter, Probe, Runs, schedule
from dpbandits.settings.stochastic.batches import polynomial_pulls


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, n0: int, degree: int) -> None:
    """Simulate DP-IMED on polynomial batches, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    n0, degree
        Size of an arm's first batch, from 1 to 10^9, and degree of the batches' growth, from 1 to 10.
    """
    # 1: the weight of log n in the index, as in DP-IMED.
    dp_imed.follow(runs, bandit, epsilon, schedule(polynomial_pulls(n0, degree, runs.horizon), epsilon), 1.0)


assert dp_imed.ALGORITHM.privacy is not None
ALGORITHM = replace(
    dp_imed.ALGORITHM,
    title="DP-IMED, polynomial batches",
    source="azize2025, Algorithm 1 and the end of Appendix F",
    privacy=replace(
        dp_imed.ALGORITHM.privacy,
        # Batches that hardly grow: many decisions soon.
        probes=(Probe(12, 2, {"n0": 1, "degree": 1}), Probe(12, 2, {"n0": 3, "degree": 1})),
    ),
    parameters=(
        Parameter("n0", int, 1, "pulls of each arm in its first batch", above=0, at_most=10**9),
        Parameter("degree", int, 2, "degree of the batches' growth", at_least=1, at_most=10),
    ),
    simulate=simulate,
)
