"""Lazy-DP-TS (Hu & Hegde 2022), IMED (Honda & Takemura 2015), KL-UCB (Cappé et al. 2013)."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpbandits.policies.base import Policy, PolicyMakers, clip, random_argmax, shuffled
from dpbandits.policies.stochastic import indices


class LazyDpTs(Policy):
    """Lazy-DP-TS: in every round each arm draws from its posterior, and the arm of the largest draw is played.

    An arm's rewards are released in batches of 1, 2, 4, ...; its posterior is of its last finished batch alone.
    ``offset`` is the factor of the optimism log(t)/(epsilon n) that is added to an arm's private mean of n rewards.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, offset: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.offset = epsilon, offset
        # Of each arm: its released mean, and the number of rewards in it.
        self.mu, self.n = [0.0] * arms, [0] * arms
        # Since its last release: sum and number of rewards; and the number at which it is released next.
        self.total, self.done, self.size = [0.0] * arms, [0] * arms, [1] * arms
        self.first = shuffled(range(arms), rng)

    def decide(self) -> int:
        """Return the arm with the largest draw from its posterior, with an optimistic mean; at first, each once."""
        if self.first:
            return self.first.pop(0)
        log_t = math.log(self.t + 1)
        drawn = []
        for mu, n in zip(self.mu, self.n, strict=True):
            # Optimism: the noise of a mean has scale 1/(epsilon n).
            m = clip(mu + self.offset * log_t / (self.epsilon * n))
            drawn.append(self.rng.beta(m * n + 1, (1 - m) * n + 1))
        return random_argmax(drawn, self.rng)

    def learn(self, action: int, reward: float) -> None:
        """Add the reward; at the end of the arm's batch, release its sum, and double the size of the next batch."""
        self.total[action] += reward
        self.done[action] += 1
        size = self.size[action]
        if self.done[action] < size:
            return
        self.n[action] = size
        self.mu[action] = self.release(self.total[action], 1.0 / self.epsilon, 1.0, action, size) / size
        self.total[action], self.done[action], self.size[action] = 0.0, 0, 2 * size


class IndexPolicy(Policy):
    """Play each arm once, then the arm of the largest index of its sum and count of rewards, without privacy."""

    private = False
    # Indices that differ by no more than this are ties.
    tolerance = 0.0

    def __init__(self, arms: int, rng: Generator) -> None:
        super().__init__(arms, rng)
        # Sum of each arm's rewards, and the arms that were not played yet.
        self.S = [0.0] * arms
        self.first = shuffled(range(arms), rng)

    def indices(self) -> list[float]:
        """Return every arm's index, shape (arms,); the largest is played."""
        raise NotImplementedError

    def decide(self) -> int:
        return self.first.pop(0) if self.first else random_argmax(self.indices(), self.rng, self.tolerance)

    def learn(self, action: int, reward: float) -> None:
        self.S[action] += reward


class Imed(IndexPolicy):
    """IMED: play the arm of the smallest n kl(mean, best mean) + log n; ``indices`` has its negative.

    Exact ties of indices from different counts are the rule. After s successes and a failure of the best arm, an
    arm whose only pull failed has the index log(s + 1), and the best one has it too.
    """

    tolerance = 1e-10

    def indices(self) -> list[float]:
        best = max(S / n for S, n in zip(self.S, self.counts, strict=True))
        return [-(n * indices.kl(S / n, best) + math.log(n)) for S, n in zip(self.S, self.counts, strict=True)]


class KlUcb(IndexPolicy):
    """KL-UCB: play the arm of the largest mean q with n kl(mean, q) <= log t (the paper's constant c is 0).

    ``indices`` has -log(1 - q) of each arm, which ranks them alike.
    """

    def indices(self) -> list[float]:
        log_t = math.log(self.t + 1)
        return [indices.kl_index(S / n, log_t / n) for S, n in zip(self.S, self.counts, strict=True)]


POLICIES: PolicyMakers = {"imed": Imed, "kl-ucb": KlUcb, "lazy-dp-ts": LazyDpTs}
