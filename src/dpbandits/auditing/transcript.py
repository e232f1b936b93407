"""Recorded runs: the transcript of one run, and a replayer that repeats the run on other inputs."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.budget import raise_if_late
from dpbandits.core import recorder as at
from dpbandits.core.environment import Problem
from dpbandits.core.fields import Parameters
from dpbandits.core.gaussian import NORMAL
from dpbandits.core.mechanisms import DISCRETE_LAPLACE, DISCRETE_NORMAL, LIVING, NO_SECRET, RESPONSE
from dpbandits.core.recorder import Recorder
from dpbandits.core.recording import Runs
from dpbandits.runs.job import Job, fill, prepare

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# A tape without outputs: all outputs are those that the run releases.
NO_TAPE = np.empty(0)
# No call of the recorder after which the stream goes on at a given state.
NONE_FORCED = np.empty((0, 5), dtype=np.uint64)
# Kinds of events that are outputs, and those that have noise.
OUTPUTS = (at.RELEASED, at.SELECTED, at.COMPARED)
NOISY = (at.RELEASED, at.OFFERED, at.CONCEALED, at.COMPARED)


class NoiseOverride(NamedTuple):
    """Change of all noise that a recorder draws: a factor, and a sign.

    Noise of any size has a positive density, so a transcript with changed noise is one that might have occurred.

    Attributes
    ----------
    factor
        Factor that multiplies all noise.
    sign
        Sign of all noise, 1 or -1; with 0 each noise keeps its own.
    """

    factor: float = 1.0
    sign: float = 0.0


UNCHANGED = NoiseOverride()


class Rewards(NamedTuple):
    """Rewards of all arms as a recorder pays them: a reward is 0 or 1, and depends on arm and pull alone.

    Attributes
    ----------
    rates : ndarray of float64, shape (arms, 2)
        Rate and phase of each arm: its first n pulls pay floor(rate n + phase) in sum.
    flipped_ranges : ndarray of int64, shape (arms, 2)
        First pull, exclusive, and last pull of a range in which each arm pays 0 for 1 and 1 for 0.
    flipped_pulls : ndarray of int64, shape (arms, flips)
        Single pulls that are flipped, from 1, increasing; padded with the largest integer.
    """

    rates: Floats
    flipped_ranges: Counts
    flipped_pulls: Counts

    @staticmethod
    def at_rates(rates: Floats) -> Rewards:
        """Return rewards with these ``rates``, as the class describes them, and none flipped."""
        arms = rates.shape[0]
        return Rewards(rates, np.zeros((arms, 2), dtype=np.int64), np.zeros((arms, 0), dtype=np.int64))

    def with_first_flipped(self, last: Counts) -> Rewards:
        """Return the rewards with the first ``last[arm]`` pulls of each arm flipped, in place of other ranges."""
        ranges = np.zeros_like(self.flipped_ranges)
        ranges[:, 1] = last
        return self._replace(flipped_ranges=ranges)

    def with_pulls_flipped(self, pulls: Counts) -> Rewards:
        """Return the rewards with these single pulls flipped in place of others: rows (arm, pull), pulls from 1."""
        width = int(np.bincount(pulls[:, 0], minlength=1).max()) if len(pulls) else 0
        # No pull has the largest integer as its number: it fills up the rows of arms with fewer flips.
        flipped = np.full((self.rates.shape[0], width), np.iinfo(np.int64).max)
        for arm in np.unique(pulls[:, 0]):
            own = np.unique(pulls[pulls[:, 0] == arm, 1])
            flipped[arm, : own.size] = own
        return self._replace(flipped_pulls=flipped)

    def paid(self, arm: int, pulls: Counts) -> Counts:
        """Return the reward, 0 or 1, of each of an arm's pulls (from 1), as if none were flipped."""
        rate, phase = self.rates[arm]
        found: Counts = (np.floor(rate * pulls + phase) - np.floor(rate * (pulls - 1) + phase)).astype(np.int64)
        return found


class Fault(NamedTuple):
    """A way in which an algorithm bypassed the recorder.

    Attributes
    ----------
    words
        The fault in words.
    round
        Number of rounds played before the fault, 0 if not known.
    """

    words: str
    round: int


@dataclass(frozen=True)
class Transcript:
    """All that was recorded of one run.

    Attributes
    ----------
    events : ndarray of int64, shape (events, 7)
        A row for each event, in order: kind, three numbers such as arm and rounds (`Recorder` says which), hash of
        the stream's state. Then draws since the recorder's previous call, and number of its calls before this one.
    numbers : ndarray of float64, shape (events, 4)
        True value, scale of the noise, and output of each event; the fourth is the secret of a comparison.
    faults
        Ways in which the run bypassed the recorder, as far as the recorder sees them.
    pulls : ndarray of int64, shape (arms,)
        Pulls of each arm, as the algorithm counts them.
    """

    events: Counts
    numbers: Floats
    faults: tuple[Fault, ...]
    pulls: Counts

    def row_numbers(self, kind: int) -> Counts:
        """Return the numbers, from 0 and in order, of the rows of a kind of event, such as `recorder.RELEASED`."""
        found: Counts = np.flatnonzero(self.events[:, at.KIND] == kind)
        return found

    @functools.cached_property
    def last_decision(self) -> int:
        """Row number of the last decision, 0 without any. Outputs after it influence no decision."""
        decisions = self.row_numbers(at.PLAYED)
        return int(decisions[-1]) if decisions.size else 0

    @functools.cached_property
    def outputs(self) -> Counts:
        """Row numbers of all outputs in order: released numbers, selected actions and answers of comparisons."""
        found: Counts = np.flatnonzero(np.isin(self.events[:, at.KIND], OUTPUTS))
        return found

    @property
    def tape(self) -> Floats:
        """All outputs in order: released numbers, selected actions and answers of comparisons."""
        return np.ascontiguousarray(self.numbers[self.outputs, at.OUTPUT])

    @functools.cached_property
    def played(self) -> Counts:
        """Rounds played before each event and, as the last entry, in all; shape (events + 1,)."""
        rounds = np.where(self.events[:, at.KIND] == at.PLAYED, self.events[:, at.HOW], 0)
        return np.concatenate([[0], np.cumsum(rounds)])

    @functools.cached_property
    def epochs(self) -> Counts:
        """Number of each event's epoch, from 0: a new one begins at the first reading after an output or noise."""
        kinds = self.events[:, at.KIND]
        kinds = np.where(np.isin(kinds, OUTPUTS + NOISY), at.RELEASED, kinds)
        informative = np.flatnonzero(kinds != at.PLAYED)
        begins = np.zeros(kinds.size, dtype=np.int64)
        new = (kinds[informative][1:] == at.READ) & (kinds[informative][:-1] == at.RELEASED)
        begins[informative[1:][new]] = 1
        return np.cumsum(begins)

    def first_divergence(self, other: Transcript) -> int | None:
        """Return the first row, from 0, in which events differ, or that one transcript lacks; ``None`` if none.

        Values, noise and outputs may differ; what is played, read and released, by which mechanism, and the scale
        of its noise, may not.
        """
        number = min(len(self.events), len(other.events))
        same = (self.events[:number, :4] == other.events[:number, :4]).all(axis=1)
        # NaN differs from itself, but two NaN are the same scale here.
        scales, others = self.numbers[:number, at.SCALE], other.numbers[:number, at.SCALE]
        same &= (scales == others) | (np.isnan(scales) & np.isnan(others))
        if not same.all():
            return int(np.argmin(same))
        return None if len(self.events) == len(other.events) else number

    def seen(self, row: int) -> int:
        """Return how many events up to a row outsiders see: decisions, outputs, that a threshold is drawn."""
        return int(np.isin(self.events[: row + 1, at.KIND], (at.PLAYED, *OUTPUTS, at.CONCEALED)).sum())

    def reused_noise(self) -> tuple[int, int] | None:
        """Return the row numbers of one pair of events with the same noise, ascending; ``None`` without any."""
        kinds = self.events[:, at.KIND]
        # A selection draws once for all its rows; a gap does not draw at all.
        drawn = np.isin(kinds, NOISY) & ((kinds != at.OFFERED) | (self.events[:, at.WHICH] == 0))
        rows = np.flatnonzero(drawn & ~((kinds == at.RELEASED) & (self.events[:, at.HOW] == at.GAP)))
        positions = self.events[rows, at.POSITION]
        order = np.argsort(positions, kind="stable")
        same = np.flatnonzero(positions[order][1:] == positions[order][:-1])
        if same.size == 0:
            return None
        pair = rows[order[same[0] : same[0] + 2]]
        return int(pair.min()), int(pair.max())

    def name(self, row: int) -> str:
        """Return the short name of an event, such as "decision 4", from 1; "the end" for a row after the last."""
        if row >= len(self.events):
            return "the end"
        kind = self.events[row, at.KIND]
        names = {at.PLAYED: "decision", at.READ: "reading", at.RELEASED: "release", at.CONCEALED: "secret"}
        names[at.COMPARED] = "comparison"
        number = int((self.events[: row + 1, at.KIND] == kind).sum())
        return f"{names.get(int(kind), 'selection')} {number}"

    def describe(self, row: int) -> str:
        """Return an event in words: "arm 2 is played 8 times after round 16"; "nothing more" after the last row."""
        if row >= len(self.events):
            return "nothing more"
        kind, a, b, c = self.events[row, :4]
        value, scale, _ = self.numbers[row, :3]
        when = f" after round {self.played[row]:,}"
        if kind == at.PLAYED:
            return f"arm {a + 1} is played {b:,} times{when}"
        if kind == at.READ:
            return f"pulls {b + 1:,} to {c:,} of arm {a + 1} are read{when}"
        if kind in WITH_NOISE:
            law = "a gap of scale" if b == at.GAP and kind == at.RELEASED else LAWS.get(int(b), "noise of scale")
            return f"{WITH_NOISE[int(kind)]} {a + 1}{when} of {value:g} with {law} {scale:g}"
        return f"selection {(c if kind == at.OFFERED else a) + 1}{when}"


# Words of events that have noise, and of laws of noise.
WITH_NOISE = {at.RELEASED: "release", at.CONCEALED: "secret", at.COMPARED: "comparison"}
LAWS = {
    NORMAL: "normal noise of deviation",
    DISCRETE_LAPLACE: "discrete noise of scale",
    DISCRETE_NORMAL: "discrete normal noise of deviation",
    RESPONSE: "a randomised response of probability",
}
# Words of the faults that a recorder sees; {} is the number of an arm.
FAULTS = {
    at.READ_TWICE: "a reward of arm {} is read twice",
    at.NOT_PLAYED: "rewards of arm {} are read that were not played",
    at.WRONG_STREAM: "noise is drawn from another stream than the run's",
    at.STREAM_REWOUND: "the run's stream was rewound or replaced, so that noise may be drawn again",
    at.NOISE_MISMATCH: "the noise on the score of action {} is not the declared noise",
    at.NO_ANSWER: "an output is forced to what is no answer",
    NO_SECRET: (
        f"`above` compares with a number that is none of the last {LIVING:,} of `conceal`; add to the value instead"
    ),
}


class TooManyEvents(Exception):
    """A run has more events than its replayer accepts."""


class Replayer:
    """A job with a recorder, to be run again and again on the same random stream.

    Parameters
    ----------
    job
        The job to run; its seed and ``number`` give the stream.
    number
        Number of the run.
    flipped
        The same job on a table of inputs that is flipped, 0 for 1 and 1 for 0, if the inputs exist as a table.
    counts
        Whether the algorithm counts the pulls of the arms that it plays.
    most_events
        A run with more events is given up (`TooManyEvents`), unless there is room already: for 1,024 events at
        first, and for twice the events of an earlier run that needed more.

    Attributes
    ----------
    stream, origin : ndarray of uint64, shape (4,)
        State of the stream at the beginning of each run, which may be replaced, and the run's key: at first equal.
    forced : ndarray of uint64, shape (calls, 5)
        Rows of a call's number and four words, the state at which the stream goes on after that call.
    replays
        Number of runs so far.
    """

    def __init__(
        self, job: Job, number: int, flipped: Job | None = None, counts: bool = True, most_events: int = 10**9
    ) -> None:
        """Prepare the job's run, with room for 1,024 events; `run` makes more where it is needed."""
        self.job, self.number, self._counts, self._most_events = job, number, counts, most_events
        self._runs, problem = prepare(job, range(number, number + 1))
        self.flipped_job = flipped or job
        self._problems: dict[int, Problem] = {0: problem}
        self.origin = self.stream = self._runs.streams[0].copy()
        self.forced = NONE_FORCED
        self._counters: type[Counts] = np.ndarray
        self._allocate(1 << 10)
        self.replays = 0

    def inputs(self, table_rows: int) -> Parameters:
        """Return the environment with ``table_rows`` leading rows of T-row tables flipped; from T on, all."""
        if table_rows >= self.job.horizon:
            return self.flipped_job.environment
        changed = self.flipped_job.environment
        by_rows = {
            name: [*changed[name][:table_rows], *rows[table_rows:]]
            for name, rows in self.job.environment.items()
            if isinstance(rows, list) and len(rows) == self.job.horizon
        }
        return {**self.job.environment, **by_rows}

    def _problem(self, table_rows: int) -> Problem:
        if table_rows not in self._problems:
            job = dataclasses.replace(self.job, environment=self.inputs(table_rows))
            self._problems[table_rows] = prepare(job, range(1))[1]
        return self._problems[table_rows]

    def watch(self, events: Counts, numbers: Floats, counters: type[Counts]) -> None:
        """Record the next runs in given arrays, which may be of subclasses that check what is written.

        Shapes are (capacity, 7) and (capacity, 4); ``counters`` is such a class, not an array. A run of more events
        gets longer, plain arrays in their place.
        """
        self._events, self._numbers, self._counters = events, numbers, counters

    def _allocate(self, capacity: int) -> None:
        self._events = np.empty((capacity, 7), dtype=np.int64)
        self._numbers = np.empty((capacity, 4))

    def run(
        self,
        rewards: Rewards,
        tape: Floats = NO_TAPE,
        noise: NoiseOverride = UNCHANGED,
        table_rows: int = 0,
    ) -> Transcript:
        """Run the job on given rewards, and return the transcript.

        Parameters
        ----------
        rewards
            Rewards that the recorder pays.
        tape : ndarray of float64, shape (outputs,)
            The first outputs, which are forced. Those after them are released as usual.
        noise
            Factor of all noise, and its sign, if it gets one; by default all noise stays as it is drawn.
        table_rows
            Number of leading rows that are flipped in the table of inputs, which the recorder does not pay. A
            table without a row for each round is flipped as a whole, if the number is T or more.

        Raises
        ------
        TooManyEvents
            If there are more than ``most_events``, and more than there is room for.
        """
        raise_if_late()
        self.replays += 1
        while True:
            runs = self._runs
            runs.streams[0] = self.stream
            runs.pulls[:] = 0
            recorder = Recorder(
                stream=runs.streams[0],
                origin=self.origin,
                shadow=self.stream.copy(),
                counters=np.zeros(10, dtype=np.int64).view(self._counters),
                events=self._events,
                numbers=self._numbers,
                pulled=np.zeros((rewards.rates.shape[0], 2), dtype=np.int64),
                rates=rewards.rates,
                flipped_ranges=rewards.flipped_ranges,
                flipped_pulls=rewards.flipped_pulls,
                tape=tape,
                noise_override=np.array(noise),
                forced=self.forced,
            )
            fill(self.job, runs._replace(recorder=recorder), self._problem(table_rows))
            number = int(recorder.counters[at.EVENTS])
            if number <= len(self._events):
                return self._transcript(runs, recorder, number)
            if number > self._most_events:
                raise TooManyEvents
            self._allocate(2 * number)

    def _transcript(self, runs: Runs, recorder: Recorder, number: int) -> Transcript:
        """Return the transcript of a run that has ended, with the faults that the recorder saw."""
        events, faults = self._events[:number].copy(), []
        if recorder.counters[at.FAULT]:
            words = FAULTS[int(recorder.counters[at.FAULT])].format(int(recorder.counters[at.FAULT_ARM]) + 1)
            before = events[: recorder.counters[at.FAULT_EVENT]]
            faults.append(Fault(words, int(before[before[:, at.KIND] == at.PLAYED, at.HOW].sum())))
        if recorder.counters[at.ROUNDS] != self.job.horizon:
            faults.append(Fault(f"pulls sum to {recorder.counters[at.ROUNDS]}, not to T = {self.job.horizon}", 0))
        elif self._counts and not np.array_equal(recorder.pulled[:, 0], runs.pulls[0]):
            arm = int(np.argmax(recorder.pulled[:, 0] != runs.pulls[0]))
            faults.append(Fault(f"arm {arm + 1} is played without being recorded", 0))
        return Transcript(events, self._numbers[:number].copy(), tuple(faults), runs.pulls[0].copy())
