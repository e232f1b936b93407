"""Faults of one release that show late, seldom or in one place alone: caught in every setting.

One algorithm of each setting, with one seed; ``benchmarks/replays.py`` has them all with twenty. What is asked here
is whether the search finds a loss; one certificate that the checker does not accept ends it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from late import HARMLESS, PLACES, breakable, with_fault
from twins import registered

from dpbandits.auditing.replay import Replayed, findings, replay
from dpbandits.core.algorithm import Algorithm

# The fast tier has those of `test_replay`.
pytestmark = pytest.mark.slow
CHOSEN = ("agarwal-singh", "batched-exp4", "robust-elimination-m1", "rnm-ftnl-gumbel")
SEEDS = range(1)
CLAIM = 1.0 + 1e-9


@pytest.fixture(autouse=True)
def _one_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "SETTINGS", dataclasses.replace(findings.SETTINGS, rejected=1))


@pytest.fixture(scope="module", params=CHOSEN)
def broken(request: pytest.FixtureRequest) -> Iterator[tuple[str, Algorithm]]:
    """Return an algorithm's name, and the algorithm with all faults: it compiles once."""
    yield request.param, breakable(request.param)


def searched(broken: tuple[str, Algorithm], fault: str, seed: int) -> Replayed:
    """Return a search of a twin."""
    name, altered = broken
    with registered(name, with_fault(altered, name, fault)) as twin:
        return replay(twin, 1.0, parameters=PLACES[name].given, seeds=range(seed, seed + 1))


def test_every_late_fault_is_caught(broken: tuple[str, Algorithm]) -> None:
    name, _ = broken
    for fault in PLACES[name].faults:
        if (name, fault) in HARMLESS:
            continue
        for seed in SEEDS:
            found = searched(broken, fault, seed)
            assert found.loss > CLAIM or found.refused, f"{fault}, seed {seed}"


def test_without_a_fault_nothing_is_caught(broken: tuple[str, Algorithm]) -> None:
    found = searched(broken, "none", 0)
    assert found.seen and found.loss <= CLAIM and not found.refused
