"""Gaps (0, gap, gap, 1, ..., 1): the instance of the lower bound (wu2025, Theorem 3)."""

from __future__ import annotations

from dpbandits.settings.full_information.instances import hidden
from dpbandits.settings.full_information.scenario import of_family

ENVIRONMENT = of_family("A hidden best action", hidden, 4)
