"""DP-SE (Sajed & Sheffet 2019, Algorithm 2), and our perfection test."""

from __future__ import annotations

import math

from numpy.random import Generator

from dpbandits.policies.base import Policy, PolicyMakers, shuffled


class DpSe(Policy):
    """DP-SE (Sajed & Sheffet 2019, Algorithm 2): in an epoch each active arm is pulled R times.

    At its end noisy means are released, and arms far below the best are dropped. ``beta`` is the probability with
    which the confidence bounds may fail.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, beta: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.beta = epsilon, beta
        self.active, self.epoch = list(range(arms)), 0
        # The epoch: its order of arms, pulls of each, rounds played so far, and sums of rewards by arm.
        self.order: list[int] = []
        self.R, self.played = 0, 0
        self.total = [0.0] * arms

    def decide(self) -> int:
        """Return the next arm of the epoch, all in turn; if a single arm is active, it is played to the end."""
        if len(self.active) == 1:
            return self.active[0]
        if not self.order:
            self._begin()
        return self.order[self.played % len(self.order)]

    def _begin(self) -> None:
        """Begin an epoch: the number of pulls R of each active arm, and their order."""
        self.epoch += 1
        D, size = 2.0**-self.epoch, len(self.active)
        wanted = max(
            32 * math.log(8 * size * self.epoch**2 / self.beta) / D**2,
            8 * math.log(4 * size * self.epoch**2 / self.beta) / (self.epsilon * D),
        )
        self.R, self.played = 1 + math.floor(wanted), 0
        self.order = shuffled(self.active, self.rng)
        self.total = [0.0] * self.arms

    def learn(self, action: int, reward: float) -> None:
        """Add the reward; at the end of an epoch, release noisy means, and drop arms far below the best.

        After a single arm is left, nothing is learned.
        """
        if len(self.active) == 1:
            return
        self.total[action] += reward
        self.played += 1
        R, size, e = self.R, len(self.active), self.epoch
        if self.played < R * size:
            return
        mu = [self.release(self.total[a] / R, 1.0 / (self.epsilon * R), 1.0 / R, a, R) for a in self.active]
        # Widths of confidence of a mean: h by its rewards, c by its noise.
        h = math.sqrt(math.log(8 * size * e**2 / self.beta) / (2 * R))
        c = math.log(4 * size * e**2 / self.beta) / (self.epsilon * R)
        best = max(mu)
        self.active = [a for a, x in zip(self.active, mu, strict=True) if not best - x > 2 * h + 2 * c]
        self.order = []


class PerfectionTest(Policy):
    """Play an arm that hardly ever fails if there is one, else eliminate arms.

    It is ours, a counterexample to azize2025's Theorem 3.1.

    Level k = 1, 2, ... tests the arms one after another, in a batch of ``test`` 2^k rounds each. The first arm
    whose noisy number of failures (1 - reward, summed) is at most 2 k log(2)/epsilon is played for 2^(k^2) rounds.
    If no arm passes, private elimination of arms runs for 2^(k^2) rounds. Then the next level begins.

    Attributes
    ----------
    mode : str
        Phase of the level: ``"test"``, ``"trust"`` (an arm passed, and is played) or ``"eliminate"``.
    champion : int
        The arm that passed last; at first a random one.
    k : int
        The level, from 1.
    candidates : list of int
        Arms of this level that are still to be tested; the first one is played.
    left, size : int
        Rounds left of the batch, and number of all rounds of a test's batch.
    total : float
        Sum of the batch's failures; in elimination, of its rewards.
    rest : int
        Rounds left of the phase that follows the tests.
    """

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, test: int) -> None:
        """Begin level 1, in which a random arm is tested first."""
        super().__init__(arms, rng)
        self.epsilon, self.test = epsilon, test
        self.champion = int(rng.integers(arms))
        self.k, self.mode = 0, "test"
        self.candidates: list[int] = []
        self.left, self.size, self.total, self.rest = 0, 0, 0.0, 0
        # Elimination: arms left, those still to be played in this epoch, their private means, and the epoch.
        self.active: list[int] = []
        self.order: list[int] = []
        self.mu: list[float] = []
        self.epoch = 0
        self._next_level()

    def _next_level(self) -> None:
        """Begin a level: all arms are tested again, the champion first, in batches twice as long."""
        self.k += 1
        others = [a for a in range(self.arms) if a != self.champion]
        self.mode, self.candidates = "test", [self.champion, *shuffled(others, self.rng)]
        self.left = self.size = self.test * 2**self.k

    def decide(self) -> int:
        """Return the arm that is tested, the one that passed its test, or the next one in elimination."""
        if self.mode == "test":
            return self.candidates[0]
        if self.mode == "trust":
            return self.champion
        return self.active[0] if len(self.active) == 1 else self.order[0]

    def learn(self, action: int, reward: float) -> None:
        """Count the reward in a test or in elimination; when the phase after the tests ends, begin the next level.

        Rewards are not used while an arm that passed its test is played, or elimination has a single arm left.
        """
        if self.mode == "test":
            self._tested(action, reward)
        elif self.mode == "trust" or len(self.active) == 1:
            self.rest -= 1
        else:
            self._eliminating(action, reward)
        if self.mode != "test" and self.rest == 0:
            self._next_level()

    def _tested(self, arm: int, reward: float) -> None:
        """Count a tested arm's failures; with few in a batch it is trusted, else the next arm is tested."""
        self.total += 1.0 - reward
        self.left -= 1
        if self.left > 0:
            return
        failures = self.release(self.total, 1.0 / self.epsilon, 1.0, arm, self.size)
        self.left, self.total = self.size, 0.0
        if failures <= 2 * self.k * math.log(2) / self.epsilon:
            self.champion, self.mode = arm, "trust"
        else:
            self.candidates.pop(0)
            if self.candidates:
                return
            self.mode, self.active, self.epoch = "eliminate", list(range(self.arms)), 0
            self._next_epoch()
        self.rest = 2 ** (self.k * self.k)

    def _next_epoch(self) -> None:
        self.epoch += 1
        self.order, self.mu = shuffled(self.active, self.rng), [0.0] * self.arms
        self.total, self.left = 0.0, 2**self.epoch

    def _eliminating(self, arm: int, reward: float) -> None:
        """Add the reward; after each active arm's batch, drop arms far below the best."""
        self.total += reward
        self.left -= 1
        self.rest -= 1
        full = 2**self.epoch
        if self.left > 0 and self.rest > 0:
            return
        # The last batch of a phase may be short; nothing is decided by it.
        taken = full - self.left
        self.mu[arm] = self.release(self.total / full, 1.0 / (self.epsilon * full), 1.0 / full, arm, taken)
        self.total, self.left = 0.0, full
        self.order.pop(0)
        if self.order or self.rest == 0:
            return
        log = math.log(4 * self.arms * 2 ** (self.k * self.k) * self.epoch**2)
        width = math.sqrt(log / (2 * full)) + log / (self.epsilon * full)
        best = max(self.mu[a] for a in self.active)
        self.active = [a for a in self.active if self.mu[a] >= best - 2 * width]
        if len(self.active) > 1:
            self._next_epoch()


POLICIES: PolicyMakers = {"dp-se": DpSe, "perfection-test": PerfectionTest}
