"""Bandit-to-experts: the conversion of a bandit algorithm, with the experts as its arms.

Source: asi2025, Algorithm 5 over Algorithm 1 (Theorem 7). The base, converted into a private algorithm, chooses an
expert for each batch of tau = ceil(1/epsilon) rounds. Every round draws an action from that expert's advice, plays
it, and passes its loss on as the expert's. Given expert j, it is a Bernoulli loss of mean mu^j_t . l_t. So the base
plays a bandit with N arms, and its constants are those for N arms (Corollary 8 for HTINF).

Privacy: epsilon-DP. Neighbours differ in the losses of one round. It enters exactly one batch mean, of sensitivity
1/tau, released once with Lap(1/(tau epsilon)); parallel composition. Advice is public (Definition 4; see
`bandit_to_experts_advice`). Stated for epsilon <= 1.

Deviations: none.
"""

from __future__ import annotations

import functools
from typing import Any

from dpbandits.core.lanes import LANES
from dpbandits.settings.adversarial import conversion, privacy
from dpbandits.settings.experts.authoring import Algorithm, Bandit, Privacy, Runs, Tuning, Values, Wrapping


def tuned_for(tuning: Tuning, values: Values) -> Tuning:
    """Return the facts that the base's constants are tuned for: those of the conversion, with experts as arms.

    ``values`` has the conversion's parameter ``tau``, the number of rounds in a batch.
    """
    return conversion.tuned_for(tuning._replace(arms=tuning.experts), values)


def simulate(runs: Runs, bandit: Bandit, *, base: str, epsilon: float, tau: int, **parameters: Any) -> None:
    """Simulate the conversion of ``base`` over the experts, and record pulls and regret in ``runs``.

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
    conversion.simulate(runs, bandit.followed, base, epsilon, tau, **parameters)


ALGORITHM = Algorithm(
    title="Bandit-to-experts",
    source="asi2025, Algorithm 5 over Algorithm 1; Theorem 7, Corollary 8",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the losses of one round replaced",
        mechanism=conversion.MECHANISM,
        at_most=1,
        exact=functools.partial(privacy.worst, batches=privacy.BATCHES, of_table=privacy.of_losses_and_advice),
        probes=conversion.PROBES,
    ),
    parameters=(conversion.TAU,),
    simulate=simulate,
    wraps=Wrapping(candidates=conversion.bases, default="htinf", tuning=tuned_for),
    lanes=LANES,
)
