"""wu2025, Theorem 3 and Corollary 2: two and three actions, and whether their rates may do without the gap.

A private algorithm may count votes: for each action, the rounds in which it had more than the smallest loss. Votes
have sensitivity 1. On deterministic losses with one best action they are losses with gap 1 for every suboptimal
action. So the regret is the mean of the gaps times that at gap 1. With two actions the gap is Delta_min, and no
lower bound without it can hold. With three actions the instance (0, Delta, Delta), which Theorem 3 calls the worst,
costs Delta only. But (0, Delta, 1) costs more (`theory.few_actions_lower_bound`), so the theorem holds for three
actions.

With Bernoulli resampling losses 1/2 and 1/2 + Delta are random. That costs about 1/Delta, if T is over 10/Delta^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import instances, laws, regret, theory
from dpbandits.settings.full_information.noises import NOISES

# Epochs with resampled losses: T = 2^20 - 1 is 10/gap^2 at a gap of 0.0031. Laws of longer ones are not computed.
RESAMPLED_EPOCHS = 20


def compute(epsilon: float, gaps: Sequence[float], epochs: int, resampled_gaps: Sequence[float]) -> pd.DataFrame:
    """Compute the regret of counting votes, and that of two actions with resampled deterministic losses.

    Counting votes is RNM-FTNL, run on votes in place of losses. An action gets a vote in each round in which it
    loses more than the least. B = 1 stands for Bernoulli resampling.

    Parameters
    ----------
    epsilon, gaps
        Privacy budget, and smallest gaps.
    epochs
        Number of epochs of the counted votes: T = 2^(epochs - 1).
    resampled_gaps
        Gaps of two actions whose deterministic losses are resampled, at T = 2^20 - 1.

    Returns
    -------
    DataFrame
        ``arms, instance, gap, epsilon, horizon``, and:

        - ``instance``: ``printed``, that of Theorem 3; ``other``, (0, gap, 1); ``resampled``, (0, gap) with B = 1;
        - ``regret``: exact, of counting votes with Gumbel noise, or of RNM-FTNL with B = 1 and Laplace noise;
        - ``rate``: log K/epsilon;
        - ``lower``: a bound for every private algorithm on (0, gap, 1), permuted, or 0 where none is known.
    """
    horizon = np.array([2 ** (epochs - 1)])
    scale = NOISES["gumbel"].factor / epsilon
    rows = []
    for arms, instance, largest in ((2, "printed", None), (3, "printed", None), (3, "other", 1.0)):
        votes = regret.deterministic(NOISES["gumbel"], scale, instances.equal(arms, 1.0), epochs)
        at_gap_1 = float(regret.regret(votes, horizon)[0])
        rows += [
            {
                "arms": arms,
                "instance": instance,
                "gap": gap,
                "epsilon": epsilon,
                "horizon": int(horizon[0]),
                "regret": (gap if largest is None else (gap + largest) / 2) * at_gap_1,
                "rate": math.log(arms) / epsilon,
                "lower": 0.0 if largest is None else theory.few_actions_lower_bound(arms, epsilon),
            }
            for gap in gaps
        ]
    return pd.DataFrame(rows + [resampled(epsilon, gap) for gap in resampled_gaps])


def resampled(epsilon: float, gap: float) -> Row:
    """Return a row with RNM-FTNL's exact regret on two actions, of losses 1/2 and 1/2 + ``gap``, at T = 2^20 - 1.

    Losses are Bernoulli-resampled (B = 1), and the noise is Laplace's. Columns are ``arms, instance, gap, epsilon,
    horizon, regret``, ``rate`` (log 2/epsilon) and ``lower`` (0, as no lower bound is known).
    """
    gaps, alone, horizon = np.array([0.0, gap]), np.ones((1, 2)), 2**RESAMPLED_EPOCHS - 1
    noise, sums = NOISES["laplace"], laws.bernoulli(0.5 + gaps)
    expected = regret.random(noise, noise.factor / epsilon, sums, 1.0, gaps, alone, RESAMPLED_EPOCHS)
    return {
        "arms": 2,
        "instance": "resampled",
        "gap": gap,
        "epsilon": epsilon,
        "horizon": horizon,
        "regret": float(regret.regret(expected, np.array([horizon]))[0, 0]),
        "rate": math.log(2) / epsilon,
        "lower": 0.0,
    }


COMPUTATION = Computation(
    title="Exact regret of few actions: counting votes, and resampled deterministic losses",
    source="wu2025, Theorem 3 and Corollary 2",
    compute=compute,
    parameters={
        "epsilon": Option(1.0, "budget"),
        "gaps": Option([0.1, 0.01, 0.001, 0.0001], "smallest gaps"),
        "epochs": Option(41, "epochs of the counted votes"),
        "resampled_gaps": Option([0.32, 0.1, 0.032, 0.01, 0.0032], "gaps of two actions with resampled losses"),
    },
)
