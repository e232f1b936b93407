"""Bandit-to-experts with the stronger statement of privacy that asi2025 prints: advice is sensitive too.

Source: asi2025, Section 4, the sentence before Theorem 7 ("a stronger notion of privacy"), over Algorithm 5. The
algorithm is `bandit_to_experts`; only the statement differs.

Privacy, as stated: epsilon-DP, with neighbours that differ in the losses and the advice of one round. It does not
hold: the action of that round is drawn from the advice itself, without noise. It holds of the experts that are
chosen, and of the actions if only losses differ, which is what `bandit_to_experts` states, with Definition 4.

Deviations: none.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dpbandits.core.mathematics import log
from dpbandits.settings.experts.algorithms import bandit_to_experts
from dpbandits.settings.experts.authoring import Values, Worst


def worst(_: float, __: Values) -> Worst:
    """Return the worst privacy loss if advice is sensitive too: it is infinite.

    The first action shows it. On one input all experts advise action 1, so that it is played for certain; on the
    other input all advise action 2.
    """
    one, other = np.eye(2)[[0, 0]], np.eye(2)[[1, 1]]
    # The first expert is drawn uniformly, whatever the base.
    p, q = (float(advice.mean(axis=0)[0]) for advice in (one, other))
    losses = [[0.0, 0.0]]
    return Worst(
        loss=log(p / q) if q > 0 else math.inf,
        of="the first action, over losses and advice",
        one={"losses": losses, "advice": [one.tolist()]},
        other={"losses": losses, "advice": [other.tolist()]},
        event="the first action is 1",
        probabilities=(p, q),
    )


assert bandit_to_experts.ALGORITHM.privacy is not None
ALGORITHM = dataclasses.replace(
    bandit_to_experts.ALGORITHM,
    title="Bandit-to-experts, advice sensitive",
    source="asi2025, Section 4 before Theorem 7; Algorithm 5 over Algorithm 1",
    privacy=dataclasses.replace(
        bandit_to_experts.ALGORITHM.privacy,
        neighbours="the losses and the advice of one round replaced",
        exact=worst,
    ),
)
