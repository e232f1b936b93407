"""Median and mean of regret, from the numbers of the figure ``cure``."""

from __future__ import annotations

from collections.abc import Sequence

from dpbandits.core.labels import LOOKS, TITLES, symbol
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Pair, Pairs, Rows

FIGURE = "cure"
# Against which the mean of DP-IMED is worst.
RIVAL = "DP-KLUCB"


def medians_and_means(rows: Rows, titles: Sequence[str]) -> Pairs | None:
    """Return medians and means of regret at one bandit and budget.

    There DP-IMED's mean divided by DP-KLUCB's is larger than at all others.

    Parameters
    ----------
    rows
        Numbers of the figure: ``environment``, ``epsilon``, ``title``, ``statistic``, ``value``.
    titles
        Titles of the algorithms that are shown.

    Returns
    -------
    Pairs or None
        A median and a mean for each title. ``None`` if at no bandit and budget all of ``titles``, DP-IMED and
        DP-KLUCB have numbers.
    """
    law: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for row in rows:
        at = law.setdefault((row["environment"], row["epsilon"]), {})
        at[row["title"], row["statistic"]] = float(row["value"])
    needed = [(title, statistic) for title in {*titles, "DP-IMED", RIVAL} for statistic in ("mean", "median")]
    whole = {case: values for case, values in law.items() if all(key in values for key in needed)}
    if not whole:
        return None
    case = max(whole, key=lambda case: whole[case]["DP-IMED", "mean"] / whole[case][RIVAL, "mean"])
    shown = [
        Pair(
            TITLES.get(title, title), whole[case][title, "median"], whole[case][title, "mean"], LOOKS[title].colour
        )
        for title in titles
    ]
    place = f"{symbol(case[0])}, ε = {number(float(case[1]))}"
    said = "; ".join(f"{row.name}: median {number(row.first)}, mean {number(row.second)}" for row in shown)
    return Pairs(f"Regret at {place}. {said}", shown, ("median", "mean"), f"regret, {place}")
