"""Bandits with expert advice: EXP4, its private forms, and bandit-to-experts (asi2025, Algorithms 2, 5, 6)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from dpbandits.calls import check_call
from dpbandits.core.errors import BadInput
from dpbandits.policies.adversarial.bases import BASES, softmax
from dpbandits.policies.base import Policy, PolicyMakers, draw_position


class Advised(Policy):
    """A policy that is given the experts' advice before each decision.

    Attributes
    ----------
    experts : int
        Number of experts, N.
    followed : int
        The expert, from 0, whose advice the last action was drawn from; N if it was drawn uniformly.
    advice : list of list of float
        Each expert's distribution over actions in this round.
    """

    feedback = "loss"

    def __init__(self, arms: int, rng: Generator, *, experts: int) -> None:
        super().__init__(arms, rng)
        self.experts, self.followed = experts, 0
        self.advice: list[list[float]] = []

    @check_call
    def choose(self, advice: ArrayLike | None = None) -> int:
        """Return the next action, from 0; the same one, whatever ``advice`` is, until `update` has its loss.

        Parameters
        ----------
        advice : array of shape (experts, arms)
            Each expert's distribution over actions in this round. It is public: its privacy is not protected. It
            may be left out only while an action waits for its loss.

        Raises
        ------
        BadInput
            If the advice is not of that shape, or a row is no distribution.
        """
        if self.chosen is None:
            self.advice = self._distributions(advice)
        return super().choose()

    def _distributions(self, advice: ArrayLike | None) -> list[list[float]]:
        """Return the advice as lists, or raise `BadInput` if its rows are no distributions."""
        allowed = f"{self.experts} distributions over {self.arms} actions"
        try:
            found = np.array(advice, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise BadInput("advice", advice, allowed) from None
        right = found.shape == (self.experts, self.arms) and bool(np.all(found >= 0))
        if not right or not np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-9):
            raise BadInput("advice", advice, allowed)
        rows: list[list[float]] = found.tolist()
        return rows

    def follow(self, P: list[float], gamma: float) -> int:
        """Draw an expert with the probabilities ``P``, and return an action drawn from that expert's advice.

        With probability ``gamma`` no expert is drawn, and the action is uniform.
        """
        self.followed = draw_position([*((1 - gamma) * p for p in P), gamma], self.rng)
        uniform = [1.0 / self.arms] * self.arms
        return draw_position(uniform if self.followed == self.experts else self.advice[self.followed], self.rng)

    def action_probability(self, P: list[float], gamma: float, action: int) -> float:
        """Return the probability of ``action`` in this round.

        With probability ``gamma`` the action is uniform; else it is drawn from the advice of an expert who is drawn
        with the probabilities ``P``.
        """
        advised = sum(p * row[action] for p, row in zip(P, self.advice, strict=True))
        return (1 - gamma) * advised + gamma / self.arms


class Exp4(Advised):
    """EXP4 (asi2025, Algorithm 6 without noise), for losses.

    ``eta`` is the learning rate, and ``gamma`` the share of uniform play. ``log_w`` has the logarithms of the
    experts' weights, and ``P`` the weights divided by their sum.
    """

    private = False

    def __init__(self, arms: int, rng: Generator, *, experts: int, eta: float, gamma: float) -> None:
        super().__init__(arms, rng, experts=experts)
        self.eta, self.gamma = eta, gamma
        self.log_w, self.P = [0.0] * experts, [1.0 / experts] * experts

    def decide(self) -> int:
        """Draw an expert by the weights, and an action from the advice; or, with probability gamma, any action."""
        self.P = softmax(self.log_w)
        return self.follow(self.P, self.gamma)

    def learned_loss(self, loss: float, action: int) -> float:
        """Return the number to learn from: the loss itself; a private subclass adds noise to it."""
        return loss

    def learn(self, action: int, reward: float) -> None:
        """Estimate each expert's loss by importance weights; subtract ``eta`` times that from the log-weight.

        ``reward`` is the loss of the action.
        """
        estimate = self.learned_loss(reward, action) / self.action_probability(self.P, self.gamma, action)
        for j, row in enumerate(self.advice):
            self.log_w[j] -= self.eta * row[action] * estimate


class LocalDpExp4(Exp4):
    """EXP4 under local privacy (asi2025, Algorithm 6): every loss gets Laplace noise of scale 1/epsilon."""

    private = True

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, **more: Any) -> None:
        super().__init__(arms, rng, **more)
        self.epsilon = epsilon

    def learned_loss(self, loss: float, action: int) -> float:
        """Return the loss with Laplace noise of scale 1/epsilon, and note this release in the ledger."""
        return self.release(loss, 1.0 / self.epsilon, 1.0, action, 1)


class BatchedExp4(Advised):
    """Private EXP4 in batches (asi2025, Algorithm 2).

    There are N experts and K actions; ``gamma`` is the share of uniform play, ``eta`` the learning rate. Weights
    stay the same for a batch of ``tau`` rounds. Then each expert's mean loss, estimated by importance weights, gets
    Laplace noise of scale 3 K sqrt(N log(1/delta))/(gamma tau epsilon). The N estimates have sensitivity
    K/(gamma tau). Together they are (epsilon, delta)-DP by advanced composition, if epsilon <= 1 and delta <= 0.4.
    """

    def __init__(
        self,
        arms: int,
        rng: Generator,
        *,
        experts: int,
        epsilon: float,
        delta: float,
        tau: int,
        eta: float,
        gamma: float,
    ) -> None:
        """Begin a batch with uniform weights."""
        super().__init__(arms, rng, experts=experts)
        self.epsilon, self.delta, self.tau, self.eta, self.gamma = epsilon, delta, tau, eta, gamma
        self.log_w, self.P = [0.0] * experts, [1.0 / experts] * experts
        self.total, self.left = [0.0] * experts, tau

    def decide(self) -> int:
        """Draw an expert by the batch's weights, and an action from the advice; or, with probability gamma, any."""
        return self.follow(self.P, self.gamma)

    def learn(self, action: int, reward: float) -> None:
        """Add to each expert's sum an estimate of the expert's loss; at the end of a batch, learn from the sums.

        Nothing is learned if ``gamma`` is 0. ``reward`` is the loss of the action.
        """
        estimate = reward / self.action_probability(self.P, self.gamma, action)
        for j, row in enumerate(self.advice):
            self.total[j] += row[action] * estimate
        self.left -= 1
        if self.left > 0:
            return
        # Without mixing estimates have no bound: the noise is infinite, and nothing is learned.
        if self.gamma > 0:
            self._learn_batch()
        self.total, self.left = [0.0] * self.experts, self.tau

    def _learn_batch(self) -> None:
        """Release every expert's mean estimate with Laplace noise, and move the weights by it."""
        reach = self.arms / (self.gamma * self.tau)
        scale = 3 * reach * math.sqrt(self.experts * math.log(1 / self.delta)) / self.epsilon
        for j in range(self.experts):
            noisy, _ = self.noise.add(self.rng, self.total[j] / self.tau, scale, reach)
            self.log_w[j] -= self.eta * noisy
        self.record_release(None, self.t, self.tau, self.noise.law, scale, reach, self.epsilon, self.delta)
        self.P = softmax(self.log_w)


class BanditToExperts(Advised):
    """Let a private bandit algorithm, whose arms are the experts, choose whom to follow (asi2025, Algorithm 5).

    The algorithm chooses one expert for each batch of ``tau`` rounds, and learns the batch's mean loss with Laplace
    noise. A round's action is drawn from that expert's advice. ``base`` names the algorithm: ``"exp3"``,
    ``"htinf"``, ``"ftpl"`` or ``"ftpl-printed"``. ``parameters`` are its own, such as EXP3's ``eta`` and ``gamma``.
    """

    def __init__(
        self, arms: int, rng: Generator, *, experts: int, base: str, epsilon: float, tau: int, **parameters: Any
    ) -> None:
        super().__init__(arms, rng, experts=experts)
        self.epsilon, self.tau = epsilon, tau
        self.base = BASES[base](experts, rng, **parameters)
        self.left, self.total = 0, 0.0

    def decide(self) -> int:
        """Draw an action from the advice of this batch's expert; at the start of a batch, the base chooses one."""
        if self.left == 0:
            self.followed, self.left, self.total = int(self.base.act()), self.tau, 0.0
        return draw_position(self.advice[self.followed], self.rng)

    def learn(self, action: int, reward: float) -> None:
        """Add the loss ``reward``; at the end of a batch, pass the mean loss with Laplace noise to the base.

        The base takes this mean as the loss of the expert that was followed, whatever the actions were.
        """
        self.total += reward
        self.left -= 1
        if self.left == 0:
            scale, reach = 1.0 / (self.tau * self.epsilon), 1.0 / self.tau
            mean, epsilon = self.noise.add(self.rng, self.total / self.tau, scale, reach)
            self.record_release(None, self.t, self.tau, self.noise.law, scale, reach, epsilon)
            self.base.learn(self.followed, mean)


POLICIES: PolicyMakers = {
    "bandit-to-experts": BanditToExperts,
    "bandit-to-experts-advice": BanditToExperts,
    "batched-exp4": BatchedExp4,
    "batched-exp4-printed": BatchedExp4,
    "exp4": Exp4,
    "local-dp-exp4": LocalDpExp4,
}
