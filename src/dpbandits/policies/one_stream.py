"""Streams of saved policies in this process: one policy draws from each, and none draws a number again."""

from __future__ import annotations

import threading
import weakref
from typing import Any, NamedTuple, Protocol

from numpy.random import Generator

from dpbandits.core.errors import BadInput

# NumPy's PCG64 is the recurrence s -> MULTIPLIER s + increment modulo 2^128.
MULTIPLIER, BITS = 0x2360ED051FC65DA44385DF649FCCF645, 128
# A distance beyond half of the period is one backwards.
FORWARD = 2 ** (BITS - 1)


class StreamUser(Protocol):
    """Protocol of a policy, as far as this module needs it: the class `Policy` itself imports this module.

    Attributes
    ----------
    rng
        The stream that it draws from.
    loaded
        Whether it was loaded from a file.
    replaced_by
        The file of the policy that goes on in its place; empty while it may draw.
    """

    rng: Generator
    loaded: bool
    replaced_by: str


class StreamRecord(NamedTuple):
    """The policy that draws from a random stream (a weak reference), and its generator.

    The generator's state says how many numbers were drawn. It is kept after the policy is gone, so that no later
    policy draws these numbers again.
    """

    policy: weakref.ref[StreamUser]
    rng: Generator


# The policy that draws from each stream, by the increment of the stream's recurrence, which no other one has.
_users: dict[int, StreamRecord] = {}
_lock = threading.Lock()


def is_at_or_after(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether the state ``after`` equals ``before``, or follows it within half of the stream's period.

    PCG64 steps by 64 bits. After a draw of 32 bits the other 32 wait for the next such draw. A state with waiting
    bits comes before the same state without them.

    Parameters
    ----------
    before, after
        States of `numpy.random.PCG64` with the same increment, as ``bit_generator.state`` returns them.
    """
    steps = _distance(before["state"]["state"], after["state"]["state"], before["state"]["inc"])
    # ``has_uint32`` is 1 while 32 bits wait.
    return bool(after["has_uint32"] <= before["has_uint32"]) if steps == 0 else steps < FORWARD


def _distance(state: int, target: int, increment: int) -> int:
    """Return how many steps lead from a state to another one: bit by bit, as the low bits have short periods."""
    steps, bit, multiplier = 0, 1, MULTIPLIER
    while state != target:
        if (state ^ target) & bit:
            state = (state * multiplier + increment) % 2**BITS
            steps |= bit
        increment = (multiplier + 1) * increment % 2**BITS
        multiplier = multiplier * multiplier % 2**BITS
        bit <<= 1
    return steps


def note_saved(policy: StreamUser) -> None:
    """Note ``policy``, which was just saved, as the one that draws from its random stream.

    From now on a second policy could be loaded from its file. A policy that was made in this process replaces one
    noted before, so that a notebook's cell that makes it by its seed may be run twice. A policy that was loaded is
    noted only if the one noted before has drawn no more of the stream.
    """
    with _lock:
        state = _state(policy.rng)
        known = _users.get(state["state"]["inc"])
        if not policy.loaded or known is None or is_at_or_after(_state(known.rng), state):
            _users[state["state"]["inc"]] = StreamRecord(weakref.ref(policy), policy.rng)


def hand_over_stream(loaded: StreamUser, file: str) -> None:
    """Let a loaded policy draw from its random stream, and stop the policy that drew from this stream before.

    Parameters
    ----------
    loaded
        The loaded policy.
    file
        Path of the file that it was loaded from. The stopped policy names it when it refuses to go on.

    Raises
    ------
    BadInput
        If a policy that was saved or loaded in this process has drawn from the stream since the file was written.
    """
    with _lock:
        state = _state(loaded.rng)
        known = _users.get(state["state"]["inc"])
        if known is not None:
            if not is_at_or_after(_state(known.rng), state):
                told = (
                    "a file of which this process has drawn no noise yet: a second policy would draw the same "
                    "noise (again=True loads it all the same)"
                )
                raise BadInput("file", file, told)
            former = known.policy()
            if former is not None:
                former.replaced_by = file
        _users[state["state"]["inc"]] = StreamRecord(weakref.ref(loaded), loaded.rng)


def _state(rng: Generator) -> Any:
    return rng.bit_generator.state
