"""Selections by the recorder: noise that was drawn is accepted at every size of a score, and other noise is not."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from dpbandits.core import selections
from dpbandits.core.recorder import (
    EVENTS,
    EXPONENTIAL,
    FAULT,
    FAULT_ARM,
    GUMBEL,
    LAPLACE,
    NO_ANSWER,
    NOISE_MISMATCH,
    OFFERED,
    OUTPUT,
    OUTPUTS,
    ROUNDING,
    SELECTED,
    Recorder,
)
from dpbandits.core.streams import laplace, streams, uniform

SCALE = 3.0
MECHANISMS = (LAPLACE, GUMBEL, EXPONENTIAL)


def one_stream() -> np.ndarray:
    return streams(20261126, "selections", np.arange(1))[0]


def recorder(stream: np.ndarray, tape: list[float], capacity: int = 10) -> Recorder:
    """Return a recorder with room for some events, and with a tape."""
    return Recorder(
        stream=stream,
        origin=stream.copy(),
        shadow=stream.copy(),
        counters=np.zeros(10, np.int64),
        events=np.zeros((capacity, 7), np.int64),
        numbers=np.zeros((capacity, 4)),
        pulled=np.zeros((1, 2), np.int64),
        rates=np.zeros((1, 2)),
        flipped_ranges=np.zeros((1, 2), np.int64),
        flipped_pulls=np.zeros((1, 0), np.int64),
        tape=np.array(tape),
        noise_override=np.array([1.0, 0.0]),
        forced=np.empty((0, 5), np.uint64),
    )


@numba.njit
def selected(state, recorder, scores, mechanism, wrong, drawn):
    """Select with noise that is ``wrong`` by some numbers; fill in the noise."""
    selections.offer(state, recorder, scores, mechanism, SCALE)
    for j in range(scores.size):
        if mechanism == LAPLACE:
            drawn[j] = laplace(state, SCALE)
        else:
            exponential = -math.log(uniform(state))
            drawn[j] = SCALE * exponential if mechanism == EXPONENTIAL else -SCALE * math.log(exponential)
    noisy = scores - drawn + wrong
    return selections.select(recorder, noisy, np.argmin(noisy))


def outcome(scores: list[float], mechanism: int, wrong: list[float], tape: list[float], capacity: int = 10):
    """Return the selected action, the recorder, and the noise."""
    stream, drawn = one_stream(), np.empty(len(scores))
    found = recorder(stream, tape, capacity)
    return selected(stream, found, np.array(scores), mechanism, np.array(wrong), drawn), found, drawn


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e4, 1e9, 1e15, -1e9])
def test_noise_is_compared_at_every_size_of_a_score(mechanism: int, size: float) -> None:
    """Rounding is no fault, however large a score is; ten times the allowed error is one, of this action."""
    scores = [size, size + 2.0, size + 1.0]
    action, found, drawn = outcome(scores, mechanism, [0.0] * 3, [])
    assert found.counters[FAULT] == 0
    assert action == np.argmin(np.array(scores) - drawn)
    assert found.events[:4, 0].tolist() == [OFFERED] * 3 + [SELECTED]
    assert found.events[:3, 1].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(found.numbers[:3, OUTPUT], np.array(scores) - drawn)
    assert found.numbers[3, OUTPUT] == action and found.counters[EVENTS] == 4 and found.counters[OUTPUTS] == 1
    allowed = ROUNDING * (abs(scores[1]) + abs(drawn[1]) + 1.0)
    for times, fault in ((0.5, 0), (10.0, NOISE_MISMATCH), (-10.0, NOISE_MISMATCH)):
        _, found, _ = outcome(scores, mechanism, [0.0, times * allowed, 0.0], [])
        assert found.counters[FAULT] == fault, times
        assert fault == 0 or found.counters[FAULT_ARM] == 1


@pytest.mark.parametrize(
    ("said", "action"), [(0.0, 0), (2.0, 2), (3.0, None), (-1.0, None), (0.5, None), (math.nan, None)]
)
def test_a_tape_answers_with_one_of_the_actions(said: float, action: int | None) -> None:
    """What is no action is a fault, and the run's own action is returned."""
    own, *_ = outcome([5.0, 90.0, 60.0], LAPLACE, [0.0] * 3, [])
    found, record, _ = outcome([5.0, 90.0, 60.0], LAPLACE, [0.0] * 3, [said])
    assert found == (own if action is None else action)
    assert record.counters[FAULT] == (NO_ANSWER if action is None else 0)


def test_beyond_its_room_nothing_is_compared() -> None:
    """Events are counted only, and the run is repeated with more room; three events fit exactly."""
    _, found, _ = outcome([1.0, 2.0, 3.0], LAPLACE, [0.0, 1.0, 0.0], [], capacity=2)
    assert found.counters[FAULT] == 0 and found.counters[EVENTS] == 4
    _, found, _ = outcome([1.0, 2.0, 3.0], LAPLACE, [0.0, 1.0, 0.0], [], capacity=3)
    assert found.counters[FAULT] == NOISE_MISMATCH


def test_without_a_recorder_the_action_is_returned() -> None:
    drawn = np.empty(3)
    own, *_ = outcome([5.0, 90.0, 60.0], LAPLACE, [0.0] * 3, [])
    assert selected(one_stream(), None, np.array([5.0, 90.0, 60.0]), LAPLACE, np.zeros(3), drawn) == own
