"""How many times less regret some algorithms have than all other private ones, in each setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dpbandits.claims.declarations import (
    Asked,
    ClaimTest,
    Evidence,
    Finding,
    Outcome,
    Published,
    all_of,
    any_of,
    finding,
)
from dpbandits.claims.estimate import (
    RESAMPLES,
    STATISTICS,
    Limits,
    average,
    limits_of,
    quotient,
    resampled,
    statistic_of,
)
from dpbandits.claims.kinds._tables import horizons_named, largest_regret, runs_text
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options

Floats = NDArray[np.float64]
# By the option ``against``: the one number that stands for the others' regrets, shape (others, sets) to (sets,).
TOGETHER: dict[str, Callable[[Floats], Floats]] = {
    "best": lambda regrets: regrets.min(axis=0),
    "average": lambda regrets: regrets.mean(axis=0),
    "worst": lambda regrets: regrets.max(axis=0),
}
# How comparisons with each of the others are combined. Less than the best is less than each, less than the worst is
# less than some.
JUDGED: dict[str, Callable[[Sequence[Finding]], Finding]] = {"best": all_of, "average": all_of, "worst": any_of}
# Place of the comparison whose numbers are told: that with the best, or the worst, of the others.
TOLD: dict[str, Callable[[Floats], np.intp]] = {"best": np.argmin, "average": np.argmin, "worst": np.argmax}


def _cells(
    evidence: Evidence, others: Sequence[str]
) -> dict[tuple[str, float, int], tuple[float, dict[str, Floats]]]:
    """Return, by environment, budget and horizon, the largest possible regret, and final regrets by title."""
    found: dict[tuple[str, float, int], tuple[float, dict[str, Floats]]] = {}
    for cell, regret, _ in evidence.runs:
        title = registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)
        if cell.job.epsilon is not None and not (others and title not in others):
            place = cell.environment, cell.job.epsilon, cell.job.horizon
            found.setdefault(place, (largest_regret(cell), {}))[1][title] = regret[:, -1]
    return found


def _rivals(known: Collection[str], ours: Sequence[str], pairs: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each of ours that is known with its rivals: its own one of ``pairs``, or all that are not ours."""
    of_each = [[rival] for rival in pairs] or [[title for title in known if title not in ours]] * len(ours)
    for title, rivals in zip(ours, of_each, strict=True):
        here = [rival for rival in rivals if rival in known]
        if title in known and here:
            yield title, here


def _ratios(statistics: Mapping[str, Floats], ours: str, others: list[str], against: str) -> Floats:
    return TOGETHER[against](np.array([statistics[title] for title in others])) / statistics[ours]


def evaluate(
    evidence: Evidence,
    ours: list[str],
    others: list[str],
    statistic: str,
    against: str,
    factor: float,
    published: bool,
    inverse: bool,
    paired: bool,
) -> Outcome:
    """Return a finding for each of ``ours`` in each setting: how many times less regret it has than others.

    A setting is an environment at a budget and a horizon. There is no finding where one of ours, or all others,
    were not run. A finding names its horizon if its environment has several at that budget. `BadInput` is raised
    for an unknown ``statistic`` or ``against``, and for pairs without a partner.

    Parameters
    ----------
    evidence
        Data of the test, which reads single runs.
    ours, others
        Titles, such as ``DP-IMED``, of the algorithms of the claim, and of those they are compared with. If
        ``others`` is empty, these are all other private ones.
    statistic
        Statistic of the runs' final regrets: ``mean``, ``median``, ``q75``, ``q90``, ``q95`` or ``q99``.
    against
        Which of the others counts: their ``best``, ``average`` or ``worst``.
    factor
        How many times less regret is claimed.
    published
        Whether the outcome also says what the paper's number of runs shows.
    inverse
        Whether the ratio is that of one's own regret to the others', which is then at most 1 / ``factor``.
    paired
        Whether each of ``ours`` is compared only with the entry of ``others`` at the same place.
    """
    for name, given, known in (("statistic", statistic, STATISTICS), ("against", against, TOGETHER)):
        if given not in known:
            raise BadInput(("options", name), given, suggest(given, known))
    if paired and len(ours) != len(others):
        raise BadInput(("options", "others"), others, f"{len(ours)} titles, one for each of ours")
    findings: list[Finding] = []
    first: list[bool] = []
    sets: list[NDArray[np.bool_]] = []
    few = evidence.published_runs
    cells = _cells(evidence, [*ours, *others] if others else [])
    for (environment, epsilon, horizon), place in horizons_named(cells).items():
        largest, regrets = cells[environment, epsilon, horizon]
        cell: dict[str, str | float] = {"environment": environment, "epsilon": epsilon, "horizon": float(horizon)}
        limits = {title: limits_of(statistic, runs, 0.0, largest) for title, runs in regrets.items()}
        of_few = _each(regrets, lambda runs, _: np.array([statistic_of(statistic, runs[:few])]))
        sets_of_few = _each(regrets, _resampled(statistic, place, few, evidence.seed)) if published else {}
        runs = runs_text([runs.size for runs in regrets.values()])
        for title, rivals in _rivals(regrets, ours, others if paired else []):
            compared = _compared([limits[rival] for rival in rivals], rivals, against)
            each = [
                _finding(f"{title}, {place}{name}", rival, limits[title], factor, inverse, runs)
                for name, rival in compared
            ]
            told = each[TOLD[against](np.array([rival.value for _, rival in compared]))]
            judged = JUDGED[against](each)
            findings.append(
                told._replace(decision=judged.decision, moved=judged.moved, cell={"algorithm": title, **cell})
            )
            first.append(bool(_ratios(of_few, title, rivals, against)[0] > factor))
            if published:
                sets.append(_ratios(sets_of_few, title, rivals, against) > factor)
    return Outcome(findings, _published(evidence, first, sets) if published and findings else None)


def _finding(part: str, rival: Limits, own: Limits, factor: float, inverse: bool, runs: str) -> Finding:
    """Return one comparison, told as the rival's divided by one's own, or the other way round."""
    ratio = quotient(own, rival) if inverse else quotient(rival, own)
    return finding(part, ratio.estimate(), *_asked(factor, inverse), runs=runs)


def _asked(factor: float, inverse: bool) -> tuple[float, float]:
    return (-math.inf, 1.0 / factor) if inverse else (factor, math.inf)


def _compared(limits: Sequence[Limits], titles: Sequence[str], against: str) -> list[tuple[str, Limits]]:
    """Return what one of ours is compared with, named where there is more than one."""
    if against == "average":
        return [("", average(limits))]
    return [(f", {title}", each) for title, each in zip(titles, limits, strict=True)]


def _each(regrets: Mapping[str, Floats], function: Callable[[Floats, str], Floats]) -> dict[str, Floats]:
    return {title: function(runs, title) for title, runs in regrets.items()}


def _resampled(statistic: str, place: str, size: int, seed: int) -> Callable[[Floats, str], Floats]:
    """Return a function that draws sets of ``size`` of an algorithm's runs."""
    return lambda runs, title: resampled(statistic, runs, size, RESAMPLES, seed, f"{place} {title} {size}")


def _published(evidence: Evidence, first: list[bool], sets: list[NDArray[np.bool_]]) -> Published:
    """Return in how many cells the paper's number of runs shows the claim, and how often it would show it."""
    seen = np.array(sets)
    share = float((seen.any(axis=0) if evidence.some else seen.all(axis=0)).mean())
    return Published(
        evidence.published_runs,
        f"{evidence.published_runs} runs show it in {sum(first)} of {len(first)} cells",
        share,
    )


def limits(options: Options) -> list[Asked]:
    """Return the limits of the ratio: at least ``factor``, or, if ``inverse``, at most 1 / ``factor``."""
    return [Asked(*_asked(options["factor"], options["inverse"]))]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    how = "empirical likelihood" if options["statistic"] == "mean" else "order statistics"
    where = f"in each environment and at each budget ({how})"
    if options["paired"]:
        pairs = zip(options["ours"], options["others"], strict=False)
        told = "; ".join(f"{one} against {other}" for one, other in pairs)
        return f"{{inside}} in each of these pairs, {where}: {told}"
    others = ", ".join(options["others"]) or "all other private algorithms"
    return (
        f"{{inside}} for {' and '.join(options['ours'])}, in each environment and at each "
        f"budget, against the {options['against']} of {others} ({how})"
    )


def fails_if(_: Options) -> str:
    """Return what would fail the test; ``{one} ... {beyond}`` becomes, for example, "one ... below 3"."""
    return "{one} environment and budget in which it is {beyond}"


TEST = ClaimTest(
    title="How many times less regret than all other private algorithms",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    part="setting",
    options={
        "ours": Option(["DP-KLUCB", "DP-IMED"], "titles of the algorithms of which it is claimed"),
        "others": Option([], "titles of those that they are compared with; all other private ones if empty"),
        "statistic": Option("mean", f"one of {', '.join(STATISTICS)}"),
        "paired": Option(False, "whether each of ours is compared with the other at its own place alone"),
        "against": Option("best", "what of the others: best, average or worst"),
        "factor": Option(1.0, "how many times less is claimed"),
        "published": Option(False, "whether the claim was made from few runs"),
        "inverse": Option(False, "whether the ratio is told the other way round, and is at most 1/factor"),
    },
    reads="runs",
)
