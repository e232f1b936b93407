"""Whether regret, as a multiple of the lower bound, changes smoothly where the privacy regime does."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.estimate import limits_of, quotient, scaled
from dpbandits.claims.kinds._tables import budget, largest_regret, run_in, runs_text
from dpbandits.core import registry
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number
from dpbandits.runs.aggregate import Measured
from dpbandits.runs.uniform_play import uniform_play
from dpbandits.settings.stochastic.theory import lower_bound_slope, regime_change

# Budgets count at which regret is at most this share of uniform play's.
LEARNED = 0.05


def evaluate(evidence: Evidence, within: float) -> Outcome:
    """Return a finding for each change of regime that lies between two budgets that were run.

    Regimes change at the budget from which on privacy no longer raises an arm's term of the lower bound. Regret is
    taken as a multiple of that bound. The multiple at the next budget above the change is divided by the multiple
    at the last budget below. Budgets count at which mean regret is at most 0.05 of uniform play's.

    Parameters
    ----------
    evidence
        Data of the test, which reads single runs.
    within
        Largest factor of change that counts as smooth: the ratio is from 1 / ``within`` to ``within``.
    """
    learned = [run for run in evidence.runs if run.regret[:, -1].mean() <= LEARNED * _uniform(run)]
    learned.sort(key=lambda run: (run.cell.algorithm, run.cell.environment, budget(run)))
    findings: list[Finding] = []
    for _, group in itertools.groupby(learned, key=lambda run: (run.cell.algorithm, run.cell.environment)):
        findings += _at_changes(list(group), within)
    return Outcome(findings, vacuous=len(evidence.runs) > 0)


def _at_changes(runs: Sequence[Measured], within: float) -> list[Finding]:
    """Return the findings on one algorithm in one environment, of runs in the order of their budgets."""
    means = runs[0].cell.job.environment["means"]
    found = []
    for change in sorted({regime_change(mean, max(means)) for mean in means if mean < max(means)}):
        above = sum(budget(run) < change for run in runs)
        if 0 < above < len(runs):
            low, high = runs[above - 1], runs[above]
            multiples = [
                scaled(
                    limits_of("mean", run.regret[:, -1], 0.0, largest_regret(run.cell)),
                    1.0 / lower_bound_slope(means, budget(run)),
                )
                for run in (high, low)
            ]
            job = low.cell.job
            part = f"{registry.algorithm(job.algorithm).titled(job.parameters)}, ε* = {number(change)}"
            shown = runs_text([low.regret.shape[0]])
            found.append(
                finding(part, quotient(*multiples).estimate(), *_asked(within), shown, cell=run_in(low.cell))
            )
    return found


def _uniform(run: Measured) -> float:
    return float(uniform_play(run.cell.job, run.rounds[-1:])[0])


def _asked(within: float) -> tuple[float, float]:
    return 1.0 / within, within


def limits(options: Options) -> list[Asked]:
    """Return the limits of the change: from 1 / ``within`` to ``within``."""
    return [Asked(*_asked(options["within"]))]


def words(_: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return (
        f"{{inside}} (empirical likelihood), from the last budget below the change "
        f"of regime to the first above it, where regret is at most {number(LEARNED)} of uniform play's on both "
        "sides"
    )


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{a} ... {outside}`` becomes "a ... not from 0.8 to 1.25", for example.
    If one part is enough, it becomes "no ... from 0.8 to 1.25".
    """
    return "{a} change that is {outside}, between neighbouring budgets where something is learned"


TEST = ClaimTest(
    title="Smoothness of regret where the privacy regime changes",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    part="change",
    nothing="all budgets are on one side of every change of regime",
    about="constant",
    options={"within": Option(1.25, "factor of change that counts as smooth")},
    reads="runs",
)
