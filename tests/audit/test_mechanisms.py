"""Every mechanism on which proofs of privacy rest: sound programs are consistent, classical mistakes are found.

No verdict here is statistical but where a program hides coins: there bounds are false with probability 1e-9.
"""

from __future__ import annotations

from typing import Any

import pytest
from programs import PROGRAMS, program, where
from tiers import core

from dpbandits.auditing.check import check
from dpbandits.auditing.replay import Replayed, replay

# Programs decide every few rounds: what they do in longer runs they do in these, and a search takes seconds.
LONGEST, EFFORT = 2_000, 0.5
SHORT = 300
# Programs that the fast tier compiles.
FAST = {
    ("tree", "stochastic"),
    ("copy", "stochastic"),
    ("thinning", "stochastic"),
}
FOUND = ("violated", "suspicious", "refused")
ALLOWED = {"any": FOUND}
PLACES = [(name, setting) for name in PROGRAMS for setting in where(name)]
CASES = [(*place, rounds) for place in PLACES for rounds in (SHORT, LONGEST) if rounds == LONGEST or place in FAST]
OF_TIER = pytest.mark.parametrize(
    ("name", "setting", "rounds"), core(CASES, lambda case: case[2] == SHORT and case[0] == "tree")
)
# A search through coins takes 5 s; `test_a_rare_coin_is_no_violation` is its fast sample.
OF_TIER_FOUND = pytest.mark.parametrize(
    ("name", "setting", "rounds"), core(CASES, lambda case: case[2] == SHORT and case[0] != "thinning")
)


def searched(name: str, known: str, seed: int = 0, rounds: int = LONGEST) -> Replayed:
    """Return what a search finds of a program."""
    given: dict[str, Any] = {"delta": 1e-6} if PROGRAMS[name].definition == "approximate" else {}
    return replay(known, 1.0, parameters=given, horizon=rounds, effort=EFFORT, seeds=range(seed, seed + 1))


def verdict(found: Replayed) -> str:
    """Return what an audit would say by replays alone."""
    if found.worst is not None and found.worst.violation and not found.suspicious:
        return "violated"
    return "refused" if found.refused else "suspicious" if found.suspicious else "consistent"


@OF_TIER
def test_a_sound_program_is_consistent(name: str, setting: str, rounds: int) -> None:
    with program(name, setting) as known:
        found = searched(name, known, rounds=rounds)
    assert verdict(found) == "consistent", (found.refused, found.suspicious, found.worst)


@OF_TIER_FOUND
def test_a_classical_mistake_is_found(name: str, setting: str, rounds: int) -> None:
    for fault, (words, expected) in enumerate(PROGRAMS[name].faults.items(), start=1):
        with program(name, setting, fault) as known:
            found = searched(name, known, rounds=rounds)
            said = verdict(found)
            assert said in ALLOWED.get(expected, (expected,)), (words, said)
            if said == "violated":
                # What is proved is proved again, from the certificate alone.
                assert found.worst is not None and found.worst.certificate is not None
                assert check(found.worst.certificate).accepted


def test_who_draws_from_a_copy_of_the_stream_is_told_so() -> None:
    with program("copy", "stochastic", 1) as known:
        found = searched("copy", known)
    assert "a draw was kept, or drawn from a copy of the run's stream" in found.refused
