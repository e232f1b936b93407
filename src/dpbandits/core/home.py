"""Where workflow and configuration lie."""

from __future__ import annotations

from pathlib import Path

from dpbandits.core.provenance import ROOT


def home() -> Path:
    """Return where workflow and configuration lie: in the wheel's package, or in the clone that it is part of."""
    packed = ROOT / "_workflow"
    return packed if packed.is_dir() else ROOT.parents[1]
