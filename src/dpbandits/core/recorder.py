"""The recorder: all that a private algorithm may know of its inputs passes here, to be recorded and replayed.

Kernels call these functions wherever an arm is played, a reward is read, a noisy number is released, or an action
is selected. In ordinary runs the recorder is ``None``, and numba compiles the branch away. A `Recorder` writes down
each event; with a tape it returns the outputs of the tape in place of those that the run would have released.
`dpbandits.audit.replay` does both, and `docs/audit.md` says what follows from it.

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
from dpbandits.core.mathematics import log
from dpbandits.core.streams import State, bits, laplace, uniform

# Kinds of events.
PLAYED, READ, RELEASED, OFFERED, SELECTED = 0, 1, 2, 3, 4
# Laws of noise. A release has the first one, or that of `dpbandits.core.gaussian`. A selection has any: it takes
# the action whose score minus its noise is smallest.
LAPLACE, GUMBEL, EXPONENTIAL = 0, 1, 2
# Indices of `Recorder.counters`: events, outputs, rounds played; number, event and arm of the first fault.
EVENTS, OUTPUTS, ROUNDS, FAULT, FAULT_EVENT, FAULT_ARM = 0, 1, 2, 3, 4, 5
# Faults that the recorder sees.
READ_TWICE, NOT_PLAYED, WRONG_STREAM, STREAM_REWOUND, NOISE_MISMATCH = 1, 2, 3, 4, 5
# Relative error of noise that is the difference of two scores.
ROUNDING = 1e-9
# Most random draws between two events. A stream further ahead counts as rewound.
LOOKAHEAD_DRAWS = 1 << 20
# A stream jumps by this after each noise, so that a program that rewinds it to before the noise is caught.
STREAM_JUMP = np.uint64(0xD1B54A32D192ED03)


class Recorder(NamedTuple):
    """Recorder of one run.

    Attributes
    ----------
    stream : ndarray of uint64, shape (4,)
        The run's own random stream. A release that draws from another one is a fault.
    shadow : ndarray of uint64, shape (4,)
        State of the stream at the last event, or after the noise of a selection. It follows the stream draw by
        draw.
    counters : ndarray of int64, shape (6,)
        Numbers of events, outputs and rounds, and the first fault: see the constants above.
    events : ndarray of int64, shape (capacity, 5)
        One row for each event, in order. Events beyond the capacity are only counted. The first column is the kind.

        - ``PLAYED``: arm, rounds.
        - ``READ``: arm, its pulls before the first one read, its pulls up to the last one read.
        - ``RELEASED``: number of the output, law of the noise, 0, position of the stream before the noise.
        - ``OFFERED``, a row for each action: action, mechanism, number of the output, position of the stream.
        - ``SELECTED``: number of the output, action.
    numbers : ndarray of float64, shape (capacity, 3)
        Numbers of each event: of ``RELEASED`` true value, scale of the noise, output; of ``OFFERED`` score, scale,
        noisy score; of ``READ`` the sum of the rewards.
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
        Noise is multiplied by the first number. If the second one is 1 or -1, all noise gets that sign.
    """

    stream: State
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


@inner
def _write(
    recorder: Recorder, kind: int, a: int, b: int, c: int, position: int, value: float, scale: float, out: float
) -> None:
    at = recorder.counters[EVENTS]
    recorder.counters[EVENTS] += 1
    if at < recorder.events.shape[0]:
        recorder.events[at, 0] = kind
        recorder.events[at, 1] = a
        recorder.events[at, 2] = b
        recorder.events[at, 3] = c
        recorder.events[at, 4] = position
        recorder.numbers[at, 0] = value
        recorder.numbers[at, 1] = scale
        recorder.numbers[at, 2] = out


@inner
def _fault(recorder: Recorder, fault: int, arm: int) -> None:
    if recorder.counters[FAULT] == 0:
        recorder.counters[FAULT] = fault
        recorder.counters[FAULT_EVENT] = recorder.counters[EVENTS]
        recorder.counters[FAULT_ARM] = arm


@inner
def _advance_shadow(recorder: Recorder) -> None:
    """Advance the shadow to the state of the stream; if it is not reached, the stream was rewound."""
    if recorder.counters[FAULT] != 0:
        # One fault is enough: the search ahead would take long at every event.
        for i in range(4):
            recorder.shadow[i] = recorder.stream[i]
    for _ in range(LOOKAHEAD_DRAWS):
        same = True
        for i in range(4):
            same = same and recorder.shadow[i] == recorder.stream[i]
        if same:
            return
        bits(recorder.shadow)
    _fault(recorder, STREAM_REWOUND, -1)
    for i in range(4):
        recorder.shadow[i] = recorder.stream[i]


@inner
def _jump(recorder: Recorder, state: State) -> None:
    """Let a stream jump, so that no draw from before is repeated."""
    state[0] ^= STREAM_JUMP
    bits(state)
    for i in range(4):
        recorder.shadow[i] = state[i]


@inner
def _position(recorder: Recorder, state: State) -> int:
    """Return a hash of the stream's state; a state of another stream is a fault."""
    for i in range(4):
        if state[i] != recorder.stream[i]:
            _fault(recorder, WRONG_STREAM, -1)
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
    """Record that an algorithm plays ``arm`` ``number`` times."""
    if recorder is not None:
        _advance_shadow(recorder)
        last = recorder.counters[EVENTS] - 1
        if (
            0 <= last < recorder.events.shape[0]
            and recorder.events[last, 0] == PLAYED
            and recorder.events[last, 1] == arm
        ):
            # To go on with the same arm is no new decision.
            recorder.events[last, 2] += number
        elif number > 0:
            _write(recorder, PLAYED, arm, number, 0, 0, 0.0, 0.0, 0.0)
        recorder.pulled[arm, 0] += number
        recorder.counters[ROUNDS] += number


@inner
def read_between(recorder: Recorder, arm: int, first: int, last: int) -> float:
    """Read the sum of the rewards of pulls ``first`` + 1 to ``last`` of an arm; in full information, of rounds."""
    if first < recorder.pulled[arm, 1]:
        _fault(recorder, READ_TWICE, arm)
    recorder.pulled[arm, 1] = max(recorder.pulled[arm, 1], last)
    total = np.float64(_reward_sum(recorder, arm, max(first, 0), last))
    _write(recorder, READ, arm, first, last, 0, total, 0.0, 0.0)
    return total


@inner
def read(recorder: Recorder, arm: int, number: int) -> float:
    """Read the sum of the rewards of the last ``number`` pulls of an arm."""
    if number > recorder.pulled[arm, 0]:
        _fault(recorder, NOT_PLAYED, arm)
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
        The noisy number, or that of the recorder's tape.
    """
    if recorder is None:
        return value + laplace(state, scale)
    position = stream_position(state, recorder)
    return release_recorded(state, recorder, value, scale, laplace(state, scale), LAPLACE, position)


@inner
def stream_position(state: State, recorder: Recorder) -> int:
    """Return a hash of the state of the run's stream, before the noise of a release is drawn."""
    _advance_shadow(recorder)
    return _position(recorder, state)


@inner
def release_recorded(
    state: State, recorder: Recorder, value: float, scale: float, noise: float, law: int, position: int
) -> float:
    """Record the release of ``value`` with noise already drawn, and return the noisy number, or the tape's."""
    _jump(recorder, state)
    noise *= recorder.noise_override[0]
    if recorder.noise_override[1] != 0.0:
        noise = recorder.noise_override[1] * abs(noise)
    at = recorder.counters[OUTPUTS]
    recorder.counters[OUTPUTS] += 1
    out = np.float64(recorder.tape[at]) if at < recorder.tape.size else np.float64(value + noise)
    _write(recorder, RELEASED, at, law, 0, position, value, scale, out)
    return out


@inner
def offer(
    state: State, recorder: Recorder | None, scores: NDArray[np.float64], mechanism: int, scale: float
) -> None:
    """Record the true scores of a selection, before its noise is drawn.

    The action with the smallest score minus noise is selected. Call `select` after the noise is drawn. The noise
    must be drawn for one action after another, as `_noise` does.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    scores : ndarray of float64, shape (actions,)
        True scores.
    mechanism, scale
        ``LAPLACE``, ``GUMBEL`` or ``EXPONENTIAL``, and the scale of the noise, > 0.
    """
    if recorder is not None:
        _advance_shadow(recorder)
        position = _position(recorder, state)
        for j in range(scores.size):
            noise = _noise(recorder.shadow, mechanism, scale)
            _write(recorder, OFFERED, j, mechanism, recorder.counters[OUTPUTS], position, scores[j], scale, noise)


@inner
def _noise(state: State, mechanism: int, scale: float) -> float:
    """Draw the noise of a mechanism."""
    if mechanism == LAPLACE:
        return laplace(state, scale)
    exponential = -log(uniform(state))
    return scale * exponential if mechanism == EXPONENTIAL else -scale * log(exponential)


@inner
def select(recorder: Recorder | None, noisy: NDArray[np.float64], action: int) -> int:
    """Record the ``action`` with the smallest of the ``noisy`` scores after an `offer`; return it, or the tape's.

    ``noisy`` has shape (actions,)."""
    if recorder is None:
        return action
    first = recorder.counters[EVENTS] - noisy.size
    if first >= 0 and recorder.counters[EVENTS] <= recorder.events.shape[0]:
        for j in range(noisy.size):
            score, drawn = recorder.numbers[first + j, 0], recorder.numbers[first + j, 2]
            if abs(score - noisy[j] - drawn) > ROUNDING * (abs(score) + abs(drawn) + 1.0):
                _fault(recorder, NOISE_MISMATCH, j)
            recorder.numbers[first + j, 2] = noisy[j]
    _advance_shadow(recorder)
    _jump(recorder, recorder.stream)
    at = recorder.counters[OUTPUTS]
    recorder.counters[OUTPUTS] += 1
    chosen = int(recorder.tape[at]) if at < recorder.tape.size else action
    _write(recorder, SELECTED, at, chosen, 0, 0, np.float64(action), 0.0, np.float64(chosen))
    return chosen
