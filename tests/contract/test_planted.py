"""The contract can be broken: planted algorithms, each with one fault, fail the test that is about it, by name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import planted
import pytest

# A session of its own, of more than a thousand tests: what it guards is tests/contract itself.
pytestmark = pytest.mark.slow
FAILED = re.compile(r"^FAILED \S*::(\w+)\[(planted_\w+)", re.MULTILINE)


def chosen() -> str:
    """Return, for pytest's ``-k``: all tests for the correct algorithms, for a faulty one those about its fault."""
    parts = []
    for name, (_, _, tests) in planted.planted().items():
        of_all = f" and ({' or '.join(tests)})" if tests else ""
        parts.append(f"({name.replace('-', '_')}{of_all})")
    return " or ".join(parts)


@pytest.fixture(scope="module")
def failures() -> dict[str, set[str]]:
    """Return which of the chosen tests fail for each planted algorithm."""
    folder = Path(__file__).parent
    files = sorted(str(file) for file in folder.glob("test_*.py") if file != Path(__file__))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "planted",
        "-p",
        "no:cacheprovider",
        "-q",
        "--tb=no",
        "-m",
        "",
        *files,
    ]
    done = subprocess.run(
        [*command, "-k", chosen()], cwd=folder.parents[1], capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, set[str]] = {name.replace("-", "_"): set() for name in planted.planted()}
    for test, name in FAILED.findall(done.stdout):
        found[name].add(test)
    return found


@pytest.mark.parametrize("name", planted.planted())
def test_faults_are_found(name: str, failures: dict[str, set[str]]) -> None:
    """Correct ones fail nothing; a faulty one fails every test that is about its fault."""
    assert failures[name.replace("-", "_")] == set(planted.planted()[name][2])
