"""What algorithms with expert advice cost, streams included: K = 10 actions, dense advice, a period of 10 rounds.

EXP4 and its locally private form pay for each round and expert; the others for each batch.
"""

from __future__ import annotations

from typing import Any

import pytest

from dpbandits.runs.job import make_job, run

EXPERTS, ACTIONS = (10, 100, 1000), 10


def measure(benchmark: Any, name: str, experts: int, epsilon: float | None, horizon: int) -> Any:
    """Time three runs; return the job."""
    runs = 3
    environment = {"kind": "one-good-expert", "experts": experts, "actions": ACTIONS, "gap": 0.2}
    job = make_job(name, {}, environment, epsilon, horizon, 200, 0)
    benchmark.extra_info.update(runs=runs)
    benchmark.pedantic(lambda: run(job, range(runs)), rounds=5, warmup_rounds=1)
    return job


@pytest.mark.parametrize("experts", EXPERTS)
@pytest.mark.parametrize(("name", "epsilon"), [("exp4", None), ("local-dp-exp4", 1.0)])
def test_expert_and_action(benchmark: Any, name: str, epsilon: float | None, experts: int) -> None:
    """A round's cost over N K."""
    job = measure(benchmark, name, experts, epsilon, 10**7 // experts)
    benchmark.extra_info.update(count=3 * job.horizon * experts * ACTIONS, per="round, expert and action")


@pytest.mark.parametrize("experts", EXPERTS)
@pytest.mark.parametrize("horizon", [10**6, 10**9])
def test_batched_exp4(benchmark: Any, horizon: int, experts: int) -> None:
    """Batches of about N^(1/3) T^(1/3) rounds, each at the cost of its contexts, actions and experts."""
    job = measure(benchmark, "batched-exp4", experts, 1.0, horizon)
    benchmark.extra_info.update(count=3 * -(-horizon // int(job.parameters["tau"])), per="batch")


@pytest.mark.parametrize("experts", EXPERTS)
def test_bandit_to_experts(benchmark: Any, experts: int) -> None:
    """HTINF over N arms, 10 rounds a batch."""
    job = measure(benchmark, "bandit-to-experts", experts, 0.1, 10**6)
    benchmark.extra_info.update(count=3 * job.horizon // int(job.parameters["tau"]), per="batch")
