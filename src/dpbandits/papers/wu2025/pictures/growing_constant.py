"""The smallest constant c1 with which the conjecture holds for a crowd of K actions, for each noise.

The conjecture bounds a selection probability by c1 exp(-x/c2), divided by a sum (wu2025, Remark 4). Here c2 is the
limit below which two actions leave no c1.
"""

from __future__ import annotations

import math

from dpbandits.core.labels import LOOKS, NOISES
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Line, Lines, Picture, Rows

DASHES = {"laplace": "", "exponential": "6 3", "gumbel": "2 3"}


def draw(rows: Rows) -> Lines | None:
    """Return a line for each noise: log10 of the smallest c1 with which Remark 4's bound holds, over K actions.

    A row counts if its ``part`` is ``"crowd"``, its ``c2`` equals both ``c3`` and ``slowest``, and its noise is
    ``laplace``, ``exponential`` or ``gumbel``.

    Parameters
    ----------
    rows
        Mappings with ``part``, ``noise``, ``arms``, ``c2``, ``c3``, ``slowest`` and ``log10_c1``.

    Returns
    -------
    Lines or None
        The lines of all noises with at least two points; ``None`` if no noise has them.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        one = row["part"] == "crowd" and row["c2"] == row["c3"] and row["noise"] in DASHES
        if one and math.isclose(float(row["c2"]), float(row["slowest"]), rel_tol=1e-9):
            found.setdefault(row["noise"], []).append((float(row["arms"]), float(row["log10_c1"])))
    drawn = [
        Line(NOISES[noise], sorted(points), LOOKS[f"RNM-FTNL ({NOISES[noise]})"].colour, DASHES[noise])
        for noise, points in found.items()
        if len(points) > 1
    ]
    if not drawn:
        return None
    ends = "; ".join(f"{line.name} up to {number(line.points[-1][1])}" for line in drawn)
    said = f"log10 of the smallest c1 that K actions need: {ends}"
    return Lines(said, drawn, ("K (actions)", "log₁₀ of the c₁ needed"), even=True)


PICTURE = Picture("conjecture", draw)
