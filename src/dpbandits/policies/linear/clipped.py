"""Least squares on clipped reports, in place of charisopoulos2022's filter: robust elimination of ours, under (M1).

A report is a reward with Laplace noise of its own; a share alpha of the reports may be corrupted.
"""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from dpbandits.policies.base import PolicyMakers
from dpbandits.policies.linear.elimination import Batch, PrivateM1


class ClippedM1(PrivateM1):
    """Arm elimination by least squares on reports that are clipped to [-level, level]; an algorithm of ours.

    Each reward is clipped to [-clip, clip] and reported with Laplace noise of scale 2 clip/epsilon. As
    reports are clipped again, a corrupted one is bounded by ``level`` too.
    """

    # Bound of the change of a clean report's mean by clipping to the level.
    bias = 0.0

    def __init__(self, arms: int, rng: Generator, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        log = self.clip_level_log()
        self.level = self.clip * (1.0 + math.sqrt(2.0 * log)) + self.scale * log

    def clip_level_log(self) -> float:
        """Return L, from which the level follows: a clean report exceeds it with probability at most 3 e^-L."""
        return math.log(2.0 / self.delta)

    def width(self, batch: Batch) -> float:
        """Return gamma_i, the error bound of estimates; actions over 2 gamma_i below the best are dropped.

        It adds errors by rewards and noise, by corrupted reports within the level, and by clipping to the level.
        """
        # ``reach`` is the largest a^T M^-1 a. ``weights`` bounds the sum of the weights of reports in an estimate.
        L, reach, weights = math.log(2.0 / self.delta), batch.reach, math.sqrt(batch.report_count * batch.reach)
        clean = math.sqrt(2.0 * (1.0 + 2.0 * batch.noise**2) * L * reach) + batch.noise * L * reach
        replaced = self.alpha * weights + math.sqrt(2.0 * self.alpha * reach * L) + reach * L / 3.0
        return self.factor * (clean + 2.0 * self.level * replaced + self.bias * weights)


class ClippedLowM1(ClippedM1):
    """`ClippedM1` with a lower level: it clips a clean report with a probability of order max(alpha, 1/T).

    alpha is the share of reports that may be corrupted, and T the horizon.
    """

    def clip_level_log(self) -> float:
        """Return L = log(1/max(alpha, 1/T)), from which the level follows.

        It sets ``bias`` too, the bound of the change of a clean report's mean by clipping to the level.
        """
        share = max(self.alpha, 1.0 / self.horizon)
        self.bias = (2.0 * self.clip + self.scale) * share
        return math.log(1.0 / share)


POLICIES: PolicyMakers = {"clipped-elimination-m1": ClippedM1, "clipped-elimination-m1-low": ClippedLowM1}
