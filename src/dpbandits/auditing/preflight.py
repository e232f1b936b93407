"""Preflight check: record one run and refuse what no run may do, whether private or not.

`dpbandits simulate --preflight` runs it before it simulates. The audit measures the privacy loss.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.checked_calls import SAFE, Place, Watch, Wrong, watched
from dpbandits.auditing.transcript import FAULTS, NO_TAPE, Replayer, Rewards, TooManyEvents, Transcript
from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.compiled import interpreted
from dpbandits.core.errors import BadInput, BrokenFile
from dpbandits.core.fields import Values
from dpbandits.core.provenance import ROOT
from dpbandits.runs.job import Job, make_job

# The longest recorded run, in rounds: of algorithms that decide in batches, and in every round.
MOST_ROUNDS = {"batches": 10**6, "rounds": 10**4}
# A run with more events is not checked.
MOST_EVENTS = 10**6
# Horizons that are run in Python: short ones cut batches.
HORIZONS = (*range(1, 11), 60)
# Most events for each round of such a run, and for each of many arms; more can only be an endless loop.
LIMIT, LIMIT_OF_ARM = 50, 4
# A further one of batch-based algorithms, some of which decide late, and rates of the arms, in turn: alike; with a
# best one; with one that always pays.
LONG, RATES = 10**5, ((0.7,), (0.7, 0.2), (1.0, 0.2))
# Draws between two events of such a run, at most.
LOOKAHEAD = 1 << 14
# What an author's slip, a mistake in programming such as a wrong index, raises in Python.
SLIPS = (LookupError, ArithmeticError, ValueError, TypeError, AttributeError)
# Files of the recorder: a slip shows where it is called.
CORE = ROOT / "core"
# The k-th arm pays 1 in a share BEST_RATE / k of its pulls.
BEST_RATE, PHASE = 0.7, 0.5


class PreflightFailed(BadInput):
    """An algorithm was refused, because its run does what no run may do.

    Parameters
    ----------
    algorithm
        Name of the algorithm.
    fault
        The fault in words, and what to do about it.
    seen
        Number of the fault: one of the recorder's, such as ``recorder.READ_TWICE``, or -1 for another one with
        which a compiled run stays inside its arrays. Else 0.
    """

    def __init__(self, algorithm: str, fault: str, seen: int = 0) -> None:
        super().__init__("algorithm", algorithm, fault)
        self.seen = seen

    @property
    def unsafe(self) -> bool:
        """Whether a compiled run might read or write beside an array."""
        return self.seen in (0, at.NOT_PLAYED)

    def __str__(self) -> str:
        return f"{self.value}: {self.allowed}"


def check_short_runs(job: Job) -> None:
    """Refuse an algorithm with a mistake of its author, before it is run on a table of rewards.

    Raises
    ------
    PreflightFailed
        If the source, or runs of 1 to 100,000 rounds in Python, show a mistake such as a wrong index.
    """
    arms = registry.environment(job.environment["kind"]).arms(job.environment)
    found = slip(job.algorithm, job.parameters, arms, job.epsilon, job.root_seed)
    if found is not None:
        raise found


def check_one_run(job: Job, number: int) -> None:
    """Record one run of a job twice, and refuse an algorithm that bypasses the recorder.

    Nothing is run in a setting without inputs for the recorder. Short runs are checked first (`slip`). The recorded
    run has at most 10^6 rounds, or 10^4 if the algorithm wraps another or decides in every round. It has the job's
    number of arms, its own stream, and the job's parameters; if these are out of range at its horizon, the defaults
    but for ``base`` and ``delta``. The recorder pays the rewards. Both recordings must be the same. A run of more
    than 10^6 events passes unchecked.

    Parameters
    ----------
    job
        The job that is about to be simulated.
    number
        Number of the run.

    Raises
    ------
    PreflightFailed
        If a reward is read twice, or before its pull. If pulls do not sum to T, or a pull is not recorded. If a
        random draw is not from the run's stream, or noise is used twice. For an author's slip in short runs.
    """
    declared = registry.algorithm(job.algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", job.algorithm))
    fixed = environment.fixed
    if fixed is None or fixed.behind is None:
        return
    arms = registry.environment(job.environment["kind"]).arms(job.environment)
    horizon = min(job.horizon, MOST_ROUNDS["rounds" if declared.wraps is not None else declared.decides])
    inputs = fixed.behind(np.zeros((1, arms)), horizon)
    kept = {name: job.parameters[name] for name in ("base", "delta") if name in job.parameters}
    checked = make_job(job.algorithm, kept, inputs, job.epsilon, horizon, 1, job.root_seed)
    with contextlib.suppress(BadInput):
        checked = make_job(job.algorithm, job.parameters, inputs, job.epsilon, horizon, 1, job.root_seed)
    found = slip(job.algorithm, job.parameters, arms, job.epsilon, job.root_seed)
    if found is not None:
        raise found
    replayer = Replayer(checked, number, counts=fixed.counts, most_events=MOST_EVENTS)
    rewards = Rewards.at_rates(np.column_stack([BEST_RATE / np.arange(1, arms + 1), np.full(arms, PHASE)]))
    with contextlib.suppress(TooManyEvents):
        _refuse(job.algorithm, replayer.run(rewards), replayer.run(rewards))


class _Events(np.ndarray[Any, Any]):
    """Events of a recorder that stop a run which plays what is no arm, or more rounds than there are.

    Numpy makes views without arguments, so the limits are set on the class, before each run.
    """

    horizon = arms = most = 0
    watch: Watch | None = None

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a number of an event, and raise if the run can only be a slip."""
        super().__setitem__(key, value)
        row, column = key
        if column == at.KIND and _Events.watch is not None:
            _Events.watch.events[row] = _Events.watch.stack
        if column == at.WHICH and self[row, at.KIND] in (at.PLAYED, at.READ) and not 0 <= value < _Events.arms:
            raise IndexError(f"arm {value} is out of range; arms are 0 to {_Events.arms - 1}")
        # Decisions that go on with the same arm add to one event.
        if column == at.HOW and self[row, at.KIND] == at.PLAYED and value > _Events.horizon:
            raise IndexError("more rounds are played than there are; a state that `play` returns may be dropped")
        if column == at.KIND and row >= _Events.most:
            if _Events.horizon == LONG:
                raise TooManyEvents
            raise IndexError("there is no end; a state that `play` returns may be dropped: `clock = play(...)`")


class _Numbers(np.ndarray[Any, Any]):
    """Numbers of events that stop a run whose noise has no scale."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if key[1] == at.SCALE and not value >= 0.0:
            raise ValueError(f"the noise has scale {value:g}; a scale is >= 0")


class _Fault(IndexError):
    """A fault that the recorder sees, where the author's code makes it."""

    def __init__(self, fault: int, arm: int) -> None:
        super().__init__(FAULTS[fault].format(arm + 1))
        self.fault = fault


class _Counters(np.ndarray[Any, Any]):
    """Counters of a recorder that stop a run at its first fault."""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if key == at.FAULT_ARM:
            raise _Fault(int(self[at.FAULT]), int(value))


def slip(algorithm: str, parameters: Values, arms: int, epsilon: float | None, seed: int) -> PreflightFailed | None:
    """Return the refusal for an author's slip, a mistake such as a wrong index, with its line; ``None`` without.

    Runs of 1, 2, ..., 10 and 60 rounds are made in Python; batch-based algorithms also get some of 100,000 rounds.
    In Python a wrong index is an error; compiled, it is a segmentation fault, or a number from beside an array.
    `dpbandits.auditing.checked_calls` checks the calls. Before that the source is searched for a clock that is not
    kept, because runs may show this late, elsewhere, or never. In a setting without inputs for the recorder,
    nothing is run.

    Parameters
    ----------
    algorithm, parameters
        The algorithm's name, and its parameters that differ from the defaults.
    arms
        Number of arms.
    epsilon
        Privacy budget, ``None`` without privacy.
    seed
        Root seed of the runs.
    """
    dropped = _dropped_clock(registry.algorithm(algorithm).simulate.__module__, set())
    if dropped:
        return PreflightFailed(algorithm, dropped)
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    fixed = environment.fixed
    if fixed is None or fixed.behind is None:
        return None
    declared = registry.algorithm(algorithm)
    batches = declared.wraps is None and declared.decides == "batches"
    for horizon in (*HORIZONS, LONG) if batches else HORIZONS:
        # Parameters may be out of range in short runs.
        with contextlib.suppress(BadInput):
            inputs = fixed.behind(np.zeros((1, arms)), horizon)
            job = make_job(algorithm, parameters, inputs, epsilon, horizon, 1, seed)
            for rates in RATES[: 1 if horizon < LONG else None]:
                found = _ShortRuns(job, fixed.counts, np.resize(rates, arms)).slip()
                if found is not None:
                    return found
    return None


def _dropped_clock(module: str, seen: set[str]) -> str:
    """Return a sentence about a call whose `Clock` is not kept, with its line; empty if there is none.

    Parameters
    ----------
    module
        Name of the module that is read; those of `dpbandits.settings` that it uses are read too.
    seen
        Modules that were read already; more are added.
    """
    seen.add(module)
    known = vars(sys.modules[module])
    file = known.get("__file__")
    source = Path(file).read_text(encoding="utf-8") if file else ""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            continue
        called = ast.unparse(node.value.func)
        annotated = getattr(known.get(called), "__annotations__", {})
        if "Clock" in str(annotated.get("return")):
            return f"{file}:{node.lineno}: the clock that `{called}` returns is dropped; `clock = {called}(...)`"
    used = sorted({str(getattr(value, "__module__", "")) for value in known.values() if callable(value)})
    others = (name for name in used if name.startswith("dpbandits.settings.") and name not in seen)
    return next(filter(None, (_dropped_clock(name, seen) for name in others)), "")


@contextlib.contextmanager
def _looking_ahead(draws: int) -> Iterator[None]:
    """Let a recorder in Python look for a stream's state within ``draws`` draws: the usual 2^20 take seconds."""
    kernel: Any = at.drawn_since
    usual = kernel.function
    # What is compiled meanwhile has the usual number.
    _ = kernel.dispatcher, kernel.linked
    kernel.function = FunctionType(usual.__code__, {**usual.__globals__, "LOOKAHEAD_DRAWS": draws})
    try:
        yield
    finally:
        kernel.function = usual


class _ShortRuns:
    """Runs of one job in Python, until one of them shows a slip.

    Parameters
    ----------
    job
        The job.
    counts
        Whether the algorithm counts the pulls of the arms that it plays.
    rates : ndarray of float64, shape (arms,)
        Share of the pulls of each arm that pay.
    """

    def __init__(self, job: Job, counts: bool, rates: NDArray[np.float64]) -> None:
        self._job, self._rates = job, rates
        self._replayer = Replayer(job, 0, counts=counts)
        self._watch = Watch(registry.algorithm(job.algorithm).privacy is not None)
        _Events.horizon, _Events.arms, _Events.watch = job.horizon, len(rates), self._watch
        # In full information each arm of a round is read, and each score is offered.
        _Events.most = max(LIMIT, LIMIT_OF_ARM * len(rates)) * (min(job.horizon, HORIZONS[-1]) + 1)
        room = _Events.most + 1
        events, numbers = np.zeros((room, 7), dtype=np.int64), np.zeros((room, 4))
        self._replayer.watch(events.view(_Events), numbers.view(_Numbers), _Counters)

    def slip(self) -> PreflightFailed | None:
        """Return the slip that the runs meet, with its line; ``None`` without, or with too many events."""
        try:
            with interpreted(), _looking_ahead(LOOKAHEAD), watched(self._watch):
                return self._slip()
        except TooManyEvents:
            return None
        except (BrokenFile, MemoryError, *SLIPS) as met:
            error = met.__cause__ if isinstance(met, BrokenFile) and met.__cause__ is not None else met
            if isinstance(error, BadInput):
                raise
            if isinstance(error, TooManyEvents):
                return None
            frames = traceback.extract_tb(error.__traceback__)
            stack = [Place(frame.filename, frame.lineno or 0) for frame in frames]
            fault = error.fault if isinstance(error, _Fault | Wrong) else 0
            return self._found(stack, str(error) or type(error).__name__, fault)

    def _slip(self) -> PreflightFailed | None:
        """Run the job twice, and on flipped rewards with the same outputs."""
        rewards = Rewards.at_rates(np.column_stack([self._rates, np.full(len(self._rates), PHASE)]))
        run = self._run(rewards)
        for fault in run.faults:
            played = run.row_numbers(at.PLAYED)
            return self._found(self._watch.events.get(int(played[-1]) if played.size else 0, []), fault.words, SAFE)
        outputs = run.outputs
        if outputs.size and not run.row_numbers(at.READ).size and self._job.horizon >= HORIZONS[-1]:
            words = "noise is drawn, and no reward was read before"
            return self._found(self._watch.events[int(outputs[0])], words, SAFE)
        again = self._run(rewards)
        row = _first_difference(run, again)
        if row is not None:
            words = "two runs with the same random stream differ; draw all randomness from `runs.streams[run]`"
            return self._found(self._watch.events.get(row, self._watch.stack), words, SAFE)
        flipped = rewards.with_first_flipped(np.full(len(self._rates), self._job.horizon))
        other = self._run(flipped, run.tape)
        row = run.first_divergence(other)
        if row is None or row >= min(len(run.events), len(other.events)):
            return None
        scales = run.numbers[row, at.SCALE], other.numbers[row, at.SCALE]
        if scales[0] == scales[1] or not np.array_equal(run.events[row, :4], other.events[row, :4]):
            # Decisions that follow rewards are what the audit measures.
            return None
        words = f"the noise follows the rewards: its scale is {scales[0]:g} on some, {scales[1]:g} on others"
        return self._found(self._watch.events[row], words, SAFE)

    def _run(self, rewards: Rewards, tape: NDArray[np.float64] = NO_TAPE) -> Transcript:
        self._watch.recorder = None
        return self._replayer.run(rewards, tape)

    def _found(self, stack: list[Place], words: str, fault: int) -> PreflightFailed:
        """Return a slip at the innermost line of a stack that is the author's."""
        frames = [place for place in stack if CORE not in Path(place.file).parents]
        own = [place for place in frames if Path(place.file).parent.name == "algorithms"]
        others = [place for place in frames if "auditing" not in Path(place.file).parts[-2:]]
        others = [place for place in others if Path(place.file).name != "problem.py"]
        if own or others or frames:
            file, line = (own or others or frames)[-1]
        else:
            code: Any = registry.algorithm(self._job.algorithm).simulate
            file, line = code.__code__.co_filename, code.__code__.co_firstlineno
        text = linecache.getline(file, line).strip()
        return PreflightFailed(self._job.algorithm, f"{file}:{line}: {words}; `{text}`", fault)


def _first_difference(run: Transcript, again: Transcript) -> int | None:
    """Return the first row at which two transcripts differ in anything; ``None`` if they are the same."""
    number = min(len(run.events), len(again.events))
    same = (run.events[:number] == again.events[:number]).all(axis=1)
    # The last column is not written for each kind.
    ours, others = run.numbers[:number, :3], again.numbers[:number, :3]
    same &= ((ours == others) | (np.isnan(ours) & np.isnan(others))).all(axis=1)
    if not same.all():
        return int(np.argmin(same))
    return None if len(run.events) == len(again.events) else number


def _refuse(algorithm: str, run: Transcript, again: Transcript) -> None:
    """Refuse an algorithm if a run has a fault, reuses noise, or differs from its repetition ``again``."""
    for fault in run.faults:
        when = f" after round {fault.round:,}" if fault.round else ""
        raise PreflightFailed(algorithm, f"{fault.words}{when}")
    reused = run.reused_noise()
    if reused is not None:
        raise PreflightFailed(algorithm, f"noise is used again after round {run.played[reused[1]]:,}")
    if run.first_divergence(again) is not None or not np.array_equal(run.tape, again.tape):
        raise PreflightFailed(
            algorithm,
            "two runs with the same random stream differ; draw all randomness from `runs.streams[run]`",
        )
