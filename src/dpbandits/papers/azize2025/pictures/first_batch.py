"""Median and mean regret of DP-IMED, with the paper's first batch and with one of 10/ε."""

from __future__ import annotations

from dpbandits.core.pictures import Pairs, Picture, Rows
from dpbandits.papers.azize2025.pictures._laws import FIGURE, medians_and_means


def draw(rows: Rows) -> Pairs | None:
    """Return median and mean regret of DP-IMED with both first batches, where its mean is most above DP-KLUCB's.

    ``rows`` are the numbers of the figure ``cure``; ``None`` is returned if no bandit and budget has them all.
    """
    return medians_and_means(rows, ("DP-IMED", "DP-IMED, long start"))


PICTURE = Picture(FIGURE, draw)
