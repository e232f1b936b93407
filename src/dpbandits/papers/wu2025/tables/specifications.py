"""wu2025, Table 2: which specification of Algorithm 1 gives which theorem, with regret and audited privacy."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Made, Table
from dpbandits.core.errors import BadInput
from dpbandits.settings.full_information.theory import TITLES

RANDOM, DETERMINISTIC = "random", "deterministic"
# Theorem, losses of the setting, B, noise.
SPECIFICATIONS = (
    ("Theorem 1 (Hu et al. 2021)", RANDOM, 0, "laplace"),
    ("Theorem 2", RANDOM, 1, "laplace"),
    ("Theorem 2", RANDOM, 1, "exponential"),
    ("Theorem 2", RANDOM, 1, "gumbel"),
    ("Theorem 4", DETERMINISTIC, 0, "exponential"),
    ("Theorem 4", DETERMINISTIC, 0, "gumbel"),
    ("Theorem 4, repaired", DETERMINISTIC, 0, "permute-and-flip"),
)


def exact(
    losses: str, resampling: int, noise: str, horizon: float, arms: float, computed: Mapping[str, pd.DataFrame]
) -> float:
    """Return RNM-FTNL's exact regret, with a noise and with or without resampling, on the simulated instance.

    Parameters
    ----------
    losses
        The losses in words, ``random`` or ``deterministic``.
    resampling, noise
        The number B, 0 or 1, and the noise's name.
    horizon, arms
        Numbers T of rounds and K of actions; K is not used with random losses, which are of one instance alone.
    computed
        Tables of the computations ``stochastic-regret`` and ``deterministic-regret``, by name.

    Raises
    ------
    BadInput
        If the tables have no such regret, or several.
    """
    if losses == RANDOM:
        table = computed["stochastic-regret"]
        table = table[(table["part"] == "horizon") & (table["resampling"] == resampling)]
    else:
        table = computed["deterministic-regret"]
        table = table[(table["part"] == "arms") & (table["family"] == "hidden") & (table["arms"] == arms)]
    found = table.loc[(table["noise"] == noise) & (table["horizon"] == horizon), "regret"]
    if len(found) != 1:
        raise BadInput("computations", sorted(computed), f"one regret of {noise}, K = {arms:g}, T = {horizon:g}")
    return float(found.iloc[0])


def make(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Made:
    """Return the table: for each specification of RNM-FTNL its regret at T, exact and sampled, and audited privacy.

    A specification is a theorem, with the losses, the resampling (B) and the noise that it is about.
    Sampled regrets are of the experiments ``random`` and ``deterministic``. In ``numbers`` they are ``mean`` with
    its interval, ``exact`` is the exact one, and ``audited_multiple`` the largest audited loss over the claim.
    ``computed`` has ``selection-privacy``, ``stochastic-regret`` and ``deterministic-regret``. `BadInput` is raised
    if a regret is missing.
    """
    last = aggregates[aggregates["round"] == aggregates["horizon"]]
    audits = computed["selection-privacy"]
    numbers, text = [], []
    for theorem, losses, resampling, noise in SPECIFICATIONS:
        title = f"RNM-FTNL ({noise if noise == 'permute-and-flip' else noise.capitalize()})"
        known = last["experiment"] == losses
        found = last[known & (last["title"] == title) & (last["resampling"] == resampling)]
        if len(found) != 1:
            raise BadInput(
                "experiments", title, f"one cell of it with B = {resampling} in an experiment {losses!r}"
            )
        row = found.iloc[0]
        value = exact(losses, resampling, noise, row["horizon"], row["arms"], computed)
        audit = audits[audits["noise"] == noise]
        multiple = float(audit["multiple"].max())
        numbers.append(
            {
                "specification": theorem,
                "losses": losses,
                "resampling": resampling,
                "noise": noise,
                "exact": value,
                **{
                    key: row[key] for key in ("mean", "mean_low", "mean_high", "runs", "arms", "epsilon", "horizon")
                },
                "audited_multiple": multiple,
                "audited_pairs": int(audit["pairs"].sum()),
            }
        )
        half = (row["mean_high"] - row["mean_low"]) / 2
        text.append(
            {
                "specification": theorem,
                "resampling": "yes (B = 1)" if resampling else "no (B = 0)",
                "noise": TITLES[noise],
                "losses": f"{losses}, K = {row['arms']:,.0f}",
                "exact regret": f"{value:,.2f}",
                "sampled regret": f"{row['mean']:,.2f} ± {half:,.2f} ({row['runs']:,} runs)",
                "audited privacy": f"{multiple:.4f} ε",
            }
        )
    return Made(pd.DataFrame(numbers), pd.DataFrame(text))


TABLE = Table(title="Specifications of RNM-FTNL: theorem, regret, privacy", make=make)
