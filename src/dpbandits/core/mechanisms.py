"""Mechanisms beside Laplace and normal noise: whole numbers, randomised response, gaps and the sparse vector.

It stands beside `dpbandits.core.recorder` in a module of its own: every simulation imports that one. Without a
recorder each function only draws its output. With one, it also records the output. Then a tape of the recorder may
put another output in its place, which is returned.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner
from dpbandits.core.mathematics import exp, log
from dpbandits.core.recorder import (
    COMPARED,
    CONCEALED,
    EVENTS,
    GAP,
    LAPLACE,
    OUTPUT,
    RELEASED,
    SECRET,
    SECRETS,
    WHICH,
    Recorder,
    drawn_since,
    let_out,
    note_fault,
    overridden,
    renew,
    stream_position,
    write,
)
from dpbandits.core.selections import answered
from dpbandits.core.streams import State, integer_below, laplace, uniform

# Laws of a release, beside `LAPLACE` of the recorder and `NORMAL` of `dpbandits.core.gaussian`.
DISCRETE_LAPLACE, DISCRETE_NORMAL, RESPONSE = 2, 3, 4
# Index of `Recorder.counters`: row of the latest secret, from 1.
LATEST = 9
# Fault that `above` sees, beside those of the recorder.
NO_SECRET = 6
# Secrets, the latest ones, that a comparison may name.
LIVING = 4096


@inner
def discrete_laplace(state: State, scale: float) -> float:
    """Return a draw of the discrete Laplace law: a whole number k has a probability proportional to e^(-|k|/scale).

    It is the difference of two geometric numbers (Inusah & Kozubowski 2006).
    """
    one = math.floor(-scale * log(uniform(state)))
    return np.float64(one - math.floor(-scale * log(uniform(state))))


@inner
def discrete_normal(state: State, deviation: float) -> float:
    """Return a draw of the discrete normal law: k has a probability proportional to e^(-k^2/(2 deviation^2)).

    It is drawn by rejection from the discrete Laplace law (Canonne, Kamath & Steinke 2020, Algorithm 3).
    """
    scale = math.floor(deviation) + 1.0
    while True:
        k = discrete_laplace(state, scale)
        distance = abs(k) - deviation * deviation / scale
        if uniform(state) <= exp(-distance * distance / (2.0 * deviation * deviation)):
            return k


@inner
def _whole(state: State, law: int, scale: float) -> float:
    return discrete_laplace(state, scale) if law == DISCRETE_LAPLACE else discrete_normal(state, scale)


@inner
def release_whole(state: State, recorder: Recorder | None, value: float, scale: float, law: int) -> float:
    """Release a whole number plus discrete noise.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    value, scale
        The whole number, and the scale or deviation of its noise, > 0.
    law
        ``DISCRETE_LAPLACE`` or ``DISCRETE_NORMAL``.

    Returns
    -------
    float
        The noisy whole number, or in a replay the one that the recorder's tape of given outputs has in its place.
    """
    if recorder is None:
        return value + _whole(state, law, scale)
    before = stream_position(state, recorder)
    noise = math.floor(overridden(recorder, _whole(state, law, scale)) + 0.5)
    return let_out(recorder, RELEASED, law, 0, before, value, scale, value + noise)


@inner
def respond(state: State, recorder: Recorder | None, truth: int, answers: int, probability: float) -> int:
    """Answer by randomised response (Warner 1965): the truth, or one of the other answers.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    truth, answers
        The true answer, 0, 1, ..., ``answers`` - 1, and the number of possible answers, >= 2.
    probability
        Probability of the true answer, in (0, 1). For a budget epsilon: e^epsilon/(e^epsilon + answers - 1).

    Returns
    -------
    int
        The answer, or in a replay the one that the recorder's tape of given outputs has in its place.
    """
    if recorder is None:
        return _answer(state, truth, answers, probability)
    before = stream_position(state, recorder)
    answer = _answer(state, truth, answers, probability)
    said = let_out(
        recorder, RELEASED, RESPONSE, answers, before, np.float64(truth), probability, np.float64(answer)
    )
    return answered(recorder, said, answers, answer)


@inner
def _answer(state: State, truth: int, answers: int, probability: float) -> int:
    if uniform(state) <= probability:
        return truth
    other = integer_below(state, answers - 1)
    return other if other < truth else other + 1


@inner
def select_gap(recorder: Recorder | None, noisy: NDArray[np.float64]) -> float:
    """Release and return the gap between the two smallest noisy scores of the selection that was just made.

    ``noisy`` are scores minus noise, shape (actions,), at least two. They are those that
    `dpbandits.core.selections.select` just had. The gap needs no noise of its own: selected action and gap are one
    output, report-noisy-max with free gap (Ding, Wang, Zhang & Kifer 2019).
    """
    first, second = math.inf, math.inf
    for score in noisy:
        first, second = min(first, score), min(second, max(first, score))
    if recorder is None:
        return second - first
    before = (0, drawn_since(recorder))
    return let_out(recorder, RELEASED, GAP, 0, before, 0.0, 0.0, second - first)


@inner
def conceal(state: State, recorder: Recorder | None, value: float, scale: float) -> float:
    """Return ``value`` + Lap(``scale``), a secret: an algorithm may give it to `above`, and to nothing else.

    It is a noisy threshold of the sparse vector technique (Dwork & Roth 2014, Algorithm 1; Lyu, Su & Li 2017).
    Up to 4,096 secrets may be in use at once, such as one for each arm. With a recorder no two of these are equal,
    because `above` finds a secret by its value: it is smaller by some units in the last place if need be.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    value
        The private number, such as a threshold.
    scale
        Scale of the Laplace noise on it, > 0.
    """
    if recorder is None:
        return value + laplace(state, scale)
    before = stream_position(state, recorder)
    secret = value + overridden(recorder, laplace(state, scale))
    number, row = recorder.counters[SECRETS], recorder.counters[EVENTS]
    if _row_of(recorder, secret) >= 0:
        # A secret is found by its value: one that equals another is made smaller by some units in the last place.
        secret -= (secret - np.nextafter(secret, -math.inf)) * (number % LIVING)
        while _row_of(recorder, secret) >= 0:
            secret = np.nextafter(secret, -math.inf)
    write(recorder, CONCEALED, number, LAPLACE, 0, *before, value, scale, secret)
    if row < recorder.numbers.shape[0]:
        recorder.numbers[row, SECRET] = recorder.counters[LATEST]
    recorder.counters[LATEST] = row + 1
    recorder.counters[SECRETS] += 1
    renew(recorder)
    return secret


@inner
def _row_of(recorder: Recorder, secret: float) -> int:
    """Return the row of a secret, by its value; -1 if it is none of the latest ones."""
    row = recorder.counters[LATEST] - 1
    for _ in range(LIVING):
        if row < 0 or row >= recorder.numbers.shape[0] or recorder.numbers[row, OUTPUT] == secret:
            break
        row = np.int64(recorder.numbers[row, SECRET]) - 1
    found = 0 <= row < recorder.numbers.shape[0] and recorder.numbers[row, OUTPUT] == secret
    return row if found else -1


@inner
def above(state: State, recorder: Recorder | None, value: float, scale: float, secret: float) -> bool:
    """Tell whether ``value`` + Lap(``scale``) is at least ``secret``, a noisy threshold that `conceal` returned.

    In a replay the recorder may have a tape of given outputs. Then the tape's answer is returned instead.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    value, scale
        The number, and the scale of its noise, >= 0.
    secret
        One of the run's latest 4,096 secrets. With a recorder another number is noted as a fault.
    """
    if recorder is None:
        return value + laplace(state, scale) >= secret
    before = stream_position(state, recorder)
    said = np.float64(value + overridden(recorder, laplace(state, scale)) >= secret)
    at, row, number = recorder.counters[EVENTS], _row_of(recorder, secret), recorder.counters[SECRETS] - 1
    if at < recorder.numbers.shape[0]:
        recorder.numbers[at, SECRET] = secret
    if row >= 0:
        number = recorder.events[row, WHICH]
    elif recorder.counters[LATEST] <= recorder.numbers.shape[0]:
        # Unless events did not fit, so that the secret's row may be missing: then the run is repeated anyway.
        note_fault(recorder, NO_SECRET, -1)
    return let_out(recorder, COMPARED, LAPLACE, number, before, value, scale, said) > 0.5
