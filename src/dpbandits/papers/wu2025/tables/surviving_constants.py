"""wu2025, Remark 4: for given c2 the smallest c1 that the conjecture needs, and the instance that needs it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Made, Table
from dpbandits.settings.full_information.theory import TITLES


def make(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Made:
    """Return the table: for each noise, pair (c2, c3) and part the instance whose bound needs the largest c1.

    The bound is that of wu2025, Remark 4, with c2 above its fraction bar and c3 below. Parts are ``two actions``,
    ``crowd`` and ``search``. ``computed`` has one table, of the computation ``conjecture``; ``numbers`` have its
    columns, and as ``instances`` how many were compared. ``text`` shows a few of the pairs.
    """
    (table,) = computed.values()
    keys = ["noise", "c2", "c3", "part"]
    worst = table.loc[table.groupby(keys)["log10_c1"].idxmax()].sort_values(keys).reset_index(drop=True)
    instances = table.groupby(keys)["log10_c1"].size().rename("instances")
    numbers = worst.join(instances, on=keys)
    # To read: the rate of the noise, the smallest c2 that two actions leave, twice the rate, and two constants.
    multiple = numbers["c2"] / numbers["kappa"]
    worst = numbers[multiple.isin([1.0, 2.0]) | (numbers["c2"] == numbers["slowest"]) | (multiple == 1.5)]
    worst = worst[(worst["c2"] != worst["c3"]) | (worst["c2"] / worst["kappa"] != 1.5)]
    text = pd.DataFrame(
        {
            "noise": worst["noise"].map(TITLES),
            "c2": worst["c2"].map("{:.4g}".format),
            "c3, below the bar": worst["c3"].map("{:.4g}".format).where(worst["c3"] != worst["c2"], "= c2"),
            "instances": worst["part"] + worst["instances"].map(" ({:,})".format),
            "c1 needed": worst["log10_c1"].map(lambda power: f"{10**power:.3g}"),
            "P[J_r = j], exact": worst["log10_p"].map(lambda power: f"{10**power:.3g}"),
            "K": worst["arms"].map("{:g}".format),
            "ε": worst["epsilon"].map("{:.3g}".format),
            "rounds": worst["n"].map("{:,}".format),
            "gaps": worst["gaps"],
            "actions": worst["multiplicities"],
        }
    )
    return Made(numbers, text)


TABLE = Table(title="Constants of the conjecture of Remark 4 that survive", make=make)
