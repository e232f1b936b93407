"""wu2025, Theorems 1 and 2 and Corollary 1: exact pseudo-regret with random losses, with and without resampling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import laws, regret, theory
from dpbandits.settings.full_information.noises import NOISES, PRINTED
from dpbandits.settings.full_information.selection import Floats

# A horizon at which regret has long stopped growing.
LAST = 2**40


def family(name: str, arms: Floats, gap: float) -> tuple[Floats, Floats]:
    """Return the distinct gaps of a family, shape (groups,), and how many actions have each, shape (cases, groups).

    Parameters
    ----------
    name
        The family. ``equal`` has the gaps (0, gap, ..., gap), ``hidden`` has (0, gap, gap, 1, ..., 1). ``ladder``
        has one action of gap 0 and six larger gaps, from ``gap`` to 1 in geometric steps. The i-th of the six has
        K^(i/6) actions, rounded.
    arms : ndarray of float64, shape (cases,)
        Numbers K. In the families ``equal`` and ``hidden`` these are the numbers of actions; a ladder has more.
    gap
        The smallest gap, > 0.
    """
    ones = np.ones_like(arms)
    if name == "equal":
        return np.array([0.0, gap]), np.column_stack([ones, arms - 1.0])
    if name == "hidden":
        return np.array([0.0, gap, 1.0]), np.column_stack([ones, 2.0 * ones, arms - 3.0])
    # More actions at larger gaps: in every epoch some gap is just about to be told from 0.
    steps = np.rint(arms[:, None] ** (np.arange(1, 7) / 6.0))
    return np.append(0.0, np.geomspace(gap, 1.0, 6)), np.column_stack([ones, steps])


def over_arms(arms: Sequence[int], epsilon: float, gap: float) -> pd.DataFrame:
    """Return the exact regret of RNM-FTNL at T = 2^40 for each noise, on three families of gaps, Bernoulli losses.

    ``arms`` are numbers K, ``epsilon`` is the privacy budget and ``gap`` the smallest gap. The column ``family`` is
    ``equal`` (0, gap, ..., gap), ``hidden`` (0, gap, gap, 1, ..., 1) or ``ladder`` (six gaps up to 1). An instance
    has K actions, but a ladder has more. The column ``arms`` has the true number of actions. At this number the
    rates of eq. 2 and Theorem 2, ``lower_rate`` and ``new_rate``, and our bound ``theorem_b``
    (docs/wu2025-regret.md) stand beside ``regret``.
    """
    rows = []
    for name in ("equal", "hidden", "ladder"):
        gaps, multiplicities = family(name, np.array(arms, dtype=np.float64), gap)
        # Equal gaps are hardest at means next to 1/2; the others need all of [0, 1].
        best = 0.5 - gap / 2.0 if name == "equal" else 0.0
        for noise in PRINTED:
            scale = NOISES[noise].factor / epsilon
            sums = laws.bernoulli(best + gaps)
            expected = regret.random(NOISES[noise], scale, sums, 1.0, gaps, multiplicities, regret.epochs(LAST))
            values = regret.regret(expected, np.array([LAST]))[:, 0]
            rows += [
                {
                    "family": name,
                    "noise": noise,
                    "epsilon": epsilon,
                    "gap": gap,
                    "arms": number,
                    "horizon": LAST,
                    "regret": value,
                    "lower_rate": theory.lower_rate(number, epsilon, gap),
                    "new_rate": theory.new_rate(number, epsilon, gap),
                    "theorem_b": theory.stochastic_bound(theory.SPREADS[noise](number), scale, number, gap),
                }
                for number, value in zip(multiplicities.sum(axis=1), values, strict=True)
            ]
    return pd.DataFrame(rows)


def over_horizon(
    values: Sequence[Sequence[float]],
    probabilities: Sequence[Sequence[float]],
    step: float,
    epsilon: float,
    horizon: int,
) -> pd.DataFrame:
    """Return the exact regret of RNM-FTNL over T for three noises, with and without Bernoulli resampling.

    Losses are of one instance. Columns are ``noise, resampling`` (1 with it, 0 without), ``epsilon, arms, gap``
    (the smallest one), ``horizon`` (T = 1, 2, 4, ...) and ``regret``.

    Parameters
    ----------
    values, probabilities
        For each action, the losses in [0, 1] that it may have, and their probabilities.
    step
        A divisor of 1; all losses are multiples of it.
    epsilon, horizon
        Privacy budget, and largest number T of rounds.
    """
    # The law of each action's loss in one round, on multiples of the step.
    one = np.zeros((len(values), round(1.0 / step) + 1))
    for action, (row, weights) in enumerate(zip(values, probabilities, strict=True)):
        for value, weight in zip(row, weights, strict=True):
            one[action, round(value / step)] += weight
    means = one @ np.arange(one.shape[1]) * step
    gaps, alone = means - means.min(), np.ones((1, means.size))
    rounds = 2 ** np.arange(regret.epochs(horizon))
    rows: list[Row] = []
    for noise in PRINTED:
        for resampling in (0, 1):
            sums, unit = (laws.bernoulli(means), 1.0) if resampling else (laws.summed(one), step)
            scale = NOISES[noise].factor / epsilon
            expected = regret.random(NOISES[noise], scale, sums, unit, gaps, alone, rounds.size)
            labels = {"noise": noise, "resampling": resampling, "epsilon": epsilon, "arms": means.size}
            labels["gap"] = gaps[gaps > 0.0].min()
            curve = regret.regret(expected[0], rounds)
            rows += [{**labels, "horizon": t, "regret": value} for t, value in zip(rounds, curve, strict=True)]
    return pd.DataFrame(rows)


def worst_over_gaps(arms: Sequence[int], epsilon: float, horizon: int) -> pd.DataFrame:
    """Return RNM-FTNL's largest exact regret over sixteen instances, by noise, K and T.

    In an instance all K - 1 worse actions have the same gap: 1, 2^-0.5, 2^-1, ... or 2^-7.5. Losses are Bernoulli.
    A bound that knows no gap must cover the largest. ``arms`` are values of K; T is 16, 64, 256, ... up to
    ``horizon``, a power of four, at least 16. Beside ``regret`` stand Table 1's rates without gaps, ``lower_rate``
    and ``new_rate``, and our bound ``theorem_c`` (docs/wu2025-regret.md).
    """
    number = np.array(arms, dtype=np.float64)
    rounds = 4 ** np.arange(2, regret.epochs(horizon) // 2 + 1)
    rows = []
    for noise in PRINTED:
        scale = NOISES[noise].factor / epsilon
        curves = []
        # Sixteen gaps from 1 down to 2^-7.5, the worst of which counts at each T.
        for gap in 2.0 ** (-np.arange(16) / 2.0):
            gaps, multiplicities = family("equal", number, gap)
            sums = laws.bernoulli(0.5 - gap / 2.0 + gaps)
            epochs = regret.epochs(int(rounds[-1]))
            expected = regret.random(NOISES[noise], scale, sums, 1.0, gaps, multiplicities, epochs)
            curves.append(regret.regret(expected, rounds))
        for (i, t), value in np.ndenumerate(np.max(curves, axis=0)):
            of = (float(number[i]), epsilon, float(rounds[t]))
            spread = theory.SPREADS[noise](of[0])
            rows.append(
                {
                    "noise": noise,
                    "epsilon": epsilon,
                    "arms": of[0],
                    "horizon": rounds[t],
                    "regret": value,
                    "lower_rate": theory.independent_lower_rate(*of),
                    "new_rate": theory.independent_rate(*of),
                    "theorem_c": theory.independent_bound(spread, scale, of[0], of[2]),
                }
            )
    return pd.DataFrame(rows)


def compute(
    arms: list[int],
    epsilon: float,
    gap: float,
    epsilons: list[float],
    values: list[list[float]],
    probabilities: list[list[float]],
    step: float,
    horizon: int,
    independent_horizon: int,
) -> pd.DataFrame:
    """Compute the exact regret of RNM-FTNL with each noise of the paper over K, epsilon and T.

    Parameters
    ----------
    arms, epsilon, gap
        Numbers K, privacy budget and smallest gap of the instances of three families, with Bernoulli losses. The
        family ``ladder`` has more than K actions.
    epsilons
        Budgets of the part ``epsilon``, all with the middle one of ``arms``.
    values, probabilities, step, horizon
        One instance: each action's losses, multiples of ``step``, their probabilities, and the largest T.
    independent_horizon
        Largest T, a power of four of at least 16, of the part ``independent``. It has the largest regret over
        sixteen gaps, equal for all worse actions, from 1 to 2^-7.5. Its K are the first, the middle and the last of
        ``arms``.

    Returns
    -------
    DataFrame
        Columns are:

        - ``part``: ``arms``, ``epsilon``, ``horizon`` or ``independent``;
        - ``family`` of gaps (``equal``, ``hidden``, ``ladder``), ``noise``, ``epsilon``, ``gap``, ``horizon``, and
          ``arms``, the true number of actions;
        - ``resampling`` (B), which is there in the part ``horizon`` alone: on Bernoulli losses B changes nothing;
        - ``regret``, exact;
        - ``lower_rate`` and ``new_rate``: the rates of eq. 2 and Theorem 2, in ``independent`` those of Table 1
          without gaps;
        - ``theorem_b`` and ``theorem_c``: bounds of our two theorems (docs/wu2025-regret.md). The first is in the
          parts ``arms`` and ``epsilon``, the second in ``independent``.

        What a part lacks is missing: ``horizon`` has no family, rates or bounds, ``independent`` no family and gap.
    """
    middle = arms[len(arms) // 2]
    return pd.concat(
        [
            over_arms(arms, epsilon, gap).assign(part="arms"),
            *(over_arms([middle], budget, gap).assign(part="epsilon") for budget in epsilons),
            over_horizon(values, probabilities, step, epsilon, horizon).assign(part="horizon"),
            worst_over_gaps([arms[0], middle, arms[-1]], epsilon, independent_horizon).assign(part="independent"),
        ],
        ignore_index=True,
    )


COMPUTATION = Computation(
    title="Exact pseudo-regret with random losses",
    source="wu2025, Theorems 1 and 2, Corollary 1",
    compute=compute,
    parameters={
        "arms": Option([2**k for k in range(2, 25, 2)], "numbers of actions"),
        "epsilon": Option(0.1, "budget"),
        "gap": Option(0.1, "smallest gap"),
        "epsilons": Option([0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0], "budgets followed for the middle one of them"),
        "values": Option([[0.25, 0.5], [0.5], [0.0, 1.0]], "one instance: the values of each action's losses"),
        "probabilities": Option([[0.8, 0.2], [1.0], [0.4, 0.6]], "their probabilities"),
        "step": Option(0.25, "of which all the values are multiples"),
        "horizon": Option(2**20, "up to which T the instance is followed"),
        "independent_horizon": Option(2**14, "up to which T the worst gap is searched"),
    },
)
