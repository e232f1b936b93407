"""Budget of fast tests: one second of the processor each, without compiling.

The clock would measure what else the machine does. The processor's time still differs by two between machines, and
doubles where two processes share a core: above the budget a test is named at the end, above ``TOLERANCE`` times it
fails.
A test that needs more and has no smaller form says so by ``@pytest.mark.budget(seconds)``. What several tests
share is made while the first one is set up, and is no part of its call. Processes that a test starts may compile:
it is named for what they take, and does not fail for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numba.core import event

BUDGET = 1.0
TOLERANCE = 4.0
NAMED = 20
# Of the times that the system tells, those of this process: user and system.
OWN = 2


def processor_seconds(times: int = 4) -> float:
    """Return the processor's seconds, user and system, of this process and (as 4 times) of its ended children."""
    return sum(os.times()[:times])


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
            if own > TOLERANCE * budget:
                pytest.fail(
                    f"{own:.1f} s of the processor; a fast test may take {budget:g} s, and fails at {TOLERANCE:g} "
                    "times that: make it cheaper, or mark it slow and keep a smaller one",
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
