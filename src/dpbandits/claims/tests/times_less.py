"""How many times less regret some algorithms have than all other private ones, in every environment and budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from dpbandits.claims.estimate import RESAMPLES, STATISTICS, bootstrapped, resampled, statistic_of
from dpbandits.claims.evidence import ClaimTest, Evidence, Finding, Outcome, Published, finding
from dpbandits.claims.tests._tables import runs_text
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.options import Option, Options

Floats = NDArray[np.float64]
# What the baselines' regrets are taken together to.
TOGETHER: dict[str, Callable[[Floats], Floats]] = {
    "best": lambda regrets: regrets.min(axis=0),
    "average": lambda regrets: regrets.mean(axis=0),
    "worst": lambda regrets: regrets.max(axis=0),
}


def _cells(evidence: Evidence) -> dict[tuple[str, float], dict[str, Floats]]:
    """Return the final regrets of private algorithms, by environment and budget, by title."""
    found: dict[tuple[str, float], dict[str, Floats]] = {}
    for cell, regret, _ in evidence.runs:
        if cell.job.epsilon is not None:
            title = registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)
            found.setdefault((cell.environment, cell.job.epsilon), {})[title] = regret[:, -1]
    return dict(sorted(found.items()))


def _ratios(statistics: Mapping[str, Floats], ours: str, others: list[str], against: str) -> Floats:
    return TOGETHER[against](np.array([statistics[title] for title in others])) / statistics[ours]


def evaluate(
    evidence: Evidence, ours: list[str], statistic: str, against: str, factor: float, published: bool
) -> Outcome:
    """Test each of ``ours`` in each cell; with ``published``, also what the paper's number of runs shows."""
    for name, given, known in (("statistic", statistic, STATISTICS), ("against", against, TOGETHER)):
        if given not in known:
            raise BadInput(("options", name), given, suggest(given, known))
    findings: list[Finding] = []
    first: list[bool] = []
    sets: list[NDArray[np.bool_]] = []
    few = evidence.published_runs
    for (environment, epsilon), regrets in _cells(evidence).items():
        place = f"{environment}, ε = {epsilon:g}"
        measured = _each(regrets, lambda runs, _: np.array([statistic_of(statistic, runs)]))
        draws = _each(regrets, _resampled(statistic, place, 0))
        of_few = _each(regrets, lambda runs, _: np.array([statistic_of(statistic, runs[:few])]))
        sets_of_few = _each(regrets, _resampled(statistic, place, few)) if published else {}
        others = [title for title in regrets if title not in ours]
        for title in (title for title in ours if title in regrets and others):
            value = float(_ratios(measured, title, others, against)[0])
            estimate = bootstrapped(value, _ratios(draws, title, others, against))
            runs = runs_text([runs.size for runs in regrets.values()])
            findings.append(finding(f"{title}, {place}", estimate, at_least=factor, runs=runs))
            first.append(bool(_ratios(of_few, title, others, against)[0] > factor))
            if published:
                sets.append(_ratios(sets_of_few, title, others, against) > factor)
    return Outcome(findings, _published(evidence, first, sets) if published and findings else None)


def _each(regrets: Mapping[str, Floats], function: Callable[[Floats, str], Floats]) -> dict[str, Floats]:
    return {title: function(runs, title) for title, runs in regrets.items()}


def _resampled(statistic: str, place: str, size: int) -> Callable[[Floats, str], Floats]:
    """Return a function that resamples an algorithm's runs: as many as there are, or ``size``."""
    return lambda runs, title: resampled(statistic, runs, size or runs.size, RESAMPLES, f"{place} {title} {size}")


def _published(evidence: Evidence, first: list[bool], sets: list[NDArray[np.bool_]]) -> Published:
    """Return in how many cells the paper's number of runs shows the claim, and how often it would show it."""
    seen = np.array(sets)
    share = float((seen.any(axis=0) if evidence.some else seen.all(axis=0)).mean())
    return Published(
        evidence.published_runs,
        f"{evidence.published_runs} runs show it in {sum(first)} of {len(first)} cells",
        share,
    )


def words(options: Options) -> str:
    """Return the test in words."""
    return (
        f"{options['statistic']} regret at T of the {options['against']} other private algorithm divided by that "
        f"of {' and '.join(options['ours'])}, in each environment and budget: at least {options['factor']:g}, "
        "bootstrap over runs"
    )


TEST = ClaimTest(
    title="How many times less regret than all other private algorithms",
    evaluate=evaluate,
    words=words,
    options={
        "ours": Option(["DP-KLUCB", "DP-IMED"], "titles of the algorithms of which it is claimed"),
        "statistic": Option("mean", f"one of {', '.join(STATISTICS)}"),
        "against": Option("best", "what of the others: best, average or worst"),
        "factor": Option(1.0, "how many times less is claimed"),
        "published": Option(False, "whether the claim was made from few runs"),
    },
    reads="runs",
)
