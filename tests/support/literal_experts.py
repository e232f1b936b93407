"""Policies with expert advice, round by round: what the tests compare simulations with.

The policies are those of `dpbandits.policies.experts`, written from asi2025 (Algorithms 2, 5 and 6);
simulations share nothing with them. In every round advice is given, an action chosen, and its loss is one
Bernoulli draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.policies import algorithms
from dpbandits.policies.experts.advised import Advised, BatchedExp4

Rng = np.random.Generator
Array = NDArray[np.float64]


class Record:
    """What a play leaves: its mean loss in every round, each expert's, and how often it followed each."""

    def __init__(self, advice: Array, means: Array) -> None:
        self.advice, self.means = advice, means
        self.loss: list[Array] = []
        self.experts: list[Array] = []
        self.pulls: Array | float = 0.0

    def add(self, t: int, loss: Array, followed: Array) -> None:
        """Write down round t (from 0): the mean losses, shape (runs,), and who was followed, shape (runs, N)."""
        mu, ell = self.advice[t % len(self.advice)], self.means[t % len(self.means)]
        self.loss.append(loss)
        self.experts.append(mu @ ell)
        self.pulls = self.pulls + followed

    def at(self, rounds: Sequence[int]) -> tuple[Array, Array]:
        """Return pulls, shape (runs, N), and regret after ``rounds``, shape (runs, rounds)."""
        experts = np.cumsum(self.experts, axis=0)
        loss = np.cumsum(self.loss, axis=0)
        regret = np.array([loss[t - 1] - experts[t - 1].min() for t in rounds]).T
        return np.asarray(self.pulls), regret


def trusted(advice: Any) -> Any:
    """Return advice as it is: it has been checked once, and not in each of a million rounds."""
    return advice


def play(name: str, advice: Array, means: Array, T: int, runs: int, rng: Rng, parameters: dict[str, Any]) -> Record:
    """Play runs of an algorithm. Advice has shape (period, N, K), means (period, K)."""
    period, N, K = advice.shape
    rows, mean_losses, of_experts = advice.tolist(), means.tolist(), (advice @ means[:, :, None])[:, :, 0]
    loss, pulls = np.zeros((T, runs)), np.zeros((runs, N))
    for run in range(runs):
        policy = algorithms()[name](K, rng, experts=N, **parameters)
        assert isinstance(policy, Advised)
        policy._distributions = trusted
        for t, u in enumerate(rng.random(T).tolist()):
            at = t % period
            expected = np.array(policy.P) if isinstance(policy, BatchedExp4) else None
            action = policy.choose(rows[at])
            J = policy.followed
            if expected is not None:
                # A round counts what Q_t and P_r expect, as the package does.
                share = (1 - policy.gamma) * expected
                loss[t, run] = share @ of_experts[at] + policy.gamma * means[at].mean()
                pulls[run] += share
            elif N > J:
                loss[t, run] = of_experts[at, J]
                pulls[run, J] += 1
            else:
                loss[t, run] = mean_losses[at][action]
            policy.update(action, float(u < mean_losses[at][action]))
    record = Record(advice, means)
    for t in range(T):
        record.add(t, loss[t], np.zeros((runs, N)))
    record.pulls = pulls
    return record
