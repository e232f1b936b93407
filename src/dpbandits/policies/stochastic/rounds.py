"""Lazy-DP-TS (Hu & Hegde 2022), IMED (Honda & Takemura 2015), KL-UCB (Cappé et al. 2013)."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpbandits.policies.base import Policy, PolicyMakers, clip, random_argmax, shuffled
from dpbandits.policies.stochastic import indices


class LazyDpTs(Policy):
    """Lazy-DP-TS (Hu & Hegde 2022): private Thompson sampling.

    In every round a mean is drawn from each arm's beta posterior, and the arm of the largest draw is played. An
    arm's rewards are released in batches of 1, 2, 4, ...; its posterior follows from its last finished batch alone.
    To the private mean of these n rewards the optimism ``offset`` log(t)/(epsilon n) is added.
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
        """Return the arm with the largest draw from its posterior; at first, play each arm once in random order."""
        if self.first:
            return self.first.pop(0)
        log_t = math.log(self.t + 1)
        drawn = []
        for mu, n in zip(self.mu, self.n, strict=True):
            # Optimism: log t times ``offset`` times the scale 1/(epsilon n) of the mean's noise.
            m = clip(mu + self.offset * log_t / (self.epsilon * n))
            drawn.append(self.rng.beta(m * n + 1, (1 - m) * n + 1))
        return random_argmax(drawn, self.rng)

    def learn(self, action: int, reward: float) -> None:
        """Add the reward to the arm's batch; at its end, release its noisy sum, and double the next one's size."""
        self.total[action] += reward
        self.done[action] += 1
        size = self.size[action]
        if self.done[action] < size:
            return
        self.n[action] = size
        self.mu[action] = self.release(self.total[action], 1.0 / self.epsilon, 1.0, action, size) / size
        self.total[action], self.done[action], self.size[action] = 0.0, 0, 2 * size


class IndexPolicy(Policy):
    """Play each arm once, then always the arm of the largest index, which a subclass has; without privacy.

    An index follows from the sums and numbers of the arms' rewards.
    """

    private = False
    # Indices that differ by no more than this are ties.
    tolerance = 0.0

    def __init__(self, arms: int, rng: Generator) -> None:
        super().__init__(arms, rng)
        # Sum of each arm's rewards, and the arms that were not played yet.
        self.S = [0.0] * arms
        self.first = shuffled(range(arms), rng)

    def indices(self) -> list[float]:
        """Return every arm's index; the arm with the largest one is played. Each subclass implements this."""
        raise NotImplementedError

    def decide(self) -> int:
        """Return an arm that was not played yet; if there is none, the arm of the largest index."""
        return self.first.pop(0) if self.first else random_argmax(self.indices(), self.rng, self.tolerance)

    def learn(self, action: int, reward: float) -> None:
        """Add the reward to the arm's sum."""
        self.S[action] += reward


class Imed(IndexPolicy):
    """IMED (Honda & Takemura 2015): play the arm of the smallest n kl(mean, best mean) + log n.

    Ties that rounding would break are frequent, so indices within ``tolerance`` are equal. For example, after s
    successes and a failure of the best arm, its index is log(s + 1), and so is that of an arm whose only pull
    failed.
    """

    tolerance = 1e-10

    def indices(self) -> list[float]:
        """Return the negative of n kl(mean, best mean) + log n for each arm, where n is its number of pulls."""
        best = max(S / n for S, n in zip(self.S, self.counts, strict=True))
        return [-(n * indices.kl(S / n, best) + math.log(n)) for S, n in zip(self.S, self.counts, strict=True)]


class KlUcb(IndexPolicy):
    """KL-UCB (Cappé et al. 2013): an arm's index is the largest q with n kl(mean, q) <= log t.

    The paper's constant c is 0.
    """

    def indices(self) -> list[float]:
        """Return -log(1 - q) of each arm's index q, which ranks arms as q does but does not round to 1."""
        log_t = math.log(self.t + 1)
        return [indices.kl_index(S / n, log_t / n) for S, n in zip(self.S, self.counts, strict=True)]


POLICIES: PolicyMakers = {"imed": Imed, "kl-ucb": KlUcb, "lazy-dp-ts": LazyDpTs}
