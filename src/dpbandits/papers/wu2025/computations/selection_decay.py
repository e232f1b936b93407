"""wu2025, equation 5 (7 in the appendix): how fast the probability of a worse action falls with the rounds seen.

For each noise there are to be c1 and c2, the same for all instances, with

    P[J_r = j] <= c1 exp(-x/c2),    x = 2^(r+1) Delta_j min(Delta_j, epsilon) = 4 n Delta_j min(Delta_j, epsilon),

n = 2^(r-1) the rounds that J_r is selected on. For a c1 of at least 1 every P has a smallest such c2,
x/(log c1 - log P). The bound holds if that is bounded over all instances: `proved` has c2 for c1 = 2, with a proof
in docs/wu2025-regret.md, and the grid here comes close to it and finds nothing above.

Further actions only lower P[J_r = j]. So the worst case is two actions, with Bernoulli losses of means next to 1/2
and a gap next to epsilon. There c2 rises with n to its limit. Without randomness c2 is smaller.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.full_information import laws
from dpbandits.settings.full_information.noises import NOISES, PRINTED
from dpbandits.settings.full_information.selection import Floats

# c1. With it, c2 of each noise by the proof.
C1 = 2.0
PROVED = {"laplace": 9.6, "exponential": 16.0 / 3.0, "gumbel": 64.0 / 7.0}
# Smaller probabilities are left out: there the tails that laws leave out (pairs), or the rounding of quadratures
# (crowds), may matter.
FAINTEST_PAIR, FAINTEST_CROWD = 1e-30, 1e-8
# x of smaller size bounds nothing: any c2 above x/log 2 will do.
LEAST_X = 0.25


def exponent(n: float, gap: float, epsilon: float) -> float:
    """Return x = 4 n Delta min(Delta, epsilon) of equation 5: ``n`` rounds seen, Delta = ``gap``."""
    return 4.0 * n * gap * min(gap, epsilon)


def row(part: str, noise: str, arms: float, n: float, gap: float, epsilon: float, log_p: float) -> Row:
    """Return a row: all parameters, and the smallest ``c2`` for which P <= 2 exp(-x/c2) on this instance.

    P is the probability of ``log_p``, ``x`` is 4 n gap min(gap, epsilon), and ``proved`` a c2 that was proved to
    suffice on all instances.

    Parameters
    ----------
    part, noise
        Part of the table, such as ``centre``, and the noise: ``laplace``, ``exponential`` or ``gumbel``.
    arms, n, gap, epsilon
        Number K of actions, number of rounds, gap of all but one action, and privacy budget.
    log_p
        The log of the probability that an action with this gap is selected.
    """
    x = exponent(n, gap, epsilon)
    return {
        "part": part,
        "noise": noise,
        "arms": arms,
        "n": n,
        "gap": gap,
        "epsilon": epsilon,
        "x": x,
        "log_p": log_p,
        "c2": x / (math.log(C1) - log_p),
        "proved": PROVED[noise],
    }


def difference(n: int, worse: float, better: float) -> tuple[Floats, Floats]:
    """Return values and probabilities of the worse action's loss in ``n`` rounds less the better one's.

    Both losses are sums of n Bernoulli losses, with means ``worse`` and ``better``. Values are successive whole
    numbers, ascending. Of either sum, probabilities below 1e-40 are left out.
    """
    sums, firsts = [], []
    for mean in (worse, better):
        law = laws.binomial(n, mean)
        kept = np.flatnonzero(law)
        sums.append(law[kept[0] : kept[-1] + 1])
        firsts.append(int(kept[0]))
    # Of non-negative terms, so that small probabilities are exact too.
    law = np.convolve(sums[0], sums[1][::-1])
    return firsts[0] - firsts[1] - (sums[1].size - 1) + np.arange(law.size, dtype=np.float64), law


def pairs(epochs: int, gaps: Sequence[float], epsilons: Sequence[float]) -> Iterator[Row]:
    """Yield rows of two actions with Bernoulli losses, of means next to 1/2 (``centre``) or 0 and gap (``bottom``).

    P is the probability that the worse action is selected. A row has the instance, ``log_p`` and the smallest
    ``c2`` for which P <= 2 exp(-x/c2), x = 4 n gap min(gap, epsilon). Instances with x < 1/4 or P <= 1e-30 have no
    row.

    Parameters
    ----------
    epochs, gaps, epsilons
        Number of values of n = 1, 2, 4, ..., the gaps, and the privacy budgets; all are combined.
    """

    from scipy.special import logsumexp

    for part, best in (("centre", 0.5), ("bottom", 0.0)):
        for n in (2**k for k in range(epochs)):
            for gap in gaps:
                budgets = [each for each in epsilons if exponent(n, gap, each) >= LEAST_X]
                mean = best * (1.0 - gap)
                values, law = difference(n, mean + gap, mean) if budgets else (np.empty(0), np.empty(0))
                for noise in PRINTED:
                    for epsilon in budgets:
                        d = epsilon / NOISES[noise].factor * values
                        log_p = float(logsumexp(NOISES[noise].log_overtake(d), b=law))
                        if log_p > math.log(FAINTEST_PAIR):
                            yield row(part, noise, 2.0, float(n), gap, epsilon, log_p)


def crowds(epochs: int, arms: Sequence[float], gaps: Sequence[float], epsilons: Sequence[float]) -> Iterator[Row]:
    """Yield rows of K actions with Bernoulli losses next to 1/2, all but one of the same gap.

    P is the probability that one given worse action is selected. A row has the instance, ``log_p`` and the smallest
    ``c2`` for which P <= 2 exp(-x/c2), x = 4 n gap min(gap, epsilon). Instances with x < 1/4 or P <= 1e-8 have no
    row.

    Parameters
    ----------
    epochs
        Number of values of n = 1, 2, 4, ...
    arms, gaps, epsilons
        Values of K, of the gap, and of the budget; all are combined.
    """
    multiplicities = np.column_stack([np.ones(len(arms)), np.array(arms) - 1.0])
    for n in (2**k for k in range(epochs)):
        for gap in gaps:
            sums = np.array([laws.binomial(n, 0.5 + sign * gap / 2.0) for sign in (-1.0, 1.0)])
            for epsilon in epsilons:
                if exponent(n, gap, epsilon) < LEAST_X:
                    continue
                for noise in PRINTED:
                    step = epsilon / NOISES[noise].factor
                    selected = NOISES[noise].select_random(sums, multiplicities, step)[:, 1]
                    for number, probability in zip(arms, selected, strict=True):
                        if probability > FAINTEST_CROWD:
                            yield row("crowd", noise, number, float(n), gap, epsilon, math.log(probability))


def deterministic(
    epochs: int, arms: Sequence[float], gaps: Sequence[float], epsilons: Sequence[float]
) -> Iterator[Row]:
    """Yield rows of K actions with losses that are not random, all but one of the same gap.

    P is the probability that one given worse action is selected. A row has the instance, ``log_p`` and the smallest
    ``c2`` for which P <= 2 exp(-x/c2), x = 4 n gap min(gap, epsilon). Instances with x < 1/4 have no row.

    Parameters
    ----------
    epochs
        Number of values of n = 1, 16, 256, ...
    arms, gaps, epsilons
        Values of K, of the gap, and of the budget; all are combined.
    """
    for noise in PRINTED:
        for number in arms:
            multiplicities = np.array([1.0, number - 1.0])
            for n in (16.0**k for k in range(epochs)):
                for gap in gaps:
                    for epsilon in epsilons:
                        if exponent(n, gap, epsilon) < LEAST_X:
                            continue
                        excess = np.array([0.0, n * gap * epsilon / NOISES[noise].factor])
                        log_p = float(NOISES[noise].select(excess, multiplicities)[1])
                        yield row("deterministic", noise, number, n, gap, epsilon, log_p)


def compute(
    arms: list[float],
    gaps: list[float],
    epsilons: list[float],
    epochs: int,
    crowd_epochs: int,
    deterministic_epochs: int,
) -> pd.DataFrame:
    """Compute the smallest c2 for which equation 5 holds, P[J_r = j] <= 2 exp(-x/c2), over a grid of instances.

    P[J_r = j] is the probability that RNM-FTNL selects a worse action after n rounds, and
    x = 4 n Delta min(Delta, epsilon).

    Parameters
    ----------
    arms
        Numbers K of actions, >= 2, of the parts ``crowd`` and ``deterministic``.
    gaps, epsilons
        Gaps Delta and privacy budgets; instances on which x is below 1/4 are left out.
    epochs, crowd_epochs, deterministic_epochs
        Numbers of values of n: 1, 2, 4, ... for two actions with Bernoulli losses, and for more; 1, 16, 256, ...
        for losses that are not random.

    Returns
    -------
    DataFrame
        ``part, noise, arms, n, gap, epsilon, x``, ``log_p`` (exact), ``c2`` (the smallest that suffices) and
        ``proved`` (that of the proof). Values of ``part`` are:

        - ``centre``: two actions with Bernoulli losses next to 1/2, down to P = 1e-30;
        - ``bottom``: the same with no losses for the better one;
        - ``crowd``: K actions with Bernoulli losses next to 1/2, down to P = 1e-8;
        - ``deterministic``: K actions with losses that are not random, of any P.
    """
    budgets = sorted(epsilons)
    return pd.DataFrame(
        [
            *pairs(epochs, gaps, budgets),
            *crowds(crowd_epochs, arms, gaps, budgets),
            *deterministic(deterministic_epochs, arms, gaps, budgets),
        ]
    )


COMPUTATION = Computation(
    title="Equation 5: the smallest c2 with which the probability of a worse action is at most 2 exp(-x/c2)",
    source="wu2025, equations 5 and 7, Lemma 5",
    compute=compute,
    parameters={
        "arms": Option([2.0, 8.0, 64.0, 1024.0, 32768.0, 1048576.0], "numbers of actions"),
        "gaps": Option([2.0**-k for k in range(10)], "gaps of the worse actions"),
        "epsilons": Option([2.0**k for k in range(-15, 4)], "budgets"),
        "epochs": Option(19, "how many values of n = 1, 2, 4, ... for two actions with Bernoulli losses"),
        "crowd_epochs": Option(10, "how many of them for more actions with Bernoulli losses"),
        "deterministic_epochs": Option(8, "how many values of n = 1, 16, 256, ... for losses that are not random"),
    },
)
