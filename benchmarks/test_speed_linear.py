"""What the spectral filter, designs and whole runs of robust arm elimination cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbandits.core.streams import streams
from dpbandits.runs.job import make_job, run
from dpbandits.settings.linear.design import approximate_design
from dpbandits.settings.linear.spectral_filter import filtered_mean


def filtering(n: int, d: int, size: float) -> tuple[int, Callable[[], object]]:
    """Return a number of rewards, and what filters them: 5 % of one size among normal ones, of 3 d / 2 actions."""
    random = np.random.default_rng(0)
    actions = random.normal(size=(3 * d // 2, d))
    repeats = np.full(actions.shape[0], n // actions.shape[0])
    vectors = np.linalg.solve(np.linalg.cholesky((actions.T * repeats) @ actions), actions.T).T.copy()
    scalars = random.normal(size=repeats.sum())
    scalars[random.random(scalars.size) < 0.05] = size
    state = streams(0, "benchmark", np.arange(1))[0]
    return scalars.size, lambda: filtered_mean(state, vectors, repeats, scalars, 1.0 / scalars.size)


@pytest.mark.parametrize(("n", "d"), [(10**4, 10), (10**5, 10), (10**6, 10), (10**5, 50)])
@pytest.mark.parametrize("size", [30.0, 1e6])
def test_filter(benchmark: Any, n: int, d: int, size: float) -> None:
    """Outliers of one size among normal rewards."""
    count, filters = filtering(n, d, size)
    benchmark.extra_info.update(count=count, per="point")
    benchmark.pedantic(filters, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize(("K", "d"), [(10**3, 10), (10**4, 50), (10**5, 50)])
def test_design(benchmark: Any, K: int, d: int) -> None:
    """Actions on the sphere; each time another set, for the last design is remembered."""
    random = np.random.default_rng(0)

    def another() -> tuple[tuple[np.ndarray], dict[str, Any]]:
        points = random.normal(size=(K, d))
        return (points / np.linalg.norm(points, axis=1, keepdims=True),), {}

    benchmark.extra_info.update(count=K, per="action")
    benchmark.pedantic(approximate_design, setup=another, rounds=3)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
@pytest.mark.parametrize(("K", "d", "horizon"), [(1000, 10, 10**6), (10**4, 50, 10**5)])
@pytest.mark.parametrize("model", ["m1", "m2"])
def test_robust_elimination(benchmark: Any, model: str, K: int, d: int, horizon: int, alpha: float) -> None:
    """A full run, epsilon = 1, outliers of size 100."""
    corruption = {"probability": alpha, "attack": "constant", "size": 100, "of": "reports"}
    environment = {"kind": "sphere", "arms": K, "dimension": d, "corruption": corruption}
    job = make_job(f"robust-elimination-{model}", {}, environment, 1.0, horizon, 100, 0)
    benchmark.extra_info.update(runs=1, rounds=horizon)
    benchmark.pedantic(lambda: run(job, range(1)), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("horizon", [10**6, 10**9, 10**12])
def test_m2_by_horizon(benchmark: Any, horizon: int) -> None:
    """A batch of Bernoulli rewards is one draw, whatever its size."""
    environment = {"kind": "sphere", "arms": 1000, "dimension": 10}
    job = make_job("robust-elimination-m2", {"B": math.ceil(math.log(horizon))}, environment, 1.0, horizon, 100, 0)
    benchmark.extra_info.update(runs=5, rounds=5 * horizon)
    benchmark.pedantic(lambda: run(job, range(5)), rounds=3, warmup_rounds=1)
