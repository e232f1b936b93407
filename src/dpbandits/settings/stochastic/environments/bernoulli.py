"""Bernoulli bandits: arm a pays 1 with probability ``means[a]``, else 0 (azize2025, Appendix G)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Setting
from dpbandits.core.environment import Environment, checked_numbers, only_keys
from dpbandits.settings.stochastic.problem import Block, make_block


def check(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return ``{"means": [...]}`` with at least two numbers in [0, 1], or raise `BadInput`."""
    only_keys(given, ("means",), where)
    return {"means": checked_numbers(given["means"], f"{where}.means", 2)}


def block(
    parameters: Mapping[str, Any],
    streams: NDArray[np.uint64],
    rounds: NDArray[np.int64],
    setting: Setting,
) -> Block:
    """Return an unfilled block of runs on the bandit."""
    return make_block(np.array(parameters["means"]), streams, int(setting.horizon), rounds)


ENVIRONMENT = Environment(
    title="Bernoulli bandit",
    parameters={"means": "the arms' means, at least 2 numbers in [0, 1]"},
    check=check,
    block=block,
    arms=lambda parameters: len(parameters["means"]),
)
