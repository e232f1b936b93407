"""Calls of public functions: arguments that are missing or unknown are `BadInput`, as wrong values are."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from dpbandits.core.errors import BadInput, Missing, suggest

P = ParamSpec("P")
R = TypeVar("R")


def check_call(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public function or method, so that a call that does not fit its signature raises `BadInput`.

    Examples
    --------
    >>> @check_call
    ... def played(arm: int) -> int:
    ...     return arm
    >>> played()
    Traceback (most recent call last):
    dpbandits.core.errors.BadInput: arm is missing; needed: played(arm)
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError:
            # Arguments are checked only now, so a call that fits costs nothing more.
            _check(function.__qualname__.removesuffix(".__init__"), signature, args, kwargs)
            raise

    return checked


def _check(name: str, signature: inspect.Signature, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Raise `BadInput` for the first argument that does not fit."""
    every = list(signature.parameters.values())
    if every and every[0].name == "self":
        every, args = every[1:], args[1:]
    places = [p.name for p in every if p.kind is p.POSITIONAL_OR_KEYWORD]
    named = [p.name for p in every if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    rest = any(p.kind is p.VAR_KEYWORD for p in every)
    needed = [p.name for p in every if p.default is p.empty and p.name in named]
    call = f"{name}({', '.join([*needed, '...'] if len(needed) < len(every) else needed)})"
    if len(args) > len(places):
        number = f"{len(places)} arguments" if len(places) != 1 else "one argument"
        raise BadInput(name, args[len(places)], f"{number} without a name: {call}")
    for key, value in kwargs.items():
        if key not in named and not rest:
            raise BadInput(key, value, f"for {call}, {suggest(key, named)}")
        if key in places[: len(args)]:
            raise BadInput(key, value, f"one value for it: {call}")
    for key in needed:
        if key not in (*places[: len(args)], *kwargs):
            raise BadInput(key, Missing, call)
