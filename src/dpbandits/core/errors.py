"""Errors that a person reads: what happened, then what to do. The command line prints them in one line."""

from __future__ import annotations

import contextlib
import difflib
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

# Keys of mappings and numbers of list entries, from outside to inside; keys may have dots in them.
Keys = tuple[str | int, ...]


# Of an integer with more digits, an error says their number alone.
LONGEST_NUMBER = 30


class Missing:
    """Stand-in for the value in a `BadInput` where a required value was not given."""


class BadInput(ValueError):
    """Error for a value that a user gave, and that cannot be used: it says where, what, and what is allowed.

    The attribute ``file`` is empty, until somebody sets it to the name of the file that the value comes from.

    Parameters
    ----------
    path
        Key path of the value, relative to the value that is checked: a key, or a tuple of keys, maybe empty.
        `within` puts outer keys before it.
    value
        The value as given, or `Missing`.
    allowed
        Description of the allowed values, such as ``"a number > 0"``.
    """

    def __init__(self, path: str | int | Keys, value: object, allowed: str) -> None:
        super().__init__(path, value, allowed)
        self.path: Keys = path if isinstance(path, tuple) else (path,)
        self.value, self.allowed, self.file = value, allowed, ""

    @property
    def where(self) -> str:
        """The key path as text, such as ``experiments.first.horizon``; ``(top level)`` for an empty path."""
        return ".".join(map(str, self.path)) or "(top level)"

    def __str__(self) -> str:
        try:
            shown = repr(_without_numpy(self.value))
        except (ValueError, RecursionError):
            # Python prints no integer of more than 4,300 digits.
            shown = "a value too long to print"
        if isinstance(self.value, int) and shown.isdecimal() and len(shown) > LONGEST_NUMBER:
            shown = f"an integer of {len(shown)} digits"
        shown = shown if len(shown) <= 100 else f"{shown[:97]}..."
        source = f"{self.file}: " if self.file else ""
        if self.value is Missing:
            return f"{source}{self.where} is missing; needed: {self.allowed}"
        return f"{source}{self.where}: {shown} is not allowed; allowed: {self.allowed}"


def _without_numpy(value: object) -> object:
    """Return a number of NumPy as one of Python, also within lists and tuples; else the value itself."""
    if type(value) in (list, tuple):
        elements = cast("list[object] | tuple[object, ...]", value)
        return type(elements)(map(_without_numpy, elements))
    # NumPy's own words for its numbers are np.float64(0.5). It is loaded if there are any, and not loaded for this.
    numpy = sys.modules.get("numpy")
    return cast(Any, value).item() if numpy is not None and isinstance(value, numpy.generic) else value


class _Told(Exception):
    """An error that is its message, also where another process raised it."""

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), *self.args)


def _again(kind: type[Exception], *arguments: object) -> Exception:
    """Return an error of a kind, without what it was made from."""
    made = kind.__new__(kind, *arguments)
    made.args = arguments
    return made


class MissingExtra(_Told):
    """Error for a package that is not installed, but comes with an optional extra of dpbandits.

    Parameters
    ----------
    what
        Thing that needs the package, as the beginning of a sentence: ``"The article"``.
    package, extra
        The package, and the extra that has it; empty if it is no package of Python.
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        remedy = f": pip install 'dpbandits[{extra}]'" if extra else ""
        super().__init__(f"{what} needs {package}{remedy}.")


# Import names of what the extra ``workflow`` brings; a test compares them with pyproject.toml.
WORKFLOW = (
    *("PIL", "jinja2", "latex2mathml", "markupsafe", "matplotlib", "numba2wasm", "packaging"),
    *("prefork", "psutil", "pydantic", "pygments", "seaborn", "snakemake", "yaml"),
)


@contextlib.contextmanager
def needing_workflow(what: str, extra: str = "workflow") -> Iterator[None]:
    """Raise `MissingExtra` if an import in a ``with`` block fails for want of the extra ``workflow``.

    Parameters
    ----------
    what
        Thing that needs the import, as the beginning of a sentence: ``"A plot"``.
    extra
        Extra to name in the error, if a smaller one has the package too.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in WORKFLOW:
            raise
        raise MissingExtra(what, package, extra) from None


class MissingFile(_Told, OSError):
    """Error for a file that a user named, and that cannot be read.

    Parameters
    ----------
    file
        Name of the file, as given.
    reason
        Reason that the system gives, such as ``"No such file or directory"``; ``None`` without one.
    """

    def __init__(self, file: str, reason: str | None) -> None:
        reason = reason or "it cannot be read"
        super().__init__(f"{file}: {reason[0].lower()}{reason[1:]}.")


class DamagedFile(ValueError):
    """Error for a file of results whose content is not what was written.

    Parameters
    ----------
    file
        Name of the file.
    found, expected
        What is wrong with it, and what should be there, in words: ``"altered content"``, ``"what was written"``.
    remedy
        Advice for the reader, in words.
    """

    def __init__(self, file: str, found: str, expected: str, remedy: str = "remove it and rerun") -> None:
        super().__init__(file, found, expected, remedy)
        self.file, self.found, self.expected, self.remedy = file, found, expected, remedy

    def __str__(self) -> str:
        found = self.found if len(self.found) <= 100 else f"{self.found[:97]}..."
        return f"{self.file}: {found}, not {self.expected}; {self.remedy}."


class BrokenFile(_Told):
    """Error for a source file, mostly a user's algorithm, that cannot be imported, compiled or called.

    Parameters
    ----------
    file
        Path of the source.
    line
        Line of the fault; 0 if it is not known.
    reason
        Description of the fault.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {' '.join(reason.split())[:300]}")


class ChangedSources(_Told):
    """Error for sources that were edited during a process, whose results must all come from the same sources.

    Parameters
    ----------
    what
        The process to start again, such as ``"this workflow"``.
    names
        Names of the sources that were edited.
    """

    def __init__(self, what: str, names: Iterable[str]) -> None:
        shown = ", ".join(sorted(names)[:SUGGESTED])
        super().__init__(f"sources changed since {what} began ({shown}); start it again.")


@contextlib.contextmanager
def in_source(file: str) -> Iterator[None]:
    """Raise `BrokenFile` if the code of a source ``file`` fails in a ``with`` block, with the line where it did.

    Errors that say themselves what to mend, such as `BadInput`, `MemoryError` and `OSError`, are raised as they
    are. So is a missing package of the extra ``workflow``.
    """
    try:
        yield
    except (BadInput, ChangedSources, DamagedFile, BrokenFile, MissingExtra, MemoryError, OSError):
        raise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in WORKFLOW:
            raise
        raise BrokenFile(file, _line(error, file), f"{type(error).__name__}: {error}") from error
    except (Exception, SystemExit) as error:
        raise BrokenFile(file, _line(error, file), f"{type(error).__name__}: {error}") from error


def _line(error: BaseException, file: str) -> int:
    """Return the line of a file at which an error came up; 0 if it was not there."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 0
    named = re.search(rf'File "[^"]*{re.escape(file.rpartition("/")[2])}", line (\d+)', str(error))
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return int(named[1]) if named else (lines[-1] or 0 if lines else 0)


def printable(text: str) -> str:
    """Return text that is safe to print on a terminal: control characters are spelled out, line ends stay.

    Examples
    --------
    >>> print(printable("a\x1b[2J, b"))
    a\\x1b[2J, b
    """
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


@contextlib.contextmanager
def within(*keys: str | int) -> Iterator[None]:
    """Put ``keys`` before the path of a `BadInput` that is raised in a ``with`` block, and raise it again."""
    try:
        yield
    except BadInput as fault:
        fault.path = (*keys, *fault.path)
        raise


@contextlib.contextmanager
def called(names: Mapping[str, str | Keys]) -> Iterator[None]:
    """Rename the first key in the path of a `BadInput` that is raised in a ``with`` block, and raise it again.

    ``names`` maps a key to its new name, or to a tuple of keys: ``{"seeds": "--seeds"}``. Other keys stay.
    """
    try:
        yield
    except BadInput as fault:
        first, *rest = fault.path
        outer = names.get(str(first), (first,))
        fault.path = (*([outer] if isinstance(outer, str) else outer), *rest)
        raise


# How many names a message lists at most, and how many of them where it cannot list all.
MOST_SUGGESTED, SUGGESTED = 12, 5


def suggest(name: object, known: Iterable[str], empty: str = "nothing") -> str:
    """Return what is allowed in place of ``name``, in words: "one of a, b, c (did you mean 'a'?)".

    Of more than twelve known names only the nearest ones are listed, or the first five if none is near. Without
    any known name, ``empty`` is returned.
    """
    names = sorted(known)
    if not names:
        return empty
    # A slip of one letter should not be answered with forty names.
    by_letters = {each.lower(): each for each in names}
    near = [
        by_letters[each] for each in difflib.get_close_matches(str(name)[:100].lower(), by_letters, n=SUGGESTED)
    ]
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    shown = names if len(names) <= MOST_SUGGESTED else near or names[:SUGGESTED]
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return "one of " + ", ".join(shown) + more + hint


# What a person can mend: a value, a package, a file, a disk, the memory. Anything else is a fault of this package.
MENDABLE = (BadInput, BrokenFile, ChangedSources, DamagedFile, MissingExtra, MemoryError, OSError)


def tell(error: BaseException) -> int:
    """Print an error that a person can mend, such as `BadInput` or `OSError`, on stderr; return the exit status.

    The error is one of `MENDABLE`, and is printed in one line. The status is 2 for `BadInput`, `DamagedFile`,
    `MissingFile` and `MissingExtra`. It is 4 for all others, such as other kinds of `OSError`.
    """
    message = str(error)
    if isinstance(error, MemoryError):
        message = f"not enough memory ({error}); give the job more, or fewer runs (seeds_per_job)"
    elif isinstance(error, OSError) and not isinstance(error, MissingFile):
        message = f"{error.filename or 'file'}: {error.strerror or error}"
    print(f"dpbandits: {printable(message)}", file=sys.stderr)
    return 2 if isinstance(error, BadInput | DamagedFile | MissingExtra | MissingFile) else 4


@contextlib.contextmanager
def plainly() -> Iterator[None]:
    """End the process with one line in place of a traceback if a ``with`` block raises one of `MENDABLE`.

    These are errors that a person can mend, such as `BadInput` or `OSError`; others are raised as they are.
    """
    try:
        yield
    except MENDABLE as error:
        sys.exit(tell(error))
