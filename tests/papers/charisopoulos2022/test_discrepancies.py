"""What the register of discrepancies says of charisopoulos2022: printed and repaired, side by side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.runs.job import make_job, run
from dpbandits.settings.linear.design import approximate_design, support_bound
from dpbandits.settings.linear.elimination import (
    M1,
    Batch,
    Rules,
    eliminate,
    known_threshold,
    no_filter,
    printed_threshold,
    pulls_m1,
    pulls_m2,
)
from dpbandits.settings.linear.environments import actions, sphere
from dpbandits.settings.linear.problem import Bandit, mean_reports, single_reports
from dpbandits.settings.linear.spectral_filter import filtered_mean
from dpbandits.settings.linear.theory import (
    derived_width_m1,
    printed_width_m1,
    printed_width_m2,
    proposition_2_1,
    theorem_3_9,
)


def batch_on(vectors: NDArray[Any], scalars: NDArray[Any]) -> Batch:
    """Return what is known of a batch on whitened actions."""
    reach = float((vectors**2).sum(axis=1).max())
    return Batch(1, vectors.shape[1], len(vectors), scalars.size, 1, reach, 0.0, 2.0)


def whitened(points: NDArray[Any], repeats: NDArray[Any]) -> NDArray[Any]:
    """Return M^(-1/2) a for the actions a of a batch."""
    root = np.linalg.cholesky((points.T * repeats) @ points)
    return np.ascontiguousarray(np.linalg.solve(root, points.T).T)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.0, 3.0, 1e3, 1e8]), st.floats(0.0, 0.9))
def test_the_printed_threshold_never_removes_a_point(seed: int, d: int, size: float, share: float) -> None:
    """Line 7: whatever is received, no eigenvalue of the covariance exceeds its trace, which is at most lambda."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(d + 4, d))
    repeats = random.integers(1, 30, d + 4)
    vectors = whitened(points, repeats)
    scalars = random.normal(size=repeats.sum())
    scalars[random.random(scalars.size) < share] = size
    batch = batch_on(vectors, scalars)
    state = streams(seed, "printed", np.arange(1))[0]
    _, alive = filtered_mean(state, vectors, repeats, scalars, printed_threshold(batch, scalars))
    assert alive.all()


def test_the_known_threshold_removes_outliers() -> None:
    """... where the threshold from known scales removes the outliers, and leaves clean points alone."""
    random = np.random.default_rng(1)
    points, repeats = random.normal(size=(12, 5)), np.full(12, 500)
    vectors = whitened(points, repeats)
    clean = random.normal(size=6000)
    bad = random.random(6000) < 0.1
    received = np.where(bad, 1000.0, clean)
    for scalars, expected in ((clean, 0), (received, bad.sum())):
        state = streams(1, "known", np.arange(1))[0]
        threshold = known_threshold(batch_on(vectors, scalars), scalars)
        _, alive = filtered_mean(state, vectors, repeats, scalars, threshold)
        assert (~alive).sum() == pytest.approx(expected, abs=30)
        assert not (alive & bad).any() or expected == 0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_clean_covariance_is_below_the_known_threshold_and_far_below_the_printed(seed: int, d: int) -> None:
    """Sum of x x^T is the identity, so the covariance is at most max r^2 / n, up to 2 d times below line 7's."""
    random = np.random.default_rng(seed)
    design = approximate_design(random.normal(size=(50, d)))
    repeats = np.ceil(1000 * design.weights).astype(np.int64)
    vectors = whitened(design.coordinates[design.arms], repeats)
    scalars = random.uniform(-1, 1, repeats.sum())
    points = np.repeat(vectors, repeats, axis=0) * scalars[:, None]
    top = np.linalg.eigvalsh(np.cov(points.T, bias=True).reshape(d, d))[-1]
    assert top <= 1.0 / scalars.size
    assert printed_threshold(batch_on(vectors, scalars), scalars) >= top


# The best action (0.8, 0.5) lies inside the ellipse through the others: no design plays it.
INSIDE = {
    "actions": [[1.0, 0.0], [0.0, 1.0], [-0.7071, 0.7071], [0.8, 0.5]],
    "theta": [0.7, 0.7],
    "noise": {"kind": "uniform", "width": 1e-3},
}


# Streams of 20 runs.
STATES = streams(5, "discrepancies", np.arange(20))


def bandit_of(given: dict[str, Any], T: int, place: Any = actions) -> Bandit:
    complete = place.ENVIRONMENT.check(given)
    return place.ENVIRONMENT.problem(complete, place.ENVIRONMENT.tuning(complete, T, 1.0))


def eliminated(bandit: Bandit, T: int, **rules: Any) -> Runs:
    """Return 20 runs by some rules."""
    runs = bandit.runs(STATES.copy(), np.array([T]))
    eliminate(runs, bandit, Rules(**rules))
    return runs


@pytest.mark.parametrize(("support_only", "found"), [(True, 0), (False, 20)])
def test_line_10_drops_the_best_action_if_the_coreset_lacks_it(support_only: bool, found: int) -> None:
    """With hardly any noise: compared over the coreset alone, the best action is never played at all."""
    bandit = bandit_of(INSIDE, 10_000)
    assert bandit.means.argmax() == 3
    assert 3 not in approximate_design(bandit.actions).arms
    runs = eliminated(
        bandit,
        10_000,
        batches=range(1, 10),
        pulls=pulls_m1(10_000**0.1),
        width=lambda _: 0.01,
        threshold=no_filter,
        model=M1,
        support_only=support_only,
    )
    assert (runs.pulls.argmax(axis=1) == 3).sum() == found
    assert (runs.pulls[:, 3] > 0).sum() == found


def test_every_exact_design_may_lack_the_best_action() -> None:
    """Of e_1 to e_d and one action within the exact design is uniform on e_1 to e_d; its matrix is unique."""
    for d in (3, 10):
        best = np.r_[0.8, 0.5, np.zeros(d - 2)]
        # An exact design's support has norm d in its inverse matrix, d I, and no action has more.
        assert best @ (d * np.eye(d)) @ best < d
        theta = np.r_[0.7, 0.7, np.zeros(d - 2)]
        assert best @ theta - max(theta) == pytest.approx(0.21)


def test_line_12_too_looks_in_a_coreset() -> None:
    """Even if all actions survive, the best estimate is sought in a coreset, which may lack the best action."""
    bandit = bandit_of(INSIDE, 10_000)
    width = {
        "width": lambda _: 10.0,
        "threshold": no_filter,
        "batches": range(1, 10),
        "pulls": pulls_m1(10_000**0.1),
    }
    assert not eliminated(bandit, 10_000, **width, support_only=True).pulls[:, 3].any()
    # Repaired: the last batch's estimates choose among all.
    assert (eliminated(bandit, 10_000, **width).pulls.argmax(axis=1) == 3).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_laplace_noise_of_scale_2_over_epsilon_needs_rewards_in_an_interval_of_length_2(epsilon: float) -> None:
    """Eq. 15: the largest log-ratio of a report's densities under two rewards is their distance by the scale."""
    x = np.linspace(-50.0, 50.0, 2001)

    def loss(r: float, s: float, scale: float) -> float:
        return float(np.abs(stats.laplace.logpdf(x, r, scale) - stats.laplace.logpdf(x, s, scale)).max())

    assert loss(-1.0, 1.0, 2.0 / epsilon) == pytest.approx(epsilon)
    # Normal rewards of mean 0.5 exceed 3 once in 160 rounds; eq. 1 allows them.
    assert loss(-1.0, 3.0, 2.0 / epsilon) == pytest.approx(2.0 * epsilon)
    for clip in (1.0, 5.0):
        worst = loss(*np.clip([-100.0, 100.0], -clip, clip), 2.0 * clip / epsilon)
        assert worst == pytest.approx(epsilon)


def test_reports_are_clipped_before_they_are_noised() -> None:
    """The repair: however large a reward that an adversary plants, the report is bounded but for its noise."""
    corruption = {"probability": 0.24, "attack": "constant", "size": 1e9, "of": "rewards"}
    bandit = bandit_of({**INSIDE, "noise": {"kind": "gaussian", "sigma": 1.0}, "corruption": corruption}, 100)
    arms, pulls = np.array([0, 1]), np.array([30, 30])
    for state in STATES.copy():
        for draw in (single_reports, mean_reports):
            assert np.abs(draw(state, bandit, arms, pulls, 0 * pulls, 5.0, 0.0, 1.0)).max() <= 5.0


@pytest.mark.parametrize(("d", "alpha"), [(10, 0.001), (10, 0.1), (100, 1e-4), (100, 0.01), (1000, 1e-4)])
def test_gamma_is_smaller_than_the_width_that_its_proof_derives(d: int, alpha: float) -> None:
    """Eq. 50 has d sqrt(alpha) where line 9 and Theorem 3.4 have sqrt(alpha d) + alpha d."""
    n, epsilon, delta = 1e12, 1.0, 1e-12
    quotient = derived_width_m1(d, n, alpha, epsilon, delta) / printed_width_m1(d, n, alpha, epsilon, delta)
    assert quotient == pytest.approx(math.sqrt(d) / (1.0 + math.sqrt(alpha * d)), rel=0.1)
    assert quotient > 1.5


def test_proposition_2_1_prints_a_sum_for_a_product() -> None:
    """Eq. 44 has reach |y| sqrt(alpha log(1/delta)); eq. 14 has reach |y| + sqrt(alpha log(1/delta))."""
    reach, n, square, alpha, delta = 2e-4, 1e5, 1.0, 0.01, 1e-6
    length, log = math.sqrt(n * square), math.log(1e6)
    product = reach * length * math.sqrt(alpha * log)
    first = reach * math.sqrt(n) * length * math.sqrt(alpha + log / n)
    printed = proposition_2_1(reach, n, square, 0.0, alpha, delta) - first - alpha
    assert printed == pytest.approx(reach * length + math.sqrt(alpha * log))
    assert printed > 10 * product


@pytest.mark.parametrize("B", [10, 12])
def test_batches_of_m2_can_exceed_the_horizon(B: int) -> None:
    """Line 2 has q = T^(1/B), so that q^B alone is T, but eq. 58 has q + ... + q^B = T / (1 + nu d log log d)."""
    T, nu = 10**5, 0.2
    q = T ** (1.0 / B)
    assert sum(q**i for i in range(1, B + 1)) > T > T / (1.0 + nu * support_bound(10))
    design = approximate_design(bandit_of({"arms": 300, "dimension": 10}, T, place=sphere).actions)
    played = sum(int(pulls_m2(q, nu)(i, design).sum()) for i in range(1, B))
    repaired = (T / (1.0 + nu * support_bound(10))) ** (1.0 / B)
    enough = sum(int(pulls_m2(repaired, nu)(i, design).sum()) for i in range(1, B))
    assert played > T > enough


def test_too_many_batches_exceed_the_horizon() -> None:
    """The proof of Theorem 3.4 wants B >= log T; beyond log2 T the batches before the last sum to more than T."""
    T = 10**6
    for B, fits in ((14, True), (19, True), (20, False), (40, False)):
        q = T ** (1.0 / B)
        assert (sum(q**i for i in range(1, B)) <= T) == fits
    job = {"arms": 10, "dimension": 3, "kind": "sphere"}
    with pytest.raises(BadInput, match=r"parameters\.B: 20 .*<= log2 T"):
        make_job("robust-elimination-m1", {"B": 20}, job, 1.0, T, 1, 0)
    assert make_job("robust-elimination-m1", {}, job, 1.0, T, 1, 0).parameters["B"] == 14


def test_under_m2_every_report_is_corrupted() -> None:
    """Eq. 3 replaces rewards; a mean of n of them is clean with probability (1 - alpha)^n, not 1 - alpha."""
    bounds = {theorem_3_9(1e5, 10, 0.05, 1.0, 1e-13, 0.02)}
    for size in (10.0, 1e6):
        corruption = {"probability": 0.05, "attack": "constant", "size": size, "of": "rewards"}
        bandit = bandit_of({"arms": 50, "dimension": 10, "corruption": corruption}, 10**5, place=sphere)
        arms, pulls = np.arange(20), np.full(20, 2000)
        state = STATES[0].copy()
        printed = mean_reports(state, bandit, arms, pulls, 0 * pulls, math.inf, 0.0, 1.0) - bandit.means[:20]
        # All are off by about alpha size, and no filter can tell which are clean: none is.
        assert printed == pytest.approx(np.full(20, 0.05 * size), rel=0.6, abs=0.2)
        assert (printed > 0.02 * size).all()
        clipped = mean_reports(state, bandit, arms, pulls, 0 * pulls, 1.0, 0.0, 1.0) - bandit.means[:20]
        assert np.abs(clipped).max() < 0.05 * 2 + 0.12
        bounds.add(theorem_3_9(1e5, 10, 0.05, 1.0, 1e-13, 0.02))
    # The theorem's bound does not know the size.
    assert len(bounds) == 1


def test_ceilings_break_lemma_3_2() -> None:
    """max ||a||^2 <= 2 d / q^i holds for n_a = ceil(q^i pi(a)); with n, the number of plays, it may not."""
    points = np.array([[1.0], [0.1], [0.1]])
    weights = np.array([0.5, 0.25, 0.25])
    assert (points**2 / (weights @ points**2)).max() <= 2.0
    size = 2.0
    counts = np.ceil(size * weights)
    largest = (points**2 / (counts @ points**2)).max()
    assert largest > 2.0 / counts.sum()
    assert largest <= 2.0 / size


def test_assumption_a1_fails_in_early_batches_and_under_m2() -> None:
    """alpha of at least log(1/delta) / n: impossible for n = q^i below 4 log(1/delta), or n = k of the support."""
    for T, K, d in ((10**4, 10, 2), (10**6, 1000, 10), (10**9, 10**5, 50)):
        log = math.log(K * T**2)
        q = T ** (1.0 / math.ceil(math.log(T)))
        assert [log / q**i > 0.25 for i in (1, 2, 3)] == [True] * 3
        # The support that is used is smaller still than its bound.
        if d <= 10:
            assert log / support_bound(d) > 0.25


def test_alpha_never_exceeds_d() -> None:
    """After Theorem 1.3: the two terms change places at alpha = 1/d; alpha >= d cannot be, as alpha < 1/4."""
    for d in (1, 2, 5, 50):
        for alpha in (1e-4, 0.01, 0.1, 0.2499):
            assert alpha < d
            assert (alpha * d > math.sqrt(alpha * d)) == (alpha > 1 / d)


def test_the_gain_on_bogunovic_is_sqrt_d_only_for_alpha_above_1_over_d() -> None:
    """Section 1.1: alpha d^(3/2) by max{sqrt(alpha d), alpha d} is sqrt(alpha) d below, and a loss below 1/d^2."""
    for d in (4, 16, 100):
        for alpha in (0.1 / d**2, 0.3 / d, 0.24):
            gain = alpha * d**1.5 / max(math.sqrt(alpha * d), alpha * d)
            assert (gain >= math.sqrt(d) * (1 - 1e-12)) == (alpha >= 1 / d)
            assert (gain < 1) == (alpha < 1 / d**2)


@pytest.mark.parametrize("k", [10, 50, 250])
def test_lemma_3_8_lacks_the_root_of_the_support(k: int) -> None:
    """Eq. 23 bounds the length of k reports by a number that does not grow with k; its proof has sqrt(k)."""
    vectors = np.hstack([np.full((k, 1), 0.8), 0.6 * np.eye(k)])
    theta = np.eye(k + 1)[0]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)
    design = approximate_design(vectors)
    assert design.arms.size == k
    length = np.linalg.norm(vectors[design.arms] @ theta)
    assert length == pytest.approx(0.8 * math.sqrt(k))
    # Without noise (m large) the right side of eq. 23 is 1, up to a constant that may not depend on k.
    pulls, log = 1e12, math.log(k / 0.01)
    assert 1.0 + math.sqrt(log / pulls) + log / pulls == pytest.approx(1.0, abs=1e-3)


def test_a_design_needs_all_actions_read() -> None:
    """Definition 1.6 promises a design in time O(d log log d): but one action among K changes it."""
    random = np.random.default_rng(3)
    many = 0.1 * random.uniform(-1, 1, (1000, 4))
    for place in (0, 567, 999):
        one = many.copy()
        one[place] = [1.0, 0.0, 0.0, 0.0]
        design = approximate_design(one)
        assert place in design.arms
        assert place not in approximate_design(many).arms


def test_two_things_are_called_theta_g0() -> None:
    """Eq. 12 has the sum of M^-1 a y; eq. 25 needs the mean of M^(-1/2) a y, or it has no covariance."""
    random = np.random.default_rng(4)
    points = random.normal(size=(200, 3))
    y = points @ [3.0, 0.0, 0.0] + random.normal(size=200)
    inverse = np.linalg.inv(points.T @ points)
    values, axes = np.linalg.eigh(inverse)
    moved = points @ (axes * np.sqrt(values)) @ axes.T * y[:, None]
    second, mean = moved.T @ moved / 200, moved.mean(axis=0)
    assert second - np.outer(mean, mean) == pytest.approx(np.cov(moved.T, bias=True))
    printed = inverse @ points.T @ y
    # No covariance: some direction would have a variance of about -9.
    assert np.linalg.eigvalsh(second - np.outer(printed, printed))[0] < -8.0


def test_the_chernoff_bound_of_lemma_a3_lacks_its_constant() -> None:
    """Eq. 30: the probability that |S - n alpha| >= sqrt(n alpha log(1/delta)) can exceed delta."""
    n, alpha, delta = 10_000, 0.05, 0.01
    away = math.sqrt(n * alpha * math.log(1 / delta))
    binomial = stats.binom(n, alpha)
    assert binomial.sf(math.ceil(n * alpha + away) - 1) + binomial.cdf(math.floor(n * alpha - away)) > 2 * delta


def test_gamma_drops_nothing_without_a_factor() -> None:
    """At T = 10^6, d = 10, alpha = 0.05 gamma exceeds 1 in every batch: 2 gamma exceeds the largest gap, 2."""
    T, d, delta, nu = 1e6, 10, 1e-15, 1 / 49
    q = T ** (1 / 14)
    for i in range(1, 14):
        assert printed_width_m1(d, q**i, 0.05, 1.0, delta) > 1.0
        assert printed_width_m2(d, 13, q**i, 0.05, 1.0, delta, nu) > 1.0
    given = {
        "kind": "sphere",
        "arms": 200,
        "dimension": 4,
        "corruption": {"probability": 0.05, "attack": "constant", "size": 30, "of": "reports"},
    }
    for name in ("robust-elimination-m1", "robust-elimination-m2"):
        regret = [
            run(make_job(name, {"factor": factor}, given, 4.0, 10**5, 1, 0), range(4)).regret.mean()
            for factor in (10.0, 0.2)
        ]
        assert regret[1] < 0.8 * regret[0]


def test_open_constants_are_parameters() -> None:
    """Constants that sources leave open can be set, and have the defaults that the register names."""
    tuning = sphere.ENVIRONMENT.tuning(sphere.ENVIRONMENT.check({"arms": 5, "dimension": 3}), 100, 1.0)
    for name, parameter, default in (
        ("robust-phased-elimination", "delta", 1 / (5 * 100**2)),
        ("robust-elimination-m1", "delta", 1 / (5 * 100**2)),
        ("robust-elimination-m1", "clip", 1.0),
        ("robust-elimination-m1", "factor", 0.2),
        ("robust-elimination-m1-printed", "factor", 1.0),
        ("robust-elimination-m2", "nu", 1 / support_bound(3)),
    ):
        assert registry.algorithm(name).resolve({}, tuning).values[parameter] == pytest.approx(default)
