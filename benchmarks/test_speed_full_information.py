"""What exact regret and a run of RNM-FTNL cost. Not part of the tests: see test_speed.py.

Exact results have no runs: ``extra_info`` says what one computation is. The goal is the deterministic setting with
K = 10^5 and T = 2^40 in less than 2 seconds a variant, on one core.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpbandits.core import registry
from dpbandits.core.recording import Runs, checkpoints
from dpbandits.core.streams import streams
from dpbandits.settings.full_information import instances, laws, regret
from dpbandits.settings.full_information.noises import NOISES
from dpbandits.settings.full_information.problem import Losses, bernoulli, deterministic

MEANS = np.array([0.3, 0.4, 0.5, 0.5, 0.625, 0.75, 0.75, 1.0])
NAMES = ["laplace", "exponential", "gumbel"]


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("gaps", ["linear", "geometric", "upper half"])
@pytest.mark.parametrize("noise", NAMES)
def test_exact_deterministic(benchmark: Any, noise: str, gaps: str, epsilon: float) -> None:
    """All gaps different, K = 10^5, T = 2^40."""
    each = {
        "linear": np.linspace(0.0, 1.0, 10**5),
        "geometric": np.append(0.0, np.geomspace(1e-3, 1.0, 10**5 - 1)),
        "upper half": np.append(0.0, np.linspace(0.5, 1.0, 10**5 - 1)),
    }[gaps]
    instance, scale = instances.grouped(each), NOISES[noise].factor / epsilon
    benchmark.extra_info.update(count=1, per="exact regret, K = 10^5, T = 2^40")
    benchmark.pedantic(
        regret.deterministic, args=(NOISES[noise], scale, instance, 41), rounds=3, warmup_rounds=1, iterations=1
    )


@pytest.mark.parametrize("noise", NAMES)
def test_exact_bernoulli(benchmark: Any, noise: str) -> None:
    """Eight means, one instance, T = 2^40: all epochs that matter."""
    gaps, scale = np.unique(MEANS) - MEANS[0], NOISES[noise].factor / 0.1
    actions = np.unique(MEANS, return_counts=True)[1][None].astype(float)

    def whole() -> None:
        regret.random(NOISES[noise], scale, laws.bernoulli(gaps + MEANS[0]), 1.0, gaps, actions, 41)

    benchmark.extra_info.update(count=1, per="exact regret, T = 2^40")
    benchmark.pedantic(whole, rounds=5, warmup_rounds=1, iterations=1)


@pytest.mark.parametrize("losses", ["bernoulli", "deterministic"])
@pytest.mark.parametrize("noise", NAMES)
def test_runs(benchmark: Any, noise: str, losses: str) -> None:
    """Runs with eight actions up to T = 2^40."""
    runs, horizon = 2000, 2**40
    simulate = registry.algorithm(f"rnm-ftnl-{noise}").simulate
    law = {"bernoulli": bernoulli, "deterministic": deterministic}[losses](MEANS)

    def unfilled() -> tuple[tuple[Runs, Losses], dict[str, Any]]:
        return (law.runs(streams(0, "benchmark", np.arange(runs)), checkpoints(horizon, 40)), law), {}

    def call(unfilled: Runs, losses: Losses) -> None:
        simulate(unfilled, losses, epsilon=0.1, resampling=0, scale=20.0)

    benchmark.extra_info.update(runs=runs, rounds=runs * horizon)
    benchmark.pedantic(call, setup=unfilled, rounds=5, warmup_rounds=1)
