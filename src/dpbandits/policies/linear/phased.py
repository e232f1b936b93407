"""Phased elimination on action vectors, not private: what charisopoulos2022's algorithm is compared with."""

from __future__ import annotations

import math
from typing import Any

from numpy.random import Generator

from dpbandits.policies.base import PolicyMakers
from dpbandits.policies.linear.elimination import Batch, Elimination
from dpbandits.policies.linear.filter import Floats


class Phased(Elimination):
    """Phased elimination of arms (Lattimore & Szepesvari 2020, Chapters 21 and 22), neither private nor robust.

    ``delta`` is the probability with which its confidence bounds may fail. ``more`` has the ``actions`` and
    ``horizon`` of `Elimination`.
    """

    def __init__(self, arms: int, rng: Generator, *, delta: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.delta = delta

    def pulls_per_action(self, number: int, weights: Floats, active_count: int, rank: int) -> list[int]:
        """Return how often batch i plays each action of its design: 4 rank w 4^i log(k i (i + 1)/delta) times.

        This is rounded up. Here w is the action's weight, and k the number of active actions.

        Parameters
        ----------
        number, weights, active_count, rank
            The batch's number i, the weights of the design's actions, the number of active actions, and the
            dimension that these span.
        """
        log = math.log(active_count * number * (number + 1) / self.delta)
        return [math.ceil(4.0 * rank * w * 4.0**number * log) for w in weights]

    def width(self, batch: Batch) -> float:
        """Return the error bound of estimates of batch i, which is 2^-i."""
        return float(0.5**batch.number)


class RobustPhased(Elimination):
    """Robust phased elimination (Bogunovic et al. 2021) with a known corruption budget C; not private.

    C bounds the sum of all corruptions of rewards; ``delta`` is the probability with which a confidence bound may
    fail. ``more`` has the ``actions`` and ``horizon`` of `Elimination`.
    """

    def __init__(self, arms: int, rng: Generator, *, delta: float, C: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.delta, self.C = delta, C
        self.d = self.actions.shape[1]
        # The paper's bound of the number of actions in a design: batches begin at this size.
        self.m0 = 4.0 * self.d * (math.log(math.log(max(self.d, math.e))) + 18.0)

    def first_batch(self) -> int:
        """Return 0: the paper counts batches from 0."""
        return 0

    def pulls_per_action(self, number: int, weights: Floats, active_count: int, rank: int) -> list[int]:
        """Return how often batch i plays each action of its design: m0 2^i max(weight, 1/m0), rounded up.

        Parameters
        ----------
        number, weights, active_count, rank
            The batch's number i, the weights of the design's actions, the number of active actions, and the
            dimension that these span.
        """
        return [math.ceil(self.m0 * 2.0**number * max(w, 1.0 / self.m0)) for w in weights]

    def width(self, batch: Batch) -> float:
        """Return gamma_i, the error bound of a batch's estimates: by the rewards' noise, and by corruption of C."""
        m = self.m0 * 2.0**batch.number
        clean = math.sqrt(4.0 * self.d / m * math.log(1.0 / self.delta))
        return float(clean + self.C * self.m0 / m * math.sqrt(8.0 * self.d))


POLICIES: PolicyMakers = {"phased-elimination": Phased, "robust-phased-elimination": RobustPhased}
