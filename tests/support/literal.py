"""Stochastic policies on Bernoulli bandits, round by round: what the tests compare simulations with.

The policies are those of `dpbandits.policies.stochastic`, written from the papers; simulations share nothing
with them. Rounds are played one by one with one Bernoulli reward each. Divergences and indices are compiled
here, as they
stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.policies import algorithms
from dpbandits.policies.base import Policy
from dpbandits.policies.stochastic import indices
from dpbandits.policies.stochastic.batches import Geometric

Rng = np.random.Generator

# In this order: each compiles those before it into itself.
for _name in ("kl", "d_eps", "d_eps_index", "kl_index"):
    setattr(indices, _name, numba.njit(cache=False)(getattr(indices, _name)))
kl, d_eps, d_eps_index, kl_index = indices.kl, indices.d_eps, indices.d_eps_index, indices.kl_index


def make(name: str, arms: int, rng: Rng, horizon: float, **parameters: Any) -> Policy:
    """Return a policy with the parameters of its algorithm, defaults filled in."""
    epsilon = parameters.pop("epsilon", None)
    values = registry.algorithm(name).resolve(parameters, Tuning(horizon, arms, epsilon)).values
    return algorithms()[name](arms, rng, **values, **({} if epsilon is None else {"epsilon": epsilon}))


def batch_sizes(n0: int, alpha: str) -> Any:
    """Return B_m of eq. 14, by m."""
    return Geometric(1, np.random.default_rng(0), epsilon=1.0, n0=n0, alpha=float(alpha)).size


def run(
    name: str, means: Sequence[float], rounds: Sequence[int], rng: Rng, **parameters: float
) -> NDArray[np.int64]:
    """Return the pulls of each arm after each of ``rounds`` (increasing), shape (rounds, arms)."""
    policy = make(name, len(means), rng, max(rounds), **parameters)
    choose, update = policy.choose, policy.update
    log = []
    for t, u in enumerate(rng.random(max(rounds)).tolist(), start=1):
        arm = choose()
        update(arm, 1.0 if u < means[arm] else 0.0)
        if t in rounds:
            log.append(policy.counts.copy())
    return np.array(log)


def on_table(name: str, table: list[list[float]], rng: Rng, **parameters: float) -> list[int]:
    """Return the actions on a table of rewards, one row for each round."""
    policy = make(name, len(table[0]), rng, len(table), **parameters)
    actions = []
    for row in table:
        actions.append(policy.choose())
        policy.update(actions[-1], row[actions[-1]])
    return actions
