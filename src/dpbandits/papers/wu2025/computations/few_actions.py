"""wu2025, Theorem 3 and Corollary 2: two and three actions, where their rates do not know the gap.

Of two or three actions all gaps are Delta_min. A private algorithm may count, for each action, the rounds in which
it had more than the smallest loss: counts have sensitivity 1, and on the instance they are losses with gap 1, so
that the regret is Delta_min times that at gap 1. And with Bernoulli resampling losses 1/2 and 1/2 + Delta are
random, which costs about 1/Delta.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.exhibit import Computation
from dpbandits.core.options import Option
from dpbandits.settings.full_information import instances, laws, regret
from dpbandits.settings.full_information.noises import NOISES


def compute(epsilon: float, gaps: Sequence[float], epochs: int) -> pd.DataFrame:
    """Compute the regret of counting votes, and that of two actions with resampled deterministic losses.

    Returns
    -------
    DataFrame
        ``arms, gap, epsilon, horizon``; ``regret``, exact, of counting votes with Gumbel noise; ``rate``, that is
        log K/epsilon; ``resampled``, exact, of RNM-FTNL with B = 1 and Laplace noise, of two actions, at 2^17 - 1.
    """
    horizon = np.array([2 ** (epochs - 1)])
    scale = NOISES["gumbel"].factor / epsilon
    rows = []
    for arms in (2, 3):
        votes = regret.deterministic(NOISES["gumbel"], scale, instances.equal(arms, 1.0), epochs)
        at_gap_1 = float(regret.regret(votes, horizon)[0])
        rows += [
            {
                "arms": arms,
                "gap": gap,
                "epsilon": epsilon,
                "horizon": int(horizon[0]),
                "regret": gap * at_gap_1,
                "rate": math.log(arms) / epsilon,
                "resampled": resampled(epsilon, gap) if arms == 2 else math.nan,
            }
            for gap in gaps
        ]
    return pd.DataFrame(rows)


def resampled(epsilon: float, gap: float) -> float:
    """Return the regret at 2^17 - 1 with B = 1 on losses 1/2 and 1/2 + gap."""
    gaps, alone = np.array([0.0, gap]), np.ones((1, 2))
    noise = NOISES["laplace"]
    expected = regret.random(noise, noise.factor / epsilon, laws.bernoulli(0.5 + gaps), 1.0, gaps, alone, 17)
    return float(regret.regret(expected, np.array([2**17 - 1]))[0, 0])


COMPUTATION = Computation(
    title="Exact regret of few actions: counting votes, and resampled deterministic losses",
    source="wu2025, Theorem 3 and Corollary 2",
    compute=compute,
    parameters={
        "epsilon": Option(1.0, "budget"),
        "gaps": Option([0.1, 0.01, 0.001, 0.0001], "smallest gaps"),
        "epochs": Option(41, "epochs of the counted votes"),
    },
)
