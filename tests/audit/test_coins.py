"""Coins of a program that hide what it reads make no false proof, however rare, and no author can choose them."""

from __future__ import annotations

import copy
import json
from typing import Any
from unittest import mock

import numpy as np
import programs
import pytest
from programs import Program, program
from tiers import core

from dpbandits.auditing import told
from dpbandits.auditing.admission import salt
from dpbandits.auditing.check import OWN, SECRET, check
from dpbandits.auditing.replay import Replayed, replay
from dpbandits.auditing.told import _giving, random_states, states_to_try, tries
from dpbandits.core.streams import bits

# Decides by one arm's sum and a coin of its own, which lies in exp(-epsilon) of the cases: sound, and with a coin
# that lies too seldom. Nothing tells the recorder that it is noise.
START = """
    noisy[1] = release(state, recorder, sums[1], width / epsilon)
    if noisy[1] > 4.0:
        return 1
    answer = int(sums[0] > 1.5)
    share = 1.0 / (1.0 + exp((2.0 if fault == 1 else 1.0) * epsilon))
"""
COINS = {
    "extreme": "    return 1 - answer if uniform(state) <= share else answer",
    "of-the-middle": "    return 1 - answer if 0.0 < uniform(state) - 0.4 <= share else answer",
    "third": """
    uniform(state)
    uniform(state)
    return 1 - answer if uniform(state) > 1.0 - share else answer
""",
}
PROGRAMS = {f"coin-{name}": Program(START + text, {"lies too seldom": "violated"}) for name, text in COINS.items()}
Forged = dict[str, Any]


@pytest.fixture(autouse=True)
def _known() -> object:
    with mock.patch.dict(programs.PROGRAMS, PROGRAMS):
        yield


def searched(known: str, epsilon: float) -> Replayed:
    return replay(known, epsilon, horizon=500, effort=0.2, seconds=60.0)


@pytest.mark.budget(6)
@pytest.mark.parametrize("name", core(PROGRAMS, "coin-of-the-middle".__eq__))
@pytest.mark.parametrize("epsilon", core([1.0, 3.0, 4.0, 5.0, 10.0], (10.0).__eq__))
def test_a_rare_coin_is_no_violation(name: str, epsilon: float) -> None:
    """At a budget of 4 it lies in 1.8 % of the cases, and at 10 in 0.005 %: 48 draws would not meet it."""
    with program(name, "stochastic") as known:
        found = searched(known, epsilon)
    assert found.suspicious and "no draw of the program hides" not in found.suspicious


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_coin_that_lies_too_seldom_is_found(name: str) -> None:
    with program(name, "stochastic", 1) as known:
        found = searched(known, 1.0)
        assert found.worst is not None and found.worst.violation and not found.suspicious
        assert found.worst.certificate is not None and check(found.worst.certificate).accepted


def test_a_coin_is_tried_often_enough() -> None:
    """Under each budget up to 5 one that excuses is missed once in 1,000 times, and up to 4 once in 10^5."""
    for epsilon in np.arange(0.01, 5.01, 0.01).tolist():
        shows_nothing = 1.0 / (1.0 + np.exp(-epsilon))
        assert shows_nothing ** tries(epsilon, 10) <= (1.0001e-5 if epsilon <= 4.0 else 1e-3)
    assert tries(1.0, 10) == told.TIMES and tries(1e9, 10) == told.MOST_TIMES[0]


@pytest.mark.parametrize("place", range(told.FORCED))
def test_an_extreme_draw_is_where_it_should_be(place: int) -> None:
    """Each draw of a call is forced by itself, to both sides."""
    rng = np.random.default_rng(place)
    for _ in range(20):
        state, word = [int(x) for x in rng.integers(0, 2**64, 4, dtype=np.uint64)], int(rng.integers(2**63))
        stream = np.array(_giving(state, place, word), dtype=np.uint64)
        assert [int(bits(stream)) for _ in range(place + 1)][-1] == word
    drawn = []
    for forced in states_to_try(3, place + 1, 0, 7):
        stream = np.array(forced[3], dtype=np.uint64)
        drawn.append([int(bits(stream)) >> 34 for _ in range(place + 1)])
    assert len(drawn) == 2 * (place + 1)
    assert drawn[-2][place] == 0 and drawn[-1][place] == 2**30 - 1


def ground(made: Forged, secret: bytes, share: float) -> int:
    """Return how many notes an author has to add until a coin that lies in a share of draws is never met."""
    for number in range(20_000):
        root = salt(made | {"note": number}, secret)
        draws = (random_states([1], turn, root)[1] for turn in range(told.TIMES))
        if all(int(bits(np.array(state, dtype=np.uint64))) >= share * 2.0**64 for state in draws):
            return number
    raise AssertionError("none was found")


def test_an_author_cannot_choose_what_the_checker_draws() -> None:
    """With a secret that is known, a note is found in milliseconds under which 48 draws miss a coin of 8 %.

    Under the secret of another process the same note says nothing.
    """
    made: Forged = {"format": "dpbandits 1", "kind": "transcript"}
    number = ground(made, OWN, 0.08)
    suits = made | {"note": number}
    root = salt(suits, b"of another process")
    assert root != salt(suits, OWN)
    assert len(SECRET) == 16 and SECRET != OWN


def test_who_checks_a_stranger_draws_by_his_own_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless told otherwise; an audit of one's own gives the same verdict each time."""
    from dpbandits.auditing.audit import audit

    seen: list[bytes] = []
    kept = salt

    def noted(certificate: Forged, secret: bytes) -> int:
        seen.append(secret)
        return kept(certificate, secret)

    monkeypatch.setattr(told, "salt", noted)
    made = json.loads(json.dumps(audit("rnm-ftnl-exponential", 1.0, effort=100).certificate))
    assert set(seen) <= {OWN}
    seen.clear()
    first = check(copy.deepcopy(made))
    assert set(seen) == {SECRET}
    assert first.accepted
    assert check(made, b"1") == check(made, b"1")
