"""Functions that an attacker wrote: each kind was judged wrongly once."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from noisetap import Records, Rewards, audit
from noisetap.rehearsal import kinds_in

JOBS = Records(3, columns={"age": (0, 100), "job": ("a", "b", "c", "d", "e")})
SIGNS = np.where(np.arange(300) % 7 % 2 == 0, 1.0, -1.0)
LARGEST = [0.5]


def laplace(scale: float) -> Any:
    return np.random.laplace(0, scale)


def band(data: Any, epsilon: float) -> Any:
    """Count values that are no end of their range; half the noise that replacing one needs."""
    return np.sum((data > 0.2) & (data < 0.4)) + laplace(0.5 / epsilon)


def band_sound(data: Any, epsilon: float) -> Any:
    return np.sum((data > 0.2) & (data < 0.4)) + laplace(1 / epsilon)


def few(data: Any, epsilon: float) -> Any:
    """Say exactly whether there are fewer than three."""
    return None if len(data) < 3 else len(data) + laplace(1 / epsilon)


def fourth_category(data: list[Any], epsilon: float) -> Any:
    return sum(1 for row in data if row[1] == "d"), laplace(1 / epsilon)


def signs(data: Any, epsilon: float, number: int) -> Any:
    """Add noise to numbers, half of which move down: their shares of the loss are 3 together."""
    return SIGNS[:number] * data.sum() * (3.0 / number) + np.random.laplace(0, 1 / epsilon, number)


def signs_sound(data: Any, epsilon: float) -> Any:
    return SIGNS[:100] * data.sum() * 0.01 + np.random.laplace(0, 1 / epsilon, 100)


def next_number(data: Any, epsilon: float) -> Any:
    """Return a large number that counts the records."""
    return 10**10 + len(data), laplace(1 / epsilon)


def attribute(data: Any, epsilon: float) -> Any:
    class Answer(list[Any]):
        exact: int

    found = Answer([len(data) + laplace(1 / epsilon)])
    found.exact = len(data)
    return found


def kept(data: Any, epsilon: float) -> Any:
    """Keep the largest value of all calls."""
    LARGEST[0] = max([LARGEST[0], *data.tolist()])
    return data.sum() / 2 + laplace(1 / epsilon), LARGEST[0]


def huge(data: Any, epsilon: float, high: float) -> Any:
    return np.clip((len(data) + laplace(1 / epsilon)) * 1e300, -high * 1e300, high * 1e300)


def coin(bit: Callable[[], bool]) -> Callable[..., Any]:
    """Turn a bit over by a coin that nobody hears."""

    def function(data: Any) -> Any:
        return int((data[0] > 0.5) ^ bit()), laplace(1.0)

    return function


def another_way(how: Callable[[Any], Any], error: type[Exception] = TypeError) -> Callable[..., Any]:
    """Let a sum out with a tenth of the noise, where what stands in for it is no float."""

    def function(data: Any, epsilon: float) -> Any:
        value = np.sum(data) + laplace(0.1 / epsilon)
        try:
            return how(value)
        except error:
            return None

    return function


@pytest.mark.parametrize(
    ("function", "records", "relation"),
    [
        (band, Records(5), "replace-one"),
        (few, Records(5), "add-remove"),
        (fourth_category, JOBS, "replace-one"),
        (next_number, Records(5), "add-remove"),
        (attribute, Records(5), "add-remove"),
    ],
)
def test_it_is_violated(function: Any, records: Records, relation: str) -> None:
    assert audit(function, data=records, neighbours=relation, claim=1.0).word == "violated"


@pytest.mark.parametrize("number", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_many_numbers_that_move_both_ways_are_violated(number: int) -> None:
    verdict = audit(
        signs, data=Records(2), neighbours="replace-one", claim=1.0, parameters={"number": number}, seconds=60
    )
    assert (verdict.word, round(verdict.loss, 6)) == ("violated", 3.0)


@pytest.mark.parametrize(
    ("function", "records"),
    [(band_sound, Records(5)), pytest.param(signs_sound, Records(2), marks=pytest.mark.slow)],
)
def test_their_sound_twins_are_consistent(function: Any, records: Records) -> None:
    verdict = audit(function, data=records, neighbours="replace-one", claim=2.0, seconds=20)
    assert verdict.word == "consistent"


@pytest.mark.parametrize(
    "bit",
    [
        lambda: os.urandom(1)[0] < 16,
        lambda: secrets.token_bytes(1)[0] < 16,
        lambda: uuid.uuid4().int % 16 == 0,
        lambda: np.random.PCG64().random_raw() % 16 == 0,
    ],
    ids=["os.urandom", "secrets.token_bytes", "uuid.uuid4", "random_raw"],
)
def test_a_rare_coin_that_is_not_heard_is_no_violation(bit: Callable[[], bool]) -> None:
    """The last one is drawn unheard; that 40 runs on either input agree has a chance below one in 100."""
    verdict = audit(coin(bit), data=Records(3), neighbours="replace-one", claim=3.0)
    assert verdict.word == "refused"


@pytest.mark.parametrize(
    "how",
    [
        lambda v: str(Decimal(v)),
        lambda v: json.dumps({"v": v}),
        lambda v: v.hex(),
        lambda v: v.tobytes() if hasattr(v, "tobytes") else None,
        lambda v: v if type(v) in (float, np.float64) else "no number",
        lambda v: v if np.issubdtype(type(v), np.floating) else "no number",
    ],
    ids=["Decimal", "json", "hex", "tobytes", "type", "issubdtype"],
)
def test_another_way_than_with_a_float_is_refused(how: Callable[[Any], Any]) -> None:
    verdict = audit(another_way(how), data=Records(3), neighbours="add-remove", claim=1.0)
    assert verdict.word == "refused"


def test_a_memory_of_other_calls_is_refused() -> None:
    LARGEST[0] = 0.5
    verdict = audit(kept, data=Records(3), neighbours="add-remove", claim=1.0)
    assert (verdict.word, "memory" in verdict.why) == ("refused", True)


class Kept:
    """Choose by noisy sums, and by the largest reward of all runs."""

    def __init__(self) -> None:
        self.sums, self.rounds, self.best = np.zeros(2), 0, 0

    def choose(self) -> int:
        return self.rounds % 2 if self.rounds < 10 else self.best

    def update(self, arm: int, reward: float) -> None:
        self.rounds += 1
        LARGEST[0] = max(LARGEST[0], reward)
        self.sums[arm] += reward * (self.rounds <= 10)
        if self.rounds == 10:
            self.best = int(np.argmax(self.sums + np.random.laplace(0, 1.0, 2))) ^ int(LARGEST[0] > 0.9)


def test_a_memory_of_other_runs_is_refused() -> None:
    LARGEST[0] = 0.5
    verdict = audit(Kept, rewards=Rewards(12, 2), claim=1.0)
    assert (verdict.word, "memory" in verdict.why) == ("refused", True)


@pytest.mark.parametrize("high", [5.0, 1e8])
def test_numbers_near_the_largest_float_have_a_width(high: float) -> None:
    verdict = audit(huge, data=Records(3), neighbours="add-remove", claim=1.0, parameters={"high": high})
    assert verdict.word == "consistent"


def test_kinds_of_results() -> None:
    """Texts with other numbers are of one kind, and an exception is of its class."""
    assert kinds_in('{"v": 1.5}') == kinds_in('{"v": -22e-3}') != kinds_in("{}")
    assert kinds_in(("raised", "KeyError", "a")) == kinds_in(("raised", "KeyError", "b")) != kinds_in(1.0)
    assert kinds_in(("list", (1.0, 2))) == kinds_in(("list", (True,))) != kinds_in(("list", ("a",)))
