"""Gaps spaced geometrically from the smallest to 1: actions at every scale."""

from __future__ import annotations

from dpbandits.full_information.instances import geometric
from dpbandits.full_information.places import of_family

ENVIRONMENT = of_family("Geometric gaps", geometric, 3)
