"""The privacy of one selection, audited exactly on pairs of neighbouring loss vectors."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.settings.full_information.noises import NOISES
from dpbandits.settings.full_information.privacy import ARMS, DRAWN, search


def compute(epsilons: Sequence[float], arms: Sequence[int], drawn: int, seed: int) -> pd.DataFrame:
    """Audit the privacy of one selection of RNM-FTNL under every noise, on pairs of neighbouring loss vectors.

    Parameters
    ----------
    epsilons
        Claimed budgets.
    arms
        Numbers of actions, each >= 2.
    drawn, seed
        How many loss vectors are drawn beside the structured ones, and the seed.

    Returns
    -------
    DataFrame
        ``noise``, ``epsilon`` (claimed), ``arms``, and:

        - ``audited``: the largest log ratio of selection probabilities found;
        - ``multiple``: audited/claimed;
        - ``pairs``: the number of pairs of neighbours that were compared;
        - ``behind``: how much more the first action had lost than each other one in the worst pair, as text.
    """
    rows = []
    for name, noise in NOISES.items():
        for epsilon in epsilons:
            for number in arms:
                found = search(noise.select, noise.factor / epsilon, number, drawn, seed)
                rows.append(
                    {
                        "noise": name,
                        "epsilon": epsilon,
                        "arms": number,
                        "audited": found.loss,
                        "multiple": found.loss / epsilon,
                        "pairs": found.pairs,
                        "behind": " ".join(f"{value:g}" for value in found.behind),
                    }
                )
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="The privacy of a selection, audited on neighbouring losses",
    source="wu2025, Theorems 1, 2 and 4",
    compute=compute,
    parameters={
        "epsilons": Option([0.1, 1.0], "claimed budgets"),
        "arms": Option(list(ARMS), "numbers of actions"),
        "drawn": Option(DRAWN, "loss vectors drawn beside the structured ones"),
        "seed": SEED,
    },
)
