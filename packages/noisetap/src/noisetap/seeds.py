"""Names of random streams, by the state in which a generator begins: from one state come the same draws."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

# Taken before anybody listens: these names are replaced while a program runs.
_Generator, _State, _Bits = np.random.Generator, np.random.RandomState, np.random.BitGenerator
_default_rng, _Random = np.random.default_rng, random.Random
# Draws of tapes are made by this one, which is moved to where each begins.
DRAWING = _Generator(np.random.PCG64(0))
# Generators of ours that move during a run: one of each kind, and that one.
OURS = _Generator(np.random.PCG64(0)), _State(0), DRAWING


class StreamStart(NamedTuple):
    """State in which a random generator begins, which names its stream of draws.

    Attributes
    ----------
    key : object
        Name of the stream, equal for generators that make the same draws; ``None`` for one that no other shares.
    owner : object
        Object with the position on the stream, such as a bit generator, which two generators can share.
    """

    key: Any
    owner: Any


def _plain(state: Any) -> Any:
    """Return the state of a bit generator as what can be compared."""
    if isinstance(state, dict):
        return tuple((name, _plain(part)) for name, part in state.items())
    return state.tobytes() if isinstance(state, np.ndarray) else state


def start_of(seed: Any, legacy: bool) -> StreamStart:
    """Return the state in which NumPy's generator of a seed begins; for a wrong seed NumPy's own errors are raised.

    The ``key`` is the state itself, so that seeds as numbers, lists or `SeedSequence` need no rule of their own.

    Parameters
    ----------
    seed
        Number, list, seed sequence, bit generator, real generator of NumPy, or the start itself. With ``None`` the
        stream of draws is shared by no other generator.
    legacy
        Whether the generator is a `RandomState`, which begins in another state than a `Generator` of this seed.
    """
    if isinstance(seed, StreamStart):
        return seed
    if seed is None:
        return StreamStart(None, object())
    if isinstance(seed, _Generator):
        seed = seed.bit_generator
    elif isinstance(seed, _State):
        seed = seed._bit_generator
    if isinstance(seed, _Bits):
        return StreamStart(_plain(seed.state), seed)
    bits = _State(seed)._bit_generator if legacy else _default_rng(seed).bit_generator
    return StreamStart(_plain(bits.state), object())


def python_start(seed: Any, version: int = 2) -> StreamStart:
    """Return the state in which `random.Random` of a seed begins, or the state of an existing `random.Random`.

    ``version`` is that of `random.seed`. With the seed ``None`` the stream of draws is shared by no other.
    """
    if isinstance(seed, _Random):
        return StreamStart(("random", seed.getstate()), seed)
    if seed is None:
        return StreamStart(None, object())
    made = _Random()
    made.seed(seed, version)
    return StreamStart(("random", made.getstate()), object())


def check_by_numpy(legacy: bool, name: str, *values: Any, **more: Any) -> None:
    """Let NumPy itself draw once with these parameters, so that it raises its own errors.

    Parameters
    ----------
    legacy
        Whether a `RandomState` draws, and not a `Generator`.
    name, values, more
        Name of the draw, such as ``laplace``, and its parameters by position and by name.
    """
    # First in `OURS` is a `Generator`, then a `RandomState`.
    getattr(OURS[legacy], name)(*values, **more)


def depends_on_data(x: list[Any], y: list[Any], x_again: list[Any], y_again: list[Any]) -> bool:
    """Tell whether any seed that a program makes depends on its input.

    A seed does if it differs between two inputs, and is the same in two runs on each. One that is made of the time
    or of entropy differs between runs.

    Parameters
    ----------
    x, y
        Seeds of a run on each of two inputs, under equal choices and outputs, in the order of their first draws.
    x_again, y_again
        Seeds of a second run on the first input, and on the second.
    """
    return any(a == c and b == d and a != b for a, b, c, d in zip(x, y, x_again, y_again, strict=False))
