"""What several test files share."""

from __future__ import annotations

import gc
import os
import signal
import sys
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
# Images of containers often forbid bytecode: each worker would rewrite 200 files of tests, and each process that a
# test starts would compile what it imports.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False
# argparse looks for a translation of what it says, once for each command: in this language it finds none at once.
os.environ.setdefault("LANGUAGE", "C")
# Hypothesis imports what other packages offer it, such as trio: a quarter of a second in each process.
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer a record of what each test costs: the clock would measure what else the machine does."""
    parser.addoption(
        "--durations-file",
        type=Path,
        help="append the processor's seconds of each test, and those of them that compile, tab-separated",
    )
    parser.addoption("--cite", action="store_true", help="cite slow tests that passed on the same sources")
    parser.addoption("--within", type=float, help="begin no slow test after so many seconds, and say which")
    parser.addoption("--record", action="store_true", help="note in tests/passed.json which slow tests have passed")


def pytest_configure(config: pytest.Config) -> None:
    """Hold fast tests to their budget. Cite or record slow ones, if asked to."""
    # It imports NumPy, which reads the number of threads then.
    from costs import Costs

    config.pluginmanager.register(Costs(config.getoption("durations_file")))
    options = {name: config.getoption(name) for name in ("cite", "within", "record")}
    config.pluginmanager.register(Evidence(**options))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage meanwhile, and leave what is collected aside later: half a million objects that stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with golden arrays, which compile every kernel, then with whole workflows.

    A long test at the end would leave other workers without work. Two workers begin at the beginning and in the
    middle: each compiles half of the kernels, and what looks at all of them comes last.
    """
    items.sort(key=lambda item: ("same_bytes" not in item.path.stem, "system" not in item.path.parts))
    golden = [item for item in items if item.path.stem == "test_same_bytes"]
    late = [item for item in items if item.path.stem == "test_symbols"]
    rest = [item for item in items if item not in {*golden, *late}]
    first = len(items) // 2 - len(golden[::2])
    items[:] = [*golden[::2], *rest[:first], *golden[1::2], *rest[first:], *late]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root."""
    return ROOT


@pytest.fixture
def tiny() -> dict[str, object]:
    """Return a configuration of seconds: two private algorithms and one without privacy, one figure."""
    return projects.tiny()
