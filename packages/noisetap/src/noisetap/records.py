"""Data of functions: records, how they are handed over, their neighbours, and what a function returns.

A record is a tuple of values, one for each column, and an input is a tuple of records. A relation of neighbours is
``add-remove``, ``replace-one`` (or ``one-event``), ``user``, or a function that lists the neighbours of an input.
"""

from __future__ import annotations

import array
import dataclasses
import importlib
import inspect
import math
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from noisetap.noisy import Noisy
from noisetap.tape import Refused

Record = tuple[Any, ...]
Data = tuple[Record, ...]
Relation = str | Callable[[Data], Iterable[Data]]
RELATIONS = ("add-remove", "replace-one", "one-event", "user")
_FORMS = ("array", "list", "frame", "dict", "tuple", "str")
# Inputs whose records are from anywhere in their ranges.
_ANYWHERE = 4
# Larger whole numbers are compared exactly: as floats two neighbours would be equal.
_EXACT = 2**20


@dataclass(frozen=True)
class Records:
    """Description of the data that a function takes.

    Attributes
    ----------
    number : int
        Number of records of an input, from 1 to 10,000.
    low, high : float
        Range of the values, if there are no columns; ``low`` is below ``high``.
    columns : mapping of str to tuple
        Range or categories of each column, by its name: ``{"age": (0, 100), "sex": ("f", "m")}``. Two numbers are
        the ends of a range, all else is a list of categories.
    form : str, optional
        Form of the data: ``array``, ``list``, ``frame`` (pandas), ``dict`` of columns, ``tuple``, or ``str`` (the
        records in one text, without gaps). By default it follows the annotation of the function's first parameter,
        or is ``array``.
    make : callable, optional
        Function that makes the data from a list of records, in place of ``form``. With at most one column a record
        is its value, else a tuple.

    Raises
    ------
    Refused
        If a number or a form is not allowed, a range's ends are not in order, or a column has no values.
    """

    number: int = 5
    low: float = 0.0
    high: float = 1.0
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    form: str | None = None
    make: Callable[[list[Any]], Any] | None = None

    def __post_init__(self) -> None:
        """Check the size and the ranges."""
        if not 1 <= self.number <= 10_000:
            raise Refused(f"{self.number} records: allowed are 1 to 10,000")
        if self.form is not None and self.form not in _FORMS:
            raise Refused(f"data as {self.form!r}: allowed are {', '.join(_FORMS)}")
        for values in self._columns():
            if not values or (len(values) == 2 and _numeric(values) and not float(values[0]) < float(values[1])):
                raise Refused(f"a column of {tuple(values)}: its low end is not below its high end")

    def _columns(self) -> list[Sequence[Any]]:
        return list(self.columns.values()) or [(self.low, self.high)]

    def contains(self, record: Record) -> bool:
        """Return whether a record has a value for each column, in the column's range or among its categories."""
        columns = self._columns()
        return len(record) == len(columns) and all(
            isinstance(v, int | float) and float(c[0]) <= v <= float(c[1])
            if _numeric(c) and len(c) == 2
            else v in c
            for v, c in zip(record, columns, strict=True)
        )

    def typical_records(self) -> list[Record]:
        """Return at most 12 records: the lowest, the highest, and these two with another value in one column.

        The lowest value of a column of categories is the first, and the highest is the last. Other values are the
        opposite end, the middle of a range, and the remaining categories.
        """
        ends = [(c[0], c[-1]) for c in self._columns()]
        middle = [((c[0] + c[1]) / 2,) if _numeric(c) and len(c) == 2 else tuple(c[1:-1]) for c in self._columns()]
        found = [tuple(e[0] for e in ends), tuple(e[1] for e in ends)]
        for at in range(len(ends)):
            for base in list(found[:2]):
                for value in (*ends[at], *middle[at]):
                    changed = (*base[:at], value, *base[at + 1 :])
                    if changed not in found:
                        found.append(changed)
        return found[:12]

    def inputs(self, rng: np.random.Generator, number: int) -> Iterator[Data]:
        """Yield ``number`` inputs of ``self.number`` records each, the first of them fixed, the others random.

        Fixed inputs consist of `typical_records`, such as the lowest and the highest: all records are alike, all
        but one are, or two alternate. Random inputs have records drawn by ``rng`` from `typical_records`; in every
        third one they are drawn from the whole ranges.
        """
        levels, n = self.typical_records(), self.number
        low, high = levels[0], levels[1]
        fixed = [(low,) * n, (high,) * n, (high, *(low,) * (n - 1)), (low, *(high,) * (n - 1))]
        fixed.append(tuple(levels[i % 2] for i in range(n)))
        fixed += [(level,) * n for level in levels[2:4]]
        fixed += [(level, *(low,) * (n - 1)) for level in levels[2:3]]
        while len(fixed) < number:
            if len(fixed) % 3 == 2:
                fixed.append(tuple(self._inside(rng) for _ in range(n)))
            else:
                fixed.append(tuple(levels[int(i)] for i in rng.integers(0, len(levels), n)))
        yield from fixed[:number]

    def _inside(self, rng: np.random.Generator) -> Record:
        """Draw a record from anywhere in the ranges."""
        return tuple(
            float(c[0] + (c[1] - c[0]) * rng.random())
            if _numeric(c) and len(c) == 2
            else c[int(rng.integers(len(c)))]
            for c in self._columns()
        )

    def further_pairs(
        self, rng: np.random.Generator, relation: Relation
    ) -> Iterator[tuple[int | None, Data, Data]]:
        """Yield pairs of neighbours beyond those of `inputs`: records from the whole ranges, or fewer records.

        An item is ``(0, input, neighbour)``: first the index, from 0, of the record in which the two differ. The
        index is ``None`` if a function lists the neighbours, or if all records of a user are removed. `Refused` is
        raised if the relation is no known name.
        """
        _refuse_unknown(relation)
        for _ in range(_ANYWHERE):
            data = tuple(self._inside(rng) for _ in range(self.number))
            if relation in ("replace-one", "one-event"):
                for i in dict.fromkeys((0, self.number - 1)):
                    for other in (self._inside(rng), self._inside(rng)):
                        yield i, data, (*data[:i], other, *data[i + 1 :])
            else:
                for row, fewer in islice(self.neighbours(data, relation), 5):
                    yield row, data, fewer
        if relation in ("add-remove", "user"):
            low, high = self.typical_records()[:2]
            for number in sorted({*range(2, min(self.number, 12)), self.number // 2} - {0, 1}):
                data = tuple((low, high)[i % 2] for i in range(number))
                for row, fewer in islice(self.neighbours(data, relation), 1):
                    yield row, data, fewer

    def neighbours(self, data: Data, relation: Relation) -> Iterator[tuple[int | None, Data]]:
        """Yield some neighbours of an input, as pairs ``(0, neighbour)``.

        First comes the index, from 0, of the record in which the two inputs differ. By the relation one record is
        removed (``add-remove``), or all records of a user, which have one value in the first column, or one record
        is replaced by others of `typical_records`. Of more than 8 records only the first, middle and last are
        tried. The index is ``None`` for a user, and if a function lists the neighbours, of which 200 are taken at
        most. `Refused` is raised if the relation is no known name.
        """
        _refuse_unknown(relation)
        if callable(relation):
            yield from ((None, tuple(tuple(r) for r in other)) for other in islice(relation(data), 200))
            return
        n = len(data)
        at = list(range(n)) if n <= 8 else [0, n // 2, n - 1]
        if relation == "add-remove":
            yield from ((i, data[:i] + data[i + 1 :]) for i in at)
        elif relation == "user":
            for user in dict.fromkeys(record[0] for record in data):
                yield None, tuple(record for record in data if record[0] != user)
        else:
            for i in at:
                for level in self.typical_records()[: 4 if i in (0, n - 1) else 2]:
                    if level != data[i]:
                        yield i, (*data[:i], level, *data[i + 1 :])

    def as_argument(self, data: Data, form: str) -> Any:
        """Return an input as the audited function gets it: made by ``self.make``, or else in a form.

        ``form`` is ``array``, ``list``, ``tuple``, ``frame`` (pandas), ``dict`` of columns, or ``str``. With at
        most one column a record is its value, else a tuple, or a row of the array. In a frame or dict the column
        without a name is ``value``. A text has the records one after another.
        """
        single = not self.columns or len(self.columns) == 1
        rows: list[Any] = [record[0] for record in data] if single else list(data)
        if self.make is not None:
            return self.make(rows)
        if form == "str":
            return "".join(str(row) for row in rows)
        if form in ("list", "tuple"):
            return rows if form == "list" else tuple(rows)
        names = list(self.columns) or ["value"]
        by_name = {name: [record[c] for record in data] for c, name in enumerate(names)}
        if form == "dict":
            return by_name
        if form == "frame":
            try:
                pandas = importlib.import_module("pandas")
            except ImportError:
                raise Refused("data as a frame need pandas") from None
            return pandas.DataFrame(by_name)
        width = max(len(self.columns), 1)
        return np.array(rows) if rows else np.empty((0, width) if width > 1 else (0,))


def _refuse_unknown(relation: Relation) -> None:
    if not callable(relation) and relation not in RELATIONS:
        raise Refused(f"neighbours {relation!r}: allowed are {', '.join(RELATIONS)}, or a function")


def _numeric(values: Sequence[Any]) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def form_of(function: Callable[..., Any]) -> str:
    """Return the form of data that the annotation of a function's first parameter asks for.

    It is ``frame`` for ``pd.DataFrame``, ``dict`` for mappings, ``tuple``, ``list`` for sequences and iterables,
    ``str``, and ``array`` for all else, or without an annotation.
    """
    try:
        first = next(iter(inspect.signature(function).parameters.values()))
    except (TypeError, ValueError, StopIteration):
        return "array"
    text = str(first.annotation).lower()
    for word, form in (("ndarray", "array"), ("arraylike", "array"), ("dataframe", "frame"), ("frame", "frame")):
        if word in text:
            return form
    if first.annotation is inspect.Parameter.empty:
        return "array"
    for word, form in (
        ("dict", "dict"),
        ("mapping", "dict"),
        ("tuple", "tuple"),
        ("list", "list"),
        ("sequence", "list"),
    ):
        if word in text:
            return form
    return "list" if "iterable" in text else "str" if "str" in text else "array"


# Types whose heirs can hold more than they do.
_WITH_FIELDS = (list, tuple, set, dict, str)


def as_result(value: Any, depth: int = 0) -> Any:
    """Return a function's result as numbers, texts, truth values, ``None``, and nested tuples of them.

    The list ``[1, "a"]`` becomes ``("list", (1.0, "a"))``. Numbers become floats, but whole ones above 2^20 in
    size stay whole. A number with noise is released: it becomes a plain one, which an observer of the result knows.
    An object becomes the name of its class and its fields. Of a generator at most 10,000 items are read.

    Parameters
    ----------
    value
        Result of the function, or a part of it.
    depth
        Number of collections around this part, from 0 to 20.

    Raises
    ------
    Refused
        If the result is nested more than 20 deep, or has a part such as a function or a coroutine.
    """
    if depth > 20:
        raise Refused("what the function returns is nested more than 20 deep")
    if type(value) is float:
        return value
    if isinstance(value, _WITH_FIELDS) and getattr(value, "__dict__", None):
        # A class of the program can hold more than its base class.
        kept = as_result(dict(vars(value)), depth + 1)
        return (type(value).__name__, _plain_result(value, depth), kept)
    return _plain_result(value, depth)


def _plain_result(value: Any, depth: int) -> Any:
    """Return what a function returns, without what a class of its own adds."""
    if type(value) is Noisy:
        return value.path.release_in_result(value.affine)
    if value is None or isinstance(value, bool | np.bool_ | str | bytes):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, int | np.integer):
        return float(value) if abs(int(value)) <= _EXACT else int(value)
    if isinstance(value, float | np.number):
        return float(value)
    if isinstance(value, complex):
        return ("complex", value.real, value.imag)
    if isinstance(value, np.ndarray):
        return ("array", value.shape, tuple(as_result(v, depth + 1) for v in value.ravel().tolist()))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return as_result(importlib.import_module("noisetap.torch_heard").numbers_of(value), depth + 1)
    if isinstance(value, Mapping):
        items = [(as_result(k, depth + 1), as_result(v, depth + 1)) for k, v in value.items()]
        return ("dict", tuple(items))
    if isinstance(value, set | frozenset):
        return ("set", tuple(sorted((as_result(v, depth + 1) for v in value), key=repr)))
    if isinstance(value, list | tuple | array.array | deque):
        return ("list", tuple(as_result(v, depth + 1) for v in value))
    if hasattr(value, "to_dict") and hasattr(value, "index"):
        return ("frame", tuple(map(str, value.index)), as_result(value.to_dict(), depth + 1))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [(f.name, as_result(getattr(value, f.name), depth + 1)) for f in dataclasses.fields(value)]
        return (type(value).__name__, tuple(fields))
    if inspect.isawaitable(value) or inspect.isasyncgen(value):
        raise Refused("the function is async: give one that returns its result")
    if isinstance(value, types.GeneratorType | map | filter | zip | range):
        return ("list", tuple(as_result(v, depth + 1) for v in islice(value, 10_000)))
    if hasattr(value, "__dict__") and not callable(value):
        return (type(value).__name__, as_result(dict(vars(value)), depth + 1))
    raise Refused(f"the function returns a {type(value).__name__}: return numbers, text, or collections of them")


def leaves(value: Any) -> list[Any]:
    """Return the parts of a result of `as_result` that are no tuples, in order: numbers, texts and the like.

    The result ``("list", (1.0, "a"))`` gives ``["list", 1.0, "a"]``.
    """
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def same(a: Any, b: Any) -> bool:
    """Tell whether two results of `as_result` have equal `leaves`; floats may differ by 1e-9, relative above 1."""
    p, q = leaves(a), leaves(b)
    return len(p) == len(q) and all(_equal(x, y) for x, y in zip(p, q, strict=True))


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return type(a) is type(b) and bool(a == b)
