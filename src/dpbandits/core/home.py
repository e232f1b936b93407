"""Folder in which workflow and configuration lie."""

from __future__ import annotations

from pathlib import Path

from dpbandits.core.provenance import ROOT


def home() -> Path:
    """Return the folder with workflow and configuration: inside an installed wheel's package, or a clone's root."""
    packed = ROOT / "_workflow"
    return packed if packed.is_dir() else ROOT.parents[1]
