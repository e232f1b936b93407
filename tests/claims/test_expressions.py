"""What a claims file may say of columns, and that it can say nothing else: a list of attacks, each refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from dpbandits.claims import claim
from dpbandits.claims.expressions import chosen, conditions, parse, quantity
from dpbandits.core.errors import BadInput
from dpbandits.runs import config

TABLE = pd.DataFrame(
    {
        "a": [1.0, 2.0, 3.0],
        "b": ["x", "y", "x"],
        "environment.gap": [0.1, 0.2, math.nan],
        "used": [True, False, True],
    }
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a", [1, 2, 3]),
        ("2", [2, 2, 2]),
        (2.5, [2.5, 2.5, 2.5]),
        ("1 + a * 2", [3, 5, 7]),
        ("-a ** 2", [-1, -4, -9]),
        ("(-a) ** 2", [1, 4, 9]),
        ("2 ** -1 * a", [0.5, 1, 1.5]),
        ("8 / 2 / 2 - 1 - 1", [0, 0, 0]),
        ("abs(a - 2)", [1, 0, 1]),
        ("log(exp(a)) + sqrt(4) + log2(8)", [6, 7, 8]),
        ("1e-3 * a", [0.001, 0.002, 0.003]),
        ("used", [1, 0, 1]),
        ("a / (a - a)", [math.inf] * 3),
    ],
)
def test_arithmetic(text: object, values: list[float]) -> None:
    """Usual precedence, functions, and columns of numbers."""
    assert quantity(TABLE, text).tolist() == pytest.approx(values)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({}, [0, 1, 2]),
        ({"b": "x"}, [0, 2]),
        ({"b": ["y"]}, [1]),
        ({"b": {"not": "x"}}, [1]),
        ({"a": [1, 3]}, [0, 2]),
        ({"used": True}, [0, 2]),
        ({"a": {"at_least": 2, "below": "2 + 1"}}, [1]),
        ({"a ** 2": {"above": "a"}}, [1, 2]),
        ({"a": {"equals": "a * 1"}}, [0, 1, 2]),
        ({"a": {"not_equals": 2}}, [0, 2]),
        ({"a": {"largest_of": []}}, [2]),
        ({"a": {"largest_of": ["b"]}}, [1, 2]),
        ({"b": "y", "a": {"largest_of": []}}, [1]),
        ({"environment.gap": {"below": 0.15}}, [0]),
        ({"environment.gap": {"below": 0.15, "or_missing": True}}, [0, 2]),
    ],
)
def test_conditions(where: dict[str, Any], rows: list[int]) -> None:
    """Each kind of condition, and several one after the other."""
    assert chosen(TABLE, where).index.tolist() == rows


# What a stranger's file might try: code, attributes, other files, endless work.
HOSTILE = [
    "@pd.io.common.os.system('touch /tmp/owned')",
    "@pd.read_pickle('x')",
    "mean.to_csv('/tmp/owned')",
    "a.values.tofile('x')",
    "__import__('os').system('true')",
    "(lambda: 1)()",
    "[x for x in (1, 2)]",
    "a if a else a",
    "a; b",
    "a := 1",
    "a == 1",
    "a and a",
    "'text'",
    '"text"',
    "f'{a}'",
    "a[0]",
    "a.__class__.__mro__",
    "open('x')",
    "eval('1')",
    "exec",
    "getattr(a, 'b')",
    "log(a, 2)",
    "log",
    "print(a)",
    "a b",
    "1 +",
    "(a",
    "a)",
    "()",
    "",
    "   ",
    "\x00",
    "a\nb",
    "9" * 201,
    "(" * 30 + "a" + ")" * 30,
    "-" * 199 + "(",
    "a ** ** a",
    "𝓪",
    "0x10",
    "1_000",
    "1e",
    "1j",
    "a // a",
    "a % a",
    "a @ a",
    "~a",
    "a.",
    ".a",
    "{a}",
    "`a`",
    "$a",
    "!ls",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_an_attack_is_refused(text: str) -> None:
    """As an expression, as a condition's expression, and as its limit; before any data are read or as no column."""
    with pytest.raises(BadInput):
        quantity(TABLE, text)
    with pytest.raises(BadInput):
        chosen(TABLE, {text: {"at_most": 1}})
    with pytest.raises(BadInput):
        chosen(TABLE, {"a": {"at_most": text}})


@pytest.mark.parametrize(
    "value", [None, True, [], {}, math.nan, math.inf, b"a", 1j, np.array([1.0])], ids=lambda value: repr(value)[:20]
)
def test_what_is_no_text_is_no_expression(value: object) -> None:
    """Only text and finite numbers are."""
    with pytest.raises(BadInput):
        parse(value)


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ({"a": {"lss": 1}}, ("a", "lss")),
        ({"a": None}, ("a",)),
        ({"a": ["x", 1]}, ("a",)),
        ({"a": [[1]]}, ("a", 0)),
        ({"a": {"or_missing": "yes"}}, ("a", "or_missing")),
        ({"a": {"largest_of": "b"}}, ("a", "largest_of")),
        ({"a": {"at_most": "os.system('x')"}}, ("a", "at_most")),
        ({1: 2}, ("1",)),
    ],
)
def test_a_bad_condition_is_told_by_its_key(where: dict[Any, Any], path: tuple[str | int, ...]) -> None:
    """The key path leads to what is wrong."""
    with pytest.raises(BadInput) as error:
        conditions(where)
    assert error.value.path == path


@pytest.mark.parametrize("text", ["@pd.io.common.os.system('x')", "mean.to_csv('x')", "a == 1"])
def test_a_hostile_file_is_refused_with_its_place(text: str, tmp_path: Path, tiny: Any) -> None:
    """Loading a claims file tells file, claim, test and key; nothing is run."""
    given = {
        "row": "r",
        "place": "p",
        "statement": "s",
        "shown": "figure/curves",
        "tests": [{"test": "inequality", "effect": "e", "experiments": ["small"], "options": {"value": text}}],
    }
    file = tmp_path / "claims.yaml"
    file.write_text(yaml.safe_dump({"claims": {"one": given}}), encoding="utf-8")
    tiny["papers"]["azize2025"]["claims"] = str(file)
    with pytest.raises(BadInput) as error:
        claim.load(config.checked(tiny))
    assert "claims.one.tests.0.options.value" in str(error.value)
