"""Gaps (0, gap, ..., gap): the hardest instance without privacy (wu2025, Remark 3)."""

from __future__ import annotations

from dpbandits.settings.full_information.instances import equal
from dpbandits.settings.full_information.scenario import of_family

ENVIRONMENT = of_family("Equal gaps", equal, 2)
