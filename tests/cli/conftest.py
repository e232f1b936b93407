"""What tests of several commands share."""

from __future__ import annotations

import pytest

from dpbandits.cli import exhibits


@pytest.fixture(scope="session")
def known() -> exhibits.Configuration:
    """Return the shipped configuration, which takes half a second to read."""
    return exhibits.configuration()
