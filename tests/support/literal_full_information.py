"""A literal round-by-round implementation of RNM-FTNL (wu2025, Algorithm 1): what the tests compare ours with.

Nothing of `dpbandits` is used: one loss vector a round, resampled entry by entry if B = 1, noise from NumPy. The
one liberty is that the loops stop at T, which the pseudocode leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
# A law of losses: values and their probabilities.
Law = tuple[Sequence[float], Sequence[float]]

# Line 1: Q_epsilon, at the printed scales and repaired.
NOISES: dict[str, Callable[[Rng, float, int], NDArray[np.float64]]] = {
    "laplace": lambda rng, epsilon, size: rng.laplace(scale=2 / epsilon, size=size),
    "exponential": lambda rng, epsilon, size: rng.exponential(scale=1 / epsilon, size=size),
    "gumbel": lambda rng, epsilon, size: rng.gumbel(scale=2 / epsilon, size=size),
    "permute_and_flip": lambda rng, epsilon, size: rng.exponential(scale=2 / epsilon, size=size),
}


def draw(values: Sequence[float], probabilities: Sequence[float], rng: Rng) -> float:
    """Return one of some values, each with its probability."""
    left = rng.random()
    for value, p in zip(values, probabilities, strict=True):
        left -= p
        if left < 0:
            return value
    return values[-1]


def rnm_ftnl(laws: Sequence[Law], horizon: int, rng: Rng, noise: str, epsilon: float, B: int) -> list[int]:
    """Return the actions played in rounds 1 to ``horizon``."""
    K = len(laws)
    played: list[int] = []
    J = int(rng.integers(K))
    # As many epochs as there are up to T; the printed ceil(log2(T - 1)) + 1 is undefined or too small for T <= 2.
    for r in range(1, math.floor(math.log2(horizon)) + 2):
        G = np.zeros(K)
        for t in range(2 ** (r - 1), 2**r):
            if t > horizon:
                return played
            played.append(J)
            loss = np.array([draw(values, probabilities, rng) for values, probabilities in laws])
            if B == 1:
                loss = (rng.random(K) < loss).astype(float)
            G += loss
        J = int(np.argmax(-G + NOISES[noise](rng, epsilon, K)))
    return played
