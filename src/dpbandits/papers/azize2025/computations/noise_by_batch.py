"""azize2025, Algorithm 1: which batches' noise makes the rare bad runs of DP-IMED.

DP-IMED is run with noise on some batches only. That is not private, and no algorithm: it tells where the runs that
never find the best arm come from. All variants have the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import streams
from dpbandits.core.tables import Row
from dpbandits.settings.stochastic.algorithms.dp_imed import follow
from dpbandits.settings.stochastic.batches import cumulative_pulls, schedule
from dpbandits.settings.stochastic.problem import make_bandit

Floats = NDArray[np.float64]
# By variant, the batches of an arm that keep their noise, of batches m = 0, 1, ...
VARIANTS: Mapping[str, Callable[[NDArray[np.int64]], NDArray[np.bool_]]] = {
    "every": lambda m: m >= 0,
    "first": lambda m: m == 0,
    "later": lambda m: m > 0,
    "none": lambda m: m < 0,
}


def regrets(
    means: Sequence[float], epsilon: float, horizon: int, runs: int, n0: int, alpha: float, seed: int
) -> dict[str, Floats]:
    """Return DP-IMED's regret at the horizon in each run, shape (runs,), by which batches of an arm have noise.

    The keys are ``every``, ``first`` (the first batch alone), ``later`` (all but the first) and ``none``. All have
    the same random numbers.

    Parameters
    ----------
    means
        Mean rewards of the arms.
    epsilon, horizon, runs
        Privacy budget, number T of rounds, and number of runs.
    n0, alpha
        Size of the first batch, and ratio of the sizes of successive batches.
    seed
        Root seed of the runs' random streams.
    """
    bandit = make_bandit(np.array(means))
    counts = cumulative_pulls(n0, alpha, horizon)
    private = schedule(counts, epsilon)
    found = {}
    for name, noisy in VARIANTS.items():
        identity = f"noise by batch {list(means)} {epsilon} {horizon} {n0} {alpha}"
        filled = bandit.runs(streams(seed, identity, np.arange(runs)), checkpoints(horizon, 1))
        batches = private._replace(noise=np.where(noisy(np.arange(counts.size)), private.noise, 0.0))
        follow(filled, bandit, epsilon, batches, weight=1.0)
        found[name] = filled.regret[:, -1]
    return found


def compute(
    environments: Sequence[Any],
    epsilons: Sequence[float],
    horizon: int,
    runs: int,
    n0: int,
    alpha: float,
    multiples: Sequence[float],
    seed: int,
) -> pd.DataFrame:
    """Compute how often DP-IMED's regret is above multiples of its median, with noise on some batches alone.

    Parameters
    ----------
    environments
        Pairs of a bandit's name and its arms' mean rewards.
    epsilons, horizon, runs
        Privacy budgets, number T of rounds, and number of runs of each variant.
    n0, alpha
        Size of the first batch, and ratio of the sizes of successive batches (eq. 14).
    multiples
        Multiples of the median regret of DP-IMED, which has noise on every batch.
    seed
        Root seed of the runs' random streams.

    Returns
    -------
    DataFrame
        ``environment, epsilon, horizon, runs, median, multiple``. Then the share of runs with regret above
        ``multiple`` times ``median``, with noise on ``every`` batch, on the ``first`` of each arm alone, on all
        ``later`` ones alone, and on ``none``. Last the share of runs that are above it in two variants: with noise
        on every batch, and with noise on the first alone (``both_first``) or on all later ones (``both_later``).
    """
    rows: list[Row] = []
    for environment, means in environments:
        for epsilon in epsilons:
            found = regrets(means, epsilon, horizon, runs, n0, alpha, seed)
            every = found["every"]
            median = float(np.median(every))
            labels = {"environment": environment, "epsilon": epsilon, "horizon": horizon, "runs": runs}
            rows += [
                {
                    **labels,
                    "median": median,
                    "multiple": multiple,
                    **{name: float((regret > multiple * median).mean()) for name, regret in found.items()},
                    **{
                        f"both_{name}": float((np.minimum(found[name], every) > multiple * median).mean())
                        for name in ("first", "later")
                    },
                }
                for multiple in multiples
            ]
    return pd.DataFrame(rows)


ENVIRONMENTS: list[Any] = [
    ["mu1", [0.75, 0.70, 0.70, 0.70, 0.70]],
    ["mu2", [0.75, 0.625, 0.5, 0.375, 0.25]],
    ["mu3", [0.75, 0.53125, 0.375, 0.28125, 0.25]],
    ["mu4", [0.75, 0.71875, 0.625, 0.46875, 0.25]],
]

COMPUTATION = Computation(
    title="Rare bad runs of DP-IMED with noise on some batches only, which is not private",
    source="azize2025, Algorithm 1",
    compute=compute,
    parameters={
        "environments": Option(ENVIRONMENTS, "pairs of a name and means"),
        "epsilons": Option([0.1, 0.25, 1.0], "budgets"),
        "horizon": Option(1000000, "T"),
        "runs": Option(40000, "runs of each variant"),
        "n0": Option(1, "size of the first batch"),
        "alpha": Option(2.0, "ratio of batches"),
        "multiples": Option([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0], "multiples of the median"),
        "seed": SEED,
    },
)
