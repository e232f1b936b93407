"""Non-noise draws of a run, such as random ties, and streams on which one of them is forced to a value.

After each call of the recorder the stream goes on at a state that depends on the run and the number of the call.
The generator (xoshiro256++) can be stepped backwards. To force a draw, take a state whose next draw has the wanted
value, and step it back to the call before. A run that goes on from there draws the value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.transcript import NOISY, Transcript
from dpbandits.core import recorder as at
from dpbandits.core.streams import GOLDEN

WORD = (1 << 64) - 1


def _rotated(word: int, by: int) -> int:
    """Return a 64-bit word rotated to the left."""
    return ((word << by) | (word >> (64 - by))) & WORD


def _step(state: list[int]) -> None:
    """Advance a stream by one draw, as `dpbandits.core.streams.bits` does."""
    shifted = (state[1] << 17) & WORD
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotated(state[3], 45)


def _step_back(state: list[int]) -> None:
    """Rewind a stream by one draw."""
    third = _rotated(state[3], 19)
    state[0] ^= third
    mixed = state[1] ^ state[2]
    second = (mixed ^ (mixed << 17) ^ (mixed << 34) ^ (mixed << 51)) & WORD
    state[2] = state[1] ^ second ^ state[0]
    state[1] = second
    state[3] = third ^ second


def states_after(origin: NDArray[np.uint64], calls: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the states, shape (calls, 4), at which a run's stream goes on after some calls of the recorder.

    ``origin``, shape (4,), is the run's key, and ``calls``, shape (calls,), has the numbers of the calls. The
    formula is that of `dpbandits.core.recorder.renew`, for arrays.
    """
    # SplitMix64 of a counter.
    x: NDArray[np.uint64] = origin + GOLDEN * (4 * calls[:, None] + np.arange(1, 5)).astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


class Draw(NamedTuple):
    """The place of a random draw in a run.

    Attributes
    ----------
    call
        Number of the recorder's last call before the draw; 0 at the beginning of the run.
    number
        Number of draws between that call and this one.
    """

    call: int
    number: int


class NonNoiseDraws:
    """Draws of a run that are not noise, such as random ties, and states of the stream that force one of them.

    Parameters
    ----------
    stream, origin : ndarray of uint64, shape (4,)
        State of the stream at the beginning of the run, and the run's key.
    transcript
        Transcript of the run.

    Attributes
    ----------
    draws
        The draws that are not noise, in order.
    before_noise
        The last of these draws before each draw of noise.
    """

    MOST_DRAWS = 1000
    """Once more draws than this are collected, later calls are left out."""

    MOST_BETWEEN = 50
    """Of more draws between two calls only the first 50 are collected: a run with that many decides at random."""

    def __init__(self, stream: NDArray[np.uint64], origin: NDArray[np.uint64], transcript: Transcript) -> None:
        """Collect the draws before each event of the run, up to `MOST_DRAWS`."""
        self._stream, self._origin = stream, origin
        self.draws: list[Draw] = []
        self.before_noise: list[Draw] = []
        kinds, first = transcript.events[:, at.KIND], transcript.events[:, at.WHICH] == 0
        # What is drawn between an offer and its selection is noise.
        rows = np.flatnonzero(
            (kinds != at.SELECTED) & (first | (kinds != at.OFFERED)) & (transcript.events[:, at.DRAWS] > 0)
        )
        for kind, draws, call in transcript.events[rows][:, [at.KIND, at.DRAWS, at.CALL]].tolist():
            if len(self.draws) > self.MOST_DRAWS:
                break
            self.draws += [Draw(call, number) for number in range(min(draws, self.MOST_BETWEEN))]
            if kind in NOISY and draws <= self.MOST_BETWEEN:
                self.before_noise.append(self.draws[-1])

    def state_with(self, draw: Draw, bits: int) -> NDArray[np.uint64]:
        """Return the state of the stream, right after the call before ``draw``, with which the draw gives ``bits``.

        Returns
        -------
        ndarray of uint64, shape (4,)
            The state. ``bits`` is a 64-bit word.
        """
        start = self._stream if draw.call == 0 else states_after(self._origin, np.array([draw.call]))[0]
        state = [int(word) for word in start]
        for _ in range(draw.number):
            _step(state)
        # A draw is the sum of the first word and of the rotated sum of the first and the last word.
        state[3] = (_rotated((bits - state[0]) & WORD, 64 - 23) - state[0]) & WORD
        for _ in range(draw.number):
            _step_back(state)
        return np.array(state, dtype=np.uint64)
