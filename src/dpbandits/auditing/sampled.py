"""Sampled audit: candidates compete on exploratory runs, and the best is tested on fresh runs.

In each stage of the exploration the better quarter of the candidates stays and gets four times the runs (successive
halving). A test has fresh runs and one event, on one pair of inputs, in one direction. So exploration costs no
confidence. The number of tests is fixed in advance, and they share the error probability. So all bounds hold
together, and the largest is reported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.bounds import interval, loss_bound
from dpbandits.auditing.candidates import Candidate, candidates
from dpbandits.auditing.events import Event, Found, best_event
from dpbandits.core import mathematics
from dpbandits.core.fields import Values
from dpbandits.core.recording import part
from dpbandits.runs.job import Job, fill, prepare

# Most candidates.
MOST_CANDIDATES = 256
# Fewest and most runs of a candidate on each input in the first stage.
FEWEST_RUNS, MOST_RUNS = 64, 4096
# One candidate in KEPT stays for the next stage, with KEPT times the runs.
KEPT = 4
# Share of the effort that each stage of the exploration gets.
STAGE_SHARE = 1 / 16
# An exploratory event that violates the claim by this many standard deviations is tested at once,
EARLY_DEVIATIONS = 5.0
# with this multiple of the exploratory runs.
EARLY_RUNS = 4
# Otherwise events are ranked by lower bounds at this many standard deviations, stage by stage: few at first,
# because few runs hide what more runs would show.
CAUTION = (1.0, 1.5, 2.0, 2.5)
# The same for the last candidate: the best of thousands of events is partly luck.
LAST_CAUTION = 4.0
# Runs of the final tests, as shares of the effort.
STAGES = (0.04, 0.2, 1.0)
# Testing stops at a bound that is at least this share of the estimate,
TIGHT = 0.97
# or at a violation after this share of the effort.
ENOUGH = STAGES[1]
# Runs simulated at a time.
CHUNK = 1 << 16
# The runs of the k-th test are numbered from k times this; exploratory runs from 0.
APART = 1 << 40


@dataclass(frozen=True)
class Sampled:
    """Result of a sampled audit.

    Attributes
    ----------
    bound
        Lower bound of the privacy loss; minus infinity if the counts show none.
    one, other
        The jobs on the two inputs, with their parameters; first the one that is to have the event more often.
    round
        The round in which the inputs differ, from 1.
    delta
        The delta of the claim.
    event
        The event whose probabilities show the loss.
    counts
        Number of runs with the event, on each input.
    intervals
        Clopper-Pearson intervals (low, high) of the event's two probabilities. The chance that one of them is wrong
        is at most twice that of a wrong ``bound``.
    runs
        Number of runs on each input, in the test that gave the bound.
    """

    bound: float
    one: Job
    other: Job
    round: int
    delta: float
    event: Event
    counts: tuple[int, int]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    runs: int

    @property
    def estimate(self) -> float:
        """The loss of the event by its frequencies; infinite if it never occurred on the second input.

        Minus infinity if the first frequency is not above delta.
        """
        above = self.counts[0] / self.runs - self.delta
        if above <= 0.0:
            return -math.inf
        return mathematics.log(above * self.runs / self.counts[1]) if self.counts[1] else math.inf


def played(job: Job, first: int, runs: int) -> NDArray[np.int16]:
    """Return the actions, from 0, of the runs number ``first`` to ``first + runs - 1``, shape (runs, horizon)."""
    all_runs, problem = prepare(job, range(first, first + runs), kept=job.horizon)
    for start in range(0, runs, CHUNK):
        fill(job, part(all_runs, start, min(start + CHUNK, runs)), problem)
    return all_runs.played


def count(job: Job, event: Event, first: int, runs: int) -> int:
    """Return the number of runs with the event; one chunk of runs is in memory at a time.

    Parameters
    ----------
    job
        The algorithm on one of two inputs.
    event
        The event to count.
    first, runs
        Number of the first run, and number of runs.
    """
    starts = range(first, first + runs, CHUNK)
    return sum(event.count(played(job, start, min(CHUNK, first + runs - start))) for start in starts)


def tested(
    candidate: Candidate, found: Found, number: int, schedule: Iterable[int], level: float
) -> Iterator[Sampled]:
    """Yield lower bounds of the loss of one event, from more and more fresh runs.

    Parameters
    ----------
    candidate, found
        The two inputs, and the event that exploration found on them.
    number
        Number of the test, from 1. Each test has its own runs.
    schedule
        Numbers of runs on each input, increasing. For each number a bound from that many runs is yielded; it uses
        the runs before it too.
    level
        Largest probability with which each bound is false.
    """
    jobs = (candidate.other, candidate.one) if found.swapped else (candidate.one, candidate.other)
    done, one, other = 0, 0, 0
    for runs in schedule:
        more = [count(job, found.event, number * APART + done, runs - done) for job in jobs]
        done, one, other = runs, one + more[0], other + more[1]
        yield Sampled(
            bound=loss_bound(one, other, runs, candidate.delta, level),
            one=jobs[0],
            other=jobs[1],
            round=candidate.round,
            delta=candidate.delta,
            event=found.event,
            counts=(one, other),
            intervals=(interval(one, runs, level / 2.0), interval(other, runs, level / 2.0)),
            runs=runs,
        )


# Candidates with their best events, the largest approximate loss first.
Ranking = list[tuple[Candidate, Found]]


def explored(left: list[Candidate], runs: int) -> Iterator[tuple[Ranking, int]]:
    """Yield, for each stage, a `Ranking` of its candidates, and the number of runs that each had on each input.

    ``left`` has the candidates of the first stage, and ``runs`` is their number of runs on each input there.
    A ranking has each candidate with its best event, the largest approximate loss first. Each stage has the best
    quarter of the candidates of the stage before, and four times the runs for each. The last has one candidate.
    """
    first = 0
    for turn in itertools.count():
        z = LAST_CAUTION if len(left) == 1 else CAUTION[min(turn, len(CAUTION) - 1)]
        ranking = []
        for candidate in left:
            one, other = (played(job, first, runs) for job in (candidate.one, candidate.other))
            ranking.append((candidate, best_event(one, other, candidate.arms, candidate.delta, z)))
        ranking.sort(key=lambda pair: -pair[1].bound)
        yield ranking, runs
        if len(left) == 1:
            return
        left = [candidate for candidate, _ in ranking[: -(-len(left) // KEPT)]]
        first, runs = first + runs, runs * KEPT


def sampled(
    algorithm: str,
    given: Values,
    epsilon: float,
    effort: int,
    seed: int,
    confidence: float,
    arms: int | None = None,
    rounds: int | None = None,
) -> Sampled:
    """Return a lower bound of the privacy loss of an algorithm, from runs on neighbouring inputs.

    Parameters
    ----------
    algorithm, given, epsilon
        Name of the algorithm, its fixed parameters, and its claimed budget.
    effort
        Largest number of runs on each input in the last test, >= 1. Exploration takes about a third as many on each
        input, and 512 at least.
    seed
        Root seed, >= 0.
    confidence
        Confidence of the bound, in [0.5, 1).
    arms, rounds
        Numbers of arms and rounds of the inputs, by default the algorithm's or the setting's.
    """
    budget = max(4 * FEWEST_RUNS, int(effort * STAGE_SHARE))
    runs = min(max(budget // MOST_CANDIDATES, FEWEST_RUNS), MOST_RUNS)
    number = min(budget // runs, MOST_CANDIDATES)
    turns = 1 + math.ceil(math.log(number, KEPT) - 1e-9)
    # At most one early test in each stage of the exploration, and the final tests, share the error probability.
    level = (1.0 - confidence) / (turns + len(STAGES))
    results: list[Sampled] = []
    rivals = list(candidates(algorithm, given, epsilon, seed, number, arms, rounds))
    for turn, (ranking, each) in enumerate(explored(rivals, runs), 1):
        candidate, found = ranking[0]
        if found.bound_at(EARLY_DEVIATIONS, candidate.delta) > epsilon:
            results += tested(candidate, found, turn, [EARLY_RUNS * each], level)
            if results[-1].bound > epsilon:
                break
    for result in tested(candidate, found, turns + 1, [math.ceil(share * effort) for share in STAGES], level):
        results.append(result)
        tight = TIGHT * result.estimate <= result.bound <= result.estimate
        if tight or (result.bound > epsilon and result.runs >= ENOUGH * effort):
            break
    return max(results, key=lambda result: result.bound)


def sampled_on(candidate: Candidate, effort: int, confidence: float) -> Sampled:
    """Return a lower bound of the privacy loss, from runs of one candidate alone.

    Parameters
    ----------
    candidate
        Jobs on two neighbouring inputs.
    effort, confidence
        Number of runs on each input in the test, and confidence of the bound, in [0.5, 1).
    """
    ranking, _ = next(explored([candidate], max(FEWEST_RUNS, int(effort * STAGE_SHARE))))
    return next(tested(*ranking[0], 1, [effort], 1.0 - confidence))
