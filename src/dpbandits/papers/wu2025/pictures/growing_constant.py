"""The smallest constant c1 that a crowd of K actions needs, at the c2 that leaves it the least growth."""

from __future__ import annotations

import math

from dpbandits.core.labels import LOOKS, NOISES
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Line, Lines, Picture, Rows

DASHES = {"laplace": "", "exponential": "6 3", "gumbel": "2 3"}


def draw(rows: Rows) -> Lines | None:
    """Return a line of log10 c1 over K for each noise that has several K; ``None`` without any."""
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
