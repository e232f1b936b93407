"""Ratio of the shares of two algorithms' runs that are above one threshold, a multiple of a median."""

from __future__ import annotations

import math

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.estimate import counts_limits, statistic_of
from dpbandits.claims.kinds._tables import budget, horizons_named, largest_regret, run_in, runs_text
from dpbandits.core import registry
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number
from dpbandits.runs.aggregate import Measured


def evaluate(evidence: Evidence, of: str, against: str, multiple: float, at_most: float) -> Outcome:
    """Return a finding for each environment, budget and horizon: the ratio of the shares of runs above a threshold.

    Where only one of the two algorithms was run there is none. A finding is vacuous if no run can have a regret
    above the threshold. It names its horizon if its environment has several at that budget.

    Parameters
    ----------
    evidence
        Data of the test, which reads single runs.
    of, against
        Titles, such as ``DP-IMED``, of the algorithm whose share is divided, and of the one that divides it.
    multiple
        The threshold as a multiple of the median regret of ``against`` at the horizon.
    at_most
        Largest ratio with which the part holds.
    """
    found: dict[tuple[str, float, int], dict[str, Measured]] = {}
    for run in evidence.runs:
        title = registry.algorithm(run.cell.job.algorithm).titled(run.cell.job.parameters)
        if title in (of, against):
            found.setdefault((run.cell.environment, budget(run), run.cell.job.horizon), {})[title] = run
    both = {place: pair for place, pair in found.items() if of in pair and against in pair}
    return Outcome(
        [
            _compared(name, both[place][of], both[place][against], multiple, at_most)
            for place, name in horizons_named(both).items()
        ]
    )


def _compared(name: str, one: Measured, other: Measured, multiple: float, at_most: float) -> Finding:
    """Return the finding on one setting.

    Parameters
    ----------
    name
        Name of the setting.
    one, other
        Runs of the algorithm whose share is divided, and of the one that divides it.
    multiple, at_most
        As `evaluate` takes them.
    """
    own, others = one.regret[:, -1], other.regret[:, -1]
    threshold = multiple * statistic_of("median", others)
    first, second = int((own > threshold).sum()), int((others > threshold).sum())
    counts = f"{first:,} of {own.size:,} against {second:,} of {others.size:,}"
    return finding(
        f"{name}, {counts}",
        counts_limits(first, own.size, second, others.size).estimate(),
        at_most=at_most,
        runs=runs_text([own.size, others.size]),
        cap="holds" if threshold < largest_regret(one.cell) else "vacuous",
        cell=run_in(one.cell, "environment", "epsilon", "horizon"),
    )


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return (
        f"{{inside}} in each environment and at each budget (counts given their sum, Clopper and Pearson). Runs "
        f"count whose regret is above {number(options['multiple'])} times {options['against']}'s median"
    )


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{one} ... {beyond}`` becomes "one ... above 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    """
    return "{one} environment and budget in which it is {beyond}"


TEST = ClaimTest(
    title="How often runs are far above a median, of two algorithms",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda options: [Asked(-math.inf, options["at_most"])],
    part="setting",
    options={
        "of": Option("", "title of the algorithm whose share is divided"),
        "against": Option("", "title of the one by whose share it is divided, and whose median counts"),
        "multiple": Option(20.0, "runs count that are above so many medians"),
        "at_most": Option(1.0, "largest ratio of the shares"),
    },
    reads="runs",
)
