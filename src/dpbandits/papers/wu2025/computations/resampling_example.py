"""wu2025, Section 3.1: the two actions that are to show what Bernoulli resampling is good for, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.settings.full_information import laws, regret
from dpbandits.settings.full_information.noises import NOISES, PRINTED
from dpbandits.settings.full_information.selection import Floats

# Losses of the two actions on a lattice of twentieths: pairs (value, probability) of either.
STEP = 0.05
EXAMPLES = {
    "printed": (((6, 1.0),), ((8, 0.8), (0, 0.2))),
    # Ours: what the paper says of its example is true of this one. The means are the same, 0.3 and 0.32.
    "repaired": (((6, 1.0),), ((4, 0.8), (16, 0.2))),
    # Ours: losses so rare that resampling lowers regret at every horizon, if there is little noise.
    "rare losses": (((1, 1.0),), ((0, 0.7), (20, 0.3))),
}


def losses(example: str) -> Floats:
    """Return the laws of the two actions' losses in a round, shape (2, 21): probabilities of 0, 1/20, ..., 1.

    ``example`` is ``printed``, ``repaired`` or ``rare losses``.
    """
    table = np.zeros((2, 21))
    for action, pairs in enumerate(EXAMPLES[example]):
        for value, probability in pairs:
            table[action, value] = probability
    return table


def accumulated(example: str, resampling: int) -> tuple[Iterator[Floats], float]:
    """Return the laws of losses accumulated over 1, 2, 4, ... rounds, and the step of their lattice.

    Each law has shape (2, values): for both actions, the probabilities of 0, 1, 2, ... times the step. ``example``
    is ``printed``, ``repaired`` or ``rare losses``, and ``resampling`` is B, 0 or 1.
    """
    one = losses(example)
    return (laws.bernoulli(one @ np.arange(21) * STEP), 1.0) if resampling else (laws.summed(one), STEP)


def compute(epsilons: Sequence[float], followed: Sequence[float], horizon: int) -> pd.DataFrame:
    """Compute the probability P[J_1 = 2] that RNM-FTNL selects the worse of two actions, and its regret over T.

    Parameters
    ----------
    epsilons
        Budgets at which P[J_1 = 2] is computed.
    followed
        Budgets at which regret is computed too.
    horizon
        Largest number T of rounds, a power of two.

    Returns
    -------
    DataFrame
        ``part``: ``selection``, with the ``probability`` P[J_1 = 2], or ``regret``, with the pseudo-``regret`` at
        ``round``; for each ``example`` (``printed``, ``repaired``, ``rare losses``), ``noise``, ``resampling`` (B)
        and ``epsilon``.
    """
    # Each of the two actions stands for itself alone.
    alone = np.ones((1, 2))
    rows = []
    for example in EXAMPLES:
        means = losses(example) @ np.arange(21) * STEP
        for noise in PRINTED:
            for resampling in (0, 1):
                labels = {"example": example, "noise": noise, "resampling": resampling}
                for epsilon in epsilons:
                    sums, step = accumulated(example, resampling)
                    scale = NOISES[noise].factor / epsilon
                    probability = NOISES[noise].select_random(next(sums), alone, step / scale)[0, 1]
                    rows.append({"part": "selection", **labels, "epsilon": epsilon, "probability": probability})
                rounds = 2 ** np.arange(horizon.bit_length())
                for epsilon in followed:
                    expected = regret.random(
                        NOISES[noise],
                        NOISES[noise].factor / epsilon,
                        *accumulated(example, resampling),
                        means - means[0],
                        alone,
                        regret.epochs(horizon),
                    )
                    curve = regret.regret(expected[0], rounds)
                    rows += [
                        {"part": "regret", **labels, "epsilon": epsilon, "round": t, "regret": value}
                        for t, value in zip(rounds, curve, strict=True)
                    ]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="The example of Bernoulli resampling: selection of the worse action, and regret",
    source="wu2025, Section 3.1",
    compute=compute,
    parameters={
        "epsilons": Option([0.01, 0.1, 1.0, 10.0, 100.0], "budgets at which P[J_1 = 2] is computed"),
        "followed": Option([1.0], "budgets at which regret is computed"),
        "horizon": Option(2**13, "T, a power of two"),
    },
)
