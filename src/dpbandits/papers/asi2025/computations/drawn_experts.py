"""asi2025, Table 2: ratios of the worst regrets of three algorithms for expert advice, over random instances.

A draw has an instance of each kind of environment, and each algorithm has its runs on all of them. Its regret is
that in the worst kind. So ratios are within a draw, and intervals are over draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import arrays
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.environment import Environment
from dpbandits.core.fields import Option, Parameters
from dpbandits.core.streams import number_of
from dpbandits.core.tables import Row
from dpbandits.papers.simulated import final_regrets, over_draws
from dpbandits.settings.experts.algorithms import bandit_to_experts, batched_exp4, local_dp_exp4
from dpbandits.settings.experts.environments import hardest_expert_gap, one_good_expert
from dpbandits.settings.experts.problem import Bandit

Floats = NDArray[np.float64]
# K, as in the experiment `experts` of the configuration; so are the kinds of environments.
ACTIONS = 4
KINDS: Mapping[str, tuple[Environment, Parameters]] = {
    "near": (one_good_expert.ENVIRONMENT, {"gap": 0.5, "advice": "near-deterministic"}),
    "dense": (one_good_expert.ENVIRONMENT, {"gap": 0.5, "advice": "dense"}),
    "hardest": (hardest_expert_gap.ENVIRONMENT, {"scale": 10, "advice": "near-deterministic"}),
}
ALGORITHMS: Mapping[str, Algorithm] = {
    "bandit-to-experts": bandit_to_experts.ALGORITHM,
    "local-dp-exp4": local_dp_exp4.ALGORITHM,
    "batched-exp4": batched_exp4.ALGORITHM,
}


def regrets(kind: str, experts: int, draw: int, epsilon: float, horizon: int, runs: int, seed: int) -> list[float]:
    """Return four regrets on one instance: three algorithms' means over runs, and that of uniform play.

    The algorithms are ``bandit-to-experts``, ``local-dp-exp4`` and ``batched-exp4``, in this order.

    Parameters
    ----------
    kind
        Kind of environment: ``near``, ``dense`` or ``hardest``.
    experts, draw
        N, and the number that decides best actions and advice.
    epsilon, horizon
        Budget, and T.
    runs, seed
        Number of runs of each algorithm, and root of their random streams.
    """
    environment, given = KINDS[kind]
    checked = environment.check({**given, "experts": experts, "actions": ACTIONS, "seed": draw})
    tuning = environment.tuning(checked, horizon, epsilon)
    problem: Bandit = environment.problem(checked, tuning)
    found = []
    for name, algorithm in ALGORITHMS.items():
        identity = f"drawn experts {name} {kind} {sorted(checked.items())} {epsilon} {horizon}"
        budget = algorithm.check_epsilon(epsilon)
        played = {"epsilon": budget, **algorithm.resolve({}, tuning)[0]}
        found.append(float(final_regrets(algorithm, played, problem, horizon, runs, seed, identity).mean()))
    return [*found, float(problem.uniform_play(np.array([horizon]))[0])]


def ratios(worst: Floats) -> list[Row]:
    """Return a row for each ordered pair of algorithms: the mean log of the ratio of their regrets over draws.

    Parameters
    ----------
    worst : ndarray of float64, shape (draws, algorithms + 1)
        Regrets of each of `ALGORITHMS`, and last of uniform play, each in its own worst kind of environment.

    Returns
    -------
    list of dict
        ``algorithm``, the one that it is ``against``, and both titles as ``pair``. ``share`` is the smaller of both
        algorithms' mean regrets, each divided by uniform play's. The logarithm has the mean ``value`` over
        ``instances`` (draws), and the standard ``error``.
    """
    logs = arrays.log(worst[:, :-1])
    shares = (worst[:, :-1] / worst[:, -1:]).mean(axis=0)
    labels = list(ALGORITHMS)
    titles = [algorithm.titled({"base": "htinf"}) for algorithm in ALGORITHMS.values()]
    return [
        {
            "algorithm": labels[one],
            "against": labels[other],
            "pair": f"{titles[one]} / {titles[other]}",
            "share": float(min(shares[one], shares[other])),
            **over_draws(logs[:, one] - logs[:, other]),
        }
        for one, other in permutations(range(len(labels)), 2)
    ]


def compute(
    experts: int, epsilons: Sequence[float], horizon: int, instances: int, runs: int, seed: int
) -> pd.DataFrame:
    """Compute ratios of regrets of three algorithms for expert advice, each in its worst environment, over draws.

    A draw has a random instance of each kind of environment.

    Parameters
    ----------
    experts, epsilons, horizon
        Number N of experts, privacy budgets, and number T of rounds.
    instances, runs
        Number of draws, and of runs of each algorithm on each instance.
    seed
        Root seed of draws and runs.

    Returns
    -------
    DataFrame
        One row for each budget and ordered pair of ``bandit-to-experts``, ``local-dp-exp4`` and ``batched-exp4``:
        ``experts, arms, epsilon, horizon, runs``, the ``algorithm``, the one that it is ``against``, and both as
        the title of a ``pair``. ``share`` is the smaller of both algorithms' mean regrets, each divided by uniform
        play's. Last the logarithm of the ratio of both regrets: its mean ``value`` over ``instances``, with its
        standard ``error``.
    """
    draws = {
        kind: [number_of(seed, f"drawn experts {kind} {experts} {number}") for number in range(instances)]
        for kind in KINDS
    }
    rows: list[Row] = []
    for epsilon in epsilons:
        found = [
            [regrets(kind, experts, draw, epsilon, horizon, runs, seed) for draw in draws[kind]] for kind in KINDS
        ]
        labels = {"experts": experts, "arms": ACTIONS, "epsilon": epsilon, "horizon": horizon, "runs": runs}
        rows += [labels | row for row in ratios(np.array(found).max(axis=0))]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Ratios of the worst regrets of three algorithms for expert advice, over random instances",
    source="asi2025, Table 2",
    compute=compute,
    parameters={
        "experts": Option(4, "N"),
        "epsilons": Option([0.0001, 0.001, 0.01, 0.1, 1.0], "budgets"),
        "horizon": Option(100_000, "T"),
        "instances": Option(20, "draws, each an instance of every kind of environment"),
        "runs": Option(2, "runs of each algorithm on each instance"),
        "seed": SEED,
    },
)
