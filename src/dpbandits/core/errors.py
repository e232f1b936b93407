"""Errors that a person reads: what, where, what is allowed. The command line prints them in one line."""

from __future__ import annotations

import contextlib
import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping

# Keys of mappings and numbers of list entries, from outside to inside; keys may have dots in them.
Keys = tuple[str | int, ...]


class BadInput(ValueError):
    """A value that a person gave and that cannot be used.

    Parameters
    ----------
    path
        Where it is, seen from whoever checks it: a key, several, or none for the value that is checked. `within`
        adds what lies outside, on the way up.
    value
        The value as given.
    allowed
        What is allowed there.
    """

    def __init__(self, path: str | int | Keys, value: object, allowed: str) -> None:
        super().__init__(path, value, allowed)
        self.path: Keys = path if isinstance(path, tuple) else (path,)
        self.value, self.allowed, self.file = value, allowed, ""

    @property
    def where(self) -> str:
        """The key path as text."""
        return ".".join(map(str, self.path)) or "(top level)"

    def __str__(self) -> str:
        shown = repr(self.value)
        shown = shown if len(shown) <= 100 else f"{shown[:97]}..."
        source = f"{self.file}: " if self.file else ""
        return f"{source}{self.where}: {shown} is not allowed; allowed: {self.allowed}"


@contextlib.contextmanager
def within(*keys: str | int) -> Iterator[None]:
    """Put ``keys`` before the path of a `BadInput` that is raised inside."""
    try:
        yield
    except BadInput as fault:
        fault.path = (*keys, *fault.path)
        raise


@contextlib.contextmanager
def called(names: Mapping[str, str | Keys]) -> Iterator[None]:
    """Replace the first key of a `BadInput`'s path by what whoever asked calls it, such as a key path elsewhere."""
    try:
        yield
    except BadInput as fault:
        first, *rest = fault.path
        outer = names.get(str(first), (first,))
        fault.path = (*([outer] if isinstance(outer, str) else outer), *rest)
        raise


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
