"""Faults of a private release, chosen at run time: one compilation makes all twins of a stochastic algorithm.

A fault's number is hidden in the checkpoint, which audits do not look at.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numba
import numpy as np
from twins import mutated

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.streams import laplace
from dpbandits.settings.stochastic.problem import collect

FAULTS = {"forgotten": 1, "twice": 2, "reused": 3, "tie": 4}
# DP-SE compares two arms once: noise on one of them protects both, and its second epoch is far away. There all
# noise of an epoch is forgotten, and a reward is counted twice in one batch.
OF_EPOCHS = {"forgotten": 5, "twice": 6, "reused": 3}
# A checkpoint that no run reaches.
NEVER = 2**60


@numba.njit
def release(
    state: np.ndarray, runs: Any, bandit: Any, run: int, arm: int, number: int, clock: Any, scale: float
) -> float:
    """Return the noisy sum of the last ``number`` rewards of ``arm``."""
    fault = runs.rounds[0] - NEVER
    # All rewards so far: those that were released before are counted again.
    rewards = collect(state, runs, bandit, run, arm, runs.pulls[run, arm] if fault == 2 else number, clock)
    if fault == 4:
        # No algorithm reads the means; they keep what ties are broken by.
        bandit.means[arm] = rewards / number
    if fault == 5 or (fault == 1 and arm == 0):
        return rewards
    if fault == 6:
        rewards *= 2.0
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    noise = laplace(state, scale)
    if fault == 3:
        # As if nothing had been drawn. It must not allocate: that is how kernels' inner functions are compiled.
        state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return rewards + noise


@numba.njit
def leaky(runs: Any, bandit: Any, arm: int, x: float) -> float:
    """Return an index between 0 and 1, where equal ones tie, or not."""
    return 0.999 * x + 1e-4 * bandit.means[arm] if runs.rounds[0] - NEVER == 4 else x


NEW = "from broken import leaky, release\nfrom dpbandits.core.streams import"
OLD = "from dpbandits.core.streams import"
BATCHES = {
    OLD: NEW,
    "        rewards = collect(state, runs, bandit, run, arm, batch, clock)\n": "",
    "rewards + laplace(state, 1.0 / epsilon)": (
        "release(state, runs, bandit, run, arm, batch, clock, 1.0 / epsilon)"
    ),
    "min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm]))": (
        "leaky(runs, bandit, arm, min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm])))"
    ),
}
DOUBLING = {
    OLD: NEW,
    "        rewards = collect(state, runs, bandit, run, arm, wanted, clock)\n": "",
    "(rewards + laplace(state, 1.0 / epsilon))": (
        "release(state, runs, bandit, run, arm, wanted, clock, 1.0 / epsilon)"
    ),
}
CHANGES = {
    "dp-imed": {"settings.stochastic.batches": BATCHES},
    "dp-klucb": {
        "settings.stochastic.batches": BATCHES,
        "": {
            # Of saturated indices the one of the larger, leaky mean.
            "if integer_below(state, ties) == 0:": (
                "if clipped[k] > clipped[best] or clipped[k] == clipped[best] and integer_below(state, ties) == 0:"
            ),
        },
    },
    "adap-ucb": {"settings.stochastic.doubling": DOUBLING},
    "adap-klucb": {
        "settings.stochastic.doubling": DOUBLING,
        "": {
            OLD: NEW,
            "min(1.0, max(0.0, arms.mean[k] + bonus / epsilon))": (
                "leaky(runs, bandit, k, min(1.0, max(0.0, arms.mean[k] + bonus / epsilon)))"
            ),
        },
    },
    "dp-se": {
        "": {
            OLD: NEW,
            "rewards = collect(state, runs, bandit, run, int(arm), pulls, clock)": "",
            "(rewards + laplace(state, 1.0 / epsilon))": (
                "release(state, runs, bandit, run, int(arm), pulls, clock, 1.0 / epsilon)"
            ),
        }
    },
    "lazy-dp-ts": {
        "": {
            OLD: NEW,
            "rewards = collect(state, runs, bandit, run, arm, arms.batch[arm], clock)": "",
            "(rewards + laplace(state, 1.0 / epsilon))": (
                "release(state, runs, bandit, run, arm, arms.batch[arm], clock, 1.0 / epsilon)"
            ),
        }
    },
}


def with_fault(broken: Algorithm, fault: str) -> Algorithm:
    """Return the declaration of a mutated algorithm with one of the faults; it has none of another name."""
    number = (OF_EPOCHS if broken.title == "DP-SE" else FAULTS).get(fault, 0)

    def simulate(runs: Any, bandit: Any, **arguments: Any) -> None:
        broken.simulate(runs._replace(rounds=np.array([NEVER + number])), bandit, **arguments)

    return dataclasses.replace(broken, simulate=simulate)


def breakable(original: str) -> Algorithm:
    """Return an algorithm that can be broken."""
    return mutated(original, CHANGES[original])
