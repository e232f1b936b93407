"""The largest regret over K, divided by the rate of the lower bound and by that of the paper's upper bound."""

from __future__ import annotations

from dpbandits.core.labels import BLUE, VERMILION
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Line, Lines, Picture, Rows

RATES = {"log K": ("lower_rate", BLUE, ""), "log² K": ("new_rate", VERMILION, "5 3")}


def draw(rows: Rows) -> Lines | None:
    """Return two lines over K: the largest regret, divided by a lower bound's rate and by an upper bound's.

    The rates are log K/Delta + log K/epsilon and log K/Delta + log^2 K/epsilon. ``rows`` are the numbers of the
    figure ``thm1``, of which the part ``arms`` counts. ``None`` is returned if it has fewer than two K.
    """
    largest: dict[str, dict[float, float]] = {name: {} for name in RATES}
    for row in rows:
        if row["part"] == "arms":
            for name, (column, *_) in RATES.items():
                value, arms = float(row["regret"]) / float(row[column]), float(row["arms"])
                largest[name][arms] = max(largest[name].get(arms, 0.0), value)
    if len(largest["log K"]) < 2:
        return None
    drawn = [Line(f"by {name}/ε", sorted(values.items()), *RATES[name][1:]) for name, values in largest.items()]
    ends = "; ".join(
        f"{line.name} from {number(line.points[0][1])} to {number(line.points[-1][1])}" for line in drawn
    )
    said = f"Largest regret over K, divided by log K/Δ + log K/ε and by log K/Δ + log² K/ε: {ends}"
    return Lines(said, drawn, ("K (actions)", "regret / rate"))


PICTURE = Picture("thm1", draw)
