"""DP-EXP3-Lap (Tossou & Dimitrakakis 2017) and the Agarwal-Singh bandit (2017): each loss gets noise."""

from __future__ import annotations

from numpy.random import Generator

from dpbandits.policies.adversarial.bases import mixed_with_uniform
from dpbandits.policies.base import Policy, PolicyMakers, draw_position


class DpExp3Lap(Policy):
    """DP-EXP3-Lap (Tossou & Dimitrakakis 2017): EXP3 on gains, 1 - loss, each with noise Lap(1/epsilon).

    A noisy gain outside [-b, b + 1] is ignored. ``gamma`` is both the share of uniform play and the learning rate.
    """

    feedback = "loss"

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, gamma: float, b: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.gamma, self.b = epsilon, gamma, b
        self.log_w, self.p = [0.0] * arms, [1.0 / arms] * arms

    def decide(self) -> int:
        """Draw an action: uniformly with probability ``gamma``, else by the weights."""
        self.p = mixed_with_uniform(self.log_w, self.gamma)
        return draw_position(self.p, self.rng)

    def learn(self, action: int, reward: float) -> None:
        """Learn from 1 - loss with Laplace noise, scaled from [-b, b + 1] to [0, 1]; ignore what lies outside.

        ``reward`` is the loss of the action.
        """
        noised = self.release(1 - reward, 1.0 / self.epsilon, 1.0, action, 1)
        if -self.b <= noised <= self.b + 1:
            scaled = (noised + self.b) / (2 * self.b + 1)
            self.log_w[action] += self.gamma * scaled / (self.arms * self.p[action])


class AgarwalSingh(Policy):
    """The bandit of Agarwal & Singh (2017): EXP3 on losses, each with Laplace noise of scale 1/epsilon.

    ``eta`` is the learning rate, and ``gamma`` the share of uniform play.
    """

    feedback = "loss"

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, eta: float, gamma: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.eta, self.gamma = epsilon, eta, gamma
        self.log_w, self.p = [0.0] * arms, [1.0 / arms] * arms

    def decide(self) -> int:
        """Draw an action: uniformly with probability ``gamma``, else by the weights."""
        self.p = mixed_with_uniform(self.log_w, self.gamma)
        return draw_position(self.p, self.rng)

    def learn(self, action: int, reward: float) -> None:
        """Subtract ``eta`` times (noisy loss)/(the action's probability) from the logarithm of the action's weight.

        ``reward`` is the loss of the action; it gets Laplace noise of scale 1/epsilon.
        """
        noised = self.release(reward, 1.0 / self.epsilon, 1.0, action, 1)
        self.log_w[action] -= self.eta * noised / self.p[action]


POLICIES: PolicyMakers = {"agarwal-singh": AgarwalSingh, "dp-exp3-lap": DpExp3Lap}
