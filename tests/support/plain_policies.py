"""Policies in plain Python, where other processes find them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np


class Uniform:
    """A policy in plain Python."""

    def __init__(self, arms: int, rng: np.random.Generator) -> None:
        self.arms, self.rng = arms, rng

    def choose(self) -> int:
        """Return any arm."""
        return int(self.rng.integers(self.arms))

    def update(self, arm: int, reward: float) -> None:
        """Learn nothing."""


class Beyond(Uniform):
    """A policy that plays an arm that there is not."""

    def choose(self) -> int:
        """Return no arm."""
        return self.arms


class DiesOnce(Uniform):
    """A policy whose process is killed when it first plays, as a machine does that runs out of memory."""

    def choose(self) -> int:
        """Play, but for the first time."""
        mark = Path(os.environ["DPBANDITS_TEST_MARK"])
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose()
