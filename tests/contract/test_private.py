"""What a private algorithm lets out goes through the door, where replays see it."""

from __future__ import annotations

from contract import EPSILON, Subject

from dpbandits.audit.replay import replay


def test_releases_pass_the_door(private: Subject) -> None:
    """Noise comes from the run's own stream, and nothing is decided, or read, beside what was released.

    How much is lost at the door is the audit's business: a printed claim may be false.
    """
    found = replay(private.name, EPSILON, horizon=2000, effort=0.5)
    assert not found.refused
    assert found.seen
    assert found.worst is None or "decision" not in found.worst.broke
