"""Errors that a person reads: what, where, what is allowed. The command line prints them in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(ValueError):
    """A value that a person gave and that cannot be used.

    Parameters
    ----------
    where
        The key path or option.
    value
        The value as given.
    allowed
        What is allowed there.
    """

    def __init__(self, where: str, value: object, allowed: str) -> None:
        shown = repr(value)
        shown = shown if len(shown) <= 100 else f"{shown[:97]}..."
        super().__init__(f"{where}: {shown} is not allowed; allowed: {allowed}")
        self.where, self.value, self.allowed = where, value, allowed


def suggest(name: object, known: Iterable[str], empty: str = "nothing") -> str:
    """Return the known names in words, the nearest match to ``name`` first."""
    names = sorted(known)
    if not names:
        return empty
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return "one of " + ", ".join(names) + hint
