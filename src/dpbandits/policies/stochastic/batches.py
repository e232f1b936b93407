"""DP-KLUCB, DP-IMED and variants of them: azize2025, Algorithm 1, with eqs. 12, 13 and 14.

A batch of an arm is played, its sum is released once with Lap(1/epsilon), and the arm with the largest index is
next. The paper leaves open ties, and the order in which arms are first played: here both are uniformly random.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from numpy.random import Generator

from dpbandits.policies.base import Policy, PolicyMakers, clip, random_argmax, shuffled
from dpbandits.policies.stochastic import indices


class Batches(Policy):
    """Play azize2025's Algorithm 1: in batches of one arm each.

    At its end a batch's sum of rewards is released with noise. The next batch is of the arm with the largest index.
    A subclass has the ``index`` and the ``size`` of batches.
    """

    # Whether an arm's mean is that of its last batch alone.
    forgets = False

    def __init__(self, arms: int, rng: Generator, *, epsilon: float) -> None:
        super().__init__(arms, rng)
        self.epsilon = epsilon
        # Of each arm: its private sum, the number of rewards in it, and the number of its last batch.
        self.S, self.n, self.m = [0.0] * arms, [0] * arms, [-1] * arms
        # Arms that were not played yet.
        self.first = shuffled(range(arms), rng)
        # The batch: its arm, its rounds, those left, and the sum of its rewards.
        self.arm, self.B, self.left, self.total = 0, 0, 0, 0.0

    def size(self, m: int) -> int:
        """Return B_m, the number of rounds of an arm's batch m = 0, 1, ...; each subclass implements this."""
        raise NotImplementedError

    def index(self, x: float, n: int, best: float) -> float:
        """Return an arm's index; the arm with the largest index is played next. Each subclass implements this.

        Parameters
        ----------
        x
            The arm's private mean, clipped to [0, 1].
        n
            Number of rewards of which this is the mean.
        best
            The largest clipped private mean of all arms.
        """
        raise NotImplementedError

    def decide(self) -> int:
        """Return the arm of this batch, chosen at its start: one not played yet, else that of the largest index."""
        if self.left == 0:
            if self.first:
                self.arm = self.first.pop(0)
            else:
                # S and n: an arm's private sum, and the number of rewards in it.
                mu = [clip(S / n) for S, n in zip(self.S, self.n, strict=True)]
                best = max(mu)
                self.arm = random_argmax(
                    [self.index(x, n, best) for x, n in zip(mu, self.n, strict=True)], self.rng
                )
            self.B = self.left = self.size(self.m[self.arm] + 1)
        return self.arm

    def learn(self, action: int, reward: float) -> None:
        """Add the reward to the batch's sum; at the end of the batch, release the sum with noise Lap(1/epsilon)."""
        self.total += reward
        self.left -= 1
        if self.left > 0:
            return
        # S, n and m of an arm: its private sum, the number of rewards in it, and the number of its last batch.
        if self.forgets:
            self.S[action], self.n[action] = 0.0, 0
        self.S[action] += self.release(self.total, 1.0 / self.epsilon, 1.0, action, self.B)
        self.n[action] += self.B
        self.m[action] += 1
        self.total = 0.0


class Geometric(Batches):
    """Play azize2025's Algorithm 1 in batches whose sizes grow geometrically (eq. 14).

    An arm's batches 0 to m together have n0 (alpha^(m+1) - 1)/(alpha - 1) rewards, rounded up.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, n0: int, alpha: float) -> None:
        super().__init__(arms, rng, epsilon=epsilon)
        self.n0, self.alpha = n0, alpha

    def size(self, m: int) -> int:
        """Return the number of rounds of an arm's batch m: what the batches to m have, less those to m - 1."""
        return self._after(m) - (self._after(m - 1) if m else 0)

    def _after(self, m: int) -> int:
        # The decimal that alpha is written as: in doubles (1.1 - 1)/0.1 is above 1.
        a = Fraction(str(self.alpha))
        return math.ceil(self.n0 * (a ** (m + 1) - 1) / (a - 1))


class DpKlucb(Geometric):
    """DP-KLUCB (azize2025, eq. 12): an arm's index is the largest mean y with n d_eps(x, y) <= log t.

    Here x is the arm's private mean of n rewards, and d_eps the divergence of means under epsilon-DP (eq. 6).
    """

    def index(self, x: float, n: int, best: float) -> float:
        """Return the largest y with n d_eps(x, y) <= log t, where x is the private mean of n rewards."""
        return indices.d_eps_index(x, math.log(self.t + 1) / n, self.epsilon)


class DpImed(Geometric):
    """DP-IMED (azize2025, eq. 13): the arm of the smallest n d_eps(x, best) + log n is played.

    Here x is the arm's private mean of n rewards, and d_eps the divergence of means under epsilon-DP (eq. 6).
    """

    # Factor of log n.
    weight = 1.0

    def index(self, x: float, n: int, best: float) -> float:
        """Return the negative of n d_eps(x, best) + ``weight`` log n, as the largest index is played.

        x is the private mean of n rewards, and ``best`` the largest private mean of all arms.
        """
        return -(n * indices.d_eps(x, best, self.epsilon) + self.weight * math.log(n))


class DpImedTradeoff(DpImed):
    """DP-IMED (see `DpImed`) with (1 + kappa) log n in the index in place of log n."""

    def __init__(self, arms: int, rng: Generator, *, kappa: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.weight = 1.0 + kappa


class DpImedPolynomial(Batches):
    """DP-IMED (see `DpImed`) in which batch m = 0, 1, ... of an arm has n0 (m + 1)^degree rewards."""

    # DP-IMED's index alone: its batches are geometric.
    weight = 1.0
    index = DpImed.index

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, n0: int, degree: int) -> None:
        super().__init__(arms, rng, epsilon=epsilon)
        self.n0, self.degree = n0, degree

    def size(self, m: int) -> int:
        """Return n0 (m + 1)^degree, the number of rounds of an arm's batch m = 0, 1, ..."""
        return self.n0 * int((m + 1) ** self.degree)


class LongStart(Geometric):
    """Play azize2025's Algorithm 1 in geometric batches after a long first one of each arm.

    The first batch has n0 = first/epsilon rewards, rounded up. An arm's batches 0 to m together have
    n0 (alpha^(m+1) - 1)/(alpha - 1) rewards, rounded up.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, first: float, alpha: float) -> None:
        super().__init__(arms, rng, epsilon=epsilon, n0=math.ceil(first / epsilon), alpha=alpha)


class DpKlucbLongStart(LongStart, DpKlucb):
    """DP-KLUCB (see `DpKlucb`) in which each arm's first batch has first/epsilon rewards, rounded up."""


class DpImedLongStart(LongStart, DpImed):
    """DP-IMED (see `DpImed`) in which each arm's first batch has first/epsilon rewards, rounded up."""


class ForgettingDpKlucb(DpKlucb):
    """DP-KLUCB (see `DpKlucb`) in which an arm's private mean is that of its last batch alone."""

    forgets = True


class ForgettingDpImed(DpImed):
    """DP-IMED (see `DpImed`) in which an arm's private mean is that of its last batch alone."""

    forgets = True


POLICIES: PolicyMakers = {
    "dp-imed": DpImed,
    "dp-imed-long-start": DpImedLongStart,
    "dp-imed-polynomial": DpImedPolynomial,
    "dp-imed-tradeoff": DpImedTradeoff,
    "dp-klucb": DpKlucb,
    "dp-klucb-long-start": DpKlucbLongStart,
    "forgetting-dp-imed": ForgettingDpImed,
    "forgetting-dp-klucb": ForgettingDpKlucb,
}
