"""Calls of a stranger's program in a process of its own, with a time limit.

A program that ends its process, is killed or does not return is *refused*. So it cannot make up an exit status
that looks like a verdict. What it prints is not shown.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from noisetap.tape import Refused

# What a child may take longer than its budget, to end a run and check a certificate.
GRACE = 30.0
# Letters of an error's words that are shown.
LONGEST_LINE = 300


class Unexpected(Exception):
    """An error in a child process that is no refusal of the program; the message is one line about it."""


def printable(text: str) -> str:
    """Return ``text`` on one line, with escapes such as ``\\x1b`` for characters that a terminal would obey."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.replace("\n", " "))


def in_child(work: Callable[..., Any], *args: Any, seconds: float) -> Any:
    """Call ``work(*args)`` in a child process, and return its value, which has to be one that can be pickled.

    What ``work`` prints is not shown.

    Raises
    ------
    Refused
        If ``work`` raises it, ends the process, or takes more than 30 s (`GRACE`) longer than ``seconds``.
    Unexpected
        If ``work`` raises another exception, or its value cannot be pickled.
    """
    context: Any = multiprocessing.get_context("fork" if sys.platform != "win32" else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(theirs, work, args), daemon=False)
    sys.stdout.flush()
    child.start()
    theirs.close()
    try:
        # What the program has started may live on and hold the pipe: the child's own end is waited for too.
        if not wait([ours, child.sentinel], seconds + GRACE):
            raise Refused(f"no verdict within {seconds + GRACE:g} s: the program does not return (--seconds)")
        try:
            if not ours.poll():
                raise EOFError
            word, what = ours.recv()
        except EOFError:
            child.join()
            code = child.exitcode or 0
            how = f"by signal {-code}" if code < 0 else f"with status {code}"
            raise Refused(f"the program ended the process {how}") from None
    finally:
        if child.is_alive():
            child.kill()
        child.join()
    if word == "refused":
        raise Refused(what)
    if word == "unexpected":
        raise Unexpected(what)
    return what


def _child(pipe: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Do the work in the child, and send its result or why there is none; then end the process."""
    # What the program prints is not ours to print; what it reads is nothing.
    with Path(os.devnull).open("r+") as nothing, contextlib.redirect_stdout(nothing):
        sys.stdin = nothing
        # What it starts, and what is no Python, prints there too.
        os.dup2(nothing.fileno(), 1)
        try:
            answer: tuple[str, Any] = ("verdict", work(*args))
        except Refused as refusal:
            answer = ("refused", str(refusal))
        except KeyboardInterrupt:
            os._exit(130)
        except SystemExit as end:
            answer = ("refused", f"the program ends the process (SystemExit: {_words(end)})")
        except BaseException as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(at.filename).name}:{at.lineno}"
            answer = ("unexpected", f"{type(error).__name__}: {_words(error)} ({where})")
        try:
            pipe.send(answer)
        except BaseException as error:
            # Of a program that closed the pipe, or whose values cannot be sent.
            with contextlib.suppress(BaseException):
                pipe.send(("unexpected", f"the verdict cannot be sent: {type(error).__name__}"))
        os._exit(0)


def _words(error: BaseException) -> str:
    """Return what an error says, if it can say anything."""
    try:
        said = str(error)
    except BaseException:
        return "no words"
    return said if len(said) <= LONGEST_LINE else f"{said[:LONGEST_LINE]}..."
