"""How the variants of RNM-FTNL (wu2025) look: a colour for each noise, dashed without resampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from dpbandits.core.interactive import Curve, Measure
from dpbandits.core.labels import LOOKS, Dashes
from dpbandits.core.labels import NOISES as WORDS
from dpbandits.settings.full_information.theory import TITLES

NOISES = {
    noise: (TITLES[noise], look.colour, look.mark)
    for noise, look in ((noise, LOOKS[f"RNM-FTNL ({word})"]) for noise, word in WORDS.items())
}
NOISES["permute-and-flip"] = (f"{TITLES['permute-and-flip']}, repaired", *NOISES["permute-and-flip"][1:])
WITHOUT: tuple[int, tuple[float, ...]] = (0, (3, 1.5))


def _width(noise: str) -> float:
    """Return a line's width: Laplace and Gumbel noise often give the same curve, so the one below is broad."""
    return 3.0 if noise == "laplace" else 1.3


def by_noise(
    table: pd.DataFrame,
    measures: Mapping[str, Measure],
    words: str = "",
    dashes: Dashes = "-",
    joined: bool = True,
) -> list[Curve]:
    """Return a curve for each noise of a table, named after the noise.

    Parameters
    ----------
    table
        Rows with a column ``noise``.
    measures
        Columns of the curves' heights, by their names for readers.
    words
        Text that follows the noise in a curve's name.
    dashes, joined
        Dashes of all curves, and whether points are joined.
    """
    return [
        Curve(f"{NOISES[noise][0]}{words}", own, NOISES[noise][1], dashes, measures, joined, width=_width(noise))
        for noise, own in parts(table, "noise")
    ]


def six_variants(table: pd.DataFrame, measures: Mapping[str, Measure]) -> list[Curve]:
    """Return a curve for each noise with ``resampling`` 1 and, dashed, with 0: Bernoulli resampling or none.

    ``table`` has ``noise`` and ``resampling``; ``measures`` has columns of the curves' heights by name.
    """
    with_it, without = (table[table["resampling"] == b] for b in (1, 0))
    return [
        *by_noise(with_it, measures, ", with resampling (B = 1)"),
        *by_noise(without, measures, ", without (B = 0)", WITHOUT),
    ]


def parts(table: pd.DataFrame, by: str | list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield each value of the column ``by``, ascending, with its rows; for a list of columns a value is a tuple."""
    yield from table.groupby(by)
