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
    """A policy, with the attributes that are needed here; `dpbandits.policies.base` imports this module.

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
    """The policy that draws from a stream, and the generator, whose state says how many numbers it has drawn.

    The generator is kept when the policy is gone: numbers that were drawn stay drawn.
    """

    policy: weakref.ref[StreamUser]
    rng: Generator


# The policy that draws from each stream, by the increment of the stream's recurrence, which no other one has.
_users: dict[int, StreamRecord] = {}
_lock = threading.Lock()


def is_at_or_after(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether ``after`` is the state ``before``, or comes later in the stream by less than half its period.

    A draw of 32 bits can leave 32 more for the next one: such a state comes before the same one without them.

    Parameters
    ----------
    before, after
        States of `numpy.random.PCG64` with the same increment, as ``bit_generator.state`` returns them.
    """
    steps = _distance(before["state"]["state"], after["state"]["state"], before["state"]["inc"])
    # The second half of a number that was drawn may wait for who asks for 32 bits.
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
    """Note ``policy`` as the one that draws from its stream, because a file of it can be loaded from now on.

    A policy that was made in this process is always noted, in place of an earlier one. So a notebook's cell that
    makes it by its seed may be run twice. A loaded policy is noted only if no other has drawn more of the stream.
    """
    with _lock:
        state = _state(policy.rng)
        known = _users.get(state["state"]["inc"])
        if not policy.loaded or known is None or is_at_or_after(_state(known.rng), state):
            _users[state["state"]["inc"]] = StreamRecord(weakref.ref(policy), policy.rng)


def hand_over_stream(loaded: StreamUser, file: str) -> None:
    """Let a policy that was loaded draw from its stream, and forbid it to the policy that did so before.

    Parameters
    ----------
    loaded
        The loaded policy.
    file
        The file that it was loaded from, which the earlier policy names when it refuses to go on.

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
