"""The story of DP-IMED: its variants, where its rare bad runs come from, and intervals that know of unseen runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from dpbandits.papers.azize2025.computations.noise_by_batch import compute
from dpbandits.papers.azize2025.computations.regret_law import mean_interval
from dpbandits.runs.job import make_job, run
from dpbandits.settings.stochastic.batches import polynomial_pulls

MU2 = {"kind": "bernoulli", "means": [0.75, 0.625, 0.5, 0.375, 0.25]}


def regrets(algorithm: str, runs: int, epsilon: float = 0.1, **parameters: float) -> np.ndarray:
    """Return regrets at T = 100,000."""
    return run(make_job(algorithm, parameters, MU2, epsilon, 100_000, 1, 5), range(runs)).regret[:, -1]


@pytest.mark.parametrize("ones", [0, 3, 100])
def test_the_interval_of_a_mean_is_clopper_and_pearsons_on_bits(ones: int) -> None:
    """Also where no run of the kind that decides the mean was seen."""
    values = np.repeat([0.0, 1.0], [2000 - ones, ones])
    low, high = mean_interval(values, 1.0, seed=7)
    assert high == pytest.approx(beta.ppf(0.975, ones + 1, 2000 - ones), rel=0.08)
    assert low == pytest.approx(beta.ppf(0.025, ones, 2001 - ones) if ones else 0.0, rel=0.25, abs=1e-12)


def test_forgetting_and_a_long_start_cut_the_tail_that_noise_makes() -> None:
    kept, forgetting, long = (
        regrets(name, 2000) for name in ("dp-imed", "forgetting-dp-imed", "dp-imed-long-start")
    )
    assert np.median(kept) < np.median(forgetting)
    assert forgetting.mean() < 0.7 * kept.mean()
    assert long.mean() < 0.6 * kept.mean()
    table = compute([["mu2", MU2["means"]]], [0.1], 100_000, 2000, 1, 2.0, [10.0], seed=7).iloc[0]
    assert table["none"] == 0.0
    assert table["first"] < table["every"] / 4
    assert table["later"] > table["every"] / 3


def test_batches_grow_as_a_polynomial() -> None:
    assert list(polynomial_pulls(2, 2, 50)) == [2, 10, 28, 51]


def test_figure_8_depends_on_its_first_batch() -> None:
    """At epsilon = 0.01 the mean regret is above twice the bound with n0 = 1, and far below with n0 = 10."""
    environment = {"kind": "bernoulli", "means": [0.8, 0.1, 0.1, 0.1, 0.1]}

    def mean(n0: int) -> float:
        job = make_job("dp-imed", {"alpha": 1.1, "n0": n0}, environment, 0.01, 10**7, 1, 20251121)
        return float(run(job, range(4000)).regret.mean())

    assert mean(1) > 1.3 * mean(10)
