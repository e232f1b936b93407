"""Regret as a multiple of the asymptotic lower bound (azize2025, Theorem 3.1): its exponent as a power of ε.

Confidence limits are computed from the single runs. Rare runs can dominate a mean, and a symmetric interval leaves
out those that were not seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.estimate import STATISTICS, combined, limits_of, scaled
from dpbandits.claims.kinds._tables import budget, largest_regret, run_in, runs_text
from dpbandits.core import arrays, registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number
from dpbandits.runs.aggregate import Measured
from dpbandits.settings.stochastic.theory import lower_bound_slope

LEAST_POINTS = 3


def evaluate(evidence: Evidence, statistic: str, at_least: float, at_most: float) -> Outcome:
    """Return a finding for each algorithm in each environment: the exponent of ε in regret over the lower bound.

    It is fitted over all budgets. With fewer than three budgets there is no finding. `BadInput` is raised for an
    unknown ``statistic``.

    Parameters
    ----------
    evidence
        Data of the test, which reads single runs.
    statistic
        Statistic of the runs' final regrets: ``mean``, ``median``, ``q75``, ``q90``, ``q95`` or ``q99``.
    at_least, at_most
        Smallest and largest exponent with which a part holds.
    """
    if statistic not in STATISTICS:
        raise BadInput(("options", "statistic"), statistic, suggest(statistic, STATISTICS))
    runs = sorted(evidence.runs, key=lambda run: (*_place(run), budget(run)))
    groups = [list(group) for _, group in itertools.groupby(runs, key=_place)]
    enough = [group for group in groups if len({budget(run) for run in group}) >= LEAST_POINTS]
    return Outcome([_fitted(group, statistic, at_least, at_most) for group in enough])


def _fitted(runs: Sequence[Measured], statistic: str, at_least: float, at_most: float) -> Finding:
    """Return the finding on the slope of logarithms, by least squares, over budgets in their order.

    Parameters
    ----------
    runs
        Cells of one algorithm in one environment.
    statistic
        One of `STATISTICS`.
    at_least, at_most
        Limits of the slope.
    """
    budgets = np.array([budget(run) for run in runs])
    logs = arrays.log(budgets)
    centred = logs - logs.mean()
    multiples = [
        scaled(
            limits_of(statistic, run.regret[:, -1], 0.0, largest_regret(run.cell)),
            1.0 / lower_bound_slope(run.cell.job.environment["means"], budget(run)),
        ).logarithm()
        for run in runs
    ]
    job = runs[0].cell.job
    title = registry.algorithm(job.algorithm).titled(job.parameters)
    part = f"{title}, {runs[0].cell.environment}, ε from {number(budgets[0])} to {number(budgets[-1])}"
    shown = runs_text([run.regret.shape[0] for run in runs])
    slope = combined(multiples, [float(weight) for weight in centred / (centred * centred).sum()])
    cell = run_in(runs[0].cell, "algorithm", "environment", "horizon")
    return finding(part, slope.estimate(), at_least, at_most, shown, unit="exponent", cell=cell)


def _place(run: Measured) -> tuple[str, str]:
    return run.cell.algorithm, run.cell.environment


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    how = "empirical likelihood" if options["statistic"] == "mean" else "order statistics"
    return f"{{inside}} ({how}). It is the slope of logarithms over all budgets, by least squares"


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{a} ... {outside}`` becomes "a ... not from -1 to 1", for example.
    If one part is enough, it becomes "no ... from -1 to 1".
    """
    return "{a} slope that is {outside}"


TEST = ClaimTest(
    title="Exponent of ε of regret as a multiple of the lower bound",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda options: [Asked(options["at_least"], options["at_most"])],
    part="fit",
    nothing=f"fewer than {LEAST_POINTS} budgets",
    options={
        "statistic": Option("mean", f"one of {', '.join(STATISTICS)}"),
        "at_least": Option(-0.1, "smallest exponent"),
        "at_most": Option(0.1, "largest exponent"),
    },
    reads="runs",
    about="exponent",
)
