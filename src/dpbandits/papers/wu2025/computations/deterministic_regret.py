"""wu2025, Section 4: exact pseudo-regret with deterministic losses, for many actions and long horizons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import regret, theory
from dpbandits.settings.full_information.instances import Gaps, equal, geometric, hidden
from dpbandits.settings.full_information.noises import NOISES

# Equal gaps are followed over one octave, in which all relations of epochs to the gap occur.
OCTAVE = 2.0 ** (np.arange(8) / 8.0)


def instances(arms: float, gap: float) -> Iterator[tuple[str, Gaps]]:
    """Yield instances, each after the name of its family.

    The family "equal" has an instance for each of eight factors from 1 to 2^(7/8), with all gaps ``gap`` times the
    factor. The families "hidden" and "geometric" have one instance each.

    Parameters
    ----------
    arms
        Number K of actions, a whole number.
    gap
        Smallest gap, > 0.
    """
    for factor in OCTAVE:
        yield "equal", equal(arms, gap * factor)
    yield "hidden", hidden(arms, gap)
    yield "geometric", geometric(int(arms), gap)


def row(noise: str, family: str, gaps: Gaps, epsilon: float, horizon: int) -> Row:
    """Return a row: RNM-FTNL's exact pseudo-regret at T with one noise on one instance, and bounds on it.

    After ``noise, family, arms, gap, epsilon, horizon`` and ``regret`` comes ``rate`` (log K/epsilon). Then come
    Theorem 3's lower bound, ``lower_printed`` and as repaired ``lower``, and our Theorem A's bounds from both
    sides, ``theorem_a_low`` and ``theorem_a_high``.

    Parameters
    ----------
    noise, family
        Name of the noise, and of the family of instances.
    gaps
        The instance.
    epsilon, horizon
        Privacy budget, and number T of rounds.
    """
    scale = NOISES[noise].factor / epsilon
    expected = regret.deterministic(NOISES[noise], scale, gaps, regret.epochs(horizon))
    low, high = theory.deterministic_bounds(theory.SPREADS[noise](gaps.arms), scale)
    return {
        "noise": noise,
        "family": family,
        "arms": gaps.arms,
        "gap": gaps.smallest,
        "epsilon": epsilon,
        "horizon": horizon,
        "regret": regret.regret(expected, np.array([horizon]))[0],
        "rate": np.log(gaps.arms) / epsilon,
        "lower_printed": theory.deterministic_lower_bound_printed(gaps.arms, epsilon),
        "lower": theory.deterministic_lower_bound(gaps.arms, epsilon, horizon),
        "theorem_a_low": low,
        "theorem_a_high": high,
    }


def compute(
    arms: Sequence[int],
    epsilon: float,
    gap: float,
    horizon: int,
    epsilons: Sequence[float],
    horizons: Sequence[int],
) -> pd.DataFrame:
    """Compute RNM-FTNL's exact regret on deterministic losses, with each noise, over K, over epsilon and over T.

    Parameters
    ----------
    arms
        Numbers K of actions, each >= 6. The last one is followed over epsilon and T.
    epsilon, gap, horizon
        Privacy budget, smallest gap, and number T of rounds.
    epsilons, horizons
        Budgets and values of T that are followed for the last K, on the instance of the lower bound.

    Returns
    -------
    DataFrame
        ``part``: ``arms``, ``epsilon`` or ``horizon``, what varies; ``noise, family`` (``equal``, ``hidden`` or
        ``geometric``), ``arms, gap, epsilon, horizon``; ``regret``, exact; ``rate``: log K/epsilon.
        ``lower_printed`` is Theorem 3's bound as printed, without T, and ``lower`` the repaired one at T;
        ``theorem_a_low`` and ``theorem_a_high`` are our Theorem A's bounds.
    """
    rows = []
    for noise in NOISES:
        for number in arms:
            for family, gaps in instances(number, gap):
                rows.append({"part": "arms", **row(noise, family, gaps, epsilon, horizon)})
        last = hidden(arms[-1], gap)
        rows += [{"part": "epsilon", **row(noise, "hidden", last, budget, horizon)} for budget in epsilons]
        rows += [{"part": "horizon", **row(noise, "hidden", last, epsilon, rounds)} for rounds in horizons]
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Exact pseudo-regret with deterministic losses",
    source="wu2025, Theorems 3 and 4, Corollary 2",
    compute=compute,
    parameters={
        "arms": Option([10, 100, 1000, 10**4, 10**5], "numbers of actions"),
        "epsilon": Option(0.1, "budget"),
        "gap": Option(0.01, "smallest gap"),
        "horizon": Option(2**40, "T"),
        "epsilons": Option([0.01, 0.1, 1.0, 10.0], "budgets followed for the last number of actions"),
        "horizons": Option([2**k for k in range(0, 41, 2)], "horizons followed for the last number of actions"),
    },
)
