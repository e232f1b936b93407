"""Functions of our own, each of a kind that a public repository taught: what was not heard, or heard wrongly."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from noisetap import Claim, Records, audit
from noisetap.affine import Affine
from noisetap.orders import cyclic_groups, order_probability
from noisetap.path import MOST_BITS
from noisetap.ranks import comparable_numbers, log_order_probability

E = math.e
ONE = Records(1, columns={"kind": ("0", "1", "2")}, make=lambda rows: int(rows[0]))
ANSWERS = Records(4, 0.0, 2.0)


def one_hot(kind: int) -> Any:
    return np.array([int(kind == i) for i in range(3)])


def bits(kind: int, epsilon: float) -> Any:
    """Draw each bit of a unary code anew, as arrays."""
    code, q = one_hot(kind), 1 / (E**epsilon + 1)
    return np.where(code == 1, np.random.binomial(1, 0.5, 3), np.random.binomial(1, q, 3))


def bits_twice(kind: int, epsilon: float) -> Any:
    """Look at a bit that was set to 0 again."""
    code, q = bits(kind, epsilon), 1 / (E**epsilon + 1)
    return [
        int(b) or int(np.random.binomial(1, q)) if c else int(b) for b, c in zip(code, one_hot(kind), strict=True)
    ]


def told_at(kind: int, epsilon: float, number: int = 3) -> Any:
    """Tell a sign at a place that the value chooses, among signs that are drawn."""
    signs = 2 * np.random.binomial(1, 0.5, number) - 1
    signs[kind] = random.choices([1, -1], [E**epsilon, 1])[0]
    return signs


def top(data: Any, epsilon: float) -> Any:
    """Choose the largest by partition, which compares in no full order."""
    return int(np.argpartition(np.asarray(data) + np.random.laplace(scale=2 / epsilon, size=4), -1)[-1])


def top_too_soon(data: Any, epsilon: float) -> Any:
    """Do the same with half the noise."""
    return top(data, 2 * epsilon)


def whole_bar(data: Any, epsilon: float) -> Any:
    """Compare whole noise with whole noise."""
    p, q = 1 - math.exp(-epsilon / 2), 1 - math.exp(-epsilon / 4)
    bar = 1.0 + np.random.geometric(p) - np.random.geometric(p)
    for at, answer in enumerate(data):
        if round(answer) + np.random.geometric(q) - np.random.geometric(q) >= bar:
            return at
    return None


def noisy_scale(data: Any, epsilon: float) -> Any:
    """Average with a noisy count, which is in the scale of the noise too."""
    count = max(len(data) + np.random.laplace(scale=2 / epsilon), 1.0)
    return float(np.sum(data)) / count + np.random.laplace(scale=2 / epsilon / count), count


def never(_: Any) -> Any:
    """Raise, whatever the data, after a coin."""
    random.randint(0, 1)
    raise TypeError("not called as it wants to be")


def floats(kind: int, epsilon: float) -> Any:
    """Ask for a whole number by floats."""
    return kind if random.random() < E**epsilon / (E**epsilon + 2) else (kind + random.randint(1.0, 2.0)) % 3  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "records", "relation", "word", "loss"),
    [
        (bits, ONE, "replace-one", "consistent", 1.0),
        (bits_twice, ONE, "replace-one", "violated", math.log(E + 2)),
        (told_at, ONE, "replace-one", "consistent", 1.0),
        pytest.param(top, ANSWERS, "replace-one", "consistent", None, marks=pytest.mark.slow),
        (top_too_soon, ANSWERS, "replace-one", "violated", None),
        (noisy_scale, Records(3), "add-remove", "consistent", 1.0),
        (never, Records(2), "replace-one", "refused", None),
        (floats, ONE, "replace-one", "consistent", 1.0),
    ],
)
def test_a_lesson_holds(function: Any, records: Records, relation: Any, word: str, loss: float | None) -> None:
    """Each is judged as its mathematics says, with the loss that it has."""
    verdict = audit(function, data=records, neighbours=relation, claim=1.0, effort=2)
    assert verdict.word == word, verdict.why
    if loss is not None:
        assert verdict.loss == pytest.approx(loss, rel=2e-3)


@pytest.mark.parametrize(("number", "paths"), [(4, 3), pytest.param(7, MOST_BITS, marks=pytest.mark.slow)])
def test_numbers_in_other_places_are_no_violation(number: int, paths: int, monkeypatch: Any) -> None:
    """More signs than are taken for paths are let out in other places on the neighbour.

    What is not decided is never condemned.
    """
    monkeypatch.setattr("noisetap.path.MOST_BITS", paths)
    signs = {"number": number}
    verdict = audit(told_at, data=ONE, neighbours="replace-one", claim=1.0, effort=1, parameters=signs)
    assert verdict.word in ("refused", "consistent"), verdict.why


def test_two_sums_of_whole_noise_are_refused_with_a_line() -> None:
    """A comparison of four whole draws is not integrated, and says where."""
    verdict = audit(whole_bar, data=ANSWERS, neighbours="replace-one", claim=Claim(1.0))
    assert verdict.word == "refused"
    assert "test_lessons.py" in verdict.why


def test_both_ways_know_the_chance_of_an_order() -> None:
    """Of four equal draws a is above b and c, which are above d, in 2 of 24 orders; far apart it is certain."""
    bounds = [Affine(0.0, {0: 1.0, 1: -1.0}), Affine(0.0, {0: 1.0, 2: -1.0})]
    bounds += [Affine(0.0, {1: 1.0, 3: -1.0}), Affine(0.0, {2: 1.0, 3: -1.0})]
    points = np.linspace(-30, 30, 6001)
    mass = np.exp(-np.abs(points)) / 2 * (points[1] - points[0])
    grids = dict.fromkeys(range(4), (points, mass))
    at = comparable_numbers(bounds)
    assert at is not None
    over = [(0, 1), (0, 2), (1, 3), (2, 3)]
    found = log_order_probability(over, grids, at)
    assert found is not None
    assert math.exp(found) == pytest.approx(2 / 24, rel=1e-3)
    pairs = [(b.offset, b.terms) for b in bounds]
    assert cyclic_groups(pairs) == [{0, 1, 2, 3}]
    assert order_probability(pairs, grids) == pytest.approx(2 / 24, rel=1e-3)
    moved = [(offset + shift, terms) for (offset, terms), shift in zip(pairs, (3.0, 5.0, 4.0, 2.0), strict=True)]
    shifted = [Affine(offset, terms) for offset, terms in moved]
    other = comparable_numbers(shifted)
    assert other is not None
    assert math.exp(log_order_probability(over, grids, other) or 0.0) == pytest.approx(
        order_probability(moved, grids), rel=1e-3
    )
    # A draw that is taken away is turned, also where it comes after the others: 2 - z0 > z1 > z2.
    half = Affine(0.0, {1: 1.0, 2: -1.0}), Affine(2.0, {0: -1.0, 1: -1.0}), Affine(2.0, {0: -1.0, 2: -1.0})
    middles = np.arange(0.005, 30, 0.01)
    exponential = dict.fromkeys(range(3), (middles, np.exp(-middles) / 100))
    turned = comparable_numbers(half)
    assert turned is not None
    by_hand = ((1 - E**-2) ** 2 - E**-2 * 2 * (1 + E**-2)) / 2
    assert math.exp(log_order_probability([(1, 2), (0, 1), (0, 2)], exponential, turned) or 0.0) == pytest.approx(
        by_hand, 5e-3
    )
    assert order_probability([(b.offset, b.terms) for b in half], exponential) == pytest.approx(by_hand, 5e-3)
    circle = [(0, 1), (1, 2), (2, 0)]
    same_place = dict.fromkeys(range(3), (1.0, 0.0))
    assert log_order_probability(circle, {i: grids[i] for i in range(3)}, same_place) == -math.inf
