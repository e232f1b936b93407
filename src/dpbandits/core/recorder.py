"""The recorder: all that a private algorithm may know of its inputs passes here, to be recorded and replayed.

Kernels call these functions wherever an arm is played, a reward is read, a noisy number is released, or an action
is selected. In ordinary runs the recorder is ``None``, and numba compiles the branch away. A `Recorder` writes down
each event; with a tape, a list of outputs, it returns these in place of what the run would have let out.
`dpbandits.auditing.replay` does both, and `docs/audit.md` says what follows from it.

After each event the stream goes on at a place that depends on the run and on the number of the event alone. Draws
are independent of all draws before, so the law of the run is the same. But how many were drawn before an event
makes no difference to those after it.

With a recorder no reward is drawn. The p-th pull of an arm pays 0 or 1, a function of arm and p alone. So the
inputs answer what is played, and the sum of a batch of any length takes one step. A neighbouring input differs in
one pull.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.streams import GOLDEN, State, bits, laplace

# Kinds of events.
PLAYED, READ, RELEASED, OFFERED, SELECTED, CONCEALED, COMPARED = 0, 1, 2, 3, 4, 5, 6
# Columns of `Recorder.events`: three depend on the kind; POSITION is the stream's before the noise, DRAWS are those
# since the call before, CALL is the number of calls before. Columns of `Recorder.numbers`.
KIND, WHICH, HOW, MORE, POSITION, DRAWS, CALL = 0, 1, 2, 3, 4, 5, 6
VALUE, SCALE, OUTPUT, SECRET = 0, 1, 2, 3
# Laws of noise. A release has the first one, or one of `dpbandits.core.gaussian` and `dpbandits.core.mechanisms`. A
# selection has any: it takes the action whose score minus its noise is smallest.
LAPLACE, GUMBEL, EXPONENTIAL = 0, 1, 2
# Law of the gap between the two smallest noisy scores of a selection; no release has it.
GAP = 9
# Indices of `Recorder.counters`: events, outputs, rounds played; number, event and arm of the first fault; calls of
# the recorder; next row of `Recorder.forced`; concealed numbers.
EVENTS, OUTPUTS, ROUNDS, FAULT, FAULT_EVENT, FAULT_ARM, CALLS, NEXT_FORCED, SECRETS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Faults that the recorder sees.
READ_TWICE, NOT_PLAYED, WRONG_STREAM, STREAM_REWOUND, NOISE_MISMATCH = 1, 2, 3, 4, 5
# Number 6 is `dpbandits.core.mechanisms.NO_SECRET`. A tape may hold what is no answer: 7 of 2.
NO_ANSWER = 7
# Relative error of noise that is a difference of scores. Draws between two events; a stream further on is rewound.
ROUNDING, LOOKAHEAD_DRAWS = 1e-9, 1 << 20


class Recorder(NamedTuple):
    """Recorder of one run: it writes down all that the algorithm learns and lets out, and can replay it.

    Attributes
    ----------
    stream : ndarray of uint64, shape (4,)
        The run's own random stream. A release that draws from another one is a fault.
    origin : ndarray of uint64, shape (4,)
        The run's key: where the stream goes on after a call of the recorder is a function of it and of the call's
        number.
    shadow : ndarray of uint64, shape (4,)
        State of the stream at the last call, or after the noise of a selection. It follows the stream draw by
        draw.
    counters : ndarray of int64, shape (10,)
        Numbers of events, outputs and rounds; the first fault or 0, its event, its arm or -1. Then number of calls,
        next row of ``forced``, number of secrets, and row of the latest secret, from 1.
    events : ndarray of int64, shape (capacity, 7)
        One row for each event, in order. Events beyond the capacity are only counted. Columns are ``KIND``; then
        ``WHICH``, ``HOW`` and ``MORE``, as below; then ``POSITION`` of the stream, ``DRAWS`` and ``CALL``.

        - ``PLAYED``: arm, rounds.
        - ``READ``: arm, its pulls before the first one read, its pulls up to the last one read.
        - ``RELEASED``: number of the output, law of the noise such as ``LAPLACE``, number of possible outputs or 0.
        - ``OFFERED``, a row for each action: action, law of its noise, number of the output.
        - ``SELECTED``: number of the output.
        - ``CONCEALED``, a noisy number for comparisons alone: number of the secret, law of its noise, 0.
        - ``COMPARED``: number of the output, law of the noise, number of the secret.
    numbers : ndarray of float64, shape (capacity, 4)
        Numbers of each event, in the columns ``VALUE``, ``SCALE``, ``OUTPUT`` and ``SECRET``.

        - ``READ``: sum of the rewards.
        - ``RELEASED``: true value, scale of the noise, output.
        - ``OFFERED``: score, scale of the noise, noisy score.
        - ``SELECTED``: the run's own action, 0, output.
        - ``CONCEALED``: true value, scale of the noise, secret, row of the secret before it, from 1.
        - ``COMPARED``: true value, scale of the noise, output, secret.
    pulled : ndarray of int64, shape (arms, 2)
        Pulls of each arm, and the last of them that was read.
    rates : ndarray of float64, shape (arms, 2)
        Rate in [0, 1] and phase of each arm: its first n pulls pay floor(rate n + phase) in sum.
    flipped_ranges : ndarray of int64, shape (arms, 2)
        Pulls after the first number and up to the second are flipped: 1 for 0 and 0 for 1.
    flipped_pulls : ndarray of int64, shape (arms, flips)
        Single pulls that are flipped, increasing, and outside of the range.
    tape : ndarray of float64, shape (outputs,)
        The first outputs of the run. Those beyond the tape are released as usual.
    noise_override : ndarray of float64, shape (2,)
        Noise is multiplied by the first number, and gets the sign of the second, 1 or -1; 0 leaves signs. That of
        selections, and randomised responses, stay as they are.
    forced : ndarray of uint64, shape (calls, 5)
        Number of a call, from 1, increasing, and the state at which the stream goes on after it.
    """

    stream: State
    origin: State
    shadow: State
    counters: NDArray[np.int64]
    events: NDArray[np.int64]
    numbers: NDArray[np.float64]
    pulled: NDArray[np.int64]
    rates: NDArray[np.float64]
    flipped_ranges: NDArray[np.int64]
    flipped_pulls: NDArray[np.int64]
    tape: NDArray[np.float64]
    noise_override: NDArray[np.float64]
    forced: NDArray[np.uint64]


@inner
def write(
    recorder: Recorder,
    kind: int,
    which: int,
    how: int,
    more: int,
    position: int,
    draws: int,
    value: float,
    scale: float,
    out: float,
) -> None:
    """Append a row for an event to the recorder's arrays; once they are full, only count the event.

    Parameters
    ----------
    kind
        Kind of the event, such as ``RELEASED``.
    which, how, more
        The columns ``WHICH``, ``HOW`` and ``MORE``. Of ``RELEASED`` they are number of the output, law of the noise
        and number of possible outputs or 0; `Recorder` has them for each kind.
    position
        Hash of the stream's state before the noise, 0 for an event without noise.
    draws
        Number of draws from the stream since the recorder's call before.
    value, scale, out
        The first three columns of ``numbers``: true value, scale of the noise, output.
    """
    at = recorder.counters[EVENTS]
    recorder.counters[EVENTS] += 1
    if at < recorder.events.shape[0]:
        recorder.events[at, KIND] = kind
        recorder.events[at, WHICH] = which
        recorder.events[at, HOW] = how
        recorder.events[at, MORE] = more
        recorder.events[at, POSITION] = position
        recorder.events[at, DRAWS] = draws
        recorder.events[at, CALL] = recorder.counters[CALLS]
        recorder.numbers[at, VALUE] = value
        recorder.numbers[at, SCALE] = scale
        recorder.numbers[at, OUTPUT] = out


@inner
def note_fault(recorder: Recorder, fault: int, arm: int) -> None:
    """Note the run's first fault, such as ``READ_TWICE``, with its event, and its arm or -1; ignore later ones."""
    if recorder.counters[FAULT] == 0:
        recorder.counters[FAULT] = fault
        recorder.counters[FAULT_EVENT] = recorder.counters[EVENTS]
        recorder.counters[FAULT_ARM] = arm


@inner
def drawn_since(recorder: Recorder) -> int:
    """Return the number of draws from the run's stream since the recorder was last called.

    They are counted by advancing ``shadow``, the state at that call, to the state of the stream. If it is not
    reached in 2^20 draws, the stream was rewound: that is a fault. Then 0 is returned, as after any fault.
    """
    if recorder.counters[FAULT] != 0:
        # One fault is enough: the search ahead would take long at every event.
        for i in range(4):
            recorder.shadow[i] = recorder.stream[i]
    for drawn in range(LOOKAHEAD_DRAWS):
        same = True
        for i in range(4):
            same = same and recorder.shadow[i] == recorder.stream[i]
        if same:
            return drawn
        bits(recorder.shadow)
    note_fault(recorder, STREAM_REWOUND, -1)
    for i in range(4):
        recorder.shadow[i] = recorder.stream[i]
    return 0


@inner
def renew(recorder: Recorder) -> None:
    """End a call of the recorder: let the stream go on at a state that run and number of the call alone decide.

    So it does not depend on how many draws came before. ``forced`` may have another state for the call.
    """
    recorder.counters[CALLS] += 1
    call, row = recorder.counters[CALLS], recorder.counters[NEXT_FORCED]
    while row < recorder.forced.shape[0] and recorder.forced[row, 0] < np.uint64(call):
        row += 1
    recorder.counters[NEXT_FORCED] = row
    given = row < recorder.forced.shape[0] and recorder.forced[row, 0] == np.uint64(call)
    for i in range(4):
        # SplitMix64 (Steele, Lea & Flood 2014), as `dpbandits.core.streams.streams` begins all runs.
        x = recorder.origin[i] + GOLDEN * np.uint64(4 * call + i + 1)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        recorder.stream[i] = recorder.forced[row, i + 1] if given else x ^ (x >> np.uint64(31))
        recorder.shadow[i] = recorder.stream[i]


@inner
def _position(recorder: Recorder, state: State) -> int:
    """Return a hash of the stream's state; another stream, be it a copy, is a fault."""
    state[0] ^= np.uint64(1)
    for i in range(4):
        if state[i] != recorder.stream[i]:
            note_fault(recorder, WRONG_STREAM, -1)
    state[0] ^= np.uint64(1)
    mixed = (state[0] * np.uint64(0x9E3779B97F4A7C15)) ^ (state[1] * np.uint64(0xBF58476D1CE4E5B9))
    return int(np.int64(mixed ^ (state[2] * np.uint64(0x94D049BB133111EB)) ^ state[3]))


@inner
def _reward_sum(recorder: Recorder, arm: int, first: int, last: int) -> int:
    """Return the sum of the rewards of pulls ``first`` + 1 to ``last`` of an arm."""
    rate, phase = recorder.rates[arm, 0], recorder.rates[arm, 1]
    total = np.int64(math.floor(rate * last + phase)) - np.int64(math.floor(rate * first + phase))
    low, high = max(first, recorder.flipped_ranges[arm, 0]), min(last, recorder.flipped_ranges[arm, 1])
    if low < high:
        inside = np.int64(math.floor(rate * high + phase)) - np.int64(math.floor(rate * low + phase))
        total += (high - low) - 2 * inside
    low, high = 0, recorder.flipped_pulls.shape[1]
    while low < high:
        middle = (low + high) // 2
        if recorder.flipped_pulls[arm, middle] <= first:
            low = middle + 1
        else:
            high = middle
    while low < recorder.flipped_pulls.shape[1] and recorder.flipped_pulls[arm, low] <= last:
        p = recorder.flipped_pulls[arm, low]
        total += 1 - 2 * (np.int64(math.floor(rate * p + phase)) - np.int64(math.floor(rate * (p - 1) + phase)))
        low += 1
    return int(total)


@inner
def record_play(recorder: Recorder | None, arm: int, number: int) -> None:
    """Record ``number`` plays of ``arm``; if the last event is plays of this arm too, add them to that event."""
    if recorder is not None:
        draws = drawn_since(recorder)
        last = recorder.counters[EVENTS] - 1
        if (
            0 <= last < recorder.events.shape[0]
            and recorder.events[last, KIND] == PLAYED
            and recorder.events[last, WHICH] == arm
        ):
            # Playing on with the same arm is no new decision.
            recorder.events[last, HOW] += number
        elif number > 0:
            write(recorder, PLAYED, arm, number, 0, 0, draws, 0.0, 0.0, 0.0)
        recorder.pulled[arm, 0] += number
        recorder.counters[ROUNDS] += number
        renew(recorder)


@inner
def read_between(recorder: Recorder, arm: int, first: int, last: int) -> float:
    """Read and return the sum of the rewards of pulls ``first`` + 1 to ``last`` of an arm.

    Parameters
    ----------
    arm
        The arm. In full information it is an action, whose losses in these rounds are summed.
    first, last
        Number of pulls before the first one read, and up to the last one read. To read a pull again is a fault.
    """
    draws = drawn_since(recorder)
    if first < recorder.pulled[arm, 1]:
        note_fault(recorder, READ_TWICE, arm)
    recorder.pulled[arm, 1] = max(recorder.pulled[arm, 1], last)
    total = np.float64(_reward_sum(recorder, arm, max(first, 0), last))
    write(recorder, READ, arm, first, last, 0, draws, total, 0.0, 0.0)
    renew(recorder)
    return total


@inner
def read(recorder: Recorder, arm: int, number: int) -> float:
    """Read and return the sum of an arm's last ``number`` rewards; too many, or one read before, are a fault."""
    if number > recorder.pulled[arm, 0]:
        note_fault(recorder, NOT_PLAYED, arm)
    return read_between(recorder, arm, recorder.pulled[arm, 0] - number, recorder.pulled[arm, 0])


@inner
def release(state: State, recorder: Recorder | None, value: float, scale: float) -> float:
    """Release ``value`` + Lap(``scale``); decisions may depend on rewards only through releases.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    value, scale
        The number, and the scale of its noise, >= 0.

    Returns
    -------
    float
        The noisy number, or in a replay the number that the recorder's tape of given outputs has in its place.
    """
    if recorder is None:
        return value + laplace(state, scale)
    before = stream_position(state, recorder)
    return release_recorded(recorder, value, scale, laplace(state, scale), LAPLACE, 0, before)


@inner
def stream_position(state: State, recorder: Recorder) -> tuple[int, int]:
    """Return a hash of the state of the run's stream, and the number of draws since the recorder's last call.

    Call it before the noise of a release is drawn. If ``state`` is not the run's own stream, a fault is noted.
    """
    draws = drawn_since(recorder)
    return _position(recorder, state), draws


@inner
def overridden(recorder: Recorder, noise: float) -> float:
    """Return ``noise`` times the first number of ``noise_override``, with the second's sign unless that is 0."""
    noise *= recorder.noise_override[0]
    return recorder.noise_override[1] * abs(noise) if recorder.noise_override[1] != 0.0 else noise


@inner
def output(recorder: Recorder, natural: float) -> float:
    """Count an output of the run and return it: the tape's, or beyond the tape's end the run's own, ``natural``."""
    at = recorder.counters[OUTPUTS]
    recorder.counters[OUTPUTS] += 1
    return np.float64(recorder.tape[at]) if at < recorder.tape.size else np.float64(natural)


@inner
def let_out(
    recorder: Recorder,
    kind: int,
    law: int,
    more: int,
    before: tuple[int, int],
    value: float,
    scale: float,
    natural: float,
) -> float:
    """Record an output and return it; in a replay the recorder's tape of given outputs may replace the run's own.

    Parameters
    ----------
    kind
        Kind of the output, such as ``RELEASED``.
    law, more
        The columns ``HOW`` and ``MORE`` of the event. The first is the law of the noise. The second is the number
        of possible outputs or 0, and of a comparison the number of the secret.
    before
        Position and draws, as `stream_position` returns them before the noise is drawn.
    value, scale
        True value, and scale of the noise.
    natural
        The output of the run itself, which a tape replaces.
    """
    number = recorder.counters[OUTPUTS]
    out = output(recorder, natural)
    write(recorder, kind, number, law, more, before[0], before[1], value, scale, out)
    renew(recorder)
    return out


@inner
def release_recorded(
    recorder: Recorder, value: float, scale: float, noise: float, law: int, more: int, before: tuple[int, int]
) -> float:
    """Record the release of ``value`` plus ``noise``, and return the noisy number or the tape's in its place.

    Parameters
    ----------
    value
        The true value.
    scale, noise
        Scale of the noise, and the noise that was drawn.
    law
        Law of the noise, such as ``LAPLACE``.
    more
        Number of possible outputs, or 0.
    before
        Position and draws, as `stream_position` returns them before the noise is drawn.
    """
    return let_out(recorder, RELEASED, law, more, before, value, scale, value + overridden(recorder, noise))
