"""What a private algorithm lets out goes through the recorder, where replays see it."""

from __future__ import annotations

from typing import Any

import pytest
from contract import EPSILON, Subject
from short_preflight import shorten

from dpbandits.auditing.audit import DELTA
from dpbandits.auditing.preflight import check_one_run
from dpbandits.auditing.replay import replay

# Longer runs with more arms, and more of them, are eight times as dear.
SHORT, LONG = {"horizon": 60, "arms": 3, "effort": 0.1}, {"horizon": 2000, "effort": 0.5}


@pytest.mark.parametrize("search", [SHORT, pytest.param(LONG, marks=pytest.mark.slow)], ids=["short", "long"])
def test_releases_are_recorded(private: Subject, search: dict[str, Any]) -> None:
    """Noise comes from the run's own stream, and nothing is decided, or read, beside what was released.

    How much is lost at the recorder is the audit's business: a printed claim may be false. All else that breaks,
    a decision that differs under equal releases, noise that is reused, or means that are read, is no claim's fault.
    """
    approximate = private.declared.privacy.definition == "approximate"
    given = {"delta": DELTA} if approximate else {}
    found = replay(private.name, EPSILON, parameters=given, **search)
    if not found.seen:
        # One that lets out nothing in a short run.
        found = replay(private.name, EPSILON, parameters=given, **LONG)
    assert not found.refused
    assert found.seen
    violation = "" if found.worst is None else found.worst.violation
    assert violation == "" or violation.startswith("a transcript loses"), violation


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_simulate_checks_it(private: Subject, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any environment's arms, `dpbandits simulate --preflight` lets it pass."""
    if not whole:
        shorten(monkeypatch)
    check_one_run(private.job(private.tried_in.ordinary.environment, 20_000), 1)
