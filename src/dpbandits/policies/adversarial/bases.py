"""Base algorithms (asi2025, Definition 1): each acts by its history, and then learns a loss of any size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from numpy.random import Generator

from dpbandits.policies.base import draw_position

# After 60 halvings an interval has no double inside any more.
HALVINGS = 60


class BaseAlgorithm(Protocol):
    """A bandit algorithm on losses of any size and either sign: ``act()``, then ``learn(action, loss)``."""

    def act(self) -> int:
        """Return the next action, from 0."""
        ...

    def learn(self, action: int, loss: float) -> None:
        """Learn from the loss of the action that `act` returned."""
        ...


class Exp3:
    """EXP3 (asi2025, Algorithm 3) with learning rate ``eta`` and a share ``gamma`` of uniform play.

    ``log_w`` has the logarithms of the arms' weights, and ``P`` the arms' probabilities in the last decision.
    """

    def __init__(self, arms: int, rng: Generator, *, eta: float, gamma: float) -> None:
        self.rng, self.eta, self.gamma = rng, eta, gamma
        self.log_w, self.P = [0.0] * arms, [1.0 / arms] * arms

    def act(self) -> int:
        """Draw an arm, from 0: uniformly with probability ``gamma``, else by the weights."""
        self.P = mixed_with_uniform(self.log_w, self.gamma)
        return draw_position(self.P, self.rng)

    def learn(self, action: int, loss: float) -> None:
        """Subtract ``eta`` times loss/(the arm's probability) from the logarithm of the arm's weight."""
        self.log_w[action] -= self.eta * loss / self.P[action]


def softmax(log_w: list[float]) -> list[float]:
    """Return probabilities proportional to the weights, of which ``log_w`` has the logarithms."""
    # Without the largest one no power overflows.
    largest = max(log_w)
    w = [math.exp(x - largest) for x in log_w]
    total = sum(w)
    return [x / total for x in w]


def mixed_with_uniform(log_w: list[float], gamma: float) -> list[float]:
    """Return each arm's probability if a share ``gamma`` of play is uniform: (1 - gamma) `softmax` + gamma/K.

    ``log_w`` has the logarithms of the K arms' weights.
    """
    return [(1 - gamma) * p + gamma / len(log_w) for p in softmax(log_w)]


def htinf_multiplier(excess: list[float]) -> float:
    """Return the number y > 0 for which the sum of (excess_i + y)^-2 over i is 1, by bisection.

    These terms are the probabilities of HTINF (`Htinf`). ``excess`` has K numbers >= 0, the least of which is 0. So
    y is from 1 to sqrt(K).
    """
    # At y = 1 the least excess alone gives 1; at sqrt(K) all K of them give 1 at most.
    low, high = 1.0, math.sqrt(len(excess))
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if sum([1.0 / ((x + middle) * (x + middle)) for x in excess]) > 1.0:
            low = middle
        else:
            high = middle
    return low


class Htinf:
    """HTINF for heavy-tailed losses (Huang, Dai & Huang 2022, Algorithm 1 with alpha = 2).

    ``sigma`` is a bound of the root mean square of a loss. ``L`` has each arm's sum of estimated losses, and ``x``
    the arms' probabilities in the last decision.
    """

    def __init__(self, arms: int, rng: Generator, *, sigma: float) -> None:
        self.rng, self.sigma = rng, sigma
        self.L, self.x = [0.0] * arms, [1.0 / arms] * arms
        self.decision = 0

    def act(self) -> int:
        """Draw an arm with probabilities x_i = (eta (L_i - z))^-2, where z makes them sum to 1."""
        self.decision += 1
        eta = 1 / (self.sigma * math.sqrt(self.decision))
        # With excess_i = eta (L_i - low) and y = eta (low - z), x_i is (excess_i + y)^-2.
        low = min(self.L)
        z = low - htinf_multiplier([eta * (L - low) for L in self.L]) / eta
        self.x = [(eta * (L - z)) ** -2 for L in self.L]
        return draw_position(self.x, self.rng)

    def learn(self, action: int, loss: float) -> None:
        """Add loss/(the arm's probability) to the arm's estimated loss; skip a loss beyond the paper's bound r."""
        r = (1 - 2 ** (-1 / 3)) * self.sigma * math.sqrt(self.decision * self.x[action])
        if abs(loss) <= r:
            self.L[action] += loss / self.x[action]


class Ftpl:
    """Follow the perturbed leader with geometric resampling: asi2025, Algorithm 4, repaired.

    Each decision is the arm of the smallest perturbed loss: its estimated loss, in ``L``, with Laplace noise of
    scale 1/``eta``. To learn, all losses are perturbed afresh until this arm has the smallest one again. The number
    of these repetitions, at most M = ``resampling``, is the loss's importance weight.
    """

    # Whether repetitions end when the arm has the largest perturbed loss, as is printed: see `FtplPrinted`.
    counts_as_printed = False

    def __init__(self, arms: int, rng: Generator, *, eta: float, resampling: int) -> None:
        self.rng, self.eta, self.M = rng, eta, resampling
        self.L = [0.0] * arms

    def perturbed(self) -> list[float]:
        """Return each arm's estimated loss with fresh Laplace noise of scale 1/eta.

        If eta is 0, it is noise of scale 1 alone.
        """
        # Added to 0, so that an audit sees a value with noise in both cases.
        if self.eta == 0.0:
            return [self.rng.laplace(0.0, 1.0) + 0.0 for _ in self.L]
        return [L + self.rng.laplace(0.0, 1 / self.eta) for L in self.L]

    def act(self) -> int:
        """Return the arm, from 0, of the smallest estimated loss with fresh noise."""
        return argmin(self.perturbed())

    def learn(self, action: int, loss: float) -> None:
        """Add the loss times its importance weight to the arm's estimated loss.

        The weight is the number of fresh perturbations until the action's loss is the smallest again; M is the
        most. With ``counts_as_printed`` it is their number until that loss is the largest, or 0 if M are not
        enough.
        """
        weight = 0 if self.counts_as_printed else self.M
        for i in range(1, self.M + 1):
            again = self.perturbed()
            if action == argmin([-x for x in again] if self.counts_as_printed else again):
                weight = i
                break
        self.L[action] += loss * weight


class FtplPrinted(Ftpl):
    """Follow the perturbed leader with geometric resampling: asi2025, Algorithm 4 as printed.

    The importance weight is the number of fresh perturbations until the arm has the *largest* perturbed loss. It is
    0 if that happens in none of M perturbations. (The repair, `Ftpl`, waits for the smallest.)
    """

    counts_as_printed = True


def argmin(values: list[float]) -> int:
    """Return the position of the smallest of ``values``; these are distinct, because they have noise."""
    return min(range(len(values)), key=values.__getitem__)


BASES: dict[str, Callable[..., BaseAlgorithm]] = {
    "exp3": Exp3,
    "htinf": Htinf,
    "ftpl": Ftpl,
    "ftpl-printed": FtplPrinted,
}
