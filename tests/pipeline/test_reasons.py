"""Why a job runs again is said in words."""

from __future__ import annotations

import pytest

from dpbandits.pipeline.reasons import changed

CASES = [
    ([{"draw": "x", "options": {"a": 1}}], [{"draw": "x", "options": {"a": 2}}], "definition changed: options"),
    (["core.a 11, core.b 22"], ["core.a 11, core.b 33"], "sources changed: core.b"),
    (["core.a 11"], ["core.a 11, core.b 33"], "sources changed: core.b"),
    ([["x", "alpha=2"]], [["x", "alpha=3"]], "command changed: alpha=2 -> alpha=3"),
    ([{"a": 1}, "m 1"], [{"a": 2}, "m 2"], "definition changed: a; sources changed: m"),
    ([], [{"a": 2}], "definition changed: a"),
    ([3], [4], "parameters changed"),
]


@pytest.mark.parametrize(("before", "now", "said"), CASES)
def test_changes_are_said_in_words(before: list[object], now: list[object], said: str) -> None:
    """Of definitions which keys, of sources which modules, of commands which arguments."""
    assert changed([repr(value) for value in before], [repr(value) for value in now]) == said
