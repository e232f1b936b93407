"""The spectral filter has the law of Algorithm 2 of charisopoulos2022, and stops where it says.

On few points the probability of every set that the printed recursion may leave is computed by following all
removals; the filter's survivors are compared with it by the chi-square test. On more points samples of both are
compared by the Mann-Whitney and Kolmogorov-Smirnov tests.

False alarms. Seeds are fixed. With fresh seeds, correct code would fail somewhere in this file with probability at
most `FALSE_ALARMS`, by Bonferroni's correction over `P_VALUES`, an upper bound of the number of p-values.
"""

from __future__ import annotations

from collections import Counter

import literal_linear
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from tiers import SHARES

from dpbandits.core.streams import streams
from dpbandits.settings.linear import spectral_filter
from dpbandits.settings.linear.spectral_filter import filtered_mean

Floats = NDArray[np.float64]
Problem = tuple[Floats, NDArray[np.int64], Floats]
FALSE_ALARMS = 1e-3
P_VALUES = 60
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 8


def points_of(vectors: Floats, repeats: NDArray[np.int64], scalars: Floats) -> Floats:
    """Return the points themselves."""
    return np.repeat(vectors, repeats, axis=0) * scalars[:, None]


def random_problem(seed: int, repeats: list[int], d: int, outliers: int, size: float) -> Problem:
    """Return random vectors with normal scalars, the first ``outliers`` of each vector at ``size``."""
    random = np.random.default_rng(seed)
    scalars = [
        np.append(np.full(min(outliers, n), size), random.normal(size=max(0, n - outliers))) for n in repeats
    ]
    return random.normal(size=(len(repeats), d)), np.array(repeats), np.concatenate(scalars)


# Thresholds that remove a few points, many, and all but the last.
SMALL = {
    "one vector": (random_problem(1, [7], 1, 1, 6.0), 0.2),
    "two vectors": (random_problem(2, [4, 4], 2, 1, 5.0), 0.3),
    "three dimensions": (random_problem(3, [3, 2, 2, 2], 3, 1, 4.0), 0.15),
    "each once": (random_problem(4, [1] * 9, 4, 0, 0.0), 0.25),
    "moderate": (random_problem(5, [5, 4], 2, 1, 2.0), 0.1),
    "to the last point": (random_problem(6, [3, 3], 2, 0, 0.0), 0.0),
    "nothing": (random_problem(7, [3, 4], 2, 0, 0.0), 10.0),
    "two clusters": ((np.array([[1.0, 0.5]]), np.array([8]), np.array([0.0, 0, 0, 0, 0, 5, 5, 5.0])), 0.3),
    "far from the centre": (
        (np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([5, 4]), 50.0 + np.arange(9.0) + np.repeat([0, 3.0], [5, 4])),
        0.7,
    ),
}


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", SMALL)
# Without proposals 5 s of compiling, for a way that is otherwise taken almost never.
@pytest.mark.parametrize("proposals", [spectral_filter.PROPOSALS, pytest.param(0, marks=pytest.mark.slow)])
def test_survivors_have_the_printed_law(
    name: str, proposals: int, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every set of survivors has the probability that following all removals gives it."""
    (vectors, repeats, scalars), threshold = SMALL[name]
    law = literal_linear.exact_law(points_of(vectors, repeats, scalars), threshold)
    assert sum(law.values()) == pytest.approx(1.0)
    call = filtered_mean
    runs = 40_000 // share
    if proposals == 0:
        # The way without proposals, which is otherwise taken almost never, in Python: kernels keep constants.
        monkeypatch.setattr(spectral_filter, "PROPOSALS", 0)
        monkeypatch.setattr(spectral_filter, "_draw", spectral_filter._draw.py_func)
        call, runs = filtered_mean.py_func, 1500 // share
    found: Counter[tuple[int, ...]] = Counter()
    for state in streams(ROOT, f"{name} {proposals}", np.arange(runs)):
        mean, alive = call(state, vectors, repeats, scalars, threshold)
        left = tuple(np.flatnonzero(alive).tolist())
        found[left] += 1
    assert mean == pytest.approx(points_of(vectors, repeats, scalars)[list(left)].mean(axis=0), abs=1e-9)
    assert set(found) <= set(law)
    # Sets too rare for the chi-square approximation are one class.
    common = [left for left, chance in law.items() if chance * runs >= 10]
    expected = [law[left] * runs for left in common]
    observed = [found[left] for left in common]
    rest = runs - sum(expected)
    if rest >= 5:
        expected, observed = [*expected, rest], [*observed, runs - sum(observed)]
    if len(expected) > 1:
        expected = np.array(expected) * runs / np.sum(expected) if rest < 5 else expected
        observed = np.array(observed) * runs / np.sum(observed) if rest < 5 else observed
        assert stats.chisquare(observed, expected).pvalue > LEVEL


LARGE = {
    "constant": (random_problem(11, [40, 30, 30], 3, 4, 12.0), 0.5),
    "many vectors": (random_problem(12, [4] * 20, 5, 1, 8.0), 0.8),
    "huge": (random_problem(13, [50, 50], 2, 5, 1e8), 0.4),
}


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", LARGE)
def test_larger_samples_have_the_same_law(name: str, share: int) -> None:
    """Number and sum of the points left, and each coordinate of their mean, against the literal filter."""
    (vectors, repeats, scalars), threshold = LARGE[name]
    points = points_of(vectors, repeats, scalars)
    random = np.random.default_rng(99)
    literal, fast = [], []
    for state in streams(ROOT, name, np.arange(1500 // share)):
        mean, alive = filtered_mean(state, vectors, repeats, scalars, threshold)
        fast.append([alive.sum(), alive @ np.arange(alive.size), *mean])
    for _ in range(400 // share):
        mean, left = literal_linear.spectral_filter(points, threshold, random)
        literal.append([len(left), sum(left), *mean])
    for one, other in zip(np.array(literal).T[:4], np.array(fast).T[:4], strict=True):
        if np.ptp(one) > 0:
            assert stats.mannwhitneyu(one, other).pvalue > LEVEL
            assert stats.ks_2samp(one, other).pvalue > LEVEL


def test_number_of_p_values() -> None:
    assert 2 * len(SMALL) + 2 * 4 * len(LARGE) <= P_VALUES


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    repeats=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    d=st.integers(1, 8),
    outliers=st.integers(0, 9),
    size=st.sampled_from([0.0, 3.0, 1e3, 1e9, 1e100]),
    threshold=st.sampled_from([0.0, 0.05, 0.5, 3.0]),
)
def test_it_stops_at_the_threshold(
    seed: int, repeats: list[int], d: int, outliers: int, size: float, threshold: float
) -> None:
    """What is left has covariance below 4 lambda, and the mean returned; before the last removal it was not."""
    vectors, counts, scalars = random_problem(seed, repeats, d, outliers, size)
    state = streams(seed, "stops", np.arange(1))[0]
    mean, alive = filtered_mean(state, vectors, counts, scalars, threshold)
    points = points_of(vectors, counts, scalars)
    left = points[alive]
    assert len(left) >= 1
    centre, value, _ = literal_linear.leading_direction(left)
    scale = np.abs(left).max() + 1e-300
    assert mean == pytest.approx(centre, abs=1e-7 * scale)
    # Without any spread there is nothing left to remove by.
    assert value <= 4.0 * threshold * (1 + 1e-9) + 1e-9 * scale**2
    _, before, _ = literal_linear.leading_direction(points)
    if before > 1e-12 * np.abs(points).max() ** 2 and before != pytest.approx(4.0 * threshold):
        assert alive.all() == (before < 4.0 * threshold)


def test_precision_after_removing_what_is_huge() -> None:
    """10^5 points of size 1 are averaged exactly after 5 % of size 10^9 are gone."""
    random = np.random.default_rng(5)
    vectors = np.eye(4)
    repeats = np.full(4, 25_000)
    scalars = random.normal(size=100_000)
    bad = random.random(100_000) < 0.05
    scalars[bad] = 1e9
    state = streams(ROOT, "precision", np.arange(1))[0]
    mean, alive = filtered_mean(state, vectors, repeats, scalars, 1.0)
    assert not (alive & bad).any()
    assert mean == pytest.approx(points_of(vectors, repeats, scalars)[alive].mean(axis=0), abs=1e-12)


@pytest.mark.parametrize("scalars", [np.zeros(5), np.ones(5)])
def test_equal_points_have_no_law_to_remove_by(scalars: Floats) -> None:
    """With lambda = 0 the printed algorithm asks for a draw from scores that are all zero."""
    state = streams(ROOT, "equal", np.arange(1))[0]
    mean, alive = filtered_mean(state, np.ones((1, 2)), np.array([5]), scalars, 0.0)
    assert alive.all()
    assert mean.tolist() == [scalars[0]] * 2


def test_nothing_is_left_from_the_run_before() -> None:
    """The same stream gives the same survivors; its inputs are not written to."""
    vectors, repeats, scalars = random_problem(21, [30, 30], 2, 4, 9.0)
    kept = [vectors.copy(), repeats.copy(), scalars.copy()]
    one, two = (filtered_mean(streams(1, "x", np.arange(1))[0], vectors, repeats, scalars, 0.3) for _ in range(2))
    assert one[1].tobytes() == two[1].tobytes()
    assert one[0].tobytes() == two[0].tobytes()
    assert all((a == b).all() for a, b in zip(kept, (vectors, repeats, scalars), strict=True))
