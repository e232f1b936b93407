"""wu2025, Lemma 1: with Bernoulli resampling a better action is selected at least as often as a worse one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.settings.full_information import laws
from dpbandits.settings.full_information.noises import NOISES, PRINTED
from dpbandits.settings.full_information.selection import Floats

# Three actions of means 0.3, 0.3 and 0.32, on a lattice of twentieths: the worse one, the smaller its usual loss.
TWENTIETH = 0.05
MISLEADING = np.zeros((3, 21))
MISLEADING[0, 6] = 1.0
MISLEADING[1, [5, 11]] = 5 / 6, 1 / 6
MISLEADING[2, [4, 16]] = 0.8, 0.2


def profile(means: Sequence[float], epsilon: float, epochs: int) -> pd.DataFrame:
    """Return P[J_r = j], the probability that RNM-FTNL selects action j after epoch r, on two instances.

    The first has Bernoulli losses. The second has three actions whose usual losses mislead, without and with
    Bernoulli resampling.

    Parameters
    ----------
    means, epsilon, epochs
        Sorted mean losses in [0, 1], the privacy budget, and the number of epochs.

    Returns
    -------
    DataFrame
        ``probability`` by ``instance`` (``spread means``, with B = 1 alone, or ``misleading losses``),
        ``resampling`` (B), ``noise``, ``r`` and ``j``, both from 1. Further columns are ``part`` (always profile),
        ``epsilon`` and the action's ``mean``.
    """
    spread, misled = np.array(means), MISLEADING @ np.arange(21) * TWENTIETH
    rows = []
    for instance, resampling, mean in (
        ("spread means", 1, spread),
        ("misleading losses", 0, misled),
        ("misleading losses", 1, misled),
    ):
        step = 1.0 if resampling else TWENTIETH
        for noise in PRINTED:
            scale = NOISES[noise].factor / epsilon
            sums = laws.bernoulli(mean) if resampling else laws.summed(MISLEADING)
            for r, law in enumerate(itertools.islice(sums, epochs), start=1):
                selected = NOISES[noise].select_random(law, np.ones((1, mean.size)), step / scale)[0]
                rows += [
                    {
                        "part": "profile",
                        "instance": instance,
                        "resampling": resampling,
                        "noise": noise,
                        "epsilon": epsilon,
                        "r": r,
                        "j": j,
                        "mean": mean[j - 1],
                        "probability": probability,
                    }
                    for j, probability in enumerate(selected, start=1)
                ]
    return pd.DataFrame(rows)


def drawn_means(rng: np.random.Generator) -> Floats:
    """Draw 2 to 12 mean losses in [0, 1], ascending; with probability 1/2 they are tenths, so some may be equal."""
    means = np.sort(rng.uniform(0.0, 1.0, rng.integers(2, 13)))
    return means if rng.random() < 0.5 else np.round(means, 1)


def search(instances: int, seed: int) -> pd.DataFrame:
    """Return a row for each noise and random instance, with resampling, that says whether Lemma 1 holds on it.

    Actions j are in order of their mean losses, and J_r is the selected one. ``rise`` is the largest P[J_r = j] -
    P[J_r = j-1], at most 0 by Lemma 1. ``multiple`` is the largest j P[J_r = j], at most 1. Other columns are
    ``part`` (always search), ``noise, resampling, epsilon, r`` and ``actions``, the number of actions.
    """
    rows = []
    for noise in PRINTED:
        rng = np.random.default_rng(seed)
        for _ in range(instances):
            means, r = drawn_means(rng), int(rng.integers(1, 11))
            epsilon = float(10.0 ** rng.uniform(-2.0, 1.0))
            # Losses accumulated over the 2^(r - 1) rounds that J_r is selected on.
            law = next(itertools.islice(laws.bernoulli(means), r - 1, None))
            scale = NOISES[noise].factor / epsilon
            selected = NOISES[noise].select_random(law, np.ones((1, means.size)), 1.0 / scale)[0]
            rows.append(
                {
                    "part": "search",
                    "noise": noise,
                    "resampling": 1,
                    "epsilon": epsilon,
                    "r": r,
                    "actions": means.size,
                    "rise": np.diff(selected).max(),
                    "multiple": (selected * np.arange(1, means.size + 1)).max(),
                }
            )
    return pd.DataFrame(rows)


def compute(means: list[float], epsilon: float, epochs: int, instances: int, seed: int) -> pd.DataFrame:
    """Compute the probabilities P[J_r = j] that RNM-FTNL selects action j, actions in order of their mean losses.

    Parameters
    ----------
    means
        Mean losses of the instance that is followed, sorted.
    epsilon
        Privacy budget of that instance.
    epochs
        Number of epochs that are followed.
    instances, seed
        How many random instances are searched, and the seed that they are drawn with.

    Returns
    -------
    DataFrame
        Columns depend on ``part``:

        - ``profile``: ``probability`` P[J_r = j] by ``instance``, ``resampling`` (B), ``noise``, ``r`` and ``j``;
        - ``search``: ``rise``, the largest P[J_r = j] - P[J_r = j-1], and ``multiple``, the largest j P[J_r = j].
          Lemma 1 says that the first is <= 0 and the second <= 1.

    Raises
    ------
    BadInput
        If the means are not sorted numbers in [0, 1].
    """
    if len(means) < 2 or means != sorted(means) or not 0 <= means[0] <= means[-1] <= 1:
        raise BadInput("parameters.means", means, "at least 2 numbers in [0, 1], smallest first")
    return pd.concat([profile(means, epsilon, epochs), search(instances, seed)], ignore_index=True)


COMPUTATION = Computation(
    title="Selection probabilities in order of the means: monotone with resampling",
    source="wu2025, Lemma 1",
    compute=compute,
    parameters={
        "means": Option([0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65], "sorted mean losses"),
        "epsilon": Option(0.5, "budget of the instance that is followed"),
        "epochs": Option(10, "how many epochs are followed"),
        "instances": Option(300, "random instances searched for each noise"),
        "seed": SEED,
    },
)
