"""Preflight of few short runs in Python, for tests of something else: whole, it takes 0.2 to 2 s of each audit."""

from __future__ import annotations

import pytest

from dpbandits.auditing import preflight

# The whole preflight makes runs of 1, 2, ..., 10 and 60 rounds, and of 100,000.
FEW, SHORTER = (1, 2, 7, 60), 10_000


def shorten(patched: pytest.MonkeyPatch) -> None:
    """Have the preflight make fewer runs, and shorter long ones."""
    patched.setattr(preflight, "HORIZONS", FEW)
    patched.setattr(preflight, "LONG", SHORTER)
