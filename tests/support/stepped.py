"""Policies whose outputs a test sets: what they release is noted, and comes back as the test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Value, scale of the noise, what a reward moves, arm, and number of rewards.
Released = tuple[float, float, float, int, int]


def made(maker: Callable[..., Any], arms: int, **given: float) -> tuple[Any, list[Released], list[float]]:
    """Return a policy, what it has released, and a list of outputs that take the place of noisy values.

    Where the list is empty, the value itself is let out.
    """
    policy = maker(arms, np.random.default_rng(5), **given)
    released: list[Released] = []
    outputs: list[float] = []

    def release(*call: Any) -> float:
        released.append(call)
        return outputs.pop(0) if outputs else float(call[0])

    policy.release = release
    return policy, released, outputs
