"""The door: what a private algorithm may know of its inputs passes here, and can be recorded and played again.

Kernels call these functions wherever something is played, a reward is read, a noisy number is released, or an
action is selected. In ordinary runs the door is ``None``: numba compiles the branch away, and nothing is left of
it. With a `Door` it writes down what passes; and with a tape it lets out, in place of what would have been
released, what it was told to. `dpbandits.audit.replay` does both, and `docs/audit.md` says what follows from it.

Behind a door nothing is drawn from a law of rewards. The p-th pull of an arm pays 0 or 1, a function of arm and p
that answers what is played, so that a batch of any length is summed at once; a neighbouring input pays otherwise
in one pull.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.streams import State, bits, laplace, uniform

# Kinds of events.
PLAYED, READ, RELEASED, OFFERED, SELECTED = 0, 1, 2, 3, 4
# Laws of noise: of a release the first one, or one of `dpbandits.core.gaussian`; of a selection, the action of
# smallest score less its noise, each of them.
LAPLACE, GUMBEL, EXPONENTIAL = 0, 1, 2
# Places in `Door.counters`: events, outputs, rounds played; the first fault's number, event and arm.
EVENTS, OUTPUTS, ROUNDS, FAULT, WHERE, WHOSE = 0, 1, 2, 3, 4, 5
# Faults that are seen at the door itself.
READ_TWICE, NOT_PLAYED, FOREIGN, SET_BACK, NOT_AS_SAID = 1, 2, 3, 4, 5
# What is drawn twice is the same but for the rounding of a difference.
ROUNDING = 1e-9
# A stream is looked for so many draws ahead, between two things that pass the door.
AHEAD = 1 << 20
# What a stream is moved by after noise is drawn, to a place that is as far from there as any other.
ELSEWHERE = np.uint64(0xD1B54A32D192ED03)


class Door(NamedTuple):
    """An open door of one run.

    Attributes
    ----------
    stream : ndarray of uint64, shape (4,)
        The run's own random stream: a release that draws from another one is a fault.
    shadow : ndarray of uint64, shape (4,)
        Where the stream was when something passed last, or will be after a selection's noise. Behind a door a
        release moves the stream elsewhere, so that who sets it back to before the noise is not where he should be.
    counters : ndarray of int64, shape (6,)
        How much has passed, and the first fault; see the constants above.
    events : ndarray of int64, shape (capacity, 5)
        What passed, in order; past the capacity events are only counted. A row has a kind and
        ``PLAYED``: arm, rounds; ``READ``: arm, pulls of it before the first and up to the last that are read;
        ``RELEASED``: number of the output, law of the noise, 0, the stream's state before the noise as one number;
        ``OFFERED``, a row for each action: action, mechanism, number of the output, the stream's state;
        ``SELECTED``: number of the output, action.
    numbers : ndarray of float64, shape (capacity, 3)
        Of ``RELEASED``: true value, scale of the noise, output; of ``OFFERED``: score, scale, noisy score; of
        ``READ`` the sum of what was read.
    pulled : ndarray of int64, shape (arms, 2)
        How often each arm was played, and the last pull of it that was read.
    levels : ndarray of float64, shape (arms, 2)
        An arm's first n pulls pay floor(level n + phase) in sum, 0 <= level <= 1.
    turned : ndarray of int64, shape (arms, 2)
        Pulls of an arm after the first number and up to the second pay 1 in place of 0 and 0 in place of 1;
    marked : ndarray of int64, shape (arms, marks)
        and so do these, increasing. Never both.
    tape : ndarray of float64, shape (outputs,)
        What is let out, by the number of the output; empty if that is what is released.
    bent : ndarray of float64, shape (2,)
        Noise that is released is multiplied by the first number; where the second one is 1 or -1, it has that sign.
    """

    stream: State
    shadow: State
    counters: NDArray[np.int64]
    events: NDArray[np.int64]
    numbers: NDArray[np.float64]
    pulled: NDArray[np.int64]
    levels: NDArray[np.float64]
    turned: NDArray[np.int64]
    marked: NDArray[np.int64]
    tape: NDArray[np.float64]
    bent: NDArray[np.float64]


@inner
def _write(
    door: Door, kind: int, a: int, b: int, c: int, stamp: int, value: float, scale: float, out: float
) -> None:
    at = door.counters[EVENTS]
    door.counters[EVENTS] += 1
    if at < door.events.shape[0]:
        door.events[at, 0] = kind
        door.events[at, 1] = a
        door.events[at, 2] = b
        door.events[at, 3] = c
        door.events[at, 4] = stamp
        door.numbers[at, 0] = value
        door.numbers[at, 1] = scale
        door.numbers[at, 2] = out


@inner
def _fault(door: Door, fault: int, arm: int) -> None:
    if door.counters[FAULT] == 0:
        door.counters[FAULT] = fault
        door.counters[WHERE] = door.counters[EVENTS]
        door.counters[WHOSE] = arm


@inner
def _follow(door: Door) -> None:
    """Draw from the shadow what was drawn from the stream; a stream that is not found ahead was set back."""
    if door.counters[FAULT] != 0:
        # It is refused by name; a long way for every event would add nothing.
        for i in range(4):
            door.shadow[i] = door.stream[i]
    for _ in range(AHEAD):
        same = True
        for i in range(4):
            same = same and door.shadow[i] == door.stream[i]
        if same:
            return
        bits(door.shadow)
    _fault(door, SET_BACK, -1)
    for i in range(4):
        door.shadow[i] = door.stream[i]


@inner
def _elsewhere(door: Door, state: State) -> None:
    """Move a stream on to where nothing that was drawn before is drawn again."""
    state[0] ^= ELSEWHERE
    bits(state)
    for i in range(4):
        door.shadow[i] = state[i]


@inner
def _stamp(door: Door, state: State) -> int:
    """Return a state as one number, which no other state of a stream is likely to have."""
    for i in range(4):
        if state[i] != door.stream[i]:
            _fault(door, FOREIGN, -1)
    mixed = (state[0] * np.uint64(0x9E3779B97F4A7C15)) ^ (state[1] * np.uint64(0xBF58476D1CE4E5B9))
    return int(np.int64(mixed ^ (state[2] * np.uint64(0x94D049BB133111EB)) ^ state[3]))


@inner
def _ones(door: Door, arm: int, first: int, last: int) -> int:
    """Return the sum of what pulls ``first`` + 1 to ``last`` of an arm pay."""
    level, phase = door.levels[arm, 0], door.levels[arm, 1]
    total = np.int64(math.floor(level * last + phase)) - np.int64(math.floor(level * first + phase))
    low, high = max(first, door.turned[arm, 0]), min(last, door.turned[arm, 1])
    if low < high:
        inside = np.int64(math.floor(level * high + phase)) - np.int64(math.floor(level * low + phase))
        total += (high - low) - 2 * inside
    low, high = 0, door.marked.shape[1]
    while low < high:
        middle = (low + high) // 2
        if door.marked[arm, middle] <= first:
            low = middle + 1
        else:
            high = middle
    while low < door.marked.shape[1] and door.marked[arm, low] <= last:
        p = door.marked[arm, low]
        total += 1 - 2 * (np.int64(math.floor(level * p + phase)) - np.int64(math.floor(level * (p - 1) + phase)))
        low += 1
    return int(total)


@inner
def decide(door: Door | None, arm: int, number: int) -> None:
    """Let an algorithm play ``arm`` ``number`` times."""
    if door is not None:
        _follow(door)
        last = door.counters[EVENTS] - 1
        if 0 <= last < door.events.shape[0] and door.events[last, 0] == PLAYED and door.events[last, 1] == arm:
            # In how many pieces it plays on is no decision.
            door.events[last, 2] += number
        elif number > 0:
            _write(door, PLAYED, arm, number, 0, 0, 0.0, 0.0, 0.0)
        door.pulled[arm, 0] += number
        door.counters[ROUNDS] += number


@inner
def read_between(door: Door, arm: int, first: int, last: int) -> float:
    """Return the sum of what pulls ``first`` + 1 to ``last`` of an arm pay, or in full information its rounds."""
    if first < door.pulled[arm, 1]:
        _fault(door, READ_TWICE, arm)
    door.pulled[arm, 1] = max(door.pulled[arm, 1], last)
    total = np.float64(_ones(door, arm, max(first, 0), last))
    _write(door, READ, arm, first, last, 0, total, 0.0, 0.0)
    return total


@inner
def read(door: Door, arm: int, number: int) -> float:
    """Return the sum of what the last ``number`` pulls of an arm pay."""
    if number > door.pulled[arm, 0]:
        _fault(door, NOT_PLAYED, arm)
    return read_between(door, arm, door.pulled[arm, 0] - number, door.pulled[arm, 0])


@inner
def release(state: State, door: Door | None, value: float, scale: float) -> float:
    """Return ``value`` + Lap(``scale``): the way for a number made of rewards to what decides.

    Parameters
    ----------
    state, door
        The run's stream, and the run's door, ``Runs.door``.
    value, scale
        The number, and the scale of its noise.
    """
    if door is None:
        return value + laplace(state, scale)
    stamp = arrive(state, door)
    return let_out(state, door, value, scale, laplace(state, scale), LAPLACE, stamp)


@inner
def arrive(state: State, door: Door) -> int:
    """Return where the run's stream is before the noise of a release is drawn, as one number."""
    _follow(door)
    return _stamp(door, state)


@inner
def let_out(state: State, door: Door, value: float, scale: float, noise: float, law: int, stamp: int) -> float:
    """Let ``value`` out with noise that has been drawn from a law of this scale, or what the tape says."""
    _elsewhere(door, state)
    noise *= door.bent[0]
    if door.bent[1] != 0.0:
        noise = door.bent[1] * abs(noise)
    at = door.counters[OUTPUTS]
    door.counters[OUTPUTS] += 1
    out = np.float64(door.tape[at]) if at < door.tape.size else np.float64(value + noise)
    _write(door, RELEASED, at, law, 0, stamp, value, scale, out)
    return out


@inner
def offer(state: State, door: Door | None, scores: NDArray[np.float64], mechanism: int, scale: float) -> None:
    """Say that an action is to be selected by the smallest of ``scores`` less noise, before that is drawn.

    It is drawn for one action after another, as `_noise` does.
    """
    if door is not None:
        _follow(door)
        stamp = _stamp(door, state)
        for j in range(scores.size):
            noise = _noise(door.shadow, mechanism, scale)
            _write(door, OFFERED, j, mechanism, door.counters[OUTPUTS], stamp, scores[j], scale, noise)


@inner
def _noise(state: State, mechanism: int, scale: float) -> float:
    """Return a draw of a mechanism's noise."""
    if mechanism == LAPLACE:
        return laplace(state, scale)
    exponential = -math.log(uniform(state))
    return scale * exponential if mechanism == EXPONENTIAL else -scale * math.log(exponential)


@inner
def select(door: Door | None, noisy: NDArray[np.float64], action: int) -> int:
    """Return the action that is selected after an `offer`, whose ``noisy`` scores decided for ``action``."""
    if door is None:
        return action
    first = door.counters[EVENTS] - noisy.size
    if first >= 0 and door.counters[EVENTS] <= door.events.shape[0]:
        for j in range(noisy.size):
            score, drawn = door.numbers[first + j, 0], door.numbers[first + j, 2]
            if abs(score - noisy[j] - drawn) > ROUNDING * (abs(score) + abs(drawn) + 1.0):
                _fault(door, NOT_AS_SAID, j)
            door.numbers[first + j, 2] = noisy[j]
    _follow(door)
    _elsewhere(door, door.stream)
    at = door.counters[OUTPUTS]
    door.counters[OUTPUTS] += 1
    chosen = int(door.tape[at]) if at < door.tape.size else action
    _write(door, SELECTED, at, chosen, 0, 0, np.float64(action), 0.0, np.float64(chosen))
    return chosen
