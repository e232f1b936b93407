"""RNM-FTNL, "report noisy max, follow the noisy leader": wu2025, Algorithm 1.

The action of an epoch is the noisy leader of the epoch before: the action of the smallest total loss with noise.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from numpy.random import Generator

from dpbandits.core.errors import BadInput
from dpbandits.policies import noise
from dpbandits.policies.base import Policy, PolicyMakers, checked_vector


class RnmFtnl(Policy):
    """Play RNM-FTNL, "report noisy max, follow the noisy leader" (wu2025, Algorithm 1).

    It plays epochs of 1, 2, 4, ... rounds. An epoch's action is the noisy leader of the epoch before: that of the
    smallest total loss with noise. The paper fixes a number of epochs, which is undefined or too small for horizons
    T <= 2. Here play goes on without an end.

    Parameters
    ----------
    epsilon : float
        Privacy budget, > 0. It is only stored: ``scale`` alone decides the noise, and what is spent.
    resampling : int
        1 if each loss is replaced by a Bernoulli draw of that mean, 0 if losses enter as they are.
    scale : float
        Scale of the noise on each action's total loss. The losses of one round spend epsilon = 2/scale.

    Attributes
    ----------
    J : int
        The action of this epoch.
    G : list of float
        Sum of each action's losses in this epoch.
    left, length : int
        Number of rounds left of the epoch, and number of all its rounds.
    """

    feedback = "losses"
    # Law of the noise: Q_epsilon in the paper.
    noise_class: ClassVar[type[noise.Noise]] = noise.Laplace

    def __init__(self, arms: int, rng: Generator, *, epsilon: float, resampling: int, scale: float) -> None:
        super().__init__(arms, rng)
        self.epsilon, self.resampling, self.scale = epsilon, resampling, scale
        self.noise = self.noise_class()
        self.J = int(rng.integers(arms))
        self.G, self.left, self.length = [0.0] * arms, 1, 1

    def checked_reward(self, reward: Any) -> list[float]:
        """Return the losses of all actions as a list, or raise `BadInput` if one is not in [0, 1]."""
        found: list[float] = checked_vector("losses", reward, self.arms, 0.0, 1.0).tolist()
        return found

    def releases_numbers(self) -> bool:
        """Return false: only choices are released, each by report-noisy-max."""
        return False

    def decide(self) -> int:
        """Return the action of this epoch."""
        return self.J

    def next_length(self) -> int:
        """Return the number of rounds of the next epoch, twice this one's; called once, at the end of an epoch."""
        return int(2 * self.length)

    def learn(self, action: int, reward: list[float]) -> None:
        """Add all actions' losses, ``reward``; at the end of an epoch, choose the next action by report-noisy-max.

        What was played, ``action``, does not matter.
        """
        for j, loss in enumerate(reward):
            # A loss of 0 or 1 is its own Bernoulli draw.
            tossed = self.resampling and 0.0 < loss < 1.0
            self.G[j] += float(bool(self.rng.random() < loss)) if tossed else loss
        self.left -= 1
        if self.left > 0:
            return
        noisy = [self.noise.add(self.rng, -G, self.scale, 1.0)[0] for G in self.G]
        self.J = max(range(self.arms), key=noisy.__getitem__)
        # Other losses in one round can raise one total by 1 and lower another by 1: hence epsilon = 2/scale.
        self.record_release(None, self.t, self.length, self.noise.law, self.scale, 1.0, 2.0 / self.scale)
        self.G, self.length = [0.0] * self.arms, self.next_length()
        self.left = self.length


class Laplace(RnmFtnl):
    """RNM-FTNL (see `RnmFtnl`) with Laplace noise on total losses."""


class Exponential(RnmFtnl):
    """RNM-FTNL (see `RnmFtnl`) with exponential noise: at scale 2/epsilon its choice is permute-and-flip.

    At scale 1/epsilon, which the paper prints, it spends 2 epsilon.
    """

    noise_class = noise.Exponential


class Gumbel(RnmFtnl):
    """RNM-FTNL (see `RnmFtnl`) with Gumbel noise: at scale 2/epsilon its choice is the exponential mechanism."""

    noise_class = noise.Gumbel


class RandomPhase(Gumbel):
    """RNM-FTNL (see `RnmFtnl`) with Gumbel noise, in epochs of random length.

    Epoch k = 0, 1, ... has ceil(ratio^(k + phase)) rounds, at most 2^52. The phase is uniform on [0, 1). ``size``
    is the length of the current epoch before it is rounded up.
    """

    def __init__(self, arms: int, rng: Generator, *, ratio: float, **more: Any) -> None:
        """Draw the phase, and with it the first epoch's length."""
        super().__init__(arms, rng, **more)
        if not ratio > 1.0:
            raise BadInput("ratio", ratio, "a number > 1")
        self.ratio = ratio
        # Drawn as an integer: audits take it for a coin whose value is known, and a uniform draw for a comparison.
        self.size: float = ratio ** (int(rng.integers(2**53)) / 2.0**53)
        self.length = self.left = math.ceil(self.size)

    def next_length(self) -> int:
        """Return the number of rounds of the next epoch, and set ``size`` to that number before rounding up."""
        # Whole numbers are exact in doubles up to 2^52.
        self.size = min(self.size * self.ratio, 2.0**52)
        return math.ceil(self.size)


POLICIES: PolicyMakers = {
    "rnm-ftnl-exponential": Exponential,
    "rnm-ftnl-gumbel": Gumbel,
    "rnm-ftnl-laplace": Laplace,
    "rnm-ftnl-permute-and-flip": Exponential,
    "rnm-ftnl-random-phase": RandomPhase,
}
