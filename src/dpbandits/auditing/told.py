"""Replay of an algorithm as a certificate prescribes: on one of two inputs, with given draws and outputs.

The checker uses it. It also finds outputs that differ between the two inputs but influence no decision.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.admission import salt
from dpbandits.auditing.budget import raise_if_late
from dpbandits.auditing.certificate import Certificate, Side
from dpbandits.auditing.densities import LAPLACE, NORMAL, OUTPUTS, RESPONSE, among, log_density
from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.recorder import Recorder
from dpbandits.runs.job import Job, fill, make_job, prepare
from noisetap.probabilities import log_missed

# Calls of the recorder whose draws are tried, in a run of fewer than LONG events, and in a longer one.
TRIED, TRIED_LONG, LONG = 64, 6, 2_000
# Times that each is tried: noise; coins, at least; and at most with few events, many, and five times as many.
TIMES_NOISE, TIMES, MOST_TIMES = 12, 48, (1200, 150, 100)
# Probability that a coin is missed, which would make a false proof: what is aimed at, and what is allowed.
MISSED, MISSED_AT_MOST = 1e-5, 1e-3
# Draws of a call that are forced by themselves to be extremely small or large, and how small, in bits.
FORCED, EXTREME_BITS = 6, 34
WORD = 2**64 - 1
# Runs with moved outputs, with few and with many events.
MOVED, MOVED_LONG = 800, 200
# Ways in which outputs are moved, in scales of their noise: see `without_effect`.
MOVES = (1e6, 30.0, 3.0, 1.0, 1e6, 30.0)
# Kinds of events that outsiders see: decisions, outputs, and that a secret was drawn.
SEEN = (at.PLAYED, at.RELEASED, at.SELECTED, at.COMPARED, at.CONCEALED)


class Program:
    """The program of a certificate on one of its two inputs, ready to `run` with given outputs and draws.

    ``side`` is ``one`` or ``other``. ``secret`` is part of the seed of the draws that the checker makes itself.
    ``rates``, ``ranges`` and ``pulls`` are the side's rewards, in a recorder's form (`Input`). ``origin`` is the
    run's key and ``stream`` its random stream at the start, four words each.
    """

    kept: type[np.ndarray[Any, Any]] = np.ndarray
    """Class of the array of events; `dpbandits.auditing.explain` sets one that stops the run at a row."""

    capacity = 1024
    """Number of events for which there is room. A run with more is repeated with room for twice its events."""

    def __init__(self, certificate: Certificate, side: Side, secret: bytes = b"") -> None:
        """Build the job and read the rewards, the stream and the forced draws of one side of a certificate."""
        self.certificate, self.secret = certificate, secret
        job, paid = certificate["job"], certificate[side]
        self.job: Job = make_job(
            job["algorithm"], job["parameters"], paid["environment"], job["epsilon"], job["horizon"], 1, 0
        )
        self.runs, self.problem = prepare(self.job, range(1))
        self.rates = np.array(paid["rates"], dtype=np.float64)
        self.ranges = np.array(paid["flipped_ranges"], dtype=np.int64)
        width = max((len(row) for row in paid["flipped_pulls"]), default=0)
        self.pulls = np.full((len(self.rates), width), np.iinfo(np.int64).max)
        for arm, row in enumerate(paid["flipped_pulls"]):
            self.pulls[arm, : len(row)] = row
        self.stream, self.origin = (
            np.array([int(word, 16) for word in certificate[name]], dtype=np.uint64)
            for name in ("stream", "origin")
        )
        self.forced = {int(row[0]): [int(word, 16) for word in row[1:]] for row in certificate["forced"]}

    @functools.cached_property
    def salt(self) -> int:
        """Seed of the draws that the checker makes itself."""
        return salt(self.certificate, self.secret)

    def fresh(self, number: int) -> None:
        """Give the next runs a random key ``origin`` and a random ``stream`` to start at; drop all forced draws.

        Both are drawn from a generator whose seed is made of ``number`` and `salt`.
        """
        rng = np.random.default_rng([number, self.salt, 0xD1CE])
        self.origin, self.stream = rng.integers(0, 2**64, (2, 4), dtype=np.uint64)
        self.forced = {}

    def run(self, tape: Any, forced: Mapping[int, Any] = MappingProxyType({}), noise: Any = (1.0, 0.0)) -> Recorder:
        """Run with the first outputs equal to ``tape``, in order, and return the recorder, cut to the run's events.

        Later outputs are drawn. After a call of the recorder whose number, from 1, is in ``forced`` or in the
        certificate, the stream has the state, four words, given there; number 0 is the start. ``noise`` is
        (factor, sign): all noise is multiplied by the factor, and gets the sign if that is not 0.
        """
        raise_if_late()
        states = {**self.forced, **forced}
        rows = [[call, *states[call]] for call in sorted(states) if call]
        capacity = self.capacity
        self.runs.streams[0] = states.get(0, self.stream)
        self.runs.pulls[:] = 0
        found = Recorder(
            stream=self.runs.streams[0],
            origin=self.origin,
            shadow=self.runs.streams[0].copy(),
            counters=np.zeros(10, dtype=np.int64),
            events=np.zeros((capacity, 7), dtype=np.int64).view(self.kept),
            numbers=np.zeros((capacity, 4)),
            pulled=np.zeros((len(self.rates), 2), dtype=np.int64),
            rates=self.rates,
            flipped_ranges=self.ranges,
            flipped_pulls=self.pulls,
            tape=np.array(tape, dtype=np.float64),
            noise_override=np.array(noise),
            forced=np.array(rows, dtype=np.uint64).reshape(-1, 5),
        )
        fill(self.job, self.runs._replace(recorder=found), self.problem)
        number = int(found.counters[at.EVENTS])
        if number > capacity:
            self.capacity = 2 * number
            return self.run(tape, forced, noise)
        return found._replace(events=found.events[:number], numbers=found.numbers[:number])


class Path(NamedTuple):
    """View that outsiders have of a run up to an event.

    ``events``, shape (events, 4), has the kind of each event and what it is, such as arm and rounds of a decision.
    ``logs``, shape (events,), has the log density or log probability of each output, 0 for other events. ``peaks``
    bounds those of Laplace and normal noise, whatever the output: -log(2 scale). It is 0 for all other events.
    """

    events: NDArray[np.int64]
    logs: NDArray[np.float64]
    peaks: NDArray[np.float64]

    def agrees(self, other: Path) -> bool:
        """Tell whether another run has the same events, whatever the values of its outputs are."""
        return np.array_equal(self.events, other.events)


def path(run: Recorder, length: int, idle: Collection[int] = ()) -> Path:
    """Return the first ``length`` events of a run that outsiders see: decisions, outputs, draws of thresholds.

    Each output comes with its log density, and a bound of it: -log(2 scale) for Laplace and normal noise, else 0.
    Both are set to 0 for the outputs in ``idle``, numbers from 0 of those that decide nothing.
    """
    rows = np.flatnonzero(among(run.events[:, at.KIND], SEEN))[:length]
    events = run.events[rows, :4].copy()
    # With which secret something is compared nobody sees.
    events[events[:, at.KIND] == at.COMPARED, at.MORE] = 0
    kinds, numbers, laws = events[:, at.KIND], events[:, at.WHICH], events[:, at.HOW]
    # Where a law is a density, it is largest at the true value.
    dense = (kinds == at.RELEASED) & ((laws == LAPLACE) | (laws == NORMAL))
    peaks, logs = np.zeros(len(rows)), log_density(run, rows)
    with np.errstate(divide="ignore"):
        peaks[dense] = -np.log(2.0 * run.numbers[rows[dense], at.SCALE])
    if idle:
        untold = among(kinds, OUTPUTS) & np.isin(numbers, list(idle))
        logs[untold] = peaks[untold] = 0.0
    return Path(events, logs, peaks)


def without_effect(certificate: Certificate) -> frozenset[int]:
    """Return the numbers, from 0, of outputs that differ between the two inputs but change no decision when moved.

    They are released numbers and answers of comparisons; selections are never among them. A claim is about
    decisions, so outputs that change none lose nothing. Under local privacy it is about outputs: the set is empty.

    All outputs that differ are moved together six times, by 1 to 10^6 scales of their noise; an answer becomes
    another one. If that changes a decision, each half is tried by itself, and so on, down to single outputs. After
    800 runs, or 200 of 2,000 events or more, each set that is left is moved once. An effect that is missed makes
    the loss smaller, and so never makes a false proof.
    """
    privacy = registry.algorithm(certificate["job"]["algorithm"]).privacy
    if privacy is not None and privacy.definition == "local":
        return frozenset()
    programs = [Program(certificate, side) for side in ("one", "other")]
    runs = [program.run(certificate["tape"]) for program in programs]
    size = min(len(run.events) for run in runs)
    differ = (runs[0].numbers[:size, :2] != runs[1].numbers[:size, :2]).any(axis=1)
    rows = np.flatnonzero(differ & np.isin(runs[0].events[:size, at.KIND], (at.RELEASED, at.COMPARED)))
    rng, tape = (
        np.random.default_rng(0x0DD),
        runs[0].numbers[np.isin(runs[0].events[:, at.KIND], OUTPUTS), at.OUTPUT],
    )
    decided = [_decisions(run) for run in runs]
    left = MOVED if size < LONG else MOVED_LONG
    found: list[int] = []
    sets = [rows] if len(rows) else []
    while sets:
        some, same = sets.pop(), True
        for scales in MOVES:
            moved = _moved(runs[0], tape, some, scales, rng)
            same = same and all(
                np.array_equal(_decisions(program.run(moved)), before)
                for program, before in zip(programs, decided, strict=True)
            )
            left -= 2
            if not same or left <= 0:
                break
        if same:
            found += runs[0].events[some, at.WHICH].tolist()
        elif len(some) > 1:
            sets += np.array_split(some, 2)
    return frozenset(found)


def _decisions(run: Recorder) -> NDArray[np.int64]:
    return run.events[run.events[:, at.KIND] == at.PLAYED, :3]


def _moved(
    run: Recorder, tape: NDArray[np.float64], rows: NDArray[np.int64], scales: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return a tape with the outputs of some rows moved, each to a random side.

    Parameters
    ----------
    run, tape
        A run with these outputs.
    rows
        The outputs' rows in the run.
    scales
        How far they are moved, in scales of their noise.
    rng
        Decides the sides.
    """
    moved = tape.copy()
    for row in rows.tolist():
        kind, number, law, more = run.events[row, :4].tolist()
        if kind == at.COMPARED:
            moved[number] = 1.0 - tape[number]
        elif law == RESPONSE:
            moved[number] = (tape[number] + rng.integers(1, more)) % more
        elif law == at.GAP:
            moved[number] = scales * rng.random()
        else:
            moved[number] += rng.choice([-1.0, 1.0]) * np.ceil(scales * max(run.numbers[row, at.SCALE], 1.0))
    return moved


def random_states(calls: list[int], number: int, root: int) -> dict[int, list[int]]:
    """Return a random state of the stream, four words, after each of these recorder calls; seed: number, root."""
    rng = np.random.default_rng([number, root, 0x5EED])
    return {call: [int(word) for word in rng.integers(0, 2**64, 4, dtype=np.uint64)] for call in calls}


def tries(epsilon: float, events: int) -> int:
    """Return how often to repeat a run with one of its coins, draws that are not noise, drawn again.

    Another value of the coin may excuse that outputs on two neighbouring inputs differ. Under the claimed budget
    ``epsilon`` all repeats together miss it with probability 10^-5 at most, or more where their number is limited.
    It is at least 48, and at most 1,200, or 150 in runs of 2,000 ``events`` or more, or 100 from 10,000 on.
    """
    most = MOST_TIMES[0 if events < LONG else 1 if events < 5 * LONG else 2]
    needed = math.log(MISSED) / log_missed(epsilon) if epsilon > 0.0 else 0.0
    return int(np.clip(math.ceil(needed), TIMES, most))


def decided_by_coins(epsilon: float, run: Recorder, length: int) -> bool:
    """Tell whether a run draws, up to its event ``length``, a coin that may excuse a difference and be missed.

    A coin is any draw that is not noise. It may be missed if the probability that all `tries` miss it is above
    0.001. That is so at budgets above about 5, and above about 3 in runs of 2,000 events or more.
    """
    missed = math.exp(tries(epsilon, len(run.events)) * log_missed(epsilon)) if epsilon > 0.0 else 0.0
    return missed > MISSED_AT_MOST and bool(_draws(run, length, noise=False))


def states_to_try(call: int, draws: int, number: int, root: int) -> Iterator[dict[int, list[int]]]:
    """Yield states of the stream to try after a call of the recorder, as ``{call: state}``.

    First are states that make one of the next six draws extremely small, then large; then random ones.

    Parameters
    ----------
    call
        Number of the call, from 1; 0 is the start of the run.
    draws
        Number of draws up to the next call.
    number
        Number of random states.
    root
        Seed of all states.
    """
    for place in range(min(draws, FORCED)):
        for side in (0, 1):
            ((_, state),) = random_states([call], 2 * place + side, root ^ 0xED6E).items()
            word = state[1] >> (64 - EXTREME_BITS)
            yield {call: _giving(state, place, word if side == 0 else WORD - word)}
    for turn in range(number):
        yield random_states([call], turn, root)


def _giving(state: list[int], place: int, word: int) -> list[int]:
    """Return a state of xoshiro256++ of which a draw, by its number from 0, is this word."""
    s0, s1, s2, _ = state
    rotated = (word - s0) & WORD
    s3 = (((rotated >> 23) | (rotated << 41)) - s0) & WORD
    for _ in range(place):
        # The steps of `dpbandits.core.streams.bits` in their opposite order.
        s3 = ((s3 >> 45) | (s3 << 19)) & WORD
        s0 ^= s3
        before = s1 ^ s2
        s1 = (before ^ before << 17 ^ before << 34 ^ before << 51) & WORD
        s2 ^= (s1 << 17) & WORD
        s3 ^= s1
        s2 ^= s0
    return [s0, s1, s2, s3]


def _draws(run: Recorder, length: int, noise: bool) -> set[int]:
    """Return calls of the recorder, up to an event: those whose draws are all noise, or those with other draws."""
    rows = np.flatnonzero(among(run.events[:, at.KIND], SEEN))[:length]
    events = run.events[: rows[-1] + 1] if len(rows) else run.events[:0]
    later = (events[:, at.KIND] == at.OFFERED) & (events[:, at.WHICH] > 0)
    coins = (events[:, at.DRAWS] > 0) & (events[:, at.KIND] != at.SELECTED)
    noisy = np.isin(events[:, at.KIND], (at.RELEASED, at.OFFERED, at.CONCEALED, at.COMPARED)) & ~coins
    return set(events[(noisy if noise else coins) & ~later, at.CALL].tolist())


def hidden_draws(
    programs: tuple[Program, Program],
    tape: Any,
    length: int,
    paths: list[Path],
    noise: bool,
    idle: Collection[int] = (),
) -> list[int]:
    """Return the numbers of the calls whose draws change the last event seen or a log density, and no event before.

    A draw is hidden if outsiders do not see it: another value of it might excuse a difference between the inputs.
    One that changes an earlier event is not hidden: if the event is the same on both inputs, so is the draw. It is
    enough that one of the two programs changes so. Of more than 64 calls, or 6 in runs of 2,000 events or more,
    only some are tried.

    Parameters
    ----------
    programs
        The program on the two inputs.
    tape
        Outputs, in their order.
    length
        Number of events that are seen.
    paths
        What outsiders see of the runs on both inputs with these outputs.
    noise
        Whether to try draws of noise; else all other draws.
    idle
        Numbers of the outputs whose values are not seen.
    """
    runs = [program.run(tape) for program in programs]
    coins = {call for run in runs for call in _draws(run, length, noise=False)}
    # Where one run draws noise alone and the other a coin before it, the coin is what may hide.
    calls = sorted({call for run in runs for call in _draws(run, length, noise=True)} - coins if noise else coins)
    most = TRIED if len(runs[0].events) < LONG else TRIED_LONG
    if len(calls) > most:
        # Near what differs between the inputs, near the end, and spread.
        spread = [calls[i] for i in np.linspace(0, len(calls) - 1, most // 6).astype(int)]
        calls = sorted({*_near(runs, calls)[: 2 * most // 3], *calls[-(most // 6) :], *spread})
    found, number = [], draws_after(runs)
    often = TIMES_NOISE if noise else tries(programs[0].certificate["claim"]["epsilon"], len(runs[0].events))
    for call in calls:
        for states in states_to_try(call, number.get(call, 0), often, programs[0].salt):
            again = [path(program.run(tape, states), length, idle) for program in programs]
            same = [np.array_equal(a.events[:-1], b.events[:-1]) for a, b in zip(again, paths, strict=True)]
            changed = [
                not a.agrees(b) or not np.array_equal(a.logs, b.logs) for a, b in zip(again, paths, strict=True)
            ]
            if any(s and c for s, c in zip(same, changed, strict=True)):
                found.append(call)
                break
    return found


def draws_after(runs: list[Recorder]) -> dict[int, int]:
    """Return, by the number of each call of the recorder, how many draws follow it before the next call.

    Of several ``runs`` it is the largest number. A call after which nothing more is recorded is left out.
    """
    found: dict[int, int] = {}
    for run in runs:
        for draws, call in run.events[:, [at.DRAWS, at.CALL]].tolist():
            found[call] = max(found.get(call, 0), draws)
    return found


def _near(runs: list[Recorder], calls: list[int]) -> list[int]:
    """Return calls sorted by their distance from the nearest output that differs between two runs."""
    size = min(len(run.events) for run in runs)
    differ = (runs[0].numbers[:size, :2] != runs[1].numbers[:size, :2]).any(axis=1)
    differ &= np.isin(runs[0].events[:size, at.KIND], OUTPUTS)
    places = runs[0].events[:size][differ, at.CALL]
    if len(places) == 0:
        return calls[::-1]
    return sorted(calls, key=lambda call: int(np.abs(places - call).min()))
