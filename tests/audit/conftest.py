"""What tests of audits share."""

from __future__ import annotations

import pytest
from short_preflight import shorten


@pytest.fixture(autouse=True)
def preflight_of_tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the preflight of each audit in the fast tier; what tests the preflight itself replaces this."""
    if request.node.get_closest_marker("slow") is None:
        shorten(monkeypatch)
