"""charisopoulos2022, after Theorem 1.3: what its bound gains on that of Bogunovic et al. (2021), without privacy.

As T grows, with C = alpha T, the bounds are T max(sqrt(alpha d), alpha d) and T alpha d^(3/2), without logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.mathematics import geometric_sequence


def compute(dimensions: Sequence[int], points: int) -> pd.DataFrame:
    """Compute the regret bound of Bogunovic et al. (2021) divided by that of Theorem 1.3, over alpha.

    Neither has its logarithms: the bounds are T alpha d^(3/2) and T max(sqrt(alpha d), alpha d).

    Parameters
    ----------
    dimensions
        Values of d.
    points
        Number of corruption probabilities for each d, geometrically from 1/(100 d^2) to 1/4. One more is 1/d, or
        1/4 if that is less.

    Returns
    -------
    DataFrame
        ``dimension, alpha, regime`` (such as ``alpha below 1/d``) and ``gain``, the earlier bound over the new.
    """
    rows = []
    for d in dimensions:
        for alpha in np.unique([*geometric_sequence(0.01 / d**2, 0.25, points), min(0.25, 1.0 / d)]):
            new = max(math.sqrt(alpha * d), alpha * d)
            regime = "alpha below 1/d" if alpha * d < 1.0 else "alpha at least 1/d"
            rows.append({"dimension": d, "alpha": alpha, "regime": regime, "gain": alpha * d * math.sqrt(d) / new})
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="The gain of the robust bound on an earlier one",
    source="charisopoulos2022, after Theorem 1.3, and Section 1.2",
    compute=compute,
    parameters={
        "dimensions": Option([5, 10, 50], "values of d"),
        "points": Option(41, "corruption probabilities for each"),
    },
)
