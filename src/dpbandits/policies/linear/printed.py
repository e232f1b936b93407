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
    """charisopoulos2022's Algorithm 1 as printed: noise of scale 2/epsilon, private for rewards in [-1, 1].

    Actions outside the design's support are dropped, as line 10 is printed.
    """

    private = True
    low, high = -1.0, 1.0
    support_only = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.epsilon, self.scale = epsilon, 2.0 / epsilon

    def threshold(self, batch: Batch, reports: Floats) -> float:
        """Return ``reach`` times the mean square of the reports, as in line 7: the filter then removes nothing."""
        return batch.reach * float(np.sum(reports**2)) / batch.reports


class PrintedM1(Printed):
    """Algorithm 1 as printed, under (M1): each reward is a report with its own noise."""

    def width(self, batch: Batch) -> float:
        """Return gamma_i of (M1): the errors by corrupted reports, by the filter (alpha), and by clean ones."""
        d, epsilon, alpha, log = self.actions.shape[1], self.epsilon, self.alpha, math.log(1.0 / self.delta)
        size = self.q**batch.number
        log_size = math.log(size / self.delta)
        width = math.sqrt(d) * (math.sqrt(log_size) + log_size / epsilon)
        width *= math.sqrt(alpha) + alpha * math.sqrt(d)
        return self.factor * (width + alpha + math.sqrt(d * log / size) * (1.0 + math.sqrt(log) / epsilon))


class PrintedM2(Printed):
    """Algorithm 1 as printed, under (M2): an action's report is the mean of its rewards, with noise.

    ``nu`` is the least weight of an action in the design.
    """

    pooled = True

    def __init__(self, arms: int, rng: Generator, *, nu: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.nu = nu

    def width(self, batch: Batch) -> float:
        """Return gamma_i of (M2): the errors by clean reports, by corrupted ones, and by the filter (alpha)."""
        d, k, epsilon, alpha = self.actions.shape[1], batch.support, self.epsilon, self.alpha
        log, m = math.log(1.0 / self.delta), self.nu * self.q**batch.number
        log_k = math.log(k / self.delta)
        clean = math.sqrt(d * log / m) * (1.0 + 1.0 / epsilon * math.sqrt(log / m))
        largest = 1.0 + math.sqrt(log_k / m) + log_k / (m * epsilon)
        corrupted = 2.0 * d * largest * (math.sqrt(k * alpha) + math.sqrt(alpha * log))
        return float(self.factor * (clean + corrupted + alpha))


POLICIES: PolicyMakers = {"robust-elimination-m1-printed": PrintedM1, "robust-elimination-m2-printed": PrintedM2}
