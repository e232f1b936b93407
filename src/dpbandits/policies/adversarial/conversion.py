"""Base algorithms played as they are, and converted into private ones: asi2025, Algorithm 1."""

from __future__ import annotations

import functools
from typing import Any

from numpy.random import Generator

from dpbandits.policies.adversarial.bases import BASES
from dpbandits.policies.base import Policy, PolicyMakers


class WithoutPrivacy(Policy):
    """Play a base algorithm as it is, without privacy.

    ``base`` is the algorithm's name: ``"exp3"``, ``"htinf"``, ``"ftpl"`` or ``"ftpl-printed"``. ``parameters`` are
    that algorithm's own, such as ``eta`` and ``gamma`` of EXP3.
    """

    feedback = "loss"
    private = False

    def __init__(self, arms: int, rng: Generator, *, base: str, **parameters: Any) -> None:
        super().__init__(arms, rng)
        self.base = BASES[base](arms, rng, **parameters)

    def decide(self) -> int:
        """Return the action of the base algorithm."""
        return int(self.base.act())

    def learn(self, action: int, reward: float) -> None:
        """Pass the loss ``reward`` of the action to the base algorithm."""
        self.base.learn(action, reward)


class Conversion(Policy):
    """Make a base algorithm private (asi2025, Algorithm 1).

    An action of the base is played for a batch of ``tau`` rounds. Then the base learns the batch's mean loss with
    Laplace noise of scale 1/(tau epsilon). ``base`` is the base's name: ``"exp3"``, ``"htinf"``, ``"ftpl"`` or
    ``"ftpl-printed"``. ``parameters`` are the base's own, such as ``eta`` and ``gamma`` of EXP3.
    """

    feedback = "loss"

    def __init__(
        self, arms: int, rng: Generator, *, base: str, epsilon: float, tau: int, **parameters: Any
    ) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.tau = epsilon, tau
        self.base = BASES[base](arms, rng, **parameters)
        self.action, self.left, self.total = 0, 0, 0.0

    def decide(self) -> int:
        """Return the action of this batch; between batches, ask the base for the next one."""
        if self.left == 0:
            self.action, self.left, self.total = int(self.base.act()), self.tau, 0.0
        return self.action

    def learn(self, action: int, reward: float) -> None:
        """Add the loss ``reward`` to the batch's sum; at the end of the batch, pass its noisy mean to the base."""
        self.total += reward
        self.left -= 1
        if self.left == 0:
            tau = self.tau
            mean = self.release(self.total / tau, 1.0 / (tau * self.epsilon), 1.0 / tau, action, tau)
            self.base.learn(action, mean)


POLICIES: PolicyMakers = {
    **{name: functools.partial(WithoutPrivacy, base=name) for name in BASES},
    "conversion": Conversion,
}
