"""Literal implementations of bandits with expert advice: what the tests compare ours with.

Written from asi2025 (Algorithms 2, 5 and 6); nothing of `dpbandits` is used. Every round is played: an action is
drawn from Q_t, its loss is one Bernoulli draw, batches are added up round by round. Many runs are played side by
side, in arrays whose first axis is the run. Algorithm 5 runs the literal bandits, one run after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import literal_adversarial
import numpy as np
from numpy.typing import NDArray

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


def draw(P: Array, rng: Rng) -> NDArray[np.int64]:
    """Return an index with probability P of each row."""
    index: NDArray[np.int64] = (rng.random((len(P), 1)) > P.cumsum(axis=1)).sum(axis=1)
    return np.minimum(index, P.shape[1] - 1)


def softmax(log_w: Array) -> Array:
    """Return the weights' shares."""
    w = np.exp(log_w - log_w.max(axis=1, keepdims=True))
    return w / w.sum(axis=1, keepdims=True)


def exp4(
    advice: Array,
    means: Array,
    T: int,
    runs: int,
    rng: Rng,
    *,
    eta: float,
    gamma: float,
    epsilon: float | None = None,
) -> Record:
    """Play Algorithm 6; without a budget, without noise. Advice has shape (period, N, K), means (period, K)."""
    period, N, K = advice.shape
    everyone = np.arange(runs)
    log_w = np.zeros((runs, N))
    record = Record(advice, means)
    for t in range(T):
        mu, ell = advice[t % period], means[t % period]
        P = softmax(log_w)
        Q = (1 - gamma) * P @ mu + gamma / K
        action = draw(Q, rng)
        loss = (rng.random(runs) < ell[action]).astype(float)
        if epsilon is not None:
            loss += rng.laplace(scale=1 / epsilon, size=runs)
        # Whom a draw from Q followed: an expert who advised the action, or, as number N, the uniform distribution.
        share = np.column_stack([(1 - gamma) * P * mu[:, action].T, np.full(runs, gamma / K)])
        J = draw(share / share.sum(axis=1, keepdims=True), rng)
        suffered = np.where(J < N, (mu @ ell)[np.minimum(J, N - 1)], ell[action])
        record.add(t, suffered, np.equal.outer(J, np.arange(N)).astype(float))
        log_w -= eta * mu[:, action].T * (loss / Q[everyone, action])[:, None]
    return record


def batched_exp4(
    advice: Array,
    means: Array,
    T: int,
    runs: int,
    rng: Rng,
    *,
    epsilon: float,
    delta: float,
    tau: int,
    eta: float,
    gamma: float,
) -> Record:
    """Play Algorithm 2. A round counts what Q_t and P_r expect, as the package does."""
    period, N, K = advice.shape
    everyone = np.arange(runs)
    log_w = np.zeros((runs, N))
    record = Record(advice, means)
    r = 1
    for t in range(1, T + 1):
        mu, ell = advice[(t - 1) % period], means[(t - 1) % period]
        if t == (r - 1) * tau + 1:
            P = softmax(log_w)
            total = np.zeros((runs, N))
        Q = (1 - gamma) * P @ mu + gamma / K
        action = draw(Q, rng)
        loss = (rng.random(runs) < ell[action]).astype(float)
        estimate = np.zeros((runs, K))
        estimate[everyone, action] = loss / Q[everyone, action]
        total += estimate @ mu.T
        record.add(t - 1, Q @ ell, (1 - gamma) * P)
        if t == r * tau:
            scale = 3 * K * np.sqrt(N * np.log(1 / delta)) / (gamma * tau * epsilon)
            log_w -= eta * (total / tau + rng.laplace(scale=scale, size=(runs, N)))
            r += 1
    return record


def bandit_to_experts(
    advice: Array,
    means: Array,
    T: int,
    runs: int,
    rng: Rng,
    *,
    base: str,
    epsilon: float,
    tau: int,
    **parameters: Any,
) -> Record:
    """Play Algorithm 5 over Algorithm 1: the base chooses an expert for each batch."""
    period, N, K = advice.shape
    record = Record(advice, means)
    followed = np.zeros((T, runs), dtype=int)
    for run in range(runs):
        B = literal_adversarial.BASES[base](N, rng, **parameters)
        j = 1
        for t in range(1, T + 1):
            mu, ell = advice[(t - 1) % period], means[(t - 1) % period]
            action = [rng.choice(K, p=mu[expert]) for expert in range(N)]
            loss = rng.random(K) < ell
            if t == (j - 1) * tau + 1:
                J = B.act()
                losses = []
            losses.append(float(loss[action[J]]))
            followed[t - 1, run] = J
            if t == j * tau:
                B.learn(J, sum(losses) / tau + rng.laplace(scale=1 / (tau * epsilon)))
                j += 1
    for t in range(T):
        mean = advice[t % period] @ means[t % period]
        record.add(t, mean[followed[t]], np.equal.outer(followed[t], np.arange(N)).astype(float))
    return record


POLICIES = {
    "exp4": exp4,
    "local-dp-exp4": exp4,
    "batched-exp4": batched_exp4,
    "batched-exp4-printed": batched_exp4,
    "bandit-to-experts": bandit_to_experts,
}
