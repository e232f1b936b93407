"""Regret as a multiple of the asymptotic lower bound (azize2025, Theorem 3.1), at the horizon, within limits."""

from __future__ import annotations

import math

import numpy as np

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Outcome, Published, decide, finding
from dpbandits.claims.estimate import RESAMPLES, STATISTICS, limits_of, resampled, scaled, statistic_of
from dpbandits.claims.kinds._tables import largest_regret, most_runs, run_in, runs_text
from dpbandits.core import mathematics, registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options, Values
from dpbandits.core.numbers import number
from dpbandits.settings.stochastic.theory import lower_bound_slope

# For comparison an algorithm with almost no regret: this share of the runs'. Where not even its mean can be shown
# to be small, at this level, no mean can.
LEAST, LEVEL = 1e-9, 0.05


def _limits(parameters: Values, at_least: float, at_most: float, alphas: float) -> dict[str, float]:
    """Return the limits, the upper one maybe in multiples of the algorithm's alpha."""
    return {"at_least": at_least, "at_most": min(at_most, alphas * parameters.get("alpha", math.inf))}


def evaluate(
    evidence: Evidence, statistic: str, at_least: float, at_most: float, alphas: float, published: bool
) -> Outcome:
    """Return a finding for each cell: its regret as a multiple of the lower bound.

    A cell is an algorithm in one environment at one budget and horizon. A finding cannot hold where even an
    algorithm with almost no regret could not be shown to be below the limit. `BadInput` is raised for an unknown
    ``statistic``.

    Parameters
    ----------
    evidence
        Data of the test, which reads single runs.
    statistic
        Statistic of the runs' final regrets: ``mean``, ``median``, ``q75``, ``q90``, ``q95`` or ``q99``.
    at_least, at_most
        Smallest and largest multiple with which a part holds.
    alphas
        A further upper limit, in multiples of the algorithm's parameter ``alpha``; infinite for none.
    published
        Whether the outcome also says what the paper's number of runs shows.
    """
    if statistic not in STATISTICS:
        raise BadInput(("options", "statistic"), statistic, suggest(statistic, STATISTICS))
    findings: list[Finding] = []
    first, sets = [], []
    for cell, regret, rounds in most_runs(evidence.runs):
        assert cell.job.epsilon is not None
        bound = lower_bound_slope(cell.job.environment["means"], cell.job.epsilon) * mathematics.log(rounds[-1])
        runs = regret[:, -1]
        limits = _limits(cell.job.parameters, at_least, at_most, alphas)
        title = registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)
        ratio = [f"α = {number(float(cell.job.parameters['alpha']))}"] if "alpha" in cell.job.parameters else []
        place = ", ".join([title, *ratio, cell.environment, f"ε = {cell.epsilon}"])
        estimate = scaled(limits_of(statistic, runs, 0.0, largest_regret(cell)), 1.0 / bound).estimate()
        # Mass that no run has shown may lie at the largest regret, whatever runs have.
        least = scaled(limits_of(statistic, LEAST * runs, 0.0, largest_regret(cell)), 1.0 / bound).estimate()
        reachable = math.isfinite(at_least) or decide(least, **limits).p <= LEVEL
        shown = runs_text([runs.size])
        findings.append(
            finding(
                place,
                estimate,
                limits["at_least"],
                limits["at_most"],
                runs=shown,
                cap="holds" if reachable else "vacuous",
                cell=run_in(cell),
            )
        )
        if published:
            few = evidence.published_runs
            first.append(limits["at_least"] <= statistic_of(statistic, runs[:few] / bound) <= limits["at_most"])
            of_sets = resampled(statistic, runs / bound, few, RESAMPLES, evidence.seed, f"{place} {few}")
            sets.append((of_sets >= limits["at_least"]) & (of_sets <= limits["at_most"]))
    if not (published and findings):
        return Outcome(findings)
    seen = f"{evidence.published_runs} runs show it in {sum(first)} of {len(first)} cells"
    return Outcome(findings, Published(evidence.published_runs, seen, float(np.array(sets).all(axis=0).mean())))


def limits(options: Options) -> list[Asked]:
    """Return the limits of the multiple.

    With the option ``alphas`` the upper one is text such as ``2 α``, for the algorithm's parameter alpha; then
    ``at_most`` is not shown.
    """
    in_alphas = math.isfinite(options["alphas"])
    return [Asked(options["at_least"], f"{number(options['alphas'])} α" if in_alphas else options["at_most"])]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    how = "empirical likelihood" if options["statistic"] == "mean" else "order statistics"
    return f"{{inside}}, in each setting ({how}). The bound's slope is multiplied by log T"


def fails_if(_: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{one} ... {outside}`` becomes "one ... not at most 2", for example. It becomes
    "no ... at most 2" where the claim holds if only some part is within the limits.
    """
    return "{one} setting in which it is {outside}. Uniform play's is far above: T / log T"


TEST = ClaimTest(
    title="Regret as a multiple of the lower bound",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    part="setting",
    options={
        "statistic": Option("mean", f"one of {', '.join(STATISTICS)}"),
        "at_least": Option(-math.inf, "smallest multiple"),
        "at_most": Option(math.inf, "largest multiple"),
        "alphas": Option(math.inf, "largest multiple in units of the algorithm's ratio of batches alpha"),
        "published": Option(False, "whether the claim was made from few runs"),
    },
    reads="runs",
    about="constant",
)
