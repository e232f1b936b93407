"""The sampled audit: candidates compete on exploratory runs, the best is put to the test on fresh ones.

Exploration halves: every round gives the better quarter of the candidates four times the runs. Whatever it looks at
costs no confidence, since a test's runs are fresh: what is tested is one event, on one pair of inputs, in one
direction. An audit makes a number of tests that is fixed in advance, and they share its error probability; so all
their bounds hold at once, and the largest is reported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.bounds import interval, loss_bound
from dpbandits.audit.candidates import Candidate, candidates
from dpbandits.audit.events import Event, Found, best_event
from dpbandits.core.algorithm import Values
from dpbandits.core.recording import part
from dpbandits.runs.job import Job, fill, prepare

# Candidates at most, and how many runs on each input a candidate has in the first round, at least and at most.
MOST_CANDIDATES = 256
FEWEST_RUNS, MOST_RUNS = 64, 4096
KEPT = 4
# Share of the effort that each round of exploration has.
ROUND = 1 / 16
# A violation that exploration sees at this many standard deviations is tested at once,
PLAIN = 5.0
# on so many times the runs.
EARLY = 4
# Otherwise events are compared by intervals of so many standard deviations, round by round: bold at first, where
# few runs hide what more of them would show.
CAUTION = (1.0, 1.5, 2.0, 2.5)
# The last candidate's event is chosen as carefully as it will be tested: the best of thousands owes much to chance.
LAST_CAUTION = 4.0
# Runs of the final tests, as shares of the effort.
STAGES = (0.04, 0.2, 1.0)
# Once a bound is that near to what it tends to, more runs would tell nothing new,
TIGHT = 0.97
# and about a violation not after that share of them.
ENOUGH = STAGES[1]
# Runs simulated at a time.
CHUNK = 1 << 16
# Runs of a test are numbered from a multiple of this, exploratory ones from another.
APART = 1 << 40


@dataclass(frozen=True)
class Sampled:
    """What a sampled audit found.

    Attributes
    ----------
    bound
        Lower bound of the privacy loss.
    one, other
        The two inputs: jobs, which say parameters too.
    round
        The round in which the inputs differ.
    delta
        The delta of the claim.
    event
        The event.
    counts
        In how many runs it was seen, on each input.
    intervals
        Clopper-Pearson intervals of its two probabilities, which together hold with the audit's confidence.
    runs
        Runs on each input in the test that gave the bound.
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
        """The event's loss by its frequencies; infinite if it was never seen on the second input."""
        above = self.counts[0] / self.runs - self.delta
        if above <= 0.0:
            return -math.inf
        return math.log(above * self.runs / self.counts[1]) if self.counts[1] else math.inf


def played(job: Job, first: int, runs: int) -> NDArray[np.int16]:
    """Return the actions of all rounds of the runs ``first`` to ``first + runs - 1``, shape (runs, horizon)."""
    all_runs, problem = prepare(job, range(first, first + runs), kept=job.horizon)
    for start in range(0, runs, CHUNK):
        fill(job, part(all_runs, start, min(start + CHUNK, runs)), problem)
    return all_runs.played


def count(job: Job, event: Event, first: int, runs: int) -> int:
    """Return in how many of some runs the event is seen; a chunk of runs is in memory at a time."""
    starts = range(first, first + runs, CHUNK)
    return sum(event.count(played(job, start, min(CHUNK, first + runs - start))) for start in starts)


def tested(
    candidate: Candidate, found: Found, number: int, schedule: Iterable[int], level: float
) -> Iterator[Sampled]:
    """Yield what fresh runs say about a found event, more and more of them.

    Parameters
    ----------
    candidate, found
        Inputs and event.
    number
        Number of the test, from 1: its runs are its own.
    schedule
        Runs on each input, increasing.
    level
        Each bound is false with probability at most this.
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


Ranking = list[tuple[Candidate, Found]]


def explored(left: list[Candidate], runs: int) -> Iterator[tuple[Ranking, int]]:
    """Yield candidates with their events, the most promising first, and how often each was run; round after round.

    A round has a quarter of the candidates of the round before, and four times the runs for each.
    """
    first = 0
    for turn in itertools.count():
        z = LAST_CAUTION if len(left) == 1 else CAUTION[min(turn, len(CAUTION) - 1)]
        ranking = []
        for candidate in left:
            one, other = (played(job, first, runs) for job in (candidate.one, candidate.other))
            ranking.append((candidate, best_event(one, other, candidate.arms, candidate.delta, z)))
        ranking.sort(key=lambda pair: -pair[1].promise)
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
    """Audit an algorithm by running it.

    Parameters
    ----------
    algorithm, given, epsilon
        Name, parameters that are kept, and the claimed budget.
    effort
        Runs on each input of the last test; exploration takes about a third as many.
    seed
        Root seed of everything random.
    confidence
        With which the bound holds.
    arms, rounds
        Sizes of the tables, if not the algorithm's or the setting's.
    """
    budget = max(4 * FEWEST_RUNS, int(effort * ROUND))
    runs = min(max(budget // MOST_CANDIDATES, FEWEST_RUNS), MOST_RUNS)
    number = min(budget // runs, MOST_CANDIDATES)
    turns = 1 + math.ceil(math.log(number, KEPT) - 1e-9)
    # In every round an early test, and in the end those of the stages: no more than that share the error.
    level = (1.0 - confidence) / (turns + len(STAGES))
    results: list[Sampled] = []
    rivals = list(candidates(algorithm, given, epsilon, seed, number, arms, rounds))
    for turn, (ranking, each) in enumerate(explored(rivals, runs), 1):
        candidate, found = ranking[0]
        if found.at(PLAIN, candidate.delta) > epsilon:
            results += tested(candidate, found, turn, [EARLY * each], level)
            if results[-1].bound > epsilon:
                break
    for result in tested(candidate, found, turns + 1, [math.ceil(share * effort) for share in STAGES], level):
        results.append(result)
        tight = TIGHT * result.estimate <= result.bound <= result.estimate
        if tight or (result.bound > epsilon and result.runs >= ENOUGH * effort):
            break
    return max(results, key=lambda result: result.bound)
