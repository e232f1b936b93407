"""The conversion of a bandit algorithm into a private one (asi2025, Algorithm 1, Theorem 1).

Source: asi2025, Algorithm 1. The base plays one arm for a batch of tau rounds. Then it is given the batch's mean
loss plus Laplace noise of scale 1/(tau epsilon). The batch has tau = ceil(1/epsilon) rounds. The base's constants
are those of Corollary 2 (HTINF), 22 (EXP3) and 24 (FTPL). An unfinished last batch is played and not learned from.

Privacy: epsilon-DP. Neighbours differ in the losses of one round. A loss enters exactly one batch mean, of
sensitivity 1/tau, released once with Lap(1/(tau epsilon)); parallel composition. Stated for epsilon <= 1.

Deviations: none.
"""

from __future__ import annotations

import functools
from typing import Any

from dpbandits.core.lanes import LANES
from dpbandits.settings.adversarial import conversion, privacy
from dpbandits.settings.adversarial.authoring import Algorithm, Bandit, Privacy, Runs


def simulate(runs: Runs, bandit: Bandit, *, base: str, epsilon: float, tau: int, **parameters: Any) -> None:
    """Simulate the conversion of the algorithm ``base``, and record regret and pulls in ``runs``.

    Parameters
    ----------
    base
        Name of the algorithm that is converted, such as ``htinf``.
    epsilon
        Privacy budget, > 0.
    tau
        Number of rounds in a batch, from 1 to T.
    **parameters
        The base's own parameters, such as ``sigma`` of HTINF.
    """
    conversion.simulate(runs, bandit, base, epsilon, tau, **parameters)


ALGORITHM = Algorithm(
    title="Conversion",
    source="asi2025, Algorithm 1; Corollaries 2, 22 and 24",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the losses of one round replaced",
        mechanism=conversion.MECHANISM,
        at_most=1,
        exact=functools.partial(privacy.worst, batches=privacy.BATCHES),
        probes=conversion.PROBES,
    ),
    parameters=(conversion.TAU,),
    simulate=simulate,
    wraps=conversion.WRAPPING,
    lanes=LANES,
)
