"""Errors that a person reads: what, where, what is allowed. The command line prints them in one line."""

from __future__ import annotations

import contextlib
import difflib
import sys
from collections.abc import Iterable, Iterator


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


# What a person can mend: a value, a folder, a disk, the memory. Anything else is a fault of this package.
MENDABLE = (BadInput, MemoryError, OSError)


def tell(error: BaseException) -> int:
    """Print one of the `MENDABLE` errors on stderr, in one line, and return the exit status: 2 for bad input."""
    message = str(error)
    if isinstance(error, MemoryError):
        message = f"not enough memory ({error}); give the job more, or fewer runs (seeds_per_job)"
    elif isinstance(error, OSError):
        message = f"{error.filename or 'file'}: {error.strerror or error}"
    print(f"dpbandits: {message}", file=sys.stderr)
    return 2 if isinstance(error, BadInput) else 1


@contextlib.contextmanager
def plainly() -> Iterator[None]:
    """End a script's process with one line instead of a traceback where a person can mend the error."""
    try:
        yield
    except MENDABLE as error:
        sys.exit(tell(error))
