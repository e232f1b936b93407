"""Deterministic losses: action j always loses ``means[j]`` (wu2025, Section 4)."""

from __future__ import annotations

from dpbandits.settings.full_information.scenario import of_means

ENVIRONMENT = of_means("Deterministic losses", "deterministic")
