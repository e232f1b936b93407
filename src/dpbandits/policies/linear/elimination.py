"""Arm elimination in batches on given action vectors: charisopoulos2022, Algorithm 1, and what it is compared with.

A batch plays a G-optimal design on the active actions. Clients report, `Elimination.report`; the server
estimates every active action's mean reward and drops actions far below the best. Under the paper's model (M1) each
reward is a report with noise of its own; under (M2) an action's report is the mean of its rewards, with noise. The
design is that of simulations: the paper leaves it open. `dpbandits.policies.linear.printed` has what is printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dpbandits.core.errors import BadInput
from dpbandits.policies.base import Policy, PolicyMakers, random_argmax, shuffled
from dpbandits.policies.linear.filter import Floats, spectral_filter


@dataclass(frozen=True)
class Batch:
    """A batch when all its reports are in.

    Attributes
    ----------
    number, support : int
        The batch's number, i in the paper, and number of actions played: those with positive weight in the design.
    reports, pooled : int
        Number of reports, and the least number of rewards in one.
    reach : float
        Largest a^T M^-1 a over active actions a, where M is the sum of a a^T over the reports' actions.
    noise : float
        Largest scale of the Laplace noise on a report.
    second_moment : float
        Upper bound of the mean square of a report that is not corrupted.
    """

    number: int
    support: int
    reports: int
    pooled: int
    reach: float
    noise: float
    second_moment: float


class Elimination(Policy):
    """Play charisopoulos2022, Algorithm 1; subclasses have the batches' sizes, width, threshold and noise.

    Parameters
    ----------
    arms, horizon : int
        Number of actions, and number of rounds T.
    actions : array of shape (arms, dimension)
        Vector of each action.
    """

    low, high = -math.inf, math.inf
    private = False
    needs_horizon = True
    # Whether an action has one report, the mean of its rewards, instead of one for each.
    pooled: ClassVar[bool] = False
    # Whether actions outside the design's support are dropped, as line 10 is printed.
    support_only: ClassVar[bool] = False

    def __init__(self, arms: int, rng: Generator, *, actions: ArrayLike, horizon: int) -> None:
        super().__init__(arms, rng)
        self.actions, self.horizon = np.array(actions, dtype=np.float64), horizon
        # Largest size of a reward, scale of the noise on one, and largest size of a report.
        self.clip, self.scale, self.level = math.inf, 0.0, math.inf
        self.active, self.estimates = list(range(arms)), [0.0] * arms
        self.number = self.first_batch() - 1
        # What is played in this batch, and the reports so far: their actions and values.
        self.chosen_arms: list[int] = []
        self.pulls: list[int] = []
        self.order: list[int] = []
        self.left, self.sum = 0, 0.0
        self.reporters: list[int] = []
        self.reports: list[float] = []
        self.best: int | None = None

    # What an algorithm decides by.

    def last_batch(self) -> int:
        """Return the number of the last batch, after which the best action is played to the end."""
        # Batches grow by a factor of 2 or more, so none has a higher number.
        return 63

    def pulls_per_action(self, number: int, weights: Floats, active: int, rank: int) -> list[int]:
        """Return how often each action of the design is played, in the order of ``weights``.

        Parameters
        ----------
        number
            The batch's number, from that of `first_batch` on.
        weights : ndarray of float64, shape (actions of the design,)
            The design's weights, of sum 1.
        active
            Number of active actions.
        rank
            Dimension of the space that the active actions span.
        """
        raise NotImplementedError

    def width(self, batch: Batch) -> float:
        """Return gamma_i, an error bound of a batch's estimates; actions over 2 gamma_i below the best go."""
        raise NotImplementedError

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return lambda, the filter's threshold, from a batch's reports; infinity: least squares, no filter."""
        return math.inf

    # Clients.

    def report(self, arm: int, reward_sum: float, number: int) -> float:
        """Return the report on an action: the mean of ``number`` clipped rewards of this sum, noisy if private."""
        if not self.private:
            return reward_sum / number
        return self.release(reward_sum / number, self.scale / number, 2.0 * self.bound / number, arm, number)

    @property
    def bound(self) -> float:
        """Largest absolute value of a reward after clipping."""
        return min(self.clip, self.high)

    def learn(self, action: int, reward: float) -> None:
        """Report each clipped reward, or if ``pooled`` an action's mean; at the end of a batch, drop actions."""
        if self.best is not None:
            return
        self.sum += max(-self.clip, min(self.clip, reward))
        self.left -= 1
        if not self.pooled or self.left == 0:
            number = self.pulls[self.order[0]] if self.pooled else 1
            self.reporters.append(action)
            self.reports.append(self.report(action, self.sum, number))
            self.sum = 0.0
        if self.left == 0:
            self.order.pop(0)
            if self.order:
                self.left = self.pulls[self.order[0]]
            else:
                self._eliminate()

    # The server.

    def decide(self) -> int:
        if self.best is None and not self.order:
            self._begin()
        return self.best if self.best is not None else self.chosen_arms[self.order[0]]

    def design(self) -> tuple[list[int], Floats, int]:
        """Return an approximately G-optimal design on the active actions.

        Returns
        -------
        arms, weights, rank
            The actions of the design, their weights of sum 1, and the dimension that the active actions span.
        """
        # Not at the top: the design is compiled.
        from dpbandits.settings.linear.design import approximate_design

        found = approximate_design(self.actions[self.active])
        return [self.active[int(k)] for k in found.arms], found.weights, found.rank

    def first_batch(self) -> int:
        """Return the number of the first batch."""
        return 1

    def _begin(self) -> None:
        """Begin a batch: its design and an order of its actions; after the last batch, choose the best action."""
        self.number += 1
        self.chosen_arms, weights, rank = self.design()
        if self.number > self.last_batch() or len(self.active) == 1 or rank == 0:
            kept = self.chosen_arms if self.support_only else self.active
            self.best = kept[random_argmax([self.estimates[a] for a in kept], self.rng)]
            return
        self.pulls = self.pulls_per_action(self.number, weights, len(self.active), rank)
        self.order = shuffled(range(len(self.chosen_arms)), self.rng)
        self.left = self.pulls[self.order[0]]
        self.reporters, self.reports = [], []

    def _eliminate(self) -> None:
        """Estimate the rewards of active actions from a batch's reports, and keep those near the best."""
        rows, r = self.actions[self.reporters], np.array(self.reports)
        n = len(r)
        values, axes = np.linalg.eigh(rows.T @ rows)
        kept = values > 1e-10 * values.max()
        root = axes[:, kept] / np.sqrt(values[kept]) @ axes[:, kept].T
        reach = max(float(np.sum((root @ self.actions[a]) ** 2)) for a in self.active)
        pooled = min(self.pulls) if self.pooled else 1
        noise = self.scale / pooled
        second_moment = min(self.clip**2, 1.0 + 1.0 / pooled) + 2.0 * noise**2
        batch = Batch(self.number, len(self.chosen_arms), n, pooled, reach, noise, second_moment)
        r = np.clip(r, -self.level, self.level)
        points, threshold = rows @ root * r[:, None], self.threshold(batch, r)
        mean = points.mean(axis=0) if threshold == math.inf else spectral_filter(points, threshold, self.rng)[0]
        theta = n * root @ mean
        for a in self.active:
            self.estimates[a] = float(self.actions[a] @ theta)
        compared = self.chosen_arms if self.support_only else self.active
        floor = max(self.estimates[a] for a in compared) - 2.0 * self.width(batch)
        self.active = [a for a in compared if self.estimates[a] >= floor]
        self.order = []


class Phased(Elimination):
    """Phased elimination (Lattimore & Szepesvari 2020, Chapters 21 and 22), neither private nor robust.

    ``delta`` is the probability with which its bounds may fail.
    """

    def __init__(self, arms: int, rng: Generator, *, delta: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.delta = delta

    def pulls_per_action(self, number: int, weights: Floats, active: int, rank: int) -> list[int]:
        log = math.log(active * number * (number + 1) / self.delta)
        return [math.ceil(4.0 * rank * w * 4.0**number * log) for w in weights]

    def width(self, batch: Batch) -> float:
        return float(0.5**batch.number)


class RobustPhased(Elimination):
    """Bogunovic et al. 2021: phased elimination with a known corruption budget C, not private.

    C bounds all corruption, ``delta`` an interval's failure; ``more`` has `Elimination`'s ``actions``, ``horizon``.
    """

    def __init__(self, arms: int, rng: Generator, *, delta: float, C: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.delta, self.C = delta, C
        self.d = self.actions.shape[1]
        # The paper's bound of the number of actions in a design: batches begin at this size.
        self.m0 = 4.0 * self.d * (math.log(math.log(max(self.d, math.e))) + 18.0)

    def first_batch(self) -> int:
        return 0

    def pulls_per_action(self, number: int, weights: Floats, active: int, rank: int) -> list[int]:
        return [math.ceil(self.m0 * 2.0**number * max(w, 1.0 / self.m0)) for w in weights]

    def width(self, batch: Batch) -> float:
        """Return gamma_i: the error by the rewards' noise, and what a corruption budget C can add."""
        m = self.m0 * 2.0**batch.number
        clean = math.sqrt(4.0 * self.d / m * math.log(1.0 / self.delta))
        return float(clean + self.C * self.m0 / m * math.sqrt(8.0 * self.d))


class Robust(Elimination):
    """charisopoulos2022's Algorithm 1 in B batches of about q^i rounds, q = T^(1/B), with known constants.

    Parameters
    ----------
    B : int
        Number of batches; in the last one the best action alone is played.
    delta, factor : float
        Probability with which its bounds may fail, and factor of the width gamma_i.
    clip : float
        Rewards are clipped to [-clip, clip]; if it is infinite, they are not.
    alpha : float
        Share of reports that may be corrupted.
    """

    # Least weight of an action of the design.
    nu = 0.0

    def __init__(
        self,
        arms: int,
        rng: Generator,
        *,
        B: int,
        delta: float,
        factor: float,
        clip: float = math.inf,
        alpha: float = 0.0,
        **more: Any,
    ) -> None:
        super().__init__(arms, rng, **more)
        self.B, self.delta, self.factor, self.clip, self.alpha = B, delta, factor, clip, alpha
        self.q = self.horizon ** (1.0 / B)

    def last_batch(self) -> int:
        """Return B - 1: batches count from 1, and in batch B the best action alone is played."""
        return self.B - 1

    def pulls_per_action(self, number: int, weights: Floats, active: int, rank: int) -> list[int]:
        return [math.ceil(self.q**number * max(w, self.nu)) for w in weights]

    def width(self, batch: Batch) -> float:
        """Return gamma_i: the error by noise, and what corrupted reports can add after the filter."""
        L, reach = math.log(2.0 / self.delta), batch.reach
        variance = 1.0 / batch.pooled + 2.0 * batch.noise**2
        width = math.sqrt(2.0 * variance * L * reach) + batch.noise * L * reach
        return self.factor * (width + math.sqrt(reach * batch.reports * batch.second_moment * self.alpha))

    def threshold(self, batch: Batch, reports: Floats) -> float:
        return batch.second_moment / batch.reports


class RobustM1(Robust):
    """Algorithm 1 under (M1): each reward is clipped to [-clip, clip] and reported with Lap(2 clip/epsilon)."""

    private = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.epsilon = epsilon
        self.scale = 2.0 * self.clip / epsilon


class RobustM2(RobustM1):
    """Algorithm 1 under (M2): a report is the mean of an action's n clipped rewards plus Lap(2 clip/(n epsilon)).

    ``nu`` is the least weight of an action in a batch; q is (T/(1 + nu k))^(1/B), k a bound of a design's support.
    """

    pooled = True

    def __init__(self, arms: int, rng: Generator, *, nu: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.nu = nu
        d = self.actions.shape[1]
        support = int(4 * d * math.log(math.log(d)) + 16) if d > 1 else 16
        self.q = (self.horizon / (1.0 + nu * support)) ** (1.0 / self.B)


class PrivateM1(RobustM1):
    """Algorithm 1 under (M1) with least squares in place of the filter: private, not robust."""

    def threshold(self, batch: Batch, reports: Floats) -> float:
        return math.inf


class PrivateM2(RobustM2):
    """Algorithm 1 under (M2) with least squares in place of the filter: private, not robust."""

    threshold = PrivateM1.threshold


class ClippedM1(PrivateM1):
    """Least squares under (M1) on reports cut to [-level, level]: a corrupted report can do no more than that."""

    # Bound of the mean error that the cut makes.
    bias = 0.0

    def __init__(self, arms: int, rng: Generator, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        log = self.clip_level_log()
        self.level = self.clip * (1.0 + math.sqrt(2.0 * log)) + self.scale * log

    def clip_level_log(self) -> float:
        """Return the L of the level: an uncorrupted report is above it with probability at most 3 e^-L."""
        return math.log(2.0 / self.delta)

    def width(self, batch: Batch) -> float:
        """Return gamma_i: the error by noise, by corrupted reports within the level, and by the cut."""
        L, reach, weights = math.log(2.0 / self.delta), batch.reach, math.sqrt(batch.reports * batch.reach)
        clean = math.sqrt(2.0 * (1.0 + 2.0 * batch.noise**2) * L * reach) + batch.noise * L * reach
        replaced = self.alpha * weights + math.sqrt(2.0 * self.alpha * reach * L) + reach * L / 3.0
        return self.factor * (clean + 2.0 * self.level * replaced + self.bias * weights)


class ClippedLowM1(ClippedM1):
    """`ClippedM1` with a lower level, which cuts a clean report with a probability of order max(alpha, 1/T)."""

    def clip_level_log(self) -> float:
        """Return the L of the level, log(1/max(alpha, 1/T)), and set ``bias``, which bounds its mean error."""
        self.bias = (2.0 * self.clip + self.scale) * (share := max(self.alpha, 1.0 / self.horizon))
        return math.log(1.0 / share)


def action_matrix(actions: ArrayLike) -> Floats:
    """Return action vectors as an array of shape (arms, dimension), or raise `BadInput`."""
    allowed = "a table of finite numbers, one row for each action"
    try:
        found = np.array(actions, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("actions", actions, allowed) from None
    if found.ndim != 2 or found.size == 0 or not np.isfinite(found).all():
        raise BadInput("actions", actions, allowed)
    return found


POLICIES: PolicyMakers = {
    "clipped-elimination-m1": ClippedM1,
    "clipped-elimination-m1-low": ClippedLowM1,
    "phased-elimination": Phased,
    "private-elimination-m1": PrivateM1,
    "private-elimination-m2": PrivateM2,
    "robust-elimination": Robust,
    "robust-elimination-m1": RobustM1,
    "robust-elimination-m2": RobustM2,
    "robust-phased-elimination": RobustPhased,
}
