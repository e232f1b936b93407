"""Elimination of arms, decision by decision: what is released is set, and each limit is by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from stepped import Released, made

from dpbandits.policies.stochastic.elimination import DpSe, PerfectionTest


def play(policy: Any, rounds: int, rewards: Sequence[float]) -> list[int]:
    """Play rounds in which each arm pays its own reward; return the arms."""
    played = []
    for _ in range(rounds):
        played.append(policy.decide())
        policy.learn(played[-1], rewards[played[-1]])
    return played


BETA = 0.5


def pulls(size: int, epoch: int, epsilon: float) -> int:
    """Return R of Algorithm 2 of Sajed & Sheffet (2019)."""
    deviation = 0.5**epoch
    by_rewards = 32.0 * math.log(8.0 * size * epoch**2 / BETA) / deviation**2
    by_noise = 8.0 * math.log(4.0 * size * epoch**2 / BETA) / (epsilon * deviation)
    return 1 + math.floor(max(by_rewards, by_noise))


def margin(size: int, epoch: int, epsilon: float, R: int) -> float:
    """Return how far below the best a mean may be: two widths by rewards, and two by noise."""
    by_rewards = math.sqrt(math.log(8.0 * size * epoch**2 / BETA) / 2.0 / R)
    return 2.0 * by_rewards + 2.0 * math.log(4.0 * size * epoch**2 / BETA) / epsilon / R


@pytest.mark.parametrize("epsilon", [0.005, 0.1, 4.0])
def test_dp_se_epoch_by_epoch(epsilon: float) -> None:
    """Three arms in turn, of which one is dropped just beyond the margin; then two; then the last one for good."""
    policy, released, outputs = made(DpSe, 3, epsilon=epsilon, beta=BETA)
    R = pulls(3, 1, epsilon)
    width = margin(3, 1, epsilon, R)
    outputs += [0.5, 0.5 - 0.999 * width, 0.5 - 1.001 * width]
    played = play(policy, 3 * R - 1, [1.0, 0.25, 0.0])
    assert not released and policy.active == [0, 1, 2]
    played += play(policy, 1, [1.0, 0.25, 0.0])
    assert [played.count(arm) for arm in range(3)] == [R] * 3
    assert all(set(played[i : i + 3]) == {0, 1, 2} for i in range(0, 3 * R, 3))
    shares = (1.0 / (epsilon * R), 1.0 / R)
    assert released == [
        (pytest.approx(mean), *map(pytest.approx, shares), arm, R) for arm, mean in enumerate((1.0, 0.25, 0.0))
    ]
    assert policy.active == [0, 1]
    # The second epoch, of two arms: the best is the second one.
    R2 = pulls(2, 2, epsilon)
    width = margin(2, 2, epsilon, R2)
    outputs += [0.3, 0.3 + 1.001 * width]
    play(policy, 2 * R2, [1.0, 0.25, 0.0])
    assert [call[3:] for call in released[3:]] == [(0, R2), (1, R2)]
    # Sums of an epoch begin at 0.
    assert [call[0] for call in released[3:]] == pytest.approx([1.0, 0.25])
    assert policy.active == [1]
    assert set(play(policy, 50, [1.0, 0.25, 0.0])) == {1} and len(released) == 5


def test_dp_se_keeps_arms_within_a_later_margin() -> None:
    """Where most of it is by noise: a thousandth within both margins, then beyond the second."""
    policy, _, outputs = made(DpSe, 3, epsilon=0.005, beta=BETA)
    sizes = [pulls(3, epoch, 0.005) for epoch in (1, 2)]
    widths = [margin(3, epoch, 0.005, R) for epoch, R in zip((1, 2), sizes, strict=True)]
    outputs += [0.5 - 0.999 * widths[0], 0.5, 0.5 - 0.999 * widths[0]]
    play(policy, 3 * sizes[0], [0.0, 0.0, 0.0])
    assert policy.active == [0, 1, 2]
    outputs += [0.5 - 0.999 * widths[1], 0.5 - 1.001 * widths[1], 0.5]
    play(policy, 3 * sizes[1], [0.0, 0.0, 0.0])
    assert policy.active == [0, 2]


def test_dp_se_keeps_an_arm_at_the_margin() -> None:
    """Equal means are kept too, and outputs that are no numbers drop nothing."""
    policy, _, outputs = made(DpSe, 2, epsilon=1.0, beta=BETA)
    R = pulls(2, 1, 1.0)
    outputs += [0.5, 0.5]
    play(policy, 2 * R, [0.0, 0.0])
    assert policy.active == [0, 1] and policy.epoch == 1
    outputs += [math.nan, 0.5]
    play(policy, 2 * pulls(2, 2, 1.0), [0.0, 0.0])
    assert policy.active == [0, 1] and policy.epoch == 2


EPSILON, TEST = 0.7, 3


def test_an_arm_with_few_failures_is_trusted() -> None:
    """At the limit 2 k log 2/epsilon it is, for 2^(k^2) rounds; the next level tests it first, twice as long."""
    policy, released, outputs = made(PerfectionTest, 3, epsilon=EPSILON, test=TEST)
    first = policy.champion
    limit = 2.0 * math.log(2.0) / EPSILON
    outputs += [math.nextafter(limit, 9.0), limit]
    played = play(policy, 2 * TEST, [0.25] * 3)
    assert played == [first] * (2 * TEST)
    assert released == [(pytest.approx(0.75 * 6), pytest.approx(1.0 / EPSILON), 1.0, first, 6)]
    assert policy.mode == "test" and policy.champion == first
    second = play(policy, 2 * TEST, [0.25] * 3)
    assert len(set(second)) == 1 and second[0] != first
    assert (policy.mode, policy.champion, policy.k) == ("trust", second[0], 1)
    # Failures of a batch begin at 0.
    assert released[1][0] == pytest.approx(0.75 * 6)
    assert play(policy, 2, [0.25] * 3) == [second[0]] * 2
    assert (policy.mode, policy.k, policy.candidates[0]) == ("test", 2, second[0])
    assert sorted(policy.candidates) == [0, 1, 2]
    outputs.append(2.0 * limit)
    assert play(policy, 4 * TEST - 1, [0.25] * 3) == [second[0]] * (4 * TEST - 1) and policy.mode == "test"
    play(policy, 1, [0.25] * 3)
    assert (policy.mode, policy.rest) == ("trust", 16)


def level_3(arms: int = 3) -> tuple[Any, list[Released], list[float]]:
    """Return a policy that eliminates in its third level, for 512 rounds, as no arm has passed a test."""
    policy, released, outputs = made(PerfectionTest, arms, epsilon=EPSILON, test=TEST)
    while policy.k < 3 or policy.mode != "eliminate":
        if policy.mode == "test":
            outputs[:] = [1e9]
        play(policy, 1, [0.5] * arms)
    outputs.clear()
    released.clear()
    assert policy.rest == 512 and policy.active == list(range(arms)) and policy.epoch == 1
    return policy, released, outputs


def width(epoch: int, arms: int = 3) -> float:
    """Return how far below the best a mean may be in an epoch of level 3."""
    log, full = math.log(4 * arms * 512 * epoch * epoch), 2.0**epoch
    return 2.0 * (math.sqrt(log / 2.0 / full) + log / EPSILON / full)


def test_elimination_epoch_by_epoch() -> None:
    """Batches of 2, 4, ... rounds of each arm; an arm at the limit stays, one beyond is dropped."""
    policy, released, outputs = level_3()
    order = list(policy.order)
    for arm in order:
        assert play(policy, 2, [0.5, 0.75, 1.0]) == [arm, arm]
        scale, moved = 1.0 / (2.0 * EPSILON), 0.5
        assert released[-1] == (pytest.approx((0.5, 0.75, 1.0)[arm]), pytest.approx(scale), moved, arm, 2)
    assert (policy.epoch, policy.active, policy.rest) == (2, [0, 1, 2], 506)
    # In the second epoch: the best, one within the limit, and one beyond.
    best, near, far = policy.order
    outputs += [5.0, 5.0 - 0.999 * width(2), 5.0 - 1.001 * width(2)]
    play(policy, 12, [0.0] * 3)
    assert (policy.epoch, policy.active) == (3, sorted((best, near)))
    assert [call[3:] for call in released[3:]] == [(arm, 4) for arm in (best, near, far)]
    outputs += [1.0, 1.0 + 1.001 * width(3)]
    last = policy.order[1]
    play(policy, 16, [0.0] * 3)
    assert policy.active == [last]
    # Alone it is played to the end of the phase, and nothing is released.
    assert play(policy, 512 - 6 - 12 - 16, [0.0] * 3) == [last] * 478
    assert (policy.mode, policy.k, len(released)) == ("test", 4, 8)


def test_a_batch_that_the_phase_cuts_short_decides_nothing() -> None:
    """Of 512 rounds epochs 1 to 6 take 378, and two batches of epoch 7 take 128 and 6: released, and no more."""
    policy, released, outputs = level_3()
    outputs += [0.0] * 18 + [0.0, -1e9]
    play(policy, 3 * 126 + 128 + 5, [1.0] * 3)
    assert (policy.mode, policy.epoch, policy.rest, policy.active) == ("eliminate", 7, 1, [0, 1, 2])
    play(policy, 1, [1.0] * 3)
    assert (policy.mode, policy.k) == ("test", 4)
    *_, (value, scale, moved, _, number) = released
    assert (value, number) == (pytest.approx(6.0 / 128.0), 6)
    assert (scale, moved) == (pytest.approx(1.0 / (128.0 * EPSILON)), 1.0 / 128.0)
    assert policy.left == policy.size == TEST * 16 and policy.total == 0.0


def test_a_full_last_batch_is_released_once() -> None:
    """With one arm more than fits: where a batch ends with the phase, the next level begins."""
    policy, released, _ = level_3(arms=2)
    # Epochs 1 to 7 take 2 (2 + ... + 128) = 508 rounds; of the eighth there are 4.
    play(policy, 508, [0.5] * 2)
    assert (policy.epoch, policy.rest, len(released)) == (8, 4, 14)
    play(policy, 4, [0.5] * 2)
    assert (policy.mode, policy.k, len(released), released[-1][4]) == ("test", 4, 15, 4)
