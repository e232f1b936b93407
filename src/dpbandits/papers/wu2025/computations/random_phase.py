"""Exact expected regret of epochs that double and of epochs of random phase, on instances of five shapes.

Source: docs/wu2025-regret.md, Theorems A and F, for deterministic losses. Let b be the noise's scale, and s = E max
Q - E Q_1 in units of b. Epochs that double cost between 2 b s - 1 and 4 b s + 1. A random phase of ratio e costs
about e b s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import regret, theory
from dpbandits.settings.full_information.instances import Gaps, equal, grouped, hidden
from dpbandits.settings.full_information.noises import NOISES

INSTANCES = {
    "pair": equal(2.0, 1.0),
    "crowd": equal(1000.0, 1.0),
    "harmonic": grouped(np.append(0.0, 1.0 / np.arange(1, 101))),
    "two crowds": Gaps(np.array([0.0, 0.1, 1.0]), np.array([1.0, 10.0, 1e6])),
    "hidden": hidden(1000.0, 0.01),
}


def compute(scales: Sequence[float]) -> pd.DataFrame:
    """Compute RNM-FTNL's expected regret at T = infinity, with epochs that double and with epochs of random phase.

    Losses are deterministic. Epochs of random phase last ceil(e^(k + phase)) rounds, with a phase uniform on
    [0, 1].

    Parameters
    ----------
    scales
        Scales b of the noise, each >= 100.

    Returns
    -------
    DataFrame
        ``part`` (always phase), ``noise, family`` (the instance's shape), ``arms, gap, scale, epsilon``, and
        ``b_s``, the product of b and s: s is the expected excess of the largest of K noises of scale 1 over one.
        ``doubling`` is regret with epochs that double, ``phase`` regret with a random phase. ``upper`` is the bound
        on ``phase`` of Theorem F (docs/wu2025-regret.md).
    """
    rows: list[Row] = []
    for noise, found in NOISES.items():
        for family, gaps in INSTANCES.items():
            for scale in scales:
                size = scale * theory.SPREADS[noise](gaps.arms)
                rows.append(
                    {
                        "part": "phase",
                        "noise": noise,
                        "family": family,
                        "arms": gaps.arms,
                        "gap": gaps.smallest,
                        "scale": scale,
                        "epsilon": found.factor / scale,
                        "b_s": size,
                        "doubling": regret.doubling(found, scale, gaps),
                        "phase": regret.random_phase(found, scale, gaps),
                        "upper": theory.random_phase_bound(size / scale, scale, math.e),
                    }
                )
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Exact expected regret of doubling epochs and of epochs of random phase",
    source="wu2025, Algorithm 1; docs/wu2025-regret.md, Theorems A and F",
    compute=compute,
    parameters={"scales": Option([200.0, 10000.0], "scales b of the noise")},
)
