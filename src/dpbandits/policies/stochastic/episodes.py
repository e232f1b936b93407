"""AdaP-UCB and AdaP-KLUCB: Azize & Basu 2022, Algorithm 1, in episodes in which an arm's pulls double."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpbandits.policies.base import Policy, PolicyMakers, clip, random_argmax, shuffled
from dpbandits.policies.stochastic import indices


class Episodes(Policy):
    """Play in episodes of one arm, each as long as all pulls of that arm before (Azize & Basu 2022, Algorithm 1).

    At its end the episode's noisy mean is released, and the arm with the largest ``index`` is played next.
    ``alpha`` > 0 is the factor of log t in the index.
    """

    # Whether an arm's mean is that of its last episode alone.
    forgets = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, alpha: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.alpha = epsilon, alpha
        # Of each arm: its released mean, and the number of rewards in it.
        self.mu, self.n = [0.0] * arms, [0] * arms
        # Arms that were not played yet.
        self.first = shuffled(range(arms), rng)
        # The episode: its arm, its rounds, those left, and the sum of its rewards.
        self.arm, self.size, self.left, self.total = 0, 0, 0, 0.0

    def index(self, mean: float, n: int, log_t: float) -> float:
        """Return an arm's index from its private ``mean`` of n rewards; ``log_t`` is log t for the next round t.

        The arm with the largest index is played. Each subclass implements this.
        """
        raise NotImplementedError

    def decide(self) -> int:
        """Return this episode's arm, chosen at its start: one not played yet, else that of the largest index."""
        if self.left == 0:
            if self.first:
                self.arm = self.first.pop(0)
            else:
                log_t = math.log(self.t + 1)
                self.arm = random_argmax(
                    [self.index(mu, n, log_t) for mu, n in zip(self.mu, self.n, strict=True)], self.rng
                )
            self.size = self.left = max(1, self.counts[self.arm])
        return self.arm

    def learn(self, action: int, reward: float) -> None:
        """Add the reward to the episode's sum; at the episode's end release its mean, and update the arm's mean.

        The released mean of an episode of n rounds has Laplace noise of scale 1/(epsilon n).
        """
        self.total += reward
        self.left -= 1
        if self.left > 0:
            return
        size = self.size
        mean = self.release(self.total / size, 1.0 / (self.epsilon * size), 1.0 / size, action, size)
        # The arm's private mean mu is that of its last episode, or else of all its episodes, n rewards.
        before = 0 if self.forgets else self.n[action]
        self.n[action] = before + size
        self.mu[action] = (before * self.mu[action] + size * mean) / self.n[action]
        self.total = 0.0


class AdapUcb(Episodes):
    """AdaP-UCB (Azize & Basu 2022), with alpha log(clock t) in its index.

    ``alpha`` is > 0. ``clock`` is 1, or 2 as in some versions of the paper.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, alpha: float, clock: float) -> None:
        super().__init__(arms, rng, epsilon=epsilon, alpha=alpha)
        self.log_clock = math.log(clock)

    def index(self, mean: float, n: int, log_t: float) -> float:
        """Return mean + sqrt(bonus/2) + bonus/epsilon, where bonus = alpha log(clock t)/n.

        ``mean`` is the private mean of n rewards, and ``log_t`` is log t.
        """
        bonus = self.alpha * (self.log_clock + log_t) / n
        return mean + math.sqrt(bonus / 2) + bonus / self.epsilon


class AdapKlucb(Episodes):
    """AdaP-KLUCB (Azize & Basu 2022): an arm's index is the largest q with kl(m, q) <= alpha log(t)/n.

    Here m is the arm's private mean of n rewards plus alpha log(t)/(n epsilon), clipped to [0, 1].
    """

    def index(self, mean: float, n: int, log_t: float) -> float:
        """Return -log(1 - q), which ranks arms as q does; q is the largest with kl(m, q) <= alpha log(t)/n.

        m is ``mean``, the private mean of n rewards, plus alpha log(t)/(n epsilon), clipped to [0, 1].
        """
        bonus = self.alpha * log_t / n
        return indices.kl_index(clip(mean + bonus / self.epsilon), bonus)


class LastingAdapKlucb(AdapKlucb):
    """AdaP-KLUCB (see `AdapKlucb`) in which an arm's private mean is that of all its episodes, not the last."""

    forgets = False


POLICIES: PolicyMakers = {"adap-klucb": AdapKlucb, "adap-ucb": AdapUcb, "lasting-adap-klucb": LastingAdapKlucb}
