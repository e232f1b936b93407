"""No hostile input ends in a traceback: crates, folders of results, YAML, calls of the command line and of Python.

``benchmarks/hostile.py`` tries thousands of each, and says what the most expensive one took.
"""

from __future__ import annotations

import hostile
import pytest

NUMBERS = {"crates": 200, "folders": 200, "yaml": 30, "commands": 300, "python": 80}
# Of which the fast tier tries the first.
SHARES = [8, pytest.param(1, marks=pytest.mark.slow)]
PATIENCE = 20.0


@pytest.mark.budget(2)
@pytest.mark.parametrize("share", SHARES, ids=["an eighth", "all"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_nothing_ends_in_a_traceback(kind: str, share: int) -> None:
    """Each is taken, or refused in a line, in seconds."""
    for seed in range(-(-NUMBERS[kind] // share)):
        fault, seconds = hostile.fault(kind, seed)
        assert not fault, f"{kind} {seed}:\n{fault}"
        assert seconds < PATIENCE, f"{kind} {seed}"
