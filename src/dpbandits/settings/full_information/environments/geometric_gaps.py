"""Gaps spaced geometrically from the smallest to 1: actions at every scale."""

from __future__ import annotations

from dpbandits.settings.full_information.instances import geometric
from dpbandits.settings.full_information.scenario import of_family

ENVIRONMENT = of_family("Geometric gaps", geometric, 3)
