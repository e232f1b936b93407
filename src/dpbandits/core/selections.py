"""Selections by the recorder: the action with the smallest score minus noise is let out, and no score is.

A kernel calls `offer`, draws the noise of one action after another, and calls `select`. In a replay the recorder
has a tape of outputs, which take the place of the actions that the run would have selected.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.mathematics import log
from dpbandits.core.recorder import (
    EVENTS,
    EXPONENTIAL,
    LAPLACE,
    NO_ANSWER,
    NOISE_MISMATCH,
    OFFERED,
    OUTPUT,
    OUTPUTS,
    ROUNDING,
    SELECTED,
    VALUE,
    Recorder,
    drawn_since,
    let_out,
    note_fault,
    stream_position,
    write,
)
from dpbandits.core.streams import State, laplace, uniform


@inner
def offer(
    state: State, recorder: Recorder | None, scores: NDArray[np.float64], mechanism: int, scale: float
) -> None:
    """Record the true scores of a selection, before its noise is drawn; without a recorder do nothing.

    The action with the smallest score minus noise is selected. Draw the noise after this call, for one action after
    another: by ``laplace(state, scale)``, by ``-scale * log(uniform(state))`` for ``EXPONENTIAL``, or by
    ``-scale * log(-log(uniform(state)))`` for ``GUMBEL``. Then call `select`. Other noise is a fault.

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
        position, draws = stream_position(state, recorder)
        number = recorder.counters[OUTPUTS]
        for j in range(scores.size):
            noise = _noise(recorder.shadow, mechanism, scale)
            write(recorder, OFFERED, j, mechanism, number, position, draws, scores[j], scale, noise)


@inner
def _noise(state: State, mechanism: int, scale: float) -> float:
    """Draw the noise of a mechanism."""
    if mechanism == LAPLACE:
        return laplace(state, scale)
    exponential = -log(uniform(state))
    return scale * exponential if mechanism == EXPONENTIAL else -scale * log(exponential)


@inner
def select(recorder: Recorder | None, noisy: NDArray[np.float64], action: int) -> int:
    """Record and return the selected action, after an `offer`; without a recorder only return it.

    In a replay the recorder may have a tape of given outputs. Then the tape's action is returned instead. ``noisy``
    has the scores minus their noise, shape (actions,), and ``action`` is the index of the smallest one.
    """
    if recorder is None:
        return action
    first = recorder.counters[EVENTS] - noisy.size
    if first >= 0 and recorder.counters[EVENTS] <= recorder.events.shape[0]:
        for j in range(noisy.size):
            score, drawn = recorder.numbers[first + j, VALUE], recorder.numbers[first + j, OUTPUT]
            if abs(score - noisy[j] - drawn) > ROUNDING * (abs(score) + abs(drawn) + 1.0):
                note_fault(recorder, NOISE_MISMATCH, j)
            recorder.numbers[first + j, OUTPUT] = noisy[j]
    draws = drawn_since(recorder)
    said = let_out(recorder, SELECTED, 0, 0, (0, draws), np.float64(action), 0.0, np.float64(action))
    return answered(recorder, said, noisy.size, action)


@inner
def answered(recorder: Recorder, said: float, answers: int, natural: int) -> int:
    """Return the output ``said`` as an integer from 0 to ``answers`` - 1.

    If it is another number, the recorder notes a fault, and ``natural`` is returned.

    Parameters
    ----------
    recorder
        The run's recorder.
    said
        The output. In a replay it is from a tape of given outputs, and may be any number.
    answers
        Number of possible answers.
    natural
        The answer that the run itself would give.
    """
    if not 0.0 <= said < answers or said != math.floor(said):
        note_fault(recorder, NO_ANSWER, -1)
        return natural
    return int(said)
