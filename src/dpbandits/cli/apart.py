"""Commands in a process of their own, so that whatever ends this process is not taken for a verdict."""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from dpbandits.core.errors import printable

# Statuses of a command that came to no verdict, and of one that Ctrl-C ended, as shells report it.
NO_VERDICT, STOPPED = 4, 130
# Limit of the time by the clock, in multiples of the processor time that is allowed: a process may wait for ever.
CLOCK_PER_CPU = 3
# Letters of an error's words that are shown.
LONGEST_DESCRIPTION = 300
# Last line of what a child hands over; no text of a kernel has a letter beyond base 85.
END = "the end."


def run_in_child(work: Callable[[], int], seconds: float | None = None) -> int:
    """Run ``work`` in a child process, and return the exit status that it returns there.

    If ``work`` raises an error, crashes or runs out of time, the status is 4 (`NO_VERDICT`), and a line on stderr
    says how it ended. After Ctrl-C the status is 130 (`STOPPED`).

    Parameters
    ----------
    work
        Function that runs a command, prints its output, and returns its exit status, from 0 to 255.
    seconds
        Processor time, in seconds, that ``work`` may take; by the clock it may take three times as long. By default
        there is no limit.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with _file_of_calls() as called:
        return _child_status(work, called, seconds)


def _child_status(work: Callable[[], int], called: IO[bytes] | None, seconds: float | None) -> int:
    """Run ``work`` in a child process, as `run_in_child` does; ``called`` takes the kernels that it called."""
    # The child writes its status into ``says``, and ends once the parent, which keeps ``life`` open, has ended.
    said, says = os.pipe()
    lives, life = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(life)
        threading.Thread(target=_exit_with_parent, args=(lives,), daemon=True).start()
        _run_and_exit(work, says, called, seconds)
    os.close(says)
    os.close(lives)
    # What the child has started may live on and hold the pipe: the child's own end is waited for too.
    ends = os.pidfd_open(child) if hasattr(os, "pidfd_open") else -1
    ready: list[int] = [said]
    try:
        waited = [said] if ends < 0 else [said, ends]
        ready, _, _ = select.select(waited, [], [], None if seconds is None else CLOCK_PER_CPU * seconds)
        status = _status_in(said) if ready else b""
        if not ready:
            os.kill(child, signal.SIGKILL)
        _, code = os.waitpid(child, 0)
    except KeyboardInterrupt:
        # The child has it too, and says what is done; a second one ends it.
        _, code = os.waitpid(child, 0)
        status = _status_in(said)
    finally:
        os.close(said)
        if ends >= 0:
            os.close(ends)
        os.close(life)
    if status:
        _take_over_calls(called)
        return status[0]
    signalled = os.WIFSIGNALED(code)
    how = f"by signal {os.WTERMSIG(code)}" if signalled else f"with status {os.WEXITSTATUS(code)}"
    limit = f", after {seconds:g} s of processor time" if signalled and os.WTERMSIG(code) == signal.SIGXCPU else ""
    limit = limit if ready else f", after {CLOCK_PER_CPU * (seconds or 0):g} s"
    print(f"dpbandits: no verdict: what was run ended the process {how}{limit}", file=sys.stderr)
    return NO_VERDICT


def _status_in(said: int) -> bytes:
    """Return the status that lies in a pipe, or nothing."""
    return os.read(said, 1) if select.select([said], [], [], 0)[0] else b""


class _Handed:
    """A kernel that another process called: pickled as it came, because unpickling it here would import numba."""

    def __init__(self, pickled: bytes) -> None:
        self.pickled = pickled

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return pickle.loads, (self.pickled,)


def _file_of_calls() -> contextlib.AbstractContextManager[IO[bytes] | None]:
    """Return a file by which a child tells what it called; ``None`` if no server has forked this process to ask."""
    if "prefork.server" in sys.modules:
        with contextlib.suppress(OSError):
            return tempfile.TemporaryFile()
    return contextlib.nullcontext()


def _hand_over_calls(called: IO[bytes] | None) -> None:
    """Write into a file which kernels this process called: see `dpbandits.core.compiled.preloads`."""
    compiled = sys.modules.get("dpbandits.core.compiled")
    if called is not None and compiled is not None:
        with contextlib.suppress(OSError):
            called.write("\n".join([*compiled.preloads(), END]).encode())
            called.flush()


def _take_over_calls(called: IO[bytes] | None) -> None:
    """Count kernels that the child called as this process's own.

    The server asks for them, and loads them before it forks the next job. A short job of the pipeline takes 0.06 s
    of the processor then, and 0.46 s otherwise.
    """
    if called is not None:
        from dpbandits.core import compiled

        called.seek(0)
        *texts, end = called.read().split(b"\n")
        # A disk that was full has only a part.
        if end == END.encode():
            with contextlib.suppress(ValueError):
                compiled.CALLED += [_Handed(base64.b85decode(text)) for text in texts]  # type: ignore[misc]


def describe_error(error: BaseException) -> str:
    """Return one line on an error that was raised, such as ``ValueError: no such arm (policy.py:12)``.

    Class and text of the error are cut after 300 characters. File, without folder, and line say where it was
    raised.
    """
    at = traceback.extract_tb(error.__traceback__)[-1]
    try:
        words = str(error)
    except BaseException:
        words = "no words"
    told = " ".join(f"{type(error).__name__}: {words}".split())
    told = told if len(told) <= LONGEST_DESCRIPTION else f"{told[:LONGEST_DESCRIPTION]}..."
    return printable(f"{told} ({Path(at.filename).name}:{at.lineno})")


def _exit_with_parent(lives: int) -> None:
    """End this process when its parent has ended, which closes the other end of the pipe ``lives``."""
    os.read(lives, 1)
    os._exit(STOPPED)


def _run_and_exit(work: Callable[[], int], says: int, called: IO[bytes] | None, seconds: float | None) -> None:
    """Do the work in the child, with its limit of processor time; then end the process with its status.

    The status goes into the pipe ``says``, and what it called into the file ``called``.
    """
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, resource.RLIM_INFINITY))
    status = NO_VERDICT
    try:
        status = work()
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        _hand_over_calls(called)
    except KeyboardInterrupt:
        print("dpbandits: stopped", file=sys.stderr)
        status = STOPPED
    except BaseException as error:
        try:
            # What was run may have put another stream in the place of Python's.
            os.write(2, f"dpbandits: no verdict: {describe_error(error)}\n".encode())
        except BaseException:
            # Nobody could read it: the parent says how this process ended.
            os._exit(NO_VERDICT)
    finally:
        os.write(says, bytes([status]))
        os._exit(status)
