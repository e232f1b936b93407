"""Arm elimination in batches on given action vectors: charisopoulos2022, Algorithm 1, with and without its filter.

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
    number : int
        The batch's number, i in the paper.
    support_size : int
        Number of actions that are played: those with positive weight in the batch's design.
    report_count : int
        Number of reports.
    rewards_per_report : int
        The least number of rewards whose mean is a report; 1 if each reward is a report.
    reach : float
        Largest a^T M^-1 a over active actions a, where M is the sum of a a^T over the reports' actions.
    noise : float
        Largest scale of the Laplace noise on a report; 0 without privacy.
    second_moment : float
        Upper bound of the mean square of a report that is not corrupted.
    """

    number: int
    support_size: int
    report_count: int
    rewards_per_report: int
    reach: float
    noise: float
    second_moment: float


class Elimination(Policy):
    """Play arm elimination in batches (charisopoulos2022, Algorithm 1).

    A batch plays a G-optimal design on the active actions. Rewards are reported, one by one or as an action's mean.
    From the reports the mean reward of each active action is estimated, and actions far below the best are dropped.
    Subclasses decide the batches' sizes, the width and threshold, and the noise on reports.

    Parameters
    ----------
    arms, horizon : int
        Number of actions, and number of rounds T.
    rng : numpy.random.Generator
        Source of all random numbers.
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
        # Rewards are clipped to [-clip, clip], get noise of this scale, and reports are clipped to [-level, level].
        self.clip, self.scale, self.level = math.inf, 0.0, math.inf
        self.active, self.estimates = list(range(arms)), [0.0] * arms
        self.number = self.first_batch() - 1
        # This batch's actions, how often each is played, and positions in this list of those still to be played.
        self.chosen_arms: list[int] = []
        self.pulls: list[int] = []
        self.order: list[int] = []
        # Rounds left of the action played now, and its rewards that are not reported yet.
        self.left, self.sum = 0, 0.0
        # The batch's reports so far: their actions and values.
        self.reporters: list[int] = []
        self.reports: list[float] = []
        self.best: int | None = None

    # What an algorithm decides by.

    def last_batch(self) -> int:
        """Return the number of the last batch; after it the action of the best estimate is played to the end."""
        # Batches grow by a factor of 2 or more, so none has a higher number.
        return 63

    def pulls_per_action(self, number: int, weights: Floats, active_count: int, rank: int) -> list[int]:
        """Return how often a batch plays each action of its design, in the order of ``weights``.

        Parameters
        ----------
        number
            The batch's number, from that of `first_batch` on.
        weights : ndarray of float64, shape (actions of the design,)
            The design's weights, of sum 1.
        active_count
            Number of active actions: those that are not dropped yet.
        rank
            Dimension of the space that the active actions span.
        """
        raise NotImplementedError

    def width(self, batch: Batch) -> float:
        """Return gamma_i, an error bound of estimates; actions over 2 gamma_i below the best are dropped."""
        raise NotImplementedError

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return lambda, the threshold of the filter of a batch's reports; infinity: least squares, no filter."""
        return math.inf

    # Clients.

    def report(self, arm: int, reward_sum: float, reward_count: int) -> float:
        """Return a report on an action: the mean of ``reward_count`` clipped rewards, with noise if private.

        ``reward_sum`` is the sum of these rewards.
        """
        mean = reward_sum / reward_count
        if not self.private:
            return mean
        # One reward moves the mean by 2 bound/reward_count at most.
        return self.release(mean, self.scale / reward_count, 2.0 * self.bound / reward_count, arm, reward_count)

    @property
    def bound(self) -> float:
        """Largest absolute value of a reward after clipping."""
        return min(self.clip, self.high)

    def learn(self, action: int, reward: float) -> None:
        """Report the clipped reward, or if ``pooled`` the mean at the end of an action's turn.

        At the end of the batch, actions far below the best are dropped. After the last batch nothing is learned.
        """
        if self.best is not None:
            return
        self.sum += max(-self.clip, min(self.clip, reward))
        self.left -= 1
        if not self.pooled or self.left == 0:
            reward_count = self.pulls[self.order[0]] if self.pooled else 1
            self.reporters.append(action)
            self.reports.append(self.report(action, self.sum, reward_count))
            self.sum = 0.0
        if self.left == 0:
            self.order.pop(0)
            if self.order:
                self.left = self.pulls[self.order[0]]
            else:
                self._eliminate()

    # The server.

    def decide(self) -> int:
        """Return the action whose turn it is in the batch; after the last batch, that of the best estimate."""
        if self.best is None and not self.order:
            self._begin()
        return self.best if self.best is not None else self.chosen_arms[self.order[0]]

    def design(self) -> tuple[list[int], Floats, int]:
        """Return an approximately G-optimal design on the active actions.

        Returns
        -------
        arms : list of int
            The actions of the design.
        weights : ndarray of float64, shape (actions of the design,)
            Their weights, of sum 1.
        rank : int
            Dimension of the space that the active actions span.
        """
        # Not at the top: the design is compiled.
        from dpbandits.settings.linear.design import approximate_design

        found = approximate_design(self.actions[self.active])
        return [self.active[int(k)] for k in found.arms], found.weights, found.rank

    def first_batch(self) -> int:
        """Return the number of the first batch: 1, or another one in a subclass."""
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


class Robust(Elimination):
    """charisopoulos2022's Algorithm 1 with a robust filter, not private; constants are explicit.

    It plays B batches. Batch i has about q^i rounds, where q = T^(1/B).

    Parameters
    ----------
    B : int
        Number of batches; in the last one the best action alone is played.
    delta, factor : float
        Probability with which the confidence bounds may fail, and a factor of the error bound gamma_i.
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

    def pulls_per_action(self, number: int, weights: Floats, active_count: int, rank: int) -> list[int]:
        """Return how often batch i plays each action of its design: q^i max(weight, nu), rounded up.

        Parameters
        ----------
        number, weights, active_count, rank
            The batch's number i, the weights of the design's actions, the number of active actions, and the
            dimension that these span.
        """
        return [math.ceil(self.q**number * max(w, self.nu)) for w in weights]

    def width(self, batch: Batch) -> float:
        """Return gamma_i, the error bound of a batch's estimates: by noise, and by corruption after the filter."""
        # ``reach`` is the largest a^T M^-1 a, and ``variance`` that of a report.
        L, reach = math.log(2.0 / self.delta), batch.reach
        variance = 1.0 / batch.rewards_per_report + 2.0 * batch.noise**2
        width = math.sqrt(2.0 * variance * L * reach) + batch.noise * L * reach
        return self.factor * (width + math.sqrt(reach * batch.report_count * batch.second_moment * self.alpha))

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return the filter's threshold lambda: the bound of a report's mean square over the number of reports."""
        return batch.second_moment / batch.report_count


class RobustM1(Robust):
    """charisopoulos2022's Algorithm 1 under (M1), private and robust.

    Each reward is clipped to [-clip, clip] and reported with noise Lap(2 clip/epsilon).
    """

    private = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.epsilon = epsilon
        self.scale = 2.0 * self.clip / epsilon


class RobustM2(RobustM1):
    """charisopoulos2022's Algorithm 1 under (M2), private and robust.

    A report is the mean of an action's n clipped rewards in a batch, with noise Lap(2 clip/(n epsilon)). ``nu`` is
    the least weight with which an action of the design is played. Batch i has about q^i rounds, where q is
    (T/(1 + nu k))^(1/B), and k is a bound of the number of actions in a design.
    """

    pooled = True

    def __init__(self, arms: int, rng: Generator, *, nu: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.nu = nu
        d = self.actions.shape[1]
        support = int(4 * d * math.log(math.log(d)) + 16) if d > 1 else 16
        self.q = (self.horizon / (1.0 + nu * support)) ** (1.0 / self.B)


class PrivateM1(RobustM1):
    """charisopoulos2022's Algorithm 1 with least squares in place of the filter: private, not robust.

    It is under (M1): each reward is reported with noise of its own.
    """

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return infinity: no filter."""
        return math.inf


class PrivateM2(RobustM2):
    """charisopoulos2022's Algorithm 1 with least squares in place of the filter: private, not robust.

    It is under (M2): the mean of an action's rewards in a batch is reported with noise.
    """

    threshold = PrivateM1.threshold


def action_matrix(actions: ArrayLike) -> Floats:
    """Return action vectors as an array of shape (arms, dimension); raise `BadInput` if they are no such table."""
    allowed = "a table of finite numbers, one row for each action"
    try:
        found = np.array(actions, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("actions", actions, allowed) from None
    if found.ndim != 2 or found.size == 0 or not np.isfinite(found).all():
        raise BadInput("actions", actions, allowed)
    return found


POLICIES: PolicyMakers = {
    "private-elimination-m1": PrivateM1,
    "private-elimination-m2": PrivateM2,
    "robust-elimination": Robust,
    "robust-elimination-m1": RobustM1,
    "robust-elimination-m2": RobustM2,
}
