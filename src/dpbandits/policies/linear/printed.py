"""charisopoulos2022, Algorithm 1 as printed. (M1): noise on every reward; (M2): noise on an action's mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from dpbandits.policies.base import PolicyMakers
from dpbandits.policies.linear.elimination import Batch, Robust
from dpbandits.policies.linear.filter import Floats


class Printed(Robust):
    """charisopoulos2022's Algorithm 1 as printed: noise of scale 2/epsilon on rewards that are not clipped.

    It is private for rewards in [-1, 1], which `update` requires. After each batch, actions outside the design's
    support are dropped, as line 10 is printed.
    """

    private = True
    low, high = -1.0, 1.0
    support_only = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.epsilon, self.scale = epsilon, 2.0 / epsilon

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return the filter's threshold lambda of line 7, with which it removes nothing.

        It is the mean square of the reports times ``batch.reach``, the largest a^T M^-1 a over active actions.
        """
        return batch.reach * float(np.sum(reports**2)) / batch.report_count


class PrintedM1(Printed):
    """charisopoulos2022's Algorithm 1 as printed, under (M1): each reward is a report with its own noise."""

    def width(self, batch: Batch) -> float:
        """Return gamma_i, the error bound of a batch's estimates under (M1).

        It adds errors by corrupted reports, by the filter (alpha), and by clean reports.
        """
        d, epsilon, alpha, log = self.actions.shape[1], self.epsilon, self.alpha, math.log(1.0 / self.delta)
        size = self.q**batch.number
        log_size = math.log(size / self.delta)
        width = math.sqrt(d) * (math.sqrt(log_size) + log_size / epsilon)
        width *= math.sqrt(alpha) + alpha * math.sqrt(d)
        return self.factor * (width + alpha + math.sqrt(d * log / size) * (1.0 + math.sqrt(log) / epsilon))


class PrintedM2(Printed):
    """charisopoulos2022's Algorithm 1 as printed, under (M2): an action's report is its mean reward, with noise.

    ``nu`` is the least weight with which an action of a batch's design is played.
    """

    pooled = True

    def __init__(self, arms: int, rng: Generator, *, nu: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.nu = nu

    def width(self, batch: Batch) -> float:
        """Return gamma_i, the error bound of a batch's estimates under (M2).

        It adds errors by clean reports, by corrupted reports, and by the filter (alpha).
        """
        d, k, epsilon, alpha = self.actions.shape[1], batch.support_size, self.epsilon, self.alpha
        log, m = math.log(1.0 / self.delta), self.nu * self.q**batch.number
        log_k = math.log(k / self.delta)
        clean = math.sqrt(d * log / m) * (1.0 + 1.0 / epsilon * math.sqrt(log / m))
        largest = 1.0 + math.sqrt(log_k / m) + log_k / (m * epsilon)
        corrupted = 2.0 * d * largest * (math.sqrt(k * alpha) + math.sqrt(alpha * log))
        return float(self.factor * (clean + corrupted + alpha))


POLICIES: PolicyMakers = {"robust-elimination-m1-printed": PrintedM1, "robust-elimination-m2-printed": PrintedM2}
