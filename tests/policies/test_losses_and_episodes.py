"""Policies that learn from losses or in episodes, step by step: outputs are set, and formulas are by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize
from stepped import made

from dpbandits.policies.adversarial import bases
from dpbandits.policies.adversarial.local import AgarwalSingh, DpExp3Lap
from dpbandits.policies.stochastic.episodes import AdapKlucb, AdapUcb, LastingAdapKlucb


class Scripted:
    """A generator whose Laplace numbers are set; what is asked of it is kept."""

    def __init__(self, *numbers: float) -> None:
        self.numbers, self.scales = list(numbers), set[float]()

    def laplace(self, centre: float, scale: float) -> float:
        assert centre == 0.0
        self.scales.add(scale)
        return self.numbers.pop(0)


LOG_W = [0.3, -800.0, 0.3 - math.log(3.0)]


def test_probabilities_of_weights() -> None:
    """3/4, 0 and 1/4, mixed with a fifth of uniform play; huge logarithms are no overflow."""
    assert bases.softmax(LOG_W) == pytest.approx([0.75, 0.0, 0.25])
    assert bases.mixed_with_uniform(LOG_W, 0.2) == pytest.approx([0.6 + 0.2 / 3, 0.2 / 3, 0.2 + 0.2 / 3])
    assert bases.softmax([1000.0, 1000.0]) == [0.5, 0.5]


def test_exp3_divides_a_loss_by_its_probability() -> None:
    base = bases.Exp3(3, np.random.default_rng(1), eta=0.5, gamma=0.2)
    base.log_w = list(LOG_W)
    drawn = base.act()
    assert pytest.approx([0.6 + 0.2 / 3, 0.2 / 3, 0.2 + 0.2 / 3]) == base.P and drawn != 1
    base.learn(2, -3.0)
    assert base.log_w == pytest.approx([LOG_W[0], LOG_W[1], LOG_W[2] + 0.5 * 3.0 / (0.2 + 0.2 / 3)])


@pytest.mark.parametrize("excess", [[0.0], [0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 1e9], [0.0, 0.3, 2.5, 0.01]])
def test_the_multiplier_makes_probabilities_sum_to_1(excess: list[float]) -> None:
    y = bases.htinf_multiplier(excess)
    assert sum((x + y) ** -2 for x in excess) == pytest.approx(1.0, abs=1e-12)
    assert 1.0 <= y <= math.sqrt(len(excess))


def test_htinf_by_another_root() -> None:
    """In its third decision, with losses of both signs."""
    base = bases.Htinf(3, np.random.default_rng(1), sigma=2.0)
    base.L, base.decision = [4.0, -1.0, 0.5], 2
    base.act()
    eta = 1.0 / (2.0 * math.sqrt(3.0))
    z = optimize.brentq(lambda z: sum((eta * (L - z)) ** -2 for L in base.L) - 1.0, -100.0, -1.0001)
    assert base.x == pytest.approx([(eta * (L - z)) ** -2 for L in base.L], rel=1e-6)
    # Losses up to r are learned from, whatever their sign.
    r = (1.0 - 0.5 ** (1.0 / 3.0)) * 2.0 * math.sqrt(3.0 * base.x[0])
    for loss, learned in ((0.999 * r, True), (-0.999 * r, True), (1.001 * r, False), (-1.001 * r, False)):
        base.L = [4.0, -1.0, 0.5]
        base.learn(0, loss)
        assert [pytest.approx(4.0 + loss / base.x[0] if learned else 4.0), -1.0, 0.5] == base.L


@pytest.mark.parametrize(
    ("printed", "noise", "weight"),
    [
        # Losses are 1 and 2. Perturbed, arm 1 is the smaller one in the first, the second, the third or no turn.
        (False, [0.0, -2.0], 1),
        (False, [0.0, 0.0, 1.5, 0.0], 2),
        (False, [0.0, 0.0, 0.0, 0.0, 0.0, -1.5], 3),
        (False, [0.0] * 6, 3),
        # As printed it has to be the larger one; where it never is, the weight is 0.
        (True, [0.0, 0.0], 1),
        (True, [0.0, -2.0, 0.0, 0.0], 2),
        (True, [0.0, -2.0] * 3, 0),
    ],
)
def test_an_importance_weight_is_the_number_of_turns(printed: bool, noise: list[float], weight: int) -> None:
    rng: Any = Scripted(*noise)
    base = (bases.FtplPrinted if printed else bases.Ftpl)(2, rng, eta=0.25, resampling=3)
    base.L = [1.0, 2.0]
    base.learn(1, 0.5)
    assert [1.0, 2.0 + 0.5 * weight] == base.L
    assert not rng.numbers and rng.scales == {4.0}


def test_the_leader_is_the_smallest_perturbed_loss() -> None:
    """At a learning rate of 0 losses do not count, and noise has scale 1."""
    for eta, noise, leader, scale in ((0.5, [5.0, 0.0, 3.5], 2, 2.0), (0.0, [0.0, -1.0, 1.0], 1, 1.0)):
        rng: Any = Scripted(*noise)
        base = bases.Ftpl(3, rng, eta=eta, resampling=3)
        base.L = [1.0, 9.0, 2.0]
        assert base.act() == leader
        assert rng.scales == {scale}


EPSILON = 0.8


@pytest.mark.parametrize(
    ("noised", "learned"),
    [(-2.0, True), (-2.001, False), (3.0, True), (3.001, False), (0.5, True), (math.nan, False)],
)
def test_dp_exp3_lap_learns_from_gains_within_its_limits(noised: float, learned: bool) -> None:
    """Limits -2 and 3 count; a gain is scaled to [0, 1], and divided by K and its probability."""
    policy, released, outputs = made(DpExp3Lap, 2, epsilon=EPSILON, gamma=0.1, b=2.0)
    outputs.append(noised)
    policy.decide()
    policy.log_w, policy.p = [0.5, 0.0], [0.75, 0.25]
    policy.learn(1, 0.3)
    assert released == [(pytest.approx(0.7), pytest.approx(1.25), 1.0, 1, 1)]
    gained = 0.1 * (noised + 2.0) / 5.0 / (2.0 * 0.25) if learned else 0.0
    assert policy.log_w == pytest.approx([0.5, gained])


def test_agarwal_singh_learns_from_noisy_losses() -> None:
    policy, released, outputs = made(AgarwalSingh, 2, epsilon=EPSILON, eta=0.1, gamma=0.5)
    outputs.append(-3.0)
    policy.decide()
    policy.p = [0.75, 0.25]
    policy.learn(1, 0.3)
    assert released == [(0.3, pytest.approx(1.25), 1.0, 1, 1)]
    assert policy.log_w == pytest.approx([0.0, 0.1 * 3.0 / 0.25])
    for maker in (AgarwalSingh, DpExp3Lap):
        more = {"eta": 0.1} if maker is AgarwalSingh else {"b": 2.0}
        policy, *_ = made(maker, 2, epsilon=EPSILON, gamma=0.5, **more)
        policy.log_w = [math.log(3.0), 0.0]
        policy.decide()
        assert policy.p == pytest.approx([0.375 + 0.25, 0.125 + 0.25])


def kl(p: float, q: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((p, q), (1.0 - p, 1.0 - q)) if a > 0.0)


@pytest.mark.parametrize(("mean", "n", "log_t"), [(0.3, 8, 2.0), (0.95, 4, 3.0), (-0.5, 64, 1.0), (0.0, 1024, 5.0)])
def test_indices(mean: float, n: int, log_t: float) -> None:
    """AdaP-UCB by its formula, with the clock's logarithm; AdaP-KLUCB by the divergence of its index."""
    policy, *_ = made(AdapUcb, 2, epsilon=EPSILON, alpha=1.5, clock=2.0)
    bonus = 1.5 * (math.log(2.0) + log_t) / n
    assert policy.index(mean, n, log_t) == pytest.approx(mean + math.sqrt(bonus / 2.0) + bonus / EPSILON)
    policy, *_ = made(AdapKlucb, 2, epsilon=EPSILON, alpha=1.5)
    bonus = 1.5 * log_t / n
    optimistic = min(1.0, max(0.0, mean + bonus / EPSILON))
    # The index q is told by -log(1 - q).
    found = policy.index(mean, n, log_t)
    if optimistic == 1.0:
        assert found == math.inf
    else:
        q = -math.expm1(-found)
        assert optimistic < q and kl(optimistic, q) == pytest.approx(bonus, rel=1e-6)


@pytest.mark.parametrize("maker", [AdapKlucb, LastingAdapKlucb])
def test_episodes_double_an_arm_s_pulls(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """1, 1, 2, 4 and 8 pulls of the better arm; a mean is of the last episode, or of all by their lengths."""
    policy, released, outputs = made(maker, 2, epsilon=EPSILON, alpha=1.5)
    asked: list[tuple[float, int, float]] = []
    # By its mean alone.
    monkeypatch.setattr(policy, "index", lambda *given: asked.append(given) or given[0])
    outputs += [0.9, 0.1, 0.8, 0.6, 0.7]
    first, second = policy.first
    played = []
    for _ in range(17):
        played.append(policy.decide())
        policy.learn(played[-1], 0.25)
        policy.counts[played[-1]] += 1
        policy.t += 1
    assert played == [first, second, *[first] * 15][:17]
    sizes = [1, 1, 1, 2, 4, 8]
    assert released == [
        (pytest.approx(0.25), pytest.approx(1.0 / (EPSILON * size)), 1.0 / size, arm, size)
        for size, arm in zip(sizes, [first, second, *[first] * 4], strict=True)
    ]
    # The last episode's output is its mean, 0.25.
    outputs = [0.9, 0.8, 0.6, 0.7, 0.25]
    lengths = [1, 1, 2, 4, 8]
    if maker is AdapKlucb:
        means, numbers = outputs, lengths
    else:
        means = [np.average(outputs[: i + 1], weights=lengths[: i + 1]) for i in range(5)]
        numbers = [sum(lengths[: i + 1]) for i in range(5)]
    assert (policy.mu[first], policy.n[first]) == (pytest.approx(means[-1]), numbers[-1])
    # Each decision after the first two asks both arms, at the logarithm of the round.
    of_first = [given for given in asked if given[0] != 0.1]
    rounds = [3, 4, 6, 10]
    assert of_first == [
        (pytest.approx(mean), number, pytest.approx(math.log(t)))
        for mean, number, t in zip(means, numbers, rounds, strict=False)
    ]
