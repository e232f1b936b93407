"""One look for all figures: seaborn's theme, a colour-blind-safe colour and a line style for each algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe & Ito 2008: distinguishable with every common colour blindness. Yellow is left out on white.
BLUE, SKY, GREEN, VERMILION, ORANGE, PURPLE, GREY, BLACK = (
    "#0072B2",
    "#56B4E9",
    "#009E73",
    "#D55E00",
    "#E69F00",
    "#CC79A7",
    "#7F7F7F",
    "#000000",
)


class Look(NamedTuple):
    """How an algorithm's curve looks: colour and dashes differ, so that either is enough."""

    colour: str
    dashes: str | tuple[int, tuple[int, ...]]


# By title, so that an algorithm looks the same in every figure; others take the remaining looks in turn.
LOOKS = {
    "DP-IMED": Look(VERMILION, "-"),
    "DP-KLUCB": Look(BLUE, "-"),
    "AdaP-KLUCB": Look(GREEN, (0, (5, 1))),
    "AdaP-UCB": Look(PURPLE, (0, (5, 1))),
    "DP-SE": Look(ORANGE, (0, (3, 1, 1, 1))),
    "Lazy-DP-TS": Look(SKY, (0, (1, 1))),
    "IMED": Look(BLACK, (0, (2, 2))),
    "KL-UCB": Look(GREY, (0, (2, 2))),
}
SPARE = [Look(colour, (0, (4, 1, 1, 1, 1, 1))) for colour in (PURPLE, GREY, BLACK, GREEN, BLUE, ORANGE)]


def looks(titles: Sequence[str]) -> dict[str, Look]:
    """Return the look of each title, in order; unknown ones take spare looks."""
    unknown = [title for title in titles if title not in LOOKS]
    spare = {title: SPARE[i % len(SPARE)] for i, title in enumerate(unknown)}
    return {title: LOOKS.get(title) or spare[title] for title in titles}


def panels(number: int, columns: int, width: float = 7.0, height: float = 2.9) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``number`` axes in rows of ``columns``.

    Parameters
    ----------
    number, columns
        How many axes, and how many in a row.
    width, height
        Width of the figure and height of a row, in inches.
    """
    sns.set_theme(context="paper", style="ticks", rc={"axes.grid": True, "grid.alpha": 0.3, "pdf.fonttype": 42})
    rows = -(-number // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False, layout="constrained")
    axes = list(grid.flat)
    for extra in axes[number:]:
        extra.remove()
    sns.despine(figure)
    return figure, axes[:number]
