"""What a run costs. Not part of the tests: pytest benchmarks --benchmark-json=speed.json.

    pip install --no-deps --require-hashes -r benchmarks/requirements.lock
    pytest benchmarks --benchmark-json=speed.json && python benchmarks/report.py speed.json

Each benchmark times many runs at once, random streams included, on one core; ``extra_info`` has their number and
their rounds, from which the report computes microseconds per run and rounds per second. Beside the batched
algorithms stands the same algorithm round by round, compiled too; beside KL-UCB the fastest packaged peer, pymab.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pymab import BanditEnvironment, Experiment, ExperimentConfig
from pymab.distributions import BernoulliReward
from pymab.policies import KLUCBPolicy

from dpbandits.core import registry
from dpbandits.core.algorithm import Tuning
from dpbandits.core.compiled import kernel
from dpbandits.core.recording import START, Runs, checkpoints
from dpbandits.core.streams import laplace, permute, streams, uniform
from dpbandits.settings.stochastic.algorithms import dp_klucb, kl_ucb, lazy_dp_ts
from dpbandits.settings.stochastic.batches import cumulative_pulls, start
from dpbandits.settings.stochastic.divergences import budget
from dpbandits.settings.stochastic.problem import Bandit, make_bandit, play

MU1 = (0.75, 0.70, 0.70, 0.70, 0.70)
MU2 = (0.75, 0.625, 0.5, 0.375, 0.25)


def unfilled(runs: int, horizon: int, means: tuple[float, ...] = MU1) -> tuple[Runs, Bandit]:
    """Return unfilled runs with 200 checkpoints, and their bandit."""
    bandit = make_bandit(np.array(means))
    return bandit.runs(streams(0, "benchmark", np.arange(runs)), checkpoints(horizon, 200)), bandit


def measure(benchmark: Any, runs: int, horizon: int, call: Any, means: tuple[float, ...] = MU1) -> None:
    """Time ``call(runs, bandit)`` on fresh runs, after a warm-up that compiles."""
    benchmark.extra_info.update(runs=runs, rounds=runs * horizon)
    call(*unfilled(1, horizon, means))
    benchmark.pedantic(call, setup=lambda: (unfilled(runs, horizon, means), {}), rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("horizon", [10**4, 10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("name", ["dp-klucb", "dp-imed"])
def test_batched(benchmark: Any, name: str, horizon: int) -> None:
    """alpha = 2, K = 5, epsilon = 0.25, mu1."""
    simulate = registry.algorithm(name).simulate
    measure(benchmark, 2000, horizon, lambda *on: simulate(*on, epsilon=0.25, n0=1, alpha=2.0))


@pytest.mark.parametrize("name", ["dp-se", "adap-klucb", "adap-ucb"])
def test_other_batched(benchmark: Any, name: str) -> None:
    """The baselines that decide by batches, at T = 10^6."""
    declared = registry.algorithm(name)
    parameters = declared.resolve({}, Tuning(10**6, 5)).values
    measure(benchmark, 2000, 10**6, lambda *on: declared.simulate(*on, epsilon=0.25, **parameters))


@kernel
def _dp_klucb_by_rounds(runs: Runs, bandit: Bandit, epsilon: float, counts: np.ndarray) -> None:
    arms = start(bandit.means.size)
    privacy = budget(epsilon)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        permute(state, arms.order)
        arms.noisy_sum[:] = 0.0
        arms.n[:] = 0
        arms.m[:] = -1
        clock = START
        arm, left = 0, 0
        while clock.t < runs.horizon:
            if left == 0:
                if clock.t < arms.order.size:
                    arm = arms.order[clock.t]
                else:
                    log_t = math.log(clock.t + 1.0)
                    arm = dp_klucb._largest_index(state, arms.clipped, arms.n, log_t, privacy, arm)
                left = counts[arms.m[arm] + 1] - arms.n[arm]
            clock = play(runs, bandit, run, arm, 1, clock)
            arms.noisy_sum[arm] += 1.0 if uniform(state) <= bandit.means[arm] else 0.0
            left -= 1
            if left == 0:
                arms.noisy_sum[arm] += laplace(state, 1.0 / epsilon)
                arms.m[arm] += 1
                arms.n[arm] = counts[arms.m[arm]]
                arms.clipped[arm] = min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm]))


@pytest.mark.parametrize("horizon", [10**4, 10**6])
def test_dp_klucb_round_by_round(benchmark: Any, horizon: int) -> None:
    """The same algorithm, one reward after the other."""
    counts = cumulative_pulls(1, 2.0, horizon)
    measure(benchmark, 20, horizon, lambda *on: _dp_klucb_by_rounds(*on, 0.25, counts))


@pytest.mark.parametrize("means", [MU1, MU2], ids=["mu1", "mu2"])
@pytest.mark.parametrize("name", ["imed", "kl-ucb"])
def test_every_round(benchmark: Any, name: str, means: tuple[float, ...]) -> None:
    """IMED and KL-UCB at T = 10^6."""
    measure(benchmark, 10, 10**6, registry.algorithm(name).simulate, means)


@pytest.mark.parametrize("means", [MU1, MU2], ids=["mu1", "mu2"])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0])
def test_lazy_dp_ts(benchmark: Any, epsilon: float, means: tuple[float, ...]) -> None:
    """Lazy-DP-TS at T = 10^6."""
    measure(benchmark, 10, 10**6, lambda *on: lazy_dp_ts.simulate(*on, epsilon=epsilon, offset=3.0), means)


def test_lazy_dp_ts_round_by_round(benchmark: Any) -> None:
    """Lazy-DP-TS with all its draws in every round."""
    measure(benchmark, 2, 10**6, lambda *on: lazy_dp_ts._simulate(*on, 0.25, 3.0, False))


@kernel
def _kl_ucb_by_rounds(runs: Runs, bandit: Bandit) -> None:
    arms = bandit.means.size
    successes = np.empty(arms)
    n = np.empty(arms)
    mean = np.empty(arms)
    order = np.arange(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        permute(state, order)
        successes[:] = 0.0
        n[:] = 0.0
        clock = START
        arm = 0
        while clock.t < runs.horizon:
            arm = (
                order[clock.t]
                if clock.t < arms
                else kl_ucb._largest_index(state, mean, n, math.log(clock.t + 1.0), arm)
            )
            clock = play(runs, bandit, run, arm, 1, clock)
            successes[arm] += 1.0 if uniform(state) <= bandit.means[arm] else 0.0
            n[arm] += 1.0
            mean[arm] = successes[arm] / n[arm]


def test_kl_ucb_round_by_round(benchmark: Any) -> None:
    """KL-UCB without windows."""
    measure(benchmark, 5, 10**6, _kl_ucb_by_rounds)


def test_kl_ucb_pymab(benchmark: Any) -> None:
    """The packaged peer's KL-UCB (its Rust core), at T = 10^5."""
    horizon, runs = 10**5, 3
    benchmark.extra_info.update(runs=runs, rounds=runs * horizon)
    experiment = Experiment(
        environment=BanditEnvironment(means=np.array(MU1), reward_model=BernoulliReward()),
        policies={"kl-ucb": KLUCBPolicy(n_arms=5)},
        config=ExperimentConfig(horizon=horizon, n_replicates=runs, seed=0, backend="rust"),
    )
    benchmark.pedantic(experiment.run, rounds=3, warmup_rounds=1)
