"""Checks of the calls that a kernel makes in a short run in Python: each argument is looked at by its name.

A compiler takes ``release(state, runs.recorder, rewards, 0.0)`` and ``collect(..., -3, clock)`` as they are, and a
compiled run goes on with no noise, or with rewards that nobody earned. Here each is an error at its line.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.auditing.fresh_arrays import remembered, settled
from dpbandits.core import compiled, gaussian, mechanisms, recording, selections, streams
from dpbandits.core import recorder as at
from dpbandits.core.provenance import ROOT
from dpbandits.core.recorder import Recorder
from dpbandits.core.recording import Clock, Runs

# Calls of these modules are checked, and those of the problems of all settings. What they call is not.
CORE = str(ROOT / "core")
MODULES = {module.__name__ for module in (gaussian, mechanisms, at, recording, selections, streams)}
# Largest whole number of rounds or pulls; and numbers of which `integer_below` takes fewer.
MOST, MOST_ITEMS = 2**52, 2**32
# Calls without a round that is played, at most; and processor time of one run, in seconds.
MOST_CALLS, LONGEST_RUN = 2 * 10**5, 60.0
# Numbers of slips, beside the faults of the recorder, with which a compiled run is safe: an audit can go on.
SAFE = -1


class Wrong(ValueError):
    """An argument is not what its name says, or a run does not end.

    ``fault`` is the recorder's number of the fault, -1 if a compiled run would be safe all the same, else 0.
    """

    def __init__(self, words: str, fault: int = 0) -> None:
        super().__init__(words)
        self.fault = fault


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int


class Watch:
    """Watch over the calls of one run, and over the lines of its author's code that make them.

    Parameters
    ----------
    private
        Whether the algorithm claims privacy; then all noise has a scale > 0.

    Attributes
    ----------
    recorder
        The run's recorder, once a call has shown it; ``None`` before.
    rounds, calls
        Rounds that were played at the latest checked call, and checked calls since a round was played.
    depth
        Number of kernels that are running, each called by the one before.
    stack
        Lines of code on the stack of the latest checked call, the innermost last.
    events
        Lines of code on the stack of the call that made an event, by the event's row.
    """

    def __init__(self, private: bool) -> None:
        self.private = private
        self.recorder: Recorder | None = None
        self.rounds = self.calls = self.depth = 0
        self.stack: list[Place] = []
        self.events: dict[int, list[Place]] = {}

    @property
    def arms(self) -> int:
        """Number of arms; without a recorder so large a number that every index of an arm is below it."""
        return MOST if self.recorder is None else self.recorder.pulled.shape[0]

    def begin(self, args: tuple[Any, ...]) -> None:
        """Find the run's recorder among the arguments of a kernel."""
        for each in args:
            recorder = each.recorder if isinstance(each, Runs) else each
            if isinstance(recorder, Recorder):
                self.recorder = recorder

    def check(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raise `Wrong` for the first argument of a call that is not what its name says, such as an arm of -1."""
        if self.recorder is not None:
            self._progress(int(self.recorder.counters[at.ROUNDS]))
        code = function.__code__
        given = {**dict(zip(code.co_varnames[: code.co_argcount], args, strict=False)), **named}
        for name, value in given.items():
            rule = RULES.get((code.co_name, name), RULES.get(("", name)))
            if rule is not None:
                rule(self, name, value, given)

    def _progress(self, rounds: int) -> None:
        """Count calls, and raise if the run goes on and on without playing a round."""
        self.calls = self.calls + 1 if rounds == self.rounds else 0
        self.rounds = rounds
        if self.calls > MOST_CALLS:
            raise Wrong(f"there is no end: no round was played in {MOST_CALLS:,} calls")


def _stream(watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
    """Refuse a stream that is not the run's own."""
    if not (isinstance(value, np.ndarray) and value.dtype == np.uint64 and value.shape == (4,)):
        raise Wrong(f"`{name}` is {_short(value)}; it is the run's stream, `runs.streams[run]`")
    if watch.recorder is not None and not np.may_share_memory(value, watch.recorder.stream):
        raise Wrong("noise is drawn from another stream than the run's", at.WRONG_STREAM)


def _recorder(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
    """Refuse to leave out the recorder."""
    if not isinstance(value, Recorder):
        raise Wrong(f"`{name}` is {_short(value)}; it is `runs.recorder`", SAFE)


def _runs(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
    if not isinstance(value, Runs):
        raise Wrong(f"`{name}` is {_short(value)}; it is the `Runs` to fill")


def _clock(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
    if not isinstance(value, tuple) or len(value) != len(Clock._fields):
        raise Wrong(f"`{name}` is {_short(value)}; it is a `Clock`, such as `START`")


def _clock_of_now(watch: Watch, name: str, value: Any, given: dict[str, Any]) -> None:
    """Refuse a clock that does not say how many rounds were played."""
    _clock(watch, name, value, given)
    if value[0] != watch.rounds:
        played = f"{watch.rounds:,} rounds were played, and the clock says {value[0]:,}"
        raise Wrong(f"{played}; keep what `play` returns: `clock = play(...)`")


def _whole(least: int, most: int = MOST) -> Rule:
    """Return the rule of a whole number in a range."""

    def rule(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
        if not _is_whole(value) or not least <= value <= most:
            raise Wrong(f"`{name}` is {_short(value)}; it is a whole number from {least} to {most:,}")

    return rule


def _run(_watch: Watch, name: str, value: Any, given: dict[str, Any]) -> None:
    runs = given["runs"].streams.shape[0] if isinstance(given.get("runs"), Runs) else 1
    if not _is_whole(value) or not 0 <= value < runs:
        raise Wrong(f"`{name}` is {_short(value)}; runs are 0 to {runs - 1}")


def _arm(watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
    if not _is_whole(value) or not 0 <= value < watch.arms:
        raise Wrong(f"{name} {_short(value)} is out of range; arms are 0 to {watch.arms - 1}")


def _selected(_watch: Watch, name: str, value: Any, given: dict[str, Any]) -> None:
    actions = getattr(given.get("noisy"), "size", 0)
    if not _is_whole(value) or not 0 <= value < actions:
        raise Wrong(f"{name} {_short(value)} is out of range; actions are 0 to {actions - 1}")


def _truth(_watch: Watch, name: str, value: Any, given: dict[str, Any]) -> None:
    answers = given.get("answers")
    if not _is_whole(value) or not _is_whole(answers) or not 0 <= value < answers:
        raise Wrong(f"`{name}` is {_short(value)}; it is a whole number below `answers`")


def _number(least: float = -math.inf, most: float = math.inf, words: str = "a finite number") -> Rule:
    """Return the rule of a finite number in a range."""

    def rule(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
        if not (_is_number(value) and math.isfinite(value) and least <= value <= most):
            raise Wrong(f"`{name}` is {_short(value)}; it is {words}", SAFE if _is_number(value) else 0)

    return rule


def _scale(watch: Watch, name: str, value: Any, given: dict[str, Any]) -> None:
    """Refuse noise of no scale: none at all, or one that drowns everything."""
    if not _is_number(value) or not value >= 0.0:
        raise Wrong(f"the noise has {name} {_short(value)}; it is a number > 0")
    if math.isinf(value) or (value == 0.0 and watch.private and "recorder" in given):
        raise Wrong(f"the noise has {name} {_short(value)}; it is a finite number > 0", SAFE)


def _among(*allowed: int) -> Rule:
    """Return the rule of one of some whole numbers."""

    def rule(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
        if not _is_whole(value) or value not in allowed:
            raise Wrong(f"`{name}` is {_short(value)}; it is one of {', '.join(map(str, allowed))}")

    return rule


def _scores(finite: bool = False, least: float = -math.inf) -> Rule:
    """Return the rule of numbers to compare."""

    def rule(_watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or not value.size:
            raise Wrong(f"`{name}` is {_short(value)}; it is an array of numbers")
        wrong = ~(np.isfinite(value) if finite else ~np.isnan(value)) | (value < least)
        if wrong.any():
            place = int(np.argmax(wrong))
            words = f"`{name}` has {value.flat[place]:g} at place {place}; no such number can be compared"
            raise Wrong(words, SAFE)

    return rule


def _wholes(most_is_arms: bool) -> Rule:
    """Return the rule of an array of whole numbers, of arms or of pulls."""

    def rule(watch: Watch, name: str, value: Any, _: dict[str, Any]) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "iu":
            raise Wrong(f"`{name}` is {_short(value)}; it is an array of whole numbers")
        most = watch.arms - 1 if most_is_arms else MOST
        if value.size and not (value.min() >= 0 and value.max() <= most):
            raise Wrong(f"`{name}` is {_short(value)}; its numbers are 0 to {most:,}")

    return rule


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _short(value: object) -> str:
    """Return a value in few words, on one line."""
    if _is_number(value) and not _is_whole(value):
        return f"{value:g}"
    words = str(value) if _is_whole(value) else repr(value)
    return words if len(words) <= 40 and "\n" not in words else f"a value of type {type(value).__name__}"


Rule = Callable[[Watch, str, Any, dict[str, Any]], None]
# Rules of arguments, by function and name, or, with no function, by name in all functions.
RULES: dict[tuple[str, str], Rule] = {
    ("", "state"): _stream,
    ("", "recorder"): _recorder,
    ("", "runs"): _runs,
    ("", "run"): _run,
    ("", "arm"): _arm,
    ("", "action"): _arm,
    ("", "number"): _whole(0),
    ("", "length"): _whole(0),
    ("", "n"): _whole(0),
    ("", "t"): _whole(0),
    ("", "first"): _whole(0),
    ("", "last"): _whole(0),
    ("", "gap"): _number(),
    ("", "value"): _number(),
    ("", "scale"): _scale,
    ("", "deviation"): _scale,
    ("", "clock"): _clock_of_now,
    ("record", "clock"): _clock,
    ("keep", "action"): _whole(0),
    ("select", "action"): _selected,
    ("select", "noisy"): _scores(),
    ("offer", "scores"): _scores(finite=True),
    ("offer", "mechanism"): _among(at.LAPLACE, at.GUMBEL, at.EXPONENTIAL),
    ("release_whole", "law"): _among(mechanisms.DISCRETE_LAPLACE, mechanisms.DISCRETE_NORMAL),
    ("respond", "answers"): _whole(2, MOST_ITEMS),
    ("respond", "truth"): _truth,
    ("respond", "probability"): _number(5e-324, 1.0 - 2.0**-53, "a number between 0 and 1"),
    ("above", "secret"): _number(),
    ("argmin", "values"): _scores(),
    ("argmax", "values"): _scores(),
    ("categorical", "weights"): _scores(finite=True, least=0.0),
    ("categorical", "total"): _number(5e-324, words="a finite number > 0"),
    ("integer_below", "n"): _whole(1, MOST_ITEMS - 1),
    ("binomial", "p"): _number(0.0, 1.0, "a number from 0 to 1"),
    ("beta", "a"): _number(1.0, words="a finite number >= 1"),
    ("beta", "b"): _number(1.0, words="a finite number >= 1"),
    ("shuffle", "items"): _wholes(most_is_arms=False),
    ("play", "arms"): _wholes(most_is_arms=True),
    ("play", "pulls"): _wholes(most_is_arms=False),
    ("accumulate", "resampled"): _among(0, 1),
    ("accumulate_over", "resampled"): _among(0, 1),
}
_USUAL: Any = compiled.Kernel.__call__
_local = threading.local()
# One run at a time is watched: calls of all kernels are.
_alone = threading.RLock()


def _is_checked(function: Callable[..., object]) -> bool:
    """Say whether a function is one that authors call, of the core or of a setting's problem."""
    module, name = function.__module__, function.__name__
    of_problem = module.startswith("dpbandits.settings.") and module.rpartition(".")[2].startswith("problem")
    return (module in MODULES or of_problem) and not name.startswith("_")


def _call(self: compiled.Kernel, *args: Any, **named: Any) -> Any:
    """Call a kernel, after its arguments are checked if this thread's run is watched."""
    watch: Watch | None = getattr(_local, "watch", None)
    if watch is None:
        return _USUAL(self, *args, **named)
    if watch.recorder is None:
        watch.begin(args)
    if _is_checked(self.function):
        frame = sys._getframe(1)
        if not frame.f_code.co_filename.startswith(CORE):
            watch.stack = stack_of(frame)
            watch.check(self.function, args, named)
    watch.depth += 1
    try:
        found = _USUAL(self, *args, **named)
    finally:
        watch.depth -= 1
    # What Python keeps of a kernel may reach a compiled one.
    return found if watch.depth else settled(found)


def _in_kernel() -> bool:
    """Say whether this thread is in a kernel of a run that is watched."""
    watch: Watch | None = getattr(_local, "watch", None)
    return watch is not None and watch.depth > 0


def stack_of(frame: FrameType | None) -> list[Place]:
    """Return the lines of a frame and of those that called it, the innermost last, at most 40."""
    found: list[Place] = []
    while frame is not None and len(found) < 40:
        found.append(Place(frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return found[::-1]


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Check this thread's calls in a ``with`` block; a wrong one, or 60 s of processor time, raises `Wrong`."""
    with _alone, _ended_after(LONGEST_RUN), remembered(_in_kernel):
        _local.watch = watch
        kernel: Any = compiled.Kernel
        kernel.__call__ = _call
        try:
            yield
        finally:
            kernel.__call__ = _USUAL
            _local.watch = None


class _NoEnd(Wrong):
    """Raised in a thread whose run has no end."""

    def __init__(self) -> None:
        super().__init__("there is no end; a loop may wait for what does not change")


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Raise in this thread after some seconds of its processor time; a loop in Python ends by nothing else."""
    thread, over = threading.get_ident(), threading.Event()
    clock = time.pthread_getcpuclockid(thread)
    end = time.clock_gettime(clock) + seconds

    def wait() -> None:
        while not over.wait(max(0.05, min(seconds, end - time.clock_gettime(clock)))):
            if time.clock_gettime(clock) >= end:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_NoEnd))
                return

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    try:
        yield
    finally:
        over.set()
        waiting.join()
