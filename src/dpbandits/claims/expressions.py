"""Expressions and conditions on columns in claims files: arithmetic and typed comparisons, and nothing else.

An expression is a number, a column, ``+ - * / **``, brackets, and the functions of `FUNCTIONS`. Conditions are
data: a mapping from expressions to required values. This module alone reads both, and neither is run
by an interpreter. So a stranger's file can select and compute, and do nothing else.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import arrays
from dpbandits.core.errors import BadInput, suggest, within

Floats = NDArray[np.float64]

# Most characters, and most opening brackets, of an expression: more could exhaust the stack.
LONGEST = 200
DEEPEST = 20
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "log": arrays.log,
    "log2": arrays.log2,
    "exp": arrays.exp,
}
ALLOWED = f"an expression of columns, numbers, + - * / ** ( ) and {', '.join(FUNCTIONS)}"
OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    **{ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide},
    ast.Pow: arrays.power,
}
# A number, a column with dots in its name, or a sign.
TOKEN = re.compile(r"[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)|[-+*/()]")
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "at_least": lambda one, other: one >= other,
    "at_most": lambda one, other: one <= other,
    "above": lambda one, other: one > other,
    "below": lambda one, other: one < other,
    "equals": lambda one, other: one == other,
    "not_equals": lambda one, other: one != other,
}
# What a condition may say beside comparisons.
OTHERS = ("not", "or_missing", "largest_of")

# As a claims file has them: from an expression to what it has to be.
Conditions = Mapping[str, Any]
# From a table to a number, or a number for each row.
Value = Callable[["pd.DataFrame"], Any]


def _compiled(text: str) -> Value:
    """Return a function that computes an expression. Columns become c0, c1, ... for Python to parse it."""
    names: list[str] = []

    def numbered(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        names.append(found[1])
        return f" c{len(names) - 1} "

    if TOKEN.sub("", text).strip() or text.count("(") > DEEPEST:
        raise BadInput((), text, ALLOWED)
    try:
        tree = ast.parse(TOKEN.sub(numbered, text).strip(), mode="eval").body
    except SyntaxError:
        raise BadInput((), text, ALLOWED) from None

    def name_of(numbered: str) -> str:
        return names[int(numbered[1:])]

    def value(node: ast.expr) -> Value:
        """Return a function that computes a node of the expression, or raise `BadInput` for what is not allowed."""
        match node:
            case ast.Constant(value=int() | float() as number):
                found = float(number)
                return lambda _: found
            case ast.Name(id=name):
                return _column(name_of(name))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=of):
                return (
                    value(of) if isinstance(sign, ast.UAdd) else _combined(np.multiply, lambda _: -1.0, value(of))
                )
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
                return _combined(OPERATORS[type(operator)], value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=[of], keywords=[]):
                if name_of(name) not in FUNCTIONS:
                    raise BadInput((), name_of(name), suggest(name_of(name), FUNCTIONS))
                function, inner = FUNCTIONS[name_of(name)], value(of)
                return lambda table: function(inner(table))
        raise BadInput((), text, ALLOWED)

    return value(tree)


def _combined(function: Callable[[Any, Any], Any], one: Value, other: Value) -> Value:
    return lambda table: function(one(table), other(table))


def _column(name: str) -> Value:
    """Return a function that reads a column of numbers."""

    def value(table: pd.DataFrame) -> Any:
        if name not in table.columns:
            raise BadInput((), name, suggest(name, [str(column) for column in table.columns]))
        column = table[name]
        if not pd.api.types.is_numeric_dtype(column):
            raise BadInput((), name, "a column of numbers")
        return column.to_numpy(dtype=float)

    return value


def parse(text: object) -> Value:
    """Return a function of a table that computes an expression, or a number; raise `BadInput` for all else.

    It returns an array of a number for each row, or one number if the expression has no column.
    """
    if isinstance(text, int | float) and not isinstance(text, bool) and math.isfinite(text):
        number = float(text)
        return lambda _: number
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise BadInput((), text, f"{ALLOWED}; at most {LONGEST} characters")
    return _compiled(text)


def constant(text: str) -> float:
    """Return the value of an expression without columns, such as ``"1 + 1e-9"``; NaN for any other text."""
    try:
        return float(parse(text)(pd.DataFrame()))
    except BadInput:
        return math.nan


def quantity(table: pd.DataFrame, expression: object) -> pd.Series[float]:
    """Return the value of an expression in each row; a division by zero gives an infinity or NaN."""
    with np.errstate(all="ignore"):
        found = parse(expression)(table)
    return pd.Series(found, index=table.index, dtype=float)


# From a table to whether each of its rows meets a condition.
Mask = Callable[["pd.DataFrame"], Any]


class Condition(NamedTuple):
    """A checked condition.

    Attributes
    ----------
    on
        Expression whose values are checked, as text.
    meets
        ``meets(table)`` returns whether each row meets the condition.
    """

    on: str
    meets: Mask


def _literals(given: object, on: str) -> Mask:
    """Return a mask of the rows whose column ``on`` has one of some values: text, numbers, true or false."""
    values: Sequence[object] = given if isinstance(given, list) else [given]
    for i, value in enumerate(values):
        if not isinstance(value, str | int | float | bool):
            raise BadInput((i,) if isinstance(given, list) else (), value, "text, a number, true or false")
    if any(isinstance(value, str) for value in values):
        if not all(isinstance(value, str) for value in values):
            raise BadInput((), given, "all text or all numbers")
        return lambda table: _named(table, on).isin(list(values)).to_numpy()
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return lambda table: np.isin(quantity(table, on).to_numpy(), numbers)


def _named(table: pd.DataFrame, name: str) -> pd.Series[Any]:
    if name not in table.columns:
        raise BadInput((), name, suggest(name, [str(column) for column in table.columns]))
    return table[name]


def _largest(on: str, groups: object) -> Mask:
    """Return a mask of the rows whose value is the largest among rows that agree in the columns ``groups``."""
    if not isinstance(groups, list) or not all(isinstance(name, str) for name in groups):
        raise BadInput((), groups, "a list of columns, empty for all rows")
    names: list[str] = list(groups)

    def meets(table: pd.DataFrame) -> Any:
        values = quantity(table, on)
        if not names:
            return (values == values.max()).to_numpy()
        keys = [_named(table, name) for name in names]
        return (values == values.groupby(keys, dropna=False).transform("max")).to_numpy()

    return meets


def _without(unwanted: Mask) -> Mask:
    return lambda table: ~unwanted(table)


def _compared(on: str, name: str, limit: object) -> Mask:
    parse(limit)
    compare = COMPARISONS[name]
    return lambda table: compare(quantity(table, on).to_numpy(), quantity(table, limit).to_numpy())


def _one(on: object, given: object) -> list[Mask]:
    """Return masks of the rows that meet each of the conditions on one column or expression."""
    if not isinstance(on, str):
        raise BadInput((), on, "a column or an expression of columns")
    parse(on)
    if not isinstance(given, Mapping):
        return [_literals(given, on)]
    found: list[Mask] = []
    for name, value in given.items():
        with within(str(name)):
            if name in COMPARISONS:
                found.append(_compared(on, str(name), value))
            elif name == "not":
                found.append(_without(_literals(value, on)))
            elif name == "largest_of":
                found.append(_largest(on, value))
            elif name == "or_missing":
                if not isinstance(value, bool):
                    raise BadInput((), value, "true or false")
            else:
                raise BadInput((), value, suggest(name, [*COMPARISONS, *OTHERS]))
    if given.get("or_missing"):
        return [
            lambda table: np.all([mask(table) for mask in found], axis=0) | quantity(table, on).isna().to_numpy()
        ]
    return found


def conditions(given: Conditions) -> list[Condition]:
    """Return the conditions of a claims file, checked, or raise `BadInput` with the key of the wrong one.

    Parameters
    ----------
    given
        Mapping from an expression to the value that it must have, to a list of allowed values, or to a mapping.
        Keys of the inner mapping are any of:

        - ``at_least``, ``at_most``, ``above``, ``below``, ``equals``, ``not_equals``: expressions;
        - ``not``: values that it may not have;
        - ``largest_of``: columns; only the largest of the rows that agree in them is kept;
        - ``or_missing``: if true, rows without a value of the expression are kept too.
    """
    found = []
    for on, wanted in given.items():
        with within(str(on)):
            found += [Condition(on, mask) for mask in _one(on, wanted)]
    return found


def chosen(table: pd.DataFrame, where: Conditions) -> pd.DataFrame:
    """Return the rows of a table that meet all conditions; all rows if there are no conditions.

    Conditions are applied in their order: ``largest_of`` looks at the rows that met those before it.

    Examples
    --------
    >>> table = pd.DataFrame({"epsilon": [0.1, 1.0, 10.0]})
    >>> list(chosen(table, {"epsilon": {"at_most": 1}})["epsilon"])
    [0.1, 1.0]
    """
    for condition in conditions(where):
        if len(table):
            with within("options", "where", condition.on):
                table = table[np.asarray(condition.meets(table), dtype=bool)]
    return table
