"""Budget of fast tests: 1 s of the processor each, without compiling.

The clock would measure what else the machine does. The processor's time still differs by four between machines, and
doubles where two processes share a core. Above the budget a test is named at the end. Above ``TOLERANCE`` times it,
in seconds of the machine that set the budgets, it fails: `slowdown` measures how much slower this one is then.
A test that needs more and has no smaller form says so by ``@pytest.mark.budget(seconds)``. What several tests
share is made while the first one is set up, and is no part of its call. Processes that a test starts may compile:
it is named for what they take, and does not fail for it.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import event

BUDGET = 1.0
TOLERANCE = 4.0
NAMED = 20
# Of the times that the system tells, those of this process: user and system.
OWN = 2
# Processor's seconds of `reference_work` on the machine that set the budgets, when nothing else runs there.
REFERENCE = 0.047
# Times that it is measured: the middle one counts, so that neither a pause nor a first call does.
MEASURED = 3
# Of the fixed work: steps of a loop in Python, and numbers that NumPy sorts.
STEPS, SIZE = 650_000, 20_000


def processor_seconds(times: int = 4) -> float:
    """Return the processor's seconds, user and system, of this process and (as 4 times) of its ended children."""
    return sum(os.times()[:times])


def reference_work() -> float:
    """Return a number that takes fixed work: nine tenths of the time in Python, the rest in NumPy."""
    total = 0
    for number in range(STEPS):
        total += number * number % 7
    array = np.arange(SIZE, dtype=np.float64)
    for _ in range(20):
        array = np.sort(np.sqrt(array[::-1] + 1.0))
    return total + float(array.sum())


def reference_seconds() -> float:
    """Return the processor's seconds that the fixed work takes now."""
    # Finer than `os.times`, which counts hundredths.
    before = time.process_time()
    reference_work()
    return time.process_time() - before


def slowdown() -> float:
    """Return how many times slower this machine is now than the one that set the budgets; never less than 1."""
    return max(1.0, statistics.median(reference_seconds() for _ in range(MEASURED)) / REFERENCE)


def beyond(seconds: float, most: float) -> str:
    """Return what a test took, in words, if it is too much on the machine that set the budgets; else nothing.

    Parameters
    ----------
    seconds
        Of this machine's processor.
    most
        Limit, in seconds of the machine that set the budgets.
    """
    # Only what is beyond the limit costs a measurement: no other can be too much.
    slower = slowdown() if seconds > most else 1.0
    if seconds / slower <= most:
        return ""
    return (
        f"{seconds:.1f} s of this processor, which are {seconds / slower:.1f} s of the machine that set the "
        f"budgets (this one is {slower:.1f} times slower now)"
    )


@contextlib.contextmanager
def within(most: float) -> Iterator[None]:
    """Fail if a ``with`` block takes more than ``most`` seconds of the processor that set the budgets."""
    before = processor_seconds()
    yield
    if said := beyond(processor_seconds() - before, most):
        pytest.fail(f"{said}; at most {most:g} s are allowed", pytrace=False)


class Compiling(event.Listener):
    """Processor's seconds that this process has spent in compiling, or in loading what is compiled."""

    def __init__(self) -> None:
        self.depth, self.began, self.seconds = 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        """Begin with the outermost kernel: others are compiled within it."""
        self.depth += 1
        if self.depth == 1:
            self.began = processor_seconds(OWN)

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        """End with the outermost kernel."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += processor_seconds(OWN) - self.began


class Costs:
    """Plugin of pytest: holds fast tests to their budget, and writes what each test costs."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.compiling = Compiling()
        event.register("numba:compile", self.compiling)
        self.over: list[tuple[float, str]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record what the test took with its fixtures; a shared fixture is counted where it is first asked for."""
        before, compiled = processor_seconds(), self.compiling.seconds
        outcome = yield
        if self.file is not None:
            took, compiled = processor_seconds() - before, self.compiling.seconds - compiled
            with self.file.open("a", encoding="utf-8") as file:
                file.write(f"{took:.2f}\t{compiled:.2f}\t{item.nodeid}\n")
        return outcome

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fail a fast test that has passed at many times its budget."""
        before, own, compiled = processor_seconds(), processor_seconds(OWN), self.compiling.seconds
        outcome = yield
        compiled = self.compiling.seconds - compiled
        took, own = processor_seconds() - before - compiled, processor_seconds(OWN) - own - compiled
        mark = item.get_closest_marker("budget")
        budget = BUDGET if mark is None else mark.args[0]
        if item.get_closest_marker("slow") is None and took > budget:
            item.user_properties.append(("over budget", took))
            if said := beyond(own, TOLERANCE * budget):
                pytest.fail(
                    f"{said}; a fast test may take {budget:g} s, and fails at {TOLERANCE:g} times that: make it "
                    "cheaper, or mark it slow and keep a smaller one",
                    pytrace=False,
                )
        return outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note, in the process that hears of all tests, which took more than their budget."""
        if report.when == "call":
            took = dict(report.user_properties).get("over budget")
            self.over += [] if took is None else [(float(str(took)), report.nodeid)]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name what takes more than its budget, the dearest first."""
        if self.over:
            total = sum(took for took, _ in self.over)
            line = f"fast tests over their budget of the processor: {len(self.over)}, {total:.0f} s; the dearest:"
            terminalreporter.write_line(line)
            for took, test in sorted(self.over, reverse=True)[:NAMED]:
                terminalreporter.write_line(f"{took:8.1f} s  {test}")
