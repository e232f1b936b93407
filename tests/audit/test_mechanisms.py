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

SEEDS = 20
# Programs that the fast tier compiles.
FAST = {("tree", "stochastic"), ("copy", "stochastic"), ("thinning", "stochastic"), ("sparse", "full_information")}
PLACES = [(name, setting) for name in PROGRAMS for setting in where(name)]
OF_TIER = pytest.mark.parametrize(("name", "setting"), core(PLACES, FAST.__contains__))


def searched(name: str, known: str, seed: int) -> Replayed:
    """Return what a search finds of a program."""
    given: dict[str, Any] = {"delta": 1e-6} if PROGRAMS[name].definition == "approximate" else {}
    return replay(known, 1.0, parameters=given, seeds=range(seed, seed + 1))


def verdict(found: Replayed) -> str:
    """Return what an audit would say by replays alone."""
    if found.worst is not None and found.worst.violation and not found.suspicious:
        return "violated"
    return "refused" if found.refused else "suspicious" if found.suspicious else "consistent"


def seeds(request: pytest.FixtureRequest) -> range:
    """Return one seed, or in the slow tier all."""
    return range(SEEDS if "slow" in request.config.getoption("-m") else 1)


@OF_TIER
def test_a_sound_program_is_consistent(name: str, setting: str, request: pytest.FixtureRequest) -> None:
    for seed in seeds(request):
        with program(name, setting) as known:
            found = searched(name, known, seed)
        assert verdict(found) == "consistent", (seed, found.refused, found.suspicious, found.worst)


@OF_TIER
def test_a_classical_mistake_is_found(name: str, setting: str, request: pytest.FixtureRequest) -> None:
    for fault, (words, expected) in enumerate(PROGRAMS[name].faults.items(), start=1):
        for seed in seeds(request):
            with program(name, setting, fault) as known:
                found = searched(name, known, seed)
                said = verdict(found)
                assert said == expected or (expected == "any" and said != "consistent"), (words, seed, said)
                if said == "violated":
                    # What is proved is proved again, from the certificate alone.
                    assert found.worst is not None and found.worst.certificate is not None
                    assert check(found.worst.certificate).accepted


def test_who_draws_from_a_copy_of_the_stream_is_told_so() -> None:
    with program("copy", "stochastic", 1) as known:
        found = searched("copy", known, 0)
    assert "a draw was kept, or drawn from a copy of the run's stream" in found.refused
