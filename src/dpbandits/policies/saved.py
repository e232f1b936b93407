"""Policies as JSON: what a policy knows, exactly, and nothing that could be executed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np
from numpy.random import PCG64, Generator

from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.core.fields import Values
from dpbandits.core.files import PRIVATE, read_json, write_json
from dpbandits.policies.ledger import Ledger

FORMAT = "dpbandits policy 1"
# Types that JSON has itself.
PLAIN = (bool, int, float, str, type(None))
# Attributes that are no state: a law of noise, and what is said of this object and of this process alone.
NOT_STATE = frozenset({"loaded", "noise", "process", "replaced_by"})


class PolicyArguments(TypedDict, total=False):
    """Arguments of `dpbandits.policy` but the seed, as JSON data; empty for a policy made by calling its class.

    ``name`` is the algorithm's, ``noise`` is ``"laplace"`` or ``"discrete"``. ``epsilon``, ``horizon``,
    ``experts`` and ``actions`` are ``None`` if they were left out. ``parameters`` has all parameters of the
    algorithm but epsilon, with defaults filled in.
    """

    name: str
    arms: int
    epsilon: float | None
    horizon: int | None
    experts: int | None
    actions: list[list[float]] | None
    noise: str
    parameters: Values


class SavedPolicy(TypedDict):
    """A saved policy as JSON data.

    Attributes
    ----------
    made
        The arguments of `dpbandits.policy` that it was made from.
    state
        Its attributes that are state, as JSON data by name, such as ``"counts": [3, 2]``.
    stream
        The state of its random stream, as NumPy's ``bit_generator.state`` has it.
    """

    made: PolicyArguments
    state: dict[str, object]
    stream: dict[str, object]


def to_data(policy: object) -> dict[str, object]:
    """Return the attributes of a policy, or of the base policy that it runs, as JSON data.

    The random stream is left out, because it is saved apart. So are the law of noise and the record of arguments,
    which `dpbandits.policy` makes again, and facts about this object, such as whether it was loaded. An array
    becomes ``{"array": [...]}``, a ledger ``{"ledger": [...]}``, and a base policy ``{"part": {...}}``.

    Parameters
    ----------
    policy
        The policy, or the base policy in its attribute ``base``.

    Returns
    -------
    dict
        JSON data of each attribute, by its name.
    """
    return {name: _encoded(value) for name, value in vars(policy).items() if _is_saved(name, value)}


def _is_saved(name: str, value: Any) -> bool:
    """Tell whether an attribute is state; the stream, the law of noise and the record of arguments are not."""
    return not isinstance(value, Generator | dict) and name not in NOT_STATE


def _encoded(value: Any) -> Any:
    """Return a value of a policy's state as JSON data, by its type."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, list):
        return [_encoded(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, Ledger):
        return {"ledger": value.data()}
    return {"part": to_data(value)}


def restore(policy: object, data: Mapping[str, object]) -> None:
    """Set the attributes of a freshly made policy, or of the base policy that it runs, to those in ``data``.

    Parameters
    ----------
    policy
        The policy, or its base policy: its attributes are replaced.
    data
        JSON data of each attribute, by its name, as `to_data` has returned it.

    Raises
    ------
    BadInput
        If these are not the attributes of this policy, or one has a value of another type.
    ValueError, TypeError
        If an array has other entries than numbers, or the ledger has an entry that is no release.
    """
    expected = {name for name, value in vars(policy).items() if _is_saved(name, value)}
    if set(data) != expected:
        wrong = sorted(set(data) ^ expected)
        raise BadInput("state", wrong, "what save() has written of this algorithm, by this version")
    for name, value in data.items():
        current = getattr(policy, name)
        if not isinstance(value, dict):
            if not _fits_type_of(current, value):
                raise BadInput(("state", name), value, f"a value like {current!r}")
            setattr(policy, name, value)
        elif "array" in value:
            array = np.array(value["array"], dtype=np.float64)
            if not isinstance(current, np.ndarray | None) or np.isnan(array).any():
                raise BadInput(("state", name), value["array"], f"a value like {current!r}")
            setattr(policy, name, array)
        elif isinstance(current, Ledger):
            current.restore(value["ledger"])
        else:
            restore(current, value["part"])


def _fits_type_of(current: Any, value: Any) -> bool:
    """Tell whether ``value`` may replace ``current``: of its type, or both a number or ``None``; never a NaN.

    A Boolean is no number here. Lists are compared by their elements.
    """
    numbers = (int, float, type(None))
    if isinstance(current, list) and isinstance(value, list):
        return all(
            any(_fits_type_of(old, new) for old in current) if current else _is_numeric(new) for new in value
        )
    if isinstance(value, float) and math.isnan(value):
        return False
    booleans = isinstance(current, bool) or isinstance(value, bool)
    return type(current) is type(value) or (
        not booleans and isinstance(current, numbers) and isinstance(value, numbers)
    )


def _is_numeric(value: Any) -> bool:
    """Tell whether a value is a number, no NaN, or a list of such: all that a list which began empty may hold."""
    if isinstance(value, list):
        return all(map(_is_numeric, value))
    return isinstance(value, int | float) and not math.isnan(value)


def stream_data(rng: Generator) -> dict[str, object]:
    """Return the state of a random stream as JSON data: NumPy's ``bit_generator.state``.

    Raises
    ------
    BadInput
        If the stream is not of PCG64, NumPy's default generator: no other state can be saved.
    """
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise BadInput("seed", state["bit_generator"], "a stream of numpy.random.PCG64, to be saved")
    return dict(state)


def stream_from_data(data: Mapping[str, object]) -> Generator:
    """Return a stream of NumPy's PCG64 in the state ``data``, which `stream_data` has returned.

    Raises
    ------
    BadInput
        If the data are no state of PCG64.
    """
    bits = PCG64()
    try:
        bits.state = data  # type: ignore[assignment]
        state: Any = data["state"]
        # With an even increment the numbers repeat soon.
        if state["inc"] % 2 != 1 or data["has_uint32"] not in (0, 1) or bits.state != data:
            raise ValueError("stream")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BadInput("stream", data, "the state of numpy.random.PCG64") from error
    return Generator(bits)


def write(file: str | Path, arguments: PolicyArguments, policy: object, stream: Generator) -> None:
    """Write a policy to a JSON file: its arguments, its state and that of its random stream, with a digest of all.

    Parameters
    ----------
    file
        Path of the file, which only its owner can read.
    arguments
        Arguments of `dpbandits.policy` that made the policy.
    policy
        The policy, whose attributes are its state.
    stream
        The policy's random stream. `BadInput` is raised if it is not of NumPy's PCG64.
    """
    content = {"format": FORMAT, "made": arguments, "state": to_data(policy), "stream": stream_data(stream)}
    write_json(Path(file), content, PRIVATE)


def read(file: str | Path) -> SavedPolicy:
    """Return what `write` has written: the policy's arguments (``made``), ``state`` and ``stream``.

    Raises
    ------
    BadInput
        If the file is none of ours, or damaged.
    MissingFile
        If it cannot be read.
    """
    allowed = "an undamaged file that save() has written"
    try:
        content = read_json(Path(file))
    except OSError as error:
        raise MissingFile(str(file), error.strerror) from None
    except ValueError as error:
        raise BadInput("file", str(file), allowed) from error
    if content.get("format") != FORMAT:
        raise BadInput("file", str(file), allowed)
    return cast("SavedPolicy", content)
