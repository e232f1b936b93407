"""Non-noise draws of a run, such as random ties, and streams on which one of them is forced to a value.

The generator of a stream (xoshiro256++) can be stepped backwards. To force a draw, take a state whose next draw has
the wanted value, and step it back to the beginning of the run. A run from there draws the value, if it makes as
many draws before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.transcript import Transcript
from dpbandits.core import recorder as at

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


def _position(state: list[int]) -> int:
    """Return the hash of a state that recorded events have as their position."""
    mixed = (state[0] * 0x9E3779B97F4A7C15) ^ (state[1] * 0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (state[2] * 0x94D049BB133111EB) ^ state[3]) & WORD
    return mixed - (1 << 64) if mixed >> 63 else mixed


class NonNoiseDraws:
    """Draws of a run that are not noise.

    Parameters
    ----------
    stream : ndarray of uint64, shape (4,)
        State of the stream at the beginning of the run.
    transcript
        The run. It is followed as far as all its outputs are releases with Laplace noise, one draw each.

    Attributes
    ----------
    states
        State of the stream before each draw.
    draws
        Numbers of the draws that are not noise, from 0.
    before_noise
        Those of them that are the last before a noise.
    """

    MOST_DRAWS = 1000
    """Draws that are followed."""

    MOST_BETWEEN = 50
    """Draws between two releases. A run with more draws all the time decides at random anyway."""

    def __init__(self, stream: NDArray[np.uint64], transcript: Transcript) -> None:
        rows = transcript.outputs
        simple = (transcript.events[rows, 0] == at.RELEASED) & (transcript.events[rows, 2] == at.LAPLACE)
        rows = rows[: rows.size if simple.all() else int(np.argmin(simple))]
        self.states: list[list[int]] = []
        self._is_noise: list[bool] = []
        self.draws: list[int] = []
        self.before_noise: list[int] = []
        state = [int(word) for word in stream]
        for position in transcript.events[rows, 4].tolist():
            between: list[list[int]] = []
            while _position(state) != position and len(between) <= self.MOST_BETWEEN:
                between.append(state.copy())
                _step(state)
            if len(between) > self.MOST_BETWEEN or len(self.states) > self.MOST_DRAWS:
                break
            self.draws += range(len(self.states), len(self.states) + len(between))
            self.before_noise += self.draws[-1:] if between else []
            self.states += [*between, state.copy()]
            self._is_noise += [*(False for _ in between), True]
            _step(state)
            # The recorder jumps after each noise.
            state[0] ^= int(at.STREAM_JUMP)
            _step(state)

    def stream_with(self, draw: int, bits: int) -> NDArray[np.uint64]:
        """Return the state at the beginning of a run whose draw number ``draw`` gives these 64 bits.

        Returns
        -------
        ndarray of uint64, shape (4,)
        """
        state = self.states[draw].copy()
        # A draw is the sum of the first word and of the rotated sum of the first and the last word.
        state[3] = (_rotated((bits - state[0]) & WORD, 64 - 23) - state[0]) & WORD
        for noise in reversed(self._is_noise[:draw]):
            if noise:
                _step_back(state)
                state[0] ^= int(at.STREAM_JUMP)
            _step_back(state)
        return np.array(state, dtype=np.uint64)
