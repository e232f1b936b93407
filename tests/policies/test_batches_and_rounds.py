"""Policies in batches, in rounds and in epochs, step by step: outputs are set, and indices are by another way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize
from stepped import made

from dpbandits.policies.adversarial.conversion import Conversion, WithoutPrivacy
from dpbandits.policies.full_information import leaders
from dpbandits.policies.stochastic import batches, indices, rounds
from dpbandits.policies.stochastic.batches import Batches

EPSILON = 0.8


def kl(p: float, q: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((p, q), (1.0 - p, 1.0 - q)) if a > 0.0)


def d_eps(x: float, y: float, epsilon: float) -> float:
    """Return the divergence under privacy by its definition, as a minimum that is searched."""
    between = optimize.minimize_scalar(
        lambda z: kl(z, y) + epsilon * abs(x - z), bounds=sorted((x, y)), method="bounded", options={"xatol": 1e-10}
    )
    return min(float(between.fun), kl(x, y), epsilon * abs(x - y))


@pytest.mark.parametrize(("x", "y"), [(0.2, 0.7), (0.7, 0.2), (0.45, 0.55), (0.05, 0.99), (0.99, 0.5)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_divergences_and_their_indices(x: float, y: float, epsilon: float) -> None:
    """Of both regimes: privacy is free for a large budget; an index has its level as its divergence."""
    assert indices.kl(x, y) == pytest.approx(kl(x, y))
    assert indices.d_eps(x, y, epsilon) == pytest.approx(d_eps(x, y, epsilon), rel=1e-6)
    level = min(0.03, indices.d_eps(x, 1.0, epsilon) / 2.0)
    found = indices.d_eps_index(x, level, epsilon)
    assert x < found < 1.0 and indices.d_eps(x, found, epsilon) == pytest.approx(level, rel=1e-6)
    q = -math.expm1(-indices.kl_index(x, level))
    assert x < q < 1.0 and kl(x, q) == pytest.approx(level, rel=1e-6)


def test_divergences_at_the_ends() -> None:
    for p in (0.0, 0.3, 1.0):
        assert indices.kl(p, p) == indices.d_eps(p, p, 1.0) == 0.0
    assert indices.kl(0.3, 0.0) == indices.kl(0.3, 1.0) == math.inf
    assert indices.kl(0.0, 0.25) == pytest.approx(-math.log(0.75)) == indices.kl(1.0, 0.75)
    # Against certainty all of the way is paid for, at epsilon each.
    assert indices.d_eps(0.25, 1.0, 0.8) == pytest.approx(0.6) == indices.d_eps(0.75, 0.0, 0.8)
    assert indices.d_eps_index(0.25, 0.375, 0.5) == 1.0 > indices.d_eps_index(0.25, 0.3749, 0.5)
    assert indices.kl_index(1.0, 0.1) == math.inf and indices.kl_index(0.0, 0.1) == pytest.approx(0.1)
    # Beyond the first guess, 1 more than the mean's own number.
    assert indices.kl_index(0.0, 9.0) == pytest.approx(9.0)


def sizes(policy: Batches, number: int) -> list[int]:
    return [policy.size(m) for m in range(number)]


def test_sizes_of_batches() -> None:
    """Sums are n0 (alpha^(m+1) - 1)/(alpha - 1), rounded up: 3, 6, 10 for n0 = 3 and 1.1; or powers."""
    policy, *_ = made(batches.DpImed, 2, epsilon=EPSILON, n0=3, alpha=1.1)
    assert np.cumsum(sizes(policy, 5)).tolist() == [3, 7, 10, 14, 19]
    policy, *_ = made(batches.DpKlucb, 2, epsilon=EPSILON, n0=1, alpha=2.0)
    assert sizes(policy, 5) == [1, 2, 4, 8, 16]
    policy, *_ = made(batches.DpImedPolynomial, 2, epsilon=EPSILON, n0=3, degree=2)
    assert sizes(policy, 4) == [3, 12, 27, 48]
    for maker in (batches.DpImedLongStart, batches.DpKlucbLongStart):
        policy, *_ = made(maker, 2, epsilon=EPSILON, first=10.0, alpha=2.0)
        # 10/0.8 = 12.5 rounded up.
        assert sizes(policy, 3) == [13, 26, 52]


def test_indices_of_batches() -> None:
    """DP-KLUCB's has the level log t/n; DP-IMED's has log n, or more by a weight."""
    policy, *_ = made(batches.DpKlucb, 2, epsilon=EPSILON, n0=1, alpha=2.0)
    policy.t = 99
    assert d_eps(0.3, policy.index(0.3, 40, 0.9), EPSILON) == pytest.approx(math.log(100.0) / 40, rel=1e-6)
    expected = 40 * d_eps(0.3, 0.9, EPSILON)
    for maker, more, weight in (
        (batches.DpImed, {"n0": 1, "alpha": 2.0}, 1.0),
        (batches.ForgettingDpImed, {"n0": 1, "alpha": 2.0}, 1.0),
        (batches.DpImedPolynomial, {"n0": 1, "degree": 2}, 1.0),
        (batches.DpImedTradeoff, {"n0": 1, "alpha": 2.0, "kappa": 0.5}, 1.5),
    ):
        policy, *_ = made(maker, 2, epsilon=EPSILON, **more)
        assert policy.index(0.3, 40, 0.9) == pytest.approx(-expected - weight * math.log(40.0), rel=1e-6)


@pytest.mark.parametrize("maker", [batches.DpImed, batches.ForgettingDpImed])
def test_batches_release_their_own_sums(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of both arms once, then of the one with the larger index; the noise of a sum is 1/epsilon."""
    policy, released, outputs = made(maker, 2, epsilon=EPSILON, n0=2, alpha=2.0)
    asked: list[tuple[float, int, float]] = []
    monkeypatch.setattr(policy, "index", lambda *given: asked.append(given) or given[0])
    first, second = policy.first
    # Clipped to means of 1 and 0.25; then 4 rewards more.
    outputs += [9.0, 0.5, 3.0]
    played = []
    for _ in range(9):
        played.append(policy.decide())
        policy.learn(played[-1], 0.5)
    assert played == [first, first, second, second, *[first] * 4, first]
    assert released == [
        (total, pytest.approx(1.25), 1.0, arm, size)
        for total, arm, size in ((1.0, first, 2), (1.0, second, 2), (2.0, first, 4))
    ]
    # 9 + 3 of 6 rewards is clipped to 1; forgetting, 3 of 4.
    if maker is batches.DpImed:
        assert (policy.S[first], policy.n[first]) == (12.0, 6)
        expected = [(1.0, 2, 1.0), (0.25, 2, 1.0), (1.0, 6, 1.0), (0.25, 2, 1.0)]
    else:
        assert (policy.S[first], policy.n[first]) == (3.0, 4)
        expected = [(1.0, 2, 1.0), (0.25, 2, 1.0), (0.75, 4, 0.75), (0.25, 2, 0.75)]
    order = sorted((first, second)) == [first, second]
    pairs = [expected[i : i + 2] if order else expected[i : i + 2][::-1] for i in (0, 2)]
    assert asked == [one for pair in pairs for one in pair]
    assert policy.m[first] == 1 and policy.left == 7 and policy.B == 8


class Beta:
    """A generator whose draws from Beta laws are their means; the parameters are kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, float]] = []

    def beta(self, a: float, b: float) -> float:
        self.asked.append((a, b))
        return a / (a + b)

    def permutation(self, number: int) -> range:
        return range(number)


def test_lazy_dp_ts_draws_from_optimistic_posteriors() -> None:
    """A mean of n rewards is raised by offset log t/(epsilon n), and clipped, before its Beta law is drawn from."""
    policy, *_ = made(rounds.LazyDpTs, 3, epsilon=EPSILON, offset=0.4)
    policy.first, policy.t, policy.rng = [], 19, Beta()
    policy.mu, policy.n = [0.3, 0.9, -2.0], [8, 2, 16]
    assert policy.decide() == 1
    m = 0.3 + 0.4 * math.log(20.0) / (EPSILON * 8)
    expected = [(8 * m + 1, 8 * (1 - m) + 1), (3.0, 1.0), (1.0, 17.0)]
    assert policy.rng.asked == [pytest.approx(pair) for pair in expected]


def test_lazy_dp_ts_releases_when_a_count_doubles() -> None:
    """After 1, 2, 4 and 8 rewards more: noise of scale 1/epsilon on their sum, which their number divides."""
    policy, released, outputs = made(rounds.LazyDpTs, 2, epsilon=EPSILON, offset=0.4)
    outputs += [0.5, 3.0, 1.0, -4.0]
    told = []
    for _ in range(15):
        policy.learn(1, 0.25)
        told.append((policy.n[1], policy.mu[1]))
    assert released == [(0.25 * size, pytest.approx(1.25), 1.0, 1, size) for size in (1, 2, 4, 8)]
    assert told == [*[(1, 0.5)] * 2, *[(2, 1.5)] * 4, *[(4, 0.25)] * 8, (8, -0.5)]
    assert (policy.total[1], policy.done[1], policy.size[1], policy.n[0]) == (0.0, 0, 16, 0)


def test_indices_without_privacy() -> None:
    for maker in (rounds.Imed, rounds.KlUcb):
        policy, *_ = made(maker, 2)
        policy.S, policy.counts, policy.t = [6.0, 1.0], [8, 4], 11
        if maker is rounds.Imed:
            expected = [-math.log(8.0), -4 * kl(0.25, 0.75) - math.log(4.0)]
            assert policy.indices() == pytest.approx(expected)
        else:
            for mean, n, v in zip((0.75, 0.25), (8, 4), policy.indices(), strict=True):
                assert n * kl(mean, -math.expm1(-v)) == pytest.approx(math.log(12.0), rel=1e-6)
        policy.first = []
        policy.learn(1, 0.5)
        assert policy.S == [6.0, 1.5]


class NoNoise:
    """Noise that is none; what is asked of it is kept."""

    law = "laplace"

    def __init__(self) -> None:
        self.asked: list[tuple[float, float, float]] = []

    def add(self, _: Any, value: float, scale: float, sensitivity: float) -> tuple[float, float]:
        self.asked.append((value, scale, sensitivity))
        return value, 0.0


def test_the_leader_of_each_epoch() -> None:
    """Epochs of 1, 2 and 4 rounds; the smallest sum of the epoch before leads; an entry is of one epoch."""
    policy: Any = leaders.Laplace(2, np.random.default_rng(1), epsilon=EPSILON, resampling=0, scale=2.5)
    policy.noise = noise = NoNoise()
    entries: list[tuple[Any, ...]] = []
    policy.record_release = lambda *given: entries.append(given)
    played = []
    for losses in ([0.2, 0.6], [0.9, 0.1], [0.9, 0.4], *[[0.25, 0.5]] * 4, [1.0, 0.0]):
        played.append(policy.decide())
        policy.t += 1
        policy.learn(0, losses)
    assert played[1:] == [0, 0, 1, 1, 1, 1, 0]
    sums = [-0.2, -0.6, -1.8, -0.5, -1.0, -2.0]
    assert noise.asked == [(pytest.approx(value), 2.5, 1.0) for value in sums]
    assert entries == [(None, t, length, "laplace", 2.5, 1.0, 0.8) for t, length in ((1, 1), (3, 2), (7, 4))]
    assert policy.left == 7 and policy.length == 8


def test_resampled_losses_are_coins() -> None:
    """But 0 and 1 are what they are, and without resampling a loss is."""
    policy: Any = leaders.Laplace(3, np.random.default_rng(1), epsilon=EPSILON, resampling=1, scale=2.5)
    policy.left = 4001
    for _ in range(4000):
        policy.learn(0, [0.0, 0.25, 1.0])
    zeros, quarters, ones = policy.G
    assert (zeros, ones) == (0.0, 4000.0) and quarters == int(quarters)
    # Six standard deviations.
    assert abs(quarters - 1000.0) < 6.0 * math.sqrt(4000 * 0.25 * 0.75)


def test_random_phases_have_their_lengths() -> None:
    """Epoch k has ceil(ratio^(k + phase)) rounds, the phase in [0, 1); no epoch is longer than doubles count."""
    firsts = set()
    for seed in range(20):
        policy = leaders.RandomPhase(
            2, np.random.default_rng(seed), epsilon=EPSILON, resampling=0, scale=2.5, ratio=3.0
        )
        size = policy.size
        assert 1.0 <= size < 3.0 and policy.length == policy.left == math.ceil(size)
        firsts.add(size)
        assert [policy.next_length() for _ in range(3)] == [math.ceil(size * 3**k) for k in (1, 2, 3)]
    assert len(firsts) == 20 and min(firsts) < 1.5 and max(firsts) > 2.0
    policy.size = 2.0**51.5
    assert policy.next_length() == policy.next_length() == 2**52


class Told:
    """A base that plays arms in turn, and keeps what it is told."""

    def __init__(self) -> None:
        self.decisions, self.told = 0, list[tuple[int, float]]()

    def act(self) -> int:
        self.decisions += 1
        return (self.decisions - 1) % 2

    def learn(self, action: int, loss: float) -> None:
        self.told.append((action, loss))


def test_a_conversion_passes_noisy_means_of_batches() -> None:
    """Of tau = 4 rounds of one action; the noise's scale is 1/(tau epsilon)."""
    policy, released, outputs = made(Conversion, 2, base="exp3", epsilon=EPSILON, tau=4, eta=0.1, gamma=0.1)
    policy.base = base = Told()
    outputs += [0.9, -2.0]
    played = []
    for t in range(9):
        played.append(policy.decide())
        policy.learn(played[-1], 0.1 * t)
    assert played == [0] * 4 + [1] * 4 + [0] and base.told == [(0, 0.9), (1, -2.0)]
    assert released == [
        (pytest.approx(mean), pytest.approx(1.0 / 3.2), 0.25, arm, 4) for mean, arm in ((0.15, 0), (0.55, 1))
    ]
    plain, released, _ = made(WithoutPrivacy, 2, base="exp3", eta=0.1, gamma=0.1)
    plain.base = base = Told()
    assert [plain.decide(), plain.decide()] == [0, 1]
    plain.learn(1, 0.7)
    assert base.told == [(1, 0.7)] and not released
