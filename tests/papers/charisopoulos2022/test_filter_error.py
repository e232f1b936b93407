"""The filter's error on batches: intervals, bounds and other estimators, against independent values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from dpbandits.core.streams import number_of, streams
from dpbandits.papers.charisopoulos2022.computations import filter_error as error
from dpbandits.papers.charisopoulos2022.figures import filter_error
from dpbandits.settings.linear.design import approximate_design
from dpbandits.settings.linear.theory import known_width, proposition_2_1


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7, 20, 101, 400])
def test_the_median_s_interval_is_the_shortest_that_covers(n: int) -> None:
    """Of as many numbers below as above; of five numbers or fewer no interval covers, and all of them are in it."""
    found = error._around_the_median(np.random.default_rng(n).permutation(n).astype(float))
    low, high = int(found["median_low"]), int(found["median_high"])
    assert low + high == n - 1

    def covers(k: int) -> float:
        """Return the probability that the median lies between the k-th smallest and the k-th largest number."""
        return 1.0 - 2.0 * float(stats.binom.cdf(k - 1, n, 0.5))

    assert low == 0 if n < 6 else covers(low + 1) >= error.CONFIDENCE > covers(low + 2)


def sample(rewards: list[list[float]], probability: float, noise: float = 1.0) -> error.Sample:
    """Return a batch on two vectors in the coordinates of an estimator."""
    repeats = np.array([len(each) for each in rewards])
    vectors = np.array([[0.8, 0.1], [-0.3, 0.5]])
    root = np.linalg.cholesky(np.linalg.inv((vectors.T * repeats) @ vectors))
    features = vectors @ root
    return error.Sample(
        streams(1, "filter error", np.arange(1))[0],
        features,
        repeats,
        np.concatenate([np.array(each) for each in rewards]),
        probability,
        float((features**2).sum(axis=1).max()),
        1.0,
        noise,
    )


def test_huber_s_estimate_minimises_huber_s_loss() -> None:
    """Residuals beyond 1.345 deviations count as that, by another minimiser; with a huge deviation none does."""
    rewards = np.random.default_rng(2).normal(0.0, 0.5, 40)
    rewards[[3, 21, 22]] += 30.0
    given = sample([rewards[:15].tolist(), rewards[15:].tolist()], 0.1, noise=0.5)
    rows = np.repeat(given.features, given.repeats, axis=0)
    edge = 1.345 * 0.5
    least = optimize.least_squares(
        lambda x: (given.rewards - rows @ x) / edge, np.zeros(2), loss="huber", xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    np.testing.assert_allclose(error._huber(given), least.x, rtol=1e-5)
    residuals = given.rewards - rows @ error._huber(given)
    assert np.abs(rows.T @ np.clip(residuals, -edge, edge)).max() < 1e-8
    plain = np.linalg.lstsq(rows, given.rewards, rcond=None)[0]
    np.testing.assert_allclose(error._huber(given._replace(noise=1e3)), plain, rtol=1e-9)
    np.testing.assert_allclose(error._least_squares(given), plain, rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_huber_s_estimate_has_the_unit_of_rewards(unit: float) -> None:
    """It settles to a part of itself: in other units it is the same."""
    rewards = np.random.default_rng(2).normal(0.0, 0.5, 40)
    rewards[3] += 30.0
    given = sample([rewards[:15].tolist(), rewards[15:].tolist()], 0.1, noise=0.5)
    other = given._replace(rewards=unit * given.rewards, noise=unit * given.noise)
    np.testing.assert_allclose(error._huber(other), unit * error._huber(given), rtol=1e-8)


def test_the_attack_s_unit_is_what_the_repaired_filter_lets_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The root of three second moments over the corrupted share, or over the largest norm if that is larger."""
    seen: list[float] = []
    reports = error.single_reports
    monkeypatch.setattr(error, "single_reports", lambda *given: seen.append(given[-1]) or reports(*given))
    for alpha in (0.2, 1e-6):
        corruption = {**CORRUPTION, "probability": alpha}
        list(error.measure(ARMS, DIMENSION, SIGMA, corruption, N, 2, DELTA, SEED))
    norms = [
        instance.norms[instance.arms].max()
        for i in range(2)
        for draw in (number_of(SEED, f"filter error, action set {i}"),)
        for instance in (error._instance(ARMS, DIMENSION, SIGMA, CORRUPTION, N, draw),)
    ]
    assert max(norms) < 0.2
    expected = [math.sqrt(3.75 / 0.2)] * 2 + [math.sqrt(3.75 / norm) for norm in norms]
    assert seen == pytest.approx(expected, rel=1e-12)


def test_thresholds_of_the_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the received rewards, by those before corruption, by what a clean one can be; all are n times a mean."""
    given = sample([[1.0] * 3, [2.0] * 5], 0.1, noise=0.5)._replace(reach=0.3, square=4.0)
    seen: list[float] = []
    mean = np.array([1.0, 2.0])
    monkeypatch.setattr(error, "filtered_mean", lambda *passed: seen.append(passed[-1]) or (mean, None))
    for name in (error.PLAIN, "filter, printed", "filter, eq. 13", "filter, repaired"):
        assert error.ESTIMATORS[name](given).tolist() == [8.0, 16.0]
    assert seen == pytest.approx([math.inf, 0.3 * 23.0 / 8.0, 0.3 * 4.0, 1.25 / 8.0], rel=1e-12)


@pytest.mark.parametrize(
    ("probability", "centre"),
    [
        # One group, the mean; groups of one reward, the median; at 1/8 groups of two.
        (0.0, 5.5),
        (0.25, 1.0),
        (0.5, 1.0),
        (0.125, 1.0),
    ],
)
def test_groups_of_a_median_of_means(probability: float, centre: float) -> None:
    """Of eight rewards one is 37; the four of the other action are 2."""
    given = sample([[1.0] * 7 + [37.0], [2.0] * 4], probability)
    rows = given.features
    expected = rows.T @ (given.repeats * np.array([centre, 2.0]))
    np.testing.assert_allclose(error._median_of_means(given), expected, rtol=1e-12)


def test_groups_have_a_quarter_of_a_corrupted_reward() -> None:
    """Of eight different rewards at 1/8: four groups of two, whose means are averaged in the middle."""
    rewards = [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0, 1_000_000.0, 10_000_000.0]
    given = sample([rewards, [2.0] * 4], 0.125)
    # Coordinates of the two actions' means: what multiplies them is the transposed matrix of features.
    centres = np.linalg.solve(given.features.T, error._median_of_means(given)) / given.repeats
    assert centres[1] == pytest.approx(2.0)
    # Twice the two middle means is the sum of four different rewards: a number with four ones.
    assert sorted(str(round(4 * centres[0])).replace("0", "")) == ["1"] * 4


def test_a_batch_has_the_design_s_weights_rounded_up() -> None:
    design = approximate_design(np.random.default_rng(3).normal(size=(30, 3)))
    repeats, vectors = error.batch(design, 100)
    assert repeats.tolist() == [math.ceil(100 * weight) for weight in design.weights]
    support = vectors[design.arms]
    np.testing.assert_allclose((support.T * repeats) @ support, np.eye(3), atol=1e-12)


ARMS, DIMENSION, SIGMA, N, DELTA, SEED = 20, 2, 0.5, 60, 0.01, 4
CORRUPTION: dict[str, Any] = {"probability": 0.1, "attack": "constant", "size": 30.0, "of": "reports"}


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    """Return errors of two batches: the mean and the larger one tell both."""
    table = pd.DataFrame(error.measure(ARMS, DIMENSION, SIGMA, CORRUPTION, N, 2, DELTA, SEED))
    return table.set_index("estimator")


def test_intervals_of_two_batches(measured: pd.DataFrame) -> None:
    """By Student's law with one degree of freedom, whose quantile is 12.706 = tan(0.475 pi)."""
    quantile, larger = math.tan(0.475 * math.pi), measured["maximum"]
    smaller = 2.0 * measured["mean"] - larger
    half = quantile * (larger - smaller) / 2.0
    assert (smaller > 0.0).all() and (half > 0.0).any()
    np.testing.assert_allclose(measured["high"], measured["mean"] + half, rtol=1e-9)
    np.testing.assert_allclose(measured["low"], measured["mean"] - half, rtol=1e-9)
    np.testing.assert_allclose(measured["median"], measured["mean"], rtol=1e-12)
    np.testing.assert_allclose(measured["median_low"], smaller, rtol=1e-9)
    np.testing.assert_array_equal(measured["median_high"], larger)
    logs, plain = np.log([smaller, larger]), np.log([smaller[error.PLAIN], larger[error.PLAIN]])
    np.testing.assert_allclose(measured["log_ratio"], logs.mean(axis=0) - plain.mean(), rtol=1e-9, atol=1e-12)
    upper, lower = (measured[f"log_ratio_{end}"] - measured["log_ratio"] for end in ("high", "low"))
    np.testing.assert_allclose(upper, -lower, atol=1e-12)
    # Which error is of which batch is not told: the two logarithms differ in one way or in the other.
    widths = [quantile / 2.0 * np.abs(logs[1] - logs[0] - sign * (plain[1] - plain[0])) for sign in (1.0, -1.0)]
    near = [np.isclose(upper, width, rtol=1e-6, atol=1e-9) for width in widths]
    assert (near[0] | near[1]).all() and upper[error.PLAIN] == 0.0


def test_bounds_are_of_the_batches(measured: pd.DataFrame) -> None:
    """Their means, and the mean number of rewards, from the same action sets."""
    found = []
    for i in range(2):
        draw = number_of(SEED, f"filter error, action set {i}")
        bandit, chosen, repeats, _, norms = error._instance(ARMS, DIMENSION, SIGMA, CORRUPTION, N, draw)
        total = int(repeats.sum())
        square = float(np.average(bandit.means[chosen] ** 2, weights=repeats)) + SIGMA**2
        found.append(
            (
                total,
                proposition_2_1(norms.max(), total, square, SIGMA, 0.1, DELTA),
                known_width(norms.max(), total, 1.0 + SIGMA**2, SIGMA**2, 0.0, 0.1, DELTA),
            )
        )
    expected = np.mean(found, axis=0)
    for name, value in zip(("rewards", "printed_bound", "repaired_bound"), expected, strict=True):
        assert measured[name].tolist() == pytest.approx([value] * len(error.ESTIMATORS), rel=1e-12)


def test_cases_vary_one_quantity_each() -> None:
    """Along alpha each attack, along n those that are named, along the size those with their own sizes."""
    table = error.compute(
        **{"arms": ARMS, "dimension": DIMENSION, "sigma": SIGMA, "n": N, "alpha": 0.1, "alphas": [0.0, 0.2]},
        attacks=[["constant", 30.0], ["flip", 5.0]],
        **{"ns": [30, 90], "along_n": ["flip"], "sizes": [1.0, 2.0], "along_size": ["second-best"]},
        **{"repetitions": 2, "delta": DELTA, "seed": SEED},
    )
    cases = table[table["estimator"] == error.PLAIN][["over", "attack", "size", "alpha", "n"]]
    assert cases.to_numpy().tolist() == [
        *(
            ["alpha", attack, size, alpha, N]
            for attack, size in (("constant", 30.0), ("flip", 5.0))
            for alpha in (0.0, 0.2)
        ),
        *(["n", "flip", 5.0, 0.1, n] for n in (30, 90)),
        *(["size", "second-best", size, 0.1, N] for size in (1.0, 2.0)),
    ]


def test_a_panel_over_the_size_names_its_attack() -> None:
    """Each attack by words of its own, along each quantity."""
    row = {"alpha": 0.1, "n": 9, "size": 2.0, "estimator": "least squares", "mean": 1.0, "low": 0.5, "high": 2.0}
    for over in filter_error.X:
        titles = {
            attack: filter_error.panel(pd.DataFrame([row]), over, attack, (0.1, 9.0)).title
            for attack in filter_error.ATTACKS
        }
        assert len(set(titles.values())) == len(titles)
        assert "second best" in titles["second-best"]
