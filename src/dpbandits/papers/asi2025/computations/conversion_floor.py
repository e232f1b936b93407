"""asi2025, Algorithm 1: regret on the instances of docs/asi2025-conversion.md, Theorem D, beside its lower bound.

A batch's losses are alike in all its rounds on these instances. So a conversion with batches of tau rounds is its
base on T/tau decisions, whose losses have noise of scale 1/(tau epsilon), and its regret is tau times the base's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.tables import Row
from dpbandits.papers.simulated import final_regrets
from dpbandits.settings.adversarial.problem import Bandit, make_losses
from dpbandits.settings.adversarial.theory import Hardest, conversion_floor, hardest_instance


def regrets(base: str, tuning: Tuning, tau: int, runs: int, instance: Hardest, seed: int) -> NDArray[np.float64]:
    """Return the regrets of the conversion of ``base`` on the instance of Theorem D for this tau, shape (runs,).

    Parameters
    ----------
    base
        Name of the converted algorithm.
    tuning
        Horizon, arms and budget of the conversion.
    tau
        Rounds in a batch; divides T.
    runs, seed
        Number of runs, and root of their random streams.
    instance
        The proof's instance for this tau: the best arm's ``gap``, and whether ``coins`` decide losses.
    """
    assert tuning.epsilon is not None
    decisions, noise = int(tuning.horizon) // tau, 1 / (tau * tuning.epsilon)
    # The bases treat arms alike: the average over the K places of the best arm is that of any place.
    means = np.full((1, tuning.arms), 0.5)
    means[0, -1] -= instance.gap
    bandit = Bandit(make_losses([decisions], means, instance.coins), 1, noise)
    identity = f"conversion floor {base} {tuning.horizon} {tuning.arms} {tuning.epsilon} {tau}"
    algorithm = registry.algorithm(base)
    given = algorithm.resolve({}, Tuning(decisions, tuning.arms, None, noise=noise))[0]
    return tau * final_regrets(algorithm, given, bandit, decisions, runs, seed, identity)


def compute(
    bases: Sequence[str],
    arms: Sequence[int],
    horizon: int,
    epsilon: float,
    taus: Sequence[int],
    runs: int,
    seed: int,
) -> pd.DataFrame:
    """Compute the regret of conversions beside a lower bound, over the batch size.

    A conversion (asi2025, Algorithm 1) runs a base algorithm, which is not private, on noisy mean losses of batches
    of tau rounds. The bound is Theorem D of docs/asi2025-conversion.md.

    Parameters
    ----------
    bases, arms
        Names of base algorithms, such as ``htinf``, and numbers of arms.
    horizon, epsilon
        T and the privacy budget.
    taus
        Batch sizes that divide T.
    runs, seed
        Runs of each, and the seed of their streams.

    Returns
    -------
    DataFrame
        One row for each base, number of arms and tau. The case: ``base, title, arms, horizon, epsilon, tau,
        decisions``. Its instance: the best arm's mean loss is ``gap`` below the others' 1/2. With ``coins``, one
        coin decides all losses of an arm in a batch. The regret in losses: ``mean`` of ``runs`` with its 95 %
        interval ``mean_low, mean_high``. Lower bounds on it: ``floor`` for this tau, and ``every_tau``, which no
        batch size beats.
    """
    rows: list[Row] = []
    for number in arms:
        tuning = Tuning(horizon, number, epsilon)
        for tau in taus:
            instance = hardest_instance(tuning, tau)
            for base in bases:
                regret = regrets(base, tuning, tau, runs, instance, seed)
                half = 1.96 * float(regret.std(ddof=1)) / math.sqrt(runs)
                rows.append(
                    {
                        "base": base,
                        "title": f"{registry.algorithm(base).title}, converted",
                        "arms": number,
                        "horizon": horizon,
                        "epsilon": epsilon,
                        "tau": tau,
                        "decisions": horizon // tau,
                        "coins": instance.coins,
                        "gap": instance.gap,
                        "runs": runs,
                        "mean": float(regret.mean()),
                        "mean_low": float(regret.mean()) - half,
                        "mean_high": float(regret.mean()) + half,
                        "floor": instance.floor,
                        "every_tau": conversion_floor(tuning),
                    }
                )
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Regret of conversions on the instances of a lower bound for every base and batch size",
    source="asi2025, Algorithm 1; docs/asi2025-conversion.md, Theorem D",
    compute=compute,
    parameters={
        "bases": Option(["htinf", "exp3"], "base algorithms"),
        "arms": Option([2, 10], "numbers of arms"),
        "horizon": Option(1_000_000, "T"),
        "epsilon": Option(0.1, "privacy budget"),
        "taus": Option([5, 10, 20, 50, 100, 200, 500, 1000, 5000], "batch sizes, which divide T"),
        "runs": Option(200, "runs of each"),
        "seed": SEED,
    },
)
