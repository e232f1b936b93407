"""A fingerprint differs where code does, or a value that a compiler would put into it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbandits.core import compiled
from dpbandits.core.errors import BrokenFile
from dpbandits.core.reached import Reached

CODE = '''
import math
import other

CONSTANT = 2.0
TABLE = np.array([1.0, 2.0])
PAIR = (1, (2.0, "three"))


def inner(x):
    """Say something."""
    return CONSTANT * x


def call(x, y=1):
    """Say something."""
    z = 3 * x
    return inner(z) + TABLE[0] + PAIR[0] + other.deep.NUMBER + math.pi + sum(CONSTANT for _ in range(2))
'''


def module(code: str = CODE) -> types.ModuleType:
    """Return a module made of code."""
    made = types.ModuleType("made")
    other, deep = types.ModuleType("other"), types.ModuleType("deep")
    vars(deep).update(NUMBER=5, UNUSED=6)
    vars(other).update(deep=deep)
    vars(made).update(np=np)
    exec(code.replace("import other\n", ""), vars(made))
    vars(made).update(other=other)
    return made


def fingerprint(made: types.ModuleType) -> bytes:
    """Return the fingerprint of its function."""
    return Reached().fingerprint(made.call)


@pytest.mark.parametrize(
    "edit",
    [
        lambda code: code.replace("Say something", "Say something else"),
        lambda code: code.replace("    z = 3 * x", "    # Words.\n\n    z = 3 * x"),
        lambda code: f"UNUSED = 1\n\n\n{code}",
    ],
)
def test_words_and_lines_are_no_code(edit: Callable[[str], str]) -> None:
    """Nor is what nothing looks up."""
    assert fingerprint(module(edit(CODE))) == fingerprint(module())


CHANGES: dict[str, Callable[[Any], object]] = {
    "constant": lambda made: setattr(made, "CONSTANT", 3.0),
    "kind of constant": lambda made: setattr(made, "CONSTANT", 2),
    "sign of zero": lambda made: setattr(made, "CONSTANT", -0.0),
    "array in place": lambda made: made.TABLE.__setitem__(0, 1.5),
    "tuple in a tuple": lambda made: setattr(made, "PAIR", (1, (2.0, "four"))),
    "value of a module of a module": lambda made: setattr(made.other.deep, "NUMBER", 6),
    "module": lambda made: setattr(made, "other", types.SimpleNamespace(deep=types.SimpleNamespace(NUMBER=5))),
    "function": lambda made: setattr(made, "inner", lambda x: made.CONSTANT * x),
    "builtin": lambda made: setattr(made, "sum", max),
    "default": lambda made: setattr(made.call, "__defaults__", (2,)),
    "number in its code": lambda made: setattr(
        made.call, "__code__", module(CODE.replace("3 * x", "4 * x")).call.__code__
    ),
    "number in what it calls": lambda made: setattr(
        made.inner, "__code__", module(CODE.replace("CONSTANT * x", "CONSTANT * x * 1")).inner.__code__
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_would_compile_to_something_else_is_another(change: str) -> None:
    """Each by itself; zero and minus zero too."""
    made = module()
    if change == "sign of zero":
        made.CONSTANT = 0.0  # type: ignore[attr-defined]
    before = fingerprint(made)
    CHANGES[change](made)
    assert fingerprint(made) != before


def test_functions_that_call_each_other_end() -> None:
    """And closures count by what they hold."""
    made = module("def call(x):\n    return other_(x)\n\n\ndef other_(x):\n    return call(x)\n")
    assert fingerprint(made) == fingerprint(made)

    def closing(n: int) -> Callable[[int], int]:
        return lambda x: n * x

    assert Reached().fingerprint(closing(1)) != Reached().fingerprint(closing(2))


FACTOR = 2.0


@compiled.inner
def _scaled(x: float) -> float:
    return FACTOR * x


@compiled.kernel
def _twice(x: float) -> float:
    return _scaled(x) * 2.0


@compiled.kernel
def _again(x: float) -> float:
    return _scaled(x) * 3.0


def _new(function: Any) -> Any:
    """Return a kernel as a new process would have it."""
    return compiled.Kernel(function.py_func, **function.options)


@pytest.mark.budget(6)
def test_a_replaced_number_stays_with_its_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """A kernel with it is kept apart; one that was compiled before is not called with it by another."""
    monkeypatch.setattr(compiled, "CACHE", tmp_path)
    monkeypatch.setattr(compiled, "_compiled_as", {})

    def fresh(factor: float) -> float:
        monkeypatch.setitem(globals(), "FACTOR", factor)
        monkeypatch.setitem(globals(), "_scaled", _new(_scaled))
        compiled._compiled_as.clear()
        return float(_new(_twice)(1.0))

    assert [fresh(2.0), fresh(5.0), fresh(2.0), fresh(5.0)] == [4.0, 10.0, 4.0, 10.0]
    monkeypatch.setitem(globals(), "FACTOR", 7.0)
    with pytest.raises(BrokenFile, match="replaced after it was compiled"):
        _new(_again)(1.0)
