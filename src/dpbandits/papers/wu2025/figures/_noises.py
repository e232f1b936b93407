"""How the variants of RNM-FTNL (wu2025) look: a colour for each noise, dashed without resampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core.interactive import Curve, Measure
from dpbandits.core.labels import BLACK, LOOKS, Dashes
from dpbandits.core.labels import NOISES as WORDS
from dpbandits.papers.style import LineOptions
from dpbandits.settings.full_information.theory import TITLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

NOISES = {
    noise: (TITLES[noise], look.colour, look.mark)
    for noise, look in ((noise, LOOKS[f"RNM-FTNL ({word})"]) for noise, word in WORDS.items())
}
NOISES["permute-and-flip"] = (f"{TITLES['permute-and-flip']}, repaired", *NOISES["permute-and-flip"][1:])
WITHOUT: tuple[int, tuple[float, ...]] = (0, (3, 1.5))


def line(noise: str, resampling: int = 1) -> LineOptions:
    """Return Matplotlib's options of a variant's line."""
    look: LineOptions = {"linewidth": _width(noise), "zorder": 1.9 if noise == "laplace" else 2.0}
    return {"color": NOISES[noise][1], "linestyle": "-" if resampling else WITHOUT, **look}


def _width(noise: str) -> float:
    """Return a line's width: Laplace and Gumbel noise often give the same curve, so the one below is broad."""
    return 3.0 if noise == "laplace" else 1.3


def marks(noise: str) -> LineOptions:
    """Return Matplotlib's options of a noise's line with markers."""
    return {"color": NOISES[noise][1], "marker": NOISES[noise][2], "markersize": 3.5}


def handles(noises: list[str], resampling: bool = False) -> list[Line2D]:
    """Return what a legend of noises, and of resampling, is made of."""

    from matplotlib.lines import Line2D

    known = [Line2D([], [], color=NOISES[noise][1], label=NOISES[noise][0]) for noise in noises]
    if resampling:
        known.append(Line2D([], [], color=BLACK, label="B = 1, resampled"))
        known.append(Line2D([], [], color=BLACK, linestyle=WITHOUT, label="B = 0"))
    return known


def say(axis: Axes, x: float, y: float, text: str, **more: Any) -> None:
    """Write a small text at a place in data."""
    axis.text(x, y, text, **{"fontsize": 7, **more})


def by_noise(
    table: pd.DataFrame,
    measures: Mapping[str, Measure],
    words: str = "",
    dashes: Dashes = "-",
    joined: bool = True,
) -> list[Curve]:
    """Return a curve for each noise of a table, called by it and by ``words``."""
    return [
        Curve(f"{NOISES[noise][0]}{words}", own, NOISES[noise][1], dashes, measures, joined, width=_width(noise))
        for noise, own in parts(table, "noise")
    ]


def six(table: pd.DataFrame, measures: Mapping[str, Measure]) -> list[Curve]:
    """Return a curve for each variant: noises with resampling, and, dashed, without."""
    with_it, without = (table[table["resampling"] == b] for b in (1, 0))
    return [*by_noise(with_it, measures, ", B = 1"), *by_noise(without, measures, ", B = 0", WITHOUT)]


def parts(table: pd.DataFrame, by: str | list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the rows of a table for each value of one or several columns."""
    yield from table.groupby(by)
