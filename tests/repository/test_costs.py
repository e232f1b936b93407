"""Budget of fast tests: what costs too much fails, and the same on a slower machine does not."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import costs
import pytest

# Of the processor: more than four times the budget.
BUDGET, BURNT = 0.02, 0.1


def burn() -> None:
    """Take a tenth of a second of the processor, on every machine."""
    before = costs.processor_seconds(costs.OWN)
    while costs.processor_seconds(costs.OWN) - before < BURNT:
        sum(range(1000))


def called(
    monkeypatch: pytest.MonkeyPatch, slower: float, *marks: str, body: Callable[[], None] = burn
) -> list[Any]:
    """Call a test as pytest does, on a machine that is ``slower``; return what the plugin noted of it."""
    monkeypatch.setattr(costs, "reference_seconds", lambda: costs.REFERENCE * slower)
    budget = types.SimpleNamespace(args=[BUDGET])
    known = {"budget": budget, **dict.fromkeys(marks, budget)}
    item: Any = types.SimpleNamespace(get_closest_marker=known.get, user_properties=[])
    plugin: Any = costs.Costs(None)
    call = plugin.pytest_runtest_call(item)
    next(call)
    body()
    with pytest.raises(StopIteration):
        call.send(None)
    return [name for name, _ in item.user_properties]


def test_a_dear_test_fails_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine as fast as the one that set the budgets, or faster; one that burns nothing does not."""
    for slower in (1.0, 0.3):
        with pytest.raises(pytest.fail.Exception) as failed:
            called(monkeypatch, slower)
        assert "0.1 s of this processor, which are 0.1 s of the machine that set the budgets" in str(failed.value)
        assert "a fast test may take 0.02 s, and fails at 4 times that" in str(failed.value)
    assert called(monkeypatch, 1.0, body=lambda: None) == []


def test_the_same_on_a_slow_machine_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named as over its budget; what is dear there too fails, and a slow test never does."""
    assert called(monkeypatch, 4.0) == ["over budget"]
    with pytest.raises(pytest.fail.Exception, match=r"this one is 1\.1 times slower now"):
        called(monkeypatch, 1.1)
    assert called(monkeypatch, 1.0, "slow") == []


def test_a_machine_is_measured_when_it_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The middle of three measurements, never below 1; and none of a test within its limit."""
    measured = iter([0.2, 9.0, 0.1])
    monkeypatch.setattr(costs, "reference_seconds", lambda: next(measured))
    assert costs.beyond(0.9, 1.0) == ""
    assert costs.slowdown() == 0.2 / costs.REFERENCE
    monkeypatch.undo()
    seconds = costs.reference_seconds()
    monkeypatch.setattr(costs, "REFERENCE", seconds / 8)
    assert 2 < costs.slowdown() < 32
    monkeypatch.setattr(costs, "REFERENCE", 100.0)
    assert costs.slowdown() == 1.0


def test_a_block_has_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block of ``within`` fails on a fast machine, and not on a slow one."""
    for slower, fails in ((1.0, True), (4.0, False)):
        monkeypatch.setattr(costs, "reference_seconds", lambda slower=slower: costs.REFERENCE * slower)
        if fails:
            with pytest.raises(pytest.fail.Exception, match=r"at most 0\.08 s are allowed"), costs.within(0.08):
                burn()
        else:
            with costs.within(0.08):
                burn()


def test_the_plugin_is_on(request: pytest.FixtureRequest) -> None:
    """Every session has it."""
    plugins = request.config.pluginmanager.get_plugins()
    assert sum(type(plugin).__name__ == "Costs" for plugin in plugins) == 1
