"""What a private algorithm lets out goes through the recorder, where replays see it."""

from __future__ import annotations

from contract import EPSILON, Subject

from dpbandits.auditing.audit import DELTA
from dpbandits.auditing.preflight import check_one_run
from dpbandits.auditing.replay import replay


def test_releases_are_recorded(private: Subject) -> None:
    """Noise comes from the run's own stream, and nothing is decided, or read, beside what was released.

    How much is lost at the recorder is the audit's business: a printed claim may be false. All else that breaks,
    a decision that differs under equal releases, noise that is reused, or means that are read, is no claim's fault.
    """
    approximate = private.declared.privacy.definition == "approximate"
    given = {"delta": DELTA} if approximate else {}
    found = replay(private.name, EPSILON, parameters=given, horizon=2000, effort=0.5)
    assert not found.refused
    assert found.seen
    violation = "" if found.worst is None else found.worst.violation
    assert violation == "" or violation.startswith("a transcript loses"), violation


def test_simulate_checks_it(private: Subject) -> None:
    """With any environment's arms, `dpbandits simulate --preflight` lets it pass."""
    check_one_run(private.job(private.tried_in.ordinary.environment, 20_000), 1)
