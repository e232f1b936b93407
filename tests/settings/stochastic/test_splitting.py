"""Importance splitting: without levels it is DP-IMED, with them it has its mean, and the interval covers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpbandits.core.errors import BadInput
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import streams
from dpbandits.settings.stochastic import splitting
from dpbandits.settings.stochastic.algorithms import dp_imed
from dpbandits.settings.stochastic.batches import cumulative_pulls, schedule
from dpbandits.settings.stochastic.problem import make_bandit

MEANS, EPSILON, HORIZON = [0.75, 0.5, 0.25], 0.3, 10_000
GIVEN = {"n0": 1, "alpha": 2.0}


def runs_of(levels: list[float], number: int, identity: str = "split") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weighted regrets of split runs, the highest index of each, and its copies."""
    bandit = make_bandit(np.array(MEANS))
    made = bandit.runs(streams(1, identity, np.arange(number)), checkpoints(HORIZON, 1))
    batches = schedule(cumulative_pulls(1, 2.0, HORIZON), EPSILON)
    highest, leaves = splitting.follow(made, bandit, EPSILON, batches, 1.0, np.array(levels), 2)
    return made.regret[:, -1], highest, leaves


def plain(number: int, identity: str = "split") -> np.ndarray:
    """Return regrets of DP-IMED."""
    bandit = make_bandit(np.array(MEANS))
    made = bandit.runs(streams(1, identity, np.arange(number)), checkpoints(HORIZON, 1))
    dp_imed.follow(made, bandit, EPSILON, schedule(cumulative_pulls(1, 2.0, HORIZON), EPSILON), 1.0)
    return made.regret[:, -1]


@pytest.mark.slow
def test_without_levels_it_is_the_algorithm() -> None:
    """The same streams make the same regret, run by run; so the kernel is DP-IMED's."""
    regret, highest, leaves = runs_of([], 500)
    assert (regret == plain(500)).all()
    assert (leaves == 1).all()
    assert highest.max() > 3.0


def test_levels_do_not_move_the_mean() -> None:
    """Against 100,000 plain runs: beyond four standard errors in 6 of 100,000 seeds."""
    truth = plain(100_000, "truth")
    regret, _, leaves = runs_of([2.0, 4.0, 6.0, 8.0], 20_000)
    assert leaves.max() >= 8
    error = np.hypot(truth.std() / np.sqrt(truth.size), regret.std() / np.sqrt(regret.size))
    assert abs(regret.mean() - truth.mean()) < 4.0 * error


def test_copies_share_what_they_have() -> None:
    """Where every copy plays on to the same end, the weighted sum is that end: shares sum to 1."""
    regret, _, leaves = runs_of([1.0, 1.5, 2.0, 2.5], 2_000)
    assert leaves.max() > 4
    assert regret.max() <= HORIZON * 0.5 * (1.0 + 1e-12)


@pytest.mark.slow
def test_the_interval_covers() -> None:
    """Of 200 intervals at 95 % at least 85 % hold the mean: by chance fewer than 170 do in 1 of 10^7 such sets."""
    truth = float(plain(400_000, "truth").mean())
    found = [splitting.rare_mean("dp-imed", GIVEN, MEANS, EPSILON, HORIZON, 1_000, seed) for seed in range(200)]
    covered = sum(each.low <= truth <= each.high for each in found)
    assert stats.binom.cdf(169, 200, 0.95) < 1e-7
    assert covered >= 170


def test_levels_are_passed_by_fewer_and_fewer() -> None:
    """They increase, from what one run in sixteen passes, to below what seals a run's fate."""
    highest = np.random.default_rng(1).exponential(2.0, 4000)
    levels = splitting._levels(highest, 12.0)
    assert (np.diff(levels) > 0.0).all()
    assert (highest >= levels[0]).mean() == pytest.approx(1.0 / 16.0, abs=0.001)
    assert 10.0 < levels[-1] < 12.0
    assert splitting._levels(np.full(4000, -1.0), 12.0).size == 0


@pytest.mark.parametrize(
    ("algorithm", "means", "allowed"),
    [("dp-klucb", MEANS, "dp-imed"), ("dp-imed", [0.5, 0.5], "one largest mean")],
)
def test_what_cannot_be_split_is_refused(algorithm: str, means: list[float], allowed: str) -> None:
    """One line with what is allowed."""
    with pytest.raises(BadInput, match=allowed):
        splitting.rare_mean(algorithm, GIVEN, means, EPSILON, HORIZON, 10, 1)
