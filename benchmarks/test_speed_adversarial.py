"""What a decision of the adversarial algorithms costs, streams included: K = 10, Bernoulli losses with gap 0.1."""

from __future__ import annotations

from typing import Any

import pytest

from dpbandits.runs.job import make_job, run

ENVIRONMENT = {"kind": "bernoulli-gap", "arms": 10, "gap": 0.1}
CASES = [
    ("exp3", {}, None),
    ("htinf", {}, None),
    ("ftpl", {}, None),
    ("dp-exp3-lap", {}, 0.1),
    ("agarwal-singh", {}, 0.1),
    ("conversion", {"base": "exp3"}, 0.1),
    ("conversion", {"base": "htinf"}, 0.1),
    ("conversion", {"base": "ftpl"}, 0.1),
]


@pytest.mark.parametrize(("name", "parameters", "epsilon"), CASES)
def test_decision(benchmark: Any, name: str, parameters: dict[str, str], epsilon: float | None) -> None:
    """T = 10^6 rounds; a conversion decides once in 1/epsilon rounds."""
    horizon, runs = 10**6, 3
    job = make_job(name, parameters, ENVIRONMENT, epsilon, horizon, 200, 0)
    decisions = runs * horizon // int(job.parameters.get("tau", 1))
    benchmark.extra_info.update(runs=runs, count=decisions, per="decision")
    benchmark.pedantic(lambda: run(job, range(runs)), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("horizon", [10**6, 10**9, 10**12])
def test_conversion_by_horizon(benchmark: Any, horizon: int) -> None:
    """10^4 decisions, whatever the horizon: epsilon = 10^4/T."""
    runs, decisions = 10, 10**4
    job = make_job("conversion", {"base": "htinf"}, ENVIRONMENT, decisions / horizon, horizon, 200, 0)
    benchmark.extra_info.update(runs=runs, count=runs * decisions, per="decision")
    benchmark.pedantic(lambda: run(job, range(runs)), rounds=5, warmup_rounds=1)
