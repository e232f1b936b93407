"""A run behind a door, and what its transcript loses on another input: exact, release by release."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import door as at
from dpbandits.core.door import Door
from dpbandits.core.environment import Problem
from dpbandits.core.gaussian import NORMAL
from dpbandits.core.recording import Runs
from dpbandits.runs.job import Job, fill, prepare

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Log probabilities of the selected actions: of a mechanism, scores, shape (actions,), and a scale.
Selection = Callable[[int, Floats, float], Floats]
NOTHING = np.empty(0)


class World(NamedTuple):
    """What arms pay behind a door: `Door.levels`, and where they pay otherwise, `Door.turned`, `Door.marked`."""

    levels: Floats
    turned: Counts
    marked: Counts


class Noise(NamedTuple):
    """How noise is bent where it is recorded: `Door.bent`. Any value can be released, so any may be looked at."""

    factor: float = 1.0
    sign: float = 0.0


HONEST = Noise()


def world(levels: Floats) -> World:
    """Return the world of these levels, in which nothing is turned."""
    arms = levels.shape[0]
    return World(levels, np.zeros((arms, 2), dtype=np.int64), np.zeros((arms, 0), dtype=np.int64))


def turned_to(world: World, last: Counts) -> World:
    """Return the world in which the first pulls of each arm, up to ``last``, pay otherwise."""
    turned = np.zeros_like(world.turned)
    turned[:, 1] = last
    return world._replace(turned=turned)


def paid(world: World, arm: int, pulls: Counts) -> Counts:
    """Return what pulls of an arm, from 1, pay in a world in which nothing is turned."""
    level, phase = world.levels[arm]
    found: Counts = (np.floor(level * pulls + phase) - np.floor(level * (pulls - 1) + phase)).astype(np.int64)
    return found


def marked_at(world: World, marks: Counts) -> World:
    """Return the world in which single pulls pay otherwise: rows of ``marks`` are arm and pull, from 1."""
    arms = world.levels.shape[0]
    width = int(np.bincount(marks[:, 0], minlength=1).max()) if len(marks) else 0
    marked = np.full((arms, width), np.iinfo(np.int64).max)
    for arm in np.unique(marks[:, 0]):
        own = np.unique(marks[marks[:, 0] == arm, 1])
        marked[arm, : own.size] = own
    return world._replace(marked=marked)


class Fault(NamedTuple):
    """That an algorithm goes round the door: in which words, and how many rounds were played before."""

    words: str
    round: int


@dataclass(frozen=True)
class Transcript:
    """What passed the door in one run.

    Attributes
    ----------
    events, numbers
        As of `Door`.
    faults
        What was done beside the door, as far as the door itself sees.
    pulls : ndarray of int64, shape (arms,)
        Pulls as the run counts them.
    """

    events: Counts
    numbers: Floats
    faults: tuple[Fault, ...]
    pulls: Counts

    def rows(self, kind: int) -> Counts:
        """Return where the events of a kind are."""
        found: Counts = np.flatnonzero(self.events[:, 0] == kind)
        return found

    @functools.cached_property
    def end(self) -> int:
        """The last decision: what comes after it tells nothing."""
        decisions = self.rows(at.PLAYED)
        return int(decisions[-1]) if decisions.size else 0

    @functools.cached_property
    def outputs(self) -> Counts:
        """Where something is let out, by the number of the output."""
        kinds = self.events[:, 0]
        found: Counts = np.flatnonzero((kinds == at.RELEASED) | (kinds == at.SELECTED))
        return found

    @property
    def tape(self) -> Floats:
        """What was let out: released numbers, and selected actions, by the number of the output."""
        return np.ascontiguousarray(self.numbers[self.outputs, 2])

    @functools.cached_property
    def played(self) -> Counts:
        """Rounds played before each event, shape (events + 1,)."""
        rounds = np.where(self.events[:, 0] == at.PLAYED, self.events[:, 2], 0)
        return np.concatenate([[0], np.cumsum(rounds)])

    @functools.cached_property
    def epochs(self) -> Counts:
        """Number each event's epoch: one ends where something is read after something was released."""
        kinds = self.events[:, 0]
        kinds = np.where(kinds == at.OFFERED, at.RELEASED, np.where(kinds == at.SELECTED, at.RELEASED, kinds))
        telling = np.flatnonzero(kinds != at.PLAYED)
        follows = np.zeros(kinds.size, dtype=np.int64)
        new = (kinds[telling][1:] == at.READ) & (kinds[telling][:-1] == at.RELEASED)
        follows[telling[1:][new]] = 1
        return np.cumsum(follows)

    def parting(self, other: Transcript) -> int | None:
        """Return the first event that differs from the other's: all before it let out the same."""
        number = min(len(self.events), len(other.events))
        same = self.events[:number, :4] == other.events[:number, :4]
        if not same.all():
            first: int = np.argmin(same.ravel()).item() // 4
            return first
        return None if len(self.events) == len(other.events) else number


FAULTS = {
    at.READ_TWICE: "a reward of arm {} is read twice",
    at.NOT_PLAYED: "rewards of arm {} are read that were not played",
    at.FOREIGN: "noise is drawn from another stream than the run's",
    at.SET_BACK: "the run's stream is set back, or elsewhere: noise may be a coin again",
    at.NOT_AS_SAID: "the score of action {} is not noised as it is said to be",
}


WORD = (1 << 64) - 1


def _left(word: int, by: int) -> int:
    """Return a word rotated to the left."""
    return ((word << by) | (word >> (64 - by))) & WORD


def _on(state: list[int]) -> None:
    """Move a stream on by one draw, as `dpbandits.core.streams.bits` does."""
    shifted = (state[1] << 17) & WORD
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _left(state[3], 45)


def _back(state: list[int]) -> None:
    """Move a stream back by one draw."""
    third = _left(state[3], 19)
    state[0] ^= third
    mixed = state[1] ^ state[2]
    second = (mixed ^ (mixed << 17) ^ (mixed << 34) ^ (mixed << 51)) & WORD
    state[2] = state[1] ^ second ^ state[0]
    state[1] = second
    state[3] = third ^ second


def _stamp_of(state: list[int]) -> int:
    """Return a state as the number that an event has of it."""
    mixed = (state[0] * 0x9E3779B97F4A7C15) ^ (state[1] * 0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (state[2] * 0x94D049BB133111EB) ^ state[3]) & WORD
    return mixed - (1 << 64) if mixed >> 63 else mixed


class Coins:
    """Draws of a run that are no noise, and streams on which one of them is as it seldom is.

    Behind a door a stream can be gone back: from any state at a coin to where a run has to begin, if it draws as
    often before.

    Parameters
    ----------
    stream
        Where the run began, shape (4,).
    transcript
        The run; only its releases of Laplace noise, one draw each, are followed.

    Attributes
    ----------
    states
        The stream before each draw.
    places, last
        Which draws are no noise, and which of them are the last ones before noise.
    """

    # Draws that are followed, and between two releases: who draws more decides by chance all along.
    MOST, BETWEEN = 1000, 50

    def __init__(self, stream: NDArray[np.uint64], transcript: Transcript) -> None:
        rows = transcript.outputs
        simple = (transcript.events[rows, 0] == at.RELEASED) & (transcript.events[rows, 2] == at.LAPLACE)
        rows = rows[: rows.size if simple.all() else int(np.argmin(simple))]
        # Whether the stream is moved elsewhere after a draw.
        self.states: list[list[int]] = []
        self._noise: list[bool] = []
        self.places: list[int] = []
        self.last: list[int] = []
        state = [int(word) for word in stream]
        for stamp in transcript.events[rows, 4].tolist():
            coins: list[list[int]] = []
            while _stamp_of(state) != stamp and len(coins) <= self.BETWEEN:
                coins.append(state.copy())
                _on(state)
            if len(coins) > self.BETWEEN or len(self.states) > self.MOST:
                break
            self.places += range(len(self.states), len(self.states) + len(coins))
            self.last += self.places[-1:] if coins else []
            self.states += [*coins, state.copy()]
            self._noise += [*(False for _ in coins), True]
            _on(state)
            state[0] ^= int(at.ELSEWHERE)
            _on(state)

    def bent(self, place: int, bits: int) -> NDArray[np.uint64]:
        """Return where a run begins whose draw at ``place`` has these 64 bits."""
        state = self.states[place].copy()
        # The draw is the sum of the first and the last word, rotated, and the first word.
        state[3] = (_left((bits - state[0]) & WORD, 64 - 23) - state[0]) & WORD
        for noise in reversed(self._noise[:place]):
            if noise:
                _back(state)
                state[0] ^= int(at.ELSEWHERE)
            _back(state)
        return np.array(state, dtype=np.uint64)


class Crowded(Exception):
    """More passes the door in one run than is looked at."""


class Stage:
    """A job, ready to be run behind a door again and again with the same coins.

    Parameters
    ----------
    job
        What is run; its seed and ``number`` give the coins.
    number
        Number of the run.
    turned
        The same job where all that is not behind the door is turned as well, for a world that is turned.
    counts
        Whether the run counts pulls of what it plays.
    most
        Events that are looked at, at most.

    Attributes
    ----------
    stream : ndarray of uint64, shape (4,)
        Where runs begin: at first the stream of the job's run; another one is chance as well.
    replays
        How many runs there were.
    """

    def __init__(
        self, job: Job, number: int, turned: Job | None = None, counts: bool = True, most: int = 10**9
    ) -> None:
        self.job, self.number, self._counts, self._most = job, number, counts, most
        self._runs, self._problem = prepare(job, range(number, number + 1))
        self._turned: Problem = self._problem if turned is None else prepare(turned, range(1))[1]
        self.stream = self._runs.streams[0].copy()
        self._room(1 << 10)
        self.replays = 0

    def _room(self, capacity: int) -> None:
        self._events = np.empty((capacity, 5), dtype=np.int64)
        self._numbers = np.empty((capacity, 3))

    def run(self, world: World, tape: Floats = NOTHING, noise: Noise = HONEST, turned: bool = False) -> Transcript:
        """Return the transcript of the run in a world, with what ``tape`` says let out first.

        Parameters
        ----------
        world, noise
            What arms pay, and how noise is bent.
        tape
            Outputs, by their number; those beyond are released as they come.
        turned
            Whether what is not behind the door is turned.

        Raises
        ------
        Crowded
            If too many events pass the door.
        """
        self.replays += 1
        while True:
            runs = self._runs
            runs.streams[0] = self.stream
            runs.pulls[:] = 0
            door = Door(
                stream=runs.streams[0],
                shadow=self.stream.copy(),
                counters=np.zeros(6, dtype=np.int64),
                events=self._events,
                numbers=self._numbers,
                pulled=np.zeros((world.levels.shape[0], 2), dtype=np.int64),
                levels=world.levels,
                turned=world.turned,
                marked=world.marked,
                tape=tape,
                bent=np.array(noise),
            )
            fill(self.job, runs._replace(door=door), self._turned if turned else self._problem)
            number = int(door.counters[at.EVENTS])
            if number <= len(self._events):
                return self._transcript(runs, door, number)
            if number > self._most:
                raise Crowded
            self._room(2 * number)

    def _transcript(self, runs: Runs, door: Door, number: int) -> Transcript:
        events, faults = self._events[:number].copy(), []
        if door.counters[at.FAULT]:
            words = FAULTS[int(door.counters[at.FAULT])].format(int(door.counters[at.WHOSE]) + 1)
            before = events[: door.counters[at.WHERE]]
            faults.append(Fault(words, int(before[before[:, 0] == at.PLAYED, 2].sum())))
        if door.counters[at.ROUNDS] != self.job.horizon:
            faults.append(Fault(f"pulls sum to {door.counters[at.ROUNDS]}, not to T = {self.job.horizon}", 0))
        elif self._counts and not np.array_equal(door.pulled[:, 0], runs.pulls[0]):
            arm = int(np.argmax(door.pulled[:, 0] != runs.pulls[0]))
            faults.append(Fault(f"arm {arm + 1} is played without being recorded", 0))
        return Transcript(events, self._numbers[:number].copy(), tuple(faults), runs.pulls[0].copy())


def reused(transcript: Transcript) -> tuple[int, int] | None:
    """Return two events that draw the same noise, if there are any."""
    rows = np.concatenate([transcript.rows(at.RELEASED), transcript.rows(at.OFFERED)])
    # A selection draws once for all its rows.
    first = (transcript.events[rows, 0] == at.RELEASED) | (transcript.events[rows, 1] == 0)
    rows = rows[first]
    stamps = transcript.events[rows, 4]
    order = np.argsort(stamps, kind="stable")
    same = np.flatnonzero(stamps[order][1:] == stamps[order][:-1])
    if same.size == 0:
        return None
    pair = rows[order[same[0] : same[0] + 2]]
    return int(pair.min()), int(pair.max())


class Losses(NamedTuple):
    """What a transcript loses on another input.

    Attributes
    ----------
    rows : ndarray of int64, shape (outputs,)
        The events that let something out.
    loss : ndarray of float64, shape (outputs,)
        Log of how much likelier each output is on the first input than on the other one; of both orders of the
        inputs the transcript's loss is the absolute value of the sum.
    most : ndarray of float64, shape (outputs,)
        The largest absolute value of such a ratio that any output there has.
    shift : ndarray of float64, shape (outputs,)
        In scales of its noise, by how much a released number moves; of selections 0.
    worst : ndarray of int64, shape (outputs,)
        The selected action that loses most; of releases 0.
    normal : ndarray of bool, shape (outputs,)
        Whose noise is normal: where such a number moves, no output is the worst, and ``most`` is infinite.
    """

    rows: Counts
    loss: Floats
    most: Floats
    shift: Floats
    worst: Counts
    normal: NDArray[np.bool_]


def losses(one: Transcript, other: Transcript, selection: Selection | None) -> Losses:
    """Return what one transcript loses on another input, whose transcript, of the same outputs, is the other.

    What is let out after the last decision decides nothing.
    """
    rows = one.outputs[one.outputs < one.end]
    released = one.events[rows, 0] == at.RELEASED
    normal = released & (one.events[rows, 2] == NORMAL)
    (x, b, y), (z, c, _) = one.numbers[rows].T, other.numbers[rows].T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        stays = (b == 0.0) & (c == 0.0)
        loss = np.where(
            normal,
            (((y - z) / c) ** 2 - ((y - x) / b) ** 2) / 2.0,
            np.abs(y - z) / c - np.abs(y - x) / b,
        ) + np.log(c / b)
        loss = np.where(stays, np.where(z == x, 0.0, np.inf), np.where(np.isnan(loss), np.inf, loss))
        shift = np.where(stays, np.where(z == x, 0.0, np.inf), (z - x) / b)
        # A number beyond both: with equal scales no other has a larger ratio.
        most = np.where(b == c, np.abs(shift), np.maximum(np.abs(shift), np.abs(loss)))
        most = np.where(normal & ((shift != 0.0) | (b != c)), np.inf, most)
    worst = np.zeros(rows.size, dtype=np.int64)
    for i in np.flatnonzero(~released):
        assert selection is not None
        loss[i], most[i], worst[i] = _of_selection(one, other, int(rows[i]), selection)
        shift[i] = 0.0
    return Losses(rows, loss, most, shift, worst, normal)


def _of_selection(one: Transcript, other: Transcript, row: int, selection: Selection) -> tuple[float, float, int]:
    """Return what the selected action loses, what the worst one loses, and which that is."""
    first = row
    while first > 0 and one.events[first - 1, 0] == at.OFFERED:
        first -= 1
    scores = [transcript.numbers[first:row, 0] for transcript in (one, other)]
    if np.array_equal(scores[0], scores[1]):
        return 0.0, 0.0, 0
    laws = [
        selection(int(transcript.events[first, 2]), transcript.numbers[first:row, 0], transcript.numbers[first, 1])
        for transcript in (one, other)
    ]
    ratio = laws[0] - laws[1]
    worst = int(np.argmax(np.abs(ratio)))
    return float(ratio[int(one.events[row, 2])]), float(abs(ratio[worst])), worst
