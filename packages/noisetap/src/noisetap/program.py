"""Run a program of decisions on a table of rewards, and listen.

A plan holds draws by key to an output, ``("out", 3.5)``, a value, ``("value", 2)``, or a value and the answers to
comparisons, ``("said", (0.3, (True, False)))``. A key is a place ``file:line@decisions``, and a number there.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.opendp_heard import import_if_named, marking_constructors
from noisetap.python_random import listening_to_python
from noisetap.stand_ins import listening
from noisetap.tape import Key, Plan, Refused, Tape, is_library_frame

Table = NDArray[np.float64]
Pull = Callable[[Any], Any]

_CHOOSE = ("choose", "select_arm", "select", "get_arm", "act", "decide")
_UPDATE = ("update", "observe", "learn", "reward")
# Whole numbers below this are doubles too.
_EXACT = 2**53


class _TableEnds(BaseException):
    """Stop a program whose table of rewards has ended; no ``except Exception`` catches it."""


class _NotAnArm(BaseException):
    """Stop a program that chooses what is no arm of the table."""


@dataclass(frozen=True)
class Rewards:
    """Description of the inputs of a bandit program: tables of rewards.

    Attributes
    ----------
    rounds, arms : int
        Size of a table; row t answers decision t. Two inputs are neighbours if they differ in one row.
    low, high : float
        Lowest and highest reward.
    row : bool
        Whether a decision is answered by the whole row (full information), and not by the reward of its arm alone.
    """

    rounds: int = 40
    arms: int = 2
    low: float = 0.0
    high: float = 1.0
    row: bool = False

    def random_extremes(self, rng: np.random.Generator) -> Table:
        """Return one input of shape (rounds, arms): each reward is the lowest or the highest, at random."""
        return np.where(rng.random((self.rounds, self.arms)) < 0.5, self.low, self.high)

    def tables(self, rng: np.random.Generator, number: int) -> Iterator[Table]:
        """Yield ``number`` inputs of shape (rounds, arms), of six kinds in turn.

        Rewards are: each low or high at random; all low, or all high; high for one arm alone; low and high in turn
        by round; low or high by round at random; uniform in the range.
        """
        shape = (self.rounds, self.arms)
        for i in range(number):
            kind = i % 6
            if kind == 1:
                bits: Any = np.zeros(shape) if i % 4 < 2 else np.ones(shape)
            elif kind == 2:
                bits = np.tile(np.arange(self.arms) == i // 6 % self.arms, (self.rounds, 1)).astype(float)
            elif kind == 3:
                bits = (np.arange(self.rounds)[:, None] * np.ones(self.arms)) % 2
            elif kind == 4:
                bits = (rng.random((self.rounds, 1)) < 0.5) * np.ones(self.arms)
            else:
                bits = rng.random(shape) if kind == 5 else (rng.random(shape) < 0.5) * 1.0
            yield np.asarray(self.low + (self.high - self.low) * bits, np.float64)


class Program:
    """A bandit program that can be run again and again, while its draws are recorded.

    Parameters
    ----------
    make : callable
        Called without arguments, it returns a fresh policy with ``choose()`` and ``update(arm, reward)``, or with
        such names as ``select_arm`` and ``observe``. Or it returns, or is, a function that takes ``pull`` and calls
        ``pull(arm)`` for each decision. Then ``pull`` returns the reward, or all rewards of the row if
        ``rewards.row``.
    rewards : Rewards
        Inputs that the program takes.
    """

    def __init__(self, make: Callable[..., Any], rewards: Rewards) -> None:
        """Find what has to be replaced while the program runs: its modules, and cells of its closures."""
        self._policy = (lambda: make) if _takes_pull(make) else make
        self.rewards = rewards
        self.cells = tuple(closure_cells(make))
        held = [c.cell_contents for c in self.cells if isinstance(c.cell_contents, ModuleType)]
        found = [
            inspect.getmodule(inspect.unwrap(make)),
            *modules_of(make),
            *(m for m in held if not _installed(m)),
        ]
        self.modules = tuple(m for m in {id(m): m for m in found}.values() if m is not None)

    def run(
        self,
        table: Table,
        seed: int,
        plan: Plan | None = None,
        redraws: dict[Key, int] | None = None,
        trace: list[tuple[int, str]] | None = None,
    ) -> Tape:
        """Run the program once on a table of rewards, and return the record of the run.

        The run ends after the last row at the latest. Its ``decisions`` are numbers of arms, from 0; in full
        information also floats or tuples of floats. If the program raises an exception, a text about it comes last.

        Parameters
        ----------
        table : ndarray of float64, shape (rounds, arms)
            The rewards.
        seed
            Seed of all draws that the plan does not hold.
        plan
            Outputs, values or answers to comparisons that draws are held to, by key (``file:line@decisions``, and
            number there).
        redraws
            Draws that are made once more, by key, each with a number above 0: other numbers give other draws.
        trace
            List that takes, for each line that is run, a pair: the number of decisions before it, ``file:line``.

        Raises
        ------
        Refused
            If a draw cannot be recorded, a decision is no arm, or the program ends the process.
        """
        tape = Tape(seed, plan, redraws)

        def pull(arm: Any) -> Any:
            decided = len(tape.decisions)
            if decided >= len(table):
                raise _TableEnds
            tape.decisions.append(_plain(arm))
            return self._answer(table[decided], tape.decisions[-1])

        heard = listening(tape, *self.modules, cells=self.cells), listening_to_python(*self.modules)
        with ExitStack() as stack:
            for each in heard:
                stack.enter_context(each)
            if trace is not None:
                stack.callback(sys.settrace, sys.gettrace())
                sys.settrace(_tracer(tape, trace))
            try:
                self._play(self._policy(), pull)
            except _TableEnds:
                pass
            except Refused:
                raise
            except _NotAnArm as error:
                raise Refused(str(error)) from None
            except (SystemExit, GeneratorExit) as error:
                raise Refused(f"the program ends the process by {type(error).__name__}") from None
            except Exception as error:
                if tape.refusal is None:
                    tape.decisions.append(f"{type(error).__name__}: {error}")
        if tape.refusal is not None:
            raise Refused(tape.refusal)
        return tape

    def check_repeats(self, tables: Iterable[Table], seed: int, times: int = 20) -> None:
        """Refuse a program if one of ``times`` further runs on a table decides otherwise with the same draws.

        Raises
        ------
        Refused
            If two runs differ: the program draws what is not recorded, or keeps a memory.
        """
        for table in tables:
            first = self.run(table, seed).decisions
            if any(self.run(table, seed).decisions != first for _ in range(times)):
                raise Refused("runs on one input with the same coins differ: it keeps a memory or draws unheard")

    def run_unheard(self, table: Table) -> tuple[Any, ...]:
        """Run once on a table with the program's own randomness, which is not recorded; return its decisions.

        An exception of the program is passed on. `Refused` is raised if a decision is no arm, or if the program
        ends the process.
        """
        decisions: list[Any] = []

        def pull(arm: Any) -> Any:
            if len(decisions) >= len(table):
                raise _TableEnds
            decisions.append(_plain(arm))
            return self._answer(table[len(decisions) - 1], decisions[-1])

        with suppress(_TableEnds):
            try:
                self._play(self._policy(), pull)
            except (_NotAnArm, SystemExit) as error:
                raise Refused(str(error)) from None
        return tuple(decisions)

    def _answer(self, row: NDArray[np.float64], arm: Any) -> Any:
        """Return what the program learns of a decision: the row of the table, or its arm's reward."""
        if self.rewards.row:
            return row.copy()
        if not isinstance(arm, int):
            raise _NotAnArm(f"choose() returns {arm!r}: an arm is a whole number from 0 to {len(row) - 1}")
        if not 0 <= arm < len(row):
            raise _NotAnArm(f"choose() returns {arm}: there are {len(row)} arms, 0 to {len(row) - 1} (--arms)")
        return float(row[arm])

    @staticmethod
    def _play(policy: Any, pull: Pull) -> None:
        """Let a policy choose and learn in turn until the table ends, or call a function of ``pull``."""
        choose = next((getattr(policy, name) for name in _CHOOSE if hasattr(policy, name)), None)
        update = next((getattr(policy, name) for name in _UPDATE if hasattr(policy, name)), None)
        if choose is None or update is None:
            if not callable(policy):
                raise Refused("a policy needs choose() and update(arm, reward), or to be callable with pull")
            policy(pull)
            return
        while True:
            arm = choose()
            if type(arm) is not int and (inspect.isawaitable(arm) or inspect.isgenerator(arm)):
                raise Refused("choose() is async or a generator; an arm is a whole number")
            update(arm, pull(arm))


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's parameters, in order; an empty list if Python cannot tell them."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _takes_pull(make: Callable[..., Any]) -> bool:
    """Say whether a program is itself a function of ``pull``, its first parameter and without a default."""
    if inspect.isclass(make) or parameter_names(make)[:1] != ["pull"]:
        return False
    return inspect.signature(make).parameters["pull"].default is inspect.Parameter.empty


def _plain(arm: Any) -> Any:
    """Return a decision as a whole number, a float, or a tuple of floats, so that two can be compared."""
    if type(arm) is int and -_EXACT < arm < _EXACT:
        return arm
    try:
        if isinstance(arm, list | tuple) or np.ndim(arm):
            return tuple(float(x) for x in np.ravel(np.asarray(arm)))
        number = float(arm)
    except (TypeError, ValueError):
        raise _NotAnArm(f"choose() returns {arm!r}: an arm is a whole number") from None
    return int(number) if number.is_integer() else number


def modules_of(make: Callable[..., Any]) -> list[ModuleType]:
    """Return the modules where things are defined that a function names, or holds in its closure.

    For a class ``make`` it is the class's own module. Installed modules, and noisetap's, are left out; a module may
    come twice.
    """
    code = getattr(inspect.unwrap(make), "__code__", None)
    names = getattr(inspect.unwrap(make), "__globals__", {})
    held = [names[n] for n in code.co_names if n in names] if code else [make]
    cells = [c.cell_contents for c in getattr(make, "__closure__", None) or ()]
    kinds = [x if inspect.isclass(x) or inspect.isfunction(x) else type(x) for x in (*held, *cells)]
    found = [inspect.getmodule(x) for x in kinds if x.__module__ != "builtins"]
    found += [x for x in (*held, *cells) if isinstance(x, ModuleType)]
    # A generator that a file made while it was loaded is of noisetap, whose modules stay as they are.
    return [m for m in found if m is not None and not _installed(m) and not m.__name__.startswith("noisetap.")]


def reachable_modules(modules: Iterable[ModuleType], most: int = 100) -> list[ModuleType]:
    """Return ``modules`` of a program, and the program's other modules that these use, directly or through others.

    Other modules are left out if they hold code compiled by numba, whose draws cannot be recorded. The search ends
    with more than ``most`` modules.
    """
    found = list(modules)
    for module in found:
        for held in list(vars(module).values()):
            kind = held if inspect.isclass(held) or inspect.isfunction(held) else type(held)
            name = getattr(kind, "__module__", None)
            other = (
                held if isinstance(held, ModuleType) else sys.modules.get(name) if isinstance(name, str) else None
            )
            if other is None or other in found or _installed(other) or other.__name__.startswith("noisetap."):
                continue
            if not any(type(v).__module__.startswith("numba") for v in list(vars(other).values())):
                found.append(other)
        if len(found) > most:
            break
    return found


def closure_cells(function: Any, levels: int = 4) -> Iterator[Any]:
    """Yield the non-empty closure cells of a function, and of the program's functions that it names or holds.

    So it goes on with functions that these name or hold in turn, ``levels`` deep.
    """
    plain = inspect.unwrap(function)
    named = getattr(getattr(plain, "__code__", None), "co_names", ()) if levels else ()
    for other in (getattr(plain, "__globals__", {}).get(name) for name in named):
        if inspect.isfunction(other) and other is not function and not _installed(inspect.getmodule(other)):
            yield from closure_cells(other, levels - 1)
    for cell in getattr(inspect.unwrap(function), "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        yield cell
        if levels and inspect.isfunction(content):
            yield from closure_cells(content, levels - 1)


def _installed(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return file is None or "site-packages" in file or file.startswith(sys.base_prefix + "/lib")


def _tracer(tape: Tape, trace: list[tuple[int, str]]) -> Callable[[FrameType, str, Any], Any]:
    """Return a tracer that adds each line of the program that is run, with the decisions before it."""

    def step(frame: FrameType, event: str, _: Any) -> Any:
        file = frame.f_code.co_filename
        if is_library_frame(frame) or "site-packages" in file or file.startswith(sys.base_prefix + "/lib"):
            return None
        if event == "line":
            trace.append((len(tape.decisions), f"{Path(file).name}:{frame.f_lineno}"))
        return step

    return step


def load(path: str, stubs: Mapping[str, ModuleType] | None = None) -> ModuleType:
    """Load a Python file as a module, with stand-ins in the place of random generators, and return the module.

    The file's folder is on ``sys.path`` while it is loaded. Other exceptions of the file than those below are
    passed on.

    Parameters
    ----------
    path : str
        Path of the file.
    stubs : mapping of str to module, optional
        Stand-ins for modules that the file imports and does not need, by their names.

    Raises
    ------
    Refused
        If the file has a syntax error, an import of its own fails, or it ends the process.
    OSError
        If the file cannot be read. Then ``sys.path`` and ``sys.modules`` are as before.
    """
    file = Path(path)
    name = f"noisetap_program_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    text = file.read_text(encoding="utf-8", errors="replace")
    module = importlib.util.module_from_spec(spec)
    kept = {key: sys.modules.get(key) for key in stubs or {}}
    sys.modules.update(stubs or {})
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        import_if_named(text)
        with listening(Tape(0)), marking_constructors():
            spec.loader.exec_module(module)
    except SyntaxError as error:
        raise Refused(f"{Path(error.filename or path).name}:{error.lineno}: {error.msg}") from None
    except ImportError as error:
        raise Refused(f"{file.name} cannot be imported: {error}") from None
    except SystemExit:
        raise Refused(f"{file.name} ends the process while it is imported") from None
    finally:
        sys.path.remove(str(file.parent))
        for key, old in kept.items():
            if old is None:
                sys.modules.pop(key, None)
            else:
                sys.modules[key] = old
    return module
