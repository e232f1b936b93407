"""Runs of a function of data along all of its paths: all outcomes of comparisons with noise and random choices.

A number with noise is released where the function returns it, or reads it as a plain number. It counts as seen
then, and the caller of a run gives its value.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path as FilePath
from types import FrameType
from typing import Any

import numpy as np

from noisetap import listen
from noisetap.draws import DataGenerator, listening_to_function, stand_in_or_none
from noisetap.listen import REAL_GENERATOR, generator_classes
from noisetap.opendp_heard import hearing_calls, marking_constructors
from noisetap.path import Path
from noisetap.program import closure_cells, modules_of, parameter_names, reachable_modules
from noisetap.records import Data, Records, as_result, form_of
from noisetap.tape import Refused, is_library_frame

# Most paths of one input. A function with more is judged on fewer records.
MOST_PATHS = 3_000
BUDGET_NAMES = ("epsilon", "eps", "privacy_budget")
_GENERATORS = ("rng", "generator", "random_state", "prng", "np_rng", "random_generator")


class TooManyPaths(Exception):
    """An input has too many paths to sum over, that is runs by outcomes of comparisons and choices: over 3,000.

    It is raised too if a first pair of inputs takes too long.
    """


class OutOfTime(Exception):
    """An audit has used up its processor time."""


class Function:
    """A function of data that can be run again and again, while its draws are recorded.

    It counts its ``runs``. ``most_draws`` and ``most_outputs`` are the largest numbers of draws and of released
    numbers in a run so far. ``deadline`` can be set: a time in seconds, by the processor's clock of this process.

    Parameters
    ----------
    function : callable
        Function that takes data as its first argument. A parameter without a value that is called ``rng``,
        ``random_state`` or such gets a generator.
    records : Records
        Number, ranges and form of the records that it takes.
    parameters : mapping
        Other arguments of the function, by name.
    stores_noise : bool
        Whether arrays by ``np.zeros`` and the like can hold numbers with noise. If so, rounding a whole number with
        whole noise does not release it either.
    releases_compared : bool
        Whether a comparison releases the number that it compares, which then counts as seen: no loss gets smaller.

    Raises
    ------
    Refused
        If the function takes no data, if a parameter other than a budget or a generator has no value, or if
        ``parameters`` has a name that is no parameter of the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        records: Records,
        parameters: Mapping[str, Any],
        stores_noise: bool = False,
        releases_compared: bool = False,
    ) -> None:
        """Find what has to be replaced while the function runs: its modules, cells and generators."""
        self.function, self.records, self.parameters = function, records, dict(parameters)
        self.stores_noise, self.releases_compared = stores_noise, releases_compared
        self.cells = tuple(closure_cells(_plain(function)))
        self.form = records.form or form_of(function)
        plain = _plain(function)
        own = [m for m in {inspect.getmodule(plain), *modules_of(plain)} if m is not None]
        self.modules = tuple(reachable_modules(own))
        self.runs = self.most_draws = self.most_outputs = 0
        self.deadline = math.inf
        self._open: ExitStack | None = None
        self._generators = _missing(function, self.parameters)

    def __enter__(self) -> Function:
        """Listen until the end of the block: many runs share what stands in for generators."""
        # This import draws, and so comes before draws are recorded.
        torch = hasattr(sys.modules.get("torch"), "default_generator")
        heard = importlib.import_module("noisetap.torch_heard").listening_to_torch if torch else nullcontext
        self._open = ExitStack()
        self._open.enter_context(
            listening_to_function(Path(), *self.modules, stores_noise=self.stores_noise, cells=self.cells)
        )
        self._open.enter_context(_replaced(self.function))
        self._open.enter_context(marking_constructors())
        self._open.enter_context(hearing_calls())
        self._open.enter_context(heard())
        return self

    def __exit__(self, *_: object) -> None:
        """Leave NumPy as it was."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def with_budget(self, epsilon: float) -> Function | None:
        """Return the function with ``epsilon`` as its budget; ``None`` if it takes no budget, or has one already.

        The budget is the value of a parameter ``epsilon``, ``eps`` or ``privacy_budget``: the first of these that
        the function has.
        """
        names = [n for n in BUDGET_NAMES if n in parameter_names(self.function)]
        if not names or names[0] in self.parameters:
            return None
        return Function(
            self.function,
            self.records,
            self.parameters | {names[0]: epsilon},
            self.stores_noise,
            self.releases_compared,
        )

    def run(
        self,
        data: Data,
        script: Sequence[int] = (),
        outputs: Sequence[float] = (),
        rng: Any = None,
        trace: list[str] | None = None,
    ) -> tuple[Path, Any]:
        """Run the function once; return the record of the run, a `Path`, and the result.

        The result is numbers, texts and nested tuples of them: the list ``[1, "a"]`` comes as
        ``("list", (1.0, "a"))``. An exception comes as ``("raised", "ValueError", "its text")``.

        Parameters
        ----------
        data
            Input: a tuple of records, which are tuples.
        script
            Number of the way that each choice takes, from 0. Further choices go as the drawn values say.
        outputs
            Values of the released numbers, in order. Further ones have the values that follow from the draws.
        rng
            Generator that makes the draws. Without it each standard draw is 0, and a coin goes its first way.
        trace
            List that takes ``file:line`` of each line of the program that is run.

        Raises
        ------
        Refused
            If something cannot be recorded.
        OutOfTime
            If the processor time ``self.deadline`` is reached.
        """
        self.runs += 1
        # The clock is asked now and then: asking it can cost more than a run.
        if self.runs % 8 == 0 and time.process_time() > self.deadline:
            raise OutOfTime
        path = Path(script, outputs, rng)
        path.releases_compared, path.keeps_rounded_hidden = self.releases_compared, self.stores_noise
        before = sys.gettrace()
        with ExitStack() as stack:
            if self._open is None:
                stack.enter_context(self)
            listen.listen_with(path)
            arguments = self.parameters | {name: generator_classes(DataGenerator)[0]() for name in self._generators}
            given = self.records.as_argument(data, self.form)
            if trace is not None:
                sys.settrace(_tracer(trace))
            try:
                result = as_result(self.function(given, **arguments))
            except Refused as refusal:
                raise Refused(path.refusal or str(refusal)) from None
            except SystemExit:
                raise Refused("the function ends the process by SystemExit") from None
            except Exception as error:
                result = _raised(path, error)
            finally:
                sys.settrace(before)
        if path.refusal is not None:
            raise Refused(path.refusal)
        coins = sum(bool(choice.weights) for choice in path.choices)
        self.most_draws = max(self.most_draws, len(path.draws) + coins)
        self.most_outputs = max(self.most_outputs, len(path.releases))
        return path, result

    def call_unheard(self, data: Data) -> Any:
        """Call the function with its own randomness, outside of its ``with`` block, and return its result."""
        arguments = self.parameters | {name: np.random.default_rng() for name in self._generators}
        return self.function(self.records.as_argument(data, self.form), **arguments)

    def paths(self, data: Data, outputs: Sequence[float] = (), rng: Any = None) -> Iterator[tuple[Path, Any]]:
        """Yield all paths of an input, each with the function's result; the released numbers are ``outputs``.

        Paths are runs with other outcomes of comparisons and choices; impossible ones may be among them. Further
        released numbers have the values that follow from the draws. ``rng`` makes the draws; without it each
        standard draw is 0.

        Raises
        ------
        TooManyPaths
            After 3,000 paths (`MOST_PATHS`).
        """
        # Each script here is the beginning of a path that no path so far has: its last choice is a new one.
        waiting: list[list[int]] = [[]]
        number = 0
        while waiting:
            script = waiting.pop()
            number += 1
            if number > MOST_PATHS:
                raise TooManyPaths("hidden choices have too many values to be summed over")
            path, result = self.run(data, script, outputs, rng)
            taken = [choice.taken for choice in path.choices]
            for at in range(len(script), len(taken)):
                choice = path.choices[at]
                waiting += [
                    [*taken[:at], other]
                    for other in range(choice.options)
                    if other != choice.taken and (not choice.weights or choice.weights[other] > 0)
                ]
            yield path, result


@contextmanager
def _replaced(function: Any) -> Iterator[None]:
    """Put listeners in the place of generators that a function holds: in defaults, closure and fields."""
    plain, owner = _plain(function), getattr(function, "__self__", function)
    cells = getattr(plain, "__closure__", None) or ()
    places: list[tuple[Any, str, Any]] = [(cell, "cell_contents", cell.cell_contents) for cell in cells]
    if not inspect.isroutine(owner) and not inspect.ismodule(owner):
        places += [(owner, name, value) for name, value in getattr(owner, "__dict__", {}).items()]
    before = [(place, name, value, stand_in_or_none(value)) for place, name, value in places]
    before = [entry for entry in before if entry[3] is not None]
    defaults = getattr(plain, "__defaults__", None), getattr(plain, "__kwdefaults__", None)
    for place, name, _, heard in before:
        setattr(place, name, heard)
    if defaults[0]:
        plain.__defaults__ = tuple(stand_in_or_none(v) or v for v in defaults[0])
    if defaults[1]:
        plain.__kwdefaults__ = {k: stand_in_or_none(v) or v for k, v in defaults[1].items()}
    try:
        yield
    finally:
        for place, name, value, _ in before:
            setattr(place, name, value)
        if defaults[0]:
            plain.__defaults__ = defaults[0]
        if defaults[1]:
            plain.__kwdefaults__ = defaults[1]


def _plain(function: Any) -> Any:
    """Return the function that was written: its module holds the generators that it takes by name."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = type(function).__call__
    return getattr(function, "__func__", function)


def _missing(function: Callable[..., Any], parameters: Mapping[str, Any]) -> list[str]:
    """Return names of parameters that want a generator and have no value; refuse any other without a value."""
    try:
        listed = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    if not listed:
        raise Refused("the function takes no data: its first argument has to be the data")
    unknown = parameters.keys() - {p.name for p in listed[1:]}
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in listed):
        raise Refused(f"the function has no parameter {sorted(unknown)[0]!r}")
    wanted = [p for p in listed[1:] if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    wanted = [p for p in wanted if p.name not in parameters]
    without = [p.name for p in wanted if p.name not in (*_GENERATORS, *BUDGET_NAMES)]
    if without:
        raise Refused(f"the function needs a value for {without[0]!r}: --param {without[0]}=…")
    defaults = [p.name for p in listed[1:] if p.name in _GENERATORS and p.name not in parameters]
    return [n for n in defaults if n in {p.name for p in wanted}]


def _raised(path: Path, error: Exception) -> Any:
    """Return an exception as a result, or refuse one that is raised because noise could not be heard."""
    text = str(error)
    unheard = isinstance(error, TypeError | AttributeError) and path.draws
    if unheard or "Noisy" in text or "object arrays" in text or "dtype('O')" in text:
        frames = traceback.extract_tb(error.__traceback__)
        own = [
            f for f in frames if "noisetap" not in FilePath(f.filename).parts[-2:-1] and "numpy" not in f.filename
        ]
        where = f"{FilePath(own[-1].filename).name}:{own[-1].lineno}" if own else "?"
        source = own[-1].line if own and own[-1].line else ""
        raise Refused(f"noise goes through what is not heard: {source.strip()[:80]!r} ({where}): {text[:120]}")
    return ("raised", type(error).__name__, text)


def _tracer(trace: list[str]) -> Callable[[FrameType, str, Any], Any]:
    """Return a tracer that adds each line of the program that is run, as ``file:line``."""

    def step(frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        if (
            is_library_frame(frame)
            or file.startswith("<")
            or "site-packages" in file
            or file.startswith(sys.base_prefix + "/lib")
        ):
            return None
        if event == "line":
            trace.append(f"{FilePath(file).name}:{frame.f_lineno}")
        return step

    return step


def noise_widths(path: Path) -> list[float]:
    """Return a rough width of the noise of each released number, in order; 1 where it is 0.

    The width of a continuous draw is its scale, and that of a draw of whole numbers three times its scale or more
    (`Law.width`). Widths of several draws in a number add up by their squares.
    """
    return [math.hypot(*(f * path.draws[i].width for i, f in r.affine.terms.items())) or 1.0 for r in path.releases]


def is_function_of_data(function: Any) -> bool:
    """Return whether a program is by default audited as a function of data, and not as a bandit policy.

    It is if it can be called, is no class, and has a first parameter other than ``pull`` and ``self``.
    """
    if inspect.isclass(function) or not callable(function):
        return False
    names = parameter_names(function)
    return bool(names) and names[0] not in ("pull", "self")


def real_generator(seed: int) -> np.random.Generator:
    """Return a real generator of NumPy with a seed, also while stand-ins are in the place of generators."""
    return REAL_GENERATOR(np.random.PCG64(seed))
