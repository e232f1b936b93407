"""Schema of a certificate: every field is there, of its type, and every number is finite."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from noisetap.form import FORMAT

_KINDS = (
    "laplace",
    "normal",
    "gumbel",
    "logistic",
    "exponential",
    "uniform",
    "binomial",
    "beta",
    "choice",
    "integer",
    "order",
)
Test = Callable[[Any], bool]


def _number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) and abs(x) < 1e15


def _count(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool) and 0 <= x < 10**15


def _text(x: Any) -> bool:
    return isinstance(x, str) and len(x) < 1000


def _flag(x: Any) -> bool:
    return isinstance(x, bool)


def _any(_: Any) -> bool:
    return True


def _many(of: Test) -> Test:
    return lambda x: isinstance(x, list) and all(of(e) for e in x)


def _tuple(*of: Test) -> Test:
    return lambda x: (
        isinstance(x, list | tuple) and len(x) == len(of) and all(t(e) for t, e in zip(of, x, strict=True))
    )


def _record(**of: Test) -> Test:
    return lambda x: isinstance(x, dict) and x.keys() == of.keys() and all(t(x[k]) for k, t in of.items())


def _kind(x: Any) -> bool:
    return x in _KINDS


def _scale(x: Any) -> bool:
    return _number(x) and x != 0


_key = _tuple(_text, _count)
_law = _record(kind=_kind, place=_number, size=_scale, more=_many(_number))
_compared = _many(_tuple(_number, lambda x: x in (1.0, -1.0), _flag))
_center = _record(key=_key, x=_law, y=_law)
_tape = _many(_tuple(_text, _count, lambda x: x in ("out", "value", "said"), _any))
_FIELDS: dict[str, Test] = {
    "format": lambda x: x == FORMAT,
    "kind": lambda x: x in ("finite", "infinite"),
    "claim": _record(epsilon=lambda x: _number(x) and x >= 0, delta=lambda x: _number(x) and 0 <= x < 1),
    "rewards": _record(rounds=_count, arms=_count, low=_number, high=_number, row=_flag),
    "seed": _count,
    "row": _count,
    "x": _many(_many(_number)),
    "y": _many(_many(_number)),
    "parts": _many(_record(key=_key, line=_text, moment=_count, said=_number, x=_law, y=_law)),
    "asked": _many(_record(key=_key, line=_text, x_said=_compared, y_said=_compared, x=_law, y=_law)),
    "pivots": _many(_record(center=_center, others=_many(_record(key=_key, x=_law, y=_law, above=_flag)))),
    "tape": _tape,
    "paths": _many(_tape),
}
_INFINITE: dict[str, Test] = {"decision": _count, "tape_y": _tape, "coins": _many(_key)}


def fault_of_form(certificate: Any) -> str | None:
    """Return what is wrong with the form of a certificate, or ``None``."""
    if not isinstance(certificate, dict):
        return "it is no JSON object"
    fields = _FIELDS | (_INFINITE if certificate.get("kind") == "infinite" else {})
    for name, test in fields.items():
        if name not in certificate or not test(certificate[name]):
            return f"its field {name!r} is missing or not as it has to be"
    if certificate.keys() - fields.keys():
        return f"it has a field {sorted(certificate.keys() - fields.keys())[0]!r} that no certificate has"
    return _fault_of_inputs(certificate)


def _fault_of_inputs(certificate: Any) -> str | None:
    """Return why the two tables are no neighbours of the stated size and range, or ``None``."""
    rewards, x, y = certificate["rewards"], certificate["x"], certificate["y"]
    if not (0 < rewards["arms"] <= 10**4 and 0 < rewards["rounds"] <= 10**5 and rewards["low"] <= rewards["high"]):
        return "its inputs have no size, or no range"
    shape = [rewards["arms"]] * rewards["rounds"]
    if any([len(row) for row in table] != shape for table in (x, y)):
        return "its inputs are not of the size that it states"
    if not all(rewards["low"] <= v <= rewards["high"] for table in (x, y) for row in table for v in row):
        return "its inputs leave the range of rewards"
    if [t for t in range(len(x)) if x[t] != y[t]] != [certificate["row"]]:
        return "its inputs do not differ in the one row that it names"
    return None
