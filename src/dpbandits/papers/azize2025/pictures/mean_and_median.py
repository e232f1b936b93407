"""Median and mean regret of DP-KLUCB and DP-IMED, with the paper's first batch."""

from __future__ import annotations

from dpbandits.core.pictures import Pairs, Picture, Rows
from dpbandits.papers.azize2025.pictures._laws import FIGURE, RIVAL, medians_and_means


def draw(rows: Rows) -> Pairs | None:
    """Return median and mean regret of DP-KLUCB and DP-IMED where DP-IMED's mean is most above DP-KLUCB's.

    ``rows`` are the numbers of the figure ``cure``; ``None`` is returned if no bandit and budget has them all.
    """
    return medians_and_means(rows, (RIVAL, "DP-IMED"))


PICTURE = Picture(FIGURE, draw)
