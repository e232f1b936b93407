"""The part of the article on Azize et al. (2025), with a section on the rare runs of DP-IMED."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from dpbandits.core.pictures import Rows

Range = tuple[float, float]


class Ratios(TypedDict):
    """Ratios of DP-IMED's regret to DP-KLUCB's at one budget: the least and the largest of all environments.

    Attributes
    ----------
    epsilon
        Privacy budget.
    mean, median, q99
        Ratios of the means, of the medians, and of the 99 % quantiles.
    far
        No ratio but the share of DP-IMED's runs whose regret is above twenty times its median.
    """

    epsilon: float
    mean: Range
    median: Range
    q99: Range
    far: Range


def facts(computed: Mapping[str, Rows]) -> dict[str, list[Ratios]]:
    """Return the values that the article's templates use.

    Parameters
    ----------
    computed
        Rows of computations, by the computation's id; ``regret-law`` alone is read, if it is there.

    Returns
    -------
    dict
        ``law``: one `Ratios` for each budget, ascending; none without the computation.
    """
    return {"law": ratios_by_budget(computed.get("regret-law", ()))}


def ratios_by_budget(rows: Rows) -> list[Ratios]:
    """Return, for each budget, the least and the largest ratio of DP-IMED's regret to DP-KLUCB's.

    Parameters
    ----------
    rows
        Rows of the computation ``regret-law``, with ``experiment``, ``environment``, ``epsilon``, ``algorithm``,
        ``statistic`` and ``value``. Only the experiments ``story`` and ``story-1`` count.

    Returns
    -------
    list of Ratios
        One entry for each budget, ascending.
    """
    values = {
        (float(row["epsilon"]), row["environment"], row["algorithm"], row["statistic"]): float(row["value"])
        for row in rows
        if row["experiment"] in ("story", "story-1") and row["value"]
    }

    def extremes(statistic: str, environments: Sequence[str], epsilon: float) -> Range:
        ratios = [
            values[epsilon, environment, "dp-imed", statistic] / values[epsilon, environment, "dp-klucb", statistic]
            for environment in environments
        ]
        return min(ratios), max(ratios)

    found: list[Ratios] = []
    for epsilon in sorted({key[0] for key in values}):
        environments = sorted({key[1] for key in values if key[0] == epsilon})
        shares = [values[epsilon, environment, "dp-imed", "far"] for environment in environments]
        found.append(
            {
                "epsilon": epsilon,
                "mean": extremes("mean", environments, epsilon),
                "median": extremes("median", environments, epsilon),
                "q99": extremes("q99", environments, epsilon),
                "far": (min(shares), max(shares)),
            }
        )
    return found
