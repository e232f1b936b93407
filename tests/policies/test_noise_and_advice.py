"""Noise, advice, ledgers and saved states, at numbers by hand: what a seed draws hides most slips."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.policies import make, noise, saved
from dpbandits.policies.adversarial import bases
from dpbandits.policies.base import Policy, clip, draw_position
from dpbandits.policies.experts import advised
from dpbandits.policies.experts.advised import BatchedExp4, Exp4, LocalDpExp4
from dpbandits.policies.ledger import Ledger, Release
from dpbandits.policies.linear import filter as linear_filter
from dpbandits.policies.linear.filter import leading_direction, spectral_filter

ADVICE = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]


class Coins:
    """Gives what is put into it, in turn, and notes what was asked for."""

    def __init__(self, *values: Any) -> None:
        self.values, self.asked = list(values), list[Any]()

    def integers(self, *ends: int) -> Any:
        self.asked.append(ends)
        return self.values.pop(0)

    def choice(self, size: int, p: Any) -> Any:
        self.asked.append((size, [float(each) for each in p]))
        return self.values.pop(0)

    def random(self) -> Any:
        return self.values.pop(0)


# --- noise -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "epsilon"), [(noise.Laplace(), 0.25), (noise.Exponential(), 0.5), (noise.Gumbel(), 0.5)]
)
def test_noise_is_added_and_paid_for(law: Any, epsilon: float) -> None:
    """Sensitivity/scale, twice that where one score may rise as another falls."""
    drawn = {
        "laplace": lambda _, scale: scale,
        "gumbel": lambda _, scale: scale,
        "exponential": lambda scale: scale,
    }
    rng: Any = SimpleNamespace(**drawn)
    assert law.add(rng, 10.0, 2.0, 0.5) == (12.0, epsilon)


def test_discrete_noise_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of value 0.3, scale 3, sensitivity 1/2 in steps of 2^-21: a step more is reached, so the scale is larger."""
    widths: list[Fraction] = []
    monkeypatch.setattr(noise, "discrete_laplace", lambda _, width: widths.append(width) or 5)
    rng: Any = None
    value, epsilon = noise.DiscreteLaplace().add(rng, 0.3, 3.0, 0.5)
    step = Fraction(1, 2**21)
    assert value == (round(0.3 * 2**21) + 5) / 2**21 and epsilon == 0.5 / 3.0
    assert widths == [Fraction(3) * (Fraction(1, 2) + step) / Fraction(1, 2) / step]


@pytest.mark.parametrize(
    ("n", "values", "found"),
    [
        (5, (7 << 29, 5 << 29, 4 << 29), 4),
        (8, (7 << 29,), 7),
        (9, (9 << 28, 8 << 28), 8),
        (2**40, (0xABCDEF01, 0x23456789), 0xABCDEF0123),
    ],
)
def test_uniform_integers_take_the_first_bits(n: int, values: tuple[int, ...], found: int) -> None:
    """As many as n - 1 has, of whole words; what is too large is drawn again."""
    coins: Any = Coins(*values)
    assert noise._below(coins, n) == found and not coins.values
    assert set(coins.asked) == {(0, 2**32)}
    assert noise._below(coins, 1) == 0


def test_coins_of_an_exponential(monkeypatch: pytest.MonkeyPatch) -> None:
    """p of q, then p of 2 q and so on, until one is missed: true after an odd number of coins."""
    rng: Any = None
    for coins in (1, 2, 3, 4):
        given, asked = [*[2] * (coins - 1), 3], list[int]()
        monkeypatch.setattr(noise, "_below", lambda _, n, given=given, asked=asked: asked.append(n) or given.pop(0))
        assert noise._exponential_coin(rng, 3, 4) == (coins % 2 == 1)
        assert asked == [4 * k for k in range(1, coins + 1)]


def test_discrete_laplace_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of scale 5/2: u + 5 v halved and rounded down, with a sign; no negative zero."""

    def drawn(below: list[int], coins: list[bool]) -> int:
        monkeypatch.setattr(noise, "_below", lambda _, n: below.pop(0) % n)
        monkeypatch.setattr(noise, "_exponential_coin", lambda *_: coins.pop(0))
        rng: Any = None
        found = noise.discrete_laplace(rng, Fraction(5, 2))
        assert not below and not coins
        return found

    assert drawn([3, 0], [True, True, True, False]) == (3 + 10) // 2
    assert drawn([4, 1], [True, True, False]) == -4
    assert drawn([2, 3, 0], [False, True, False]) == 1
    assert drawn([1, 1, 1, 0], [True, False, True, False]) == 0


# --- advice ----------------------------------------------------------------------------------------------


def test_experts_are_followed_and_probabilities_are_those(monkeypatch: pytest.MonkeyPatch) -> None:
    """A share of play is uniform: as one expert more, who advises every action alike."""
    asked: list[list[float]] = []

    def drawn(P: Any, _: object) -> int:
        asked.append(list(P))
        return len(P) - 1

    monkeypatch.setattr(advised, "draw_position", drawn)
    policy = Exp4(3, np.random.default_rng(0), experts=2, eta=0.5, gamma=0.2)
    assert policy.P == [0.5, 0.5]
    assert policy.choose(ADVICE) == 2
    assert asked == [pytest.approx([0.4, 0.4, 0.2]), pytest.approx([1 / 3] * 3)]
    monkeypatch.setattr(advised, "draw_position", lambda P, _: asked.append(list(P)) or 0)
    assert policy.follow([0.75, 0.25], 0.2) == 0
    assert asked[2:] == [pytest.approx([0.6, 0.2, 0.2]), ADVICE[0]]
    found = [policy.action_probability([0.75, 0.25], 0.2, action) for action in range(3)]
    assert found == pytest.approx([0.8 * 0.375 + 0.2 / 3, 0.8 * (0.1875 + 0.25) + 0.2 / 3, 0.8 * 0.1875 + 0.2 / 3])
    assert sum(found) == pytest.approx(1.0)


def test_exp4_learns_what_a_loss_was_likely_for() -> None:
    """Each expert by the share of its advice; under local privacy from a loss with noise of scale 1/epsilon."""
    policy = Exp4(3, np.random.default_rng(0), experts=2, eta=0.5, gamma=0.2)
    policy.advice = ADVICE
    policy.learn(1, 0.6)
    estimate = 0.6 / (0.8 * 0.625 + 0.2 / 3)
    assert policy.log_w == pytest.approx([-0.5 * 0.25 * estimate, -0.5 * estimate])
    local = LocalDpExp4(3, np.random.default_rng(0), epsilon=0.25, experts=2, eta=0.5, gamma=0.2)
    local.advice, local.counts[1] = ADVICE, 1
    local.noise = SimpleNamespace(law="none", add=lambda _, value, scale, reach: (value + scale * reach, 0.25))
    local.learn(1, 0.6)
    assert local.log_w == pytest.approx([-0.5 * 0.25 * (4.6 / 0.6) * estimate, -0.5 * (4.6 / 0.6) * estimate])


def test_a_batch_of_exp4_by_hand() -> None:
    """Means of estimates over two rounds, with noise for K/(gamma tau) in all N of them; then a new batch."""
    given = {"experts": 2, "epsilon": 0.5, "delta": 0.01, "tau": 2, "eta": 0.1, "gamma": 0.3}
    policy = BatchedExp4(3, np.random.default_rng(0), **given)
    assert policy.P == [0.5, 0.5]
    asked: list[tuple[float, ...]] = []
    policy.noise = SimpleNamespace(law="laplace", add=lambda _, *call: asked.append(call) or (call[0] + 1.0, 0.0))
    policy.advice, policy.t = ADVICE, 2
    policy.learn(1, 0.6)
    assert not asked and policy.left == 1
    policy.learn(0, 0.5)
    first, second = 0.6 / (0.7 * 0.625 + 0.1), 0.5 / (0.7 * 0.25 + 0.1)
    means = [(0.25 * first + 0.5 * second) / 2, first / 2]
    reach = 3 / (0.3 * 2)
    scale = 3 * reach * math.sqrt(2 * math.log(100)) / 0.5
    assert asked == [pytest.approx((mean, scale, reach)) for mean in means]
    log_w = [-0.1 * (mean + 1.0) for mean in means]
    assert policy.log_w == pytest.approx(log_w)
    assert pytest.approx(bases.softmax(log_w)) == policy.P
    assert policy.total == [0.0, 0.0] and policy.left == 2
    (entry,) = policy.spent().releases
    assert (entry.first, entry.last, entry.epsilon, entry.delta) == (1, 2, 0.5, 0.01)
    # Without mixing nothing is learned.
    still = BatchedExp4(3, np.random.default_rng(0), **(given | {"gamma": 0.0, "tau": 1}))
    still.advice = ADVICE
    still.learn(1, 0.6)
    assert still.log_w == [0.0, 0.0] and still.left == 1 and still.total == [0.0, 0.0]


def test_positions_are_drawn_by_sums_of_probabilities() -> None:
    """The first whose sum is above the number; rounding at the end gives the last one."""
    for u, at in ((0.0, 0), (0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (0.9999, 2)):
        coins: Any = Coins(u)
        assert draw_position([0.25, 0.5, 0.25], coins) == at
    assert [clip(x) for x in (-0.5, 0.5, 1.5)] == [0.0, 0.5, 1.0]
    mixed = bases.mixed_with_uniform([0.0, math.log(3.0)], 0.2)
    assert mixed == pytest.approx([0.8 * 0.25 + 0.1, 0.8 * 0.75 + 0.1])


# --- the ledger ------------------------------------------------------------------------------------------

RELEASE = Release(
    arm=0, law="laplace", first=1, last=3, releases=1, scale=2.0, sensitivity=1.0, epsilon=0.5, delta=0.1
)


@pytest.mark.parametrize(
    "other",
    [
        *({name: 3.0} for name in ("scale", "sensitivity", "epsilon", "delta")),
        # Not the next rewards, or not as many of them.
        *({"first": 5, "last": 7}, {"first": 3, "last": 5}, {"last": 7}, {"last": 5}),
    ],
)
def test_releases_that_differ_are_two_entries(other: dict[str, Any]) -> None:
    """Alike they are one entry, whatever their number."""
    ledger = Ledger()
    following = replace(RELEASE, first=4, last=6)
    ledger.add(replace(RELEASE))
    ledger.add(replace(following))
    assert [(entry.first, entry.last, entry.releases) for entry in ledger.entries] == [(1, 6, 2)]
    ledger.add(replace(RELEASE, first=7, last=9))
    assert [(entry.last, entry.releases) for entry in ledger.entries] == [(9, 3)]
    apart = Ledger()
    apart.add(replace(RELEASE))
    apart.add(replace(following, **other))
    assert len(apart.entries) == 2
    # Of other arms and laws each has its own latest one.
    apart.add(replace(RELEASE, arm=1))
    assert len(apart.entries) == 3


def test_a_reward_spends_what_it_was_in() -> None:
    """From an entry's first reward to its last; the worst reward counts, for either number by itself."""
    ledger = Ledger()
    for first, last, epsilon, delta in ((1, 4, 0.5, 0.0), (4, 6, 0.25, 0.0), (5, 9, 0.125, 0.2), (7, 7, 1.0, 0.0)):
        ledger.add(replace(RELEASE, law=str(first), first=first, last=last, epsilon=epsilon, delta=delta))
    assert (ledger.spent().epsilon, ledger.spent().delta) == (1.125, 0.2)
    ledger.add(replace(RELEASE, arm=1, first=1, last=9, epsilon=1.0, delta=0.3))
    assert (ledger.spent().epsilon, ledger.spent().delta) == (1.125, 0.3)


@pytest.mark.parametrize(
    ("name", "value", "possible"),
    [
        *[("epsilon", 0.0, True), ("epsilon", -0.1, False), ("delta", -0.1, False), ("scale", -1.0, False)],
        *[
            ("first", 0, False),
            ("first", 3, True),
            ("first", 4, False),
            ("releases", 0, False),
            ("first", 1.0, False),
        ],
        *[("last", 3.0, False), ("releases", 1.0, False), ("sensitivity", -1.0, False), ("first", True, False)],
    ],
)
def test_a_restored_release_is_possible(name: str, value: Any, possible: bool) -> None:
    """Each number by itself is refused where none is so."""
    ledger = Ledger()
    ledger.add(replace(RELEASE))
    (entry,) = ledger.data()
    changed: Any = {**entry, name: value}
    if possible:
        ledger.restore([changed])
        assert ledger.entries == [Release(**changed)]
    else:
        with pytest.raises(ValueError, match="no policy makes"):
            ledger.restore([changed])


# --- saved states ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arms", "t", "counts", "chosen", "wrong"),
    [
        *[(2, 3, [1, 2], None, ""), (2, 0, [0, 0], 0, ""), (2, 3, [1, 2], 1, "")],
        *[(3, 3, [1, 2], None, "arms"), (2, 4, [1, 2], None, "counts"), (2, 3, [3], None, "counts")],
        *[(2, 1, [2, -1], None, "counts"), (2, 3, [1.0, 2], None, "counts"), (2, 3.0, [1, 2], None, "counts")],
        *[(2, 3, [1, 2], 2, "chosen"), (2, 3, [1, 2], -1, "chosen"), (2, 3, [1, 2], 1.0, "chosen")],
        *[(2, 3, [1, 2], True, "chosen"), (2, True, [True, 0], None, "counts")],
    ],
)
def test_states_that_rounds_lead_to(arms: int, t: Any, counts: list[Any], chosen: Any, wrong: str) -> None:
    """Each condition by itself is enough to refuse one."""
    policy = Policy(2, np.random.default_rng(0))
    policy.t, policy.counts, policy.chosen = t, counts, chosen
    if wrong:
        with pytest.raises(BadInput, match=rf"state\.{wrong}"):
            policy.check_state(arms)
    else:
        policy.check_state(arms)


def test_streams_are_restored_to_the_bit() -> None:
    """And refused where one part of their state is none."""
    rng = np.random.default_rng(5)
    rng.integers(0, 2**32, dtype=np.uint32)
    state: Any = saved.stream_data(rng)
    assert state["has_uint32"] == 1
    assert saved.stream_from_data(state).integers(0, 2**62) == rng.integers(0, 2**62)
    inside = state["state"]
    for changed in (
        {"state": inside | {"inc": inside["inc"] - 1}},
        {"has_uint32": 2},
        {"uinteger": 2**32},
        {"further": 0},
    ):
        with pytest.raises(BadInput, match="stream"):
            saved.stream_from_data(state | changed)
    with pytest.raises(BadInput, match="PCG64"):
        saved.stream_data(np.random.Generator(np.random.MT19937(1)))


@pytest.mark.parametrize(
    ("current", "value", "fits"),
    [
        *[
            (1, 2.5, True),
            (1.5, None, True),
            (None, 3, True),
            (1, True, False),
            (True, 1, False),
            (True, False, True),
        ],
        *[("a", "b", True), ("a", 1, False), (1, "b", False), (1.0, math.nan, False), (None, math.nan, False)],
        *[([], [1, [2.0]], True), ([], ["a"], False), ([1], ["a"], False), ([1, "a"], ["b", 2.0], True)],
        *[
            ([], [math.nan], False),
            ([], [None], False),
            ([[1]], [[2], [3]], True),
            ([1], 1, False),
            (1, [1], False),
        ],
    ],
)
def test_what_may_replace_a_value(current: Any, value: Any, fits: bool) -> None:
    assert saved._fits_type_of(current, value) == fits


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        *[(1, True), (10**7, True), (np.int64(5), True), (0, False), (10**7 + 1, False), (True, False)],
        *[(1.0, False), (np.timedelta64(1, "s"), False), ("1", False)],
    ],
)
def test_numbers_of_arms(value: Any, whole: bool) -> None:
    """From 1 to ten million; a horizon may be longer."""
    assert make.LONGEST_HORIZON == 2**52
    if whole:
        assert make._whole("arms", value) == value
    else:
        with pytest.raises(BadInput, match="an integer from 1 to 10000000"):
            make._whole("arms", value)


def test_an_action_is_the_one_that_was_chosen() -> None:
    """An integer, which a Boolean is not, though it is equal to one."""

    class Second(Policy):
        private = False

        def decide(self) -> int:
            return 1

        def learn(self, action: int, reward: Any) -> None:
            del action, reward

    policy = Second(2, np.random.default_rng(0))
    policy.choose()
    for action in (True, 1.0, 0, "1"):
        with pytest.raises(BadInput, match="which choose"):
            policy.update(action, 0.5)  # type: ignore[arg-type]
    policy.update(np.int64(1), 0.5)
    assert (policy.t, policy.counts, policy.chosen) == (1, [0, 1], None)


# --- the filter ------------------------------------------------------------------------------------------


def test_the_filter_removes_by_squares_of_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of points 0, 0 and 3 the last one with probability 4/6, until the variance is below 4 lambda."""
    points = np.array([[0.0], [0.0], [3.0]])
    mean, value, axis = leading_direction(points)
    assert (mean[0], value, abs(axis[0])) == pytest.approx((1.0, 2.0, 1.0))
    coins: Any = Coins(2)
    found, left = spectral_filter(points, 0.4, coins)
    assert (found[0], left) == (0.0, [0, 1])
    assert coins.asked == [(3, pytest.approx([1 / 6, 1 / 6, 4 / 6]))]
    # A variance of 2 is below 4 lambda = 2.04; at 2 itself a point is removed.
    still: Any = Coins(0, 0, 0)
    monkeypatch.setattr(linear_filter, "leading_direction", lambda _: (mean, 2.0, axis))
    assert spectral_filter(points, 0.51, still)[1] == [0, 1, 2] and len(still.values) == 3
    once: Any = Coins(0)
    monkeypatch.setattr(linear_filter, "leading_direction", lambda p: (mean, 2.0 if len(p) > 2 else 1.0, axis))
    assert spectral_filter(points, 0.5, once)[1] == [1, 2] and not once.values
    # Where all points are one, none is removed.
    monkeypatch.undo()
    assert spectral_filter(np.ones((3, 1)), 0.0, still)[1] == [0, 1, 2] and len(still.values) == 3
