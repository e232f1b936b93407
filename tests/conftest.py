"""What several test files share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import projects
import pytest
from evidence import Evidence

ROOT = Path(__file__).parents[1]

# A shell starts what is to run in the background with interrupts ignored, and every process from there inherits it:
# tests that interrupt a workflow would wait for an end that does not come.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Workers are as many as there are cores: threads of BLAS would wait for their turn, busily (a test took 32 s of the
# processor in place of 5 s). NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer a record of what each test costs: the clock would measure what else the machine does."""
    parser.addoption(
        "--durations-file", type=Path, help="append the processor's seconds of each test, tab-separated"
    )
    parser.addoption("--cite", action="store_true", help="cite slow tests that passed on the same sources")
    parser.addoption("--within", type=float, help="begin no slow test after so many seconds, and say which")
    parser.addoption("--record", action="store_true", help="note in tests/passed.json which slow tests have passed")


def pytest_configure(config: pytest.Config) -> None:
    """Cite or record slow tests, if asked to."""
    options = {name: config.getoption(name) for name in ("cite", "within", "record")}
    config.pluginmanager.register(Evidence(**options))


def _processor_seconds() -> float:
    """Return the processor's seconds, user and system, of this process and of its ended children."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Record what the test took with its fixtures; a shared fixture is counted where it is first asked for."""
    path: Path | None = item.config.getoption("--durations-file")
    before = _processor_seconds()
    outcome = yield
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{_processor_seconds() - before:.2f}\t{item.nodeid}\n")
    return outcome


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with whole workflows: a long test at the end would leave other workers without work."""
    items.sort(key=lambda item: "system" not in item.path.parts)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root."""
    return ROOT


@pytest.fixture
def tiny() -> dict[str, object]:
    """Return a configuration of seconds: two private algorithms and one without privacy, one figure."""
    return projects.tiny()
