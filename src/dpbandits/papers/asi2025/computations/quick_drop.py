"""asi2025, Lemma 11: does an algorithm drop a bad arm quickly, and what regret does that force upon it?

On the first sequence the regret of a run is half its pulls of arm 2, so regret curves tell how often arm 2 was
pulled up to every checkpoint. Conditions (1) and (2) ask that with probability 1/2 arm 2 is pulled at least gamma T
times in all, and at most p times in the p/gamma rounds after round tau. Of all (gamma, tau, p) for which both are
established at the given confidence, the one with the largest lower bound is kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.runs.aggregate import Measured
from dpbandits.settings.adversarial.theory import late_improvement

KIND = "late-improvement"
# p is tried at these multiples of log(2)/epsilon, beyond which the bound says nothing.
MULTIPLES = np.geomspace(0.05, 0.9, 8)
# gamma is tried at these multiples of the largest that condition (1) allows.
SHARES = (1.0, 0.5, 0.25)
# Times that the runs are drawn again for a standard error.
RESAMPLED = 200


def at_least(successes: int, trials: int, confidence: float) -> float:
    """Return the one-sided lower Clopper–Pearson bound of a probability, of ``successes`` in ``trials``."""

    from scipy.special import betaincinv

    if successes == 0:
        return 0.0
    return float(betaincinv(successes, trials - successes + 1, 1 - confidence))


def largest_gamma(pulls: NDArray[np.float64], horizon: int, confidence: float) -> float:
    """Return the largest gamma, at most 1/2, for which Lemma 11's condition (1) is established; 0 if there is none.

    The condition: with probability at least 1/2 arm 2 is pulled gamma T times or more.

    Parameters
    ----------
    pulls : ndarray of float64, shape (runs,)
        Pulls of arm 2 in each run.
    horizon
        T.
    confidence
        Confidence at which the probability of 1/2 is established.
    """
    ordered = np.sort(pulls)[::-1]
    # The fewest runs that establish a probability of 1/2, those with most pulls: each has the last one's at least.
    for successes in range(1, ordered.size + 1):
        if at_least(successes, ordered.size, confidence) >= 0.5:
            return min(0.5, float(ordered[successes - 1]) / horizon)
    return 0.0


def best_bound(measured: Measured, epsilon: float, confidence: float, seed: int) -> dict[str, float]:
    """Return gamma, tau and p with the largest lower bound of Lemma 11, and the bound; NaN if none is established.

    The bound needs two conditions, each with probability at least 1/2. Arm 2 is pulled (1) gamma T times or more in
    all, and (2) at most p times in a window, the p/gamma rounds after round tau.

    Parameters
    ----------
    measured
        A cell's runs on the first sequence, on which arm 2 never improves.
    epsilon
        The budget.
    confidence
        Confidence at which each probability is established to be 1/2 or more.
    seed
        Seed of resampled runs.

    Returns
    -------
    dict
        ``gamma, tau, p, fraction`` (of the runs that satisfy condition (2)), ``lower_bound``, ``closest`` and
        ``closest_error``. ``closest`` is the smallest median of the pulls in a window, as a multiple of p, infinite
        if no (gamma, tau, p) could be tried. If it is above 1, half of the runs or more break condition (2) in each
        window that was tried. ``closest_error`` is its standard error, by resampling runs.
    """
    horizon = measured.cell.job.horizon
    # Regret is half the pulls of arm 2.
    pulls = 2 * measured.regret
    runs = pulls.shape[0]
    top = largest_gamma(pulls[:, -1], horizon, confidence)
    best = dict.fromkeys(("gamma", "tau", "p", "fraction", "lower_bound"), math.nan)
    windows = []
    for gamma in (share * top for share in SHARES if top > 0):
        for p in MULTIPLES * math.log(2) / epsilon:
            for i, tau in enumerate(measured.rounds):
                # Up to the next checkpoint: at least the window, so condition (2) is not made easier.
                end = int(np.searchsorted(measured.rounds, tau + p / gamma))
                # The lemma asks for tau < T/2 and 2 gamma tau <= p.
                if tau >= horizon / 2 or end >= measured.rounds.size or 2 * gamma * tau > p:
                    continue
                window = pulls[:, end] - pulls[:, i]
                windows.append(window / p)
                kept = int((window <= p).sum())
                bound = late_improvement(horizon, epsilon, gamma, float(tau), float(p))
                # "not <=" and not ">": the first bound is compared with NaN.
                if at_least(kept, runs, confidence) >= 0.5 and not bound <= best["lower_bound"]:
                    best = {"gamma": gamma, "tau": float(tau), "p": float(p), "fraction": kept / runs}
                    best["lower_bound"] = bound
    return best | smallest_median(windows, seed)


def smallest_median(windows: Sequence[NDArray[np.float64]], seed: int) -> dict[str, float]:
    """Return the smallest of several windows' median pulls, as a multiple of p, and its standard error.

    The runs of all windows are the same, and are resampled together.

    Parameters
    ----------
    windows
        For each window (gamma, tau, p) each run's pulls of arm 2 in it, in multiples of p, shape (runs,).
    seed
        Seed of resampled runs.

    Returns
    -------
    dict
        ``closest`` and ``closest_error``; infinity and NaN without any window.
    """
    if not windows:
        return {"closest": math.inf, "closest_error": math.nan}
    table = np.stack(windows)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(table.shape[1], size=(RESAMPLED, table.shape[1]))
    again = [np.median(table[:, runs], axis=1).min() for runs in drawn]
    return {"closest": float(np.median(table, axis=1).min()), "closest_error": float(np.std(again, ddof=1))}


def compute(runs: Sequence[Measured], confidence: float, seed: int) -> pd.DataFrame:
    """Compute private algorithms' regret on Lemma 11's sequences, and on the first of them the lemma's lower bound.

    On the first sequence arm 2 never improves.

    Parameters
    ----------
    runs
        Regret of each cell's runs, shape (runs, rounds). A cell is an algorithm in one environment at one budget
        and horizon. Those in environments of other kinds than ``late-improvement``, or without a budget, are left
        out.
    confidence, seed
        Confidence at which each condition is established, and seed of resampled runs.

    Returns
    -------
    DataFrame
        ``algorithm, title, environment, improves`` (the round of improvement, or its fraction of T; none on the
        first sequence), ``epsilon, horizon, runs, cell``, the mean ``regret`` at T and its standard ``error``. On
        the first sequence also ``lower_bound``, the ``gamma, tau, p`` that give it, and the ``fraction`` of runs
        with condition (2), all NaN if none is established. ``closest`` is the smallest median of pulls in a window
        over p, with its error ``closest_error``; without any window it is infinite, and its error NaN.
    """
    rows: list[Row] = []
    for measured in runs:
        cell = measured.cell
        if cell.job.environment["kind"] != KIND or cell.job.epsilon is None:
            continue
        regret = measured.regret[:, -1]
        labels = {
            "algorithm": cell.algorithm,
            "title": registry.algorithm(cell.job.algorithm).titled(cell.job.parameters),
            "environment": cell.environment,
            "improves": cell.job.environment["improves"],
            "epsilon": cell.job.epsilon,
            "horizon": cell.job.horizon,
            "runs": regret.size,
            "cell": cell.name,
            "regret": regret.mean(),
            "error": regret.std(ddof=1) / math.sqrt(regret.size),
        }
        never = cell.job.environment["improves"] is None
        rows.append(labels | (best_bound(measured, cell.job.epsilon, confidence, seed) if never else {}))
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Conditions and lower bound for algorithms that quickly drop a bad arm",
    source="asi2025, Lemma 11",
    compute=compute,
    parameters={"confidence": Option(0.95, "confidence at which each condition is established"), "seed": SEED},
    reads_runs=True,
)
