"""The privacy of one selection, audited exactly: the largest log ratio of its probabilities on neighbouring losses.

A neighbour changes one round's loss vector, so every accumulated loss by at most 1 either way. The probability of
action j changes most if its own loss falls by 1 and all others rise by 1. Every epoch releases one selection and
epochs are disjoint, so what holds for a selection holds for the run. Losses are whole numbers here, which binary
loss vectors reach: the audit is that of B = 1 as well, since resampling leaves binary losses alone.

What is found is a lower bound on the privacy loss, exact for the pairs looked at; for two actions all pairs are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.computation import Computation
from dpbandits.full_information.noises import NOISES, Noise
from dpbandits.full_information.selection import Floats
from dpbandits.options import Option


def log_selected(noise: Noise, losses: Floats, scale: float) -> Floats:
    """Return the log probability of each action, given accumulated losses in any order."""
    values, groups, counts = np.unique((losses - losses.min()) / scale, return_inverse=True, return_counts=True)
    return noise.select(values, counts.astype(np.float64))[groups]


def loss(noise: Noise, losses: Floats, scale: float) -> float:
    """Return the largest log ratio of the first action's probability on ``losses`` to that on a neighbour."""
    first = np.where(np.arange(losses.size) == 0, 1.0, -1.0)
    here = log_selected(noise, losses, scale)[0]
    return max(abs(here - log_selected(noise, losses + sign * first, scale)[0]) for sign in (1.0, -1.0))


def compute(epsilons: Sequence[float], arms: Sequence[int], drawn: int, seed: int) -> pd.DataFrame:
    """Audit the selection under every noise.

    Parameters
    ----------
    epsilons
        Claimed budgets.
    arms
        Numbers of actions, each >= 2.
    drawn, seed
        How many loss vectors are drawn beside those on a ray, and the seed.

    Returns
    -------
    DataFrame
        ``noise``, ``epsilon`` (claimed), ``arms``, ``audited``: the largest log ratio, ``multiple``:
        audited/claimed, ``pairs``: how many pairs of neighbours were compared, and ``losses`` of the worst pair.
    """
    rows = []
    for name, noise in NOISES.items():
        for epsilon in epsilons:
            scale = noise.factor / epsilon
            for number in arms:
                rng = np.random.default_rng(seed)
                # The first action ahead of or behind all others by up to 40 scales, and anything in between.
                ahead = np.unique(np.rint(np.linspace(-40.0, 40.0, 161) * scale))
                vectors = [np.append(size, np.zeros(number - 1)) for size in ahead]
                vectors += [np.rint(rng.uniform(0.0, 10.0 * scale, number)) for _ in range(drawn)]
                found = [loss(noise, vector, scale) for vector in vectors]
                worst = int(np.argmax(found))
                rows.append(
                    {
                        "noise": name,
                        "epsilon": epsilon,
                        "arms": number,
                        "audited": found[worst],
                        "multiple": found[worst] / epsilon,
                        "pairs": 2 * len(found),
                        "losses": " ".join(f"{value:g}" for value in vectors[worst]),
                    }
                )
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="The privacy of a selection, audited on neighbouring losses",
    source="wu2025, Theorems 1, 2 and 4",
    compute=compute,
    parameters={
        "epsilons": Option([0.1, 1.0], "claimed budgets"),
        "arms": Option([2, 3, 10], "numbers of actions"),
        "drawn": Option(100, "loss vectors drawn beside those on a ray"),
        "seed": Option(1, "seed of the drawn vectors"),
    },
)
